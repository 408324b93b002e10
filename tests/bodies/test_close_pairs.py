"""Bones with one or two joints between them: tables of their geoms' gaps, and what `Avoid` makes of them."""

import itertools

import numpy as np
import pytest

import supple
from supple import Avoid, Geom, Hinge, Node, Pose, Reach, Skeleton, Slider, Tip
from supple.bodies.close_pairs import axes_between
from supple.bodies.pairs import contacts_of
from supple.problem.lowering import Problem


def arm(low=-2.6, high=2.6):
    """Two long boxes and a short one at the elbow: the forearm can fold back into the upper arm."""
    return Skeleton(
        [
            Node("upper", None, (0, 0, 0), Hinge("z")),
            Node("elbow", "upper", (1.0, 0, 0), Hinge("z", limits=(low, high))),
            Node("forearm", "elbow", (0.05, 0, 0), Hinge("z", limits=(-1.5, 1.5))),
        ],
        [Tip("hand", "forearm", (0.9, 0, 0))],
    ).with_physics(
        geoms=[
            Geom("box", "upper", (0.475, 0.1, 0.3), position=(0.475, 0, 0)),
            Geom("box", "elbow", (0.03, 0.03, 0.03)),
            Geom("box", "forearm", (0.4, 0.1, 0.3), position=(0.45, 0, 0)),
        ]
    )


def gripper():
    return Skeleton(
        [
            Node("wrist", None, (0, 0, 0), Hinge("z")),
            Node("palm", "wrist", (0.5, 0, 0), Hinge("z", limits=(-1, 1))),
            Node("left", "palm", (0.1, 0.05, 0), Slider("y", limits=(-0.2, 0.2))),
            Node("right", "palm", (0.1, -0.05, 0), Slider("y", limits=(-0.2, 0.2))),
        ],
        [Tip("tip", "left", (0.1, 0, 0)), Tip("other", "right", (0.1, 0, 0))],
    ).with_physics(
        geoms=[Geom("box", name, (0.1, 0.04, 0.04)) for name in ("wrist", "left", "right")]
    )


def rectangles_overlap(pose, nearer=0.0):
    """Whether the upper arm and the forearm overlap or are nearer, by the axes of two rectangles."""
    corners = []
    for name, middle, half in (("upper", 0.475, 0.475), ("forearm", 0.45, 0.4)):
        local = [(middle + sx * half, sy * 0.1, 0) for sx in (-1, 1) for sy in (-1, 1)]
        k = pose.skeleton.index(name)
        corners.append(pose.positions[k] + supple.rotations.rotate(pose.rotations[k], local))
    for k in (pose.skeleton.index("upper"), pose.skeleton.index("forearm")):
        for axis in np.eye(3)[:2]:
            way = supple.rotations.rotate(pose.rotations[k], axis)
            (a, b), (c, d) = (((p @ way).min(), (p @ way).max()) for p in corners)
            if b + nearer < c or d + nearer < a:
                return False
    return True


def table(skeleton, one, other):
    (found,) = contacts_of(skeleton).tables
    assert found.joints == (skeleton.index(one), skeleton.index(other))
    return found


def test_the_sign_of_a_table_is_that_of_the_geoms():
    skeleton = arm()
    found = table(skeleton, "upper", "forearm")
    assert [axis.coordinate for axis in found.axes] == [1, 2]
    rng = np.random.default_rng(1)
    q = np.stack(
        [rng.uniform(-3, 3, 600), rng.uniform(-2.6, 2.6, 600), rng.uniform(-1.5, 1.5, 600)], 1
    )
    overlap = np.array([rectangles_overlap(Pose(skeleton, one)) for one in q])
    gap = found.read(q)
    assert 50 < overlap.sum() < 550
    assert np.all(gap[overlap] < 1e-3)  # never taken for free
    assert np.all(gap[~overlap] > -0.05)
    assert np.mean((gap < 0) == overlap) > 0.98


def test_siblings_have_a_table_over_both_their_slides():
    skeleton = gripper()
    found = table(skeleton, "left", "right")
    assert [axis.slides for axis in found.axes] == [True, True]
    for a, b in itertools.product((-0.1, 0.0, 0.13), repeat=2):
        q = np.array([0.3, 0.2, a, b])
        assert found.read(q) == pytest.approx(abs(0.1 + a - b) - 0.08, abs=2e-3)


def test_a_joint_that_turns_all_the_way_wraps_around():
    skeleton = arm(-np.inf, np.inf)
    found = table(skeleton, "upper", "forearm")
    assert found.axes[0].turns
    assert found.read(np.array([0, 1.0, 0.3])) == pytest.approx(
        float(found.read(np.array([0, 1.0 + 4 * np.pi, 0.3])))
    )


def test_only_close_pairs_with_one_or_two_numbers_have_a_table():
    skeleton = arm()
    names = skeleton.joint_names
    close = [tuple(names[j] for j in one.joints) for one in contacts_of(skeleton).tables]
    assert close == [("upper", "forearm")]
    ball = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge("z")),
            Node("b", "a", (0.2, 0, 0), supple.Ball()),
            Node("c", "b", (0.2, 0, 0), Hinge("z")),
        ]
    ).with_physics(geoms=[Geom("box", name, (0.2, 0.2, 0.2)) for name in "abc"])
    assert axes_between(ball, 0, 2) == () and contacts_of(ball).tables == ()


def targets(skeleton, count):
    """Poses whose geoms are free, by more than tables are off, and bent."""
    rng, found = np.random.default_rng(2), []
    while len(found) < count:
        q = np.array([rng.uniform(-1, 1), rng.uniform(-2.6, 2.6), rng.uniform(-1.5, 1.5)])
        pose = Pose(skeleton, q)
        if not rectangles_overlap(pose, 0.005) and abs(q[1] + q[2]) > 1.0:
            found.append(pose)
    return found


def test_avoid_keeps_a_forearm_out_of_the_upper_arm():
    skeleton = arm()
    poses = targets(skeleton, 40)
    plain = supple.prepare(skeleton, [Reach("hand", supple.OPEN)])
    kept = supple.prepare(skeleton, [Reach("hand", supple.OPEN), Avoid()])
    hands = [pose.position("hand") for pose in poses]
    assert any(rectangles_overlap(plain(hand).pose) for hand in hands)
    solutions = [kept(hand) for hand in hands]
    assert not any(rectangles_overlap(one.pose) for one in solutions)
    assert all(one.reached for one in solutions)


def test_a_fold_that_cannot_be_mended_names_the_close_pair():
    skeleton = arm()
    goals = [Reach("hand", (0.2, 0.0, 0.0)), Avoid()]
    problem = Problem(skeleton, goals)
    assert problem.bodies.names == [("upper", "forearm")]
    locked = Problem(skeleton, goals, lock=("elbow", "forearm"))
    assert locked.bodies.tables == []
    start = Pose(skeleton, [0.0, 2.6, 1.5])
    assert rectangles_overlap(start)
    solution = supple.solve(skeleton, goals, start=start, lock=("elbow",))
    assert not rectangles_overlap(solution.pose) or solution.status is supple.Status.COLLIDES
    if solution.status is supple.Status.COLLIDES:
        assert "upper" in str(solution) and "forearm" in str(solution)


def test_a_margin_is_kept_as_far_as_the_pair_can_be_apart():
    skeleton = arm()
    found = table(skeleton, "upper", "forearm")
    most = float(found.gaps.max())
    goals = [Reach("hand", (1.0, 0.5, 0.0))]
    for margin, own in ((0.01, 0.01), (10.0, most / 2)):
        (one,) = Problem(skeleton, [*goals, Avoid(margin)]).bodies.tables
        assert np.allclose(one.gaps - margin, found.gaps - own)


def test_given_capsules_and_pairs_stand_for_themselves():
    skeleton = arm()
    reach = Reach("hand", (1.0, 0.5, 0.0))
    assert len(Problem(skeleton, [reach, Avoid()]).bodies.tables) == 1
    assert not Problem(skeleton, [reach, Avoid(pairs=[("upper", "forearm")])]).bodies.tables
    assert not Problem(skeleton, [reach, Avoid(capsules=skeleton.capsules)]).bodies.tables
    own = skeleton.with_physics(capsules=skeleton.capsules)
    assert not Problem(own, [reach, Avoid()]).bodies.tables


def test_pairs_that_are_free_everywhere_have_no_table():
    skeleton = arm(-0.3, 0.3)
    assert len(contacts_of(skeleton).tables) == 1
    goals = [Reach("hand", (1.0, 0.5, 0.0)), Avoid()]
    narrow = Skeleton(
        [
            Node("upper", None, (0, 0, 0), Hinge("z")),
            Node("elbow", "upper", (1.0, 0, 0), Hinge("z", limits=(-0.3, 0.3))),
            Node("forearm", "elbow", (0.05, 0, 0), Hinge("z", limits=(-0.3, 0.3))),
        ],
        [Tip("hand", "forearm", (0.9, 0, 0))],
    ).with_physics(geoms=skeleton.geoms)
    assert Problem(narrow, goals).bodies.tables == []
