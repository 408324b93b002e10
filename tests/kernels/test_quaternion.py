import math

import numpy as np

from supple.kernels.quaternion import LARGEST_EXACT_ANGLE, sine_cosine


def test_sine_and_cosine_are_the_c_librarys():
    rng = np.random.default_rng(0)
    angles = [
        *rng.uniform(-10, 10, 2000),
        *rng.uniform(-LARGEST_EXACT_ANGLE, LARGEST_EXACT_ANGLE, 2000),
        2 * LARGEST_EXACT_ANGLE,
        1e-300,
        0.0,
    ]
    angles += [k * math.pi / 4 for k in range(-40, 40)]
    for x in map(float, angles):
        s, c = sine_cosine(x)
        assert abs(s - math.sin(x)) < 1e-15 and abs(c - math.cos(x)) < 1e-15
