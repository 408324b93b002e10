"""Which joints move, and which come back untouched."""

import numpy as np
import pytest

import supple
from supple import (
    Hinge,
    Pose,
    Reach,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


@pytest.mark.parametrize(
    ("goal", "free"),
    [
        (Reach("tip", (30, 5, 2), depth=1), "j4"),
        (Reach("tip", (30, 5, 2), depth=2), "j3 j4"),
        (Reach("tip", (30, 5, 2), depth=3), "j2 j3 j4"),
        (Reach("tip", (30, 5, 2), root="j1"), "j1 j2 j3 j4"),
        (Reach("tip", (30, 5, 2)), "j0 j1 j2 j3 j4"),
    ],
)
def test_joints_outside_the_free_set_come_back_untouched(moved, snake, goal, free):
    rng = np.random.default_rng(3)
    start = Pose.from_angles(snake, rng.uniform(-0.3, 0.3, len(snake.freedoms)))
    s = solve(snake, goal, start=start)
    assert s.asked.moving == tuple(free.split())
    assert moved(start, s.pose) == free.split()
    assert s.error <= np.linalg.norm(start.position("tip") - goal.target)


def test_more_depth_comes_nearer(snake):
    found = [solve(snake, Reach("tip", (10, 20, 5), depth=d)) for d in (1, 2, 3, 4, 0)]
    errors = [0.0 if s.reached else s.error for s in found]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[1] > errors[-1] == 0.0


def test_locked_joints_stay(moved, snake):
    start = snake.pose({"j1": TURN})
    s = solve(snake, {"tip": (12, 18, 6)}, start=start, lock=["j1", "j3"])
    assert s.reached
    assert moved(start, s.pose) == ["j0", "j2", "j4"]


def test_a_locked_joint_keeps_a_value_outside_its_limits():
    arm = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-1, 1)))
    start = arm.pose({"j1": 1.4})
    s = solve(arm, {"tip": (1.5, 1.5, 0)}, start=start, lock=["j1"])
    assert s.pose.coordinates[1] == 1.4
    free = solve(arm, {"tip": (1.5, 1.5, 0)}, start=start)
    assert abs(free.pose.coordinates[1]) <= 1


def test_a_locked_copy_keeps_its_source_still(moved):
    arm = supple.chain([1, 1, 1], joint=[Hinge("z"), Hinge("z"), Hinge("z", mimic="j1")])
    start = arm.pose({"j1": 0.3})
    s = solve(arm, {"tip": (1, 2, 0)}, start=start, lock=["j2"])
    assert moved(start, s.pose) == ["j0"]
