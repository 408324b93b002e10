"""Collada meshes: geometry, transforms of nodes, unit and up axis."""

import numpy as np
import pytest

import supple
from supple import SuppleError
from supple.apps.formats.collada import read_collada
from supple.apps.formats.source import Source

NS = 'xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"'
TRIANGLE = (
    '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>'
)


def collada(primitives=TRIANGLE, *, nodes=None, asset='<unit meter="1"/><up_axis>Z_UP</up_axis>'):
    nodes = '<node><instance_geometry url="#g"/></node>' if nodes is None else nodes
    return f"""<?xml version="1.0"?>
<COLLADA {NS}><asset>{asset}</asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="15">0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1</float_array>
<technique_common><accessor source="#a" count="5" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
{primitives}
</mesh></geometry></library_geometries>
<library_nodes><node id="part"><translate>0 0 5</translate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


def read(text, tmp_path):
    path = tmp_path / "mesh.dae"
    path.write_text(text)
    return read_collada(Source.open(path))


def area(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a).sum(axis=0) / 2


@pytest.mark.parametrize(
    ("primitives", "count"),
    [
        (TRIANGLE, 1),
        ('<triangles><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/>'
         "<p>9 0 9 1 9 2</p></triangles>", 1),
        ('<polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 3</vcount>'
         "<p>0 1 2 3 0 1 4</p></polylist>", 3),
        ('<polygons><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p><p>0 1 4</p></polygons>', 3),
        ('<tristrips><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 2</p></tristrips>', 2),
        ('<trifans><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>', 2),
        ("<lines/>" + TRIANGLE * 2, 2),
    ],
)  # fmt: skip
def test_primitives_become_triangles(tmp_path, primitives, count):
    vertices, faces = read(collada(primitives), tmp_path)
    assert len(faces) == count
    if count == 2 and "tri" in primitives[:5]:
        assert area(vertices, faces) == pytest.approx([0, 0, 1])  # the square, all faces up


def test_transforms_of_nodes_multiply(tmp_path):
    nodes = (
        '<node><translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>'
        '<instance_geometry url="#g"/><node><matrix>1 0 0 0 0 1 0 0 0 0 1 7 0 0 0 1</matrix>'
        '<instance_node url="#part"/></node></node>'
    )  # fmt: skip
    vertices, faces = read(collada(nodes=nodes), tmp_path)
    corner = [10, 2, 0]  # of (1, 0, 0): scaled, turned, moved
    assert any(np.allclose(v, corner) for v in vertices)
    assert any(np.allclose(v, np.add(corner, (0, 0, 12))) for v in vertices)
    assert len(faces) == 2


def test_a_mirror_keeps_faces_outward(tmp_path):
    nodes = '<node><scale>-1 1 1</scale><instance_geometry url="#g"/></node>'
    assert area(*read(collada(nodes=nodes), tmp_path))[2] > 0


@pytest.mark.parametrize(
    ("up", "expected"), [("Z_UP", (1, 2, 3)), ("Y_UP", (1, -3, 2)), ("X_UP", (-2, -3, 1))]
)
def test_unit_and_up_axis(tmp_path, up, expected):
    nodes = '<node><translate>1 2 3</translate><instance_geometry url="#g"/></node>'
    asset = f'<unit name="cm" meter="0.01"/><up_axis>{up}</up_axis>'
    vertices, _ = read(collada(nodes=nodes, asset=asset), tmp_path)
    assert any(np.allclose(v, np.array(expected) / 100) for v in vertices)


def test_without_a_scene_all_geometries_count(tmp_path):
    text = collada()
    text = text[: text.index("<library_nodes>")] + "</COLLADA>"
    assert len(read(text, tmp_path)[1]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (collada(TRIANGLE.replace("0 1 2", "0 1 9")), "expected vertices 0 to 4, got 9"),
        (collada(TRIANGLE.replace("0 1 2", "0 1 x")), r"mesh\.dae:\d+: p: expected finite"),
        (collada(TRIANGLE.replace("#v", "#w")), "expected positions"),
        (collada("<lines/>"), "expected a mesh with triangles"),
        (collada(nodes='<node><instance_geometry url="#h"/></node>'), "no geometry '#h'"),
        (collada(nodes='<node><matrix>1 2 3</matrix></node>'), "matrix: expected 16 numbers, got 3"),
        (collada(asset="<up_axis>UP</up_axis>"), "up_axis: expected one of"),
        (collada(asset='<unit meter="0"/>'), "unit: expected metres"),
        (collada(TRIANGLE.replace("0 1 2", "0 1 1e25")), "p: expected whole numbers"),
        ("<mesh/>", "expected the element 'COLLADA'"),
        (f'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA {NS}>&a;</COLLADA>', "a document type"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, text, message):
    with pytest.raises(SuppleError, match=message):
        read(text, tmp_path)


def test_instances_cannot_multiply_without_end(tmp_path):
    levels = "".join(
        f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 10 + "</node>"
        for k in range(40)
    )
    text = collada(nodes='<node><instance_node url="#n0"/></node>')
    text = text.replace("<library_nodes>", f'<library_nodes>{levels}<node id="n40"/>')
    with pytest.raises(SuppleError, match="asks for"):
        read(text, tmp_path)
    text = collada(nodes='<node id="me"><instance_node url="#me"/></node>')
    with pytest.raises(SuppleError, match="64 deep"):
        read(text, tmp_path)


def test_robots_have_them(tmp_path):
    (tmp_path / "hand.dae").write_text(collada())
    robot = '<link name="a">{}</link>'
    shape = '<{0}><geometry><mesh filename="hand.dae" scale="2 2 2"/></geometry></{0}>'
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'<robot name="r">{robot.format(shape.format("visual") + shape.format("collision"))}</robot>'
    )
    character = supple.load(path, meshes=True)
    assert character.meshes[0].positions.max() == 2
    assert character.skeleton.geoms[0].kind == "mesh"
