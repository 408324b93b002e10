"""VTA: the shapes of an SMD mesh, read and written as morph targets."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.counting import lines_run

import supple
from supple import Character, Mesh, Morph, Node, Skeleton, Skin, SuppleError
from supple.apps.character.skinning import skin

HEAD = 'version 1\nnodes\n0 "head" -1\nend\n'
MESH = (
    HEAD
    + """skeleton
time 0
0 0 0 0 0 0 0
end
triangles
skin
0 0 0 0 0 0 1 0 0
0 1 0 0 0 0 1 1 0
0 0 1 0 0 0 1 0 1
lips
0 0 0 0 0 0 -1 0 0
0 0 1 0 0 0 -1 0 1
0 1 0 0 0 0 -1 1 0
end
"""
)
SHAPES = (
    HEAD
    + """skeleton
time 0 # basis
time 1 # smile wide
time 2
end
vertexanimation
time 0
10 0 0 0 0 0 1
11 1 0 0 0 0 1
12 0 1 0 0 0 1
20 0 0 0 0 0 -1
21 1 0 0 0 0 -1
22 0 1 0 0 0 -1
time 1 // smile
11 1 0 2 0 1 0
time 2
20 0 -1 0 0 0 -1
end
"""
)


@pytest.fixture
def load(tmp_path):
    """The character of an SMD text, with a VTA text beside it unless that is None."""

    def read(mesh=MESH, vta=SHAPES, **options):
        (tmp_path / "hero.smd").write_text(mesh)
        if vta is not None:
            (tmp_path / "hero.vta").write_text(vta)
        return supple.load(tmp_path / "hero.smd", **options)

    return read


def warnings(character):
    return [str(note) for note in character.notes if note.level == "warning"]


def names(character):
    return [[morph.name for morph in mesh.morphs] for mesh in character.meshes]


def test_shapes_are_matched_by_place_and_normal_and_named_by_their_comments(load):
    front, back = load().meshes
    (smile,) = front.morphs
    assert smile.name == "smile"
    assert smile.weight == 0
    assert smile.positions.tolist() == [[0, 0, 0], [0, 0, 2], [0, 0, 0]]
    assert smile.normals.tolist() == [[0, 0, 0], [0, 1, -1], [0, 0, 0]]
    (other,) = back.morphs  # in the same places, with other normals
    assert other.name == "shape 2"
    assert other.positions.tolist() == [[0, -1, 0], [0, 0, 0], [0, 0, 0]]
    assert other.normals is None


def test_which_file_has_the_shapes_can_be_said(load, tmp_path):
    assert names(load(vta=None)) == [[], []]
    assert names(load()) == [["smile"], ["shape 2"]]
    assert names(load(shapes=False)) == [[], []]
    (tmp_path / "face.vta").write_text(SHAPES.replace("// smile", ""))
    assert names(load(shapes=tmp_path / "face.vta")) == [["smile wide"], ["shape 2"]]
    with pytest.raises(SuppleError, match="no such file"):
        load(shapes=tmp_path / "none.vta")
    (tmp_path / "walk.smd").write_text(MESH.partition("triangles")[0])
    with pytest.raises(SuppleError, match="expected a mesh"):
        supple.load(tmp_path / "walk.smd", shapes=tmp_path / "face.vta")
    hero = load(shapes=tmp_path / "face.vta", motions=[tmp_path / "walk.smd"])
    assert names(hero)[0] == ["smile wide"]


def test_with_a_row_for_each_corner_the_order_counts(load):
    """Vertices that differ only in how they move are not merged."""
    mesh = MESH.replace("lips", "skin").replace(" 0 0 -1 ", " 0 0 1 ")
    rows = [line.split()[1:7] for line in mesh.splitlines() if len(line.split()) == 9]
    base = "".join(f"{k} {' '.join(row)}\n" for k, row in enumerate(rows))
    text = f"{HEAD}skeleton\ntime 0\ntime 1\nend\nvertexanimation\ntime 0\n{base}time 1\n"
    (one,) = load(mesh, text + "3 0 0 5 0 0 1\nend\n").meshes
    assert len(one.positions) == 4  # three places, one of them twice
    moved = one.positions + one.morphs[0].positions
    assert moved[one.faces[:, 0]].tolist() == [[0, 0, 0], [0, 0, 5]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("11 1 0 2 0 1 0", "99 1 0 2 0 1 0", "hero.vta:19: vertex 99 .*left out"),
        ("time 2\n20", "time 1 # smile\n20", "several shapes called 'smile'"),
        ("10 0 0 0 0 0 1", "10 0 0 0 0 0 nan", "normals are no numbers"),
        (" 0 0 ", " 7 7 ", "no vertex is where one of the mesh is"),
        ("11 1 0 2 0 1 0", "11 1 0 2", "left out: .*hero.vta:19: expected a vertex"),
        ("11 1 0 2", "11 1 nan 2", "left out: .*hero.vta:19: expected a position"),
        ("11 1 0 2", "11 1 inf 2", "left out: .*hero.vta:19: expected a position, got '11 1 inf 2"),
        ("11 1 0 2", "11.5 1 0 2", "left out: .*hero.vta:19: expected the number"),
        ("vertexanimation\ntime 0", "vertexanimation", "left out: .*hero.vta:11: expected time"),
        ("time 0\n10", "time 0\ntime 9\n10", "left out: .*expected the vertices at the first"),
        ("vertexanimation", "animation", "left out: .*expected a vertexanimation"),
    ],
)
def test_what_is_odd_is_noted_and_the_mesh_stays(load, tmp_path, old, new, message):
    text = SHAPES.replace(old, new)
    character = load(vta=text)
    assert len(character.meshes) == 2
    assert any(re.search(message, note) for note in warnings(character)), warnings(character)
    if "left out: " in message:  # a file that is named must be read
        with pytest.raises(SuppleError, match=message.partition("left out: ")[2]):
            load(vta=text, shapes=tmp_path / "hero.vta")


def test_shapes_that_take_far_more_than_their_file_are_refused(tmp_path):
    """Each of many shapes moves one vertex of many, and as a morph target has all of them."""
    corners, shapes = 12_000, 2000
    head = b'version 1\nnodes\n0 "a" -1\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\nend\n'
    rows = [b"0 %d 0 0 0 0 1 0 0\n" % k for k in range(corners)]
    rows = [b"m\n" * (k % 3 == 0) + row for k, row in enumerate(rows)]
    (tmp_path / "hero.smd").write_bytes(head + b"triangles\n" + b"".join(rows) + b"end\n")
    base = b"".join(b"%d %d 0 0 0 0 1\n" % (k, k) for k in range(corners))
    moved = b"".join(b"time %d\n0 0 1 0 0 0 1\n" % k for k in range(1, shapes + 1))
    text = head + b"vertexanimation\ntime 0\n" + base + moved + b"end\n"
    (tmp_path / "hero.vta").write_bytes(text)
    with pytest.raises(SuppleError, match=rf"hero.vta: {shapes} shapes .*at most 256 MB"):
        supple.load(tmp_path / "hero.smd")


def test_very_many_times_are_read_in_linear_time(load):
    times = "".join(f"time {k} # x\n" for k in range(3, 11_000))
    many = SHAPES.removesuffix("end\n") + times
    assert names(load(vta=many + "end\n")) == [["smile"], ["shape 2"]]
    said = warnings(load(vta=many.replace("# x", "\n10 0 0 9 0 0 1") + "end\n"))
    assert any("hero.vta:10: expected at most 10,000 shapes" in note for note in said)
    few = SHAPES.removesuffix("end\n") + "".join(times.splitlines(True)[:5500])
    half, whole = (lines_run(lambda text=text: load(vta=text + "end\n")) for text in (few, many))
    assert whole < 2.2 * half, "in linear time"


def face(posed=False):
    """Two skinned meshes with shapes, one of them in both."""
    rng = np.random.default_rng(4)
    skeleton = Skeleton([Node("neck", None, (0, 0, 1)), Node("jaw", "neck", (0, 1, 0))])
    binds = np.linalg.inv(skeleton.rest.frames)

    def part(name, morphs):
        points = rng.normal(size=(9, 3))
        normals = points / np.linalg.norm(points, axis=1, keepdims=True)
        bound = Skin.from_table(("neck", "jaw"), binds, [[0, 1]] * 9, rng.random((9, 2)))
        uv = rng.random((9, 2))
        return Mesh(
            name, points, np.arange(9).reshape(3, 3), normals, uv, skin=bound, morphs=morphs
        )

    def morph(name, rows, normals=False):
        change = np.zeros((9, 3))
        change[rows] = rng.normal(size=(len(rows), 3))
        return Morph(name, change, 0.1 * change if normals else None)

    meshes = (
        part("face", (morph("smile", [1, 2, 5], True), morph("two words # mark", [0]))),
        part("teeth", (morph("smile", [3]), morph("smile", [4]))),
    )
    pose = skeleton.pose({"jaw": (0.3, 0.2, 0.1), "neck": (0, 0, 0.5)}) if posed else None
    return Character(skeleton, meshes, pose=pose)


def test_there_and_back(tmp_path):
    old = face()
    notes = supple.save(old, tmp_path / "a.smd", shapes=True)
    assert not notes
    new = supple.load(tmp_path / "a.smd")
    supple.save(new, tmp_path / "b.smd", shapes=True)
    assert (tmp_path / "a.vta").read_bytes() == (tmp_path / "b.vta").read_bytes()
    assert names(new) == [["smile", "two words # mark"], ["smile", "smile 2"]]
    for a, b in zip(old.meshes, new.meshes, strict=True):
        assert np.allclose(a.positions, b.positions, atol=1e-8)
        for one, two in zip(a.morphs, b.morphs, strict=True):
            assert np.allclose(one.positions, two.positions, atol=1e-8)
            assert (one.normals is None) == (two.normals is None)
            if one.normals is not None:
                assert np.allclose(one.normals, two.normals, atol=1e-8)


def test_a_posed_figure_has_the_shapes_of_its_pose(tmp_path):
    old = face(posed=True)
    supple.save(old, tmp_path / "a.smd", shapes=True)
    new = supple.load(tmp_path / "a.smd")
    for k, label in ((0, 0), (0, 1), (1, 1)):
        shaped = []
        for character in (old, new):
            mesh = character.meshes[k]
            whole = [replace(one, weight=float(n == label)) for n, one in enumerate(mesh.morphs)]
            shaped.append(skin(replace(mesh, morphs=tuple(whole)), character.pose))
        assert np.allclose(*shaped, atol=1e-8)


def test_weights_at_rest_go_into_the_mesh_and_are_said(tmp_path):
    old = face()
    mesh = old.meshes[0]
    half = replace(mesh, morphs=(replace(mesh.morphs[0], weight=0.5), *mesh.morphs[1:]))
    notes = supple.save(old.with_(meshes=(half,)), tmp_path / "a.smd", shapes=True)
    assert any("weights of morph targets" in note.text for note in notes)
    (new,) = supple.load(tmp_path / "a.smd").meshes
    assert np.allclose(new.positions, mesh.positions + 0.5 * mesh.morphs[0].positions, atol=1e-8)
    assert np.allclose(new.morphs[0].positions, mesh.morphs[0].positions, atol=1e-8)


def test_without_shapes_morphs_are_left_out_and_said(tmp_path):
    notes = supple.save(face(), tmp_path / "a.smd")
    assert any("4 morph targets" in note.text for note in notes)
    assert not (tmp_path / "a.vta").exists()
