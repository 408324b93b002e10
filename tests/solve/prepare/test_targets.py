"""Targets: which are open, in which order they are given, and how they broadcast."""

import numpy as np
import pytest

import supple
from supple import OPEN, Hold, LookAt, Pole, Reach, Rest, SuppleError
from supple.problem.lowering import Problem
from supple.solve.prepare import Targets

TURN = (0.5, 0.5, 0.5, 0.5)
FRAME = np.array([[0.0, 0, 1, 1], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]])


def targets(*goals):
    return Targets(Problem(supple.chain([1, 1, 1]), goals))


def test_arguments_follow_the_goals_whatever_kernels_make_of_them():
    found = targets(
        Pole("j1"),
        LookAt("tip"),
        Hold("j2"),
        Reach("j2", (1, 2, 3)),
        Reach("tip", OPEN, orientation=OPEN),
        Rest(),
        Reach("j1", pose=OPEN),
    )
    assert found.arguments == (
        (0, "target"),
        (1, "target"),
        (4, "target"),
        (4, "orientation"),
        (6, "pose"),
    )


def test_every_argument_goes_to_its_goal():
    one = targets(Reach("tip"), Reach("j2"), Reach("j2", orientation=OPEN), Reach("tip", pose=OPEN))
    given = ((1.0, 2, 3), (4.0, 5, 6), TURN, FRAME)
    fixed = targets(
        Reach("tip", given[0]),
        Reach("j2", given[1]),
        Reach("j2", orientation=TURN),
        Reach("tip", pose=FRAME),
    )
    assert fixed.arguments == ()
    np.testing.assert_array_equal(one.filled(given), fixed.fixed)
    assert not np.isnan(fixed.fixed).any()


def test_batch_axes_of_fixed_and_open_targets_broadcast():
    found = targets(Reach("tip"), LookAt("j1", np.zeros((4, 1, 3))))
    assert found.filled(((1, 2, 3),)).shape == (4, 1, 6)
    assert found.filled((np.ones((5, 3)),)).shape == (4, 5, 6)
    with pytest.raises(SuppleError, match=r"targets: expected batch axes.*\(4, 1\) and \(3, 2\)"):
        found.filled((np.ones((3, 2, 3)),))
    with pytest.raises(SuppleError, match=r"targets: expected batch axes.*\(2,\) and \(3,\)"):
        targets(Reach("tip", np.ones((2, 3))), LookAt("j1", np.ones((3, 3))))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), r"targets: expected 2 \(target of 'tip', orientation of 'j1'\), got 0"),
        (((1, 2, 3),), r"expected 2 .* got 1"),
        (((1, 2, 3), TURN, (1, 2, 3)), r"expected 2 .* got 3"),
        (((1, 2), TURN), r"target of 'tip': .*shape"),
        (((1, np.inf, 2), TURN), r"target of 'tip': .*finite"),
        (((1, 2, 3), (0, 0, 0, 0)), r"orientation of 'j1': expected a unit quaternion"),
        (((1, 2, 3), (2, 0, 0, 0)), r"orientation of 'j1': expected a unit quaternion.*length 2"),
        (((1, 2, 3), OPEN), r"orientation of 'j1': expected numbers, got OPEN"),
    ],
)
def test_bad_arguments_say_what_is_wrong(given, message):
    found = targets(Reach("tip"), Reach("j1", orientation=OPEN))
    with pytest.raises(SuppleError, match=message):
        found.filled(given)


def test_an_open_pose_is_checked_like_a_given_one():
    found = targets(Reach("tip", pose=OPEN))
    with pytest.raises(SuppleError, match=r"pose of 'tip'.*no rotation"):
        found.filled((2 * np.eye(4),))


def test_where_nothing_is_open_nothing_is_taken():
    with pytest.raises(SuppleError, match=r"targets: expected 0 \(none is open\), got 1"):
        targets(Reach("tip", (1, 2, 3))).filled(((1, 2, 3),))
