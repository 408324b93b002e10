"""File functions: fileSearch, readTextFile, imageInfo, ..."""

import os
import struct

import pytest

import supple

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 320) + b"\x08\x02\0\0\0"
# A segment to skip, a fill byte, then the frame: height 30, width 20.
JPEG = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc0\0\x11\x08" + struct.pack(">HH", 30, 20) + b"\x03"
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture
def ask(tmp_path):
    """Print the value of an expression in rules with files beside them."""
    folder = tmp_path / "town"
    (folder / "trees/old").mkdir(parents=True)
    for name in ("oak", "elm", "ash"):
        (folder / f"trees/{name}.obj").write_text(TRIANGLE)
    (folder / "trees/old/yew.obj").write_text(TRIANGLE)
    (folder / "wide.png").write_bytes(PNG)
    (folder / "high.jpg").write_bytes(JPEG)
    (folder / "names.txt").write_text("Ada;Grace\nEmmy", encoding="utf-8")
    (folder / "latin.txt").write_bytes("Kühtreiber".encode("latin-1"))
    (tmp_path / "secret.txt").write_text("outside")

    def say(expression: str, seed: int = 0) -> str:
        path = folder / "rules.cga"
        path.write_text(f"Lot --> print({expression}) A")
        return supple.grow(path, seed=seed).printed[0]

    return say


def test_files_are_found_by_pattern_in_the_order_of_their_names(ask) -> None:
    assert ask('fileSearch("trees/*.obj")') == "trees/ash.obj;trees/elm.obj;trees/oak.obj;"
    assert ask('listSize(fileSearch("trees/**/*.obj"))') == "4"
    assert ask('fileSearch("*.fbx")') == ""
    assert ask('fileExists("trees/oak.obj")') == "true"
    assert ask('fileExists("trees/fir.obj")') == "false"
    assert ask('fileExists("trees")') == "false"


def test_a_random_file_is_the_same_for_the_same_seed(ask) -> None:
    found = {ask('fileRandom("trees/*.obj")', seed) for seed in range(12)}
    assert found == {"trees/ash.obj", "trees/elm.obj", "trees/oak.obj"}
    assert ask('fileRandom("trees/*.obj")', 3) == ask('fileRandom("trees/*.obj")', 3)
    assert ask('fileRandom("*.fbx")') == ""


def test_a_file_that_was_found_can_be_inserted(ask, tmp_path) -> None:
    path = tmp_path / "town/plant.cga"
    path.write_text('Lot --> i(fileRandom("trees/*.obj"))')
    assert len(supple.grow(path, size=(1, 1, 1)).meshes()[0].faces) == 1


def test_texts_and_images(ask) -> None:
    assert ask('len(readTextFile("names.txt"))') == "14"
    assert ask('splitString(readTextFile("names.txt"), "\\n")[1]') == "Emmy"
    assert ask('size(splitString("a,b,c", ","))') == "3"
    assert ask('imageInfo("wide.png", sx)') == "640"
    assert ask('imageInfo("wide.png", ratio)') == "2"
    assert [ask(f'imageInfo("high.jpg", {which})') for which in ("sx", "sy")] == ["20", "30"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('fileExists("../secret.txt")', "the file '../secret.txt' is outside the rule file's folder"),
        ('fileSearch("../*.txt")', "the files '../*.txt' is outside the rule file's folder"),
        ('fileSearch("/etc/*")', "is outside the rule file's folder"),
        ('fileSearch("trees/../../*")', "is outside the rule file's folder"),
        ('readTextFile("../secret.txt")', "is outside the rule file's folder"),
        ('readTextFile("none.txt")', "there is no file 'none.txt' below"),
        ('readTextFile("latin.txt")', "the file 'latin.txt': expected UTF-8 text"),
        ('imageInfo("names.txt", sx)', "expected a PNG or JPEG file, got other bytes"),
        ('imageInfo("wide.png", depth)', "imageInfo: expected one of sx, sy, ratio, got depth"),
        ("fileSearch(3)", "expected a string, got a number, 3"),
        ('fileSearch("")', "expected a pattern such as"),
        ("fileExists", "'fileExists' is a function: expected its arguments"),
    ],
)  # fmt: skip
def test_refused_file_functions_name_the_reason_and_position(ask, expression, message) -> None:
    with pytest.raises(supple.SuppleError) as caught:
        ask(expression)
    assert message in str(caught.value) and "rules.cga:1:" in str(caught.value), caught.value


def test_links_that_lead_outside_are_not_followed(ask, tmp_path) -> None:
    os.symlink(tmp_path / "secret.txt", tmp_path / "town/link.txt")
    assert "link.txt" not in ask('fileSearch("*.txt")')
    with pytest.raises(supple.SuppleError, match="outside"):
        ask('readTextFile("link.txt")')


def test_rules_given_as_text_have_no_files(refused) -> None:
    assert "rules given as text have no folder" in refused('Lot --> print(fileSearch("*")) A')
