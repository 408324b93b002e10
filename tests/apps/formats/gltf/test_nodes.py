"""Nodes as a skeleton: placement, names, scales, and joints that supple wrote."""

import numpy as np
import pytest

import supple
from supple.apps.character.skinning import skin
from supple.apps.formats.gltf import nodes as read_nodes
from supple.apps.formats.gltf import write_nodes
from supple.errors import SuppleError


def test_every_node_is_a_joint(sketch):
    sketch.root["nodes"] = [
        {"name": "hand", "translation": [0, 1, 0]},
        {"name": "arm", "children": [0], "rotation": [0, 0, 0.6, 0.8]},
        {"name": "lamp"},
    ]
    character = supple.load(sketch.gltf())
    skeleton = character.skeleton
    assert [node.name for node in skeleton.nodes] == ["hand", "arm", "lamp"]
    assert skeleton.parent("hand") == "arm"
    assert skeleton.parent("lamp") is None
    assert skeleton.rest.rotation("arm").tolist() == pytest.approx([0.8, 0, 0, 0.6])
    assert all(joint == supple.Ball() for joint in skeleton.joints)
    assert (character.unit, character.up) == ("m", "y")


def test_matrices_are_column_major(sketch):
    """A quarter turn about z, twice the size, moved by (1, 2, 3)."""
    matrix = [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]
    nodes = [
        {"name": "a", "matrix": matrix, "children": [1]},
        {"name": "b", "translation": [1, 0, 0]},
    ]
    sketch.root["nodes"] = nodes
    rest = supple.load(sketch.gltf()).skeleton.rest
    assert rest.position("a").tolist() == [1, 2, 3]
    assert np.allclose(rest.position("b"), [1, 4, 3])
    assert np.allclose(rest.rotation("a"), [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_names_are_made_to_differ_with_a_note(sketch):
    sketch.root["nodes"] = [{"name": "a"}, {}, {"name": "a"}, {"name": "a 2"}, {"name": " "}]
    character = supple.load(sketch.gltf())
    names = character.skeleton.names
    assert len(set(names)) == 5
    assert names[0] == "a"
    assert names[3] == "a 2"
    assert "node 1" in names
    notes = " ".join(note.text for note in character.notes)
    assert "nodes[1], nodes[4]: without a name" in notes
    assert "nodes[2]: named like others" in notes


def test_uniform_scales_go_into_offsets_and_come_back(sketch, tmp_path):
    """An armature in centimetres: the skeleton's rest is where the file shows it."""
    sketch.root["nodes"] = [
        {"name": "armature", "scale": [0.01] * 3, "children": [1]},
        {"name": "hip", "translation": [0, 100, 0], "children": [2]},
        {"name": "knee", "translation": [0, -50, 0], "scale": [2, 2, 2], "children": [3]},
        {"name": "foot", "translation": [0, -10, 0]},
    ]
    character = supple.load(sketch.gltf())
    assert np.allclose(character.skeleton.rest.position("foot"), [0, 0.3, 0])
    assert character.pose == character.skeleton.rest
    supple.save(character, tmp_path / "again.glb")
    again = supple.load(tmp_path / "again.glb")
    assert again.skeleton == character.skeleton
    assert again.extras["gltf"]["scales"]["armature"] == [0.01] * 3


def test_uneven_scales_stay_in_the_pose(sketch):
    sketch.root["nodes"] = [
        {"name": "a", "scale": [1, 2, 4], "rotation": [0, 0, 0.6, 0.8], "children": [1]},
        {"name": "b", "translation": [1, 1, 1], "rotation": [0.6, 0, 0, 0.8], "children": [2]},
        {"name": "c", "translation": [1, 0, 2]},
    ]
    character = supple.load(sketch.gltf())

    def local(node):
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        matrix = np.eye(4)
        matrix[:3, :3] = supple.rotations.to_matrix([w, x, y, z]) * node.get("scale", [1, 1, 1])
        matrix[:3, 3] = node.get("translation", [0, 0, 0])
        return matrix

    a, b, c = map(local, sketch.root["nodes"])
    assert np.allclose(character.pose.position("b"), (a @ b)[:3, 3])
    assert np.allclose(character.pose.position("c"), (a @ b @ c)[:3, 3])
    assert any("scales that differ" in note.text for note in character.notes)


def test_nodes_of_skinned_meshes_are_no_joints(sketch):
    sketch.skinned([[0, 0, 0, 0]] * 3, [[1, 0, 0, 0]] * 3)
    sketch.add("nodes", {"name": "camera"})
    skeleton = supple.load(sketch.gltf()).skeleton
    assert skeleton.names == ("a", "b", "camera")
    assert isinstance(skeleton.joints[0], supple.Ball)
    assert isinstance(skeleton.joints[2], supple.Fixed)  # nothing moves it


def test_ancestors_that_are_no_joints_still_move_joints(sketch):
    sketch.root["nodes"] = [
        {"name": "group", "translation": [10, 0, 0], "children": [1]},
        {"name": "a"},
    ]
    sketch.add("skins", {"joints": [1]})
    sketch.triangle(
        node={"skin": 0, "translation": [99, 0, 0]},  # its own place means nothing
        JOINTS_0=sketch.accessor([[0, 0, 0, 0]] * 3, "B"),
        WEIGHTS_0=sketch.accessor([[1, 0, 0, 0]] * 3),
    )
    character = supple.load(sketch.gltf())
    points = skin(character.meshes[0], character.pose)
    assert np.allclose(points, [[10, 0, 0], [11, 0, 0], [10, 1, 0]])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"children": [1]}, {"children": [0]}], "cycle"),
        ([{"children": [0]}], "cycle"),
        ([{"children": [2]}, {"children": [2]}, {}], r"nodes\[2\]: expected one parent"),
        ([{"children": [5]}], r"nodes\[0\].children\[0\]: expected an index into the 1 nodes"),
        ([{"translation": [1, 2]}], r"nodes\[0\].translation: expected 3 finite numbers"),
        ([{"scale": [1, 1, 1e999]}], "Infinity is no JSON number"),
        ([{"name": 7}], r"nodes\[0\].name: expected text"),
        ([], "nothing to pose"),
    ],
)
def test_what_is_no_tree_is_refused(sketch, nodes, message):
    sketch.root["nodes"] = nodes
    with pytest.raises(SuppleError, match=message) as error:
        supple.load(sketch.gltf())
    assert "made.gltf" in str(error.value)


def test_a_deep_chain_is_read(sketch):
    count = 20_000
    sketch.root["nodes"] = [{"name": f"n{k}", "children": [k + 1]} for k in range(count)]
    sketch.root["nodes"].append({"name": "end"})
    assert len(supple.load(sketch.gltf()).skeleton) == count + 1


def test_foreign_extras_are_left_alone(sketch):
    sketch.root["nodes"] = [
        {"name": "a", "extras": {"supple": {"joint": {"kind": "Spring"}}}, "children": [1]},
        {"name": "b", "extras": {"supple": 7}},
        {"name": "c", "extras": "text"},
    ]
    character = supple.load(sketch.gltf())
    assert character.skeleton.joints == (supple.Ball(),) * 3
    assert any("Spring" in note.text for note in character.notes)


def test_many_posed_joints_are_written_and_read_in_one_go(tmp_path, monkeypatch):
    """Work that grows with the square of the joints shows in how often all of them are handled."""
    count = 200
    kinds = [supple.Ball(), supple.Hinge("x")]
    nodes = [supple.Node(f"j{k}", f"j{k - 1}" if k else None, (0, 1, 0), kinds[k % 2])
             for k in range(count)]  # fmt: skip
    skeleton = supple.Skeleton(nodes)
    turns = {f"j{k}": 0.1 + 7.0 * (k % 4 == 1) for k in range(1, count, 2)}  # beyond a whole turn
    balls = {f"j{k}": (0.0, 0.3, 0.0) for k in range(0, count, 2)}
    character = supple.Character(skeleton).posed(skeleton.pose(turns | balls))
    calls = []
    monkeypatch.setattr(
        write_nodes.Nodes, "in_file",
        lambda self, offsets, own=write_nodes.Nodes.in_file: calls.append(0) or own(self, offsets),
    )  # fmt: skip
    monkeypatch.setattr(
        read_nodes, "Pose", lambda *args, own=supple.Pose: calls.append(1) or own(*args)
    )
    supple.save(character, tmp_path / "a.glb")
    found = supple.load(tmp_path / "a.glb")
    assert np.allclose(found.pose.coordinates, character.pose.coordinates, atol=1e-12)
    assert len(calls) < 10


def test_coordinates_that_are_no_rotation_are_left_out_one_by_one(sketch):
    half = np.sqrt(0.5)
    rest = {"rotation": [0, 0, 0, 1], "translation": [0, 0, 0]}
    for k, numbers in enumerate([[2.0, 0, 0, 0], [half, 0, 0, -half], [half, half]]):
        own = {"supple": {"rest": rest, "coordinates": numbers}}
        turn = [0, 0, -half, half]
        sketch.root["nodes"].append({"name": f"n{k}", "rotation": turn, "extras": own})
    found = supple.load(sketch.gltf())
    assert np.allclose(found.pose.local_rotations, (half, 0, 0, -half))
    assert np.array_equal(found.pose.coordinates[4:8], (half, 0, 0, -half))
