"""How far given poses are from goals: what a solve that ended there would report."""

import numpy as np
import pytest

import supple
from supple import (
    OPEN,
    Avoid,
    Connect,
    Hinge,
    Hold,
    LookAt,
    Node,
    Plane,
    Pole,
    Pose,
    Reach,
    SuppleError,
)
from supple.kernels import layout
from supple.rotations import angle_between
from supple.solve.evaluate import Evaluator

ARM = supple.chain([1.0, 1.0, 1.0, 1.0])
FORK = supple.Skeleton(
    [
        Node("root", joint=Hinge("z")),
        Node("left", "root", offset=(1, 0, 0), joint=Hinge("z")),
        Node("left_end", "left", offset=(1, 0, 0), joint=Hinge("z")),
        Node("right", "root", offset=(0, 1, 0), joint=Hinge("z")),
        Node("right_end", "right", offset=(0, 1, 0), joint=Hinge("z")),
    ]
)
TURN = (0.5, 0.5, 0.5, 0.5)


def turned(skeleton: supple.Skeleton, count: int) -> Pose:
    """Poses found by solving for places around the skeleton."""
    tip = skeleton.names[-1]
    targets = np.random.default_rng(3).uniform(-1.5, 1.5, (count, 3))
    return supple.prepare(skeleton, [Reach(tip)]).solve(targets).pose


@pytest.mark.parametrize(
    "goals",
    [
        [Reach("tip", (1.0, 2.0, 0.5))],
        [Reach("tip", (9.0, 0.0, 0.0), orientation=TURN)],
        [LookAt("j2", (1.0, 2.0, 3.0), depth=0)],
        [Reach("tip", (1.0, 2.0, 0.5)), Pole("j2", (0.0, 5.0, 0.0))],
        [Reach("tip", (1.0, 0.5, 0.5)), Hold("j2", orientation=False)],
        [Reach("tip", (1.0, 2.0, 0.5)), Avoid(obstacles=[Plane((0, 0, -0.5))])],
    ],
)
def test_the_answers_of_a_solve_are_reported_as_by_the_solve(goals):
    problem = supple.prepare(ARM, goals)
    starts = turned(ARM, 7)
    solved = problem.solve(start=starts)
    again = problem.evaluate(solved.pose, start=starts)
    np.testing.assert_array_equal(again.pose.coordinates, solved.pose.coordinates)
    np.testing.assert_array_equal(again.reached, solved.reached)
    np.testing.assert_allclose(
        again.errors, solved.errors, rtol=0.0, atol=1e-12
    )  # fast paths round otherwise
    np.testing.assert_allclose(again.error, solved.error, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(again.collision_depth, solved.collision_depth, rtol=0.0, atol=1e-12)


def test_errors_are_those_of_the_pose_in_plain_numpy():
    poses, targets = turned(ARM, 5), np.random.default_rng(1).uniform(-2, 2, (5, 3))
    problem = supple.prepare(ARM, [Reach("tip", orientation=OPEN), Reach("j2")])
    found = problem.evaluate(poses, TURN, targets)
    apart = np.linalg.norm(poses.position("j2") - targets, axis=-1)
    away = angle_between(poses.rotation("tip"), np.array(TURN))
    np.testing.assert_allclose(found.error, apart, rtol=1e-12)
    np.testing.assert_allclose(found.errors, np.stack([away, apart], axis=-1), rtol=1e-9)
    assert found.batch_shape == (5,)


def test_a_single_pose_has_a_single_report():
    found = supple.prepare(ARM, [Reach("tip")]).evaluate(ARM.rest, ARM.rest.position("tip"))
    assert found.reached
    assert found.batch_shape == ()
    assert found.iterations == 0
    assert found.asked.solver == "none"


def test_targets_and_poses_are_broadcast():
    problem = supple.prepare(ARM, [Reach("tip")])
    many = problem.evaluate(ARM.rest, np.zeros((2, 3, 3)))
    np.testing.assert_allclose(many.error, np.full((2, 3), 4.0))
    none = problem.evaluate(turned(ARM, 3)[:0], np.zeros(3))
    assert none.error.shape == (0,)


def test_what_is_held_is_where_the_start_has_it():
    problem = supple.prepare(ARM, [Reach("j2"), Hold("tip", orientation=False)])
    start, pose = turned(ARM, 2)[0], turned(ARM, 2)[1]
    moved = float(np.linalg.norm(pose.position("tip") - start.position("tip")))
    assert problem.evaluate(pose, pose.position("j2")).reached
    found = problem.evaluate(pose, pose.position("j2"), start=start)
    assert not found.reached
    assert found.error == pytest.approx(moved, rel=1e-12)


def test_loops_and_collisions_are_measured_too():
    open_ = supple.prepare(FORK, [Connect("left_end", "right_end")]).evaluate(FORK.rest)
    assert open_.status is supple.Status.OPEN_LOOP
    assert open_.errors[0] == pytest.approx(np.sqrt(8.0))
    wall = Avoid(
        obstacles=[Plane((2.5, 0, 0), (-1, 0, 0))],
        capsules={"j3": supple.Capsule((0, 0, 0), (1, 0, 0), 0.1)},
    )
    hit = supple.prepare(ARM, [Reach("tip"), wall]).evaluate(ARM.rest, ARM.rest.position("tip"))
    assert hit.status is supple.Status.COLLIDES
    assert hit.collision_depth == pytest.approx(1.6)


def test_a_pose_that_is_kept_is_not_spoken_of():
    problem = supple.prepare(ARM, [Reach("tip")], unreachable="keep")
    pose = turned(ARM, 1)[0]
    found = problem.evaluate(pose, (9.0, 0.0, 0.0))
    np.testing.assert_array_equal(found.pose.coordinates, pose.coordinates)
    assert "kept" not in found.reason


def test_bad_input_says_what_is_wrong():
    problem = supple.prepare(ARM, [Reach("tip", depth=1)])
    with pytest.raises(SuppleError, match="pose: expected"):
        problem.evaluate(None, (1.0, 0.0, 0.0))  # type: ignore[arg-type]
    with pytest.raises(SuppleError, match="targets: expected 1"):
        problem.evaluate(ARM.rest)
    with pytest.raises(SuppleError, match="joints that may not move"):
        problem.evaluate(turned(ARM, 1)[0], (1.0, 0.0, 0.0), start=ARM.rest)
    with pytest.raises(SuppleError, match="start: expected batch axes"):
        problem.evaluate(ARM.rest, (1.0, 0.0, 0.0), start=turned(ARM, 2))


def test_reports_keep_how_the_solver_ended():
    problem = supple.prepare(ARM, [Reach("tip")], solver="CCD")
    solved = problem((9.0, 0.0, 0.0))
    batch, _, _ = problem.batch([(9.0, 0.0, 0.0)], None)
    row = Evaluator(problem.problem)(batch, solved._rows)
    count = problem.problem.coordinates
    for column in (layout.O_ITERATIONS, layout.O_STATUS, layout.O_ERROR, layout.O_RESTARTS):
        assert row[count + column] == solved._rows[count + column]
