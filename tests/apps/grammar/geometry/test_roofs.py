"""Roofs over polygons."""

import random

from tests.support import roof_lots

from supple.apps.grammar.geometry.roofs import gable


def test_a_star_has_no_gables():
    """Between reflex corners a vertical wall would not bound a roof plane."""
    star = roof_lots.outline("star", random.Random(5))
    points, faces = gable(star, 1.0)
    assert len(faces) == 1 + len(star)
    assert max(y for _, y, _ in points) > 0.1
