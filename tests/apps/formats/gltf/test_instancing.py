"""EXT_mesh_gpu_instancing: all instances of a mesh, expanded into one."""

import numpy as np
import pytest

import supple
from supple import SuppleError

HALF = np.sqrt(0.5)


@pytest.fixture
def placed(sketch):
    """A triangle on a node with instances, given as accessors by name."""

    def make(node=None, **attributes):
        sketch.root["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
        held = {name: sketch.accessor(*given) for name, given in attributes.items()}
        extension = {"EXT_mesh_gpu_instancing": {"attributes": held}}
        normals = sketch.accessor([[0, 0, 1], [0, HALF, HALF], [1, 0, 0]])
        sketch.triangle(node={"extensions": extension, **(node or {})}, NORMAL=normals)
        return supple.load(sketch.gltf())

    return make


def test_every_place_has_its_copy(placed):
    turn = [[0, 0, 0, 1], [0, 0, HALF, HALF]]  # xyzw: none, a quarter about z
    hero = placed(
        TRANSLATION=([[0, 0, 0], [5, 0, 0]],),
        ROTATION=(turn,),
        SCALE=([[1, 1, 1], [2, 3, 4]],),
    )
    (mesh,) = hero.meshes
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 0, 0], [5, 2, 0], [2, 0, 0]]
    assert np.allclose(mesh.positions, corners, atol=1e-6)
    assert mesh.faces.tolist() == [[0, 1, 2], [3, 4, 5]] and mesh.joint == "body"
    # A normal (0, 1, 1) under a scale of (2, 3, 4) is along (0, 1/3, 1/4), then turned.
    assert np.allclose(mesh.normals[4], np.array([-4, 0, 3]) / 5, atol=1e-6)
    assert np.allclose(mesh.normals[5], [0, 1, 0], atol=1e-6)


def test_places_are_within_the_node_and_may_be_small_numbers(placed):
    hero = placed(
        node={"translation": [0, 0, 7], "scale": [2, 2, 2]},
        TRANSLATION=([[1, 0, 0], [0, 1, 0], [0, 0, 1]],),
        ROTATION=([[0, 0, 0, 127], [0, 0, 127, 0], [0, 0, 0, 127]], "b"),
    )
    (mesh,) = hero.meshes
    frame = hero.pose.frames[hero.skeleton.index("body")]
    world = mesh.positions @ frame[:3, :3].T + frame[:3, 3]
    assert np.allclose(world[:3], [[2, 0, 7], [4, 0, 7], [2, 2, 7]], atol=1e-6)
    assert np.allclose(world[3:6], [[0, 2, 7], [-2, 2, 7], [0, 0, 7]], atol=1e-6), "half a turn"


def test_places_that_do_not_fit_are_refused(placed):
    with pytest.raises(SuppleError, match="expected as many of each"):
        placed(TRANSLATION=([[1, 0, 0]],), SCALE=([[1, 1, 1], [1, 1, 1]],))


def test_more_copies_than_a_file_may_hold_are_refused_before_they_are_made(sketch):
    sketch.triangle()
    count = 3_000_000
    places = sketch.add("accessors", {"componentType": 5126, "count": count, "type": "VEC3"})
    held = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": places}}}
    sketch.root["nodes"][0]["extensions"] = held
    with pytest.raises(SuppleError, match="at most 256 MB when read"):
        supple.load(sketch.gltf())


def test_what_a_grammar_writes_instanced_is_read_back(tmp_path):
    rules = """
    Lot --> split(x){ ~1 : split(z){ ~1 : Tree }* }*
    Tree --> s('1, rand(1, 3), '1) r(0, rand(0, 90), 0) Kind
    Kind --> 40% : color("#008800") i("cone") else : color("#880000") i("box")
    """
    grown = supple.grow(rules, size=(12, 0, 10), seed=3)
    grown.save(tmp_path / "park.glb", instanced=True)
    read = supple.load(tmp_path / "park.glb")
    for mesh, wanted in zip(read.meshes, grown.meshes(), strict=True):
        assert np.allclose(mesh.positions, wanted.positions, atol=1e-5)
        assert np.array_equal(mesh.faces, wanted.faces)
        assert np.allclose(mesh.normals, wanted.normals, atol=1e-4)
        assert mesh.material.color == pytest.approx(wanted.material.color, abs=1e-6)
