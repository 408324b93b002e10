"""Trim planes between adjacent faces; the numbers are those of CityEngine's engine (PRT 3.3)."""

import math

import numpy as np
import pytest

from supple.apps.grammar.geometry.frames import UPRIGHT, Scope
from supple.apps.grammar.geometry.mesh import BOX, Geometry
from supple.apps.grammar.geometry.trimming import Neighbours, TrimPlane, trimmed


def scope(*size: float) -> Scope:
    return Scope((0.0, 0.0, 0.0), UPRIGHT, size)  # type: ignore[arg-type]


def test_planes_halve_the_angle_between_faces() -> None:
    planes = Neighbours(BOX, scope(10, 5, 10)).planes(0)  # the front, at z = 10
    half = math.sqrt(0.5)
    found = {(p.vertical, *np.round(p.normal, 6).tolist()) for p in planes}
    assert found == {
        (True, round(half, 6), 0.0, -round(half, 6)),
        (True, -round(half, 6), 0.0, -round(half, 6)),
        (False, 0.0, round(half, 6), -round(half, 6)),
        (False, 0.0, -round(half, 6), -round(half, 6)),
    }


@pytest.mark.parametrize(
    ("degrees", "vertical"), [(38.0, False), (39.9, False), (40.1, True), (60.0, True)]
)
def test_an_edge_is_vertical_from_40_degrees_on(degrees: float, vertical: bool) -> None:
    t = math.tan(math.radians(degrees))
    points = [(0, 0), (1, 0), (1 + t, 1), (0, 1)]
    unit = np.array([(x / (1 + t), 0.0, 1.0 - y) for x, y in points])
    other = np.array([(1.0, 0.0, 1.0)])
    # A lot with a slanted right edge, and a neighbour beyond that edge.
    lot = Geometry("lot", np.concatenate([unit, other]), [(0, 1, 2, 3), (2, 1, 4)])
    (plane,) = Neighbours(lot, scope(1 + t, 0, 1)).planes(0)
    assert plane.vertical == (90.0 - degrees >= 40.0)


def test_a_cut_is_open_and_keeps_texture_coordinates() -> None:
    unit = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    sheet = Geometry("sheet", unit, [(0, 1, 2, 3)], texcoords=[(0, 1), (1, 1), (1, 0), (0, 0)])
    found = trimmed(sheet, scope(4, 2, 0), [TrimPlane(True, (1.0, 0.0, 0.0), 1.0)])
    assert found is not None
    geometry, low, size = found
    assert low.tolist() == [0, 0, 0] and size.tolist() == [1, 2, 0]
    assert np.max(np.asarray(geometry.texcoords)[:, 0]) == pytest.approx(0.25)
    box = trimmed(BOX, scope(4, 2, 3), [TrimPlane(True, (1.0, 0.0, 0.0), 1.0)])
    assert box is not None and len(box[0].faces) == 5 and not box[0].closed


def test_what_lies_inside_all_planes_is_left_alone() -> None:
    assert trimmed(BOX, scope(4, 2, 3), [TrimPlane(True, (1.0, 0.0, 0.0), 4.0)]) is None
    nothing = trimmed(BOX, scope(4, 2, 3), [TrimPlane(True, (1.0, 0.0, 0.0), -1.0)])
    assert nothing is not None and not nothing[0].faces
