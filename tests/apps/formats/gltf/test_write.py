"""Write glTF: reading it back gives the same, and the file meets the specification."""

import json
import os
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.character.skinning import skin
from supple.apps.formats.gltf.read import read
from supple.apps.formats.source import Source
from supple.model.mesh import Material, Mesh, Morph, Skin, Texture

PNG = b"\x89PNG\r\n\x1a\n" + b"an image"
SHARED = Path(__file__).resolve().parents[4].parent / "shared" / "data" / "gltf"
VALIDATOR = os.environ.get("SUPPLE_GLTF_VALIDATOR")  # a folder with node_modules/gltf-validator


def arm():
    """An arm with limits, a tip, a skin of many influences, looks, morphs and motions."""
    skeleton = supple.Skeleton(
        [
            ("shoulder", None, (0, 1, 0), supple.Cone(1.2, axis="x"), (0.8, 0, 0.6, 0)),
            ("elbow", "shoulder", (1, 0, 0), supple.Hinge("z", limits=(-7, 7), damping=0.2)),
            ("wrist", "elbow", (1, 0, 0), supple.Axes("xyz", [(-1, 1), None, (0, 2)], "y")),
            ("slide", "wrist", (0.5, 0, 0), supple.Slider("x", limits=(0, 1))),
            ("finger", "slide", (0.2, 0, 0)),
            ("lamp", None, (5, 5, 5)),
        ],
        [supple.Tip("end", "finger", (0.1, 0, 0), (0.6, 0, 0, 0.8))],
    )
    rng = np.random.default_rng(4)
    count = 60
    joints = skeleton.joint_names[:5]
    binds = np.linalg.inv(skeleton.rest.frames[:5])
    weights = rng.random((count, 5)) * (rng.random((count, 5)) < 0.7)
    weights[:, 0] += 0.1
    own = Skin.from_table(joints, binds, np.tile(np.arange(5), (count, 1)), weights, name="skin")
    points = rng.normal(size=(count, 3))
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces = rng.permuted(np.tile(np.arange(count), (40, 1)), axis=1)[:, :3]
    looks = Material(
        "paint", (1, 0.5, 0.25, 1), Texture("c.png", PNG, "image/png"),
        Texture("n.png", PNG + b"n", "image/png"), 0.1, 0.7, True, "BLEND", emissive=(0, 0.5, 0),
        extras={"emissive_texture": Texture("e.png", PNG + b"e", "image/png"), "normal_scale": 0.5},
    )  # fmt: skip
    morphs = (Morph("smile", rng.normal(size=(count, 3)), None, 0.25), Morph("blink", weight=0.0))
    body = Mesh("body", points, faces, normals, rng.random((count, 2)), rng.random((count, 4)),
                looks, own, None, morphs)  # fmt: skip
    shade = Mesh("shade", points[:3], [[0, 1, 2]], joint="lamp")
    bulb = Mesh("bulb", points[:4], [[0, 1, 2], [1, 2, 3]], joint="lamp")
    ground = Mesh("ground", points[:3], [[0, 2, 1]])
    angles = np.linspace(0, 1, 20)[:, None] * rng.uniform(-0.4, 0.4, len(skeleton.freedoms))
    poses = supple.Pose.from_angles(skeleton, np.clip(angles, -1, 1))
    tracks = {"morphs:body": rng.random((20, 2)), "contact": rng.random(20)}
    wave = Motion("wave", poses, fps=30, loop=True, tracks=tracks)
    when = np.array([0.0, 0.1, 0.5, 2.0])
    offsets = np.tile(skeleton.offsets, (4, 1, 1))
    offsets[:, 1, 0] = [1, 1.1, 1.2, 0.9]
    scales = np.ones((4, 6, 3))
    scales[:, 2] = np.linspace(1, 2, 12).reshape(4, 3)
    grow = supple.Pose(skeleton, poses[:4].coordinates, offsets, scales)
    grown = Motion("grow", grow, fps=10, times=when)
    still = Motion("still", [skeleton.rest], fps=24)
    motions = {"wave": wave, "grow": grown, "still": still}
    return Character(skeleton, (body, shade, bulb, ground), motions, unit="m", up="y")


def close(a, b):
    """Whether two characters are the same within 1e-6."""
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.joints == b.skeleton.joints
    for one, two in zip(a.skeleton.nodes, b.skeleton.nodes, strict=True):
        assert (one.name, one.parent) == (two.name, two.parent)
    near(a.skeleton.offsets, b.skeleton.offsets)
    near(a.skeleton.rotations, b.skeleton.rotations)
    near(a.pose.frames, b.pose.frames)
    assert (a.unit, a.up) == (b.unit, b.up)
    assert [mesh.name for mesh in a.meshes] == [mesh.name for mesh in b.meshes]
    for one, two in zip(a.meshes, b.meshes, strict=True):
        for what in ("positions", "normals", "texcoords", "colors"):
            near(getattr(one, what), getattr(two, what))
        assert np.array_equal(one.faces, two.faces)
        assert one.joint == two.joint
        assert one.material == two.material
        assert [m.name for m in one.morphs] == [m.name for m in two.morphs]
        if one.skin is not None:
            assert one.skin.joints == two.skin.joints
            near(one.skin.T_joint_model, two.skin.T_joint_model)
        near(skin(one, a.pose), skin(two, b.pose))
    assert list(a.motions) == list(b.motions)
    for name, one in a.motions.items():
        two = b.motions[name]
        assert (len(one), one.loop, one.even) == (len(two), two.loop, two.even)
        assert one.fps == pytest.approx(two.fps, rel=1e-6)
        near(one.times, two.times)
        near(one.poses.frames, two.poses.frames)
        assert set(one.tracks) == set(two.tracks)
        for key in one.tracks:
            near(one.tracks[key], two.tracks[key])


def near(a, b):
    assert (a is None) == (b is None)
    if a is not None:
        assert a.shape == b.shape
        assert np.abs(a - b).max(initial=0.0) < 1e-6 * max(1.0, np.abs(a).max(initial=0.0))


def written(character, path):
    supple.save(character, path)
    return supple.load(path)


@pytest.mark.parametrize("name", ["hero.glb", "hero.gltf"])
def test_everything_comes_back(tmp_path, name):
    character = arm()
    again = written(character, tmp_path / name)
    close(character, again)
    close(again, written(again, tmp_path / f"2{name}"))


@pytest.mark.parametrize("count", [1, 2, 100, 5000])
@pytest.mark.parametrize("fps", [30, 29.97, 23.976, 119.99, 1 / 0.0333333, 1 / 0.008333, 7.3, 0.25])
def test_even_frames_come_back_even(tmp_path, fps, count):
    """Their times are rounded to float32 on the way; with the fps stated in extras, or measured."""
    skeleton = supple.chain([1, 1])
    q = np.tile(skeleton.rest.coordinates, (count, 1))
    angle = 0.1 * np.sin(np.arange(count))
    q[:, 0], q[:, 1] = np.cos(angle), np.sin(angle)
    motion = Motion("m", supple.Pose(skeleton, q), fps=fps)
    supple.save(motion, tmp_path / "a.gltf")
    again = supple.load(tmp_path / "a.gltf").motions["m"]
    assert again.even and again.fps == fps and len(again) == count
    root = json.loads((tmp_path / "a.gltf").read_text())
    del root["animations"][0]["extras"]
    (tmp_path / "a.gltf").write_text(json.dumps(root))
    foreign = supple.load(tmp_path / "a.gltf").motions["m"]
    assert foreign.even
    assert count == 1 or np.abs(foreign.times - motion.times).max() <= 1e-6 * (1 + motion.duration)


def test_uneven_frames_come_back_uneven(tmp_path):
    skeleton = supple.chain([1, 1])
    times = [0.0, 0.1, 0.2, 0.30001]
    motion = Motion("m", [skeleton.rest] * 4, fps=10, times=times)
    supple.save(motion, tmp_path / "a.glb")
    again = supple.load(tmp_path / "a.glb").motions["m"]
    assert not again.even and again.fps == 10
    assert np.allclose(again.times, times, atol=1e-7)


def test_coordinates_of_limited_joints_come_back_from_motions(tmp_path):
    character = arm()
    again = written(character, tmp_path / "hero.glb").motions["wave"].poses
    assert np.abs(again.angles - character.motions["wave"].poses.angles).max() < 1e-5


def test_a_posed_figure_can_be_posed_further(tmp_path):
    """The file shows the pose; limits still count from the rest, and turns beyond pi survive."""
    character = arm()
    values = {"elbow": 4.5, "shoulder": [0, 0.3, 0.2], "slide": 0.25, "wrist": {"x": 0.5, "z": 1.0}}
    pose = character.skeleton.pose(values)
    again = written(character.posed(pose), tmp_path / "posed.glb")
    close(character.posed(pose), again)
    assert np.abs(again.pose.coordinates - pose.coordinates).max() < 1e-12
    nodes = json.loads(chunks(tmp_path / "posed.glb")[0])["nodes"]
    shown = next(node for node in nodes if node["name"] == "elbow")["rotation"]
    assert shown == pytest.approx([0, 0, np.sin(2.25), np.cos(2.25)])


def test_a_pose_changed_by_another_tool_counts_as_it_stands(tmp_path):
    character = arm()
    path = tmp_path / "posed.gltf"
    supple.save(character.posed(character.skeleton.pose({"elbow": 1.0})), path, embed=True)
    root = json.loads(path.read_text())
    node = next(node for node in root["nodes"] if node["name"] == "elbow")
    node["rotation"] = [0, 0, np.sin(0.25), np.cos(0.25)]
    path.write_text(json.dumps(root))
    assert supple.load(path).pose.angles[3] == pytest.approx(0.5)


def test_a_scaled_pose_comes_back(tmp_path):
    character = arm()
    scales = np.ones((6, 3))
    scales[1] = 2.0
    pose = supple.Pose(character.skeleton, None, None, scales)
    close(character.posed(pose), written(character.posed(pose), tmp_path / "big.glb"))


@pytest.mark.parametrize(("unit", "up"), [("cm", "z"), ("inch", "-y"), (None, None), ("m", "x")])
def test_unit_and_up_axis_are_one_root_transform(tmp_path, unit, up):
    character = replace(arm(), unit=unit, up=up)
    path = tmp_path / "hero.glb"
    close(character, written(character, path))
    # Another reader, which knows nothing of ours, sees metres with y up.
    root = json.loads(chunks(path)[0])
    for node in root["nodes"]:
        node.pop("extras", None)
    del root["asset"]["extras"]
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    data = chunks(path)[1]
    both = (
        struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(data), b"BIN\0")
        + data
    )
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(both)) + both)
    plain = supple.load(path)
    factor = {"cm": 0.01, "inch": 0.0254}.get(unit, 1.0)
    turn = supple.rotations.between(supple.rotations.axis_vector(up or "y"), [0, 1, 0])
    expected = factor * supple.rotations.rotate(turn, skin(character.meshes[0], character.pose))
    body = next(mesh for mesh in plain.meshes if mesh.name == "body")
    assert np.abs(skin(body, plain.pose) - expected).max() < 1e-5 * factor


def test_a_skin_over_several_roots_gets_one_above(tmp_path):
    skeleton = supple.Skeleton([("a", None, (0, 0, 0)), ("b", None, (1, 0, 0))])
    own = Skin.from_table(["a", "b"], np.tile(np.eye(4), (2, 1, 1)), [[0, 1]] * 3, [[1, 1]] * 3)
    character = Character(
        skeleton, (Mesh("m", np.eye(3), [[0, 1, 2]], skin=own),), unit="m", up="y"
    )
    path = tmp_path / "two.glb"
    close(character, written(character, path))
    root = json.loads(chunks(path)[0])
    assert [n["name"] for n in root["nodes"] if "children" in n] == ["supple root"]


def test_weights_sum_to_one_in_float32_and_unused_joints_are_zero(tmp_path):
    path = tmp_path / "hero.glb"
    supple.save(arm(), path)
    text, data = chunks(path)
    root = json.loads(text)
    part = root["meshes"][0]["primitives"][0]["attributes"]

    def table(name, dtype):
        item = root["accessors"][part[name]]
        view = root["bufferViews"][item["bufferView"]]
        return np.frombuffer(data, dtype, 4 * item["count"], view["byteOffset"]).reshape(-1, 4)

    weights = np.concatenate([table("WEIGHTS_0", "<f4"), table("WEIGHTS_1", "<f4")], axis=1)
    joints = np.concatenate([table("JOINTS_0", "<u2"), table("JOINTS_1", "<u2")], axis=1)
    assert np.abs(weights.sum(axis=1, dtype=np.float64) - 1.0).max() < 2e-7
    assert not np.any(joints[weights == 0])


def test_a_skinned_mesh_stands_at_the_root(tmp_path):
    path = tmp_path / "hero.glb"
    supple.save(replace(arm(), unit="cm"), path)
    root = json.loads(chunks(path)[0])
    skinned = [k for k, node in enumerate(root["nodes"]) if "skin" in node]
    assert set(skinned) <= set(root["scenes"][0]["nodes"])


def test_foreign_extras_and_the_copyright_come_back(sketch, tmp_path):
    sketch.root["nodes"] = [{"name": "a", "extras": {"tool": {"id": 7}}}]
    sketch.root["asset"]["copyright"] = "CC0"
    supple.save(supple.load(sketch.gltf()), tmp_path / "again.gltf")
    root = json.loads((tmp_path / "again.gltf").read_text())
    assert root["nodes"][0]["extras"] == {"tool": {"id": 7}}
    assert root["asset"]["copyright"] == "CC0"


def test_a_character_without_meshes_or_motions(tmp_path):
    snake = supple.chain([1, 2, 3])
    close(Character(snake), written(Character(snake), tmp_path / "snake.glb"))
    close(Character(snake), written(Character(snake), tmp_path / "snake.gltf"))


def test_a_second_save_never_breaks_the_first(tmp_path):
    """A .gltf names its .bin: the old pair stays whole until the new one is."""
    path = tmp_path / "hero.gltf"
    character = arm()
    supple.save(character, path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hero.bin", "hero.gltf"]
    other = replace(character, meshes=character.meshes[1:])
    supple.save(other, path)
    close(other, supple.load(path))
    assert len(list(tmp_path.glob("*.bin"))) == 1
    supple.save(other, path)
    assert len(list(tmp_path.glob("*.bin"))) == 1


def test_what_another_tool_wrote_is_not_removed(tmp_path):
    path = tmp_path / "hero.gltf"
    (tmp_path / "hero.bin").write_bytes(b"precious")
    root = {"asset": {"version": "2.0"}, "buffers": [{"uri": "hero.bin", "byteLength": 8}]}
    path.write_text(json.dumps(root))
    supple.save(arm(), path)
    assert (tmp_path / "hero.bin").read_bytes() == b"precious"
    close(arm(), supple.load(path))


def test_more_than_65535_vertices(tmp_path):
    count = 70_000
    points = np.random.default_rng(0).random((count, 3))
    faces = np.arange(69_999).reshape(-1, 3)[::-1] + 1
    mesh = Mesh("m", points, faces)
    again = written(Character(supple.chain([1]), (mesh,)), tmp_path / "big.glb")
    assert np.array_equal(again.meshes[0].faces, faces)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no files to try")
@pytest.mark.parametrize("path", sorted(SHARED.rglob("*.gl*")), ids=lambda path: path.name)
def test_real_files_come_back(tmp_path, path):
    character = read(Source.open(path))
    close(character, written(character, tmp_path / "again.glb"))


@pytest.mark.skipif(not VALIDATOR, reason="SUPPLE_GLTF_VALIDATOR names no folder")
def test_the_validator_finds_nothing(tmp_path):
    characters = {
        "arm": arm(),
        "cm": replace(arm(), unit="cm", up="z"),
        "bare": Character(supple.chain([1])),
    }
    characters["posed"] = arm().posed(arm().skeleton.pose({"elbow": 1.0}))
    if SHARED.is_dir():
        characters |= {
            f"{path.stem}-{k}": read(Source.open(path))
            for k, path in enumerate(sorted(SHARED.rglob("*.gl*")))
        }
    for name, character in characters.items():
        for suffix in (".glb", ".gltf"):
            path = tmp_path / f"{name}{suffix}"
            supple.save(character, path)
            issues = validated(path)["issues"]
            found = [m["code"] for m in issues["messages"] if m["severity"] < 2]
            # Our images are no images, and a random mesh is no surface.
            assert set(found) <= {"IMAGE_DATA_INVALID", "IMAGE_UNEXPECTED_EOS"}, (name, found)


def validated(path):
    code = """
    const fs = require('fs'), path = require('path'), validator = require('gltf-validator');
    const file = process.argv[1];
    const near = name => path.resolve(path.dirname(file), decodeURIComponent(name));
    validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: file,
      externalResourceFunction: name => Promise.resolve(new Uint8Array(fs.readFileSync(near(name)))),
    }).then(report => console.log(JSON.stringify(report)));
    """
    command = ["node", "-e", code, str(path)]
    done = subprocess.run(command, cwd=VALIDATOR, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("KHR_texture_basisu", b"\xabKTX 20\xbb\r\n\x1a\n..."),
        ("EXT_texture_webp", b"RIFF....WEBP"),
        ("EXT_texture_avif", b"\0\0\0\x1cftypavif...."),
        ("MSFT_texture_dds", b"DDS |\0\0\0"),
    ],
)
@pytest.mark.parametrize("ending", ["glb", "gltf"])
def test_an_image_that_needs_an_extension_requires_it_again(sketch, tmp_path, name, data, ending):
    part = sketch.triangle()
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    part["material"] = sketch.add("materials", look)
    sketch.add("images", {"bufferView": sketch.view(data)})
    sketch.add("textures", {"extensions": {name: {"source": 0}}})
    sketch.root["extensionsUsed"] = sketch.root["extensionsRequired"] = [name]
    supple.save(supple.load(sketch.gltf()), tmp_path / f"again.{ending}")
    root = json_of(tmp_path / f"again.{ending}")
    assert root["extensionsUsed"] == root["extensionsRequired"] == [name]
    assert root["textures"] == [{"extensions": {name: {"source": 0}}}]
    assert supple.load(tmp_path / f"again.{ending}").meshes[0].material.texture.data == data


def test_extensions_that_were_required_and_are_written_are_required_again(sketch, tmp_path):
    used = ["KHR_materials_ior", "KHR_materials_unlit", "KHR_mesh_quantization"]
    part = sketch.triangle()
    part["material"] = sketch.add("materials", {"extensions": {"KHR_materials_ior": {"ior": 1.3}}})
    sketch.root["extensionsUsed"] = sketch.root["extensionsRequired"] = used
    supple.save(supple.load(sketch.gltf()), tmp_path / "again.glb")
    root = json_of(tmp_path / "again.glb")
    assert root["extensionsUsed"] == root["extensionsRequired"] == ["KHR_materials_ior"]


def json_of(path):
    data = path.read_bytes()
    if data[:4] != b"glTF":
        return json.loads(data)
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size])


def test_extensions_of_materials_and_their_texture_coordinates_are_kept(sketch, tmp_path):
    png = b"\x89PNG\r\n\x1a\nnot really"
    sketch.add("images", {"bufferView": sketch.view(png), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0})
    coat = {
        "clearcoatFactor": 0.5,
        "clearcoatTexture": {"index": 0, "texCoord": 1},
        "clearcoatNormalTexture": {"index": 0, "scale": 0.25},
    }
    looks = {
        "name": "paint",
        "occlusionTexture": {"index": 0, "texCoord": 1, "strength": 0.5},
        "extensions": {"KHR_materials_clearcoat": coat, "KHR_materials_ior": {"ior": 1.4}},
    }
    uv = [[0, 0], [1, 0], [0, 1]]
    part = sketch.triangle(TEXCOORD_0=sketch.accessor(uv), TEXCOORD_1=sketch.accessor(uv[::-1]))
    part["material"] = sketch.add("materials", looks)
    sketch.root["extensionsUsed"] = ["KHR_materials_clearcoat", "KHR_materials_ior", "ACME_fog"]
    sketch.root["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]
    hero = supple.load(sketch.gltf())
    assert any("1 cameras, ACME_fog" in note.text for note in hero.notes)
    supple.save(hero, tmp_path / "again.glb")
    root = json.loads(chunks(tmp_path / "again.glb")[0])
    (again,) = root["materials"]
    assert again["extensions"] == looks["extensions"]
    assert again["occlusionTexture"] == looks["occlusionTexture"]
    assert root["extensionsUsed"] == ["KHR_materials_clearcoat", "KHR_materials_ior"]
    assert len(root["images"]) == len(root["textures"]) == 1
    assert supple.load(tmp_path / "again.glb").meshes == hero.meshes


def chunks(path):
    """The JSON and binary chunk of a GLB."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return data[20 : 20 + size], data[28 + size :]
