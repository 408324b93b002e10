"""Channels of a BVH file that are written as they were read."""

import copy
import logging
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple import Pose, Reach
from supple.apps.formats.bvh.read import read as read_bvh
from supple.apps.formats.source import Source
from supple.apps.formats.text_numbers import as_written, written

DATA = Path(__file__).parents[4].parent / "shared" / "data"
BVH = sorted(DATA.glob("bvh/**/*.bvh"))

ARM = """HIERARCHY
ROOT Hips
{{
  OFFSET 1.5 0 0
  CHANNELS 6 Xposition Yposition Zposition {hips}
  JOINT Arm
  {{
    OFFSET 0 10.25 0
    CHANNELS 3 {arm}
    JOINT Elbow
    {{
      OFFSET 5 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT Wrist
      {{
        OFFSET 4 0 0
        CHANNELS 2 Zrotation Yrotation
        End Site
        {{
          OFFSET 1 0 0
        }}
      }}
    }}
  }}
  JOINT Leg
  {{
    OFFSET 0 -10 0
    CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation
  }}
}}
MOTION
Frames: {count}
Frame Time: 0.0333333
{rows}"""
WIDTH = 20
ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "zxz", "yzy", "zzx")


def named(order):
    return " ".join(f"{letter.upper()}rotation" for letter in order)


def clip_text(rows, *, hips="zxy", arm="yxz"):
    lines = "".join(" ".join(map(repr, row)) + "\n" for row in np.asarray(rows).tolist())
    return ARM.format(hips=named(hips), arm=named(arm), count=len(rows), rows=lines)


def table(path):
    lines = path.read_text().split("Frame Time")[1].splitlines()[1:]
    return np.array([line.split() for line in lines], float)


def only(character):
    return next(iter(character.motions.values()))


@pytest.fixture
def load(tmp_path):
    def _load(rows, **orders):
        path = tmp_path / "clip.bvh"
        path.write_text(clip_text(rows, **orders))
        return supple.load(path)

    return _load


@pytest.fixture
def saved(tmp_path):
    def _saved(thing, **options):
        supple.save(thing, tmp_path / "out.bvh", **options)
        return table(tmp_path / "out.bvh")

    return _saved


def swinging(count, seed=3):
    """Smooth channels far from zero: beyond whole turns, and on the other branch of three angles."""
    t = np.linspace(0.0, 1.0, count)[:, None]
    rng = np.random.default_rng(seed)
    rows = 25.0 * np.sin(2 * np.pi * (t + rng.uniform(size=WIDTH)))
    rows[:, 3:6] += (400.0, 170.0, -300.0)
    rows[:, 6:9] += (-360.0, 20.0, 720.0)
    rows[:, 9:12] += (180.0, 180.0, -180.0)
    return np.round(rows, 4)


@pytest.mark.parametrize("order", ORDERS)
def test_rows_come_back_as_they_were_in_any_order(order, load, saved):
    rows = np.round(np.random.default_rng(1).uniform(-900, 900, (40, WIDTH)), 6)
    rows[3, 6:12] = (10, 90, -40, 0, 90, 0)  # gimbal lock
    rows[4, 6:12] = (10, -270, 3, 720, 90.0, 33)
    rows[5] = 0.0
    assert np.array_equal(saved(load(rows, hips=order, arm=order)), rows)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-12, 1e4, 1e9], ids=lambda scale: f"x{scale:g}")
def test_numbers_of_many_digits_come_back_to_the_last_bit(scale, load, saved):
    rows = np.random.default_rng(2).normal(size=(9, WIDTH)) * scale
    assert np.array_equal(saved(load(rows)), rows)


def test_frames_outside_a_correction_come_back_as_they_were(load, saved, tmp_path):
    rows = swinging(60)
    clip = load(rows)
    motion = only(clip)
    wrist, arm = (motion.poses.position(name) for name in ("Wrist", "Arm"))
    target = wrist + 0.15 * (arm - wrist)
    fixed = supple.correct(motion, [Reach("Wrist", target, root="Arm")], window=(0.6, 1.2))
    assert fixed.reached.all()
    out = saved(clip.with_(motions={motion.name: fixed.motion}))
    outside = fixed.weight == 0
    assert 0 < outside.sum() < 60
    assert np.array_equal(out[outside], rows[outside])
    # Inside, what the correction does not move keeps its numbers as well.
    moved = np.arange(6, 14)
    assert np.any(out[~outside][:, moved] != rows[~outside][:, moved])
    assert np.array_equal(np.delete(out, moved, axis=1), np.delete(rows, moved, axis=1))
    # What was smooth before is smooth after: new angles go on from those of the file.
    assert np.abs(np.diff(out, axis=0)).max() < 90
    again = only(supple.load(tmp_path / "out.bvh"))
    assert np.abs(again.poses.positions - fixed.motion.poses.positions).max() < 1e-5


@pytest.mark.parametrize("order", ["zxy", "yxz", "zxz"])
@pytest.mark.parametrize("changed", [slice(0, 7), slice(5, 9), slice(13, 20)])
def test_changed_frames_go_on_from_those_beside_them(order, changed, load, saved):
    rows = swinging(20)
    rows[:, 6:9] += (180.0, -60.0, 180.0)
    clip = load(rows, arm=order)
    motion = only(clip)
    poses = motion.poses
    q = np.array(poses.coordinates)
    at = clip.skeleton.packed_ints[clip.skeleton.index("Arm"), 2]
    q[changed, at : at + 4] = supple.rotations.normalize(q[changed, at : at + 4] + 1e-3)
    out = saved(motion.with_(poses=Pose._wrap(clip.skeleton, q, poses._translations)))
    same = np.ones(20, dtype=bool)
    same[changed] = False
    assert np.array_equal(out[same], rows[same])
    assert np.any(out[~same] != rows[~same])
    assert np.abs(out - rows).max() < 1.0


def test_parts_of_a_motion_keep_their_rows(load, saved):
    rows = swinging(30)
    motion = only(load(rows))
    assert np.array_equal(saved(motion[5:20]), rows[5:20])
    assert np.array_equal(saved(motion[::-3]), rows[::-3])
    assert np.array_equal(saved(motion.trimmed(0.19, 0.51)[1:]), rows[7:16])
    assert np.array_equal(saved(motion.with_(name="other", fps=12, loop=True)), rows)
    assert np.array_equal(saved(pickle.loads(pickle.dumps(motion))), rows)
    assert np.array_equal(saved(copy.deepcopy(motion)), rows)
    assert motion == pickle.loads(pickle.dumps(motion))


def test_frames_that_change_places_are_written_as_they_are(load, saved, tmp_path):
    rows = swinging(12)
    motion = only(load(rows))
    turned = motion.with_(poses=motion.poses[::-1])
    saved(turned)
    back = only(supple.load(tmp_path / "out.bvh"))
    assert np.abs(back.poses.positions - motion.poses.positions[::-1]).max() < 1e-6
    fewer = motion.with_(poses=motion.poses[3:])
    assert len(saved(fewer)) == 9


def test_other_units_axes_orders_and_skeletons_are_written_anew(load, saved, tmp_path):
    rows = swinging(10)
    clip = load(rows)
    motion = only(clip)
    known = clip.with_(unit="cm", up="y")

    def back():
        return only(supple.load(tmp_path / "out.bvh")).poses

    out = saved(known, unit="m")
    assert np.allclose(out[:, :3], rows[:, :3] / 100, atol=1e-8)
    assert np.allclose(back().positions, motion.poses.positions / 100, atol=1e-7)
    saved(known, up="z")
    turned = motion.poses.positions[..., [0, 2, 1]] * (1, -1, 1)
    assert np.allclose(back().positions, turned, atol=1e-6)
    saved(clip, orders={"Arm": ("Xrotation", "Yrotation", "Zrotation")})
    assert np.allclose(back().positions, motion.poses.positions, atol=1e-6)
    saved(motion.mirrored())
    assert np.allclose(back().positions, motion.mirrored().poses.positions, atol=1e-6)


def test_position_channels_that_were_added_are_written_in_place_of_offsets(tmp_path, saved):
    path = tmp_path / "clip.bvh"
    rows = swinging(6)
    path.write_text(clip_text(rows))
    clip = supple.load(path, position_mode="add")
    out = saved(clip)
    assert np.allclose(out[:, 15], rows[:, 15] - 10.0)
    assert np.array_equal(np.delete(out, 15, axis=1), np.delete(rows, 15, axis=1))
    again = only(supple.load(tmp_path / "out.bvh"))
    assert np.allclose(again.poses.positions, only(clip).poses.positions, atol=1e-6)


def test_the_channels_are_charged(tmp_path):
    rows = swinging(4000)
    path = tmp_path / "long.bvh"
    path.write_text(clip_text(rows))
    supple.load(path)
    source = Source.open(path)
    tracemalloc.start()
    try:
        character = read_bvh(source)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(only(character)) == len(rows)
    assert held < 1.1 * source.taken


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.floats(-1e14, 1e14), min_size=1, max_size=6),
    st.integers(0, 15),
    st.integers(0, 15),
)
def test_what_is_the_same_when_written_is_known(values, digits, few):
    row = np.array([values, np.round(values, few)])
    text = written(row, np.full(row.shape[1], digits))
    back = np.array([line.split() for line in text.decode().splitlines()], float)
    good = as_written(row, digits)
    assert np.array_equal(back[good], row[good])
    if digits == few == 6 and np.abs(values).max() < 1e6:
        assert good[1].all()
    text = written(row, np.full(row.shape[1], digits), exact=np.array([False, True]))
    last = np.array(text.decode().splitlines()[1].split(), float)
    assert np.array_equal(last, row[1])


@pytest.mark.skipif(not BVH, reason="the real files are not at hand")
@pytest.mark.parametrize("path", BVH, ids=lambda path: path.name)
def test_real_clips_come_back_with_the_same_numbers(path, tmp_path):
    logging.getLogger("supple").setLevel(logging.ERROR)
    try:
        character = supple.load(path)
        supple.save(character, tmp_path / "out.bvh")
        again = supple.load(tmp_path / "out.bvh")
    finally:
        logging.getLogger("supple").setLevel(logging.NOTSET)
    a, b = only(character), only(again)
    assert again.extras["bvh"]["channels"] == character.extras["bvh"]["channels"]
    assert np.array_equal(a._channels.values, b._channels.values)
    assert a.poses == b.poses
