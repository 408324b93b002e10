"""alignScopeToAxes, alignScopeToGeometry and alignScopeToGeometryBBox."""

import math

import numpy as np
import pytest

import supple

LOT = {"size": (8, 0, 4)}


def one(rules, **options):
    grown = supple.grow(rules, **(LOT | options))
    (leaf,) = grown.leaves
    return leaf, grown


def test_the_scope_runs_along_an_edge():
    turned = "Lot --> r(0, 30, 0) alignScopeToAxes() {} A"
    plain, _ = one(turned.format(""))
    wide = 8 * math.cos(math.radians(30)) + 4 * math.sin(math.radians(30))
    assert plain.size[0] == pytest.approx(wide)
    for axes in ("xyz", "world.xyz"):
        named, _ = one(turned.format(f"r(0, 20, 0) alignScopeToAxes({axes})"))
        assert np.allclose(named.T_world_scope[:3, :3], np.eye(3))
    upright, _ = one(turned.format("r(0, 0, 20) alignScopeToAxes(world.y)"))
    assert np.allclose(upright.T_world_scope[:3, 1], (0, 1, 0))
    aligned, _ = one(turned.format("alignScopeToGeometry(yUp, 0, longest)"))
    assert aligned.size == pytest.approx((8, 0, 4))
    assert one(turned.format("alignScopeToGeometry(yUp, 0, 1)"))[0].size == pytest.approx((4, 0, 8))
    assert one(turned.format("alignScopeToGeometry(zUp, 0, longest)"))[0].size == pytest.approx(
        (8, 4, 0)
    )
    boxed, _ = one(turned.format("alignScopeToGeometryBBox(zx)"))
    assert sorted(boxed.size) == pytest.approx([0, 4, 8]) and boxed.size[2] == pytest.approx(8)
    lowest = "Lot --> extrude(3) alignScopeToGeometry(zUp, any, world.lowest) A"
    assert sorted(one(lowest)[0].size) == pytest.approx([3, 4, 8])


def test_the_geometry_stays_where_it_is():
    rules = "Lot --> roofShed(30) {} Roof"
    plain, moved = (
        supple.grow(rules.format(text), **LOT).meshes()[0].positions
        for text in ("", "alignScopeToGeometry(zUp, largest, longest)")
    )
    assert np.allclose(plain, moved)


@pytest.mark.parametrize("solid", ["extrude(5)", "extrude(5) comp(f){ all = A }"])
@pytest.mark.parametrize(
    ("pivot", "origin", "x", "y"),
    [
        ("xyz, 0", (0, 0, 0), (1, 0, 0), (0, 1, 0)),
        ("xyz, 1", (10, 0, 0), (0, 0, 1), (0, 1, 0)),
        ("xyz, 2", (10, 0, 8), (-1, 0, 0), (0, 1, 0)),
        ("xyz, 3", (0, 0, 8), (0, 0, -1), (0, 1, 0)),
        ("xyz, 6", (10, 5, 8), (0, 0, -1), (0, -1, 0)),
        ("yzx, 1", (10, 0, 0), (-1, 0, 0), (0, 0, 1)),
        ("yzx, 7", (0, 5, 8), (0, 0, -1), (1, 0, 0)),
        ("zxy, 4", (0, 5, 0), (0, -1, 0), (1, 0, 0)),
    ],
)
def test_the_pivot_is_a_corner_with_all_axes_inwards(solid, pivot, origin, x, y) -> None:
    """The axes are those of CityEngine's engine (PRT 3.3)."""
    if "comp" in solid:
        rules = f"Lot --> extrude(5) comp(f){{ side = setPivot({pivot}) A | all : NIL }}"
    else:
        rules = f"Lot --> extrude(5) setPivot({pivot}) A"
    grown = supple.grow(rules, size=(10, 0, 8))
    (leaf,) = grown.leaves
    frame = leaf.T_world_scope
    assert np.allclose(frame[:3, 3], origin)
    assert np.allclose(frame[:3, 0], x) and np.allclose(frame[:3, 1], y)
    points = np.concatenate([mesh.positions for mesh in grown.meshes()])
    assert np.allclose(points.min(axis=0), 0) and np.allclose(points.max(axis=0), (10, 5, 8))


def test_a_pivot_is_one_of_eight_corners(refused) -> None:
    assert "expected a corner from 0 to 7, got 8" in refused("Lot --> setPivot(xyz, 8) A")
    assert "expected one of xyz, yzx, zxy" in refused("Lot --> setPivot(xzy, 1) A")
