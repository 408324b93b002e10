"""The container: GLB and JSON, buffers, files beside it, and what is refused by name."""

import json
import os
import struct

import pytest

import supple
from supple.apps.formats.gltf.extensions import HARMLESS, READ
from supple.errors import SuppleError

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_glb_and_gltf_are_the_same_character(sketch):
    sketch.triangle()
    one, two = supple.load(sketch.glb()), supple.load(sketch.gltf())
    assert one.skeleton == two.skeleton
    assert one.meshes == two.meshes


def test_the_content_tells_the_format(sketch):
    sketch.triangle()
    path = sketch.glb("made.dat")
    assert len(supple.load(path).meshes) == 1


def outside(sketch, name="data.bin", uri=None):
    """A file whose buffer is a file beside it."""
    sketch.triangle()
    (sketch.folder / name).write_bytes(sketch.data)
    sketch.root["buffers"] = [{"byteLength": len(sketch.data), "uri": uri or name}]
    sketch.data = b""
    return sketch.gltf()


def test_buffers_beside_the_file(sketch):
    assert (
        len(supple.load(outside(sketch, "some data ü.bin", "some%20data%20%C3%BC.bin")).meshes) == 1
    )


def test_data_that_are_not_base64(sketch):
    sketch.triangle()
    text = "".join(f"%{byte:02x}" for byte in sketch.data)
    uri = f"data:application/octet-stream,{text}"
    sketch.root["buffers"] = [{"byteLength": len(sketch.data), "uri": uri}]
    sketch.data = b""
    assert supple.load(sketch.gltf()).meshes[0].positions.tolist() == CORNERS


@pytest.mark.parametrize(
    "uri",
    [
        "../data.bin",
        "%2e%2e/data.bin",
        "..%2fdata.bin",
        "below/../../data.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://example.org/data.bin",
        "//example.org/data.bin",
        "..\\data.bin",
        "link.bin",
        "data.bin%00",
    ],
)
def test_files_elsewhere_are_refused(sketch, tmp_path, uri):
    (tmp_path / "data.bin").write_bytes(b"\0" * 36)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "below").mkdir()
    os.symlink(tmp_path / "data.bin", inner / "link.bin")
    sketch.folder = inner
    sketch.triangle()
    sketch.root["buffers"] = [{"byteLength": 36, "uri": uri}]
    sketch.data = b""
    with pytest.raises(SuppleError, match=r"buffers\[0\].uri"):
        supple.load(sketch.gltf())


def test_a_missing_buffer_is_said(sketch):
    sketch.triangle()
    sketch.root["buffers"] = [{"byteLength": 36, "uri": "gone.bin"}]
    sketch.data = b""
    with pytest.raises(SuppleError, match="gone.bin.*no such file"):
        supple.load(sketch.gltf())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_buffer(sketch):
    sketch.triangle()
    os.mkfifo(sketch.folder / "pipe.bin")
    sketch.root["buffers"] = [{"byteLength": 36, "uri": "pipe.bin"}]
    sketch.data = b""
    with pytest.raises(SuppleError, match="pipe.bin"):
        supple.load(sketch.gltf())


def test_every_cut_of_a_glb_is_an_error(sketch):
    sketch.skinned([[0, 1, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3)
    path = sketch.glb()
    whole = path.read_bytes()
    for end in [*range(0, 64), *range(64, len(whole), 37), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(SuppleError):
            supple.load(path)


def test_every_cut_of_a_gltf_is_an_error(sketch):
    sketch.triangle()
    path = sketch.gltf()
    whole = path.read_bytes()
    for end in range(0, len(whole), 23):
        path.write_bytes(whole[:end])
        with pytest.raises(SuppleError):
            supple.load(path)


def test_bytes_after_the_end_are_a_note(sketch):
    sketch.triangle()
    path = sketch.glb()
    path.write_bytes(path.read_bytes() + b"more")
    assert any("4 bytes after the end" in note.text for note in supple.load(path).notes)


def test_chunks_of_other_kinds_are_skipped(sketch):
    sketch.triangle()
    path = sketch.glb()
    whole = path.read_bytes() + struct.pack("<I4s", 4, b"MORE") + b"1234"
    path.write_bytes(whole[:8] + struct.pack("<I", len(whole)) + whole[12:])
    assert len(supple.load(path).meshes) == 1


@pytest.mark.parametrize(
    ("version", "message"), [("1.0", "glTF 2.x, got '1.0'"), (None, "asset.version")]
)
def test_other_versions_are_refused(sketch, version, message):
    sketch.root["nodes"] = [{}]
    sketch.root["asset"] = {} if version is None else {"version": version}
    with pytest.raises(SuppleError, match=message):
        supple.load(sketch.gltf())


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("KHR_draco_mesh_compression", "Draco.* cp made.gltf made_plain.gltf"),
        ("ACME_unheard_of", "ACME_unheard_of"),
        ("CESIUM_RTC", "CESIUM_RTC"),  # moves everything
        ("KHR_animation_pointer", "KHR_animation_pointer"),  # may move anything
    ],
)
def test_extensions_that_are_needed_and_not_read_are_named(sketch, name, word):
    sketch.triangle()
    sketch.root["extensionsRequired"] = [name]
    with pytest.raises(SuppleError, match=word):
        supple.load(sketch.gltf())


def test_compressed_geometry_is_refused_unless_it_is_there_plainly_too(sketch):
    part = sketch.triangle()
    part["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}}
    assert len(supple.load(sketch.gltf()).meshes) == 1
    del sketch.root["accessors"][0]["bufferView"]
    with pytest.raises(SuppleError, match=r"KHR_draco_mesh_compression.*gltf-transform/cli cp "):
        supple.load(sketch.gltf())


def test_extensions_that_only_add_looks_are_no_matter(sketch):
    sketch.triangle()
    sketch.root["extensionsUsed"] = ["ACME_sparkle"]
    sketch.root["extensionsRequired"] = ["KHR_materials_clearcoat", "KHR_mesh_quantization"]
    assert len(supple.load(sketch.gltf()).meshes) == 1


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_extensions_that_change_neither_geometry_nor_motion_may_be_required(sketch, name):
    sketch.triangle(node={"extensions": {name: {"visible": False}}})
    sketch.root["extensionsRequired"] = [name]
    character = supple.load(sketch.gltf())
    assert len(character.meshes) == 1 and HARMLESS[name]
    assert any(f"left out: {name}" in note.text for note in character.notes)


def test_no_extension_is_both_read_and_left_out():
    assert not READ & set(HARMLESS)


def test_where_the_json_is_broken(sketch):
    path = sketch.folder / "made.gltf"
    path.write_text('{"asset": {"version": "2.0"},\n"nodes": [}')
    with pytest.raises(SuppleError, match=r"made.gltf:2: expected JSON"):
        supple.load(path)


def test_a_byte_order_mark_is_no_matter(sketch):
    sketch.triangle()
    path = sketch.gltf()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(supple.load(path).meshes) == 1


def test_json_nested_without_end(sketch):
    path = sketch.folder / "made.gltf"
    path.write_text('{"asset": {"version": "2.0"}, "nodes": ' + "[" * 200_000)
    with pytest.raises(SuppleError, match="expected JSON"):
        supple.load(path)


def test_indices_are_whole_numbers(sketch):
    sketch.triangle()
    for wrong in (True, -1, 1.5, "0", None, 10**40):
        root = json.loads(json.dumps(sketch.root))
        root["nodes"][0]["mesh"] = wrong
        sketch.root, kept = root, sketch.root
        if wrong is None:
            assert supple.load(sketch.gltf()).meshes == ()
        else:
            with pytest.raises(SuppleError, match=r"nodes\[0\].mesh"):
                supple.load(sketch.gltf())
        sketch.root = kept
