"""Poses that become a smooth motion."""

import numpy as np
import pytest

import supple
from supple import Hinge, SuppleError, keyframes

ARM = supple.chain([1, 1, 1])
HINGE = supple.chain([1, 1], joint=Hinge("z", limits=(-1, 1)))


def poses():
    return [
        ARM.rest,
        ARM.pose({"j0": (0, 0, 1.2), "j1": (0.5, 0, 0)}),
        ARM.pose({"j0": (0.4, 2.0, 0), "j2": (0, 0, -1)}),
        ARM.pose({"j1": (0, 1, 1)}),
    ]


def test_it_passes_through_every_key():
    motion = keyframes([(0.5 * k, pose) for k, pose in enumerate(poses())], fps=20)
    assert motion.fps == 20
    assert len(motion) == 31
    for k, pose in enumerate(poses()):
        assert np.max(motion[10 * k].turns(pose)) < 1e-9


def test_speed_does_not_jump_and_is_none_at_the_ends():
    motion = keyframes([(0.5 * k, pose) for k, pose in enumerate(poses())], fps=1000)
    speeds = motion.poses[:-1].turns(motion.poses[1:]) * 1000
    assert np.abs(np.diff(speeds, axis=0)).max() < 0.15
    assert speeds[0].max() < 0.05
    assert speeds[-1].max() < 0.05
    # A straight slerp would change its speed at once at every key.
    straight = supple.Motion("straight", poses(), fps=2).resampled(1000)
    kinks = np.diff(straight.poses[:-1].turns(straight.poses[1:]) * 1000, axis=0)
    assert np.abs(kinks).max() > 1


def test_limits_that_the_keys_keep_are_kept():
    keys = [(0, {"j1": -1}), (0.2, {"j1": 1}), (0.5, {"j1": 1}), (2.0, {"j1": -1})]
    motion = keyframes([(t, HINGE.pose(angles)) for t, angles in keys], fps=60)
    assert motion.poses.violations().max() == 0


def test_a_loop_keeps_its_speed_over_the_seam():
    a, b = ARM.rest, ARM.pose({"j0": (0, 0, 1)})
    c = ARM.pose({"j0": (0, 1, 0)})
    motion = keyframes([(0, a), (1, b), (2, c), (3, a)], fps=100, loop=True)
    assert motion.loop
    assert motion.period == pytest.approx(3.0)
    before = motion[-1].turns(motion[-2])[0]
    after = motion[0].turns(motion[1])[0]
    assert before == pytest.approx(after, rel=0.1)
    assert before > 0.001


def test_offsets_are_smooth_too():
    moved = [supple.Pose(ARM, None, ARM.offsets + (0, k * k, 0)) for k in range(3)]
    motion = keyframes([(k, pose) for k, pose in enumerate(moved)], fps=10)
    assert np.allclose(motion[10].translations, moved[1].translations)
    assert motion[5].translations[0, 1] > 0


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([], "at least one"),
        ([(1, ARM.rest), (0, ARM.rest)], "rise"),
        ([ARM.rest], "pairs"),
        ([(0, ARM.rest), (1, HINGE.rest)], "skeleton"),
        ([(float("nan"), ARM.rest), (1, ARM.rest)], "times"),
    ],
)
def test_bad_keys_are_refused(keys, message):
    with pytest.raises(SuppleError, match=message):
        keyframes(keys)


def test_one_key_is_a_still():
    assert len(keyframes([(0, ARM.rest)])) == 1
