"""Conversion of units and up axes: all positions stay, expressed in the new ones."""

from dataclasses import replace

import numpy as np
import pytest

import supple
from supple import (
    Free,
    Hinge,
    Morph,
    Motion,
    Node,
    Planar,
    Pose,
    Skeleton,
    Slider,
    SuppleError,
    Tip,
)
from supple.apps.character.skinning import skin
from supple.apps.formats.conventions import METRES, converted
from supple.model.mesh import Mesh, Skin
from supple.rotations import from_axis_angle, normalize

INCH = 0.0254
TURN = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up to y up


def hero():
    """A figure with z up in inches: two roots, sliding joints, a skin, a mesh on a joint, morphs."""
    rng = np.random.default_rng(3)
    skeleton = Skeleton(
        [
            Node("pelvis", None, (1, 2, 40), Free()),
            Node("spine", "pelvis", (0, 1, 10), rotation=normalize(rng.normal(size=4))),
            Node("slide", "spine", (0, 0, 5), Slider("z", limits=(-1, None))),
            Node("plane", "spine", (2, 0, 5), Planar("x", limits=((-1, 2), None, (-1, 1)))),
            Node("prop", None, (9, 9, 9), rotation=normalize(rng.normal(size=4))),
        ],
        [Tip("head", "slide", (0, 0, 6))],
    )
    q = np.tile(skeleton.rest.coordinates, (5, 1))
    pose = Pose(skeleton, q).with_(
        {
            "spine": from_axis_angle("x", np.linspace(0, 1, 5)),
            "slide": np.linspace(0, 3, 5),
        }
    )
    places = np.tile(skeleton.offsets, (5, 1, 1))
    places[:, [0, skeleton.index("prop")]] += rng.normal(size=(5, 2, 3))
    q = np.array(pose.coordinates)
    q[:, :3] = rng.normal(size=(5, 3))
    poses = Pose(skeleton, q, places)
    names = skeleton.joint_names
    binds = np.linalg.inv(skeleton.rest.frames[: len(names)])
    weights = rng.random((6, 2))
    bound = Skin.from_table(names, binds, rng.integers(0, 5, (6, 2)), weights)
    points = rng.normal(size=(6, 3)) * 10
    normals = points / np.linalg.norm(points, axis=1, keepdims=True)
    faces = [[0, 1, 2], [3, 4, 5]]
    morph = Morph("smile", rng.normal(size=(6, 3)), weight=0.5)
    meshes = (
        Mesh("body", points, faces, normals, skin=bound, morphs=(morph,)),
        Mesh("hat", points, faces, normals, joint="spine"),
    )
    motion = Motion("sway", poses, fps=30)
    return supple.Character(skeleton, meshes, {"sway": motion}, poses[3], unit="inch", up="z")


def seen(character):
    """World positions of joints and vertices, and normals, in all frames and the pose."""
    found = []
    for pose in (character.pose, *character.motion("sway")):
        found.append(pose.positions)
        for mesh in character.meshes:
            positions, normals = skin(mesh, pose, normals=True)
            found += [positions, normals / INCH if character.unit == "inch" else normals]
    return found


def test_everything_turns_and_scales_as_one():
    old = hero()
    new = converted(old, up="y", unit="m")
    assert (new.up, new.unit) == ("y", "m")
    for a, b in zip(seen(old), seen(new), strict=True):
        assert np.allclose(INCH * a @ TURN.T, b, atol=1e-12)
    assert new.skeleton.joints[new.skeleton.index("slide")].limits == (-INCH, np.inf)
    assert new.skeleton.joints[new.skeleton.index("plane")].limit_rows[0] == pytest.approx(
        (-INCH, 2 * INCH)
    )
    assert new.skeleton.joints[new.skeleton.index("plane")].limit_rows[2] == pytest.approx((-1, 1))


@pytest.mark.parametrize("up", ["x", "y", "-x", "-y", "-z"])
def test_there_and_back_is_the_same(up):
    old = hero()
    new = converted(converted(old, up=up, unit="mm"), up="z", unit="inch")
    for a, b in zip(seen(old), seen(new), strict=True):
        assert np.allclose(a, b, atol=1e-12)
    assert np.allclose(new.skeleton.offsets, old.skeleton.offsets, atol=1e-14)
    assert np.allclose(new.meshes[0].skin.T_joint_model, old.meshes[0].skin.T_joint_model)
    only_unit = converted(old, unit="ft")
    assert only_unit.up == "z"
    assert np.array_equal(only_unit.skeleton.rotations, old.skeleton.rotations)


def test_a_rack_follows_its_pinion_and_a_pinion_its_rack_in_every_unit():
    skeleton = Skeleton(
        [
            Node("wheel", None, (0, 0, 0), Hinge("z")),
            Node("rack", None, (5, 0, 0), Slider("x", mimic=("wheel", 2.0, 0.5), damping=0.1)),
            Node("twin", None, (5, 0, 0), Slider("x", mimic=("rack", -1.0, 3.0))),
            Node("needle", None, (9, 0, 0), Hinge("z", mimic=("rack", 0.25, 0.125))),
        ],
        [Tip("point", "needle", (1, 0, 0))],
    )
    old = supple.Character(skeleton, unit="inch", up="z")
    new = converted(old, unit="m")
    a = skeleton.rest.with_({"wheel": 0.8})
    b = new.skeleton.rest.with_({"wheel": 0.8})
    assert a.position("rack")[0] == pytest.approx(5 + 2.1)
    assert np.allclose(b.positions, INCH * a.positions, atol=1e-14)
    assert np.allclose(b.local_rotations, a.local_rotations, atol=1e-14)
    assert new.skeleton.joints[new.skeleton.index("rack")].damping == pytest.approx(0.1 * INCH)
    back = converted(new, unit="inch").skeleton
    assert np.allclose(back.rest.with_({"wheel": 0.8}).positions, a.positions, atol=1e-14)


def test_what_is_there_already_is_left_alone():
    old = hero()
    assert converted(old) == old
    assert converted(old, up="z", unit="inch") == old
    assert converted(old, unit="in").skeleton == old.skeleton


@pytest.mark.parametrize("ending", ["glb", "smd", "character"])
def test_saving_in_another_unit_and_axis(tmp_path, ending):
    old = hero()
    old = old.with_(pose=None, meshes=tuple(replace(one, morphs=()) for one in old.meshes))
    path = tmp_path / f"hero.{ending}"
    supple.save(old, path, up="y", unit="m")
    new = supple.load(path)
    places = new.pose.positions[: len(old.skeleton)]
    assert np.allclose(places, INCH * old.pose.positions[: len(places)] @ TURN.T, atol=1e-5)
    body = skin(new.meshes[0], new.pose)
    wanted = INCH * skin(old.meshes[0], old.pose) @ TURN.T
    assert max(np.linalg.norm(body - row, axis=1).min() for row in wanted) < 1e-5


def test_a_bvh_is_turned_frame_by_frame(tmp_path):
    old = hero().with_(pose=None)
    motion = old.motion("sway")
    supple.save(old, tmp_path / "clip.bvh", up="y", unit="cm")
    new = supple.load(tmp_path / "clip.bvh")
    for name in motion.skeleton.joint_names:
        wanted = 2.54 * motion.poses.position(name) @ TURN.T
        assert np.allclose(next(iter(new.motions.values())).poses.position(name), wanted, atol=1e-4)


def test_gltf_says_what_it_prescribes(tmp_path):
    old = hero().with_(pose=None)
    (note,) = supple.save(old, tmp_path / "a.glb")
    assert note.level == "guess"
    assert "inch with z up" in note.text
    assert supple.save(old, tmp_path / "a.glb", up="y", unit="m") == ()
    (note,) = supple.save(old.with_(unit=None), tmp_path / "a.glb")
    assert note.level == "warning"
    assert "unit: not known" in note.text


def test_bad_input_is_said(tmp_path):
    old = hero()
    for changes, message in (
        ({"up": "w"}, "up axis"),
        ({"unit": "parsec"}, "unit"),
    ):
        with pytest.raises(SuppleError, match=message):
            converted(old, **changes)
    with pytest.raises(SuppleError, match="give unit="):
        supple.save(old.with_(unit=None), tmp_path / "a.glb", unit="m")
    with pytest.raises(SuppleError, match="'furlong'"):
        converted(old.with_(unit="furlong"), unit="m")
    with pytest.raises(SuppleError, match="give up="):
        converted(old.with_(up=None), up="y")
    assert not (tmp_path / "a.glb").exists()
    assert METRES["inch"] == INCH
