"""Occlusion tests of bodies against solids."""

import numpy as np
import pytest

from supple.apps.grammar.geometry import occlusion
from supple.apps.grammar.geometry.frames import UPRIGHT, from_degrees
from supple.apps.grammar.geometry.mesh import BOX, FACE


@pytest.mark.parametrize(
    ("place", "size", "expected"),
    [
        ((0.25, 0.25, 0.25), (0.5, 0.5, 0.5), (True, True, True)),  # within
        ((0, 0, 0), (1, 1, 1), (True, True, True)),  # the same
        ((0, 0, 0), (1, 0.5, 1), (True, True, True)),  # a half of it
        ((-1, -1, -1), (3, 3, 3), (True, True, False)),  # around it
        ((0.5, 0.5, 0.5), (1, 1, 1), (True, True, False)),  # through a corner
        ((0.25, -1, 0.25), (0.5, 3, 0.5), (True, True, False)),  # through it
        ((1, 0, 0), (1, 1, 1), (True, False, False)),  # beside it
        ((1, 0.5, 0.5), (1, 1, 1), (True, False, False)),  # beside a part of it
        ((1, 1, 0), (1, 1, 1), (False, False, False)),  # at an edge
        ((2, 0, 0), (1, 1, 1), (False, False, False)),  # apart
    ],
)
@pytest.mark.parametrize("turn", [UPRIGHT, from_degrees(20, 30, 40)])
def test_two_boxes(place, size, expected, turn) -> None:
    frame = np.reshape(turn, (3, 3))
    solid = occlusion.Body(BOX, tuple(100 * frame[:, 0]), turn, (1.0, 1.0, 1.0))
    other = occlusion.Body(BOX, tuple(100 * frame[:, 0] + frame @ place), turn, size)
    questions = (occlusion.touches, occlusion.overlaps, occlusion.is_inside)
    assert tuple(ask(other, solid) for ask in questions) == expected


def test_faces_against_a_box() -> None:
    solid = occlusion.Body(BOX, (0.0, 0.0, 0.0), UPRIGHT, (1.0, 1.0, 1.0))
    through = occlusion.Body(FACE, (-1.0, -1.0, 0.5), UPRIGHT, (3.0, 3.0, 0.0))
    assert occlusion.overlaps(through, solid) and not occlusion.is_inside(through, solid)
    before = occlusion.Body(FACE, (0.0, 0.0, 1.5), UPRIGHT, (1.0, 1.0, 0.0))
    assert not occlusion.touches(before, solid)
