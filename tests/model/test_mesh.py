"""Meshes, materials and skins."""

import numpy as np
import pytest

from supple import Material, Mesh, Morph, Skin, SuppleError, Texture

EYE = np.tile(np.eye(4), (3, 1, 1))
JOINTS = ("a", "b", "c")


def test_influences_of_any_number_a_vertex():
    skin = Skin(JOINTS, EYE, [0, 1, 4, 6], [2, 0, 1, 2, 1, 0], [1, 0.5, 0.25, 0.25, 0.75, 0.25])
    assert skin.vertex_count == 3
    assert skin.most == 3
    assert skin.corrected == 0
    joints, weights = skin.table()
    assert joints.tolist() == [[2, 0, 0], [0, 1, 2], [1, 0, 0]]
    assert weights.tolist() == [[1, 0, 0], [0.5, 0.25, 0.25], [0.75, 0.25, 0]]
    joints, weights = skin.table(2)
    assert joints.shape == (3, 2)
    assert np.allclose(weights.sum(axis=1), 1)
    assert np.allclose(weights[1], (2 / 3, 1 / 3))


def test_weights_are_brought_to_one_and_counted():
    skin = Skin.from_table(JOINTS, EYE, [[0, 1], [1, 2], [2, 0]], [[1, 1], [0.5, 0.5], [0.3, 0]])
    assert skin.corrected == 2
    joints, weights = skin.table()
    assert weights.tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 0]]
    assert joints[2, 0] == 2


def test_weights_that_are_one_keep_their_bits():
    given = np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]])
    skin = Skin.from_table(JOINTS, EYE, [[0, 1, 2], [0, 1, 2]], given)
    assert np.array_equal(skin.weight.reshape(2, 3), given)


def test_vertices_without_weight_go_to_their_first_joint():
    skin = Skin.from_table(JOINTS, EYE, [[2, 1], [0, 0]], [[0, 0], [0, 1]])
    assert skin.joint.tolist() == [2, 0]
    assert skin.weight.tolist() == [1, 1]
    bare = Skin(JOINTS, EYE, [0, 0, 1, 1], [1], [1])
    assert bare.joint.tolist() == [0, 1, 0]
    assert bare.first.tolist() == [0, 1, 2, 3]
    assert bare.corrected == 2


def test_a_joint_that_comes_twice_counts_once():
    skin = Skin(JOINTS, EYE, [0, 3, 4], [1, 2, 1, 0], [0.25, 0.5, 0.25, 1])
    assert skin.joint.tolist() == [1, 2, 0]
    assert skin.weight.tolist() == [0.5, 0.5, 1]


def test_negative_weights_count_for_nothing():
    skin = Skin.from_table(JOINTS, EYE, [[0, 1]], [[-0.1, 1.0]])
    assert skin.joint.tolist() == [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joints": ()}, "at least one joint"),
        ({"joints": ("a", "a", "b")}, "differ"),
        ({"T_joint_model": np.eye(4)}, r"\(3, 4, 4\)"),
        ({"joint": [3]}, "0 to 2, got 3"),
        ({"joint": [-1]}, "0 to 2, got -1"),
        ({"first": [0, 2]}, "rise"),
        ({"first": [0, 1, 0, 1]}, "rise"),
        ({"weight": [np.nan]}, "nan"),
        ({"joint": [0.5]}, "whole"),
    ],
)
def test_bad_skins_are_refused(change, message):
    good = {"joints": JOINTS, "T_joint_model": EYE, "first": [0, 1], "joint": [0], "weight": [1.0]}
    Skin(**good)
    with pytest.raises(SuppleError, match=message):
        Skin(**{**good, **change})


def test_a_mesh_is_checked_and_read_only():
    mesh = Mesh("box", np.eye(3), [[0, 1, 2]], texcoords=np.zeros((3, 2)))
    assert mesh.positions.dtype == np.float64
    assert mesh.faces.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        mesh.positions[0, 0] = 5
    assert mesh == Mesh("box", np.eye(3), [[0, 1, 2]], texcoords=np.zeros((3, 2)))
    assert mesh != Mesh("box", np.eye(3) * 2, [[0, 1, 2]], texcoords=np.zeros((3, 2)))
    assert mesh != Mesh("box", np.eye(3), [[0, 1, 2]])
    assert "3 vertices, 1 triangles" in repr(mesh)
    empty = Mesh("none", np.zeros((0, 3)), [])
    assert empty.faces.shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positions": np.eye(4)}, r"positions of mesh 'm'"),
        ({"faces": [[0, 1, 3]]}, "0 to 2"),
        ({"faces": [[0.0, 1.0, 2.0]]}, "whole"),
        ({"normals": np.eye(2)}, "normals of mesh 'm'"),
        ({"texcoords": np.zeros((2, 2))}, "texcoords"),
        ({"skin": Skin(JOINTS, EYE, [0, 1], [0], [1.0])}, "3 vertices, got 1"),
        ({"joint": "a", "skin": Skin(JOINTS, EYE, [0, 1, 2, 3], [0, 0, 0], [1.0] * 3)}, "not both"),
        ({"morphs": (Morph("smile", np.zeros((2, 3))),)}, "morph 'smile'"),
    ],
)
def test_bad_meshes_are_refused(change, message):
    with pytest.raises(SuppleError, match=message):
        Mesh(**{"name": "m", "positions": np.eye(3), "faces": [[0, 1, 2]], **change})


def test_materials():
    material = Material("red", (1, 0, 0, 1), Texture("a.png", b"1", "image/png"))
    assert material.color == (1.0, 0.0, 0.0, 1.0)
    assert material == Material("red", (1, 0, 0, 1), Texture("a.png", b"1", "image/png"))
    assert material != Material("red", (1, 0, 0, 1), Texture("a.png", b"2", "image/png"))
    with pytest.raises(SuppleError, match="OPAQUE"):
        Material("red", alpha_mode="OPAK")
    with pytest.raises(SuppleError, match="color"):
        Material("red", (1, 0))
