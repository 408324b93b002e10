"""`Span`: what it asks for, and that solvers give it."""

import numpy as np
import pytest

import supple
from supple.goals import OPEN, Span, as_goals
from supple.kernels import layout
from supple.rotations import rotate


def two_arms():
    """A trunk that turns, with two arms of a ball and a hinge each."""
    joints = [
        supple.Node("trunk", None, (0, 0, 1), supple.Ball()),
        supple.Node("left", "trunk", (0, 0.2, 0.4), supple.Ball()),
        supple.Node("left_elbow", "left", (0, 0.3, 0), supple.Hinge("z", (-150, 0))),
        supple.Node("right", "trunk", (0, -0.2, 0.4), supple.Ball()),
        supple.Node("right_elbow", "right", (0, -0.3, 0), supple.Hinge("z", (0, 150))),
    ]
    tips = [
        supple.Tip("left_hand", "left_elbow", (0, 0.25, 0)),
        supple.Tip("right_hand", "right_elbow", (0, -0.25, 0)),
    ]
    return supple.Skeleton(joints, tips)


def vector(solution, goal):
    """Where its end is from its start, world."""
    pose, skeleton = solution.pose, solution.skeleton
    ends = []
    for name, point in ((goal.start, goal.point_start), (goal.end, goal.point_end)):
        turn = pose.rotations[skeleton.names.index(name)]
        ends.append(pose.position(name) + rotate(turn, np.array(point)))
    return ends[1] - ends[0]


@pytest.mark.parametrize("solver", ["auto", "LM"])
def test_a_solve_puts_two_hands_beside_each_other_wherever_they_go(solver):
    goal = Span("left_hand", "right_hand", (0.05, 0.0, 0.1), point_end=(0.0, -0.02, 0.0))
    found = supple.solve(
        two_arms(), [goal, supple.Reach("right_hand", (0.35, 0.05, 1.5))], solver=solver
    )
    assert found.reached
    np.testing.assert_allclose(vector(found, goal), (0.05, 0.0, 0.1), atol=2e-4)
    assert found.errors.max() < 2e-4


def test_the_error_is_the_distance_from_the_vector_and_the_reason_names_both_ends():
    far = Span("left_hand", "right_hand", (0.0, 0.0, 5.0))
    found = supple.solve(two_arms(), far)
    assert not found.reached
    assert found.error == pytest.approx(np.linalg.norm(vector(found, far) - (0, 0, 5.0)), rel=1e-9)
    assert "left_hand to right_hand is" in found.reason
    assert "from its vector" in found.reason


def test_it_is_not_hard_so_that_weights_decide_between_spans_and_places():
    skeleton, place = two_arms(), supple.Reach("left_hand", (0.2, 0.3, 1.5), weight=100.0)
    pulled = Span("trunk", "left_hand", (0.0, 0.9, 0.0))
    found = supple.solve(skeleton, [place, pulled])
    assert np.linalg.norm(found.position("left_hand") - place.target) < 0.05
    found = supple.solve(
        skeleton,
        [
            supple.Reach("left_hand", (0.2, 0.3, 1.5)),
            Span("trunk", "left_hand", (0.0, 0.9, 0.0), weight=100.0),
        ],
    )
    assert np.linalg.norm(vector(found, pulled) - pulled.target) < 0.25


def test_its_vector_is_open_until_a_call_gives_it():
    goal = Span("left", "left_hand")
    assert goal.target is OPEN
    prepared = supple.prepare(two_arms(), [goal])
    wanted = np.array([[0.0, 0.2, -0.4], [0.3, 0.2, 0.1]])
    found = prepared.solve(wanted)
    assert np.all(found.reached)
    for one, target in zip(found, wanted, strict=True):
        np.testing.assert_allclose(vector(one, goal), target, atol=1e-3)


def test_a_root_bounds_what_moves_for_it():
    problem = supple.prepare(two_arms(), [Span("left", "left_hand", root="left")]).problem
    names = problem.skeleton.joint_names
    assert [names[j] for j in problem.moving] == ["left", "left_elbow"]
    with pytest.raises(supple.SuppleError, match="root 'left' is not above 'right_hand'"):
        supple.prepare(two_arms(), [Span("left", "right_hand", root="left")])


def test_it_lowers_to_a_block_and_the_carrier_of_its_start():
    block, carrier = Span("trunk", "left_hand", (1, 2, 3), weight=4.0).lower(two_arms(), 7)
    assert (block.kind, carrier.kind) == (layout.SPAN, layout.CARRIER)
    assert block.carrier is carrier
    assert (block.goal, block.weight, block.target_floats, carrier.target_floats) == (7, 2.0, 3, 0)


def test_it_is_a_goal_like_others():
    goal = Span("a", "b", (1, 2, 3))
    assert as_goals([goal]) == (goal,)
    assert goal == Span("a", "b", [1.0, 2.0, 3.0])
    assert goal.opened() == Span("a", "b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "a"), "expected two points, got the same one of 'a' twice"),
        (("a", 3), "end of Span"),
        (("a", "b", (1, 2)), "target of 'a to b'"),
        (("a", "b", (1, 2, np.nan)), "target of 'a to b'"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments, message):
    with pytest.raises(supple.SuppleError, match=message):
        Span(*arguments)


def test_bad_options_say_what_is_wrong():
    with pytest.raises(supple.SuppleError, match="point_end of Span 'a to b'"):
        Span("a", "b", point_end=(1, 2))
    with pytest.raises(supple.SuppleError, match="weight of Span 'a to b'"):
        Span("a", "b", weight=0.0)


def test_solvers_that_need_fixed_targets_refuse_it():
    with pytest.raises(supple.SuppleError, match="moving target"):
        supple.solve(two_arms(), Span("left", "left_hand", (0, 0.3, 0.2)), solver="CCD")
