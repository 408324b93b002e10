"""primitiveCube, primitiveCylinder, ..."""

import math

import pytest

import supple

LOT = {"size": (8, 0, 4)}


def one(rules, **options):
    grown = supple.grow(rules, **(LOT | options))
    (leaf,) = grown.leaves
    return leaf, grown


def test_solids_of_a_size():
    told = 'report("v", geometry.volume) report("n", geometry.nFaces) A'
    leaf, grown = one(f"Lot --> primitiveCube(1, 2, 3) {told}")
    assert leaf.size == pytest.approx((1, 2, 3)) and grown.reports["v"] == [6]
    leaf, grown = one(f"Lot --> primitiveCylinder(6, 2, 5) {told}")
    assert leaf.size == pytest.approx((4, 5, 4)) and grown.reports["n"] == [8]
    assert grown.reports["v"][0] == pytest.approx(6 / 2 * 4 * math.sin(math.pi / 3) * 5)
    assert one("Lot --> primitiveQuad A")[0].size == pytest.approx((8, 0, 4))
    assert one("Lot --> primitiveSphere(16, 16, 2) A")[0].size == pytest.approx((4, 4, 4))
