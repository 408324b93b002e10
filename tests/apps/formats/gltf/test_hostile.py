"""Hostile files: an error soon and with little memory, and never another exception."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.counting import lines_run

import supple
from supple.errors import SuppleError

EXAMPLES = int(os.environ.get("SUPPLE_FUZZ", "60"))
LINES, MEGABYTES = 3_000_000, 450.0


def refused(path, *, megabytes=MEGABYTES):
    """Load it; an error is fine, and so is a character. What it takes, in lines of code and memory, is bounded."""
    message = ""

    def load():
        nonlocal message
        try:
            supple.load(path)
        except SuppleError as error:
            message = str(error)

    tracemalloc.start()
    try:
        lines = lines_run(load)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert lines < LINES
    assert peak < megabytes * 2**20
    return message


def test_counts_beyond_all_measure(sketch):
    sketch.triangle()
    for item in (
        {"componentType": 5126, "count": 10**15, "type": "VEC3"},
        {"componentType": 5126, "count": 10**9, "type": "VEC3"},
        {"componentType": 5126, "count": 10**9, "type": "VEC3", "bufferView": 0},
    ):
        sketch.root["accessors"][0] = item
        assert "accessors[0]" in refused(sketch.gltf())


def test_many_accessors_of_the_same_bytes(sketch):
    """A small file that would grow a thousand times when it is read."""
    part = sketch.triangle()
    corners = sketch.accessor(np.zeros((100_000, 3)))
    item = sketch.root["accessors"][corners]
    part["attributes"] = {"POSITION": corners}
    part["targets"] = [{"POSITION": sketch.add("accessors", dict(item))} for _ in range(2000)]
    assert "MB when read" in refused(sketch.glb())


def test_motions_of_many_nodes_at_many_times(sketch):
    """Half a million keys of one node, among four thousand: frames times nodes is too much."""
    sketch.root["nodes"] = [{"name": f"n{k}"} for k in range(4000)]
    times = np.arange(500_000) / 100
    sketch.animate(times, "translation", np.zeros((500_000, 3)) + times[:, None])
    assert "MB when read" in refused(sketch.glb())


def test_many_nodes_of_one_name(sketch):
    sketch.root["nodes"] = [{"name": "a"} for _ in range(4000)]
    assert refused(sketch.gltf()) == ""


def test_one_large_mesh_on_many_nodes(sketch):
    part = sketch.triangle()
    part["attributes"]["POSITION"] = sketch.accessor(np.zeros((100_000, 3)))
    sketch.root["nodes"] += [{"name": f"n{k}", "mesh": 0} for k in range(2000)]
    assert "MB when read" in refused(sketch.glb())


def test_one_large_skin_on_many_nodes(sketch):
    nodes = [{"name": f"j{k}"} for k in range(4000)]
    sketch.skinned([[0, 1, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3, nodes=nodes)
    sketch.root["nodes"] += [{"name": f"n{k}", "mesh": 0, "skin": 0} for k in range(4000)]
    assert "MB when read" in refused(sketch.glb())


def test_one_large_buffer_named_often(sketch):
    """A file is read once, whatever it is called: memory is that of the files, not of the references."""
    sketch.triangle()
    (sketch.folder / "large.bin").write_bytes(bytes(10 << 20))
    (sketch.folder / "folder").mkdir()
    (sketch.folder / "link.bin").symlink_to("large.bin")
    path = sketch.gltf()
    root = json.loads(path.read_text())
    ways = ("large.bin", "./large.bin", "folder/../large.bin", "link.bin", "%6Carge.bin")
    root["buffers"] += [{"byteLength": 36, "uri": ways[k % len(ways)]} for k in range(200)]
    root["bufferViews"] = [{"buffer": k, "byteLength": 36} for k in range(201)]
    item = root["accessors"][0]
    root["accessors"] += [{**item, "bufferView": k} for k in range(1, 201)]
    targets = [{"POSITION": k} for k in range(1, 201)]
    root["meshes"][0]["primitives"][0]["targets"] = targets
    root["images"] = [{"uri": ways[k % len(ways)]} for k in range(200)]
    root["textures"] = [{"source": k} for k in range(200)]
    root["materials"] = [
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": k}}} for k in range(200)
    ]
    part = root["meshes"][0]["primitives"][0]
    root["meshes"][0]["primitives"] += [
        {"attributes": part["attributes"], "material": k} for k in range(200)
    ]
    path.write_text(json.dumps(root))
    assert refused(path, megabytes=30.0) == ""


def _names(sketch, count):
    sketch.root["nodes"] = [{"name": "a"} for _ in range(count)]


def _chain(sketch, count):
    sketch.root["nodes"] = [{"children": [k + 1]} for k in range(count)] + [{}]


def _fan(sketch, count):
    sketch.root["nodes"] = [{"children": [*range(1, count)]}, *({} for _ in range(1, count))]


def _animations(sketch, count):
    sketch.root["nodes"] = [{"name": "a"}]
    sketch.animate([0, 1], "rotation", [[0, 0, 0, 1], [0, 0, 1, 0]])
    sketch.root["animations"] *= count


def _channels(sketch, count):
    sketch.root["nodes"] = [{} for _ in range(count)]
    sketch.animate([0, 1], "rotation", [[0, 0, 0, 1], [0, 0, 1, 0]])
    (item,) = sketch.root["animations"]
    item["channels"] = [
        {"sampler": 0, "target": {"node": k, "path": "rotation"}} for k in range(count)
    ]


def _meshes(sketch, count):
    sketch.triangle()
    sketch.root["nodes"] += [{"mesh": 0} for _ in range(count)]


def _primitives(sketch, count):
    part = sketch.triangle()
    part["material"] = sketch.add("materials", {})
    sketch.root["meshes"][0]["primitives"] *= count


def _skins(sketch, count):
    sketch.skinned([[0, 1, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3)
    sketch.root["skins"] *= count
    sketch.root["nodes"] += [{"mesh": 0, "skin": k} for k in range(count)]


def _morphs(sketch, count):
    sketch.triangle()["targets"] = [{"POSITION": 0} for _ in range(count)]


@pytest.mark.parametrize(
    "made",
    [_names, _chain, _fan, _animations, _channels, _meshes, _primitives, _skins, _morphs],
    ids=lambda made: made.__name__.removeprefix("_"),
)
def test_work_and_memory_grow_with_the_file(made, sketch):
    """Four times as much in a file takes four times the lines of code and the memory, not sixteen."""
    taken = []
    for count in (50, 200):
        sketch.root = {"asset": {"version": "2.0"}, "nodes": []}
        sketch.data = b""
        made(sketch, count)
        path = sketch.gltf()
        tracemalloc.start()
        lines = lines_run(lambda path=path: supple.load(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        taken.append((lines, peak))
    (lines, peak), (more_lines, more_peak) = taken
    assert more_lines < 5 * lines
    assert more_peak < 5 * peak + (1 << 20)


@pytest.mark.parametrize(
    ("first", "count", "message"),
    [
        (0xA0, 30_000_000, "at most 256 MB when read"),  # 480 MB
        (0xA1, 30_000_000, "at most 256 MB when read"),
        (0xA0, 15_000_000, "at least 3750033 bytes of packed data"),  # 240 MB
        (0xE1, 9_500_001, "at least 3166684 bytes of packed data"),
        (0xD1, 3_145_729, "at least 3145734 bytes of packed data"),
    ],
)
def test_packed_data_that_cannot_hold_what_they_claim(sketch, first, count, message, monkeypatch):
    """Said before anything is decoded."""
    sketch.triangle()
    stream = bytes([first]) + bytes(3 << 20)
    mode = {0xE1: "TRIANGLES", 0xD1: "INDICES"}.get(first, "ATTRIBUTES")
    stride = 16 if mode == "ATTRIBUTES" else 4
    held = {"buffer": 0, "byteOffset": len(sketch.data), "byteLength": len(stream), "mode": mode,
            "count": count, "byteStride": stride}  # fmt: skip
    sketch.data += stream
    sketch.root["bufferViews"] = [{"buffer": 0, "byteLength": count * stride,
                                   "extensions": {"KHR_meshopt_compression": held}}]  # fmt: skip
    for name in ("_differences", "_Numbers"):
        monkeypatch.setattr(f"supple.apps.formats.gltf.meshopt.{name}", None)
    found = refused(sketch.glb())
    assert "bufferViews[0]" in found and message in found


def test_curves_over_ages(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    keys = np.random.default_rng(0).normal(size=(3 * 1000, 3)) * 1e30
    sketch.animate(np.arange(1000) * 1e9, "translation", keys, mode="CUBICSPLINE")
    refused(sketch.gltf())


def test_stride_and_offsets_out_of_range(sketch):
    sketch.triangle()
    for key, value in (("byteOffset", -4), ("byteStride", 2**40), ("byteLength", 2**50),
                       ("buffer", 9), ("byteLength", 0)):  # fmt: skip
        root = json.loads(json.dumps(sketch.root))
        sketch.root["bufferViews"][0][key] = value
        assert refused(sketch.gltf()) != ""
        sketch.root = root


@pytest.mark.parametrize(
    ("way", "junk"),
    [
        (("meshes", 0, "primitives", 0, "attributes"), True),
        (("nodes", 0, "children"), {"a": None}),
        (("extensionsRequired",), [[1]]),
        (("nodes", 0, "extras", "supple", "rest", "rotation", 0), 1e154),
        (("nodes", 0, "scale"), [1e30, 1e300, 1]),
    ],
)
def test_cases_that_were_found(sketch, way, junk):
    """Damaged files that once got past the reader."""
    everything(sketch)
    holder = sketch.root
    for key in way[:-1]:
        holder = holder[key]
    holder[way[-1]] = junk
    assert refused(sketch.gltf()) != ""


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text(max_size=3),
    st.lists(st.integers(-3, 9), max_size=4), st.dictionaries(st.text(max_size=2), st.none(), max_size=1),
)  # fmt: skip


def places(value, path=()):
    """Every place in a JSON value, except whole buffers."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield (*path, key)
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for k, one in enumerate(value):
            yield (*path, k)
            yield from places(one, (*path, k))


def everything(sketch):
    part = sketch.skinned(
        [[0, 1, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3, binds=np.tile(np.eye(4), (2, 1, 1))
    )
    part["targets"] = [{"POSITION": sketch.accessor([[0, 0, 1]] * 3)}]
    part["indices"] = sketch.accessor([0, 1, 2], "H")
    part["material"] = sketch.add(
        "materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    )
    sketch.add("images", {"bufferView": sketch.view(b"\x89PNG"), "mimeType": "image/png"})
    sketch.add("textures", {"source": 0, "sampler": 0})
    sketch.add("samplers", {"wrapS": 10497})
    sketch.animate([0, 1], "rotation", [[0, 0, 0, 1], [0, 0, 1, 0]], node=1)
    sketch.animate([0, 1], "weights", [0, 1], node=2)
    sketch.animate([0, 1], "scale", np.ones((6, 3)), mode="CUBICSPLINE")
    hinge = {"kind": "Hinge", "axis": [0, 0, 1], "limits": [-1, 1], "damping": 0.1}
    rest = {"rotation": [0, 0, 0, 1], "translation": [0, 0, 0], "scale": [1, 1, 1]}
    own = {"joint": hinge, "rest": rest, "coordinates": [0.0]}
    sketch.root["nodes"][0]["extras"] = {"supple": own}
    tip = {"name": "tip", "extras": {"supple": {"role": "tip"}}, "translation": [0, 1, 0]}
    sketch.root["nodes"][1]["children"] = [sketch.add("nodes", tip)]
    tracks = {"fps": 30, "loop": True, "tracks": {"contact": [0, 1]}}
    sketch.root["animations"][0]["extras"] = {"supple": tracks}
    sketch.root["asset"]["extras"] = {"supple": {"unit": "cm", "up": "z"}}
    sketch.root["extensionsRequired"] = ["KHR_texture_transform"]
    looks = sketch.root["materials"][0]
    turned = {"scale": [2, 2], "offset": [0, 0], "rotation": 0.5, "texCoord": 0}
    info = {"index": 0, "scale": 0.5, "extensions": {"KHR_texture_transform": turned}}
    looks |= {"normalTexture": info, "emissiveFactor": [0, 0, 1], "alphaMode": "MASK"}
    item = {"componentType": 5126, "count": 3, "type": "VEC2"}
    places = {"bufferView": sketch.view(b"\1\0"), "componentType": 5123}
    values = {"bufferView": sketch.view(b"\0" * 8)}
    item["sparse"] = {"count": 1, "indices": places, "values": values}
    part["attributes"]["TEXCOORD_0"] = sketch.add("accessors", item)


@settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(data=st.data())
def test_spoiled_json(sketch, data):
    sketch.root, sketch.data = {"asset": {"version": "2.0"}, "nodes": []}, b""
    everything(sketch)
    sketch.gltf()
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(places(sketch.root))))
        holder = sketch.root
        for key in way:
            holder = holder[key]
        if data.draw(st.integers(0, 4)) == 0:
            del holder[last]
        else:
            holder[last] = data.draw(JUNK)
    path = sketch.folder / "made.gltf"
    path.write_text(json.dumps(sketch.root))
    refused(path)


@settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 255)), min_size=1, max_size=8))
def test_spoiled_bytes(sketch, changes):
    sketch.root, sketch.data = {"asset": {"version": "2.0"}, "nodes": []}, b""
    everything(sketch)
    path = sketch.glb()
    whole = bytearray(path.read_bytes())
    for at, value in changes:
        whole[at % len(whole)] = value
    path.write_bytes(whole)
    refused(path)


@pytest.mark.parametrize("head", [b"glTF", b"{", b"glTF\2\0\0\0", b'{"asset":{"version":"2.0"},'])
def test_garbage(tmp_path, head):
    rng = np.random.default_rng(1)
    for size in (0, 1, 100, 100_000):
        path = tmp_path / "made.glb"
        path.write_bytes(head + rng.integers(0, 256, size, dtype=np.uint8).tobytes())
        assert refused(path) != ""
