"""Brackets, and which shapes are leaves."""

import numpy as np

import supple


def corner(shape, x=0.0, y=0.0, z=0.0):
    return np.round(shape.point(x, y, z), 9).tolist()


def test_brackets_restore_the_shape() -> None:
    grown = supple.grow('Lot --> [ t(5, 0, 0) color("#ff0000") s(1, 1, 1) A ] t(0, 1, 0) B')
    a, b = grown.leaves
    assert corner(a) == [5, 0, 0] and corner(b) == [0, 1, 0]
    assert a.material.color == (1.0, 0.0, 0.0) and b.material.color == (1.0, 1.0, 1.0)
    assert b.size.tolist() == [1, 0, 1]


def test_which_shapes_remain(leaves) -> None:
    assert list(leaves("Lot --> color(1, 0, 0)")) == ["Lot"]  # nothing came from it
    assert list(leaves("Lot --> A B t(1, 0, 0)")) == ["A", "B"]  # moved afterwards: nothing more
    assert list(leaves('Lot --> A i("box")')) == ["Lot", "A"]  # made afterwards: one more
    assert list(leaves("Lot --> A NIL")) == ["A"]
    assert list(leaves("Lot --> NIL")) == []
    assert list(leaves('Lot --> [ i("box") ] [ t(1, 0, 0) ] A')) == ["Lot.", "A"]
    assert list(leaves('Lot --> i("box") [ t(1, 0, 0) i("sphere") ]')) == ["Lot", "Lot."]
    assert list(leaves("Lot --> split(x){ 0.5 : color(1, 0, 0) | 0.5 : A }")) == ["Lot.", "A"]
