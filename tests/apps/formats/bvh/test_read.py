"""Read BVH, in all variants that real files have."""

import math

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Fixed, SuppleError

HEAD = """HIERARCHY
ROOT Hips
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Chest
\t{
\t\tOFFSET 0 10 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 5 0
\t\t}
\t}
}
"""
MOTION = """MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 0 0 0 0 0 0
1 2 3 90 0 0 0 0 90
"""


@pytest.fixture
def load(tmp_path):
    def read(text, name="clip.bvh", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return supple.load(path, **options)

    return read


def only(character):
    return next(iter(character.motions.values()))


def warnings(character):
    return [note.text for note in character.notes if note.level == "warning"]


def turn(letter, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[letter]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def test_skeleton_motion_and_end_site(load):
    character = load(HEAD + MOTION)
    skeleton = character.skeleton
    assert skeleton.names == ("Hips", "Chest", "Chest end")
    assert skeleton.joints == (Ball(), Ball())
    motion = only(character)
    assert motion.name == "clip"
    assert len(motion) == 2
    assert motion.fps == pytest.approx(30.00003)
    assert np.allclose(motion[0].position("Chest end"), (1, 17, 3))
    # Turned by 90 degrees about z, the chest is at -x of the hips.
    assert np.allclose(motion[1].position("Chest"), (-9, 2, 3))
    assert not warnings(character)


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "ZXZ"])
def test_channels_multiply_from_left_to_right_in_each_joints_own_order(load, order):
    names = " ".join(f"{letter}rotation" for letter in order)
    text = HEAD.replace("3 Zrotation Xrotation Yrotation", f"3 {names}")
    text += "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 10 20 30 40 50 60\n"
    pose = only(load(text))[0]
    hips = turn("Z", 10) @ turn("X", 20) @ turn("Y", 30)
    chest = hips @ turn(order[0], 40) @ turn(order[1], 50) @ turn(order[2], 60)
    assert np.allclose(pose.position("Chest"), hips @ (0, 10, 0))
    assert np.allclose(pose.position("Chest end"), hips @ (0, 10, 0) + chest @ (0, 5, 0))


def test_rotations_may_come_before_positions(load):
    text = HEAD.replace(
        "Xposition Yposition Zposition Zrotation Xrotation Yrotation",
        "Zrotation Xrotation Yrotation Xposition Yposition Zposition",
        1,
    )
    text += "MOTION\nFrames: 1\nFrame Time: 0.1\n90 0 0 1 2 3 0 0 0\n"
    assert np.allclose(only(load(text))[0].position("Chest"), (-9, 2, 3))


FORMS = {
    "unix": lambda text: text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "old mac": lambda text: text.replace("\n", "\r"),
    "mixed ends": lambda text: text.replace("\n", "\r\n", 9),
    "no final newline": lambda text: text.rstrip(),
    "blank lines": lambda text: text.replace("\n", "\n\n \n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "braces on the line": lambda text: text.replace("\n{", " {").replace("\n\t{", "{"),
    "upper case": lambda text: text.replace("End Site", "END SITE").replace("Frames", "FRAMES"),
    "lower case": lambda text: text.lower(),
    "one statement after the other": lambda text: (
        " ".join(text.split("MOTION")[0].split())
        .replace("JOINT Chest {", "JOINT Chest\n{")
        .replace("ROOT Hips {", "ROOT Hips\n{")
        + "\nMOTION"
        + text.split("MOTION")[1]
    ),
    "trailing blanks": lambda text: text.replace("\n", "  \n"),
    "end of text marks": lambda text: text + "\x1a\x00",
    "comments": lambda text: "# by hand\n" + text.replace("{", "{ // so"),
    "EndSite": lambda text: text.replace("End Site", "EndSite"),
    "End Sites with a count": lambda text: text.replace("5 0\n", "5 0\nCHANNELS 0\n"),
    "commas between numbers": lambda text: text.replace("1 2 3 90 0 0", "1, 2, 3.0, 90, 0,0"),
    "signs and exponents": lambda text: text.replace("1 2 3 90", "+1. 2e0 .3E+1 9.0e1"),
}


@pytest.mark.parametrize("form", FORMS)
def test_form_does_not_matter(load, form):
    character = load(FORMS[form](HEAD + MOTION))
    motion = only(character)
    assert len(motion) == 2
    assert np.allclose(motion.poses.positions[1, 1], (-9, 2, 3))
    assert not warnings(character)


@pytest.mark.parametrize(
    "name",
    [
        "Left Arm",
        "mixamorig:Hips",
        "ROOT",
        "End",
        "End Site",
        "joint_1",
        "JOINT",
        "MOTION",
        "Bücken",
    ],
)
def test_names_may_hold_anything(load, name):
    character = load((HEAD + MOTION).replace("JOINT Chest", f"JOINT {name}"))
    assert character.skeleton.joint_names == ("Hips", name)
    assert f"{name} end" in character.skeleton


def test_names_in_another_encoding_are_read_too(load):
    character = load((HEAD + MOTION).replace("Chest", "Br\u00fcst").encode("latin-1"))
    assert character.skeleton.joint_names[1] == "Br\u00fcst"


def test_names_in_shift_jis_are_told_by_their_kana(load):
    character = load((HEAD + MOTION).replace("Chest", "センター").encode("shift-jis"))
    assert character.skeleton.joint_names[1] == "センター"


ODD = {
    "UTF-16": (lambda text: text.encode("utf-16"), "UTF-16"),
    "decimal commas": (
        lambda text: (
            text.replace("0.0333", "0,0333")
            .replace("0 10 0", "0,0 10,0 0,0")
            .replace("1 2 3 90 0 0", "1,0 2,00 3 90,0 0 0")
        ),
        "decimal points",
    ),
    "too few channels declared": (lambda text: text.replace("CHANNELS 3", "CHANNELS 2"), "3 named"),
    "too many declared": (lambda text: text.replace("CHANNELS 3", "CHANNELS 6"), "3 named"),
    "a brace too many": (lambda text: text.replace("}\nMOTION", "}\n}\nMOTION"), "brace too many"),
    "no count of frames": (lambda text: text.replace("Frames: 2\n", ""), "rows are counted"),
}


@pytest.mark.parametrize("form", ODD)
def test_odd_forms_are_read_and_said_once(load, form):
    change, word = ODD[form]
    character = load(change(HEAD + MOTION))
    motion = only(character)
    assert len(motion) == 2
    assert motion.fps == pytest.approx(30.0, rel=1e-5)
    assert np.allclose(motion.poses.positions[1, 1], (-9, 2, 3))
    (said,) = warnings(character)
    assert word in said


def test_frames_a_second_can_be_said_in_place_of_the_frame_time(load):
    text = (HEAD + MOTION).replace("0.0333333", "30")
    character = load(text)
    assert only(character).fps == pytest.approx(1 / 30)
    assert any("fps=30" in note for note in warnings(character))
    assert only(load(text, fps=30)).fps == 30.0


def test_blank_and_double_names_are_changed_and_said(load):
    text = HEAD.replace("JOINT Chest", "JOINT Hips").replace("ROOT Hips", "ROOT ") + MOTION
    character = load(text)
    assert len(set(character.skeleton.names)) == 3
    assert "no name" in warnings(character)[0]


def test_joints_with_fewer_channels(load):
    text = HEAD.replace("3 Zrotation Xrotation Yrotation", "1 Xrotation", 1)
    character = load(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 450\n")
    assert character.skeleton.joints[1] == Axes("x")
    # A turn beyond 180 degrees survives where it is a number.
    assert only(character)[0].coordinates[-1] == pytest.approx(math.radians(450))
    none = load(HEAD.replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 0")
                + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n")  # fmt: skip
    assert none.skeleton.joints[1] == Fixed()
    missing = load(HEAD.replace("\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n", "")
                   + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n")  # fmt: skip
    assert missing.skeleton.joints[1] == Fixed()


def test_several_roots_and_no_end_site(load):
    one = "ROOT {}\n{{\nOFFSET {} 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}}\n"
    text = "HIERARCHY\n" + one.format("a", 1) + one.format("b", 2)
    character = load(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n")
    assert character.skeleton.parents.tolist() == [-1, -1]
    assert character.skeleton.tips == ()
    assert np.allclose(only(character)[0].positions, [(1, 0, 0), (2, 0, 0)])


SIX = HEAD.replace("3 Zrotation Xrotation Yrotation",
                   "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation")  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "values", "chest"),
    [
        ("replace", "7 8 9", (7, 8, 9)),
        ("add", "7 8 9", (7, 18, 9)),
        ("auto", "7 8 9", (7, 8, 9)),
        ("replace", "0 0 0", (0, 0, 0)),
        ("add", "0 0 0", (0, 10, 0)),
        ("auto", "0 0 0", (0, 10, 0)),
    ],
)
def test_position_channels_below_the_root(load, mode, values, chest):
    text = SIX + f"MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 {values} 0 0 0\n"
    character = load(text, position_mode=mode)
    assert np.allclose(only(character)[0].position("Chest"), chest)
    assert bool(warnings(character)) == (values == "0 0 0")


def test_position_channels_of_the_root_stand_in_place_of_its_offset(load):
    text = HEAD.replace("OFFSET 0 0 0", "OFFSET 5 5 5") + MOTION
    for mode in ("replace", "add", "auto"):
        assert np.allclose(only(load(text, position_mode=mode))[0].position("Hips"), (1, 2, 3))


def test_rows_count_and_a_wrong_number_of_frames_is_said(load):
    for said in (1, 7):
        character = load((HEAD + MOTION).replace("Frames: 2", f"Frames: {said}"))
        assert len(only(character)) == 2
        assert f"declares {said} frames, has 2" in warnings(character)[0]


def test_a_row_that_is_cut_off_is_left_out_and_said(load):
    character = load(HEAD + MOTION.replace("Frames: 2", "Frames: 3") + "1 2 3 4")
    assert len(only(character)) == 2
    assert any("4 of 9 numbers" in text for text in warnings(character))


def test_frames_may_be_wrapped_into_several_lines(load):
    text = HEAD + MOTION.replace("1 2 3 90 0", "1 2 3\n90 0")
    character = load(text)
    assert np.allclose(only(character)[1].position("Chest"), (-9, 2, 3))
    assert any("not one to a line" in text for text in warnings(character))


def test_numbers_beyond_the_channels_are_left_out_and_said(load):
    text = HEAD + MOTION.replace("0 0 0 0 0 0\n", "0 0 0 0 0 0 5\n").replace("0 90\n", "0 90 5\n")
    character = load(text)
    assert np.allclose(only(character)[1].position("Chest"), (-9, 2, 3))
    assert any("left out" in text for text in warnings(character))


def test_values_that_are_no_numbers_take_those_before(load):
    character = load(HEAD + MOTION.replace("1 2 3 90", "nan 2 -1.#IND 90"))
    assert np.allclose(only(character)[1].position("Hips"), (1, 2, 3))
    assert any("2 values are no numbers ('nan', '-1.#IND')" in one for one in warnings(character))


def test_what_is_no_number_is_said_as_the_file_has_it(load):
    character = load(HEAD + MOTION.replace("1 2 3 90", "inf inf -Infinity 90"))
    assert any("3 values are no numbers ('inf', '-Infinity')" in one for one in warnings(character))


def test_no_motion_and_no_frames(load):
    for text in (HEAD, HEAD + "MOTION\nFrames: 0\nFrame Time: 0.1\n"):
        character = load(text)
        assert not character.motions
        assert warnings(character)


def test_a_frame_time_of_zero_is_taken_as_a_thirtieth(load):
    character = load((HEAD + MOTION).replace("0.0333333", "0"))
    assert only(character).fps == 30
    assert any("Frame Time is 0" in text for text in warnings(character))


def test_unit_and_up_are_guessed_and_can_be_said(load):
    tall = HEAD.replace("OFFSET 0 10 0", "OFFSET 0 0 160").replace("Chest", "Head")
    text = tall.replace("\tJOINT Head", "\tJOINT Foot\n\t{\n\t\tOFFSET 0 0 -5\n\t}\n\tJOINT Head")
    character = load(text)
    assert (character.up, character.unit) == ("z", "cm")
    assert {note.level for note in character.notes} >= {"guess"}
    said = load(text, unit="m", up="y")
    assert (said.up, said.unit) == ("y", "m")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("HELLO\n", "HIERARCHY"),
        ("HIERARCHY\n", "expected a ROOT"),
        (HEAD[:37], "cut off"),
        (HEAD.replace("OFFSET 0 10 0", "OFFSET 0 ten 0"), r":8: OFFSET of 'Chest'.*'ten'"),
        (HEAD.replace("OFFSET 0 10 0", "OFFSET 0 inf 0"), r":8: .*'inf'"),
        (HEAD.replace("CHANNELS 3", "CHANNELS 4").replace("\t\tEnd", "\t\tEn"), ":10: .*'En'"),
        (HEAD.replace("OFFSET 0 5 0", "OFFSET 0 5 0\nCHANNELS 1 Xrotation"), ":13: .*End Site"),
        (HEAD.replace("CHANNELS 3", "CHANNELS -3"), "count"),
        (HEAD.replace("Zrotation Xrotation Yrotation\n\t\tEnd", "Zrot X Y\n\t\tEnd"), "'Zrot'"),
        (HEAD.replace("JOINT", "JONT"), "'JONT'"),
        (HEAD + "MOTION\nFrames: two\n", "'two'"),
        (HEAD + "MOTION\nFrames: 1e30\n", "1e30"),
        (HEAD + "MOTION\nFrames: 1e999\n", "1e999"),
        (HEAD + "MOTION\nFrames: 2\nFrame Time: -1\n", "seconds"),
        (HEAD + "MOTION\n", "Frames"),
        (HEAD + "MOTION\nFrames: 2\nFrame Time: 0.1\n", "cut off"),
        (HEAD + MOTION + "1 2 x\n", r":21: expected a number, got 'x'"),
        (
            HEAD + MOTION + "1 2\n" + "1 2 3 4 5 6 7 8 9\n",
            r":21: frame 2: expected 9 numbers, got 2",
        ),
        (HEAD + MOTION + "1 2 3 4 5 6 7 8 1e999\n", "1e999"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(load, text, message):
    with pytest.raises(SuppleError, match=message) as caught:
        load(text)
    assert "clip.bvh" in str(caught.value)


def test_an_unknown_mode_names_the_others(load):
    with pytest.raises(SuppleError, match="replace"):
        load(HEAD + MOTION, position_mode="repalce")
    with pytest.raises(SuppleError, match="position_mode"):
        load(HEAD + MOTION, position_mod="add")
