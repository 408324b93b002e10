"""The best turn of one joint: inside its limits, and no sampled turn is better."""

import math

import numpy as np
import pytest

from supple.kernels import quaternion as quat
from supple.kernels.best_turn import (
    Aim,
    Cone,
    Tip,
    axis_turn,
    ball_turn,
    best_angle,
    cone_turn,
    coordinate_step,
    cost_at,
    seen_from,
    turned_about,
)
from supple.kernels.joint import swing_twist_angles
from supple.kernels.quadrants import Quadrants

HERE = (0.0, 0.0, 0.0)


def round_cone(axis, swing, low, high):
    none = Quadrants(HERE, HERE, HERE, 0.0, 0.0, 0.0, 0.0, low, high)
    return Cone(axis, swing, low, high, False, none)


def vector(rng):
    return tuple(rng.normal(size=3).tolist())


def unit(rng, count):
    v = rng.normal(size=count)
    return tuple((v / np.linalg.norm(v)).tolist())


def drawn(rng, facing):
    return Tip(vector(rng), unit(rng, 4)), Aim(vector(rng), unit(rng, 4), 1.0, facing)


@pytest.mark.parametrize("seed", range(20))
def test_best_angle_inside_limits(seed):
    rng = np.random.default_rng(seed)
    c, s = rng.normal(size=2).tolist()
    low, high = -rng.uniform(0.0, 4.0), rng.uniform(0.0, 4.0)
    x = best_angle(c, s, low, high)
    samples = np.linspace(low, high, 1001)
    assert low <= x <= high
    assert (
        c * math.cos(x) + s * math.sin(x)
        >= (c * np.cos(samples) + s * np.sin(samples)).max() - 1e-9
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_hinge_comes_as_near_as_it_can(seed):
    rng = np.random.default_rng(seed)
    tip, aim = drawn(rng, 0.0)
    place, axis = vector(rng), unit(rng, 3)
    low, high = -rng.uniform(0.0, 3.0), rng.uniform(0.0, 3.0)

    def cost(x):
        return cost_at(turned_about(place, quat.about(axis, x), tip), aim)

    x = axis_turn(place, axis, tip, aim, low, high, 1.0)
    assert low <= x <= high
    assert cost(x) <= min(map(cost, np.linspace(low, high, 301).tolist())) + 1e-9


@pytest.mark.parametrize("facing", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(10))
def test_no_turn_makes_a_hinge_worse(seed, facing):
    rng = np.random.default_rng(seed)
    tip, aim = drawn(rng, facing)
    place, axis = vector(rng), unit(rng, 3)
    x = axis_turn(place, axis, tip, aim, -2.0, 1.0, 0.7)
    assert cost_at(turned_about(place, quat.about(axis, x), tip), aim) <= cost_at(tip, aim)


def test_a_ball_points_at_its_target():
    rng = np.random.default_rng(1)
    place, frame = vector(rng), unit(rng, 4)
    tip, aim = drawn(rng, 0.0)
    arm, seen = seen_from(place, frame, tip, aim)
    end = quat.rotate(ball_turn(arm, seen), arm)
    assert np.allclose(np.cross(end, seen.target), 0.0, atol=1e-12)
    assert quat.dot(end, seen.target) > 0.0


def test_a_ball_that_can_meet_both_meets_both():
    rng = np.random.default_rng(2)
    arm, goal = vector(rng), quat.about(unit(rng, 3), 0.8)
    aim = Aim(quat.rotate(goal, arm), goal, 1.0, 0.5)
    turn = ball_turn(arm, aim)
    assert cost_at(turned_about(HERE, turn, Tip(arm, quat.IDENTITY)), aim) < 1e-20


@pytest.mark.parametrize("seed", range(30))
def test_a_cone_points_as_well_as_it_can(seed):
    rng = np.random.default_rng(seed)
    cone = round_cone(
        unit(rng, 3), rng.uniform(0.1, 2.0), -rng.uniform(0.0, 2.0), rng.uniform(0.0, 2.0)
    )
    arm, aim = vector(rng), Aim(vector(rng), quat.IDENTITY, 1.0, 0.0)

    def aligned(q):
        return quat.dot(quat.rotate(q, arm), aim.target)

    best, _ = cone_turn(quat.IDENTITY, cone, arm, aim, True)
    swing, twist = swing_twist_angles(best, cone.axis)
    assert swing <= cone.swing + 1e-9
    assert cone.low - 1e-9 <= twist <= cone.high + 1e-9
    side = quat.perpendicular(cone.axis)
    scale = quat.norm(arm) * quat.norm(aim.target)
    for _ in range(300):
        across = quat.rotate(quat.about(cone.axis, rng.uniform(0.0, 2.0 * math.pi)), side)
        swung = quat.about(across, rng.uniform(0.0, cone.swing))
        q = quat.mul(swung, quat.about(cone.axis, rng.uniform(cone.low, cone.high)))
        assert aligned(q) <= aligned(best) + 2e-3 * scale


def test_a_creep_goes_down_or_stays():
    rng = np.random.default_rng(3)
    for _ in range(20):
        cone = round_cone(unit(rng, 3), 1.2, -1.0, 1.0)
        arm, aim = vector(rng), Aim(vector(rng), unit(rng, 4), 1.0, 0.5)
        step = coordinate_step(quat.IDENTITY, cone, arm, aim)
        assert cost_at(Tip(quat.rotate(step, arm), step), aim) <= cost_at(
            Tip(arm, quat.IDENTITY), aim
        )
