"""Costs: how much an answer turns and how far its effector travels."""

import math

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Free, Hinge, Planar, Pose, Slider, costs


@pytest.fixture
def arm():
    return supple.chain([2, 1], joint=Hinge("z"))


def test_turns_are_summed_and_the_largest_found(arm):
    answer = arm.pose({"j0": 0.5, "j1": -1.5})
    assert costs.sum_of_turns(arm.rest, answer) == pytest.approx(2.0)
    assert costs.largest_turn(arm.rest, answer) == pytest.approx(1.5)
    assert costs.distance(arm.rest, answer) == pytest.approx(math.hypot(0.5, 1.5))


def test_turns_count_from_the_start(arm):
    start = arm.pose({"j0": 0.4, "j1": -1.0})
    assert costs.sum_of_turns(start, start) == 0
    assert costs.sum_of_turns(start, arm.rest) == pytest.approx(1.4)


def test_whole_turns_of_a_hinge_count_but_not_of_a_ball(arm):
    assert costs.sum_of_turns(arm.rest, arm.pose({"j0": 2 * math.pi})) == pytest.approx(6.28319)
    ball = supple.chain([1])
    turned = ball.pose({"j0": (0, 0, 1.5 * math.pi)})
    assert costs.sum_of_turns(ball.rest, turned) == pytest.approx(0.5 * math.pi)


def test_the_path_of_the_tip(arm):
    # One joint turns: the tip goes along an arc.
    answer = arm.pose({"j0": math.pi / 2})
    assert costs.tip_path(arm.rest, answer, "tip") == pytest.approx(1.5 * math.pi, rel=1e-3)
    assert costs.tip_path(arm.rest, answer, "j1") == pytest.approx(math.pi, rel=1e-3)
    assert costs.tip_path(arm.rest, answer, "j0") == 0
    assert costs.tip_path(answer, answer, "tip") == 0


def test_a_path_is_at_least_as_long_as_the_way(arm):
    rng = np.random.default_rng(0)
    answers = Pose.from_angles(arm, rng.uniform(-3, 3, (20, 2)))
    way = np.linalg.norm(answers.position("tip") - arm.rest.position("tip"), axis=-1)
    assert (costs.tip_path(arm.rest, answers, "tip") >= way - 1e-9).all()


def test_slides_and_stretches_count_as_moves():
    rig = supple.chain([1, 2, 1], joint=[Slider("x"), Ball(stretch=(0.5, 2)), Hinge("z")])
    answer = rig.pose({"j0": 3.0, "j1.stretch": 1.5, "j2": 0.25})
    moves = costs.moves(rig.rest, answer)
    assert moves == pytest.approx([3 / 4, 0.5, 0.25])
    assert costs.distance(rig.rest, answer) == pytest.approx(math.sqrt((moves**2).sum()))
    assert costs.sum_of_turns(rig.rest, answer) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("joint", "value", "turn", "slide"),
    [
        (Free(), (3, 4, 0, *supple.rotations.from_axis_angle("x", 0.5)), 0.5, 5),
        (Planar("z"), (3, 4, 0.5), 0.5, 5),
        (Axes("xz"), (0.3, 0.0), 0.3, 0),
        (Ball(), (0, 0.2, 0), 0.2, 0),
    ],
)
def test_every_joint_turns_and_slides(joint, value, turn, slide):
    rig = supple.chain([2], joint=joint)
    answer = rig.pose({"j0": value})
    assert costs.moves(rig.rest, answer) == pytest.approx([math.hypot(turn, slide / 2)])


def test_batches_broadcast(arm):
    rng = np.random.default_rng(0)
    answers = Pose.from_angles(arm, rng.uniform(-3, 3, (4, 5, 2)))
    starts = Pose.from_angles(arm, rng.uniform(-3, 3, (5, 2)))
    for cost in (costs.sum_of_turns, costs.largest_turn, costs.distance):
        assert cost(arm.rest, answers).shape == (4, 5)
        assert cost(starts, answers)[2, 3] == cost(starts[3], answers[2, 3])
    path = costs.tip_path(starts, answers, "tip")
    assert path.shape == (4, 5)
    assert path[2, 3] == pytest.approx(costs.tip_path(starts[3], answers[2, 3], "tip"))
    assert costs.tip_path(answers, arm.rest, "tip").shape == (4, 5)
    assert costs.moves(starts, answers).shape == (4, 5, 2)


def test_a_joint_without_length_has_a_distance():
    cart = supple.chain([0], joint=Slider("x"))
    assert costs.distance(cart.rest, cart.pose({"j0": 2.0})) == pytest.approx(2.0)
