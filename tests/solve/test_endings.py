"""How a solve ends: its status, its reason, and what it gives back."""

import math

import numpy as np
import pytest

import supple
from supple import (
    LM,
    Hinge,
    Hold,
    Jacobian,
    LookAt,
    Node,
    Pose,
    Reach,
    Skeleton,
    Status,
    Tip,
    costs,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


def test_too_far_says_so(arm):
    s = solve(arm, {"tip": (3, 0, 0)})
    assert s.status is Status.TOO_FAR
    assert not s.reached
    assert s.error == pytest.approx(1, abs=1e-3)
    assert "the target of tip is 3 from where its chain begins" in s.reason
    assert "reaches no farther than 2" in s.reason
    assert s.out_of_reach == ("tip", pytest.approx(3), pytest.approx(2))


def test_too_near_says_so():
    arm = supple.chain([3, 1], joint=Hinge("z"))
    s = solve(arm, {"tip": (0.5, 0, 0)}, start=arm.pose({"j1": 1.0}))
    assert s.status is Status.TOO_NEAR
    assert s.error == pytest.approx(1.5, abs=1e-3)
    assert "reaches no nearer than 2" in s.reason
    assert s.out_of_reach == ("tip", pytest.approx(0.5), pytest.approx(2))


def test_limited_names_the_joints_in_the_way():
    arm = supple.chain(
        [1, 1], joint=[Hinge("z", limits=(-0.2, 0.2)), Hinge("z", limits=(-0.3, 0.3))]
    )
    s = solve(arm, {"tip": (0, 1.9, 0)})
    assert s.status is Status.LIMITED
    assert s.limited == ("j0", "j1")
    assert s.reason.startswith("the limits of j0, j1 are in the way; tip is ")
    assert s.angles == pytest.approx([0.2, 0.3])
    assert s.out_of_reach is None


def test_a_chain_begins_where_joints_begin_to_move_it():
    # A turntable cannot move the shoulder above it: the arm's reach counts from there.
    crane = Skeleton(
        [
            Node("mast", None, (0, 1, 0), Hinge("y")),
            Node("shoulder", "mast", (0, 6, 0), Hinge("z", limits=(-2.6, 0))),
            Node("elbow", "shoulder", (0, 5, 0), Hinge("z", limits=(-2.6, 0))),
        ],
        [Tip("hook", "elbow", (0, 4, 0))],
    )
    for solver in ("auto", "LM", "CCD", "FABRIK", "Jacobian"):
        s = solve(crane, {"hook": (9, 9, 2)}, solver=solver)
        assert s.status is Status.TOO_FAR, solver
        assert s.out_of_reach == ("hook", pytest.approx(math.sqrt(89)), pytest.approx(9))
        # Also where the shoulder itself does not move in this solve, and stands on the mast's axis.
        bent = crane.rest.with_({"shoulder": -1.0})
        s = solve(crane, {"hook": (9, 9, 2)}, solver=solver, lock=["shoulder"], start=bent)
        assert s.status is Status.TOO_FAR, solver
        assert s.out_of_reach == ("hook", pytest.approx(math.sqrt(89)), pytest.approx(9))
    # With the mast locked, and with something that can move the shoulder, as it was.
    assert solve(crane, {"hook": (9, 9, 0)}, lock=["mast"]).out_of_reach is not None
    leaning = crane.with_joints({"mast": Hinge("z", limits=(-0.1, 0.1))})
    s = solve(leaning, {"hook": (9, 9, 2)})
    assert s.out_of_reach is None


def test_a_joint_that_an_upper_one_swings_is_no_beginning():
    # The second hinge leaves the third in its place, but the first swings it round.
    arm = Skeleton(
        [
            Node("j0", None, (0, 0, 0), Hinge("z")),
            Node("j1", "j0", (0, 0, 2), Hinge("x")),
            Node("j2", "j1", (3, 0, 0), Hinge("y")),
        ],
        [Tip("tip", "j2", (1, 0, 0.5))],
    )
    rng = np.random.default_rng(0)
    targets = Pose.from_angles(arm, rng.uniform(-3, 3, (100, 3))).position("tip")
    for solver in ("auto", "CCD", "FABRIK", "Jacobian"):
        s = solve(arm, {"tip": targets}, solver=solver)
        assert not np.isin(s.status, [Status.TOO_FAR, Status.TOO_NEAR]).any(), solver
    assert solve(arm, {"tip": targets}).reached.all()


def test_limited_is_a_minimum_that_limits_make():
    # Pressed against a limit, but it is the plane that keeps the tip away.
    arm = supple.chain([1, 1], joint=[Hinge("z", limits=(0, 2)), Hinge("z", limits=(0.5, 0.5))])
    s = solve(arm, {"tip": (1 + math.cos(0.5), math.sin(0.5) - 1e-3, 0.3)})
    assert s.status is Status.STALLED
    assert s.limited == ()
    # Stopped in the middle of the way, next to a limit.
    s = solve(arm, {"tip": (0, 1.9, 0)}, solver=Jacobian(method="transpose", max_iterations=1))
    assert s.status is Status.BUDGET


def test_limited_holds_for_every_solver_and_joint():
    """Whoever says LIMITED stands in a minimum inside the limits that is none without them."""
    rng = np.random.default_rng(5)
    told = 0
    for _ in range(12):
        axes, limits = rng.normal(size=(3, 3)), np.sort(rng.uniform(-1, 1, (3, 2)), axis=1)
        joints = [Hinge(a, limits=tuple(b)) for a, b in zip(axes, limits, strict=True)]
        arm = supple.chain([1, 0.8, 0.5], joint=joints)
        targets = rng.uniform(-1.5, 1.5, (20, 3))
        for solver in ("auto", "CCD", "FABRIK", "Jacobian"):
            s = solve(arm, {"tip": targets}, solver=solver)
            for i in np.flatnonzero(s.status == Status.LIMITED):
                told += 1
                gains, pulls = np.empty(3), np.empty(3)
                here, miss = s.angles[i], targets[i] - s.position("tip")[i]
                for k, step in enumerate(np.eye(3) * 1e-6):
                    a, b = (Pose.from_angles(arm, here + x).position("tip") for x in (step, -step))
                    column = (a - b) / 2e-6
                    pulls[k] = column @ miss
                    size = abs(pulls[k]) / max(column @ column, 1e-9)
                    moved = column * np.copysign(min(size, 0.1), pulls[k])
                    gains[k] = 1.0 - np.sum((miss - moved) ** 2) / np.sum(miss**2)
                low, high = here <= limits[:, 0] + 1e-9, here >= limits[:, 1] - 1e-9
                held = (low & (pulls < 0)) | (high & (pulls > 0))
                assert gains[~held].max(initial=0.0) < 1.01e-3, solver
                named = {f"j{k}" for k in range(3) if held[k] and gains[k] > 0.99e-3}
                assert named and set(s[int(i)].limited) <= named, solver
    assert told > 100


def test_a_head_that_cannot_look_so_far_is_limited():
    # Round the rim of its cone it could go on for ever, and gain next to nothing.
    head = Skeleton(
        [Node("head", None, (0, 0, 0), supple.Cone(0.5, axis="y"))],
        [Tip("eyes", "head", (0, 0.1, 0.1))],
    )
    targets = 3.0 * np.random.default_rng(0).normal(size=(200, 3))
    s = solve(head, LookAt("head", targets, axis="z"))
    missed = ~s.reached
    assert missed.sum() > 50
    assert np.mean(s.status[missed] == Status.LIMITED) > 0.6
    assert s.limited == ("head",)


def test_a_limit_of_a_mimic_joint_is_told_as_its_own():
    rig = supple.chain(
        [1, 1], joint=[Hinge("z"), Hinge("z", limits=(-0.3, 0.3), mimic=("j0", 0.5, 0.0))]
    )
    s = solve(rig, {"tip": (-1, 1.6, 0)})
    assert s.status is Status.LIMITED
    assert s.limited == ("j1",)


def test_stalled_says_so():
    # A hinge about z cannot leave its plane.
    arm = supple.chain([1, 1], joint=Hinge("z"))
    s = solve(arm, {"tip": (1, 0, 1)})
    assert s.status is Status.STALLED
    assert s.reason.startswith("no small change of the free joints helps; tip is 1 from")
    assert s.error == pytest.approx(1, abs=1e-3)
    assert s.limited == ()


def test_budget_says_so(snake):
    s = solve(snake, {"tip": (12, 18, 6)}, solver=LM(max_iterations=1))
    assert s.status is Status.BUDGET
    assert s.iterations == 1
    assert s.reason.startswith("1 iteration was not enough for a tolerance of 0.004; tip is ")
    none = solve(snake, {"tip": (12, 18, 6)}, solver=LM(max_iterations=0))
    assert none.status is Status.BUDGET
    assert none.iterations == 0
    assert none.pose == snake.rest


def test_an_effector_that_nothing_free_moves_says_so(figure):
    goals = [Reach("hand.l", (0.5, 1.8, 0.2), root="arm.l"), Reach("hand.r", (0, 0, 0))]
    s = solve(figure, goals, lock=["hips", "spine", "arm.r", "elbow.r"])
    assert not s.reached
    assert s.reason.startswith("no free joint moves hand.r; hand.r is ")


def test_the_reason_names_the_worst_goal(figure):
    s = solve(figure, [Reach("hand.l", (0.4, 1.9, 0.2)), Reach("hand.r", (-9, 0, 0))])
    assert s.status is Status.TOO_FAR
    assert "the target of hand.r is" in s.reason
    assert "hand.r is" in s.reason.split(";")[-1]


@pytest.mark.parametrize("target", [(3, 0, 0), (2, 2, 0), (0.7, 0.9, 0.4)])
def test_an_answer_is_never_worse_than_the_start(arm, target):
    rng = np.random.default_rng(0)
    for angles in rng.uniform(-2.6, 2.6, (20, 2)):
        start = Pose.from_angles(arm, angles)
        s = solve(arm, {"tip": target}, start=start)
        assert s.error <= np.linalg.norm(start.position("tip") - target) + 1e-12


def test_keep_gives_the_start_back_untouched_when_out_of_reach(arm):
    start = arm.pose({"j0": 0.3, "j1": 2.9})  # outside its limits, and kept so
    s = solve(arm, {"tip": (3, 0, 0)}, start=start, unreachable="keep")
    assert s.status is Status.TOO_FAR
    assert s.pose == start
    assert s.reason.endswith("the start pose is kept")
    assert s.error == pytest.approx(np.linalg.norm(start.position("tip") - (3, 0, 0)))
    reachable = solve(arm, {"tip": (1, 1, 0)}, unreachable="keep")
    assert reachable.reached
    assert reachable.pose == solve(arm, {"tip": (1, 1, 0)}).pose


def test_approach_comes_as_near_as_it_can_and_calmly(snake):
    start = solve(snake, {"tip": (50, 20, 0)})
    np.testing.assert_allclose(
        start.position("tip"), 40 * np.array([50, 20, 0]) / math.hypot(50, 20), atol=0.01
    )
    pose = start.pose
    for step in range(5):
        angle = math.atan2(20, 50) + 0.01 * (step + 1)
        target = 54 * np.array([math.cos(angle), math.sin(angle), 0])
        s = solve(snake, {"tip": target}, start=pose)
        assert s.status is Status.TOO_FAR
        assert costs.largest_turn(pose, s.pose) < 0.1
        pose = s.pose


def test_the_tolerance_is_what_counts_as_reached(snake):
    target = {"tip": (12, 18, 6)}
    loose = solve(snake, target, tolerance=5.0)
    tight = solve(snake, target, tolerance=1e-9)
    assert loose.reached
    assert tight.reached
    assert tight.error <= 1e-9
    assert loose.iterations < tight.iterations
    assert solve(snake, target).error <= 40e-4
    turned = Reach("tip", orientation=TURN)
    assert solve(snake, turned, orientation_tolerance=1e-9).orientation_error <= 1e-9


def test_of_several_solvers_the_nearest_answer_is_kept():
    # Straight and looking away: one solver stays there, the other folds.
    arm = supple.chain([3, 1], joint=Hinge("z"))
    for target in ((0.5, 0, 0), (0, 0, 0), (-5, 0, 0)):
        answers = [solve(arm, {"tip": target}, solver=name) for name in ("TwoBone", "LM")]
        auto = solve(arm, {"tip": target})
        assert auto.error <= min(s.error for s in answers) + 1e-6
        traced = solve(arm, {"tip": target}, trace=True)
        assert traced == auto
        assert traced.trace is not None
        assert traced.trace.poses[-1] == auto.pose


@pytest.mark.parametrize("held", ["j2", "j3", "j4"])
def test_goals_that_contradict_each_other_do_not_blame_the_iterations(held):
    snake = supple.chain([1.0] * 6)
    start = snake.pose({f"j{k}": (0.0, 0.1, 0.2) for k in range(6)})
    s = solve(snake, [Reach("tip", (0.0, 5.0, 0.0)), Hold(held)], start=start)
    assert s.restarts > 0
    assert s.status is Status.STALLED
    assert "no small change" in s.reason
