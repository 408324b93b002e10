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
