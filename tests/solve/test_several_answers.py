"""Several answers to one problem, and which is preferred."""

import itertools

import numpy as np
import pytest

import supple
from supple import (
    Hinge,
    Slider,
    Status,
    costs,
    solve,
)


def test_several_answers_are_different_and_sorted(arm):
    start = arm.pose({"j0": 0.2, "j1": 0.4})
    s = solve(arm, {"tip": (1.2, 0.7, 0)}, start=start, solutions=2)
    assert s.reached
    assert len(s.alternatives) == 1
    other = s.alternatives[0]
    assert other.reached
    assert other.start == start
    assert np.sign(s.angles[1]) != np.sign(other.angles[1])
    assert costs.distance(start, s.pose) <= costs.distance(start, other.pose)
    np.testing.assert_allclose(other.position("tip"), (1.2, 0.7, 0), atol=2e-4)


def test_there_may_be_fewer_answers_than_asked_for(arm):
    limited = supple.chain([1, 1], joint=[Hinge("z", limits=(-1, 1)), Hinge("z", limits=(0.5, 2))])
    s = solve(limited, {"tip": limited.pose({"j0": 0.2, "j1": 1.0}).position("tip")}, solutions=3)
    assert s.reached
    assert s.alternatives == ()
    far = solve(arm, {"tip": (3, 0, 0)}, solutions=3)
    assert far.status is Status.TOO_FAR
    assert far.alternatives == ()


def test_a_redundant_chain_has_as_many_answers_as_asked_for(snake):
    s = solve(snake, {"tip": (12, 18, 6)}, solutions=4)
    poses = [s.pose, *(other.pose for other in s.alternatives)]
    assert len(poses) == 4
    for a, b in itertools.combinations(poses, 2):
        assert a.turns(b).max() > 1e-2
    spread = [costs.distance(snake.rest, pose) for pose in poses]
    assert spread == sorted(spread)


@pytest.mark.parametrize(
    ("prefer", "cost"),
    [
        ("nearest", costs.distance),
        ("turns", costs.sum_of_turns),
        ("path", lambda start, pose: costs.tip_path(start, pose, "tip")),
        (costs.largest_turn, costs.largest_turn),
    ],
)
def test_a_preference_is_kept(snake, prefer, cost):
    start = snake.pose({"j0": (0, 0, 0.4), "j1": (0.3, 0, 0.5)})
    target = {"tip": (12, 18, 6)}
    plain = solve(snake, target, start=start)
    s = solve(snake, target, start=start, prefer=prefer, solutions=3)
    assert s.reached
    assert cost(start, s.pose) <= cost(start, plain.pose) + 1e-12
    order = [cost(start, one.pose) for one in (s, *s.alternatives)]
    assert order == sorted(order)
    alone = solve(snake, target, start=start, prefer=prefer)
    assert alone.alternatives == ()
    assert cost(start, alone.pose) <= cost(start, plain.pose) + 1e-12


def test_answers_that_differ_only_by_a_slide_are_different():
    rig = supple.chain([1, 1], joint=[Slider("x", limits=(-9, 9)), Hinge("z")])
    s = solve(rig, {"tip": (2, 0.6, 0)}, solutions=2)
    assert len(s.alternatives) == 1
    assert abs(s.angles[0] - s.alternatives[0].angles[0]) > 1


def test_alternatives_are_blended_too(arm):
    s = solve(arm, {"tip": (1.2, 0.7, 0)}, solutions=2, blend=0.25)
    whole = solve(arm, {"tip": (1.2, 0.7, 0)}, solutions=2)
    expected = arm.rest.interpolate(whole.alternatives[0].pose, 0.25)
    assert s.alternatives[0].pose == expected


def test_asking_for_many_gives_all_that_differ_and_no_more():
    arm = supple.chain([1, 1], joint=supple.Hinge("z", limits=(-3.1, 3.1)))
    s = solve(arm, {"tip": (1.2, 0.7, 0)}, solutions=300)
    assert len(s.alternatives) == 1  # both elbows
    with pytest.raises(supple.SuppleError, match="at most 4096"):
        solve(arm, {"tip": (1.2, 0.7, 0)}, solutions=10**6)


def test_all_ways_to_bend_come_before_whole_turns_of_them():
    """Two links have two ways to bend, and each is there four times if both hinges have two turns."""
    arm = supple.chain([1.0, 1.0], joint=supple.Hinge("z", limits=(-2 * np.pi, 2 * np.pi)))
    start = arm.pose({"j0": 3.1, "j1": 1.5})  # nearer to one way a turn on than to the other way
    found = supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}, start=start, solutions=2)
    elbows = [np.sign(np.sin(s.pose.coordinates[1])) for s in (found, *found.alternatives)]
    assert sorted(elbows) == [-1.0, 1.0]
    many = supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}, start=start, solutions=8)
    assert len(many.alternatives) == 7
    costs_of = [float(costs.distance(many.start, s.pose)) for s in (many, *many.alternatives)]
    assert costs_of == sorted(costs_of)
