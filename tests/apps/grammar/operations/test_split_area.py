"""splitArea."""

import pytest

import supple
from supple.apps.grammar import Lot


def test_parts_of_a_rectangle(leaves) -> None:
    found = leaves("Lot --> splitArea(x){ 6 : A | '0.25 : B | ~1 : C }", size=(8, 0, 3))
    assert found == {"A": [(2, 0, 3)], "B": [(2, 0, 3)], "C": [(4, 0, 3)]}
    assert leaves("Lot --> splitArea(z){ ~7 : A }*", size=(8, 0, 3)) == {"A": [(8, 0, 1)] * 3}


def test_parts_of_a_polygon_have_the_areas() -> None:
    rules = 'Lot --> splitArea(x){ 5 : A | 4 : A | ~1 : A }\nA --> report("a", geometry.area) B'
    corners = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 5), (0, 5)]
    for lot in (Lot(footprint=corners), Lot(footprint=[(0, 0), (9, 0), (0, 4)])):
        areas = supple.grow(rules, lots=[lot]).reports["a"]
        assert areas == pytest.approx([5, 4, 9])
