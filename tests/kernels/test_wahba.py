"""Wahba's problem for one joint: the best rotation, inside limits."""

import math

import numpy as np
import pytest

from supple.kernels import wahba
from supple.kernels.joint import swing_twist_angles
from supple.rotations import rotate


def random_turn(rng):
    turn = rng.normal(size=4)
    return tuple((turn / np.linalg.norm(turn)).tolist())


def correlation(points, targets, weights):
    """The sum of w d b^T as nine numbers."""
    return tuple(np.einsum("n,ni,nj->ij", weights, targets, points).ravel().tolist())


def fit(f, turn):
    """What a rotation gives: tr(R^T F)."""
    return float(np.trace(rotate(np.array(turn), np.eye(3)) @ np.reshape(f, (3, 3))))


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_frame_is_fitted_in_one_turn(seed):
    rng = np.random.default_rng(seed)
    wanted = random_turn(rng)
    found = wahba.fitted_turn(wahba.rotation_matrix(wanted), random_turn(rng))
    assert abs(np.dot(found, wanted)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_one_point_is_brought_to_its_target_direction(seed):
    rng = np.random.default_rng(seed)
    b, d = rng.normal(size=(2, 3))
    found = wahba.fitted_turn(wahba.outer(tuple(d.tolist()), tuple(b.tolist())), random_turn(rng))
    turned = rotate(np.array(found), b)
    np.testing.assert_allclose(turned / np.linalg.norm(b), d / np.linalg.norm(d), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_angle_about_an_axis_beats_all_others_inside_its_limits(seed):
    rng = np.random.default_rng(seed)
    points, targets = rng.normal(size=(2, 4, 3))
    f = correlation(points, targets, rng.uniform(0.5, 2.0, 4))
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    low, high = -rng.uniform(0.2, 2.0), rng.uniform(0.2, 2.0)
    c, s = wahba.about_axis(f, tuple(axis.tolist()))
    best = wahba.best_angle(c, s, low, high, 0.0, wahba.size9(f))
    assert low <= best <= high

    def given(angle):
        return fit(f, (math.cos(angle / 2), *(math.sin(angle / 2) * axis)))

    assert given(best) >= max(given(angle) for angle in np.linspace(low, high, 200)) - 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_a_cone_fits_better_than_before_inside_its_limits(seed):
    rng = np.random.default_rng(seed)
    points, targets = rng.normal(size=(2, 4, 3))
    f = correlation(points, targets, rng.uniform(0.5, 2.0, 4))
    axis, swing, low, high = (1.0, 0.0, 0.0), 0.6, -0.3, 0.4
    here = (1.0, 0.0, 0.0, 0.0)
    found = wahba.fitted_cone(f, here, axis, swing, low, high)
    assert fit(f, found) >= fit(f, here)
    swung, twist = swing_twist_angles(found, axis)
    assert swung <= swing + 1e-12
    assert low - 1e-12 <= twist <= high + 1e-12


def test_a_correlation_of_nothing_leaves_the_turn_alone():
    here = (0.6, 0.8, 0.0, 0.0)
    assert wahba.fitted_turn((0.0,) * 9, here) == here
    assert wahba.best_angle(0.0, 0.0, -1.0, 1.0, 0.25, 0.0) == 0.25
