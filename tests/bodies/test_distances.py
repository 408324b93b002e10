"""Nearest points of segments: one rule, against many points on both, and for segments that are parallel or points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.bodies.distances import nearest_points, segment_distances

SHAPES = ("general", "parallel", "nearly parallel", "point", "points", "crossing", "same line")
EXACT = {
    "nearly parallel": 1e-5
}  # of their size: where lines cross is known the less, the less they turn


def segments(shape, seed, count=20):
    """Ends (4, N, 3) of pairs of segments."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.normal(size=(4, count, 3)) * 10.0 ** rng.uniform(-3, 3)
    if shape in ("parallel", "nearly parallel", "same line"):
        way = b - a
        if shape == "nearly parallel":
            way = way + 10.0 ** rng.uniform(-9, -4) * rng.normal(size=way.shape)
        if shape == "same line":
            c = a + rng.uniform(-2, 2, (count, 1)) * way
        d = c + rng.uniform(-2, 2, (count, 1)) * way
    elif shape == "point":
        b = a
    elif shape == "points":
        b, d = a, c
    elif shape == "crossing":
        meet = a + rng.uniform(0, 1, (count, 1)) * (b - a)
        d = meet + rng.uniform(0, 1, (count, 1)) * (meet - c)
    return a, b, c, d


def tried(a, b, c, d, steps=200):
    """The least distances of points on the first from the second segment, which are exact, and their error."""
    t = np.linspace(0, 1, steps + 1)[:, None, None]
    points, way = a + t * (b - a), d - c
    square = np.maximum((way * way).sum(-1), 1e-300)
    s = np.clip(((points - c) * way).sum(-1) / square, 0.0, 1.0)
    far = np.linalg.norm(points - c - s[..., None] * way, axis=-1).min(axis=0)
    return far, np.linalg.norm(b - a, axis=-1) / steps


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 2**32 - 1))
def test_distances_are_those_of_many_points(shape, seed):
    ends = segments(shape, seed)
    size = np.abs(ends).max()
    near = segment_distances(*ends)
    far, error = tried(*ends)
    assert np.all(near <= far + EXACT.get(shape, 1e-9) * size)
    assert np.all(near >= far - error - 1e-9 * size)


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 2**32 - 1))
def test_neither_order_nor_direction_matters(shape, seed):
    a, b, c, d = segments(shape, seed)
    size = max(np.abs(end).max() for end in (a, b, c, d))
    near = segment_distances(a, b, c, d)
    for other in ((c, d, a, b), (b, a, c, d), (a, b, d, c)):
        exact = EXACT.get(shape, 1e-9) * size
        assert np.allclose(segment_distances(*other), near, rtol=0, atol=exact)


def test_points_lie_on_the_segments_and_batches_have_any_shape():
    a, b, c, d = (end.reshape(4, 5, 3) for end in segments("general", 1))
    first, second = nearest_points(a, b, c[0], d[0])
    for point, one, other in ((first, a, b), (second, c[0], d[0])):
        along = np.linalg.norm(point - one, axis=-1) + np.linalg.norm(point - other, axis=-1)
        length = np.linalg.norm(np.broadcast_to(other - one, point.shape), axis=-1)
        assert np.allclose(along, length)


def test_the_nearest_points_of_parallel_segments_are_in_the_middle():
    x, up = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    first, second = nearest_points(-x, x, up - 3 * x, up + 3 * x)
    assert np.allclose(first, 0.0) and np.allclose(second, up)


def test_segments_that_cross_touch():
    x, y = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    assert segment_distances(-x, x, -y, y) == 0
    assert np.isclose(segment_distances(-x, x, 2 * x - y, 2 * x + y), 1.0)
