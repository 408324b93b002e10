"""trim(), set(trim.vertical | trim.horizontal, ...) and the trimming of what is inserted.

The vertices are those of CityEngine's engine (PRT 3.3) for the same rules.
"""

import numpy as np
import pytest

import supple
from supple import SuppleError

FRONT = "Lot --> extrude(5) comp(f){{ front : {} Ledge. | all : NIL }}"


def corners(rules: str, size=(10, 0, 10)) -> list[list[float]]:
    meshes = supple.grow(rules, size=size).meshes()
    points = np.concatenate([np.asarray(mesh.positions) for mesh in meshes])
    return np.unique(points.round(4) + 0.0, axis=0).tolist()


def mitred(low: float, high: float, *, foot=None) -> list[list[float]]:
    low_foot, high_foot = foot or (low, high)
    return sorted(
        [[x, y, z] for x, z, ends in ((-1.0, 11.0, (low, high)), (0.0, 10.0, (low_foot, high_foot)),
         (10.0, 10.0, (low_foot, high_foot)), (11.0, 11.0, (low, high))) for y in ends]
    )  # fmt: skip


@pytest.mark.parametrize("insert", ['i("builtin:cube")', "primitiveCube()"])
def test_inserted_geometry_is_trimmed_at_upright_edges(insert: str) -> None:
    wide = f"s('1.4, '1.4, 1) center(xy) {insert}"
    assert corners(FRONT.format(wide)) == mitred(-1.0, 6.0)
    inwards = f"s('1.4, 1, 1) center(x) t(0, 0, -1) {insert}"
    assert corners(FRONT.format(inwards)) == sorted(
        [x, y, z] for x, z in ((0.0, 10.0), (1.0, 9.0), (9.0, 9.0), (10.0, 10.0)) for y in (0, 1)
    )


def test_trim_planes_are_switched_by_attributes() -> None:
    cube = "s('1.4, '1.4, 1) center(xy) i(\"cube\")"
    both = corners(FRONT.format(f"set(trim.horizontal, true) {cube}"))
    assert both == mitred(-1.0, 6.0, foot=(0.0, 5.0))
    none = corners(FRONT.format(f"set(trim.vertical, false) {cube}"))
    assert none == sorted([x, y, z] for x in (-2, 12) for y in (-1, 6) for z in (10, 11))
    rules = "Lot --> set(trim.vertical, false) A  A --> case trim.vertical : B else : C"
    assert supple.grow(rules).leaves.names == {"C": 1}
    with pytest.raises(SuppleError, match="expected a condition"):
        supple.grow('Lot --> set(trim.vertical, "no") A')


def test_the_scope_fits_the_trimmed_geometry() -> None:
    rules = FRONT.format('s(40, 1, 1) center(x) i("cube") split(x){ 3 : A | ~1 : NIL }')
    assert corners(rules.replace("A |", "Ledge. |").replace("} Ledge. |", "} |")) == sorted(
        [x, y, z] for x, z in ((-1.0, 11.0), (0.0, 10.0), (2.0, 10.0), (2.0, 11.0)) for y in (0, 1)
    )


def test_a_later_comp_replaces_the_planes() -> None:
    cube = 's(40, 1, 1) center(x) i("cube")'
    again = f"Lot --> extrude(5) comp(f){{ front : comp(f){{ all : {cube} L. }} | all : NIL }}"
    assert corners(again)[0][0] == -15.0
    merged = f"Lot --> extrude(5) comp(f){{ side = {cube} L. | all : NIL }}"
    assert corners(merged)[0][0] == -15.0


def test_splits_keep_the_planes() -> None:
    cube = 's(30, 1, 1) center(x) i("cube") L.'
    rules = f"Lot --> extrude(5) comp(f){{ front : split(x){{ ~1 : NIL | ~1 : {cube} | ~1 : NIL }} | all : NIL }}"
    assert corners(rules) == mitred(0.0, 1.0)


def test_trim_cuts_geometry_that_was_not_inserted() -> None:
    assert corners(FRONT.format("s(40, 1, '1) center(x) extrude(1) trim()")) == mitred(0.0, 1.0)
    flat = corners(FRONT.format("s(40, '1, '1) center(x) trim"))
    assert flat == [[0, 0, 10], [0, 5, 10], [10, 0, 10], [10, 5, 10]]


def test_reflex_corners_trim_as_well() -> None:
    ledge = 's(\'2, 1, 1) center(x) i("cube") L.'
    walls = f"extrude(5) comp(f){{ side : {ledge} | all : NIL }}"
    ell = f"Lot --> shapeL(5, 5){{ shape : {walls} | remainder : NIL }}"
    points = np.array(corners(ell))
    inner = points[(np.abs(points[:, 0] - 5) < 1.5) & (np.abs(points[:, 2] - 5) < 1.5)]
    assert len(inner) == 4  # both walls meet in one mitre


def test_edges_have_z_along_the_mean_normal() -> None:
    rules = 'Lot --> extrude(5) comp(e){ vertical : s(\'1, 2, 1) center(y) i("cube") | all : NIL }'
    points = np.array(corners(rules))
    half = round(0.5**0.5, 4)
    assert points.min(axis=0).round(4).tolist() == [-2 * half, 0.0, -2 * half]
    # Each cube reaches outwards from its edge along the diagonal.
    centre = points[:, [0, 2]] - 5.0
    assert np.all(np.abs(centre).max(axis=1) >= 5.0 - half - 1e-3)
