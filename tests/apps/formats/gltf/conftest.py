"""Small glTF files built by hand, so that reading is tested without supple's writer."""

import base64
import json
import struct

import numpy as np
import pytest

TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
COMPONENTS = {"b": 5120, "B": 5121, "h": 5122, "H": 5123, "I": 5125, "f": 5126}


class Sketch:
    """A glTF file in the making: tables to edit freely, and one buffer."""

    def __init__(self, folder):
        self.folder = folder
        self.root = {"asset": {"version": "2.0"}, "nodes": []}
        self.data = b""

    def view(self, data, **fields):
        self.data += b"\0" * (-len(self.data) % 4)
        views = self.root.setdefault("bufferViews", [])
        size = len(data)
        views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": size, **fields})
        self.data += data
        return len(views) - 1

    def accessor(self, values, code="f", **fields):
        """An accessor of numbers; fields such as normalized=True go into it."""
        table = np.asarray(values, dtype="<" + {"B": "u1", "b": "i1"}.get(code, code))
        width = 1 if table.ndim == 1 else table.shape[1]
        item = {
            "bufferView": self.view(table.tobytes()),
            "componentType": COMPONENTS[code],
            "count": len(table),
            "type": TYPES[width],
            **fields,
        }
        return self.add("accessors", item)

    def add(self, table, item):
        rows = self.root.setdefault(table, [])
        rows.append(item)
        return len(rows) - 1

    def triangle(self, *, code="f", node=None, **attributes):
        """A mesh of one triangle, on a new node."""
        corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
        held = {"POSITION": self.accessor(corners, code), **attributes}
        mesh = self.add("meshes", {"primitives": [{"attributes": held}]})
        self.add("nodes", {"name": "body", "mesh": mesh, **(node or {})})
        return self.root["meshes"][mesh]["primitives"][0]

    def skinned(self, joints, weights, *, codes="Hf", nodes=None, binds=None, **fields):
        """Joints "a" with "b" one above, and a triangle on them."""
        self.root["nodes"] += nodes or [
            {"name": "a", "children": [1]},
            {"name": "b", "translation": [0, 1, 0]},
        ]
        skin = {"joints": list(range(len(self.root["nodes"])))}
        if binds is not None:
            columns = np.swapaxes(binds, 1, 2).reshape(-1, 16)
            skin["inverseBindMatrices"] = self.accessor(columns)
        self.add("skins", skin)
        held = {
            "JOINTS_0": self.accessor(joints, codes[0]),
            "WEIGHTS_0": self.accessor(weights, codes[1], **fields),
        }
        return self.triangle(node={"skin": 0}, **held)

    def animate(self, times, path, values, *, node=0, mode="LINEAR", code="f", **fields):
        """An animation of one channel."""
        sampler = {
            "input": self.accessor(times),
            "output": self.accessor(values, code, **fields),
            "interpolation": mode,
        }
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        return self.add("animations", {"samplers": [sampler], "channels": [channel]})

    def gltf(self, name="made.gltf"):
        """Written as .gltf with its data inside."""
        if self.data:
            text = base64.b64encode(self.data).decode()
            uri = f"data:application/octet-stream;base64,{text}"
            self.root["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
        path = self.folder / name
        path.write_text(json.dumps(self.root))
        return path

    def glb(self, name="made.glb"):
        """Written as .glb."""
        data = self.data + b"\0" * (-len(self.data) % 4)
        if data:
            self.root["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.root).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if data:
            chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
        path = self.folder / name
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
        return path


@pytest.fixture
def sketch(tmp_path):
    return Sketch(tmp_path)
