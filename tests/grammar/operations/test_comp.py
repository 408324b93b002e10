"""Faces, edges and corners, extruding and cutting, against sizes worked out by hand."""

import numpy as np
import pytest

import supple
from supple.grammar.geometry.components import selects, slab
from supple.grammar.geometry.mesh import BOX, CYLINDER, SPHERE, triangulated

L_SHAPE = ([(0, 0, 0), (0, 0, 2), (1, 0, 2), (1, 0, 1), (2, 0, 1), (2, 0, 0)], [(0, 1, 2, 3, 4, 5)])


def test_the_faces_of_a_box_by_name(leaves) -> None:
    found = leaves(
        "Lot --> comp(f){ front : F | back : B | left : L | right : R | top : T | bottom : U }",
        size=(2, 3, 5),
    )
    assert found == {
        "F": [(2, 3, 0)], "B": [(2, 3, 0)], "L": [(5, 3, 0)], "R": [(5, 3, 0)],
        "T": [(2, 5, 0)], "U": [(2, 5, 0)],
    }  # fmt: skip


def test_a_face_has_z_outwards_and_y_up_a_wall() -> None:
    grown = supple.grow("Lot --> comp(f){ all : F }", size=(2, 3, 5))
    centre = np.array([1, 1.5, 2.5])
    for face in grown.leaves:
        T = face.T_world_scope
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1)
        outwards = face.point(0.5, 0.5, 0) - centre
        assert T[:3, 2] @ outwards == pytest.approx(np.abs(outwards).max())
        if abs(T[1, 2]) < 0.5:
            assert T[:3, 1].tolist() == [0, 1, 0]
        for corner in [(0, 0, 0), (1, 1, 0)]:
            at = face.point(*corner)
            assert np.all(at >= -1e-12) and np.all(at <= np.array([2, 3, 5]) + 1e-12)


def test_the_first_selector_that_takes_a_face_has_it(leaves) -> None:
    found = leaves("Lot --> comp(f){ 0 : A | side : B | all : C }", size=(1, 1, 1))
    assert [len(found[name]) for name in "ABC"] == [1, 3, 2]
    found = leaves("Lot --> comp(f){ vertical : V | horizontal : H }", size=(1, 1, 1))
    assert [len(found[name]) for name in "VH"] == [4, 2]
    found = leaves("Lot --> comp(f){ top : A }", size=(1, 1, 1))
    assert list(found) == ["A"]


@pytest.mark.parametrize(
    ("selector", "tilt", "takes"),
    [
        ("horizontal", 79, True), ("horizontal", 78, False), ("aslant", 78, True),
        ("aslant", 12, True), ("aslant", 11, False), ("vertical", 11, True),
        ("vertical", -12, False), ("nutant", -12, True), ("side", 78, True), ("side", 79, False),
    ],
)  # fmt: skip
def test_selectors_by_tilt(selector: str, tilt: float, takes: bool) -> None:
    angle = np.radians(tilt)
    assert selects(selector, (0.0, float(np.sin(angle)), float(np.cos(angle)))) is takes


def test_components_know_their_place() -> None:
    grown = supple.grow('Lot --> comp(f){ side : report("i", comp.index + 10 * comp.total) NIL }',
                        size=(1, 1, 1))  # fmt: skip
    assert grown.reports["i"] == [60.0, 61.0, 62.0, 63.0]


def test_faces_together_are_one_shape() -> None:
    grown = supple.grow("Lot --> comp(f){ side = Walls | all : Lid }", size=(2, 3, 5))
    walls = grown.leaves.named("Walls")
    assert len(walls) == 1 and walls[0].size.tolist() == [2, 3, 5]
    assert len(grown.leaves.named("Lid")) == 2
    assert sum(len(mesh.faces) for mesh in grown.meshes()) == 2 * 6


def test_edges_and_corners(leaves) -> None:
    found = leaves("Lot --> comp(e){ all : E }", size=(2, 3, 5))
    assert sorted(found["E"]) == [(2, 0, 0)] * 4 + [(3, 0, 0)] * 4 + [(5, 0, 0)] * 4
    assert len(leaves("Lot --> comp(v){ all : V }", size=(2, 3, 5))["V"]) == 8
    grown = supple.grow('Lot --> comp(e){ all : s(\'1, 0.1, 0.1) i("box") }', size=(2, 3, 5))
    assert len(grown.leaves) == 12 and len(grown.meshes()[0].faces) == 12 * 12


def test_extruding_a_lot_a_face_and_downwards(leaves) -> None:
    assert leaves("Lot --> extrude(4)", size=(2, 0, 3))["Lot"] == [(2, 4, 3)]
    found = leaves(
        "Lot --> comp(f){ front : extrude(0.5) A | top : extrude(-1) B }", size=(2, 3, 5)
    )
    assert found == {"A": [(2, 0.5, 3)], "B": [(2, 1, 5)]}
    grown = supple.grow("Lot --> comp(f){ top : extrude(-1) B }", size=(2, 3, 5))
    assert grown.leaves[0].point(0, 0, 0).tolist() == pytest.approx([0, 2, 0])
    grown = supple.grow("Lot --> r(90, 0, 0) extrude(world.up, 2) A", size=(2, 0, 3))
    assert grown.leaves[0].size.tolist() == pytest.approx([2, 5, 0])


def test_a_concave_lot_extrudes_to_a_prism() -> None:
    grown = supple.grow(
        'Lot --> s(0, 0, 0) i("L") extrude(3) report("n", [geometry.nFaces, geometry.volume]) '
        "comp(f){ side : Wall | top : Roof }",
        assets={"L": L_SHAPE},
    )
    assert grown.reports["n"] == [(8.0, pytest.approx(9.0))]
    assert sorted(wall.size[0] for wall in grown.leaves.named("Wall")) == [1, 1, 1, 1, 2, 2]
    roof = grown.leaves.named("Roof")[0]
    assert roof.size.tolist() == [2, 2, 0]
    areas = [np.abs(np.cross(b - a, c - a)[1]) / 2 for a, b, c in _corners(grown.meshes())]
    assert sum(areas) == pytest.approx(3.0)


def _corners(meshes):
    for mesh in meshes:
        yield from mesh.positions[mesh.faces]


def test_a_solid_cannot_be_extruded(refused) -> None:
    assert "expected a flat shape" in refused("Lot --> extrude(1) extrude(1)")


def test_splitting_a_box_gives_boxes(leaves) -> None:
    found = leaves("Lot --> extrude(9) split(y){ 3 : A | ~1 : B | '0.1 : C }", size=(2, 0, 2))
    assert found == {"A": [(2, 3, 2)], "B": [(2, 5.1, 2)], "C": [(2, 0.9, 2)]}
    grown = supple.grow("Lot --> r(0, 90, 0) split(x){ 1 : A | ~1 : B }", size=(3, 0, 1))
    assert np.round(grown.leaves.named("B")[0].point(0, 0, 0), 9).tolist() == [0, 0, -1]


@pytest.mark.parametrize("solid", [BOX, CYLINDER, SPHERE], ids=lambda one: one.name)
@pytest.mark.parametrize("axis", range(3))
def test_what_is_cut_apart_has_the_volume_of_the_whole(solid, axis: int) -> None:
    whole = solid.volume((1.0, 1.0, 1.0))
    parts = [slab(solid, axis, a, b) for a, b in ((0.0, 0.23), (0.23, 0.61), (0.61, 1.0))]
    assert all(part.closed for part, *_ in parts)
    volumes = [part.volume(tuple(size.tolist())) for part, _, size in parts]
    assert min(volumes) > 0 and sum(volumes) == pytest.approx(whole, rel=1e-9)


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


def test_triangles_of_a_concave_polygon_cover_it_once() -> None:
    points = np.array([(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0)], float)
    triangles = triangulated(points)
    areas = [np.cross(points[b] - points[a], points[c] - points[a])[2] / 2 for a, b, c in triangles]
    assert len(triangles) == 3 and min(areas) > 0
    assert sum(areas) == pytest.approx(16 - 4 * 3 / 2)


def test_what_is_pulled_stands_on_its_face():
    """Whatever it faces: y is the way it was pulled, and it is there in the world."""
    rules = "Lot --> extrude(3) comp(f){{ {} : extrude(0.5) A | all : NIL }}"
    boxes = {
        "front": ((0, 0, 4), (8, 3, 4.5)),
        "right": ((8, 0, 0), (8.5, 3, 4)),
        "back": ((0, 0, -0.5), (8, 3, 0)),
        "top": ((0, 3, 0), (8, 3.5, 4)),
    }
    for side, (low, high) in boxes.items():
        grown = supple.grow(rules.format(side), size=(8, 0, 4))
        points = grown.meshes()[0].positions
        assert np.allclose(points.min(axis=0), low) and np.allclose(points.max(axis=0), high)
        (leaf,) = grown.leaves
        assert leaf.size[1] == 0.5
        outwards = leaf.point(0.5, 1, 0.5) - leaf.point(0.5, 0, 0.5)
        assert np.allclose(outwards, 0.5 * np.sign(np.round(outwards, 9)))
    # A plane of a roof, pulled upwards, stands upright.
    roof = "Lot --> roofShed(30) comp(f){ aslant : extrude(world.up, 0.3) A | all : NIL }"
    (leaf,) = supple.grow(roof, size=(8, 0, 4)).leaves
    assert np.allclose(leaf.size, (4, 8 * np.tan(np.pi / 6) + 0.3, 8))
