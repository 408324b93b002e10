"""comp: faces, edges and vertices."""

import numpy as np
import pytest

import supple


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


def test_a_face_goes_to_the_first_selector_that_takes_it(leaves) -> None:
    found = leaves("Lot --> comp(f){ 0 : A | side : B | all : C }", size=(1, 1, 1))
    assert [len(found[name]) for name in "ABC"] == [1, 3, 2]
    found = leaves("Lot --> comp(f){ vertical : V | horizontal : H }", size=(1, 1, 1))
    assert [len(found[name]) for name in "VH"] == [4, 2]
    found = leaves("Lot --> comp(f){ top : A }", size=(1, 1, 1))
    assert list(found) == ["A"]


def test_components_have_an_index_and_a_total() -> None:
    grown = supple.grow('Lot --> comp(f){ side : report("i", comp.index + 10 * comp.total) NIL }',
                        size=(1, 1, 1))  # fmt: skip
    assert grown.reports["i"] == [60.0, 61.0, 62.0, 63.0]


def test_merged_faces_are_one_shape() -> None:
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


def test_selectors_are_combined(leaves):
    found = leaves(
        "Lot --> extrude(2) comp(f){ front || back : A | !(top) && side : B | all : NIL }",
        size=(8, 0, 4),
    )
    assert found == {"A": [(8, 2, 0)] * 2, "B": [(4, 2, 0)] * 2}


def test_the_scope_of_a_level_face_runs_along_its_first_edge() -> None:
    """Strips along slanted edges have x along their edge, as in CityEngine's engine (PRT 3.3)."""
    hexagon = (
        [(4, 0, 10), (9, 0, 9), (10, 0, 4), (6, 0, 0), (1, 0, 1), (0, 0, 6)],
        [tuple(range(6))],
    )
    rules = 'Lot --> i("plan") offset(-1) comp(f){ border : B | inside : I }'
    grown = supple.grow(rules, size=(0, 0, 0), assets={"plan": hexagon})
    along = sorted(
        tuple(np.abs(leaf.T_world_scope[:3, 0]).round(2).tolist()) for leaf in grown.leaves
    )
    assert along == sorted(
        [(0.98, 0.0, 0.2)] * 3 + [(0.2, 0.0, 0.98)] * 2 + [(0.71, 0.0, 0.71)] * 2
    )


def test_the_edges_of_a_face_point_out_of_it() -> None:
    """x along the edge, y along the face's normal, z outwards, as in CityEngine's engine (PRT 3.3)."""
    rules = 'Lot --> {} comp(fe){{ {} : s(\'0.5, 0.2, 0.3) i("box") X. | all : NIL }}'
    grown = supple.grow(rules.format("", "front"), size=(10, 0, 10))
    (leaf,) = grown.leaves
    assert np.allclose(leaf.point(0, 0, 0), (0, 0, 10))
    assert np.allclose(leaf.point(1, 1, 1), (5, 0.2, 10.3))
    assert len(supple.grow(rules.format("extrude(5)", "all"), size=(10, 0, 10)).leaves) == 24
    assert len(supple.grow(rules.format("extrude(5)", "front"), size=(10, 0, 10)).leaves) == 4


def test_values_of_components_are_an_array() -> None:
    rules = """
    lengths = comp(fe){ all : scope.sx }
    Lot --> report("lengths", lengths) report("areas", comp(f){ side : geometry.area | top : 0 })
            report("index", comp(v){ all : comp.index }) A
    """
    told = supple.grow(rules, size=(10, 0, 8)).reports
    assert told["lengths"] == [(10, 8, 10, 8)]
    assert told["index"] == [(0, 1, 2, 3)]
    box = supple.grow(rules, size=(10, 5, 8)).reports
    assert box["areas"] == [(50, 40, 50, 40, 0)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("comp(x){ all : 1 }", "expected one of comp(f), comp(e), comp(fe), comp(v) before '{'"),
        ("area(f){ all : 1 }", "expected one of comp(f), comp(e), comp(fe), comp(v) before '{'"),
        ("comp(fe){ al : 1 }", "unknown selector 'al'; did you mean 'all'?"),
    ],
)
def test_wrong_arrays_of_components_are_refused(refused, value, message) -> None:
    said = refused(f"Lot --> setback({value}){{ all : A }}")
    assert message in said and said.startswith("<rules>:1:"), said


def test_vertices_have_z_along_the_mean_normal() -> None:
    """The axes are those of CityEngine's engine (PRT 3.3)."""
    grown = supple.grow("Lot --> comp(v){ all : V }", size=(10, 0, 10))
    for leaf in grown.leaves:
        assert np.allclose(leaf.T_world_scope[:3, :3].T, [(0, 0, -1), (-1, 0, 0), (0, 1, 0)])
    grown = supple.grow("Lot --> extrude(5) comp(v){ all : V }", size=(10, 0, 10))
    (corner,) = (one for one in grown.leaves if np.allclose(one.point(0, 0, 0), (0, 0, 10)))
    half, third = 0.5**0.5, 3**-0.5
    assert np.allclose(corner.T_world_scope[:3, 0], (0, half, half))
    assert np.allclose(corner.T_world_scope[:3, 2], (-third, -third, third))


def test_an_eave_has_the_normal_of_its_roof_plane() -> None:
    rules = "Lot --> roofHip(30) comp(e){ eave : E | all : NIL }"
    for leaf in supple.grow(rules, size=(12, 0, 8)).leaves:
        assert leaf.T_world_scope[1, 2] == pytest.approx(np.cos(np.radians(30)))
