"""Accessors: every component type, stride, normalization and sparse form."""

import numpy as np
import pytest

import supple
from supple.apps.formats.gltf import accessors
from supple.apps.formats.gltf.document import Document
from supple.apps.formats.source import Source
from supple.errors import SuppleError


def document(sketch):
    sketch.root["nodes"] = [{"name": "a"}]
    return Document(Source.open(sketch.glb()))


@pytest.mark.parametrize(
    ("code", "low", "high"),
    [("b", -128, 127), ("B", 0, 255), ("h", -32768, 32767), ("H", 0, 65535), ("I", 0, 2**32 - 1)],
)
def test_every_component_type(sketch, code, low, high):
    sketch.accessor([low, 0, high], code)
    found = accessors.floats(document(sketch), 0, ("SCALAR",))
    assert found[:, 0].tolist() == [low, 0, high]


@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("b", [-128, -127, 127], [-1, -1, 1]),  # the least integer is clamped
        ("B", [0, 51, 255], [0, 0.2, 1]),
        ("h", [-32768, 0, 32767], [-1, 0, 1]),
        ("H", [0, 13107, 65535], [0, 0.2, 1]),
    ],
)
def test_normalized_integers_are_fractions(sketch, code, given, expected):
    sketch.accessor(given, code, normalized=True)
    found = accessors.floats(document(sketch), 0, ("SCALAR",))
    assert np.allclose(found[:, 0], expected, atol=1e-15)


def test_stride_and_offsets(sketch):
    rows = np.arange(24, dtype="<f4").reshape(4, 6)  # position and normal interleaved
    view = sketch.view(rows.tobytes(), byteStride=24)
    for offset in (0, 12):
        item = {"bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 4}
        sketch.add("accessors", {**item, "type": "VEC3"})
    made = document(sketch)
    assert np.array_equal(accessors.floats(made, 0, ("VEC3",)), rows[:, :3])
    assert np.array_equal(accessors.floats(made, 1, ("VEC3",)), rows[:, 3:])


def test_columns_of_small_matrices_are_aligned(sketch):
    """A MAT3 of bytes has columns of three bytes, each begun at a multiple of four."""
    raw = bytes([1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9])
    view = sketch.view(raw)
    item = {"bufferView": view, "componentType": 5121, "count": 1, "type": "MAT3"}
    sketch.add("accessors", item)
    found = accessors.floats(document(sketch), 0, ("MAT3",))
    assert found[0].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def sparse(sketch, indices, values, code="H"):
    places = {
        "bufferView": sketch.view(np.array(indices, "<" + code.replace("B", "u1")).tobytes()),
        "componentType": {"B": 5121, "H": 5123, "I": 5125}[code],
    }
    return {
        "count": len(indices),
        "indices": places,
        "values": {"bufferView": sketch.view(np.array(values, "<f4").tobytes())},
    }


@pytest.mark.parametrize("code", ["B", "H", "I"])
def test_sparse_replaces_some(sketch, code):
    sketch.accessor([[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    sketch.root["accessors"][0]["sparse"] = sparse(sketch, [0, 2], [[7, 8, 9], [4, 5, 6]], code)
    found = accessors.floats(document(sketch), 0, ("VEC3",))
    assert found.tolist() == [[7, 8, 9], [2, 2, 2], [4, 5, 6]]


def test_sparse_without_a_buffer_view_begins_with_zeros(sketch):
    item = {"componentType": 5126, "count": 3, "type": "VEC3"}
    sketch.add("accessors", {**item, "sparse": sparse(sketch, [1], [[1, 2, 3]])})
    found = accessors.floats(document(sketch), 0, ("VEC3",))
    assert found.tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0]]


def test_what_leaves_its_buffer_is_refused(sketch):
    sketch.accessor([[0, 0, 0]] * 3)
    for field, value in (("count", 4), ("byteOffset", 4)):
        sketch.root["accessors"][0] = {**sketch.root["accessors"][0], field: value}
        with pytest.raises(SuppleError, match=r"accessors\[0\].*within 36 bytes"):
            accessors.floats(document(sketch), 0, ("VEC3",))


def test_sparse_indices_beyond_the_end_are_refused(sketch):
    item = {"componentType": 5126, "count": 3, "type": "VEC3"}
    sketch.add("accessors", {**item, "sparse": sparse(sketch, [3], [[1, 2, 3]])})
    with pytest.raises(SuppleError, match="below 3"):
        accessors.floats(document(sketch), 0, ("VEC3",))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(sketch, value):
    sketch.accessor([[0, 0, 0], [0, value, 0]])
    with pytest.raises(SuppleError, match=r"accessors\[0\]: expected finite numbers.* at 1"):
        accessors.floats(document(sketch), 0, ("VEC3",))


def test_a_quantised_mesh_is_moved_by_its_node(sketch):
    """KHR_mesh_quantization: integers, brought to size by the node's scale."""
    corners = [[0, 0, 0], [1000, 0, 0], [0, 2000, 0]]
    held = {"POSITION": sketch.accessor(corners, "h")}
    mesh = sketch.add("meshes", {"primitives": [{"attributes": held}]})
    sketch.add("nodes", {"name": "n", "mesh": mesh, "scale": [0.001] * 3})
    sketch.root["extensionsRequired"] = sketch.root["extensionsUsed"] = ["KHR_mesh_quantization"]
    character = supple.load(sketch.gltf())
    from supple.apps.character.skinning import skin

    points = skin(character.meshes[0], character.pose)
    assert np.allclose(points, [[0, 0, 0], [1, 0, 0], [0, 2, 0]])
