"""Lowering: tolerances, lengths, the order of goals, poles, and a pose's own bones."""

import itertools

import numpy as np
import pytest

import supple
from supple import (
    Ball,
    Fixed,
    Free,
    Hinge,
    Hold,
    LookAt,
    Node,
    Pole,
    Pose,
    Reach,
    Rest,
    Skeleton,
    Slider,
    SuppleError,
    Tip,
)
from supple.kernels import layout as at
from supple.problem.lowering import Problem

TURN = (0.5, 0.5, 0.5, 0.5)
THERE = (1.0, 2.0, 3.0)


def demands(problem):
    """(goal, kind) of every block, in the order of the goals."""
    return sorted((block.goal, block.kind) for block in problem.blocks)


# Tolerances and lengths


def test_the_tolerance_is_a_ten_thousandth_of_the_goals_own_chain():
    y = Skeleton(
        [Node("root"), Node("long", "root", (0, 3, 0)), Node("short", "root", (0, 1, 0))],
        [Tip("a", "long", (0, 4, 0)), Tip("b", "short", (0, 1, 0))],
    )
    problem = Problem(y, [Reach("a", THERE), Reach("b", THERE)])
    assert {b.goal: b.tolerance for b in problem.blocks} == pytest.approx({0: 7e-4, 1: 2e-4})
    assert problem.length == pytest.approx(7)


def test_the_chain_is_as_long_as_what_may_move():
    snake = supple.chain([9, 9, 9, 9, 4])
    (block,) = Problem(snake, [Reach("tip", THERE, depth=2)]).blocks
    assert block.tolerance == pytest.approx(13e-4)
    (block,) = Problem(snake, [Reach("tip", THERE)], lock=["j0"]).blocks
    assert block.tolerance == pytest.approx(31e-4)
    (block,) = Problem(snake, [Reach("tip", THERE, point=(2, 0, 0))]).blocks
    assert block.tolerance == pytest.approx(42e-4)


def test_tolerances_can_be_given():
    snake = supple.chain([9, 9])
    goal = Reach("tip", THERE, orientation=TURN)
    place, turn = Problem(snake, [goal], tolerance=0.5, orientation_tolerance=0.1).blocks
    assert (place.tolerance, turn.tolerance) == (0.5, 0.1)
    place, turn = Problem(snake, [goal]).blocks
    assert (place.tolerance, turn.tolerance) == (pytest.approx(18e-4), 1e-4)


def test_a_chain_of_no_length_has_a_tolerance_all_the_same():
    rig = Skeleton([Node("cart", None, (0, 0, 0), Slider("x"))])
    (block,) = Problem(rig, [Reach("cart", THERE)]).blocks
    assert block.tolerance > 0


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "small", True, [1e-3], 0.0])
def test_a_tolerance_is_a_number_above_0(value):
    snake = supple.chain([1, 1])
    with pytest.raises(SuppleError, match=r"^tolerance: expected a positive number"):
        Problem(snake, [Reach("tip", THERE)], tolerance=value)
    with pytest.raises(SuppleError, match=r"^orientation_tolerance: expected a positive number"):
        Problem(snake, [Reach("tip", THERE)], orientation_tolerance=value)


# What is asked for


def test_goals_become_demands():
    snake = supple.chain([1, 1, 1])
    goals = [
        Reach("tip", THERE, orientation=TURN),
        LookAt("j1", THERE),
        Hold("j2"),
        Hold("j1", orientation=False),
        Rest(),
        Pole("j1", THERE),
    ]
    assert demands(Problem(snake, goals)) == [
        (0, at.POSITION),
        (0, at.ORIENTATION),
        (1, at.LOOKAT),
        (2, at.POSITION),
        (2, at.ORIENTATION),
        (3, at.POSITION),
        (5, at.POLE),
    ]


def test_the_order_of_the_goals_does_not_show_in_what_kernels_see():
    figure = Skeleton(
        [Node("root"), Node("a", "root", (0, 1, 0)), Node("b", "root", (0, 2, 0))],
        [Tip("x", "a", (1, 0, 0)), Tip("y", "b", (1, 0, 0))],
    )
    goals = [Reach("x", THERE), Reach("y", THERE, weight=2), LookAt("b", THERE), Hold("a")]
    seen = set()
    for order in itertools.permutations(goals):
        problem = Problem(figure, order)
        ints, floats = problem.pack(())
        blocks = problem._tables[2].copy()
        blocks[:, at.B_GOAL] = 0
        seen.add((blocks.tobytes(), floats.tobytes(), len(ints)))
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("goals", "given"),
    [([], "none"), ([Hold("tip")], "Hold"), ([Rest(), Pole("j1", THERE)], "Rest, Pole")],
)
def test_something_must_be_reached_for(goals, given):
    with pytest.raises(
        SuppleError, match=rf"at least one Reach, LookAt, Connect or Weld.*got {given}"
    ):
        Problem(supple.chain([1, 1]), goals)


def test_one_posture_is_enough():
    snake = supple.chain([1, 1])
    with pytest.raises(SuppleError, match="at most one Rest, got 2"):
        Problem(snake, [Reach("tip", THERE), Rest(), Rest()])
    with pytest.raises(SuppleError, match=r"Rest: expected a pose of .*2 joints.*got one of .*3"):
        Problem(snake, [Reach("tip", THERE), Rest(supple.chain([1, 1, 1]).rest)])


# Poles


def test_a_pole_serves_the_nearest_reach_below_it_whatever_the_order():
    arm = Skeleton(
        [
            Node("shoulder"),
            Node("elbow", "shoulder", (1, 0, 0)),
            Node("wrist", "elbow", (1, 0, 0)),
            Node("thumb", "wrist", (0.2, 0, 0)),
        ],
        [Tip("nail", "thumb", (0.1, 0, 0))],
    )
    goals = [Reach("nail", THERE), Reach("wrist", THERE), Pole("elbow", THERE)]
    for order in itertools.permutations(goals):
        problem = Problem(arm, order)
        pole = next(b for b in problem.blocks if b.kind == at.POLE)
        assert problem.blocks[pole.extra[1]].joint == arm.index("wrist")
        assert problem.moving[pole.extra[0]] == arm.index("shoulder")


@pytest.mark.parametrize(
    ("pole", "message"),
    [
        ("j0", "pole 'j0': it needs a joint above it"),
        ("tip", "unknown joint of a Pole 'tip'"),
        ("elbow", "unknown joint of a Pole 'elbow'"),
    ],
)
def test_a_pole_needs_a_limb(pole, message):
    with pytest.raises(SuppleError, match=message):
        Problem(supple.chain([1, 1, 1]), [Reach("tip", THERE), Pole(pole, THERE)])


def test_a_pole_needs_a_position_below_it():
    with pytest.raises(SuppleError, match="pole 'j2'.*Reach with a position below it"):
        Problem(supple.chain([1, 1, 1]), [Reach("j1", THERE), Pole("j2", THERE)])


# A pose's own bones


def rest_of(problem, pose):
    """Joint offsets, and the two parts of every effector's place."""
    offsets = problem.offsets(pose)
    count = len(problem.active)
    return offsets[..., :count, :], offsets[..., count::2, :], offsets[..., count + 1 :: 2, :]


def test_a_tip_stretches_with_its_joint_but_a_point_on_it_does_not():
    arm = supple.chain([2, 3], joint=Ball(stretch=(0.5, 2)))
    problem = Problem(arm, [Reach("tip", THERE, point=(0, 1, 0))])
    joints, fixed, stretching = rest_of(problem, arm.rest)
    np.testing.assert_array_equal(joints, [(0, 0, 0), (2, 0, 0)])
    np.testing.assert_array_equal(fixed, [(0, 1, 0)])
    np.testing.assert_array_equal(stretching, [(3, 0, 0)])


def test_translations_and_even_scales_change_the_bones():
    arm = supple.chain([2, 3], joint=[Ball(), Fixed()])
    problem = Problem(arm, [Reach("tip", THERE)])
    pose = Pose(arm, None, [(0, 0, 1), (4, 0, 0)], [(2, 2, 2), (5, 6, 7)])
    joints, _, stretching = rest_of(problem, pose)
    np.testing.assert_array_equal(joints, [(0, 0, 1), (8, 0, 0)])
    # Along its own axes a joint may be scaled unevenly, as long as it only carries tips.
    np.testing.assert_array_equal(stretching, [(30, 0, 0)])
    batch = Pose.stack([pose, arm.rest])
    np.testing.assert_array_equal(problem.offsets(batch)[0], problem.offsets(pose))
    np.testing.assert_array_equal(problem.offsets(batch)[1], problem.offsets(arm.rest))


def test_uneven_scales_are_an_error():
    arm = supple.chain([2, 3])
    problem = Problem(arm, [Reach("tip", THERE)])
    with pytest.raises(SuppleError, match=r"start: joint 'j0' is scaled differently.*even scales"):
        problem.offsets(Pose(arm, scales=[(1, 2, 1), (1, 1, 1)]))


def test_a_slide_below_a_scale_is_an_error_but_not_elsewhere():
    rig = Skeleton(
        [
            Node("root", None, (0, 0, 0), Free()),
            Node("arm", "root", (1, 0, 0), Hinge("z")),
            Node("rail", "root", (-1, 0, 0), Slider("x")),
        ],
        [Tip("hand", "arm", (1, 0, 0)), Tip("cart", "rail", (1, 0, 0))],
    )
    scaled = Pose(rig, scales=np.full((3, 3), 2.0))
    Problem(rig, [Reach("hand", THERE)]).offsets(scaled)
    with pytest.raises(SuppleError, match="start: joint 'rail' shifts below a scale"):
        Problem(rig, [Reach("cart", THERE)]).offsets(scaled)


@pytest.mark.parametrize("unit", [1e-200, 1e-61, 1e61, 1e140])
def test_units_whose_squares_vanish_or_overflow_are_refused(unit):
    arm = supple.chain([unit, unit], joint=supple.Hinge("z"))
    with pytest.raises(supple.SuppleError, match="another unit"):
        supple.solve(arm, {"tip": (1.5 * unit, 0.5 * unit, 0)})


@pytest.mark.parametrize("unit", [1e-59, 1e59])
@pytest.mark.parametrize("solver", ["auto", "CCD", "FABRIK", "LM", "Jacobian"])
def test_small_and_large_units_are_reached(unit, solver):
    arm = supple.chain([unit, unit, unit], joint=supple.Hinge("z", limits=(-2, 2)))
    s = supple.solve(arm, {"tip": (1.5 * unit, 0.5 * unit, 0)}, solver=solver)
    assert np.allclose(s.position("tip") / unit, (1.5, 0.5, 0), atol=1e-3) and s.reached
