"""The result of a growth: meshes, characters and files."""

import json
import struct

import numpy as np
import pytest

import supple
import supple.apps.data

HINGE = """
attr target = [1.5, 0.5, 0.5]
Door --> s(1, 2, 0.2) [ color("#808080") t(-0.2, 0, 0) s(0.2, '1, '1) i("box") ] Leaf
Leaf --> joint("hinge", 0, 0, 0.5) SetJointLimits(hinge = y, limits = [-100, 100])
    IK(-0.1, 1, -0.9, effector = [1, 0.5, 0.5], steps = true) color("#ff0000") i("box")
"""


def read_glb(path):
    data = path.read_bytes()
    magic, version, size = struct.unpack_from("<4sII", data)
    assert (magic, version, size) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def accessor(document, binary, index):
    one = document["accessors"][index]
    view = document["bufferViews"][one["bufferView"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[one["type"]]
    kind = {5126: "<f4", 5123: "<u2", 5125: "<u4"}[one["componentType"]]
    raw = binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
    return np.frombuffer(raw, kind).reshape(one["count"], width)


def test_meshes_stand_where_ik_put_their_shapes() -> None:
    grown = supple.grow(HINGE)
    assert grown.reached
    still, moved = grown.meshes()
    assert (still.material.name, moved.material.name) == ("#808080", "#ff0000")
    low, high = still.positions.min(axis=0), still.positions.max(axis=0)
    assert low == pytest.approx([-0.2, 0, 0]) and high == pytest.approx([0, 2, 0.2])
    leaf = grown.shapes.named("Leaf")[0]
    corners = [leaf.point(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    for corner in corners:
        assert np.linalg.norm(moved.positions - corner, axis=1).min() < 1e-12
    at_rest = grown.meshes(grown.skeleton.rest)[1].positions
    assert at_rest.max(axis=0) == pytest.approx([1, 2, 0.2])
    # Normals are of length one and face outwards.
    assert np.linalg.norm(moved.normals, axis=1) == pytest.approx(np.ones(24))
    for mesh in grown.meshes():
        a, b, c = (mesh.positions[mesh.faces[:, k]] for k in range(3))
        assert np.all(
            np.einsum("ij,ij->i", np.cross(b - a, c - a), mesh.normals[mesh.faces[:, 0]]) > 0
        )


def test_colours_become_linear() -> None:
    still, moved = supple.grow(HINGE).meshes()
    assert moved.material.color == pytest.approx((1, 0, 0, 1))
    assert still.material.color[0] == pytest.approx(((128 / 255 + 0.055) / 1.055) ** 2.4)


def test_a_character_can_be_posed_further() -> None:
    grown = supple.grow(HINGE)
    hero = grown.character()
    assert hero.pose == grown.pose and hero.skeleton == grown.skeleton
    assert len(hero.motions["steps"]) == len(grown.steps)
    from supple.apps.character.skinning import skin

    for mesh, expected in zip(hero.meshes, grown.meshes(), strict=True):
        assert skin(mesh, hero.pose) == pytest.approx(expected.positions, abs=1e-12)
    open_door = hero.skeleton.pose({"hinge": np.pi / 2})
    assert skin(hero.meshes[1], open_door)[:, 2].min() == pytest.approx(-0.9)
    s = supple.solve(hero.skeleton, {"Leaf effector": (0.5, 1, -0.5)}, start=hero.pose)
    assert s.pose.violations().max() == 0


def test_a_saved_figure_keeps_joints_limits_pose_and_steps(tmp_path) -> None:
    grown = supple.grow(HINGE)
    grown.save(tmp_path / "door.glb")
    hero = supple.load(tmp_path / "door.glb")
    assert hero.skeleton == grown.skeleton
    assert hero.skeleton.joints[1].limits == pytest.approx(np.radians([-100, 100]))
    assert hero.pose.positions == pytest.approx(grown.pose.positions, abs=1e-6)
    assert list(hero.motions) == ["steps"]
    assert len(hero.meshes) == 2


def test_a_stretched_shape_reaches_in_every_file(tmp_path) -> None:
    rules = 'A --> s(1, 0.2, 0.2) joint("a", 0, 0.5, 0.5) IK(2, 1, 0.1, effector = [1, 0.5, 0.5], stretch = 3) i("box")'
    grown = supple.grow(rules)
    assert grown.reached
    end = grown.shapes[0].point(1, 0.5, 0.5)
    assert end == pytest.approx((2, 1, 0.1), abs=0.011)
    hero = grown.character()
    from supple.apps.character.skinning import skin

    posed = skin(hero.meshes[0], hero.pose)
    assert posed == pytest.approx(grown.meshes()[0].positions, abs=1e-9)
    # Along its bone only: it did not become thicker.
    direction = (end - grown.shapes[0].point(0, 0.5, 0.5)) / np.linalg.norm(
        end - grown.shapes[0].point(0, 0.5, 0.5)
    )
    across = posed - grown.shapes[0].point(0, 0.5, 0.5)
    across -= np.outer(across @ direction, direction)
    assert np.linalg.norm(across, axis=1).max() == pytest.approx(np.sqrt(0.02), abs=1e-6)
    grown.save(tmp_path / "a.glb", instanced=True)
    document, binary = read_glb(tmp_path / "a.glb")
    primitive = document["meshes"][0]["primitives"][0]["attributes"]
    local = accessor(document, binary, primitive["POSITION"])
    assert local[:, 0].max() == pytest.approx(np.linalg.norm((2, 0.9, 0)), abs=0.02)


def test_obj_html_and_pictures(tmp_path) -> None:
    grown = supple.grow(HINGE)
    grown.save(tmp_path / "door.obj")
    text = (tmp_path / "door.obj").read_text()
    assert text.count("\nv ") == 48 and text.count("\nf ") == 24
    assert "mtllib door.mtl" in text and "newmtl #ff0000" in (tmp_path / "door.mtl").read_text()
    grown.save(tmp_path / "door.html")
    page = (tmp_path / "door.html").read_text()
    assert "__" not in page.split("<script>")[0] and "const data = {" in page
    assert "http" not in page.replace("http-equiv", "")  # nothing is fetched
    grown.save(tmp_path / "door.png")
    assert (tmp_path / "door.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(
        supple.SuppleError, match="expected a .glb, .gltf, .obj, .html, .png or .svg"
    ):
        grown.save(tmp_path / "door.fbx")


def test_own_meshes_and_textures(tmp_path) -> None:
    (tmp_path / "wall.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    rules = tmp_path / "a.cga"
    rules.write_text(
        'Lot --> comp(f){ front : setupProjection(0, scope.xy, 2, 1) texture("wall.png") projectUV(0) }'
    )
    grown = supple.grow(rules, size=(4, 3, 1))
    (mesh,) = grown.meshes()
    assert mesh.material.texture.name == "wall.png"
    assert mesh.texcoords.min(axis=0) == pytest.approx([0, -2])
    assert mesh.texcoords.max(axis=0) == pytest.approx([2, 1])
    box = supple.grow('Lot --> s(1, 1, 1) i("box")').meshes()[0]
    grown = supple.grow('Lot --> s(2, 2, 2) i("mine")', assets={"mine": box})
    assert grown.meshes()[0].positions.max() == 2.0


def test_repr_of_a_growth() -> None:
    grown = supple.grow(HINGE)
    assert repr(grown) == "Growth(Door: 3 shapes, 2 leaves, 1 joint, 1 of 1 IK rules reached)"
    assert "Door." in repr(grown.leaves) and "Leaf" in repr(grown.shapes[2])


def test_memory_per_shape_is_constant() -> None:
    rules = 'Lot --> split(x){ ~1 : A }*\nA --> s(\'0.9, 1, 1) i("box")'
    few, many = (supple.grow(rules, size=(n, 0, 1)) for n in (500, 5000))
    assert len(many.store) == 10 * len(few.store) - 9
    assert len(many.store.geometry_list) == len(few.store.geometry_list)
    assert len(many.store.scopes) == 15 * len(many.store)


# Attributes and targets, as the playground uses them --------------------------------------------

ARM = """
@Order(2) @Range(min=0, max=9, stepsize=0.5) attr length = 2
@Order(1) attr goal = [1, 1.5, 0]
attr other = [1, 1.5, 0]
@StartRule Arm --> s(0.2, length, 0.2) joint("shoulder", 0.5, 0, 0.5)
    [ i("box") ] t(0, '1, 0) Fore(goal)
Fore(to) --> s(0.2, 1, 0.2) joint("elbow", 0.5, 0, 0.5) [ i("box") ] t(0, '1, 0) Hand(to)
Hand(to) --> IK(to, effector = [0.5, 0, 0.5]) i("box")
Same --> joint("a") s(1, 1, 1) IK([1, 1, 0]) i("box")
"""


def test_an_ik_rule_names_the_attribute_of_its_target():
    grown = supple.grow(ARM)
    (touch,) = grown.touches
    assert touch.attribute == "goal" and touch.effector == "Hand effector"
    again = supple.grow(ARM, attributes={"goal": (-1, 1, 0.5)}).touches[0]
    assert again.attribute == "goal" and again.reached and again.target.tolist() == [-1, 1, 0.5]
    assert supple.grow(ARM, start="Same").touches[0].attribute == ""


def test_a_given_target_replaces_that_of_the_rule():
    grown = supple.grow(ARM, targets={"Hand effector": (-1, 1.25, 0.5)})
    assert grown.reached and np.allclose(
        grown.pose.position("Hand effector"), (-1, 1.25, 0.5), atol=0.01
    )
    with pytest.raises(supple.SuppleError, match="did you mean 'Hand effector'"):
        supple.grow(ARM, targets={"Hand efector": (0, 0, 0)})
    with pytest.raises(supple.SuppleError, match="Hand effector"):
        supple.grow(ARM, targets={"Hand effector": (0, float("nan"), 0)})


def test_rules_that_ship_with_supple_reach_their_targets():
    for name in ("figure", "lamp", "excavator", "human", "street", "facade", "town", "avenue"):
        assert supple.grow(supple.data.rules(name)).reached
    with pytest.raises(supple.SuppleError, match="did you mean 'lamp'"):
        supple.data.rules("lamb")
