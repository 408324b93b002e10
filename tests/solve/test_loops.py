"""Loops that stay closed: Connect, Weld, a model's own, and targets on other bones."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import Connect, Fixed, Hinge, Node, On, Reach, Tip, Weld
from supple.model.loops import Loop

ROCKER = 2.5


def four_bar(*loops: Loop) -> supple.Skeleton:
    """A crank of 1, a coupler of 3.5 and a rocker of 2.5 on a ground of 4, in the plane."""
    skeleton = supple.Skeleton(
        [
            Node("base", None, joint=Fixed()),
            Node("crank", "base", joint=Hinge("z")),
            Node("coupler", "crank", (1, 0, 0), joint=Hinge("z")),
            Node("rocker", "base", (4, 0, 0), joint=Hinge("z")),
        ],
        [Tip("end", "coupler", (3.5, 0, 0)), Tip("top", "rocker", (0, ROCKER, 0))],
    )
    return skeleton.with_physics(loops=loops) if loops else skeleton


def crank_at(angle: float) -> tuple[float, float, float]:
    return (np.cos(angle), np.sin(angle), 0.0)


@pytest.mark.parametrize("angle", np.linspace(0.0, 6.0, 13))
def test_a_four_bar_follows_its_crank(angle):
    found = supple.solve(four_bar(), [Reach("coupler", crank_at(angle)), Connect("end", "top")])
    assert found.reached
    assert np.allclose(found.position("end"), found.position("top"), atol=1e-6)
    assert np.isclose(np.linalg.norm(found.position("top") - (4, 0, 0)), ROCKER)


def test_a_model_s_own_loop_holds_in_every_solve():
    loop = Loop("connect", "coupler", "rocker", (3.5, 0, 0), (0, ROCKER, 0))
    skeleton = four_bar(loop)
    found = supple.solve(skeleton, {"coupler": crank_at(1.0)})
    assert found.reached
    assert np.allclose(found.position("end"), found.position("top"), atol=1e-6)
    assert "rocker" in found.asked.moving


def test_a_loop_counts_before_the_goals():
    """A target that only an open loop could reach: the loop stays closed, the goal is missed."""
    found = supple.solve(four_bar(), [Reach("coupler", (0.0, 5.0, 0.0)), Connect("end", "top")])
    assert not found.reached
    assert np.allclose(found.position("end"), found.position("top"), atol=1e-6)


@pytest.mark.parametrize(
    ("rotation", "target"),
    [
        ((0.50, 0.64, -0.34, -0.49), (0.84, 0.20, 0.86)),
        ((-0.69, -0.22, 0.68, -0.02), (0.53, 0.75, 1.75)),
        ((0.32, -0.44, 0.44, -0.72), (1.78, 1.64, -0.11)),
        ((0.71, -0.15, -0.22, -0.66), (-0.85, -0.44, -0.57)),
    ],
)
def test_a_weld_that_can_close_is_closed_though_a_target_is_out_of_reach(rotation, target):
    body = supple.humanoid().skeleton
    weld = Weld("hand.L", "hand.R", rotation=np.array(rotation) / np.linalg.norm(rotation))
    found = supple.solve(body, [weld, Reach("hand.L", target)])
    assert found.status is supple.Status.TOO_FAR
    assert found.errors[:2].max() <= 2e-7
    alone = supple.solve(body, [weld])
    assert alone.reached
    assert found.errors[2] < np.linalg.norm(alone.position("hand.L") - target)


def test_a_loop_that_cannot_close_says_by_how_much():
    skeleton = four_bar()
    too_far = Connect("end", "top", point_b=(0.0, 9.0, 0.0))
    found = supple.solve(skeleton, [Reach("coupler", crank_at(1.0)), too_far])
    assert found.status is supple.Status.OPEN_LOOP
    gap = np.linalg.norm(
        found.position("end") - (found.pose.frames[skeleton.index("top")] @ (0, 9, 0, 1))[:3]
    )
    assert f"{gap:.3g}" in found.reason
    assert "end and top" in found.reason


def test_a_weld_holds_the_orientation_too():
    arms = supple.Skeleton(
        [Node("chest", None, joint=Fixed())]
        + [
            Node(f"{side}{n}", f"{side}{n - 1}" if n else "chest", offset, joint=supple.Ball())
            for side, offsets in (("l", ((0, 1, 0), (1, 0, 0), (1, 0, 0))),
                                  ("r", ((0, -1, 0), (1, 0, 0), (1, 0, 0))))
            for n, offset in enumerate(offsets)
        ]
    )  # fmt: skip
    half = np.sqrt(0.5)
    weld = Weld("l2", "r2", rotation=(half, 0.0, 0.0, half))
    found = supple.solve(arms, [Reach("l2", (1.2, 0.2, 0.3)), weld])
    assert found.reached
    assert np.allclose(found.position("l2"), found.position("r2"), atol=1e-6)
    turned = supple.rotations.multiply(found.pose.rotation("l2"), weld.rotation)
    assert supple.rotations.angle_between(turned, found.pose.rotation("r2")) < 1e-6


def test_a_target_on_another_bone_moves_with_it():
    goals = [Reach("end", On("top")), Reach("top", (2.5, 2.0, 0.0))]
    skeleton = four_bar()
    found = supple.solve(skeleton, goals)
    assert np.linalg.norm(found.position("end") - found.position("top")) < 1e-3
    alone = supple.solve(skeleton, [Reach("end", On("top"))])
    assert alone.asked.moving == ("crank", "coupler")  # only the effector's own branch is freed


def head_and_arm() -> supple.Skeleton:
    """A neck with an eye, and an arm of three balls beside it."""
    arm = [Node(f"a{n}", f"a{n - 1}" if n else "chest", (0.8 * (n > 0), 0.3 * (n == 0), 0), supple.Ball())
           for n in range(3)]  # fmt: skip
    head = Node("head", "chest", (0, 0, 0.4), supple.Ball())
    tips = [Tip("hand", "a2", (0.8, 0, 0)), Tip("eye", "head", (0.1, 0, 0.1))]
    return supple.Skeleton([Node("chest", None, joint=Fixed()), head, *arm], tips)


def test_an_eye_follows_a_hand_that_moves():
    skeleton = head_and_arm()
    look = supple.LookAt("eye", On("hand", (0.1, 0, 0)))
    found = supple.solve(skeleton, [Reach("hand", (1.0, 1.2, 0.7)), look])
    assert found.reached
    seen = found.pose.frames[skeleton.index("hand")] @ (0.1, 0, 0, 1)
    way = seen[:3] - found.position("eye")
    axis = found.pose.frames[skeleton.index("eye")][:3, 0]
    assert np.linalg.norm(np.cross(way, axis)) <= 1.1e-4 * np.linalg.norm(way) and way @ axis > 0
    assert supple.LookAt("eye", On("hand")) == supple.LookAt("eye", On("hand"))
    ik = supple.prepare(skeleton, [Reach("hand"), look])
    assert ik.arguments == ((0, "target"),)
    path = np.linspace((1.0, 1.2, 0.7), (1.5, 0.0, -0.3), 5)
    assert np.all(ik.track(path).solution.reached)


def test_a_limb_bends_towards_another_bone():
    skeleton = head_and_arm()
    goals = [Reach("hand", (1.2, 0.6, 0.2)), supple.Pole("a1", On("eye", (0, 0, 1.0)))]
    found = supple.solve(skeleton, [*goals, supple.LookAt("head", (0, 0, 5.0))])
    aim = (found.pose.frames[skeleton.index("eye")] @ (0, 0, 1.0, 1))[:3]
    fixed = supple.solve(
        skeleton, [goals[0], supple.Pole("a1", aim), supple.LookAt("head", (0, 0, 5.0))]
    )
    assert found.reached and found.errors[1] < 0.05
    assert np.allclose(found.position("a1"), fixed.position("a1"), atol=0.1)


def test_a_corrected_motion_keeps_its_loops_and_says_where_it_does_not():
    skeleton = four_bar()
    turning = [supple.solve(skeleton, [Reach("coupler", crank_at(a)), Connect("end", "top")]).pose
               for a in np.linspace(0.2, 0.6, 5)]  # fmt: skip
    motion = supple.Motion(skeleton, supple.Pose.stack(turning), fps=10.0)
    path = np.array([crank_at(a) for a in np.linspace(0.3, 0.9, 5)])
    found = supple.correct(motion, [Reach("coupler", path), Connect("end", "top")])
    assert found.reached.all()
    ends = found.motion.poses.position("end") - found.motion.poses.position("top")
    assert np.abs(ends).max() < 1e-6
    apart = Connect("end", "top", point_b=(0.0, 9.0, 0.0))
    broken = supple.correct(motion, [Reach("coupler", path), apart])
    assert np.all(broken.status == supple.Status.OPEN_LOOP)


def test_loops_come_before_collisions():
    """Hands that are held together touch: the loop is closed, and the collision is told."""
    nodes = [supple.Node("base", None, joint=supple.Fixed())]
    tips = []
    for side, x in (("L", 0.2), ("R", -0.2)):
        nodes += [
            supple.Node(f"{side}1", "base", (x, 0.4, 0)),
            supple.Node(f"{side}2", f"{side}1", (0, 0, 0.4)),
        ]
        tips.append(supple.Tip(f"{side} hand", f"{side}2", (0, 0, 0.4)))
    skeleton = supple.Skeleton(nodes, tips)
    found = supple.solve(skeleton, [Connect("L hand", "R hand"), supple.Avoid()])
    assert found.error < 1e-6 and found.status is supple.Status.COLLIDES
    assert found.collision is not None and {found.collision.a, found.collision.b} == {"L2", "R2"}
    far = supple.solve(skeleton, [Connect("L hand", "R hand", point_a=(3, 0, 0)), supple.Avoid()])
    assert far.status is supple.Status.OPEN_LOOP


def test_batches_and_single_calls_agree():
    skeleton = four_bar()
    ik = supple.prepare(skeleton, [Reach("coupler"), Connect("end", "top")])
    targets = np.array([crank_at(a) for a in np.linspace(0.0, 3.0, 7)])
    batch = ik.solve(targets, threads=1)
    for k, target in enumerate(targets):
        assert np.array_equal(ik(target).pose.coordinates, batch[k].pose.coordinates)


def test_solvers_that_cannot_close_loops_say_who_can():
    with pytest.raises(supple.SuppleError, match="CCD cannot take loop goals; LM can"):
        supple.solve(
            four_bar(), [Reach("coupler", crank_at(1.0)), Connect("end", "top")], solver="ccd"
        )


def test_the_order_of_goals_does_not_matter():
    goals = [Reach("coupler", crank_at(2.0)), Connect("end", "top")]
    first, second = (supple.solve(four_bar(), some) for some in (goals, goals[::-1]))
    assert np.array_equal(first.pose.coordinates, second.pose.coordinates)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Connect("end", "end"), "expected two bones"),
        (lambda: Connect("end", "top", point_a=(1, 2)), "point_a of Connect 'end' and 'top'"),
        (lambda: Weld("end", "top", rotation=(1, 1, 0, 0)), "rotation of Weld"),
        (lambda: supple.solve(four_bar(), [Connect("end", "tpo")]), "did you mean 'top'"),
    ],
)
def test_bad_loops_are_refused(make, message):
    with pytest.raises(supple.SuppleError, match=message):
        make()
