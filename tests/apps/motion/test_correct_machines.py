"""Loops, collisions and balance on top of a motion: kept in every frame, and measured on the result."""

import numpy as np
import pytest

import supple
from supple import (
    Avoid,
    Balance,
    Box,
    Connect,
    Fixed,
    Free,
    Hinge,
    Motion,
    Node,
    On,
    Plane,
    Reach,
    Status,
    Tip,
    Weld,
    correct,
)
from supple.model.masses import Mass
from supple.rotations import angle_between, from_axis_angle

FRAMES = 20


def pair_of_arms():
    """Two arms of three balls, half a metre apart."""
    nodes = [Node("base", None, joint=Fixed())]
    tips = []
    for side, x in (("L", 0.25), ("R", -0.25)):
        nodes += [
            Node(f"{side}1", "base", (x, 0, 0)),
            Node(f"{side}2", f"{side}1", (0, 0, 0.4)),
            Node(f"{side}3", f"{side}2", (0, 0, 0.4)),
        ]
        tips.append(Tip(f"{side} hand", f"{side}3", (0, 0, 0.1)))
    return supple.Skeleton(nodes, tips)


def swaying(skeleton, joints, amount=0.4):
    t = np.linspace(0.0, 2.0, FRAMES)
    values = {
        name: from_axis_angle("x", amount * np.sin(2 * t + k)) for k, name in enumerate(joints)
    }
    return Motion("sway", skeleton.rest.with_(values), fps=10.0)


def test_a_floating_body_keeps_its_root_where_the_motion_has_it():
    nodes = [Node("body", None, joint=Free())]
    tips = []
    for side, x in (("L", 0.25), ("R", -0.25)):
        nodes += [Node(f"{side}1", "body", (x, 0, 0)), Node(f"{side}2", f"{side}1", (0, 0, 0.4))]
        tips.append(Tip(f"{side} hand", f"{side}2", (0, 0, 0.4)))
    motion = swaying(supple.Skeleton(nodes, tips), ["L1", "L2"])
    goal = Reach("L hand", (0.6, 0.3, 0.9))
    still = correct(motion, goal)
    assert np.array_equal(still.motion.poses.position("body"), motion.poses.position("body"))
    assert not still.reached.any() and all("free_root" in why for why in still.reasons.values())
    free = correct(motion, goal, free_root=True)
    far = np.linalg.norm(free.motion.poses.position("body"), axis=1).max()
    assert free.reached.all() and far > 0.01
    assert free.root_moves == {"body": pytest.approx(far)}
    assert f"the root body moved by up to {far:.3g}" in free.reason


@pytest.fixture(scope="module")
def arms():
    skeleton = pair_of_arms()
    return swaying(skeleton, ["L1", "L2", "R1", "R2"])


@pytest.mark.parametrize("coherent", [False, True])
def test_hands_that_are_connected_stay_together(arms, coherent):
    found = correct(arms, [Connect("L hand", "R hand")], coherent=coherent)
    assert found.reached.all()
    gap = found.motion.poses.position("L hand") - found.motion.poses.position("R hand")
    assert np.linalg.norm(gap, axis=1).max() < 1e-6
    assert found.error == pytest.approx(np.linalg.norm(gap, axis=1), abs=1e-12)


def test_welded_hands_keep_their_turn(arms):
    turn = from_axis_angle("y", 0.3)
    found = correct(arms, [Weld("L hand", "R hand", rotation=turn)])
    assert found.reached.all()
    poses = found.motion.poses
    a, b = (poses.rotations[:, poses.skeleton.index(f"{side} hand")] for side in "LR")
    assert angle_between(supple.rotations.multiply(a, turn), b).max() < 1e-6


def test_a_loop_that_cannot_close_says_so(arms):
    found = correct(arms, [Connect("L hand", "R hand", point_a=(5, 0, 0))])
    assert (found.status == Status.OPEN_LOOP).all() and not found.reached.any()
    assert "a loop is open" in found.reasons[3]
    gap = found.error
    assert (gap > 1.0).all()


def test_a_target_on_a_moving_bone_is_measured(arms):
    target = On("R2", (0.1, 0, 0.1))
    found = correct(arms, [Reach("L hand", target)])
    assert found.reached.all() and found.error.max() < 1e-4
    far = correct(arms, [Reach("L hand", On("R hand", (5.0, 0, 0)))])
    assert not far.reached.any() and (far.error > 1.0).all()


def test_hands_stay_out_of_obstacles(arms):
    """A target inside a box is approached, and no frame goes in."""
    box = Box(center=(0.25, 0.4, 0.7), size=(0.3, 0.3, 0.3))
    goals = [Reach("L hand", (0.25, 0.4, 0.7), root="L1")]
    plain = correct(arms, goals)
    assert plain.reached.all()
    found = correct(arms, [*goals, Avoid(0.01, obstacles=[box])])
    assert not found.reached.any() and (found.error > 0.1).all()
    hand = found.motion.poses.position("L hand")
    outside = np.abs(hand - np.array(box.center)).max(axis=1) - 0.15
    assert outside.min() > 0.0 and not found.collisions


def test_a_collision_that_cannot_be_solved_names_its_pair(arms):
    floor = Plane((0, 0, 0.5), (0, 0, 1))
    found = correct(arms, [Reach("L hand", (0.25, 0.2, 0.8)), Avoid(obstacles=[floor])])
    assert (found.status == Status.COLLIDES).all()
    assert set(found.collisions) == set(range(FRAMES))
    assert {one.b for one in found.collisions.values()} == {"obstacle 0 (Plane)"}
    assert min(one.depth for one in found.collisions.values()) > 0.1
    kept = correct(
        arms, [Reach("L hand", (0.25, 0.2, 0.8)), Avoid(obstacles=[floor])], unreachable="keep"
    )
    assert kept.motion.poses == arms.poses and not kept.reached.any()


def test_a_kept_frame_that_collides_is_not_reached(arms):
    """The animation meets the goal, but collides: that is not reached."""
    goal = Reach("L hand", arms.poses.position("L hand"))
    found = correct(arms, [goal, Avoid(obstacles=[Plane((0, 0, 0.5))])], unreachable="keep")
    assert found.error.max() < 1e-12
    assert (found.status == Status.COLLIDES).all()


def test_balance_holds_in_every_frame():
    skeleton = supple.Skeleton(
        [
            Node("foot", None, joint=Fixed()),
            Node("hips", "foot", (0, 0, 0.5), joint=supple.Ball()),
            Node("spine", "hips", (0, 0, 0.6), joint=supple.Ball()),
            Node("jib", "spine", (0, 0, 0.6), joint=Hinge("y")),
        ],
        [Tip("hook", "jib", (1.0, 0, 0))],
    ).with_physics(
        masses={"hips": Mass(10.0, (0, 0, 0.3)), "spine": Mass(10.0, (0, 0, 0.3)),
                "jib": Mass(8.0, (0.5, 0, 0))}
    )  # fmt: skip
    motion = swaying(skeleton, ["hips", "spine"], 0.1)
    square = [(-0.3, -0.3, 0), (0.3, -0.3, 0), (0.3, 0.3, 0), (-0.3, 0.3, 0)]
    goals = [Reach("hook", (1.2, 0.2, 1.2))]

    def inside(poses):
        return 0.3 - np.abs(poses.center_of_mass[:, :2]).max(axis=1)

    assert inside(correct(motion, goals).motion.poses).min() < 0.05
    found = correct(motion, [*goals, Balance(support=square, margin=0.05)])
    assert found.reached.all() and found.off_balance.max() == 0.0
    assert inside(found.motion.poses).min() >= 0.05 - 1e-9
    tiny = [(x + 2.0, y, z) for x, y, z in square]
    fallen = correct(motion, [*goals, Balance(support=tiny)])
    assert (fallen.status == Status.UNBALANCED).all()
    assert fallen.off_balance.min() > 0.1 and "centre of mass" in fallen.reasons[0]
