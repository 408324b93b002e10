"""Scopes that are turned to their geometry, and geometry that is made otherwise."""

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
    assert one(turned.format("alignScopeToGeometry(yUp, 0, 0)"))[0].size == pytest.approx((4, 0, 8))
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


def test_moves_and_turns_in_the_world_s_axes():
    leaf, _ = one("Lot --> r(0, 90, 0) translate(rel, world, 1, 2, 3) A")
    assert leaf.point(0, 0, 0) == pytest.approx((1, 2, 3))
    leaf, _ = one("Lot --> t(5, 5, 5) translate(abs, world, 1, 2, 3) A")
    assert leaf.point(0, 0, 0) == pytest.approx((1, 2, 3))
    leaf, _ = one("Lot --> r(90, 0, 0) rotate(rel, world, 0, 90, 0) A")
    assert leaf.point(1, 0, 0) == pytest.approx((0, 0, -8), abs=1e-9)
    leaf, _ = one("Lot --> r(12, 34, 56) rotate(abs, world, 0, 0, 0) A")
    assert leaf.point(1, 0, 1) == pytest.approx((8, 0, 4))


def test_mirrors_and_faces_turned_round():
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


def test_solids_of_a_size():
    told = 'report("v", geometry.volume) report("n", geometry.nFaces) A'
    leaf, grown = one(f"Lot --> primitiveCube(1, 2, 3) {told}")
    assert leaf.size == pytest.approx((1, 2, 3)) and grown.reports["v"] == [6]
    leaf, grown = one(f"Lot --> primitiveCylinder(6, 2, 5) {told}")
    assert leaf.size == pytest.approx((4, 5, 4)) and grown.reports["n"] == [8]
    assert grown.reports["v"][0] == pytest.approx(6 / 2 * 4 * math.sin(math.pi / 3) * 5)
    assert one("Lot --> primitiveQuad A")[0].size == pytest.approx((8, 0, 4))
    assert one("Lot --> primitiveSphere(16, 16, 2) A")[0].size == pytest.approx((4, 4, 4))


def test_measures():
    rules = """Lot --> report("c", geometry.isConcave) report("r", geometry.isRectangular)
        report("b", geometry.boundaryLength) report("s", geometry.angle(maxSlope)) {}"""
    flat = supple.grow(rules.format("A"), **LOT).reports
    assert flat == {"c": [False], "r": [True], "b": [24], "s": [pytest.approx(0, abs=1e-6)]}
    ell = 'Lot --> shapeL(1, 1){ shape : report("c", geometry.isConcave) A | remainder : NIL }'
    assert supple.grow(ell, **LOT).reports["c"] == [True]
    roof = """Lot --> roofHip(30) report("closed", geometry.isClosedSurface) comp(f){ aslant :
        report("slope", geometry.angle(maxSlope)) report("azimuth", geometry.angle(azimuth)) A | all : NIL }"""
    told = supple.grow(roof, **LOT).reports
    assert told["slope"] == pytest.approx([30] * 4) and told["closed"] == [True]
    assert sorted(abs(round(angle)) for angle in told["azimuth"]) == [0, 90, 90, 180]


def test_scattered_shapes_lie_on_the_shape_and_are_the_same_again():
    rules = "Lot --> shapeL(1, 1){ shape : scatter(surface, 40, uniform){ A } | remainder : NIL }"
    first, again = (supple.grow(rules, seed=3, **LOT) for _ in range(2))
    places = np.array([leaf.point(0, 0, 0) for leaf in first.leaves])
    assert len(places) == 40 and np.all((places[:, 0] <= 1) | (places[:, 2] >= 3))
    assert np.array_equal(places, [leaf.point(0, 0, 0) for leaf in again.leaves])
    trees = supple.grow("Lot --> scatter(scope, 5, uniform){ primitiveCube(1, 2, 1) }", **LOT)
    assert len(trees.leaves) == 5 and all(tuple(leaf.size) == (1, 2, 1) for leaf in trees.leaves)


def test_texture_coordinates_run_on_through_splits(tmp_path):
    (tmp_path / "wall.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    path = tmp_path / "wall.cga"
    wall = """Lot --> extrude(4) comp(f){{ front : Wall | all : NIL }}
    Wall --> setupProjection(0, scope.xy, 2, 2) texture("wall.png") split(x){{ ~1 : {} }}*"""
    path.write_text(wall.format("projectUV(0) Tile"))
    (mesh,) = supple.grow(path, size=(8, 0, 4)).meshes()
    assert mesh.texcoords is not None
    assert np.allclose(mesh.texcoords[:, 0], mesh.positions[:, 0] / 2)
    assert np.allclose(1 - mesh.texcoords[:, 1], mesh.positions[:, 1] / 2)
    path.write_text(wall.format("tileUV(0, ~0.4, 4) Tile"))
    (mesh,) = supple.grow(path, size=(8, 0, 4)).meshes()
    assert mesh.texcoords is not None
    assert np.allclose(sorted(set(mesh.texcoords[:, 0].round(6))), [0, 2]), "half a metre an image"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Lot --> mirrorScope(1, 0, 0) A", "'mirrorScope' is not supported"),
        ("Lot --> primitiveCylinder(2, 1, 1) A", "expected 3 to 512 sides"),
        ("Lot --> primitiveCube(-1, 1, 1) A", "expected sizes of at least 0"),
        ("Lot --> scatter(surface, 1e9, uniform){ A }", "expected 0 to 200,000"),
        ("Lot --> scatter(surface, 5, gaussian){ A }", "'gaussian' is not supported"),
        ("Lot --> NIL alignScopeToGeometry(xUp, 0, 0) A", "expected one of yUp, zUp"),
        ("Lot --> report(\"a\", geometry.angle(steep)) A", "expected one of maxSlope"),
        ("Lot --> r(20, 0, 0) extrude(world.up.flatTop, 2) A", "level shapes alone"),
        ("Lot --> report(\"a\", readStringTable(\"a.csv\")) A", "'readStringTable' is not supported"),
        ("Lot --> splitArea(x){ 3 : A }", "'splitArea' is not supported"),
    ],
)  # fmt: skip
def test_what_is_wrong_or_not_supported_is_refused_by_name(refused, rules, message):
    said = refused(rules, **LOT)
    assert message in said and said.startswith("<rules>:1:"), said
