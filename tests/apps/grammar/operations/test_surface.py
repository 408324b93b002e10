"""Normals, tags, materials and mirrored scopes."""

import numpy as np
import pytest

import supple


def test_normals_are_shared_or_not() -> None:
    rules = 'Lot --> i("cylinder") {} A'
    soft = supple.grow(rules.format("setNormals(soft)"), size=(1, 1, 1))
    hard = supple.grow(rules.format("setNormals(hard)"), size=(1, 1, 1))
    normals = [grown.meshes()[0].normals for grown in (soft, hard)]
    assert not np.allclose(normals[0], normals[1])
    again = supple.grow(rules.format("setNormals(hard) softenNormals(30)"), size=(1, 1, 1))
    np.testing.assert_allclose(again.meshes()[0].normals, normals[0])


def test_reset_material_restores_plain_white() -> None:
    grown = supple.grow('Lot --> color("#ff0000") resetMaterial() A')
    assert grown.leaves[0].material.color == (1.0, 1.0, 1.0)


def test_tags_and_holes_change_nothing(leaves) -> None:
    rules = 'Lot --> tag("wall") tag("roof", f, top) deleteTags("wall") deleteHoles() extrude(2) A'
    assert leaves(rules) == {"A": [(1.0, 2.0, 1.0)]}


def test_a_negative_size_lies_on_the_other_side_of_the_origin() -> None:
    grown = supple.grow("Lot --> s(2, 3, -4) A", size=(1, 1, 1))
    leaf = grown.leaves[0]
    np.testing.assert_allclose(leaf.size, (2, 3, 4))
    np.testing.assert_allclose(leaf.T_world_scope[:3, 3], (0, 0, -4))
    grown = supple.grow('Lot --> i("cone") s(2, -3, \'1) A', size=(1, 1, 1))
    points = grown.meshes()[0].positions
    assert points[:, 1].min() == pytest.approx(-3) and points[:, 1].max() == pytest.approx(0)
    tip = points[np.argmin(points[:, 1])]
    np.testing.assert_allclose(tip, (1, -3, 0.5), atol=1e-6)


def test_a_scope_is_mirrored_along_two_axes() -> None:
    grown = supple.grow(
        'Lot --> i("cone") mirrorScope(true, false, true) t(0.5, 0, 0) A', size=(2, 1, 4)
    )
    leaf = grown.leaves[0]
    np.testing.assert_allclose(leaf.T_world_scope[:3, :3], np.diag([-1.0, 1.0, -1.0]), atol=1e-12)
    np.testing.assert_allclose(leaf.T_world_scope[:3, 3], (1.5, 0, 4), atol=1e-12)
    top = grown.meshes()[0].positions
    assert top[np.argmax(top[:, 1])] == pytest.approx((0.5, 1, 2), abs=1e-6)


def test_areas_of_chosen_faces() -> None:
    rules = """Lot --> extrude(3) print(geometry.area(bottom)) print(geometry.area(side))
        print(geometry.area(world.south)) print(geometry.area()) print(geometry.area(street.side)) A"""
    assert supple.grow(rules, size=(4, 0, 2)).printed == ("8", "36", "12", "52", "36")


def test_a_projection_that_was_not_set_up_covers_the_scope() -> None:
    grown = supple.grow("Lot --> projectUV(0) print(geometry.du(0, unitSpace)) A", size=(4, 0, 2))
    assert float(grown.printed[0]) == pytest.approx(4.0)


def test_the_scope_aligns_with_an_edge_automatically() -> None:
    rules = "Lot --> r(0, 30, 0) alignScopeToGeometry(zUp, auto) A"
    np.testing.assert_allclose(
        supple.grow(rules, size=(4, 0, 2)).leaves[0].size, (4, 2, 0), atol=1e-9
    )


def test_street_selectors_are_those_of_the_object(leaves) -> None:
    found = leaves("Lot --> extrude(2) comp(f){ streetSide : S | all : R }", size=(4, 0, 3))
    assert {name: len(sizes) for name, sizes in found.items()} == {"S": 4, "R": 2}
