"""The best turn inside limits of swing by quadrants: no sampled turn is better."""

import math

import numpy as np
import pytest

from supple.kernels import quaternion as quat
from supple.kernels.best_swing import beyond, climb, form_of, nearest_spin, worth
from supple.kernels.best_turn import Aim, Cone, cone_turn, into_cone
from supple.kernels.joint import tilted
from supple.kernels.quadrants import Quadrants, rim
from supple.kernels.wahba import fitted_quadrants


def unit(rng, count):
    v = rng.normal(size=count)
    return tuple((v / np.linalg.norm(v)).tolist())


def drawn(rng):
    axis = unit(rng, 3)
    up = quat.perpendicular(axis)
    half = [float(x) for x in rng.uniform(0.05, 2.0, 4)]
    low, high = -float(rng.uniform(0.0, 2.0)), float(rng.uniform(0.0, 2.0))
    limits = Quadrants(axis, up, quat.cross(axis, up), *half, low, high)
    return limits, Cone(axis, max(half), low, high, True, limits)


def inside(rng, limits):
    """A turn inside the limits."""
    a, b = rim(limits, float(rng.uniform(0.0, 2.0 * math.pi)))
    part = math.sqrt(rng.uniform())
    return tilted(limits, part * a, part * b, float(rng.uniform(limits.low, limits.high)))


@pytest.mark.parametrize("seed", range(30))
def test_it_points_as_well_as_it_can(seed):
    rng = np.random.default_rng(seed)
    limits, cone = drawn(rng)
    arm, target = (tuple(rng.normal(size=3).tolist()) for _ in range(2))
    best, _ = cone_turn(quat.IDENTITY, cone, arm, Aim(target, quat.IDENTITY, 1.0, 0.0), True)
    assert beyond(best, limits, True) <= 1e-12
    scale = quat.norm(arm) * quat.norm(target)
    top = quat.dot(quat.rotate(best, arm), target)
    for _ in range(300):
        other = quat.rotate(inside(rng, limits), arm)
        assert quat.dot(other, target) <= top + 2e-3 * scale


@pytest.mark.parametrize("seed", range(30))
def test_what_can_be_pointed_at_is_pointed_at_exactly(seed):
    rng = np.random.default_rng(seed)
    limits, cone = drawn(rng)
    arm = tuple(rng.normal(size=3).tolist())
    target = quat.rotate(inside(rng, limits), arm)
    best, free = cone_turn(quat.IDENTITY, cone, arm, Aim(target, quat.IDENTITY, 1.0, 0.0), True)
    assert free
    assert quat.norm(quat.sub(quat.rotate(best, arm), target)) <= 1e-9
    assert beyond(best, limits, True) <= 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_the_climb_of_a_form_ends_where_no_neighbour_is_better(seed):
    rng = np.random.default_rng(seed)
    limits, cone = drawn(rng)
    form = form_of(unit(rng, 4), 1.0)
    u = inside(rng, limits)
    for _ in range(40):
        u = climb(form, u, limits)
    assert beyond(u, limits, True) <= 1e-12
    for _ in range(300):
        small = quat.exp(tuple((1e-3 * rng.normal(size=3)).tolist()))
        near = into_cone(quat.mul(small, u), cone)
        assert worth(form, near) <= worth(form, u) + 1e-7


@pytest.mark.parametrize("seed", range(10))
def test_points_of_a_body_fit_better_than_before_inside_the_limits(seed):
    rng = np.random.default_rng(seed)
    limits, _ = drawn(rng)
    points, targets = rng.normal(size=(2, 4, 3))
    f = tuple((targets.T @ points).ravel().tolist())

    def fit(q):
        moved = [quat.rotate(q, tuple(point)) for point in points.tolist()]
        return sum(quat.dot(a, tuple(b)) for a, b in zip(moved, targets.tolist(), strict=True))

    here = tilted(limits, 0.0, 0.0, 0.5 * (limits.low + limits.high))
    for _ in range(20):
        found = fitted_quadrants(f, here, limits)
        assert fit(found) >= fit(here) - 1e-12
        here = found
    assert beyond(here, limits, True) <= 1e-12
    best = max(fit(inside(rng, limits)) for _ in range(500))
    # It climbs from where it is, so another peak may be higher; next to it nothing is.
    for _ in range(200):
        small = quat.exp(tuple((1e-3 * rng.normal(size=3)).tolist()))
        near = quat.mul(small, here)
        if beyond(near, limits, True) == 0.0:
            assert fit(near) <= fit(here) + 1e-6 * abs(best)


def test_the_least_spin_is_taken():
    limits = Quadrants((1, 0, 0), (0, 1, 0), (0, 0, 1), 0.2, 0.8, 0.3, 0.3, -math.pi, math.pi)
    start = quat.about((0.0, 0.0, 1.0), -0.5)  # tilted down, beyond its half-angle
    spun = quat.mul((0.0, 1.0, 0.0, 0.0), start)  # about the axis: to the side, then up
    found, inside_now = nearest_spin(start, spun, limits, True)
    assert inside_now
    spins = np.linspace(-math.pi, math.pi, 4001)
    turns = [quat.mul(quat.about((1.0, 0.0, 0.0), x), start) for x in spins.tolist()]
    good = [abs(x) for x, q in zip(spins, turns, strict=True) if beyond(q, limits, True) == 0.0]
    back = quat.mul(found, quat.conj(start))
    assert abs(2.0 * math.atan2(back[1], back[0])) == pytest.approx(min(good), abs=2e-3)
