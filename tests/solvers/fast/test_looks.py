"""LM's fast path for looks with one joint: the best look there is, inside the limits, at once."""

import math
from functools import cache

import numpy as np
import pytest
from tests.support.looks import best_look

import supple
from supple import (
    LM,
    Axes,
    Ball,
    Cone,
    Hinge,
    LookAt,
    Pose,
    Reach,
    Rest,
    Skeleton,
    Slider,
    Status,
    rotations,
)
from supple.kernels.decorators import kernel
from supple.kernels.problem import unpack
from supple.solvers.fast import looks

JOINTS = {
    "ball": Ball(),
    "hinge": Hinge("y", (-0.8, 0.5)),
    "open hinge": Hinge((1.0, 2.0, 0.5)),
    "cone": Cone(0.5, twist=(-0.7, 0.7), axis="y"),
    "cone, little twist": Cone(0.5, twist=(-0.1, 0.3), axis="y"),
    "cone, all round": Cone(0.5, axis="y"),
    "cone, wide": Cone(2.5, twist=(-0.4, 0.4), axis="z"),
    "axes": Axes("yxz", limits=[(-0.7, 0.7), (-0.5, 0.3), (-0.2, 0.2)]),
    "two axes": Axes("yx", limits=[(-0.7, 0.7), (-0.5, 0.3)]),
    "an open axis": Axes("zyx", limits=[(-0.5, 1.1), None, (-1.0, 0.2)]),
    "a frozen axis": Axes("yxz", limits=[(-0.7, 0.7), None, (-0.2, 0.2)], frozen="x"),
}
every_joint = pytest.mark.parametrize("name", JOINTS)


def head(joint):
    return Skeleton(
        [("head", None, (0.3, 1.0, 0.0), joint)], tips=[("eyes", "head", (0, 0.1, 0.1))]
    )


def drawn(count, size=3.0, seed=0):
    return np.array((0.3, 1.0, 0.0)) + size * np.random.default_rng(seed).normal(size=(count, 3))


def misses(found, effector, targets):
    """By how much the answers look past their targets, from the poses alone [rad]."""
    seen = rotations.rotate(found.pose.rotation(effector), np.array((0.0, 0.0, 1.0)))
    way = targets - found.pose.position(effector)
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    return 2.0 * np.arctan2(
        np.linalg.norm(way - seen, axis=-1), np.linalg.norm(way + seen, axis=-1)
    )


def fits(ints, floats):
    return looks.fits(unpack(ints, floats))


@cache
def compiled_fits():
    """The kernel, compiled when it is needed: from then on this process compiles other kernels too."""
    return kernel(fits)


def takes_it(prepared):
    """True if a problem takes this fast path."""
    return compiled_fits()(*prepared.executor.packed)


@every_joint
@pytest.mark.parametrize("effector", ["head", "eyes"])
def test_no_look_of_a_dense_search_is_better(name, effector):
    skeleton, goal = head(JOINTS[name]), LookAt(effector, axis="z")
    ik = supple.prepare(skeleton, goal)
    assert takes_it(ik)
    many = np.concatenate([drawn(400), drawn(100, 0.2, seed=1)])
    found = ik.solve(many)
    assert not np.any(found.status == int(Status.BUDGET))
    assert np.median(found.iterations) <= 6
    assert found.pose.violations().max() < 1e-14
    if "frozen" in name:
        assert not found.pose.coordinates[:, 1].any()
        return
    some = slice(None, None, 100)
    best = [best_look(skeleton, goal, target) for target in many[some]]
    assert np.all(misses(found, effector, many)[some] <= np.array(best) + 2e-3)


@every_joint
def test_never_worse_than_the_start_and_still_there_from_the_answer(name):
    skeleton, targets = head(JOINTS[name]), drawn(40, 1.0, seed=2)
    ik = supple.prepare(skeleton, LookAt("eyes", axis="z"))
    starts = Pose.from_angles(
        skeleton, np.random.default_rng(3).normal(size=(40, len(skeleton.freedoms)))
    ).clamped()
    found = ik.solve(targets, start=starts)
    stay = supple.prepare(skeleton, LookAt("eyes", axis="z"), solver=LM(max_iterations=0))
    begun = stay.solve(targets, start=starts)
    assert np.all(found.orientation_error <= begun.orientation_error)
    again = ik.solve(targets, start=found.pose)
    assert np.all(again.orientation_error <= found.orientation_error)
    assert again.pose.turns(found.pose).max() < 1e-3


def test_a_ball_makes_the_least_turn():
    skeleton, targets = head(Ball()), drawn(50, seed=4)
    start = skeleton.pose({"head": (0.3, -0.5, 0.8)})
    found = supple.prepare(skeleton, LookAt("head", axis="z")).solve(targets, start=start)
    assert found.reached.all() and np.all(found.iterations == 1)
    seen = rotations.rotate(start.rotation("head"), np.array((0.0, 0.0, 1.0)))
    way = targets - start.position("head")
    cosines = way @ seen / np.linalg.norm(way, axis=1)
    assert np.allclose(found.pose.turns(start)[:, 0], np.arccos(cosines), atol=1e-7)


def test_a_limited_look_is_told_as_such():
    skeleton = head(Cone(0.5, twist=(-0.7, 0.7), axis="y"))
    s = supple.solve(skeleton, LookAt("eyes", (5.0, 1.0, 0.0), axis="z"))
    assert s.status is Status.LIMITED and s.limited == ("head",) and s.iterations == 1


@pytest.mark.parametrize("distance", [0.0, 0.02, 0.1, math.sqrt(0.02), 0.15])
def test_targets_as_near_as_the_eyes(distance):
    """Inside the eyes' own sphere a target may be seen twice, or not at all."""
    skeleton, goal = head(Ball()), LookAt("eyes", axis=(0.0, -0.8, -0.6))
    for way in np.random.default_rng(5).normal(size=(4, 3)):
        target = np.array((0.3, 1.0, 0.0)) + distance * way / np.linalg.norm(way)
        s = supple.solve(skeleton, LookAt("eyes", target, axis=goal.axis))
        assert np.isfinite(s.pose.coordinates).all()
        if not s.reached:
            seen = rotations.rotate(s.pose.rotation("eyes"), goal.axis)
            ahead = target - s.pose.position("eyes")
            off = math.acos(min(1.0, seen @ ahead / np.linalg.norm(ahead)))
            assert off <= best_look(skeleton, goal, target) + 1e-3


def test_two_eyes_look_as_each_alone():
    eye = Cone(0.4, twist=(-0.1, 0.1), axis="z")
    nodes = [
        ("skull", None, (0, 0, 0), supple.Fixed()),
        ("eye.L", "skull", (0.05, 0.1, 0), eye),
        ("eye.R", "skull", (-0.05, 0.1, 0), eye),
    ]
    skeleton = Skeleton(nodes)
    for target in drawn(20, seed=6):
        both = [LookAt(f"eye.{s}", target, axis="z") for s in "LR"]
        assert takes_it(supple.prepare(skeleton, both))
        pose = supple.solve(skeleton, both).pose
        for goal in both:
            alone = supple.solve(skeleton, goal).pose
            assert np.allclose(pose.rotation(goal.effector), alone.rotation(goal.effector))


@every_joint
def test_a_trace_shows_the_same_answer(name):
    skeleton = head(JOINTS[name])
    for target in drawn(4, seed=7):
        plain = supple.solve(skeleton, LookAt("eyes", target, axis="z"))
        traced = supple.solve(skeleton, LookAt("eyes", target, axis="z"), trace=True)
        assert plain == traced
        assert len(traced.trace.coordinates) == plain.iterations + 1
        assert np.array_equal(traced.trace.coordinates[-1], plain.pose.coordinates)


def test_a_rest_posture_is_followed_as_far_as_the_look_allows():
    skeleton = head(Ball())
    start = skeleton.pose({"head": (0.0, 0.0, 1.0)})
    goals = [LookAt("eyes", (1.0, 1.5, 2.0), axis="z"), Rest()]
    rested = supple.solve(skeleton, goals, start=start)
    plain = supple.solve(skeleton, goals[0], start=start)
    assert rested.reached and plain.reached
    assert rested.pose.turns(skeleton.rest)[0] < plain.pose.turns(skeleton.rest)[0] - 0.1


@pytest.mark.parametrize(
    "joint", [Ball(damping=0.1), Cone(0.5, stretch=(0.5, 2.0)), Slider("x"), supple.Planar("z")]
)
def test_other_joints_are_left_to_the_general_kernel(joint):
    assert not takes_it(supple.prepare(head(joint), LookAt("eyes", axis="z")))


def test_a_joint_that_serves_another_goal_too_is_left_to_the_general_kernel():
    goals = [LookAt("eyes", axis="z"), Reach("eyes")]
    assert not takes_it(supple.prepare(head(Ball()), goals))
