"""Packed buffer views: streams that the reference encoder (npm meshoptimizer) made of known data.

Those of meshopt_streams.json come from tools/oracles/meshopt_streams.mjs, with what the reference decoder
makes of them; run it again to have more.
"""

import base64
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import SuppleError
from supple.apps.formats.gltf.meshopt import (
    attributes,
    color,
    exponential,
    indices,
    octahedral,
    quaternion,
    triangles,
)

STREAMS = {
    "version 0": "oAcALA4swzpOtqrBu7F9UbmN/wAAAOf+FbIHAC4qIhgKAxEdJSsvKyUbEX8AAAAKGCQHAOtfUXjR1iht24rlHT2H"
    "M/8AAABZIqzzBwAUBgcVISctLSshGQsCEBz/AAAAJCwwLAcAcAjWf07JQdN0aDWXNo+Y/wAAAGeyhgUHABkjKy0tJx8VBQYU"
    "HiguLv8AAAAsJhoOAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwde22OrwAAA==",
    "version 1": "of+vACwOLMM6TraqwbuxfVG5jef+FbIALioiGAoDER0lKy8rJRsRAQoYJADrX1F40dYobduK5R09hzNZIqzzABQG"
    "BxUhJy0tKyEZCwIQHCQsMCwAcAjWf07JQdN0aDWXNo+YZ7KGBQAZIystLScfFQUGFB4oLi4sJhoOAAAAAAAAAAAAAAAAAAAw"
    "de22OrwAAAAA",
}
FLOATS = (
    "oX9/fwAg2FCQRK3i9kD64jwsxeOW5IHeAPNxOswGF6oGxLle1CwvfYtjFoQAse5yQgwrXZ1MZoWCWCQTSXf2gwE4AE4AfP8M"
    "AAH+AF92wpPDBErRyVPBPb/qisvt0WQAGv5r7dcBV1f0EsoCd9Pw/PbiKgANrmQwBT1t24bB/3ZGEidZjXAVASgAfgAD+woA"
    "Af8AgMUxXNJ8FsxPryhHfGBW2bY3AgCpiEu7X9YE2h8BF0UAVNda2EdfAEx+VB4XT3sZSFLAaDYAOWnLld8BEAB4AP4MAAL9"
    "AAAAAAAAAAAAAAAAAG4W4z3yr2E+AAAB"
)
TRIANGLES = "4f4eEA4QDo4eFA4TDo4eEw4TDv8PCJrqDQB2h1ZneKmGZYlomAFpAAA="
INDICES = "0RQCAqEfBQLZ4A8GAAAAAA=="


def raw(text):
    return base64.b64decode(text)


def waves():
    """What the streams of both versions hold: positions of 16 bits."""
    i = np.arange(20)[:, None]
    k = np.arange(4)
    return np.where(k == 3, 0, np.floor(30000 + 20000 * np.sin(i * 0.3 + k) + 0.5)).astype("<u2")


@pytest.mark.parametrize("version", STREAMS)
def test_attributes(version):
    found = attributes(raw(STREAMS[version]), 20, 8)
    assert np.array_equal(found.view("<u2"), waves())


def test_floats_are_differences_of_bits_or_pairs():
    found = attributes(raw(FLOATS), 20, 12).view("<f4").ravel()
    assert np.allclose(found, np.sin(np.arange(60) / 9), atol=1e-7)


def test_triangles_and_indices():
    found = triangles(raw(TRIANGLES), 57, 2).reshape(-1, 3)
    grid = [[0, 1, 4], [4, 1, 5], [5, 1, 2], [5, 2, 6], [6, 2, 3], [6, 3, 7]]
    grid = [[corner + 4 * row for corner in one] for row in range(3) for one in grid]
    assert found.tolist() == [*grid, [900, 7, 3]]
    assert indices(raw(INDICES), 8, 2).tolist() == [5, 4, 3, 1000, 1001, 2, 65535, 0]


ORACLE = json.loads(Path(__file__).with_name("meshopt_streams.json").read_text())
CODECS = {"ATTRIBUTES": attributes, "TRIANGLES": triangles, "INDICES": indices}


@pytest.mark.parametrize(
    "case", ORACLE, ids=[f"{case['mode']} {case['name']}".replace(" ", "-") for case in ORACLE]
)
def test_streams_are_decoded_as_the_reference_decodes_them(case):
    found = CODECS[case["mode"]](raw(case["stream"]), case["count"], case["stride"])
    if case["filter"] == "NONE":
        assert hashlib.sha256(found.tobytes()).hexdigest() == case["sha256"]
        return
    filters = {"OCTAHEDRAL": octahedral, "QUATERNION": quaternion, "COLOR": color,
               "EXPONENTIAL": exponential}  # fmt: skip
    found = filters[case["filter"]](found)
    wanted = np.frombuffer(raw(case["decoded"]), found.dtype).reshape(found.shape)
    if case["filter"] == "EXPONENTIAL":
        assert np.array_equal(found, wanted)
    else:  # whole numbers, the last of which is a matter of rounding
        assert np.abs(found.astype(int) - wanted).max() <= 1


def test_the_oracle_covers_every_mode():
    streams = [(raw(case["stream"]), case["stride"] // 4) for case in ORACLE
               if case["mode"] == "ATTRIBUTES"]  # fmt: skip
    assert {stream[0] for stream, _ in streams} == {0xA0, 0xA1}
    newer = [(stream, words) for stream, words in streams if stream[0] == 0xA1]
    channels = {channel for stream, words in newer for channel in stream[-words:]}
    assert channels == {0, 1, *range(2, 256, 16)}
    controls = {byte >> shift & 3 for stream, words in newer
                for byte in stream[1 : 1 + words] for shift in (0, 2, 4, 6)}  # fmt: skip
    assert controls == {0, 1, 2, 3}
    assert {case["filter"] for case in ORACLE} == {"NONE", "OCTAHEDRAL", "QUATERNION", "COLOR",
                                                   "EXPONENTIAL"}  # fmt: skip


def filtered(text, stride):
    return np.frombuffer(raw(text), np.uint8).reshape(-1, stride).copy()


@pytest.mark.parametrize(
    ("text", "stride", "dtype"),
    [("fwB/f0mBf4EqKn9/", 4, "i1"), ("/wcAAP8H/3+SBAH4/wcBgKoCqgL/B/9/", 8, "<i2")],
)
def test_normals(text, stride, dtype):
    most = np.iinfo(dtype).max
    found = octahedral(filtered(text, stride)).view(dtype) / most
    wanted = [[1, 0, 0, 1], [0, -0.6, -0.8, -1], [0.5773, 0.5773, 0.5773, 1]]
    assert np.allclose(found, wanted, atol=0.012 if stride == 4 else 1e-3)


def test_quaternions_floats_and_colours():
    turns = quaternion(filtered("AAAAAAAA/39+pYJafqX8f+bttn4aEv1/", 8)).view("<i2") / 32767
    wanted = np.array([[0, 0, 0, 1], [0.5, -0.5, 0.5, -0.5], [0.1, 0.7, -0.1, 0.7]])
    wanted[2] /= np.linalg.norm(wanted[2])
    assert np.allclose(np.abs(np.sum(turns * wanted, axis=1)), 1, atol=1e-4)
    assert np.allclose(
        exponential(filtered("AAAw62Q73+Ee4TcN", 4)).ravel(), [1.5, -0.001, 3e10], 1e-6
    )
    wanted = np.array([[1, 0, 0, 1], [0.2, 0.4, 0.6, 0.5], [0, 1, 1, 0]])
    assert np.allclose(color(filtered("QH/B/2bNAMC/gT+A", 4)) / 255, wanted, atol=0.01)
    fine = color(filtered("AED/fwHA//9mZs3MAAAAwP+/AYD/PwCA", 8)).view("<u2") / 65535
    assert np.allclose(fine, wanted, atol=1e-4)


def packed(sketch, name="EXT_meshopt_compression", stream=TRIANGLES, **changes):
    """A file whose positions and indices are packed, with nothing plain beside them."""
    points, faces = waves()[:, :3], [0, 1, 4, 4, 1, 5]
    part = sketch.triangle(code="H")
    views = sketch.root["bufferViews"] = []
    views.append(
        {
            "buffer": 1,
            "byteLength": 160,
            "byteStride": 8,
            "extensions": {
                name: {
                    "buffer": 0,
                    "byteOffset": len(sketch.data),
                    "byteLength": len(raw(STREAMS["version 0"])),
                    "byteStride": 8,
                    "count": 20,
                    "mode": "ATTRIBUTES",
                    **changes,
                }
            },
        }
    )
    sketch.data += raw(STREAMS["version 0"])
    views.append(
        {
            "buffer": 1,
            "byteOffset": 160,
            "byteLength": 114,
            "extensions": {
                name: {
                    "buffer": 0,
                    "byteOffset": len(sketch.data),
                    "byteLength": len(raw(stream)),
                    "byteStride": 2,
                    "count": 57,
                    "mode": "TRIANGLES",
                }
            },
        }
    )
    sketch.data += raw(stream)
    sketch.root["accessors"] = [
        {"bufferView": 0, "componentType": 5123, "count": 20, "type": "VEC3", "normalized": True},
        {"bufferView": 1, "componentType": 5123, "count": 54, "type": "SCALAR"},
    ]
    part["attributes"] = {"POSITION": 0}
    part["indices"] = 1
    sketch.root["extensionsRequired"] = [name, "KHR_mesh_quantization"]
    path = sketch.gltf()
    return path, points, faces


def without_plain(path):
    """The second buffer has a length and no data: what it would hold is packed."""
    root = json.loads(path.read_text())
    root["buffers"].append({"byteLength": 280})
    path.write_text(json.dumps(root))
    return path


@pytest.mark.parametrize("name", ["EXT_meshopt_compression", "KHR_meshopt_compression"])
def test_packed_geometry_is_read(sketch, name):
    path, points, faces = packed(sketch, name)
    mesh = supple.load(without_plain(path)).meshes[0]
    assert np.allclose(mesh.positions, points / 65535)
    assert mesh.faces[:2].ravel().tolist() == faces


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"byteLength": 40}, "packed data"),
        ({"byteLength": 20}, "at least 41 bytes"),
        ({"byteOffset": 1}, "begin with 0xa0"),
        ({"count": 19}, "160 bytes"),
        ({"byteStride": 6}, "multiple of 4"),
        ({"mode": "SQUARES"}, "ATTRIBUTES, TRIANGLES"),
        ({"filter": "SEPIA"}, "OCTAHEDRAL"),
        ({"mode": "INDICES"}, "2 or 4"),
        ({"buffer": 7}, "buffers"),
    ],
)
def test_wrong_packing_is_said_with_its_place(sketch, changes, message):
    path, _, _ = packed(sketch, **changes)
    with pytest.raises(SuppleError, match=message) as caught:
        supple.load(without_plain(path))
    assert "bufferViews[0]" in str(caught.value)


def test_streams_that_are_changed_or_cut_off_are_read_or_refused():
    rng = np.random.default_rng(5)
    for text, read, count, stride in (
        (STREAMS["version 0"], attributes, 20, 8),
        (STREAMS["version 1"], attributes, 20, 8),
        (FLOATS, attributes, 20, 12),
        (TRIANGLES, triangles, 57, 2),
        (INDICES, indices, 8, 2),
    ):
        whole = bytearray(raw(text))
        for _ in range(200):
            data = bytearray(whole)
            for at in rng.integers(0, len(data), rng.integers(1, 4)):
                data[at] = rng.integers(256)
            data = bytes(data[: rng.integers(1, len(data) + 1)])
            try:
                found = read(data, count, stride)
            except ValueError:
                continue
            assert len(found) == count
