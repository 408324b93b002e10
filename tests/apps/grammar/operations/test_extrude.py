"""extrude."""

import numpy as np
import pytest

import supple

L_SHAPE = ([(0, 0, 0), (0, 0, 2), (1, 0, 2), (1, 0, 1), (2, 0, 1), (2, 0, 0)], [(0, 1, 2, 3, 4, 5)])


def _corners(meshes):
    for mesh in meshes:
        yield from mesh.positions[mesh.faces]


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


def test_a_solid_is_extruded_face_by_face_or_as_a_shell() -> None:
    def box(way: str) -> tuple[list[float], int, float]:
        grown = supple.grow(
            f'Lot --> extrude({way}) report("v", geometry.volume) A', size=(1, 1, 1)
        )
        leaf = grown.leaves[0]
        return leaf.size.round(9).tolist(), len(grown.meshes()[0].faces), grown.reports["v"][0]

    size, triangles, volume = box("0.5")
    assert size == [2, 2, 2] and triangles == 6 * 12 and volume == pytest.approx(6 * 0.5)
    size, triangles, volume = box("vertex.normal, 0.5")
    assert size == [2, 2, 2] and triangles == 2 * 12 and volume == pytest.approx(8 - 1)
    assert box("-0.25")[0] == [1, 1, 1]


def test_a_roof_is_extruded_along_its_points_or_upwards() -> None:
    rules = "Lot --> roofGable(45) comp(f){ aslant = extrude(WAY) A }"
    shell = supple.grow(rules.replace("WAY", "vertex.normal, 0.2"), size=(10, 0, 6)).leaves[0]
    assert shell.size[1] == pytest.approx(3 + 0.2 * 2**0.5)
    raised = supple.grow(rules.replace("WAY", "world.up, 0.2"), size=(10, 0, 6))
    assert raised.leaves[0].size.tolist() == pytest.approx([10, 3.2, 6])
    # Two slopes below and above, and walls along six edges; the ridge has none.
    assert len(raised.meshes()[0].faces) == 4 * 2 + 6 * 2


def test_an_extruded_shape_stands_on_its_face():
    """In any orientation: y is the direction of the extrusion, also in world."""
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
    # A plane of a roof that is extruded upwards stands upright.
    roof = "Lot --> roofShed(30, 1) comp(f){ aslant : extrude(world.up, 0.3) A | all : NIL }"
    (leaf,) = supple.grow(roof, size=(8, 0, 4)).leaves
    assert np.allclose(leaf.size, (4, 8 * np.tan(np.pi / 6) + 0.3, 8))
