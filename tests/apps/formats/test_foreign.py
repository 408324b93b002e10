"""Formats that are not read: the message says what the file is and what to do."""

import json
import shutil
import struct

import pytest

import supple
from supple.apps.formats.foreign import ARCHIVES, FOREIGN, recognized
from supple.apps.formats.registry import FORMATS, readable_extensions, writable_extensions
from supple.errors import SuppleError

NAMED = [(one, ending) for one in (*FOREIGN, *ARCHIVES) for ending in one.extensions]
HEADS = {
    "FBX": b"Kaydara FBX Binary  \0\x1a\0",
    "USD": b"#usda 1.0\n(\n)\n",
    "a Blender file": b"BLENDER-v402",
    "COLLADA": b'<?xml version="1.0"?>\n<COLLADA xmlns="x"><asset/></COLLADA>',
    "TRC": b"PathFileType\t4\t(X/Y/Z)\twalk.trc\n",
    "an OpenSim table": b"Coordinates\nversion=1\nnRows=2\ninDegrees=yes\nendheader\ntime hip\n",
    "ASF": b"# AST/ASF file\n:version 1.10\n:name VICON\n",
    "AMC": b"#!OML:ASF file\n:FULLY-SPECIFIED\n:DEGREES\n1\n",
    "a pickle": b"\x80\x04\x95\x10\0\0",
    "a NumPy array": b"\x93NUMPY\x01\0",
    "SDF": b'<?xml version="1.0"?><sdf version="1.7"><model/></sdf>',
    "a ZIP archive": b"PK\x03\x04\x14\0",
}


@pytest.mark.parametrize(("one", "ending"), NAMED, ids=lambda value: str(value)[:20])
def test_a_foreign_extension_is_told_what_to_do(one, ending, tmp_path):
    path = tmp_path / f"hero{ending}"
    path.write_bytes(b"\1\2\3 no known content")
    with pytest.raises(SuppleError) as caught:
        supple.load(path)
    assert str(caught.value) == f"{path}: {one.title} is not read: {one.instead}"


@pytest.mark.parametrize("name", ["hero", "hero.dat", "hero.bvh"])
@pytest.mark.parametrize("title", HEADS)
def test_foreign_content_is_recognized_whatever_its_name(title, name, tmp_path):
    path = tmp_path / name
    path.write_bytes(HEADS[title])
    expected = f"{title} is not read"
    if path.suffix == ".bvh":
        expected = "not a BVH" if title == "a ZIP archive" else f"called .bvh, but {expected}"
    with pytest.raises(SuppleError, match=expected):
        supple.load(path)


def test_a_format_packed_as_an_archive_goes_by_its_name():
    assert recognized(".usdz", HEADS["a ZIP archive"]).title == "USD"
    assert recognized(".blend", b"\x28\xb5\x2f\xfd").title == "a Blender file"
    assert recognized(".pt", HEADS["a ZIP archive"]).title == "a PyTorch file"
    assert (
        recognized(".fbx", HEADS["COLLADA"]).title == "COLLADA"
    )  # content counts more than a name
    assert recognized(".bvhh", b"hello") is None


def test_no_format_is_both_read_and_foreign():
    known = {*readable_extensions(), *writable_extensions(), ".json", ".cga"}
    foreign = [ending for _, ending in NAMED]
    assert len(set(foreign)) == len(foreign) and not known & set(foreign)


def test_saving_in_a_foreign_format_suggests_none_that_only_looks_alike(tmp_path):
    with pytest.raises(
        SuppleError, match=r"cannot write '\.c3d'; expected one of .*\.glb"
    ) as caught:
        supple.save(supple.chain([1]), tmp_path / "a.c3d")
    assert "did you mean" not in str(caught.value)


def vrm(path, version):
    """A humanoid as VRM 0.x or 1.0: GLB with an extension, some of which is required."""
    supple.save(supple.humanoid(), path.with_suffix(".glb"))
    data = path.with_suffix(".glb").read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    root = json.loads(data[20 : 20 + size])
    node = next(k for k, one in enumerate(root["nodes"]) if one["name"] == "hand.L")
    if version == 0:
        human = {"humanBones": [{"bone": "leftHand", "node": node}]}
        root["extensions"] = {"VRM": {"specVersion": "0.0", "humanoid": human}}
        root["extensionsUsed"] = ["VRM", "KHR_materials_unlit"]
    else:
        human = {"humanBones": {"leftHand": {"node": node}}}
        root["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": human}}
        root["extensionsUsed"] = ["VRMC_vrm", "VRMC_materials_mtoon", "VRMC_springBone"]
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    path.write_bytes(head + struct.pack("<I4s", len(text), b"JSON") + text + rest)


@pytest.mark.parametrize("version", [0, 1])
def test_vrm_is_read_as_gltf(version, tmp_path):
    path = tmp_path / "hero.vrm"
    vrm(path, version)
    hero = supple.load(path)
    assert hero.extras["gltf"]["humanoid"] == {"leftHand": "hand.L"}
    assert len(hero.meshes) == 1 and "walk" in hero.motions
    assert not any("looks like" in note.text for note in hero.notes)
    assert ".vrm" in readable_extensions()
    shutil.copy(path, tmp_path / "walk.vrma")
    assert "walk" in supple.load(tmp_path / "walk.vrma").motions


def test_vrm_is_not_written(tmp_path):
    with pytest.raises(SuppleError, match=r"cannot write '\.vrm'; expected one of .*\.glb"):
        supple.save(supple.chain([1]), tmp_path / "a.vrm")
    assert ".vrm" not in FORMATS["gltf"].writable
