"""t, s, r, center, translate and rotate."""

import numpy as np
import pytest

import supple


def only(rules: str, **options):
    leaves = supple.grow(rules, **options).leaves
    assert len(leaves) == 1
    return leaves[0]


def corner(shape, x=0.0, y=0.0, z=0.0):
    return np.round(shape.point(x, y, z), 9).tolist()


LOT = {"size": (8, 0, 4)}


def one(rules, **options):
    grown = supple.grow(rules, **(LOT | options))
    (leaf,) = grown.leaves
    return leaf, grown


def test_translating_goes_along_the_scope() -> None:
    assert corner(only("Lot --> t(1, 2, 3) A", size=(2, 4, 8))) == [1, 2, 3]
    assert corner(only("Lot --> t('0.5, '1, '-2) A", size=(2, 4, 8))) == [1, 4, -16]
    assert corner(only("Lot --> r(0, 90, 0) t(1, 0, 0) A")) == [0, 0, -1]
    # What is left of 10 beside a shape of 4 is 6.
    assert corner(only("Lot --> s(4, 1, 1) t(~0.5, 0, 0) A", size=(10, 1, 1))) == [3, 0, 0]


def test_sizes_absolute_relative_and_floating() -> None:
    assert only("Lot --> s(3, '0.5, 0) A", size=(2, 4, 8)).size.tolist() == [3, 2, 0]
    assert only("Lot --> s(4, ~1, ~1) A", size=(2, 4, 8)).size.tolist() == [4, 8, 16]
    assert only("Lot --> s(4, ~0.5, '1) A", size=(2, 4, 8)).size.tolist() == [4, 3, 8]


def test_rotations_are_intrinsic_about_x_y_z() -> None:
    shape = only("Lot --> r(90, 0, 90) A", size=(1, 1, 1))
    # X(90) takes y to z; then the own z, which points down, takes x to what was y.
    assert corner(shape, 1, 0, 0) == [0, 0, 1]
    assert corner(shape, 0, 1, 0) == [-1, 0, 0]
    assert corner(shape, 0, 0, 1) == [0, -1, 0]
    shape = only("Lot --> r(scopeCenter, 0, 180, 0) A", size=(2, 4, 6))
    assert corner(shape) == [2, 0, 6] and corner(shape, 1, 1, 1) == [0, 4, 0]


def test_scope_angles_reproduce_the_rotation() -> None:
    grown = supple.grow('Lot --> r(10, 20, 30) report("a", [scope.rx, scope.ry, scope.rz]) NIL')
    assert grown.reports["a"][0] == pytest.approx((10, 20, 30))


def test_center_uses_the_scope_at_the_beginning_of_the_rule() -> None:
    assert corner(only("Lot --> s(2, 2, 2) center(xz) A", size=(10, 4, 6))) == [4, 0, 2]
    assert corner(only("Lot --> B\nB --> s(2, 2, 2) center(xyz) A", size=(10, 4, 6))) == [4, 1, 2]
    assert corner(only("Lot --> t(1, 0, 0) [ s(2, 2, 2) center(x) A ]", size=(10, 4, 6))) == [
        5,
        0,
        0,
    ]


def test_translations_and_rotations_in_world_axes():
    leaf, _ = one("Lot --> r(0, 90, 0) translate(rel, world, 1, 2, 3) A")
    assert leaf.point(0, 0, 0) == pytest.approx((1, 2, 3))
    leaf, _ = one("Lot --> t(5, 5, 5) translate(abs, world, 1, 2, 3) A")
    assert leaf.point(0, 0, 0) == pytest.approx((1, 2, 3))
    leaf, _ = one("Lot --> r(90, 0, 0) rotate(rel, world, 0, 90, 0) A")
    assert leaf.point(1, 0, 0) == pytest.approx((0, 0, -8), abs=1e-9)
    leaf, _ = one("Lot --> r(12, 34, 56) rotate(abs, world, 0, 0, 0) A")
    assert leaf.point(1, 0, 1) == pytest.approx((8, 0, 4))
