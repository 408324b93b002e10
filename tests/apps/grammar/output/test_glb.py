"""Instanced GLB."""

import json
import struct

import numpy as np
import pytest

import supple
import supple.apps.data
from supple.apps.grammar import Lot

HINGE = """
attr target = [1.5, 0.5, 0.5]
Door --> s(1, 2, 0.2) [ color("#808080") t(-0.2, 0, 0) s(0.2, '1, '1) i("box") ] Leaf
Leaf --> joint("hinge", 0, 0, 0.5) SetJointLimits(hinge = y, limits = [-100, 100])
    IK(-0.1, 1, -0.9, effector = [1, 0.5, 0.5], steps = true) color("#ff0000") i("box")
"""


STREET = """
Lot --> split(x){ ~1 : split(z){ ~1 : House }* }*
House --> extrude(rand(1, 3)) comp(f){ side : Wall | top : Roof }
Wall --> split(y){ ~0.5 : color("#ddccbb") extrude(0.05) Brick }*
Roof --> color("#884422") extrude(0.2)
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


def test_repeated_geometry_is_written_once(tmp_path) -> None:
    grown = supple.grow(STREET, size=(6, 0, 5), seed=2)
    path = tmp_path / "street.glb"
    grown.save(path, instanced=True)
    document, binary = read_glb(path)
    assert document["extensionsRequired"] == ["EXT_mesh_gpu_instancing"]
    assert len(document["meshes"]) == 2  # boxes of two colours
    count = 0
    for node in document["nodes"]:
        held = node.get("extensions", {}).get("EXT_mesh_gpu_instancing")
        if held:
            parts = {k: accessor(document, binary, v) for k, v in held["attributes"].items()}
            count += len(parts["TRANSLATION"])
            assert np.linalg.norm(parts["ROTATION"], axis=1) == pytest.approx(1, abs=1e-5)
            assert parts["SCALE"].min() > 0
    assert count == len(grown.leaves)
    # Placed by their instances, boxes are where the written-out meshes have them.
    brick = next(m for m in grown.meshes() if m.material.name == "#ddccbb")
    node = next(
        n for n in document["nodes"]
        if "extensions" in n and document["meshes"][n["mesh"]]["name"] == "#ddccbb"
    )  # fmt: skip
    held = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
    place, turn, size = (
        accessor(document, binary, held[k]) for k in ("TRANSLATION", "ROTATION", "SCALE")
    )
    primitive = document["meshes"][node["mesh"]]["primitives"][0]["attributes"]
    unit = accessor(document, binary, primitive["POSITION"])
    wxyz = np.roll(turn, 1, axis=1).astype(float)
    placed = supple.rotations.rotate(wxyz[:, None], unit[None] * size[:, None]) + place[:, None]
    assert placed.reshape(-1, 3) == pytest.approx(brick.positions, abs=1e-4)


def test_a_figure_written_with_instances_is_still_a_figure(tmp_path) -> None:
    grown = supple.grow(HINGE)
    grown.save(tmp_path / "door.glb", instanced=True)
    hero = supple.load(tmp_path / "door.glb")
    assert hero.skeleton == grown.skeleton and len(hero.meshes) == 2
    assert hero.pose.positions == pytest.approx(grown.pose.positions, abs=1e-6)


def test_small_geometries_of_one_material_are_joined(tmp_path) -> None:
    """Ledges cut at corners are all different: one mesh has them all, where the written-out meshes have them."""
    text = """
    Lot --> extrude(3) comp(f){ side : Wall | top : X. }
    Wall --> color("#aa5544") t(-1, 1, 0) s(scope.sx + 2, 0.3, 0.5) i("box") Ledge.
    """
    lots = [Lot((4 + k, 0, 3 + 0.1 * k), position=(12 * k, 0, 0)) for k in range(5)]
    grown = supple.grow(text, lots=lots)
    grown.save(tmp_path / "ledges.glb", instanced=True)
    document, _ = read_glb(tmp_path / "ledges.glb")
    assert [one["name"] for one in document["meshes"]].count("#aa5544") == 1
    back = supple.load(tmp_path / "ledges.glb")
    assert len(back.meshes) == len(grown.meshes()) == 2
    for one in grown.meshes():
        same = next(other for other in back.meshes if other.name == one.name)
        assert same.positions == pytest.approx(one.positions, abs=1e-5)
        assert same.normals == pytest.approx(one.normals, abs=1e-5)
        assert np.array_equal(same.faces, one.faces)


def test_large_geometry_of_few_leaves_is_written_once(tmp_path) -> None:
    ball = """Lot --> [ primitiveSphere(40, 40) A. ] t(3, 0, 0) primitiveSphere(40, 40) B."""
    grown = supple.grow(ball, size=(1, 1, 1))
    grown.save(tmp_path / "balls.glb", instanced=True)
    document, _ = read_glb(tmp_path / "balls.glb")
    assert len(document["meshes"]) == 1
    assert sum("mesh" in node for node in document["nodes"]) == 2
