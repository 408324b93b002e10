"""Texture coordinates: layers, extent, and splits along them."""

import numpy as np
import pytest

import supple

TRAPEZIUM = ([(0, 0, 0), (0, 0, 2), (6, 0, 2), (4, 0, 0)], [(0, 1, 2, 3)])


def sizes(grown) -> list[list[float]]:
    return [np.round(leaf.size, 9).tolist() for leaf in grown.leaves]


def test_a_split_along_u_in_lengths_and_along_v_in_shares(leaves) -> None:
    rules = (
        "Lot --> split(u, unitSpace, 0){ 3 : A | ~1 : split(v, uvSpace, 0){ 0.25 : B | ~1 : C } }"
    )
    # u runs along x over 10, v along z over 4: a quarter of it is 1 wide.
    assert leaves(rules, size=(10, 0, 4)) == {"A": [(3, 0, 4)], "B": [(7, 0, 1)], "C": [(7, 0, 3)]}


def test_a_split_follows_the_image_and_not_the_scope() -> None:
    turned = """
    Lot --> setupProjection(0, scope.zx, 4, 5) projectUV(0) split(u, {space}, 0){{ {sizes} }}
    """
    lengths = supple.grow(turned.format(space="unitSpace", sizes="1 : A | ~1 : B"), size=(10, 0, 8))
    assert sizes(lengths) == [[10, 0, 1], [10, 0, 7]]
    # The image is 4 wide along z, so that u reaches 2.
    shares = supple.grow(turned.format(space="uvSpace", sizes="1 : A | ~1 : B"), size=(10, 0, 8))
    assert sizes(shares) == [[10, 0, 4], [10, 0, 4]]


def test_coordinates_that_run_backwards_are_cut_from_the_other_end() -> None:
    rules = "Lot --> scaleUV(0, -1, 1) split(u, unitSpace, 0){ 2 : A | ~1 : B }"
    grown = supple.grow(rules, size=(10, 0, 1))
    assert [leaf.name for leaf in grown.leaves] == ["A", "B"]
    assert grown.leaves[0].T_world_scope[:3, 3].tolist() == pytest.approx([8, 0, 0])


def test_parts_stay_under_the_image_of_the_whole(leaves) -> None:
    rules = """
    Lot --> split(u, unitSpace, 0){ 4 : A | ~1 : B }
    B --> print(geometry.uMin(0)) print(geometry.uMax(0)) print(geometry.vMax(0))
        split(u, uvSpace, 0){ 0.2 : C | ~1 : D }
    """
    grown = supple.grow(rules, size=(10, 0, 2))
    assert [float(line) for line in grown.printed] == pytest.approx([0.4, 1, 1])
    assert sizes(grown) == [[4, 0, 2], [2, 0, 2], [4, 0, 2]]


def test_a_polygon_is_cut_across() -> None:
    rules = """
    Lot --> i("T") split(u, unitSpace, 0){ 4 : A | ~1 : B }
    A --> report("area", geometry.area)
    B --> report("area", geometry.area)
    """
    grown = supple.grow(rules, size=(6, 0, 2), assets={"T": TRAPEZIUM})
    assert sizes(grown) == [[4, 0, 2], [2, 0, 2]]
    assert grown.reports["area"] == pytest.approx([8, 2])


def test_a_solid_is_cut_along_the_image_on_each_face() -> None:
    rules = 'Lot --> i("box") split(v, uvSpace, 0){ 0.25 : report("a", geometry.area) A | ~1 : B }'
    grown = supple.grow(rules, size=(2, 4, 2))
    # v runs up the sides and along z on the lids.
    assert sizes(grown) == [[2, 4, 2], [2, 4, 2]]
    assert grown.reports["a"] == pytest.approx([4 * 2 * 1 + 2 * 2 * 0.5])


@pytest.mark.parametrize(
    "cut", ["split(u, uvSpace, 0){ 0.1 : A | ~1 : B }", "split(x){ '0.2 : A | ~1 : B }"]
)
@pytest.mark.parametrize("turned", ["", "rotateScope(0, 0, 180) rotateScope(0, 0, 180)"])
def test_an_asset_keeps_its_own_coordinates_when_it_is_cut(cut, turned) -> None:
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    texcoords = [(0.5, 1.0), (1.0, 1.0), (1.0, 0.0), (0.5, 0.0)]
    mesh = supple.Mesh("wall", points, [(0, 1, 2), (0, 2, 3)], texcoords=texcoords)
    rules = f"""
    Lot --> i("wall") {turned} {cut}
    A --> print(geometry.uMin(0)) print(geometry.uMax(0)) print(geometry.du(0, unitSpace))
    """
    grown = supple.grow(rules, size=(5, 3, 0), assets={"wall": mesh})
    assert [float(line) for line in grown.printed] == pytest.approx([0.5, 0.6, 1.0])


def test_layers_are_kept_apart() -> None:
    rules = """
    Lot --> setupProjection(0, scope.xz, 2, 2) projectUV(0)
        setupProjection(2, scope.xz, '1, '1) set(material.dirtmap, "dirt.png")
        projectUV(2) scaleUV(2, 0.5, 1) copyUV(0, 5) A
    A --> print(geometry.du(0, uvSpace)) print(geometry.du(2, uvSpace)) print(geometry.du(5, uvSpace))
        split(u, uvSpace, 2){ 0.25 : B | ~1 : C }
    """
    grown = supple.grow(rules, size=(8, 0, 4))
    assert [float(line) for line in grown.printed] == pytest.approx([4, 0.5, 4])
    assert [leaf.size[0] for leaf in grown.leaves] == pytest.approx([4, 4])
    material = grown.leaves[0].material
    assert material.projection.size == (2, 2) and material.layer(2).projection.size == (8, 4)
    assert dict(material.more) == {"dirtmap": "dirt.png"}
    assert np.all(np.isfinite(grown.meshes()[0].positions))


@pytest.mark.parametrize(
    ("successor", "message"),
    [
        ("split(u, unitSpace, 1){ 1 : A }", "no texture coordinates on layer 1: expected setupProj"),
        ("split(u, unitSpace, 10){ 1 : A }", "expected a texture layer from 0 to 9, got 10"),
        ("split(u, meters, 0){ 1 : A }", "expected one of uvSpace, unitSpace, got meters"),
        ("split(u){ 1 : A }", "split takes 3 arguments, got 1"),
        ("split(u, unitSpace, 0) A", "split: expected parts in braces"),
        ("comp(e){ 0 : split(u, unitSpace, 0){ 1 : A } }", "expected a shape with faces"),
        ("scaleUV(0, 0, 1) split(u, unitSpace, 0){ 1 : A }", "that cover the surface, got a line"),
        ("scaleUV(0.5, 1, 1) A", "expected a texture layer from 0 to 9, got 0.5"),
        ("copyUV(4, 0) A", "copyUV: expected a projectUV(4) before it"),
        ("print(geometry.du(0, feet)) A", "geometry.du: expected one of uvSpace, unitSpace, got feet"),
        ("print(geometry.uMin(0, 1)) A", "'geometry.uMin' takes 0 or 1 argument, got 2"),
    ],
)  # fmt: skip
def test_missing_texture_coordinates_are_refused(refused, successor, message) -> None:
    said = refused(f"Lot --> {successor}")
    assert message in said and said.startswith("<rules>:1:"), said


@pytest.mark.parametrize(
    ("more", "least"), [("", 0), (", 1", 0), (", 1, 0.5", 1), (", 1, 0.5, 1", 1)]
)
def test_a_projection_takes_a_factor_with_and_without_an_offset(more, least):
    rules = f"""
    Lot --> setupProjection(0, scope.xz, 2, 2{more}) projectUV(0) Told
    Told --> report("u", geometry.uMin(0)) NIL
    """
    assert supple.grow(rules, size=(2, 0, 2)).reports["u"] == [least]


def test_texture_coordinates_continue_through_splits(tmp_path):
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


def test_a_solid_is_tiled_on_all_sides(tmp_path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    path = tmp_path / "a.cga"
    path.write_text('Lot --> extrude(3) tileUV(0, 1, 1) texture("a.png") X.')
    (mesh,) = supple.grow(path, size=(4, 0, 2)).meshes()
    uv, points = np.asarray(mesh.texcoords), np.asarray(mesh.positions)
    for triangle in np.asarray(mesh.faces):
        a, b, c = points[triangle]
        p, q, r = uv[triangle]
        area = np.linalg.norm(np.cross(b - a, c - a))
        (ux, uy), (vx, vy) = q - p, r - p
        assert abs(ux * vy - uy * vx) == pytest.approx(area)  # one image per square metre
