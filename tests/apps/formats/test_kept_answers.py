"""The cache of answers of isolated processes: never wrong, never required, never too large."""

import os
import stat

import pytest

import supple
from supple.apps.formats import kept_answers
from supple.apps.formats.mjcf import compiling

pytest.importorskip("mujoco")

ROBOT = """<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body name="b"><joint name="j"/>
  <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
MESH = "v 0 0 0\nv {} 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_answers.user_cache, "home", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "models"


@pytest.fixture
def robot(tmp_path, folder):
    (tmp_path / "robot.xml").write_text(ROBOT)
    (tmp_path / "m.obj").write_text(MESH.format(1))
    return tmp_path / "robot.xml"


@pytest.fixture
def runs(monkeypatch):
    """The jobs that were done by a process."""
    jobs = []

    def run(*given, **named):
        jobs.append(given)
        return original(*given, **named)

    original = compiling.run
    monkeypatch.setattr(compiling, "run", run)
    return jobs


def test_the_same_model_is_compiled_once(robot, runs, folder):
    first = supple.load(robot)
    assert supple.load(robot).skeleton == first.skeleton
    assert len(runs) == 1
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_whatever_changes_is_compiled_anew(robot, runs, tmp_path, monkeypatch):
    before = supple.load(robot).skeleton.masses["j"].mass
    (tmp_path / "m.obj").write_text(MESH.format(2))
    assert supple.load(robot).skeleton.masses["j"].mass == pytest.approx(2 * before)
    robot.write_text(ROBOT.replace('name="j"', 'name="k"'))
    assert "k" in supple.load(robot).skeleton
    monkeypatch.setattr(compiling, "_version", lambda changed: "another")
    supple.load(robot)
    assert len(runs) == 4


def test_a_damaged_answer_is_not_used(robot, runs, folder):
    good = supple.load(robot).skeleton
    (path,) = folder.iterdir()
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[:-9] + b"x" + content[-8:], b"\0" * len(content)):
        path.write_bytes(damaged)
        assert kept_answers.kept(path.stem) is None
    path.write_bytes(kept_answers.hashlib.sha256(b"x").digest() + b"x")  # whole, but no arrays
    assert supple.load(robot).skeleton == good
    assert len(runs) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_folder_that_others_can_write_to_is_not_used(robot, runs, folder):
    supple.load(robot)
    folder.chmod(0o777)
    supple.load(robot)
    assert len(runs) == 2


def test_no_folder_is_needed(robot, runs, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert "j" in supple.load(robot).skeleton
    assert "j" in supple.load(robot).skeleton
    assert len(runs) == 2


def test_models_that_are_refused_are_not_kept(robot, folder):
    robot.write_text("<mujoco><worldbody><body/><bod/></worldbody></mujoco>")
    with pytest.raises(supple.SuppleError, match="MuJoCo refuses"):
        supple.load(robot)
    assert not folder.exists() or not list(folder.iterdir())


def test_the_oldest_go_when_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(kept_answers, "MOST_ANSWERS", 3)
    for k in range(5):
        kept_answers.keep(f"{k}", b"answer")
        os.utime(folder / f"{k}.bin", (k, k))
        if k == 3:
            assert kept_answers.kept("1") == b"answer", "used: the last to go now"
    assert {path.stem for path in folder.iterdir()} == {"4", "1", "3"}
    monkeypatch.setattr(kept_answers, "MOST_BYTES", 100)
    kept_answers.keep("5", b"x" * 50)
    assert {path.stem for path in folder.iterdir()} <= {"5", "1"}
    monkeypatch.setattr(kept_answers, "LARGEST_ANSWER", 10)
    kept_answers.keep("6", b"x" * 50)
    assert kept_answers.kept("6") is None


def test_names_tell_where_a_part_ends():
    assert kept_answers.name_of([b"ab", b"c"]) != kept_answers.name_of([b"a", b"bc"])
