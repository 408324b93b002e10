"""primitiveCube, primitiveCylinder, ..."""

import math

import numpy as np
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
    assert leaf.size == pytest.approx((4, 5, 2 * 3**0.5)) and grown.reports["n"] == [8]
    assert grown.reports["v"][0] == pytest.approx(6 / 2 * 4 * math.sin(math.pi / 3) * 5)
    assert one("Lot --> primitiveQuad A")[0].size == pytest.approx((8, 0, 4))
    wide = 4 * math.cos(math.pi / 16)  # across the flat sides
    assert one("Lot --> primitiveSphere(16, 16, 2) A")[0].size == pytest.approx((wide, 4, wide))


def corners(rules: str, size) -> list[tuple[float, ...]]:
    points = np.concatenate([mesh.positions for mesh in supple.grow(rules, size=size).meshes()])
    return sorted({tuple(point) for point in (points.round(3) + 0.0).tolist()})


def test_round_solids_have_the_corners_of_cityengines_engine() -> None:
    """PRT 3.3: an edge at the front, and the scope is filled whatever the number of sides."""
    assert corners("Lot --> primitiveDisk(5)", (1, 1, 1)) == [
        (0, 0, 0.382), (0.191, 0, 1), (0.5, 0, 0), (0.809, 0, 1), (1, 0, 0.382),
    ]  # fmt: skip
    assert corners("Lot --> primitiveSphere(5, 3)", (1, 1, 1)) == [
        (0, 0.25, 0.382), (0, 0.75, 0.382), (0.191, 0.25, 1), (0.191, 0.75, 1), (0.5, 0, 0.553),
        (0.5, 0.25, 0), (0.5, 0.75, 0), (0.5, 1, 0.553), (0.809, 0.25, 1), (0.809, 0.75, 1),
        (1, 0.25, 0.382), (1, 0.75, 0.382),
    ]  # fmt: skip
    assert len(corners('Lot --> i("builtin:sphere")', (2, 3, 4))) == 242
    assert len(corners('Lot --> i("builtin:cylinder")', (2, 3, 4))) == 32
    assert corners('Lot --> i("builtin:cube:notex")', (2, 3, 4))[-1] == (2, 3, 4)


def test_sizes_are_around_the_middle_of_the_scope() -> None:
    """As in CityEngine's engine (PRT 3.3): upwards from the bottom, about the middle of x and z."""
    cube = corners("Lot --> primitiveCube(1, 2, 3)", (5, 6, 7))
    assert (cube[0], cube[-1]) == ((2, 0, 2), (3, 2, 5))
    assert corners("Lot --> primitiveCone(6, 1, 2)", (5, 6, 7)) == [
        (1.5, 0, 3.5), (2, 0, 2.634), (2, 0, 4.366), (2.5, 2, 3.5), (3, 0, 2.634), (3, 0, 4.366),
        (3.5, 0, 3.5),
    ]  # fmt: skip
    assert corners("Lot --> primitiveDisk(5, 2)", (1, 1, 1)) == [
        (-1.402, 0, -0.118), (-0.676, 0, 2.118), (0.5, 0, -1.5), (1.676, 0, 2.118),
        (2.402, 0, -0.118),
    ]  # fmt: skip
