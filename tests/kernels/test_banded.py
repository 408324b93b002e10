"""Systems of blocks in a band, against the dense solution."""

import functools

import numpy as np
import pytest

from supple.kernels import banded
from supple.kernels.decorators import kernel


def _solve(work, upper, first, second, x, size, count):
    """Factor and solve in buffers of a workspace."""
    frames = x.shape[0]
    work[0] = 1.0
    bands = banded.take_bands(frames, size, count, work)
    if work[0] > work.shape[0]:
        return False
    for r in range(frames * size):
        for c in range(size):
            bands.upper[r, c] = upper[r, c]
    for f in range(frames):
        for d in range(size):
            bands.first[f, d] = first[f, d]
            bands.second[f, d] = second[f, d]
    fine = banded.factor_bands(bands, frames, size, count)
    banded.solve_bands(bands, frames, size, count, x)
    return fine


@functools.cache
def _compiled():
    """The kernel, made by the first test: modules that are imported after it would call compiled kernels."""
    return kernel(_solve)


def solve(blocks, first, second, right, count):
    """The solution by the kernels, shape (F, D), and if the system is positive definite."""
    frames, size = right.shape
    upper = np.triu(blocks).reshape(frames * size, size).copy()
    work, x = np.zeros(1), right.copy()
    _compiled()(work, upper, first, second, x, size, count)
    work = np.zeros(int(work[0]))
    x = right.copy()
    return x, _compiled()(work, upper, first, second, x, size, count)


def dense(blocks, first, second, count):
    """The whole matrix, shape (F D, F D)."""
    frames, size = first.shape
    out = np.zeros((frames * size, frames * size))
    for f in range(frames):
        here = slice(f * size, (f + 1) * size)
        out[here, here] = blocks[f]
        for band, one in enumerate((first, second)[:count], 1):
            if f >= band:
                there = slice((f - band) * size, (f - band + 1) * size)
                out[here, there] = np.diag(one[f])
                out[there, here] = np.diag(one[f])
    return out


def drawn(frames, size, seed):
    """A system that is positive definite with all bands, and a right side."""
    random = np.random.default_rng(seed)
    a = random.normal(size=(frames, size, size))
    blocks = a @ np.swapaxes(a, 1, 2) + 6.0 * np.eye(size)
    first, second = random.uniform(-1.4, 1.4, (2, frames, size))
    return blocks, first, second, random.normal(size=(frames, size))


@pytest.mark.parametrize("count", [banded.NO_BAND, banded.ONE_BAND, banded.TWO_BANDS])
@pytest.mark.parametrize(("frames", "size"), [(1, 1), (1, 6), (2, 3), (3, 5), (9, 8), (6, 35)])
def test_solution_is_that_of_the_dense_system(frames, size, count):
    blocks, first, second, right = drawn(frames, size, 10 * frames + size)
    x, fine = solve(blocks, first, second, right, count)
    assert fine
    wanted = np.linalg.solve(dense(blocks, first, second, count), right.ravel())
    np.testing.assert_allclose(x.ravel(), wanted, rtol=1e-10, atol=1e-12)


def test_bands_left_out_are_not_looked_at():
    blocks, first, second, right = drawn(4, 5, 1)
    x, _ = solve(blocks, first, np.full_like(second, np.nan), right, banded.ONE_BAND)
    again, _ = solve(blocks, first, second, right, banded.ONE_BAND)
    assert np.array_equal(x, again)


@pytest.mark.parametrize("frame", [0, 1, 3])
def test_system_that_is_not_positive_definite_is_refused(frame):
    blocks, first, second, right = drawn(4, 5, 2)
    blocks[frame] -= 50.0 * np.eye(5)
    assert not solve(blocks, first, second, right, banded.TWO_BANDS)[1]
