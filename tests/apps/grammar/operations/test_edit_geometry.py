"""mirror, reverseNormals, resetGeometry, cleanupGeometry and convexify."""

import numpy as np
import pytest

import supple

LOT = {"size": (8, 0, 4)}


def one(rules, **options):
    grown = supple.grow(rules, **(LOT | options))
    (leaf,) = grown.leaves
    return leaf, grown


def test_mirrored_and_reversed_faces():
    shed = 'Lot --> roofShed(45) {} report("v", geometry.volume) A'
    _, plain = one(shed.format(""))
    _, mirrored = one(shed.format("mirror(true, false, false)"))
    assert mirrored.reports == plain.reports, "it is not inside out"
    a, b = (grown.meshes()[0].positions for grown in (plain, mirrored))
    assert np.allclose(np.sort(8 - a[:, 0]), np.sort(b[:, 0])) and not np.allclose(a, b)
    _, inside_out = one(shed.format("reverseNormals()"))
    assert inside_out.reports["v"][0] == pytest.approx(-plain.reports["v"][0])


def test_reset_clean_and_convex():
    leaf, _ = one("Lot --> t(3, 3, 3) extrude(5) resetGeometry() A")
    assert leaf.size == pytest.approx((8, 0, 4)) and leaf.point(0, 0, 0) == pytest.approx((0, 0, 0))
    told = 'report("n", geometry.nFaces) report("a", geometry.area)'
    ell = "Lot --> shapeL(1, 1){{ shape : {} " + told + " A | remainder : NIL }}"
    assert one(ell.format("convexify()"))[1].reports == {"n": [2], "a": [pytest.approx(11)]}
    assert one(ell.format(""))[1].reports["n"] == [1]
    ridge = 'Lot --> roofHip(45) {} report("n", geometry.nVertices) A'
    near = {"size": (4.1, 0, 4)}  # a ridge of 0.1
    assert one(ridge.format(""), **near)[1].reports["n"] == [6]
    assert one(ridge.format("cleanupGeometry(all, 0.2)"), **near)[1].reports["n"] == [5]
    assert one(ridge.format("cleanupGeometry(all, 0.01)"), **near)[1].reports["n"] == [6]


def test_convexify_extends_the_edge_with_the_shorter_cut() -> None:
    """The parts are those of CityEngine's engine (PRT 3.3), for the footprint of an office building."""
    outline = [(-15.25, 17.5), (4.25, 17.5), (15.25, -12.7), (5.75, -16.2), (-2.05, 5.5),
               (-5.25, 5.5), (-5.25, -17.5), (-15.25, -17.5)]  # fmt: skip
    asset = ([(x, 0.0, z) for x, z in outline], [tuple(range(8))])
    rules = 'Lot --> i("plan") convexify() comp(f){ all : Part }'
    grown = supple.grow(rules, size=(0, 0, 0), assets={"plan": asset})
    parts = sorted(tuple(float(round(v, 2)) for v in part.size[:2]) for part in grown.leaves)
    assert parts == [(23.0, 10.0), (23.06, 10.12), (23.87, 12.0)]
