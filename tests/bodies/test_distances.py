"""Distances between segments."""

import numpy as np

from supple.bodies.distances import segment_distances


def test_distances_are_those_of_many_points_on_both_segments():
    rng = np.random.default_rng(3)
    a, b, c, d = rng.normal(size=(4, 40, 3))
    b[0] = a[0]  # a point
    d[1] = c[1]
    b[2], d[2] = a[2] + 1.0, c[2] + 1.0  # parallel
    b[3] = a[3]
    d[3] = c[3]
    t = np.linspace(0, 1, 201)[:, None, None]
    one = a + t * (b - a)
    two = c + t * (d - c)
    far = np.linalg.norm(one[:, None] - two[None], axis=-1).min(axis=(0, 1))
    near = segment_distances(a, b, c, d)
    assert np.all(near <= far + 1e-12)
    assert np.allclose(near, far, atol=0.02)
    assert np.array_equal(near, segment_distances(a, b, c, d))


def test_segments_that_cross_touch():
    x, y = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    assert segment_distances(-x, x, -y, y) == 0
    assert np.isclose(segment_distances(-x, x, 2 * x - y, 2 * x + y), 1.0)
