"""Solving: what a user asks for and gets, goal by goal and joint by joint."""

import itertools
import logging
import math
import pickle

import numpy as np
import pytest

import supple
from supple import (
    LM,
    Axes,
    Ball,
    Cone,
    Fixed,
    Free,
    Hinge,
    Hold,
    LookAt,
    Node,
    Planar,
    Pole,
    Pose,
    Reach,
    Rest,
    Skeleton,
    Slider,
    Status,
    SuppleError,
    Tip,
    costs,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


@pytest.fixture
def arm():
    return supple.chain([1, 1], joint=Hinge("z", limits=(-2.6, 2.6)))


@pytest.fixture
def snake():
    return supple.chain([9, 9, 9, 9, 4])


@pytest.fixture
def figure():
    """A spine with a head and two arms of two bones each."""
    return Skeleton(
        [
            Node("hips", None, (0, 1, 0)),
            Node("spine", "hips", (0, 0.3, 0)),
            Node("head", "spine", (0, 0.5, 0)),
            Node("arm.l", "spine", (0.2, 0.4, 0)),
            Node("elbow.l", "arm.l", (0.3, 0, 0), Hinge("y", limits=(-2.5, 0))),
            Node("arm.r", "spine", (-0.2, 0.4, 0)),
            Node("elbow.r", "arm.r", (-0.3, 0, 0), Hinge("y", limits=(0, 2.5))),
        ],
        [Tip("hand.l", "elbow.l", (0.3, 0, 0)), Tip("hand.r", "elbow.r", (-0.3, 0, 0))],
    )


def moved(start, answer):
    """Names of the joints that are not where they were, to the bit."""
    skeleton = start.skeleton
    found = []
    for name, row in zip(skeleton.joint_names, skeleton.packed_ints, strict=True):
        at = slice(row[2], row[2] + row[3])
        if not np.array_equal(start.coordinates[at], answer.coordinates[at]):
            found.append(name)
    return found


# The first minutes


def test_the_example_of_the_readme(arm):
    s = solve(arm, {"tip": (1.2, 0.7, 0)})
    assert s.reached
    assert s.status is Status.REACHED
    assert s.reason.startswith("tip is ")
    assert s.reason.endswith(" from its target")
    assert s.error <= 2e-4
    assert s.iterations > 0
    assert s.angles.shape == (2,)
    assert s.positions.shape == (3, 3)
    np.testing.assert_allclose(s.position("tip"), (1.2, 0.7, 0), atol=2e-4)
    np.testing.assert_allclose(s.pose.position("tip"), (1.2, 0.7, 0), atol=2e-4)


def test_the_start_is_the_rest_pose_unless_given(arm):
    default = solve(arm, {"tip": (1.2, 0.7, 0)})
    assert default.start == arm.rest
    assert solve(arm, {"tip": (1.2, 0.7, 0)}, start=arm.rest) == default
    other = solve(arm, {"tip": (1.2, 0.7, 0)}, start=arm.pose({"j0": 1.5, "j1": -1}))
    assert other.reached
    assert other.angles[1] < 0 < default.angles[1] or other != default


def test_calls_are_stateless_and_same_input_gives_same_bits(snake):
    goals = {"tip": (12, 18, 6)}
    first = solve(snake, goals)
    solve(snake, {"tip": (-3, 2, 9)})
    again = solve(supple.chain([9, 9, 9, 9, 4]), goals)
    assert again == first
    assert again.pose.coordinates.tobytes() == first.pose.coordinates.tobytes()


def test_a_start_that_meets_the_goals_comes_back_untouched(snake):
    start = snake.pose({"j0": TURN, "j2": (0.1, 0.2, 0.3)})
    s = solve(snake, {"tip": start.position("tip")}, start=start)
    assert s.reached
    assert s.iterations == 0
    assert s.pose == start


def test_a_straight_chain_bends_to_a_target_on_its_own_line(snake):
    for joint in (Ball(), Hinge("z")):
        line = supple.chain([9, 9, 9, 9, 4], joint=joint)
        s = solve(line, {"tip": (20, 0, 0)})
        assert s.reached, s.reason
        assert solve(line, {"tip": (20, 0, 0)}) == s


def test_the_nearby_answer_is_the_one_given(arm):
    near = arm.pose({"j0": 1.1, "j1": -1.2})
    target = near.position("tip") + (0.02, 0.01, 0)
    s = solve(arm, {"tip": target}, start=near)
    assert s.reached
    assert np.abs(s.angles - near.angles).max() < 0.1


def test_a_single_goal_need_not_be_in_a_list(arm):
    assert solve(arm, Reach("tip", (1.2, 0.7, 0))) == solve(arm, {"tip": (1.2, 0.7, 0)})


# Where, and how turned


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


def test_looking(figure):
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


# What may move


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
def test_joints_outside_the_free_set_come_back_untouched(snake, goal, free):
    rng = np.random.default_rng(3)
    start = Pose.from_angles(snake, rng.uniform(-0.3, 0.3, len(snake.freedoms)))
    s = solve(snake, goal, start=start)
    assert s.asked.moving == tuple(free.split())
    assert moved(start, s.pose) == free.split()
    assert s.error <= np.linalg.norm(start.position("tip") - goal.target)


def test_more_depth_comes_nearer(snake):
    errors = [solve(snake, Reach("tip", (10, 20, 5), depth=d)).error for d in (1, 2, 3, 4, 0)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[-1]


def test_locked_joints_stay(snake):
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


def test_a_locked_copy_keeps_its_source_still():
    arm = supple.chain([1, 1, 1], joint=[Hinge("z"), Hinge("z"), Hinge("z", mimic="j1")])
    start = arm.pose({"j1": 0.3})
    s = solve(arm, {"tip": (1, 2, 0)}, start=start, lock=["j2"])
    assert moved(start, s.pose) == ["j0"]


# Several goals


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


def test_hold_frees_nothing(figure):
    s = solve(figure, [Reach("hand.l", (0.5, 1.8, 0.2), root="arm.l"), Hold("hand.r")])
    assert moved(s.start, s.pose) == ["arm.l", "elbow.l"]


# Secondary goals


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


# Joints of every kind


CHAINS = {
    "ball": ([1, 1, 1], Ball(), (1, 1.5, 1)),
    "hinge": ([1, 1, 1], Hinge("z", limits=(-2, 2)), (1, 1.5, 0)),
    "hinges of several axes": ([1, 1, 1, 1], [Hinge("z"), Hinge("y"), Hinge("z"), Hinge("y")], (1, 1.5, 1)),
    "cone": ([1, 1, 1, 1], Cone(0.9, (-1, 1)), (2, 1.5, 1)),
    "axes": ([1, 1, 1], Axes("xyz", {"z": (-1.5, 1.5)}), (1, 1.5, 1)),
    "axes with frozen ones": ([1, 1, 1], Axes("zyx", frozen="x"), (1, 1.5, 1)),
    "slider": ([1, 1, 1], [Hinge("z"), Slider("x", limits=(0, 2)), Hinge("y")], (1, 3, 0.5)),
    "planar": ([1, 1], [Planar("z", {"u": (-5, 5)}), Hinge("y")], (4, 3, 0.5)),
    "free": ([1, 1], [Free(), Fixed()], (30, -40, 50)),
    "fixed in between": ([1, 1, 1], [Ball(), Fixed(), Ball()], (1, 1.5, 1)),
    "stiff and damped": ([1, 1, 1], Ball(stiffness=0.5, damping=0.1), (1, 1.5, 1)),
    "no length in between": ([1, 0, 1], Ball(), (1, 1, 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_every_joint_reach_and_keep_their_limits(name):
    lengths, joint, target = CHAINS[name]
    rig = supple.chain(lengths, joint=joint)
    s = solve(rig, {"tip": target})
    assert s.reached, s.reason
    np.testing.assert_allclose(s.position("tip"), target, atol=s.asked.demands[0].tolerance)
    assert s.pose.violations().max() <= 1e-9


def test_a_free_root_turns_and_moves_to_meet_a_pose():
    body = Skeleton([Node("body", None, (0, 0, 0), Free())], [Tip("nose", "body", (1, 0, 0))])
    s = solve(body, Reach("nose", (5, 6, 7), orientation=TURN))
    assert s.reached
    np.testing.assert_allclose(s.position("nose"), (5, 6, 7), atol=1e-4)


def test_a_chain_stretches_to_a_target_beyond_its_length():
    plain = supple.chain([1, 1])
    assert solve(plain, {"tip": (3, 1, 0)}).status is Status.TOO_FAR
    elastic = supple.chain([1, 1], joint=Ball(stretch=(0.5, 2.0)))
    s = solve(elastic, {"tip": (3, 1, 0)})
    assert s.reached, s.reason
    assert s.pose.violations().max() <= 1e-9
    assert solve(elastic, {"tip": (4.5, 0, 0)}).status is Status.TOO_FAR
    near = solve(elastic, {"tip": (1.2, 0.4, 0)})
    assert near.reached


def test_a_stretching_joint_and_a_point_on_its_tip():
    elastic = supple.chain([1, 1], joint=[Ball(), Ball(stretch=(0.5, 3.0))])
    point = np.array([0, 0.5, 0])
    s = solve(elastic, Reach("tip", (3, 1, 0), point=point))
    assert s.reached
    touched = s.position("tip") + rotations.rotate(s.pose.rotation("tip"), point)
    np.testing.assert_allclose(touched, (3, 1, 0), atol=3e-4)


def test_mimic_joints_of_either_unit_follow():
    finger = supple.chain(
        [1, 1, 1], joint=[Hinge("z"), Hinge("z"), Hinge("z", mimic=("j1", 0.5, 0.1))]
    )
    s = solve(finger, {"tip": (1.5, 1.5, 0)})
    assert s.reached, s.reason
    assert s.pose.coordinates[2] == 0.5 * s.pose.coordinates[1] + 0.1

    # A screw: a slider that copies a hinge, and the other way round.
    screw = supple.chain(
        [1, 1, 1], joint=[Hinge("z"), Hinge("z"), Slider("x", mimic=("j1", 0.4, 0.0))]
    )
    s = solve(screw, {"tip": (1.5, 2.0, 0)})
    assert s.reached, s.reason
    assert s.pose.coordinates[2] == 0.4 * s.pose.coordinates[1]

    rack = supple.chain(
        [1, 1, 1],
        joint=[Hinge("z"), Slider("x", limits=(0, 2)), Hinge("z", mimic=("j1", 2.0, 0.2))],
    )
    s = solve(rack, {"tip": (1.0, 2.4, 0)})
    assert s.reached, s.reason
    assert s.pose.coordinates[2] == 2.0 * s.pose.coordinates[1] + 0.2


def test_a_mimic_joint_with_a_stretch_of_its_own():
    joints = [Hinge("z"), Hinge("z", mimic=("j0", 1.0, 0.0), stretch=(0.5, 2)), Hinge("z")]
    rig = supple.chain([1, 1, 1], joint=joints)
    s = solve(rig, {"tip": (0.5, 3.2, 0)})
    assert s.reached, s.reason
    assert s.pose.violations().max() <= 1e-9


def test_a_copy_on_another_branch_moves_along():
    gripper = Skeleton(
        [
            Node("palm", None, (0, 0, 0), Fixed()),
            Node("one", "palm", (0, 1, 0), Hinge("z")),
            Node("two", "palm", (0, -1, 0), Hinge("z", mimic=("one", -1, 0))),
        ],
        [Tip("a", "one", (1, 0, 0)), Tip("b", "two", (1, 0, 0))],
    )
    target = (math.cos(0.7), -1 - math.sin(0.7), 0)
    s = solve(gripper, {"b": target})
    assert s.reached
    assert s.pose.coordinates == pytest.approx([0.7, -0.7], abs=1e-3)
    s = solve(gripper, {"a": (math.cos(0.7), 1 + math.sin(0.7), 0), "b": target})
    assert s.reached


# Poses with offsets and scales of their own


def test_a_pose_keeps_its_own_translations(snake):
    offsets = snake.offsets * 1.5
    start = Pose(snake, None, offsets)
    target = start.position("tip") * (0.7, 1, 1) + (0, 9, 0)
    s = solve(snake, {"tip": target}, start=start)
    assert s.reached
    np.testing.assert_array_equal(s.pose.translations, offsets)
    np.testing.assert_allclose(s.pose.position("tip"), target, atol=4e-3)
    # Farther than the skeleton's own bones reach.
    assert np.linalg.norm(target) > 0.9 * 40


def test_a_pose_keeps_its_even_scales(figure):
    rng = np.random.default_rng(1)
    scales = np.repeat(rng.uniform(0.7, 1.4, (len(figure), 1)), 3, axis=1)
    start = Pose(figure, None, None, scales)
    target = start.position("hand.l") + (-0.1, 0.1, 0.1)
    for goal in (Reach("hand.l", target), Reach("hand.l", target, point=(0.05, 0.02, 0))):
        s = solve(figure, [goal, Hold("hand.r")], start=start)
        assert s.reached, s.reason
        np.testing.assert_array_equal(s.pose.scales, scales)
        place = s.pose.frames[figure.index("hand.l")]
        point = np.zeros(3) if goal.point is None else goal.point
        np.testing.assert_allclose(place[:3, :3] @ point + place[:3, 3], target, atol=3e-4)
        np.testing.assert_allclose(s.position("hand.r"), start.position("hand.r"), atol=3e-4)


def test_uneven_scales_are_a_clear_error(snake):
    scales = np.ones((5, 3))
    scales[1, 2] = 2.0
    with pytest.raises(SuppleError, match="start: joint 'j1' is scaled differently along its axes"):
        solve(snake, {"tip": (10, 10, 0)}, start=Pose(snake, None, None, scales))


# How it ends


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


# Blending


def test_blend_goes_part_of_the_way(snake):
    whole = solve(snake, {"tip": (12, 18, 6)})
    half = solve(snake, {"tip": (12, 18, 6)}, blend=0.5)
    assert half.pose == snake.rest.interpolate(whole.pose, 0.5)
    assert half.reached == whole.reached
    assert half.error == whole.error
    assert solve(snake, {"tip": (12, 18, 6)}, blend=0).pose == snake.rest
    assert solve(snake, {"tip": (12, 18, 6)}, blend=1.0) == whole


# Several answers


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


# Quietly


def test_nothing_is_printed_and_nothing_logged_for_a_compiled_solve(arm, capfd, caplog):
    solve(arm, {"tip": (1.2, 0.7, 0)})
    capfd.readouterr()
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="supple"):
        solve(arm, {"tip": (1.1, 0.7, 0)})
    assert capfd.readouterr() == ("", "")
    assert not [r for r in caplog.records if r.name.startswith("supple")]


# Bad input


def arm_():
    return supple.chain([1, 1], joint=Hinge("z", limits=(-2.6, 2.6)))


TARGET = {"tip": (1.2, 0.7, 0)}
BAD = {
    "unknown effector": (({"tipp": (1, 1, 0)},), {}, r"unknown effector 'tipp'.*did you mean 'tip'"),
    "number as effector": (({3: (1, 1, 0)},), {}, r"unknown effector 3"),
    "unknown root": ((Reach("tip", (1, 1, 0), root="j00"),), {}, r"unknown root joint 'j00'.*did you mean 'j0'"),
    "wrong shape": (({"tip": (1, 1)},), {}, r"target of 'tip': expected.*\(\.\.\., 3\), got shape \(2,\)"),
    "NaN target": (({"tip": (1, np.nan, 0)},), {}, r"target of 'tip': .*nan at \[1\]"),
    "text target": (({"tip": "far"},), {}, r"target of 'tip'.*'far'"),
    "no target": (({"tip": None},), {}, r"Reach 'tip' has no target: give one, or use supple.prepare"),
    "open pole": (([Reach("tip", (1, 1, 0)), Pole("j1")],), {}, r"Pole 'j1' has no target"),
    "open look": ((LookAt("tip"),), {}, r"LookAt 'tip' has no target"),
    "no goals": (([],), {}, r"at least one Reach or LookAt.*got none"),
    "empty mapping": (({},), {}, r"at least one Reach or LookAt.*got none"),
    "text for goals": (("tip",), {}, r"goals: expected Reach.*got 'tip'"),
    "unknown solver": ((TARGET,), {"solver": "LMM"}, r"unknown solver 'LMM'.*did you mean 'LM'"),
    "solver class": ((TARGET,), {"solver": LM}, r"solver: expected a solver, got the class LM; make one.*LM\(\)"),
    "solver number": ((TARGET,), {"solver": 3}, r"solver: expected a solver.*got 3"),
    "no solver": ((TARGET,), {"solver": None}, r"solver: expected a solver.*got None"),
    "policy": ((TARGET,), {"unreachable": "approch"}, r"unknown unreachable policy 'approch'.*did you mean 'approach'"),
    "no tolerance": ((TARGET,), {"tolerance": 0}, r"tolerance: expected a positive number, got 0"),
    "negative tolerance": ((TARGET,), {"tolerance": -1e-3}, r"tolerance: .*got -0.001"),
    "NaN tolerance": ((TARGET,), {"tolerance": np.nan}, r"tolerance: .*got nan"),
    "list of tolerances": ((TARGET,), {"tolerance": [1e-3]}, r"tolerance: .*got \[0.001\]"),
    "orientation tolerance": ((TARGET,), {"orientation_tolerance": None}, r"orientation_tolerance: .*got None"),
    "lock text": ((TARGET,), {"lock": "j0"}, r"lock: expected a list of joint names, got the single text 'j0'"),
    "lock tip": ((TARGET,), {"lock": ["tip"]}, r"unknown joint to lock 'tip'"),
    "lock unknown": ((TARGET,), {"lock": ["j00"]}, r"unknown joint to lock 'j00'.*did you mean 'j0'"),
    "lock number": ((TARGET,), {"lock": 1}, r"lock: expected a list of joint names, got 1"),
    "lock everything": ((TARGET,), {"lock": ["j0", "j1"]}, r"nothing can move 'tip'"),
    "other start": ((TARGET,), {"start": supple.chain([1, 1, 1]).rest}, r"start: .*got one of .*3 joints"),
    "coordinates as start": ((TARGET,), {"start": (0.1, 0.2)}, r"start: expected a supple.Pose, got a tuple"),
    "blend": ((TARGET,), {"blend": 1.5}, r"blend: expected a number from 0 to 1, got 1.5"),
    "NaN blend": ((TARGET,), {"blend": np.nan}, r"blend: expected a number from 0 to 1, got nan"),
    "no solutions": ((TARGET,), {"solutions": 0}, r"solutions: expected a whole number from 1, got 0"),
    "half a solution": ((TARGET,), {"solutions": 1.5}, r"solutions: .*got 1.5"),
    "preference": ((TARGET,), {"prefer": "nearst"}, r"unknown preference 'nearst'.*did you mean 'nearest'"),
    "number as preference": ((TARGET,), {"prefer": 5}, r"unknown preference 5"),
    "cost of wrong shape": ((TARGET,), {"prefer": lambda start, answers: 1.0}, r"prefer: what it gives.*shape \(\)"),
    "cost of NaN": ((TARGET,), {"prefer": lambda start, answers: np.full(len(answers), np.nan)}, r"prefer: .*nan"),
    "threads": ((TARGET,), {"threads": 0}, r"threads: expected a whole number from 1, got 0"),
    "progress": ((TARGET,), {"progress": True}, r"progress: expected a function"),
    "trace of a batch": (({"tip": np.zeros((2, 3))},), {"trace": True}, r"trace: a batch has no trace"),
    "solutions of a batch": (({"tip": np.ones((2, 3))},), {"solutions": 2}, r"for single solves only"),
    "batches that do not fit": (
        ([Reach("tip", np.ones((2, 3))), LookAt("j0", np.ones((3, 3)))],), {}, r"batch axes that go together",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(name):
    goals, options, message = BAD[name]
    with pytest.raises(SuppleError, match=message) as caught:
        solve(arm_(), *goals, **options)
    assert isinstance(caught.value, ValueError)


def test_a_solution_as_start_is_told_apart(arm):
    s = solve(arm, TARGET)
    with pytest.raises(
        SuppleError, match=r"start: expected a supple.Pose, got a Solution; give its .pose"
    ):
        solve(arm, TARGET, start=s)  # type: ignore[arg-type]


@pytest.mark.parametrize("skeleton", [None, "arm", {"joints": []}, [1, 1]])
def test_a_skeleton_is_a_skeleton(skeleton):
    with pytest.raises(SuppleError, match="skeleton: expected a supple.Skeleton, got "):
        solve(skeleton, TARGET)


def test_a_bad_call_leaves_the_next_one_alone(arm):
    good = solve(arm, TARGET)
    for name in ("lock text", "no tolerance", "policy"):
        goals, options, message = BAD[name]
        with pytest.raises(SuppleError, match=message):
            solve(arm, *goals, **options)
    assert solve(arm, TARGET) == good


def test_recent_problems_are_kept_apart(arm):
    """Calls of one shape share a prepared problem; everything that matters keeps them apart."""
    ball = supple.chain([1, 1])
    cases = [
        dict(goals=Reach("tip", (1, 1, 0))),
        dict(goals=Reach("tip", (1, 1, 0), depth=1)),
        dict(goals=Reach("tip", (1, 1, 0), weight=2)),
        dict(goals=Reach("tip", (1, 1, 0), point=(0.1, 0, 0))),
        dict(goals=[Reach("tip", (1, 1, 0)), Hold("j1")]),
        dict(goals=[Reach("tip", (1, 1, 0)), Hold("j1", position=False)]),
        dict(goals=[Reach("tip", (1, 1, 0)), Rest()]),
        dict(goals=[Reach("tip", (1, 1, 0)), Rest(arm.pose({"j0": 1}))]),
        dict(goals=Reach("tip", (1, 1, 0)), lock=["j0"]),
        dict(goals=Reach("tip", (1, 1, 0)), tolerance=0.1),
        dict(goals=LookAt("tip", (1, 1, 0))),
        dict(goals=LookAt("tip", (1, 1, 0), axis="y")),
    ]  # fmt: skip
    first = [solve(arm, **case) for case in cases]
    assert [solve(arm, **case) for case in cases] == first
    again = pickle.loads(pickle.dumps((arm, cases)))
    assert [solve(again[0], **case) for case in again[1]] == first
    assert solve(ball, **cases[0]) != first[0]
