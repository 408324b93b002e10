"""Polygons of OBJ files."""

import os

import pytest

from supple.apps.formats.obj.read import read_obj
from supple.errors import SuppleError


def test_points_and_polygons(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("# x\nf 1 2 3\nv 0 0 0 1\r\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2//1 -1\n")
    points, faces = read_obj(path)
    assert points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert faces == [(0, 1, 2), (0, 1, 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 nan 0\n", r"a\.obj:1: expected a point"),
        ("v 0 0 1e999\n", r"a\.obj:1: expected a point"),
        ("v 0 0\n", r"a\.obj:1: expected a point"),
        ("v 0 0 0\n\nf 1 1 2\n", r"a\.obj:3: expected points 1 to 1 for a face, got 2"),
        (f"v 0 0 0\nf 1 1 {'9' * 30}\n", r"a\.obj:2: expected points 1 to 1 for a face"),
        ("v 0 0 0\nf 1 1 0\n", r"a\.obj:2: expected a point or a face"),
        ("v 0 0 0\nf 1 1 -2\n", r"a\.obj:2: expected a point or a face"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, words, tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(text)
    with pytest.raises(SuppleError, match=words):
        read_obj(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.obj")
    with pytest.raises(SuppleError, match="expected a regular file, got a pipe"):
        read_obj(tmp_path / "a.obj")
