"""Animations as motions: interpolations, union of keys, tracks, rates."""

import numpy as np
import pytest

import supple
from supple.errors import SuppleError

HALF = [0, 0, 1, 0]  # half a turn about z, xyzw
HERE = [0, 0, 0, 1]


def only(path):
    character = supple.load(path)
    return next(iter(character.motions.values()))


def test_linear_goes_straight_and_along_the_short_arc(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    turned = [0, 0, -np.sin(0.5), -np.cos(0.5)]  # one radian, the other sign
    sketch.animate([0, 1], "rotation", [HERE, turned])
    motion = only(sketch.gltf())
    assert supple.rotations.to_rotation_vector(motion.at(0.25).rotation("a"))[2] == pytest.approx(
        0.25
    )
    assert len(motion) == 2
    assert motion.fps == 1.0


def test_channels_with_keys_of_their_own_share_frames(sketch):
    sketch.root["nodes"] = [{"name": "a", "children": [1]}, {"name": "b"}]
    sketch.animate([0, 0.5, 2], "translation", [[0, 0, 0], [1, 0, 0], [4, 0, 0]])
    sketch.animate([0, 1], "translation", [[0, 0, 0], [0, 2, 0]], node=1)
    first, second = sketch.root["animations"]
    first["samplers"] += second["samplers"]
    first["channels"].append({**second["channels"][0], "sampler": 1})
    sketch.root["animations"] = [first]
    motion = only(sketch.gltf())
    assert motion.times.tolist() == [0, 0.5, 1, 2]
    assert motion.at(0.75).position("a").tolist() == pytest.approx([1.5, 0, 0])
    assert motion.at(1.5).position("b").tolist() == pytest.approx([3, 2, 0])  # b stays


def test_steps_jump(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    values = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [3, 0, 0]]
    sketch.animate([0, 1, 2, 3], "translation", values, mode="STEP")
    motion = only(sketch.gltf())
    for when, x in ((0.5, 0), (0.999, 0), (1.0, 1), (1.5, 1), (2.99, 1), (3.0, 3)):
        assert motion.at(when).position("a")[0] == pytest.approx(x)
    assert len(motion) == 4 + 2  # no frame more for the step to the same value


def test_curves_are_followed_closely(sketch):
    """In-tangent, value, out-tangent; tangents scale with the time between keys."""
    sketch.root["nodes"] = [{"name": "a"}]
    values = [
        [[9, 9, 9], [0, 0, 0], [0, 3, 0]],
        [[0, -1, 0], [2, 0, 0], [9, 9, 9]],
    ]
    keys = np.array(values, float).reshape(-1, 3)
    sketch.animate([1, 3], "translation", keys, mode="CUBICSPLINE")
    motion = only(sketch.gltf())
    t = np.linspace(0, 1, 57)
    found = motion.at(1 + 2 * t).position("a")
    x = 2 * (3 * t**2 - 2 * t**3)
    y = 2 * 3 * (t**3 - 2 * t**2 + t) + 2 * -1 * (t**3 - t**2)
    assert np.abs(found - np.stack([x, y, 0 * t], -1)).max() < 2e-4
    assert motion.at(0.0).position("a").tolist() == [0, 0, 0]  # held before the first key


@pytest.mark.parametrize("ending", ["glb", "gltf"])
def test_jumps_and_curves_are_written_as_they_were_read(sketch, tmp_path, ending):
    sketch.root["nodes"] = [{"name": "a", "children": [1], "scale": [2, 2, 2]}, {"name": "b"}]
    keys = [[9, 9, 9], [0, 0, 0], [0, 3, 0], [0, -1, 0], [2, 0, 0], [9, 9, 9]]
    sketch.animate([1, 3], "translation", keys, mode="CUBICSPLINE", node=1)
    sketch.animate([0, 1], "rotation", [HERE, HALF], mode="STEP")
    turns = [[0, 0, 0, 0], HERE, [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0, 0.8], [0, 0, 0, 0]]
    sketch.animate([0, 1], "rotation", turns, mode="CUBICSPLINE")
    old = supple.load(sketch.gltf())
    path = tmp_path / f"again.{ending}"
    supple.save(old, path)
    again = supple.load(path)
    for name, motion in old.motions.items():
        same = again.motion(name)
        assert len(same) == len(motion)
        assert np.array_equal(same.times, motion.times)
        assert np.allclose(same.poses.frames, motion.poses.frames, atol=1e-7)
    curves = [old.extras["gltf"]["curves"], again.extras["gltf"]["curves"]]
    for name in old.motions:
        (_, a), (_, b) = (one[name].channels[0] for one in curves)
        assert a.mode == b.mode
        assert np.array_equal(a.times, b.times)
        assert np.allclose(a.values, b.values, atol=1e-7)
        assert a.tangents is None or np.allclose(a.tangents, b.tangents, atol=1e-6)
    # A motion that is changed is written as its frames.
    name = next(iter(old.motions))
    changed = old.with_(motions={name: old.motion(name).resampled(10)})
    supple.save(changed, path)
    assert "curves" not in supple.load(path).extras["gltf"]
    assert len(supple.load(path).motion(name)) == len(changed.motion(name))


def test_curves_of_rotations_are_brought_to_length_one(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    zero = [0, 0, 0, 0]
    keys = [zero, HERE, zero, zero, [0, 0, 0.8, 0.6], zero]
    sketch.animate([0, 1], "rotation", keys, mode="CUBICSPLINE")
    motion = only(sketch.gltf())
    middle = np.array([1.6, 0, 0, 0.8])
    expected = middle / np.linalg.norm(middle)
    assert np.abs(motion.at(0.5).rotation("a") - expected).max() < 1e-4


@pytest.mark.parametrize("code", ["b", "h"])
def test_rotations_as_integers(sketch, code):
    sketch.root["nodes"] = [{"name": "a"}]
    one = {"b": 127, "h": 32767}[code]
    sketch.animate([0, 1], "rotation", np.array([HERE, HALF]) * one, code=code, normalized=True)
    motion = only(sketch.gltf())
    assert np.allclose(np.abs(motion[1].rotation("a")), [0, 0, 0, 1])


def test_scales_and_offsets_are_kept(sketch):
    sketch.root["nodes"] = [{"name": "a", "scale": [2, 2, 2], "children": [1]},
                            {"name": "b", "translation": [1, 0, 0]}]  # fmt: skip
    sketch.animate([0, 1], "scale", [[2, 2, 2], [4, 2, 2]])
    motion = only(sketch.gltf())
    assert motion[0].position("b").tolist() == [2, 0, 0]
    assert motion[1].position("b").tolist() == [4, 0, 0]
    assert motion.poses.scales[1, 0].tolist() == [2, 1, 1]


def test_morph_weights_are_tracks(sketch):
    part = sketch.triangle()
    part["targets"] = [{"POSITION": sketch.accessor([[0, 0, 1]] * 3)} for _ in range(2)]
    sketch.animate([0, 1], "weights", [0, 0.5, 1, 0.25])
    motion = only(sketch.gltf())
    assert motion.tracks["morphs:body"].tolist() == [[0, 0.5], [1, 0.25]]


@pytest.mark.parametrize(
    ("times", "fps", "even"),
    [
        (np.arange(40, dtype=np.float32) / np.float32(24), 24, True),
        (np.arange(40) * 1001 / 30000, 30000 / 1001, True),
        (1 + np.arange(40) / 30, 30, False),
    ],
)
def test_rates_are_recognised(sketch, times, fps, even):
    sketch.root["nodes"] = [{"name": "a"}]
    sketch.animate(times, "translation", np.arange(120).reshape(40, 3))
    motion = only(sketch.gltf())
    assert motion.fps == pytest.approx(fps, rel=1e-12)
    assert motion.even is even
    assert np.allclose(motion.times, times, atol=1e-6)


def test_keys_out_of_order_are_put_in_order(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    sketch.animate([0, 2, 1], "translation", [[0, 0, 0], [2, 0, 0], [1, 0, 0]])
    character = supple.load(sketch.gltf())
    motion = next(iter(character.motions.values()))
    assert motion.times.tolist() == [0, 1, 2]
    assert motion[1].position("a")[0] == 1
    assert any("put in order" in note.text for note in character.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"interpolation": "SMOOTH"}, "LINEAR, STEP or CUBICSPLINE"),
        ({"interpolation": "CUBICSPLINE"}, "3 values for each of 2 keys"),
        ({"output": 0}, r"accessors\[0\].type: expected VEC3"),
        ({"input": 99}, "an index into the 2 accessors"),
    ],
)
def test_bad_samplers_are_refused(sketch, change, message):
    sketch.root["nodes"] = [{"name": "a"}]
    sketch.animate([0, 1], "translation", [[0, 0, 0], [1, 0, 0]])
    sketch.root["animations"][0]["samplers"][0] |= change
    with pytest.raises(SuppleError, match=message):
        supple.load(sketch.gltf())


def test_a_rotation_of_zeros_is_refused(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    sketch.animate([0, 1], "rotation", [HERE, [0, 0, 0, 0]])
    with pytest.raises(SuppleError, match="zeros"):
        supple.load(sketch.gltf())
