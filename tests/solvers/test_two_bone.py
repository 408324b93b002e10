"""The closed form: every quadrant, both elbows, poles, soft reach, limits on the middle joint."""

import math

import numpy as np
import pytest

import supple
from supple import Ball, Hinge, Pole, Reach, Status, TwoBone, rotations


def arm(lengths=(1.0, 0.8), joint=None):
    return supple.chain(list(lengths), joint=joint or Ball())


def solve(skeleton, goals, **options):
    start = options.pop("start", None)
    if isinstance(goals, tuple):
        goals = {"tip": goals}
    return supple.solve(skeleton, goals, solver=TwoBone(**options), start=start)


@pytest.mark.parametrize("joint", [Ball(), Hinge("z")], ids=["balls", "hinges"])
@pytest.mark.parametrize("degrees", range(0, 360, 15))
def test_every_quadrant(degrees, joint):
    for distance in (0.2, 0.7, 1.3, 1.79):
        angle = math.radians(degrees)
        target = (distance * math.cos(angle), distance * math.sin(angle), 0.0)
        s = solve(arm(joint=joint), target)
        assert s.reached
        assert s.error < 1e-9
        assert np.allclose(s.position("tip"), target, atol=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_elbow_stays_on_the_side_it_bends_to(side):
    skeleton = arm(joint=Hinge("z"))
    start = skeleton.pose({"j0": 0.3, "j1": 0.6 * side})
    s = solve(skeleton, (0.9, 0.7, 0.0), start=start)
    assert s.reached
    assert math.copysign(1.0, s.angles[1]) == side


def test_unequal_lengths_from_the_law_of_cosines():
    a, b, c = 2.0, 1.3, 2.4
    s = solve(arm((a, b), Hinge("z")), (c, 0.0, 0.0))
    bend = math.pi - math.acos((a * a + b * b - c * c) / (2 * a * b))
    assert abs(s.angles[1]) == pytest.approx(bend, abs=1e-9)


def test_the_pole_says_where_the_elbow_points():
    rng = np.random.default_rng(3)
    skeleton = arm()
    for _ in range(50):
        target, aside = rng.normal(size=3), rng.normal(size=3)
        target *= rng.uniform(0.3, 1.7) / np.linalg.norm(target)
        pole = 2.0 * np.cross(target, aside) + 0.3 * target
        s = solve(skeleton, [Reach("tip", target), Pole("j1", pole)])
        assert s.reached
        line = target / np.linalg.norm(target)
        elbow, wish = (v - np.dot(v, line) * line for v in (s.position("j1"), pole))
        cosine = elbow @ wish / np.linalg.norm(elbow) / np.linalg.norm(wish)
        assert cosine == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("target", "status", "error"),
    [
        ((5.0, 0.0, 0.0), Status.TOO_FAR, 3.2),
        ((0.0, 1.9, 0.0), Status.TOO_FAR, 0.1),
        ((0.05, 0.0, 0.0), Status.TOO_NEAR, 0.15),
        ((0.0, 0.0, 0.0), Status.TOO_NEAR, 0.2),
    ],
)
def test_out_of_reach_is_as_near_as_it_gets(target, status, error):
    s = solve(arm(), target)
    assert s.status is status
    assert s.error == pytest.approx(error, abs=1e-6)


@pytest.mark.parametrize("target", [(1.8, 0, 0), (-1.8, 0, 0), (0.2, 0, 0), (0, 0, -1.8)])
def test_straight_and_folded_are_exact(target):
    assert solve(arm(), target).error < 1e-6


def test_equal_bones_fold_onto_the_root():
    s = solve(arm((1.0, 1.0)), (0.0, 0.0, 0.0))
    assert s.reached
    assert np.isfinite(s.pose.coordinates).all()


def test_limits_of_the_middle_joint_hold():
    skeleton = arm(joint=[Hinge("z"), Hinge("z", limits=(0.5, 1.0))])
    rng = np.random.default_rng(5)
    for _ in range(100):
        s = solve(skeleton, tuple(rng.uniform(-1.8, 1.8, 2)) + (0.0,))
        assert 0.5 - 1e-9 <= s.angles[1] <= 1.0 + 1e-9
    bent = supple.Pose(skeleton, (0.4, 0.8))
    assert solve(skeleton, tuple(bent.position("tip"))).reached


def test_softening_keeps_the_elbow_from_snapping():
    """Near full reach the plain elbow's angle has a slope without bound; the softened one has not."""
    skeleton = arm((1.0, 1.0), Hinge("z"))
    distances = np.linspace(1.8, 1.999, 200)

    def bends(**options):
        return np.array([solve(skeleton, (d, 0.0, 0.0), **options).angles[1] for d in distances])

    plain, soft = (np.abs(np.diff(bends(**one))) for one in ({}, {"soften": 0.2}))
    assert soft.max() < 0.5 * plain.max()
    assert np.all(np.isfinite(soft))


def test_blending_goes_part_of_the_way():
    skeleton = arm()
    whole = supple.solve(skeleton, {"tip": (0.5, 0.9, 0.3)}, solver="TwoBone")
    half = supple.solve(skeleton, {"tip": (0.5, 0.9, 0.3)}, solver="TwoBone", blend=0.5)
    turned = rotations.angle_between(whole.pose.local_rotations, skeleton.rest.local_rotations)
    part = rotations.angle_between(half.pose.local_rotations, skeleton.rest.local_rotations)
    assert np.allclose(part, 0.5 * turned, atol=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_every_size(size):
    s = solve(arm((size, 0.8 * size)), (0.3 * size, -0.9 * size, 0.4 * size))
    assert s.reached


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(supple.SuppleError, match="TwoBone cannot take .*LM"):
        supple.solve(supple.chain([1, 1, 1]), {"tip": (1, 1, 0)}, solver="TwoBone")


@pytest.mark.parametrize("pole", [False, True], ids=["no pole", "pole"])
def test_a_batch_has_the_bits_of_single_calls(pole):
    """More targets than are worked on together; some behind the root, out of reach or at the root."""
    goals = [Reach("tip"), Pole("j1", (0.3, 2.0, 1.0))] if pole else [Reach("tip")]
    targets = np.random.default_rng(4).normal(size=(75, 3))
    targets[5], targets[33], targets[64] = (0.0, 0.0, 0.0), (-1.1, 0.0, 0.0), (0.0, 9.0, 0.0)
    ik = supple.prepare(arm(), goals, solver="TwoBone")
    many = ik.solve(targets)
    assert 0 < np.sum(many.reached) < len(targets)
    for i, target in enumerate(targets):
        one = ik(target)
        assert np.array_equal(one.pose.coordinates, many[i].pose.coordinates)
        assert one.error == many[i].error
        assert one.status is many[i].status


@pytest.mark.parametrize("joint", [Ball(), Hinge("z", limits=(-2.0, 2.0)), supple.Axes("xyz")])
def test_a_trace_changes_neither_answer_nor_error(joint):
    ik = supple.prepare(arm(joint=joint), [Reach("tip")], solver="TwoBone")
    for target in ((0.9, 0.7, 0.0), (2.5, 0.3, 0.0)):
        plain, traced = ik.solve(target), ik.solve(target, trace=True)
        assert np.array_equal(plain.pose.coordinates, traced.pose.coordinates)
        assert plain.error == traced.error
