"""`supple lint`."""

import pytest

GOOD = """HIERARCHY
ROOT Foot
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Head
{
OFFSET 0 1.5 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
0 0 0 10 0 0 0 0 0
"""


@pytest.fixture
def write(tmp_path):
    def put(text):
        path = tmp_path / "clip.bvh"
        path.write_text(text)
        return path

    return put


def test_a_good_file_has_nothing_odd(run, write):
    result = run("lint", write(GOOD))
    assert result.exit_code == 0
    assert "nothing odd" in result.stdout


def test_what_is_odd_ends_with_1(run, run_json, write):
    path = write(GOOD.replace("Frames: 2", "Frames: 9").replace("0 0 0 10", "0 0 0 170"))
    result = run("lint", path)
    assert result.exit_code == 1
    assert "declares 9 frames" in result.stdout
    assert "'Foot' after frame 0" in result.stdout
    code, data = run_json("lint", path)
    assert code == 1
    assert [one["kind"] for one in data["findings"]] == ["reader", "jumps"]


def test_what_cannot_be_read_ends_with_2(run, write):
    assert run("lint", write("HIERARCHY")).exit_code == 2
