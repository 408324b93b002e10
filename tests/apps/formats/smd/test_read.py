"""Read SMD of GoldSrc and Source, in all variants that real files have."""

import math

import numpy as np
import pytest

import supple
from supple import Ball, SuppleError
from supple.apps.character.skinning import skin
from supple.rotations import from_euler, to_matrix

BONES = """version 1
nodes
0 "pelvis" -1
1 "upper leg" 0
2 "foot" 1
end
"""
FRAME = """skeleton
time 0
0 0 0 10 0 0 0
1 1 2 3 0.1 0.2 0.3
2 0 0 -5 0 0.5 0
end
"""
TRIANGLE = """triangles
skin one.bmp
0 0 0 10 0 0 1 0 0
1 1 0 10 0 0 1 1 0.25
2 0 1 10 0 0 1 0 1
end
"""


@pytest.fixture
def load(tmp_path):
    def read(text, name="hero.smd", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return supple.load(path, **options)

    return read


def warnings(character):
    return [note.text for note in character.notes if note.level == "warning"]


def test_bones_turn_by_rz_ry_rx(load):
    skeleton = load(BONES + FRAME + TRIANGLE).skeleton
    x, y, z = 0.1, 0.2, 0.3
    rz = to_matrix(from_euler("z", (z,)))
    ry = to_matrix(from_euler("y", (y,)))
    rx = to_matrix(from_euler("x", (x,)))
    frames = skeleton.rest.frames
    assert np.allclose(frames[1, :3, :3], rz @ ry @ rx)
    assert np.allclose(skeleton.rest.position("foot"), (1, 2, 13) + (rz @ ry @ rx) @ (0, 0, -5))
    assert skeleton.names == ("pelvis", "upper leg", "foot")


def test_a_reference_has_a_mesh_for_each_material_and_no_motion(load):
    two = TRIANGLE.replace("end\n", "") + TRIANGLE.replace("triangles\n", "").replace("one", "two")
    character = load(BONES + FRAME + two)
    assert [mesh.name for mesh in character.meshes] == ["skin one.bmp", "skin two.bmp"]
    mesh = character.meshes[0]
    assert mesh.faces.tolist() == [[0, 1, 2]]
    assert mesh.material.name == "skin one.bmp"
    # v runs down here and up in SMD.
    assert np.allclose(mesh.texcoords, [(0, 1), (1, 0.75), (0, 0)])
    assert not character.motions
    assert mesh.skin.joints == ("pelvis", "upper leg", "foot")
    assert mesh.skin.joint.tolist() == [0, 1, 2]


def test_vertices_are_unmoved_at_the_reference_pose(load):
    character = load(BONES + FRAME + TRIANGLE)
    mesh = character.meshes[0]
    assert np.abs(skin(mesh, character.skeleton.rest) - mesh.positions).max() < 1e-12
    bent = character.skeleton.pose({"upper leg": (0.5, 0, 0)})
    moved = skin(mesh, bent)
    assert np.allclose(moved[0], mesh.positions[0])
    assert not np.allclose(moved[1], mesh.positions[1])


def test_equal_corners_are_one_vertex(load):
    more = TRIANGLE.replace("end\n", "") + (
        "skin one.bmp\n0 0 0 10 0 0 1 0 0\n2 0 1 10 0 0 1 0 1\n2 5 5 10 0 0 1 0 1\nend\n"
    )
    mesh = load(BONES + FRAME + more).meshes[0]
    assert len(mesh.positions) == 4
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3]]


def vertex(tail, first=0):
    row = f"{first} 0 0 0 0 0 1 0 0{tail}\n"
    return BONES + FRAME + "triangles\nm\n" + row * 2 + row.replace(" 0 0 1", " 1 0 1", 1) + "end\n"


@pytest.mark.parametrize(
    ("tail", "joints", "weights"),
    [
        ("", [0], [1]),
        (" 0", [0], [1]),
        (" 1 2 1.0", [2], [1]),
        (" 2 1 0.25 2 0.75", [1, 2], [0.25, 0.75]),
        (" 3 0 0.5 1 0.25 2 0.25", [0, 1, 2], [0.5, 0.25, 0.25]),
        (" 2 1 0.25 2 0.25", [1, 2], [0.5, 0.5]),  # brought to one
        (" 2 1 0.5 1 0.5", [1], [1]),  # one joint twice
        (" 2 1 1 2 0", [1], [1]),
        (" 1 1 0", [0], [1]),  # weighs nothing: the first column
    ],
)
def test_links(load, tail, joints, weights):
    made = load(vertex(tail)).meshes[0].skin
    assert made.joint[: made.first[1]].tolist() == joints
    assert np.allclose(made.weight[: made.first[1]], weights)


def test_missing_weight_goes_to_the_first_column_where_asked(load):
    made = load(vertex(" 1 2 0.75"), weights="first").meshes[0].skin
    assert dict(zip(made.joint[:2].tolist(), made.weight[:2].tolist(), strict=True)) == {
        2: 0.75,
        0: 0.25,
    }
    near = load(vertex(" 1 2 0.98"), weights="first").meshes[0].skin
    assert near.joint[: near.first[1]].tolist() == [2]
    assert any("do not sum to 1" in text for text in warnings(load(vertex(" 1 2 0.75"))))


FORMS = {
    "windows": lambda text: text.replace("\n", "\r\n"),
    "tabs and blanks": lambda text: text.replace("\n0 ", "\n\t 0\t ").replace("end", "  end  "),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "no final newline": lambda text: text.rstrip(),
    "not closed": lambda text: text.rstrip().removesuffix("end"),
    "comments": lambda text: (
        "// made by hand\n"
        + text.replace("end\n", "end // so\n")
        .replace("time 0", "time 0 // first")
        .replace('"pelvis" -1', '"pelvis" -1 // root')
        .replace("nodes\n", "nodes\n# bones\n; more\n")
    ),
    "comments after vertices": lambda text: text.replace("0 0 1 0 0\n", "0 0 1 0 0 // corner\n"),
    "upper case": lambda text: (
        text.replace("nodes", "NODES").replace("time", "TIME").replace("end", "END")
    ),
    "byte order mark": lambda text: "\ufeff" + text,
    "UTF-16": lambda text: text.encode("utf-16"),
    "end of text marks": lambda text: text + "\x1a\x00",
    "decimal commas": lambda text: text.replace("0.", "0,"),
    "sections of others": lambda text: text.replace(
        "triangles", "attachments\n0 1 2\nend\ntriangles"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_form_does_not_matter(load, form):
    plain, other = load(BONES + FRAME + TRIANGLE), load(FORMS[form](BONES + FRAME + TRIANGLE))
    assert other.skeleton == plain.skeleton
    assert other.meshes == plain.meshes


@pytest.mark.parametrize("name", ["a // b", "a # b", "; c", 'say "hi"', "Bip01 L Hand"])
def test_bone_names_may_hold_anything(load, name):
    character = load((BONES + FRAME).replace('"upper leg"', f'"{name}"'))
    assert character.skeleton.names[1] == name


def test_material_names_may_hold_marks(load):
    for name in ("#metal", ";x", "a b c", "2 tone.bmp"):
        character = load(BONES + FRAME + TRIANGLE.replace("skin one.bmp", name))
        assert character.meshes[0].name == name


def test_ids_need_not_be_contiguous_nor_sorted_and_roots_many(load):
    text = """version 1
nodes
7 "hand" 3
3 "arm" -1
20 "other" -1
end
skeleton
time 0
3 1 0 0 0 0 0
7 2 0 0 0 0 0
20 0 9 0 0 0 0
end
"""
    skeleton = load(text).skeleton
    assert skeleton.parent("hand") == "arm"
    assert np.allclose(skeleton.rest.position("hand"), (3, 0, 0))
    assert np.allclose(skeleton.rest.position("other"), (0, 9, 0))
    assert [node.name for node in skeleton.nodes] == ["hand", "arm", "other"]


ANIMATION = BONES + """skeleton
time 0
0 0 0 10 0 0 0
1 1 2 3 0 0 0
2 0 0 -5 0 0 0
time 1
1 1 2 3 0 0 1.5707963267948966
time 2
0 0 0 11 0 0 1
time 5
2 0 0 -6 0 0 0
end
"""  # fmt: skip


def test_omitted_bones_stay_as_they_were_and_gaps_are_kept(load):
    character = load(ANIMATION, fps=10)
    motion = character.motion("hero")
    assert motion.times.tolist() == [0, 0.1, 0.2, 0.5]
    assert np.allclose(motion.poses.translations[:, 0, 2], (10, 10, 11, 11))
    assert np.allclose(motion[1].position("foot"), (1, 2, 8))
    assert np.allclose(to_matrix(motion[2].local_rotations[1])[:2, :2], [[0, -1], [1, 0]])
    said = warnings(character)
    assert any("omit bones" in text for text in said)
    assert any("not one apart" in text for text in said)


def test_the_root_is_unturnable_by_ik_but_turned_by_motions(load):
    character = load(ANIMATION)
    assert not any(name.startswith("pelvis") for name in character.skeleton.freedoms)
    assert np.allclose(character.motion("hero")[2].local_rotations[0], from_euler("z", (1.0,)))
    pose = character.motion("hero")[2]
    answer = supple.solve(character.skeleton, {"foot": (3, 0, 10)}, start=pose)
    assert np.allclose(answer.pose.local_rotations[0], pose.local_rotations[0])
    free = load(ANIMATION, turnable_root=True)
    assert free.skeleton.joints[0] == Ball()
    assert np.allclose(
        free.motion("hero").poses.positions, character.motion("hero").poses.positions
    )


def test_animations_are_matched_to_their_reference_by_name(load, tmp_path):
    other = """version 1
nodes
0 "foot" 1
1 "upper leg" 5
5 "pelvis" -1
9 "tail" 5
end
skeleton
time 0
5 0 0 20 0 0 0
1 1 2 4 0 0 0
0 0 0 -7 0 0 0
9 0 0 0 0 0 0
time 1
5 0 0 21 0 0 0
end
"""
    (tmp_path / "walk.smd").write_text(other)
    character = load(BONES + FRAME + TRIANGLE, motions=[tmp_path / "walk.smd"])
    walk = character.motion("walk")
    assert walk.skeleton == character.skeleton
    # Every bone stands where the animation has it, not where the reference does.
    assert np.allclose(walk[0].position("foot"), (1, 2, 17))
    assert np.allclose(walk[1].position("pelvis"), (0, 0, 21))
    assert any("'tail'" in text for text in warnings(character))
    again = load(BONES + FRAME + TRIANGLE, motions=[tmp_path / "walk.smd"] * 2)
    assert list(again.motions) == ["walk", "walk 2"]


def test_the_image_beside_the_file_is_the_texture(load, tmp_path):
    (tmp_path / "skin one.png").write_bytes(b"\x89PNG...")
    material = load(BONES + FRAME + TRIANGLE).meshes[0].material
    assert material.texture.name == "skin one.png"
    assert material.texture.data == b"\x89PNG..."
    assert material.texture.mime == "image/png"


def test_a_first_frame_that_omits_bones(load):
    character = load(BONES + FRAME.replace("2 0 0 -5 0 0.5 0\n", ""))
    assert np.allclose(character.skeleton.offsets[2], 0)
    assert any("first frame omits 1" in text for text in warnings(character))


def test_values_that_are_no_numbers(load):
    character = load(ANIMATION.replace("1 1 2 3 0 0 1.57", "1 1 nan 3 0 0 1.57"))
    plain = load(ANIMATION)
    assert len(character.motion("hero")) == len(plain.motion("hero"))
    assert any("no numbers" in text for text in warnings(character))
    broken = load(BONES + FRAME + TRIANGLE.replace("0 0 1 1 0.25", "-1.#IND 0 1 nan 0.25"))
    mesh = broken.meshes[0]
    assert mesh.normals[1].tolist() == [0.0, 0.0, 1.0]
    assert mesh.texcoords[1].tolist() == [0.0, 0.75]
    assert any(":16: " in str(note) for note in broken.notes if note.level == "warning")


def test_weights_below_zero_are_none(load):
    character = load(vertex(" 2 1 1.5 2 -0.5"))
    skin = character.meshes[0].skin
    assert skin.joint[: skin.first[1]].tolist() == [1]
    assert any("below 0" in text for text in warnings(character))


def test_a_blank_line_for_a_material(load):
    two = TRIANGLE.replace("end\n", TRIANGLE.removeprefix("triangles\nskin one.bmp"))
    character = load(BONES + FRAME + two)
    assert [mesh.name for mesh in character.meshes] == ["skin one.bmp", "unnamed"]
    assert any("no material" in text for text in warnings(character))


def test_frames_out_of_order_and_twice(load):
    swapped = (
        ANIMATION.replace("time 1", "time x")
        .replace("time 2", "time 1")
        .replace("time x", "time 2")
    )
    character = load(swapped)
    assert character.motion("hero").times[1] == pytest.approx(1 / 30)
    assert any("do not rise" in text for text in warnings(character))
    twice = load(ANIMATION.replace("time 2", "time 1"))
    assert len(twice.motion("hero")) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", ":1: not an SMD"),
        ("version one\n", "'one'"),
        ("version 1\n", "nodes"),
        ("version 1\nnodes\nend\n", "at least one bone"),
        (BONES.replace('0 "pelvis" -1', '0 "pelvis"'), ":3: expected ID"),
        (BONES.replace('"foot" 1', '"foot" 9'), ":5: .*parent.*9"),
        (BONES.replace('2 "foot"', '1 "foot"'), ":5: bone 1"),
        (BONES.replace('"pelvis" -1', '"pelvis" 2'), "cycle"),
        (BONES + FRAME.replace("2 0 0 -5", "8 0 0 -5"), ":11: .*bone.*8"),
        (BONES + FRAME.replace("2 0 0 -5 0 0.5 0", "2 0 0 -5 0"), ":11: .*got 5 numbers"),
        (BONES + FRAME.replace("-5", "low"), ":11: expected a number, got 'low'"),
        (BONES + FRAME + TRIANGLE.replace("2 0 1 10", "2 0 nan 10"), ":17: expected finite"),
        (vertex(" 1 1 nan"), ":15: expected bones with weights"),
        (BONES + FRAME.replace("time 0", "time now"), ":8: .*time"),
        (BONES + FRAME.replace("time 0\n", ""), ":8: expected time"),
        (BONES + FRAME + TRIANGLE.replace("2 0 1 10 0 0 1 0 1\n", ""), "cut off"),
        (
            BONES + FRAME + TRIANGLE.replace("2 0 1 10 0 0 1 0 1", "2 0 1 10"),
            ":17: expected a vertex",
        ),
        (BONES + FRAME + TRIANGLE.replace("2 0 1 10", "6 0 1 10"), ":17: .*bone.*6"),
        (vertex(" 3 1 1.0"), ":15: expected 3 bones"),
        (vertex(" 1.5 1 1.0"), "links"),
        (vertex(" 99999999999 1 1.0"), "links"),
        (BONES + FRAME + "vertexanimation\ntime 0\nend\n", ":13: .*VTA"),
        (BONES + BONES, "twice"),
        (BONES + "noodles\n", ":7: .*'noodles'"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(load, text, message):
    with pytest.raises(SuppleError, match=message) as caught:
        load(text)
    assert "hero.smd" in str(caught.value)


def test_a_vta_file_alone_is_refused_with_what_to_do(load):
    with pytest.raises(SuppleError, match=r"VTA.*shapes='face.vta'"):
        load(
            BONES + "skeleton\ntime 0\ntime 1\nend\nvertexanimation\ntime 0\n0 1 2 3 0 0 1\nend\n",
            "face.vta",
        )


def test_a_bare_skeleton_stands_at_the_origin(load):
    character = load(BONES)
    assert np.allclose(character.skeleton.offsets, 0)
    assert warnings(character)
    assert math.isclose(character.motion("hero").fps, 30)


def test_unit_and_up_are_guessed_and_can_be_said(load):
    character = load(BONES + FRAME)
    assert character.up == "z"
    tall = BONES.replace("pelvis", "head") + FRAME.replace("0 0 0 10 ", "0 0 70 0 ")
    assert load(tall.replace("0 0 -5", "0 -66 0")).up == "y"
    assert load(tall.replace("0 0 -5", "0 -66 0")).unit == "inch"
    assert load(BONES + FRAME, unit="cm", up="y").unit == "cm"
    bat = BONES.replace("foot", "tip") + FRAME.replace("0 0 -5", "0 0 -66")
    assert load(bat).unit is None  # nobody knows how large a bat is
