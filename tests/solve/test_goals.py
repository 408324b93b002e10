"""Goals: where, how turned, looking; several together, held, and secondary ones."""

import itertools
import math

import numpy as np
import pytest

import supple
from supple import (
    Ball,
    Free,
    Hinge,
    Hold,
    LookAt,
    Node,
    Pole,
    Reach,
    Rest,
    Skeleton,
    Tip,
    costs,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


def test_a_joint_can_be_an_effector(snake):
    s = solve(snake, {"j3": (10, 10, 10)})
    assert s.reached
    np.testing.assert_allclose(s.position("j3"), (10, 10, 10), atol=3e-3)


def test_an_orientation_alone(snake):
    s = solve(snake, Reach("tip", orientation=TURN))
    assert s.reached
    assert s.error == 0
    assert s.orientation_error <= 1e-4
    assert rotations.angle_between(s.pose.rotation("tip"), TURN) <= 1e-4


def test_both_signs_of_a_quaternion_are_one_orientation(snake):
    one = solve(snake, Reach("tip", (5, 20, 3), orientation=TURN))
    other = solve(snake, Reach("tip", (5, 20, 3), orientation=-TURN))
    assert one.reached
    assert other.reached
    np.testing.assert_allclose(one.positions, other.positions, atol=1e-9)


def test_position_and_orientation_and_the_same_as_a_pose(snake):
    frame = np.eye(4)
    frame[:3, :3] = rotations.to_matrix(TURN)
    frame[:3, 3] = (12, 18, 6)
    s = solve(snake, Reach("tip", pose=frame))
    assert s.reached
    np.testing.assert_allclose(s.position("tip"), (12, 18, 6), atol=4e-3)
    assert rotations.angle_between(s.pose.rotation("tip"), TURN) <= 1e-4
    assert s.errors.shape == (2,)
    assert s.error == s.errors[0]
    assert s.orientation_error == s.errors[1]
    both = solve(snake, Reach("tip", (12, 18, 6), orientation=rotations.from_matrix(frame[:3, :3])))
    np.testing.assert_allclose(both.pose.coordinates, s.pose.coordinates, atol=1e-9)


def test_a_point_on_the_effector_touches_the_target():
    tilted = Skeleton(
        [Node("a"), Node("b", "a", (2, 0, 0)), Node("c", "b", (2, 0, 0))],
        [Tip("tool", "c", (1, 0, 0), TURN)],
    )
    point = (0.2, 0.3, -0.4)
    s = solve(tilted, Reach("tool", (1, 2, 1), point=point))
    assert s.reached
    touched = s.position("tool") + rotations.rotate(s.pose.rotation("tool"), point)
    np.testing.assert_allclose(touched, (1, 2, 1), atol=6e-4)
    s = solve(tilted, Reach("c", (1, 2, 1), point=point))
    touched = s.position("c") + rotations.rotate(s.pose.rotation("c"), point)
    np.testing.assert_allclose(touched, (1, 2, 1), atol=6e-4)


def test_looking(moved, figure):
    target = np.array([1.0, 2.5, 3.0])
    s = solve(figure, LookAt("head", target, axis="z"))
    assert s.reached
    assert s.orientation_error <= 1e-4
    assert s.error == 0
    seen = rotations.rotate(s.pose.rotation("head"), (0, 0, 1))
    way = target - s.position("head")
    assert math.acos(min(1.0, seen @ way / np.linalg.norm(way))) <= 1.1e-4
    assert moved(s.start, s.pose) == ["head"]


def test_looking_from_a_tip_that_moves_as_it_turns():
    eye = Skeleton([Node("neck")], [Tip("eye", "neck", (0.3, 0.2, 0.1))])
    target = np.array([2.0, 1.0, -1.0])
    s = solve(eye, LookAt("eye", target, axis="x"))
    assert s.reached
    seen = rotations.rotate(s.pose.rotation("eye"), (1, 0, 0))
    way = target - s.position("eye")
    np.testing.assert_allclose(seen, way / np.linalg.norm(way), atol=2e-4)


def test_several_goals_are_met_together(figure):
    goals = [
        Reach("hand.l", (0.4, 1.9, 0.25)),
        Reach("hand.r", (-0.4, 1.8, 0.2)),
        LookAt("head", (0.4, 1.9, 1.0), axis="z"),
    ]
    s = solve(figure, goals)
    assert s.reached, s.reason
    np.testing.assert_allclose(s.position("hand.l"), (0.4, 1.9, 0.25), atol=2e-4)
    np.testing.assert_allclose(s.position("hand.r"), (-0.4, 1.8, 0.2), atol=2e-4)
    assert [d.effector for d in s.asked.demands] == ["hand.l", "hand.r", "head"]
    assert s.errors.shape == (3,)
    assert s.error == s.errors[:2].max()
    assert s.orientation_error == s.errors[2]


def test_the_order_of_goals_does_not_matter(figure):
    goals = [
        Reach("hand.l", (0.4, 1.9, 0.25), orientation=TURN),
        Reach("hand.r", (-2, 1.8, 0.2)),
        LookAt("head", (0.4, 1.9, 1.0), axis="z"),
        Hold("hips"),
    ]
    first = solve(figure, goals)
    assert not first.reached
    for order in itertools.permutations(range(4)):
        s = solve(figure, [goals[i] for i in order])
        assert s.pose == first.pose
        assert [d.goal for d in s.asked.demands] == sorted(d.goal for d in s.asked.demands)
        by_goal = {
            (order[d.goal], d.kind): e for d, e in zip(s.asked.demands, s.errors, strict=True)
        }
        assert by_goal == {
            (d.goal, d.kind): e for d, e in zip(first.asked.demands, first.errors, strict=True)
        }


def test_weights_settle_what_cannot_all_be_met(snake):
    goals = [Reach("j2", (0, 15, 0)), Reach("tip", (0, -15, 0))]
    even = solve(snake, goals)
    assert not even.reached
    first = solve(snake, [Reach("j2", (0, 15, 0), weight=100), goals[1]])
    second = solve(snake, [goals[0], Reach("tip", (0, -15, 0), weight=100)])
    assert first.errors[0] < 0.2 * even.errors[0]
    assert second.errors[1] < 0.2 * even.errors[1]


def test_hold_pins_place_and_orientation_as_in_the_start(figure):
    start = figure.pose({"arm.r": TURN, "elbow.r": 0.7})
    goals = [Reach("hand.l", (0.35, 2.05, 0.1)), Hold("hand.r")]
    s = solve(figure, goals, start=start)
    assert s.reached, s.reason
    np.testing.assert_allclose(s.position("hand.r"), start.position("hand.r"), atol=2e-4)
    assert rotations.angle_between(s.pose.rotation("hand.r"), start.rotation("hand.r")) < 2e-4
    assert len(s.errors) == 3
    alone = solve(figure, goals[0], start=start)
    assert np.linalg.norm(alone.position("hand.r") - start.position("hand.r")) > 1e-3


def test_either_half_of_hold_can_be_turned_off(figure):
    goal = Reach("hand.l", (0.35, 2.05, 0.1))
    place = solve(figure, [goal, Hold("hand.r", orientation=False)])
    assert place.reached
    np.testing.assert_allclose(place.position("hand.r"), place.start.position("hand.r"), atol=2e-4)
    turn = solve(figure, [goal, Hold("hand.r", position=False)])
    assert turn.reached
    assert (
        rotations.angle_between(turn.pose.rotation("hand.r"), turn.start.rotation("hand.r")) < 2e-4
    )
    assert len(place.errors) == len(turn.errors) == 2


def test_a_held_leg_bends_when_the_pelvis_moves():
    nodes = [("pelvis", None, (0, 1, 0), Free()), ("shoulder", "pelvis", (0, 0.5, 0), Ball())]
    nodes += [("elbow", "shoulder", (0.3, 0, 0), Hinge("y", limits=(-2.5, 0)))]
    nodes += [("hip", "pelvis", (0, 0, 0), Ball())]
    nodes += [("knee", "hip", (0, -0.5, 0), Hinge("x", limits=(-0.1, 2.5)))]
    nodes += [("ankle", "knee", (0, -0.48, 0), Ball())]
    body = Skeleton(nodes, [("hand", "elbow", (0.3, 0, 0)), ("foot", "ankle", (0, 0, 0.1))])
    start = body.pose({"knee": 0.3})
    s = solve(body, [Reach("hand", (0.4, 0.5, 0.1)), Hold("foot")], start=start)
    assert s.reached, s.reason
    assert s.position("knee")[2] > start.position("knee")[2] + 0.02, "the leg does not bend"
    np.testing.assert_allclose(s.position("foot"), start.position("foot"), atol=2e-4)


def test_hold_alone_frees_nothing(moved, figure):
    s = solve(figure, [Reach("hand.l", (0.5, 1.8, 0.2), root="arm.l"), Hold("hand.r")])
    assert moved(s.start, s.pose) == ["arm.l", "elbow.l"]


@pytest.mark.parametrize("side", [(0, 5, 0), (0, -5, 0), (0, 0, 5), (0, 3, -4)])
def test_a_pole_turns_the_bend_without_losing_the_goal(side):
    limb = supple.chain([1, 1, 0.5], joint=[Ball(), Hinge("z", limits=(0, 2.5)), Ball()])
    start = limb.pose({"j1": 1.0})
    s = solve(limb, [Reach("j2", (1.3, 0.4, 0.2)), Pole("j1", side)], start=start)
    assert s.reached
    line = s.position("j2") / np.linalg.norm(s.position("j2"))
    bend = s.position("j1") - line * (s.position("j1") @ line)
    wanted = np.array(side) - line * (np.array(side) @ line)
    cosine = bend @ wanted / np.linalg.norm(bend) / np.linalg.norm(wanted)
    assert math.acos(min(1.0, cosine)) < 0.02
    assert s.asked.demands[1].kind == "pole"
    assert s.errors[1] < 0.02


def test_a_posture_is_kept_as_far_as_the_goals_let(snake):
    wanted = snake.pose({"j0": (0, 0, 1.0), "j1": (0, 0, -1.0), "j2": (0, 0, -0.5)})
    target = (24, 9, 3)
    plain = solve(snake, {"tip": target})
    s = solve(snake, [Reach("tip", target), Rest(wanted)])
    assert s.reached
    assert costs.distance(wanted, s.pose) < costs.distance(wanted, plain.pose)
    assert len(s.errors) == 1
    bent = snake.pose({"j0": (0, 0, 2.0), "j2": (0, 1.0, 0)})
    home = solve(snake, [Reach("tip", target), Rest()], start=bent)
    away = solve(snake, Reach("tip", target), start=bent)
    assert home.reached
    assert costs.distance(snake.rest, home.pose) < costs.distance(snake.rest, away.pose)


def test_secondary_goals_do_not_count_as_reached(snake):
    s = solve(
        snake, [Reach("tip", (10, 20, 5)), Pole("j2", (0, -9, 0)), Rest(snake.pose({"j0": TURN}))]
    )
    assert s.reached
