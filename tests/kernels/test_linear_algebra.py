"""Systems written out, singular values and vectors, against NumPy's."""

import numpy as np
import pytest

from supple.kernels.linear_algebra import (
    decompose,
    outer_sum_of_six,
    outer_sum_of_three,
    singular,
    solve_six,
    solve_three,
)


def test_systems_written_out_are_numpys():
    rng = np.random.default_rng(1)
    for size, summed, solved in (
        (3, outer_sum_of_three, solve_three),
        (6, outer_sum_of_six, solve_six),
    ):
        rows = rng.normal(size=(9, size + 2))
        rows[:, 0] = rng.uniform(0, 1, 9)
        a, trace = summed(rows, 1, 0, 9)
        v = rows[:, 1 : size + 1]
        full = (v * rows[:, :1]).T @ v
        assert np.allclose(a, full[np.tril_indices(size)])
        assert trace == np.float64(trace) and np.isclose(trace, np.trace(full))
        b = rng.normal(size=size)
        x, fine = solved(a, 0.1, tuple(b))
        assert fine
        assert np.allclose((full + 0.1 * np.eye(size)) @ x, b)
        assert not solved(a, -1e3, tuple(b))[1]


def triples(columns, gain):
    """Singular values and vectors of J = (gain * columns)^T: sigma (n,), u (n, R), v (n, D)."""
    count, size = columns.shape
    n = min(count, size)
    a, basis = np.zeros((n, n)), np.zeros((n, n))
    largest = decompose(columns, gain, a, basis)
    sigma, u, v = np.zeros(n), np.zeros((n, size)), np.zeros((n, count))
    for i in range(n):
        sigma[i] = singular(columns, gain, basis, i, u[i], v[i])
    assert largest == pytest.approx(sigma.max(), rel=1e-12, abs=1e-300)
    return sigma, u, v


@pytest.mark.parametrize("shape", [(9, 3), (3, 3), (2, 6), (30, 6), (5, 24), (1, 3)])
def test_triples_are_those_of_numpy_and_give_the_matrix_back(shape):
    rng = np.random.default_rng(shape)
    columns = rng.normal(size=shape)
    gain = rng.uniform(0.1, 1.0, shape[0])
    matrix = (gain[:, None] * columns).T
    sigma, u, v = triples(columns, gain)
    assert np.allclose(np.sort(sigma), np.sort(np.linalg.svd(matrix)[1]), rtol=1e-12)
    assert np.allclose(u @ u.T, np.eye(len(u)), atol=1e-12)
    assert np.allclose(v @ v.T, np.eye(len(v)), atol=1e-12)
    assert np.allclose(u.T @ np.diag(sigma) @ v, matrix, atol=1e-12)


@pytest.mark.parametrize("shape", [(12, 6), (6, 12)])
def test_lost_rank_shows_as_zeros_and_leaves_the_rest_exact(shape):
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    sigma, u, v = triples(columns, np.ones(shape[0]))
    kept = sigma > 1e-6 * sigma.max()
    assert kept.sum() == 2
    assert np.allclose(u[kept].T @ np.diag(sigma[kept]) @ v[kept], columns.T, atol=1e-12)


def test_freedoms_without_gain_take_no_part():
    columns = np.random.default_rng(2).normal(size=(9, 3))
    gain = np.array([1.0, 0, 1, 1, 0, 1, 1, 1, 0])
    _, _, v = triples(columns, gain)
    assert not v[:, gain == 0].any()


def test_nothing_at_all_is_all_zero():
    sigma, _, v = triples(np.zeros((4, 3)), np.ones(4))
    assert not sigma.any() and not v.any()
