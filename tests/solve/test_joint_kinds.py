"""Joints of every kind, and poses with offsets and scales of their own."""

import math

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
    Jacobian,
    LookAt,
    Node,
    Optimize,
    Planar,
    Pose,
    Reach,
    Skeleton,
    Slider,
    Status,
    SuppleError,
    Tip,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


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


def mimic_rig(rng):
    """Hinges of which every second copies one before it, with a tip, in random places."""
    turn = rotations.from_rotation_vector
    nodes = []
    for k in range(2 * int(rng.integers(1, 3))):
        mimic = (f"j{k - 1}", float(rng.choice([-1.0, 0.37, 0.5, 2.0])), 0.1 * k) if k % 2 else None
        limits = (-2.4, 2.0) if mimic is None else None
        joint = Hinge(rng.normal(size=3), limits=limits, mimic=mimic)
        parent = f"j{k - 1}" if k else None
        nodes.append(Node(f"j{k}", parent, rng.normal(size=3), joint, turn(rng.normal(size=3))))
    return Skeleton(nodes, [Tip("tip", nodes[-1].name, rng.normal(size=3))])


@pytest.mark.parametrize(
    "solver",
    ["auto", LM(restarts=0), Jacobian(), Jacobian(method="dls", restarts=2), Optimize()],
    ids=["auto", "LM", "pinv", "dls", "Optimize"],
)
def test_mimic_joints_follow_to_the_last_bit_in_every_answer(solver):
    for number in range(10 if isinstance(solver, Optimize) else 60):
        rng = np.random.default_rng(number)
        rig = mimic_rig(rng)
        start = Pose.from_angles(rig, rng.uniform(-1, 1, rig.packed.freedom_count))
        target = 3.0 * rng.normal(size=3)
        last = rig.joint_names[-1]
        for goals in (
            [Reach("tip", target)],
            [LookAt("tip", target, axis="x")],
            [LookAt("tip", target, axis="x"), Hold(last, orientation=False)],
        ):
            s = solve(rig, goals, start=start, solver=solver)
            again = Pose.from_angles(rig, s.angles)
            assert again.coordinates.tolist() == s.pose.coordinates.tolist()
            assert s.pose.violations().max() < 1e-12


def test_open_joints_are_looked_for_as_far_as_they_can_differ():
    # The copy turns half as fast: the pose repeats after two turns of what it copies.
    geared = Skeleton(
        [
            Node("j0", None, (0, 0, 0), Hinge((0.4, -0.9, 0.1))),
            Node("j1", "j0", (-0.06, 0.1, -0.05), Hinge((0, -0.7, -0.7), mimic=("j0", 0.5, 0))),
            Node("j2", "j1", (0.12, -0.07, 0.01), Hinge("x", limits=(-1.6, 1.3))),
        ],
        [Tip("tip", "j2", (0, 0.08, 0.1))],
    )
    # A free slider: its answer may be far from where it starts.
    rail = Skeleton(
        [
            Node("rail", None, (0, 0, 0), Slider((0.5, 0.8, -0.2))),
            Node("arm", "rail", (0, 0, 0), Hinge((-0.5, -0.3, -0.8), limits=(-1.6, 2.3))),
        ],
        [Tip("tip", "arm", (0.4, -0.3, 0.2))],
    )
    rng = np.random.default_rng(0)
    count = 200
    for rig, low, high, shift in (
        (geared, (-math.pi, -1.6), (math.pi, 1.3), (0.0, 0.0)),
        (rail, (-0.6, -1.6), (0.6, 2.3), (10.0, 0.0)),
    ):
        targets = Pose.from_angles(rig, rng.uniform(low, high, (count, 2))).position("tip")
        start = Pose.from_angles(rig, rng.uniform(low, high, (count, 2)) + shift)
        s = solve(rig, {"tip": targets}, start=start)
        assert s.reached.all(), s.reason


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
