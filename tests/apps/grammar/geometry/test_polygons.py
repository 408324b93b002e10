"""Polygons in space."""

import numpy as np
import pytest

from supple.apps.grammar.geometry.polygons import triangulated


def test_triangles_of_a_concave_polygon_cover_it_once() -> None:
    points = np.array([(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0)], float)
    triangles = triangulated(points)
    areas = [np.cross(points[b] - points[a], points[c] - points[a])[2] / 2 for a, b, c in triangles]
    assert len(triangles) == 3 and min(areas) > 0
    assert sum(areas) == pytest.approx(16 - 4 * 3 / 2)
