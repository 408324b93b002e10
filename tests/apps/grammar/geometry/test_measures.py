"""Measures of faces."""

import math

import numpy as np

from supple.apps.grammar.geometry.measures import is_rectangular
from supple.apps.grammar.geometry.mesh import Geometry


def test_nearly_right_angles_are_rectangular_within_degrees():
    lean = math.tan(math.radians(2))
    points = np.array([[0, 0, 0], [lean, 0, -1], [1 + lean, 0, -1], [1, 0, 0]])
    leaning = Geometry("lean", points, [(0, 3, 2, 1)])
    assert [is_rectangular(leaning, (1, 1, 1), degrees) for degrees in (1, 1.9, 2.1, 5)] == [
        0,
        0,
        1,
        1,
    ]
