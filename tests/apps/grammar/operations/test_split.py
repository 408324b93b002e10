"""split along an axis."""

import numpy as np
import pytest

import supple


def test_splitting_a_box_gives_boxes(leaves) -> None:
    found = leaves("Lot --> extrude(9) split(y){ 3 : A | ~1 : B | '0.1 : C }", size=(2, 0, 2))
    assert found == {"A": [(2, 3, 2)], "B": [(2, 5.1, 2)], "C": [(2, 0.9, 2)]}
    grown = supple.grow("Lot --> r(0, 90, 0) split(x){ 1 : A | ~1 : B }", size=(3, 0, 1))
    assert np.round(grown.leaves.named("B")[0].point(0, 0, 0), 9).tolist() == [0, 0, -1]


def test_a_part_of_a_cylinder_has_a_scope_that_fits() -> None:
    grown = supple.grow(
        'Lot --> s(2, 6, 2) i("cylinder") split(y){ 2 : A | ~1 : B }', size=(1, 1, 1)
    )
    a, b = grown.leaves
    assert a.size.tolist() == pytest.approx([2, 2, 2]) and b.size.tolist() == pytest.approx(
        [2, 4, 2]
    )
    assert b.point(0, 0, 0).tolist() == pytest.approx([0, 2, 0])
    grown = supple.grow('Lot --> s(2, 2, 2) i("sphere") split(x){ 0.5 : A | ~1 : NIL }')
    assert grown.leaves[0].size[0] == pytest.approx(0.5) and grown.leaves[0].size[1] < 1.8
