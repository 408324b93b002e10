"""Motions: frames, times, and other motions from them."""

import copy
import json
import pickle

import numpy as np
import pytest

import supple
from supple import Ball, Hinge, Motion, Node, Pose, Skeleton, SuppleError, Tip
from supple.rotations import from_axis_angle

ARM = Skeleton([Node("a"), Node("b", "a", (1, 0, 0), Hinge("z"))], [Tip("tip", "b", (1, 0, 0))])


def swing(count=5, *, fps=10.0, loop=False, name="swing", **more):
    """The first joint turns by 0.1 rad a frame, the second by 1, and the whole slides."""
    f = np.arange(count)
    q = np.concatenate([from_axis_angle("z", 0.1 * f), 1.0 * f[:, None]], axis=1)
    places = np.tile(ARM.offsets, (count, 1, 1))
    places[:, 0, 1] = f
    return Motion(name, Pose(ARM, q, places), fps=fps, loop=loop, **more)


def test_a_motion_is_a_sequence_of_poses():
    motion = swing()
    assert len(motion) == 5
    assert motion[2] == motion.poses[2]
    assert motion[-1].coordinates[4] == 4
    assert len(list(motion)) == 5
    part = motion[1:4]
    assert isinstance(part, Motion)
    assert len(part) == 3
    assert part.times[0] == 0
    assert part[0] == motion[1]
    assert motion.duration == pytest.approx(0.4)
    with pytest.raises(SuppleError, match="some frames"):
        motion[3:3]


def test_between_frames_turns_go_by_slerp_and_numbers_straight():
    motion = swing()
    pose = motion.at(0.25)
    assert np.allclose(pose.coordinates[:4], from_axis_angle("z", 0.25))
    assert pose.coordinates[4] == pytest.approx(2.5)
    assert pose.translations[0, 1] == pytest.approx(2.5)
    assert motion.at(-1) == motion[0]
    assert motion.at(9) == motion[4]
    several = motion.at([[0.0, 0.1], [0.2, 0.3]])
    assert several.batch_shape == (2, 2)
    assert np.allclose(several.coordinates[..., 4], [[0, 1], [2, 3]])


def test_a_loop_goes_on_from_the_last_frame_to_the_first():
    motion = swing(loop=True)
    assert motion.period == pytest.approx(0.5)
    assert np.allclose(motion.at(0.5).coordinates, motion[0].coordinates)
    assert motion.at(0.45).coordinates[4] == pytest.approx(2.0)  # half way from 4 back to 0
    assert np.allclose(motion.at(1.23).coordinates, motion.at(0.23).coordinates)
    assert np.allclose(motion.at(-0.1).coordinates, motion[4].coordinates)


def test_a_loop_whose_last_frame_is_its_first_does_not_show_it_twice():
    poses = Pose.stack([*swing(4), swing(4)[0]])
    motion = Motion("closed", poses, fps=10, loop=True)
    assert motion.period == pytest.approx(0.4)
    assert motion.at(0.41).coordinates[4] == pytest.approx(0.1)


def test_uneven_times():
    motion = swing(3, times=[1.0, 1.1, 2.1])
    assert not motion.even
    assert motion.duration == pytest.approx(1.1)
    assert motion.at(1.6).coordinates[4] == pytest.approx(1.5)
    assert motion.resampled(10).even
    assert len(motion.resampled(10)) == 12
    assert motion[1:].times.tolist() == [0.0, 1.0]
    with pytest.raises(SuppleError, match="rise"):
        swing(3, times=[0, 0, 1])


def test_resampling_keeps_the_way():
    motion = swing(11)
    fine = motion.resampled(40)
    assert len(fine) == 41
    assert np.allclose(fine.poses.coordinates[:, 4], np.arange(41) / 4)
    assert np.allclose(fine.resampled(10).poses.coordinates, motion.poses.coordinates)
    # The last frame stays where times were rounded to single precision.
    rounded = motion.with_(times=np.float32(motion.times).astype(float) * (1 - 1e-7))
    assert len(rounded.resampled(10)) == len(motion)
    looped = swing(10, loop=True).resampled(30)
    assert looped.period == pytest.approx(1.0)
    with pytest.raises(SuppleError, match="fps"):
        motion.resampled(0)
    with pytest.raises(SuppleError, match="10,000,000 frames"):
        motion.resampled(1e9)


def test_trimming_by_seconds():
    motion = swing(11)
    part = motion.trimmed(0.2, 0.5)
    assert [pose.coordinates[4] for pose in part] == [2, 3, 4, 5]
    assert len(motion.trimmed(None, 0.3)) == 4
    assert len(motion.trimmed(0.3)) == 8
    assert not swing(11, loop=True).trimmed(0.2, 0.5).loop
    with pytest.raises(SuppleError, match="lasts 1 s"):
        motion.trimmed(3, 4)


def test_joining_one_after_the_other_and_blended():
    a, b = swing(5), swing(5)
    both = a.joined(b, name="both")
    assert both.name == "both"
    assert len(both) == 10
    assert both[5] == b[0]
    still = Motion("still", Pose.stack([ARM.rest] * 5), fps=10)
    blended = a.joined(still, blend=0.2)
    assert len(blended) == 7
    values = blended.poses.coordinates[:, 4]
    assert np.allclose(values[:2], [0, 1])
    assert np.allclose(values[-2:], 0)
    assert np.abs(np.diff(values)).max() < 2.5  # it would fall by 4 at once
    faster = a.joined(swing(9, fps=20))
    assert faster.fps == 10
    assert len(faster) == 10
    with pytest.raises(SuppleError, match="at most"):
        a.joined(b, blend=5)
    with pytest.raises(SuppleError, match="one skeleton"):
        a.joined(Motion("x", [supple.chain([1]).rest], fps=10))


def test_tracks_go_along_with_the_frames():
    motion = swing(5, tracks={"smile": np.arange(5.0), "feet": np.arange(10.0).reshape(5, 2)})
    assert motion[1:3].tracks["smile"].tolist() == [1, 2]
    assert motion.resampled(20).tracks["smile"][1] == pytest.approx(0.5)
    assert motion.joined(motion).tracks["feet"].shape == (10, 2)
    with pytest.raises(SuppleError, match="smile"):
        swing(5, tracks={"smile": np.zeros(4)})


def test_motions_compare_copy_pickle_and_go_to_json():
    motion = swing(4, loop=True, tracks={"x": np.arange(4.0)})
    assert motion == swing(4, loop=True, tracks={"x": np.arange(4.0)})
    assert motion != swing(4, loop=True)
    assert motion != swing(4, fps=11, loop=True, tracks={"x": np.arange(4.0)})
    for twin in (pickle.loads(pickle.dumps(motion)), copy.deepcopy(motion),
                 Motion.from_json(json.loads(json.dumps(motion.to_json())))):  # fmt: skip
        assert twin == motion
    bare = motion.to_json(skeleton=False)
    assert Motion.from_json(bare, ARM) == motion
    with pytest.raises(SuppleError, match="supple-motion"):
        Motion.from_json({"format": "other"})
    with pytest.raises(SuppleError, match="'fps'"):
        Motion.from_json({key: value for key, value in bare.items() if key != "fps"}, ARM)


def test_bad_motions_are_refused():
    with pytest.raises(SuppleError, match="at least one"):
        Motion("none", [], fps=30)
    with pytest.raises(SuppleError, match="batch"):
        Motion("single", ARM.rest, fps=30)
    with pytest.raises(SuppleError, match="fps"):
        Motion("still", [ARM.rest], fps=-1)
    assert "5 frames" in repr(swing(5))


def test_on_another_skeleton_joints_are_matched_by_name():
    longer = Skeleton(
        [Node("b", "a", (3, 0, 0), Hinge("z")), Node("a"), Node("c", "b", (1, 0, 0))],
        [Tip("tip", "b", (2, 0, 0))],
    )
    motion = swing(3).on(longer)
    assert motion.skeleton == longer
    assert motion[2].coordinates[longer.packed_ints[longer.index("b"), 2]] == 2
    # The root slides; the other keeps its length, since the motion does not move it.
    assert np.allclose(motion[2].position("a"), (0, 2, 0))
    assert motion[2].local_translations[longer.index("b")].tolist() == [3, 0, 0]
    everything = swing(3).on(longer, offsets="all")
    assert everything[2].local_translations[longer.index("b")].tolist() == [1, 0, 0]
    with pytest.raises(SuppleError, match="'a'"):
        swing(3).on(Skeleton([Node("z")]))


def test_on_a_skeleton_with_other_rests_and_joints_it_looks_the_same():
    turned = from_axis_angle("x", 0.7)
    other = Skeleton(
        [Node("a", None, (0, 0, 0), supple.Axes("zyx"), turned), Node("b", "a", (1, 0, 0), Ball())],
        [Tip("tip", "b", (1, 0, 0))],
    )
    motion = swing(9)
    there = motion.on(other)
    assert np.allclose(there.poses.positions, motion.poses.positions)
    back = there.on(ARM)
    assert np.allclose(back.poses.positions, motion.poses.positions)
    assert np.allclose(back.poses.coordinates[:, 4], np.arange(9))  # turns beyond pi are followed
