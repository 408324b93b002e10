"""Meshes, skins, materials and morph targets as read."""

import json

import numpy as np
import pytest

import supple
from supple.apps.character.skinning import skin
from supple.errors import SuppleError

ONE = [[1, 0, 0, 0]] * 3
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of an image"


@pytest.mark.parametrize(("mode", "count"), [(4, 1), (5, 2), (6, 2)])
def test_triangles_strips_and_fans(sketch, mode, count):
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] if mode == 5 else None
    corners = corners or [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    held = {"POSITION": sketch.accessor(corners)}
    mesh = sketch.add("meshes", {"primitives": [{"attributes": held, "mode": mode}]})
    sketch.root["nodes"] = [{"mesh": mesh}]
    found = supple.load(sketch.gltf()).meshes[0]
    assert len(found.faces) == count
    a, b, c = np.moveaxis(found.positions[found.faces], 1, 0)
    assert np.all(np.cross(b - a, c - a)[:, 2] > 0)  # all the same way round


def test_lines_and_points_are_left_out_with_a_note(sketch):
    sketch.triangle()["mode"] = 1
    character = supple.load(sketch.gltf())
    assert character.meshes == ()
    assert any("lines" in note.text for note in character.notes)


def test_normals_of_whole_numbers_are_of_length_one(sketch, tmp_path):
    normals = [[100, 70, 30], [127, 127, 0], [0, 0, -127]]
    sketch.triangle(NORMAL=sketch.accessor(normals, "b", normalized=True))
    found = supple.load(sketch.gltf()).meshes[0].normals
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-12)
    assert np.allclose(np.cross(found, normals), 0.0, atol=1e-12)
    supple.save(supple.load(sketch.gltf()), tmp_path / "again.glb")
    assert np.allclose(supple.load(tmp_path / "again.glb").meshes[0].normals, found, atol=1e-6)


def test_skins_share_joints_with_bind_matrices_of_their_own(sketch):
    sketch.skinned(np.zeros((3, 4)), ONE)
    away = np.eye(4)[None].repeat(2, 0)
    away[:, 0, 3] = 5.0
    columns = np.swapaxes(away, 1, 2).reshape(-1, 16)
    skin_ = {"joints": [1, 0], "inverseBindMatrices": sketch.accessor(columns)}
    sketch.add("skins", skin_)
    again = sketch.root["nodes"][2]
    sketch.add("nodes", {**again, "name": "body 2", "skin": 1})
    character = supple.load(sketch.gltf())
    first, second = (skin(mesh, character.pose) for mesh in character.meshes)
    assert np.allclose(first, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])  # no matrices: identities
    assert np.allclose(second, first + [5, 1, 0])  # its joint 0 is node 1


def test_more_bind_matrices_than_joints_will_do(sketch):
    sketch.skinned(np.zeros((3, 4)), ONE, binds=np.tile(np.eye(4), (7, 1, 1)))
    assert len(supple.load(sketch.gltf()).meshes[0].skin.joints) == 2


@pytest.mark.parametrize(
    ("codes", "one", "fields"),
    [("Bf", 1, {}), ("HB", 255, {"normalized": True}), ("BH", 65535, {"normalized": True}),
     ("HB", 255, {})],
)  # fmt: skip
def test_types_of_joints_and_weights(sketch, codes, one, fields):
    weights = np.array([[one, 0, 0, 0], [0, one, 0, 0], [one // 2, one - one // 2, 0, 0]])
    sketch.skinned([[0, 1, 0, 0]] * 3, weights, codes=codes, **fields)
    joints, amounts = supple.load(sketch.gltf()).meshes[0].skin.table()
    assert joints[:2, 0].tolist() == [0, 1]
    assert amounts[2].sum() == pytest.approx(1.0)
    assert amounts[0, 0] == 1.0


def test_second_sets_of_joints_count(sketch):
    nodes = [{"name": f"j{k}"} for k in range(6)]
    part = sketch.skinned([[0, 1, 2, 3]] * 3, [[0.2] * 4] * 3, nodes=nodes)
    part["attributes"]["JOINTS_1"] = sketch.accessor([[4, 5, 0, 0]] * 3, "H")
    part["attributes"]["WEIGHTS_1"] = sketch.accessor([[0.1, 0.1, 0, 0]] * 3)
    own = supple.load(sketch.gltf()).meshes[0].skin
    assert np.diff(own.first).tolist() == [6, 6, 6]
    assert own.corrected == 0


def test_odd_weights_are_normalised_with_a_note(sketch):
    sketch.skinned([[0, 1, 0, 0]] * 3, [[0.5, 0.3, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    character = supple.load(sketch.gltf())
    assert character.meshes[0].skin.corrected == 1
    assert any("1 of 3 vertices" in note.text for note in character.notes)


def test_joints_of_no_weight_may_be_anything(sketch):
    sketch.skinned([[0, 999, 999, 999]] * 3, ONE)
    assert supple.load(sketch.gltf()).meshes[0].skin.most == 1


def test_joints_beyond_the_skin_are_refused(sketch):
    sketch.skinned([[2, 0, 0, 0]] * 3, ONE)
    with pytest.raises(SuppleError, match=r"the 2 joints of skins\[0\], got 2"):
        supple.load(sketch.gltf())


def test_materials_and_textures(sketch):
    (sketch.folder / "paint ä.png").write_bytes(PNG)
    sketch.add("images", {"uri": "paint%20%C3%A4.png"})
    sketch.add("images", {"bufferView": sketch.view(PNG + b"2"), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0})
    sketch.add("textures", {"source": 1})
    surface = {"baseColorFactor": [1, 0.5, 0, 1], "metallicFactor": 0.25, "roughnessFactor": 0.5}
    surface["baseColorTexture"] = {"index": 0, "texCoord": 1}
    looks = {"name": "paint", "pbrMetallicRoughness": surface, "doubleSided": True}
    looks |= {"normalTexture": {"index": 1, "scale": 0.5}, "alphaMode": "MASK", "alphaCutoff": 0.3}
    sketch.add("materials", looks)
    uv = [[0, 0], [1, 0], [0, 1]]
    part = sketch.triangle(TEXCOORD_0=sketch.accessor([[9, 9]] * 3), TEXCOORD_1=sketch.accessor(uv))
    part["material"] = 0
    mesh = supple.load(sketch.gltf()).meshes[0]
    material = mesh.material
    assert material.texture.data == PNG
    assert material.texture.name == "paint ä.png"
    assert material.normal_map.data == PNG + b"2"
    assert material.color == (1, 0.5, 0, 1)
    assert (material.metallic, material.roughness, material.double_sided) == (0.25, 0.5, True)
    assert (material.alpha_mode, material.alpha_cutoff) == ("MASK", 0.3)
    assert mesh.texcoords.tolist() == uv  # the set that the colour uses


def test_a_missing_image_is_a_note(sketch):
    sketch.add("images", {"uri": "gone.png"})
    sketch.add("textures", {"source": 0})
    sketch.add("materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    sketch.triangle()["material"] = 0
    character = supple.load(sketch.gltf())
    assert character.meshes[0].material.texture is None
    assert any("gone.png" in note.text for note in character.notes)


def test_texture_transforms_go_into_the_coordinates(sketch):
    transform = {"offset": [0.1, 0.2], "scale": [2, 3]}
    info = {"index": 0, "extensions": {"KHR_texture_transform": transform}}
    sketch.add("images", {"bufferView": sketch.view(PNG), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0})
    sketch.add("materials", {"pbrMetallicRoughness": {"baseColorTexture": info}})
    uv = [[0, 0], [1, 0], [0, 1]]
    sketch.triangle(TEXCOORD_0=sketch.accessor(uv))["material"] = 0
    mesh = supple.load(sketch.gltf()).meshes[0]
    assert np.allclose(mesh.texcoords, [[0.1, 0.2], [2.1, 0.2], [0.1, 3.2]])


def test_every_image_has_its_own_texture_transform(sketch, tmp_path):
    """The same places of the same images, before and after writing."""

    def info(**transform):
        return {"index": 0, "extensions": {"KHR_texture_transform": transform}}

    sketch.add("images", {"bufferView": sketch.view(PNG), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0})
    looks = {
        "pbrMetallicRoughness": {
            "baseColorTexture": info(scale=[2, 3]),
            "metallicRoughnessTexture": info(scale=[2, 3]),
        },
        "normalTexture": {"index": 0},  # the same set, as it is
        "occlusionTexture": info(texCoord=2),
        "emissiveTexture": info(offset=[0.5, 0.25], rotation=np.pi / 2),
        "extensions": {"KHR_materials_sheen": {"sheenColorTexture": {"index": 0, "texCoord": 3}}},
    }
    sketch.add("materials", looks)
    uv = np.array([[0.0, 0], [1, 0], [0, 1]])
    sets = {"TEXCOORD_0": uv, "TEXCOORD_1": uv + 5, "TEXCOORD_2": uv + 9}  # none for the sheen
    part = sketch.triangle(**{name: sketch.accessor(values) for name, values in sets.items()})
    part["material"] = 0
    first = supple.load(sketch.gltf())
    supple.save(first, tmp_path / "again.glb")
    again = supple.load(tmp_path / "again.glb")
    for mesh in (first.meshes[0], again.meshes[0]):
        held = mesh.extras["gltf"]["attributes"]
        numbers = mesh.material.extras["texcoord_sets"]
        assert np.allclose(mesh.texcoords, uv * (2, 3))
        assert "metallicRoughnessTexture" not in numbers
        assert np.allclose(held[f"TEXCOORD_{numbers['normalTexture']}"], uv)
        assert np.allclose(held[f"TEXCOORD_{numbers['occlusionTexture']}"], uv + 9)
        turned = uv @ [[0, -1], [1, 0]] + (0.5, 0.25)
        assert np.allclose(held[f"TEXCOORD_{numbers['emissiveTexture']}"], turned)
        sheen = mesh.material.extras["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]
        assert np.allclose(held[f"TEXCOORD_{sheen['texCoord']}"], 0)
        assert sum(np.allclose(values, uv + 5) for values in held.values()) == 1


@pytest.mark.parametrize(("rotation", "along"), [(0.0, (1, 0, 0)), (np.pi / 2, (0, 1, 0))])
def test_tangents_are_made_for_the_coordinates_of_the_normal_map(sketch, tmp_path, rotation, along):
    sketch.add("images", {"bufferView": sketch.view(PNG), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0})
    turned = {"index": 0, "extensions": {"KHR_texture_transform": {"rotation": rotation}}}
    surface = {"baseColorTexture": {"index": 0}}
    sketch.add("materials", {"pbrMetallicRoughness": surface, "normalTexture": turned})
    uv, up = [[0, 0], [1, 0], [0, 1]], [[0, 0, 1]] * 3
    sketch.triangle(TEXCOORD_0=sketch.accessor(uv), NORMAL=sketch.accessor(up))["material"] = 0
    supple.save(supple.load(sketch.gltf()), tmp_path / "again.glb")
    held = supple.load(tmp_path / "again.glb").meshes[0].extras["gltf"]["attributes"]
    assert np.allclose(held["TANGENT"][:, :3], along, atol=1e-6)


def test_images_that_wrap_otherwise_than_the_colour_still_do_when_written(sketch, tmp_path):
    sketch.add("images", {"bufferView": sketch.view(PNG), "mimeType": "image/png"})
    for sampler in ({"wrapS": 33071}, {"wrapT": 33648}):
        number = sketch.add("samplers", sampler)
        sketch.add("textures", {"source": 0, "sampler": number})
    sketch.add("textures", {"source": 0})
    looks = {
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
        "normalTexture": {"index": 1},
        "emissiveTexture": {"index": 2},
        "extensions": {"KHR_materials_sheen": {"sheenColorTexture": {"index": 1}}},
    }
    sketch.add("materials", looks)
    sketch.triangle(TEXCOORD_0=sketch.accessor([[0, 0], [1, 0], [0, 1]]))["material"] = 0
    first = supple.load(sketch.gltf())
    supple.save(first, tmp_path / "again.gltf")
    root = json.loads((tmp_path / "again.gltf").read_text())
    (material,) = root["materials"]

    def wrapped(info):
        texture = root["textures"][info["index"]]
        return root["samplers"][texture["sampler"]] if "sampler" in texture else {}

    assert wrapped(material["pbrMetallicRoughness"]["baseColorTexture"]) == {"wrapS": 33071}
    assert wrapped(material["normalTexture"]) == {"wrapT": 33648}
    assert wrapped(material["emissiveTexture"]) == {}
    sheen = material["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]
    assert wrapped(sheen) == {"wrapT": 33648}
    assert set(sheen) == {"index"}
    assert supple.load(tmp_path / "again.gltf").meshes == first.meshes


def test_morph_targets_are_kept_with_names_and_weights(sketch):
    part = sketch.triangle()
    part["targets"] = [{"POSITION": sketch.accessor([[0, 0, 1]] * 3)}, {}]
    mesh = sketch.root["meshes"][0]
    mesh["weights"] = [0.25, 0.0]
    mesh["extras"] = {"targetNames": ["lift", "nothing"]}
    character = supple.load(sketch.gltf())
    morphs = character.meshes[0].morphs
    assert [(morph.name, morph.weight) for morph in morphs] == [("lift", 0.25), ("nothing", 0.0)]
    assert np.allclose(skin(character.meshes[0], character.pose)[:, 2], 0.25)


def test_one_mesh_on_several_nodes(sketch):
    sketch.triangle()
    sketch.add("nodes", {"name": "twin", "mesh": 0, "translation": [5, 0, 0]})
    character = supple.load(sketch.gltf())
    assert len({mesh.name for mesh in character.meshes}) == 2
    points = [skin(mesh, character.pose) for mesh in character.meshes]
    assert np.allclose(points[1], points[0] + [5, 0, 0])


def test_attributes_that_are_null_are_none(sketch):
    part = sketch.triangle()
    part["attributes"]["_HEAT"] = None
    part["attributes"]["NORMAL"] = None
    (mesh,) = supple.load(sketch.gltf()).meshes
    assert mesh.normals is None
    assert mesh.extras["gltf"]["attributes"] == {}
    part["attributes"]["POSITION"] = None
    character = supple.load(sketch.gltf())
    assert character.meshes == ()
    assert any("without positions" in note.text for note in character.notes)
