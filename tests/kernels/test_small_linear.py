import math

import numpy as np

from supple.kernels.small_linear import (
    outer_sum_of_six,
    outer_sum_of_three,
    solve_six,
    solve_three,
)
from supple.kernels.trigonometry import FAR, sine_cosine


def test_sine_and_cosine_are_the_c_librarys():
    rng = np.random.default_rng(0)
    angles = [*rng.uniform(-10, 10, 2000), *rng.uniform(-FAR, FAR, 2000), 2 * FAR, 1e-300, 0.0]
    angles += [k * math.pi / 4 for k in range(-40, 40)]
    for x in map(float, angles):
        s, c = sine_cosine(x)
        assert abs(s - math.sin(x)) < 1e-15 and abs(c - math.cos(x)) < 1e-15


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
