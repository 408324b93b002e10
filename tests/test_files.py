"""Writing files: whole or not at all, where the path says, with the rights that were there."""

import os
import stat

import pytest

import supple
from supple import SuppleError
from supple.files import as_path, check_writable, read_json, remove_parts, write

posix = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_mode_that_any_other_has(tmp_path):
    (tmp_path / "plain").write_text("")
    write(tmp_path / "new", "text", "file")
    assert (tmp_path / "new").read_text() == "text"
    assert mode(tmp_path / "new") == mode(tmp_path / "plain")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "plain"]


@posix
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_of_a_file_stays(tmp_path, bits):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(bits)
    write(path, b"new", "file")
    assert path.read_bytes() == b"new" and mode(path) == bits


@posix
def test_what_is_secret_is_so_while_it_is_written(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o600)
    seen = []
    replace = os.replace

    def spy(old, new):
        seen.append(mode(tmp_path / old))
        replace(old, new)

    monkeypatch.setattr(os, "replace", spy)
    write(path, "secret", "file")
    assert seen == [0o600]


@posix
def test_a_link_stays_and_its_target_is_written(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    (there / "real.bvh").write_text("old")
    (there / "real.bvh").chmod(0o600)
    link, far = tmp_path / "link.bvh", tmp_path / "far.bvh"
    link.symlink_to("there/real.bvh")
    far.symlink_to("link.bvh")
    for path in (link, far):
        write(path, path.name, "file")
        assert path.is_symlink()
        assert (there / "real.bvh").read_text() == path.name
        assert mode(there / "real.bvh") == 0o600
    assert [path.name for path in there.iterdir()] == ["real.bvh"]


@posix
def test_a_link_to_nothing_makes_its_target(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("new")
    write(link, "text", "file")
    assert link.is_symlink() and (tmp_path / "new").read_text() == "text"
    (tmp_path / "lost").symlink_to("no/such/folder/file")
    with pytest.raises(SuppleError, match="lost: there is no folder"):
        write(tmp_path / "lost", "text", "file")


@posix
def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SuppleError, match="a: .*link"):
        write(tmp_path / "a", "text", "file")


@posix
def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SuppleError, match="pipe: expected a regular file .*figure"):
        check_writable(tmp_path / "pipe", "figure")
    with pytest.raises(SuppleError, match="pipe: expected a regular file"):
        write(tmp_path / "pipe", "text", "file")
    assert (tmp_path / "pipe").is_fifo()


@posix
def test_a_gltf_behind_a_link_has_its_buffer_beside_it(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.gltf").symlink_to("there/real.gltf")
    mesh = supple.Mesh("m", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    supple.save(supple.Character(supple.chain([1]), (mesh,)), tmp_path / "link.gltf")
    for path in ("link.gltf", "there/real.gltf"):
        assert len(supple.load(tmp_path / path).meshes) == 1
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["real.bin", "real.gltf"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SuppleError, match="a: cannot write the trace: No space left"):
        write(path, "new", "trace")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_names_as_long_as_the_system_allows_are_written(tmp_path):
    path = tmp_path / ("\N{SNOWMAN}" * 85)  # 255 bytes
    write(path, "one", "text")
    write(path, "two", "text")
    assert path.read_text() == "two" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(SuppleError, match="with a name of 256, which is too long"):
        write(tmp_path / ("a" * 256), "one", "text")


def test_parts_that_a_killed_process_left_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda old, new: None)  # ended before it renames
    for name in ("clip.bvh", "clap.bvh"):
        write(tmp_path / name, "half", "clip")
    remove_parts([tmp_path / "clip.bvh", tmp_path / "none" / "clip.bvh"])
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".clap.bvh.") and left.name.endswith(".part")


def test_parts_that_another_process_removes_first_do_not_keep_the_others(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda old, new: None)
        for process in range(3):
            patched.setattr(os, "getpid", lambda process=process: 1000 + process)
            write(tmp_path / "clip.bvh", "half", "clip")
    unlink, tried = os.unlink, []

    def late(path):
        tried.append(path)
        unlink(path)
        if len(tried) == 1:
            raise FileNotFoundError(path)

    assert len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr(os, "unlink", late)
    remove_parts([tmp_path / "clip.bvh"])
    assert len(tried) == 3 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{\n\n'x'", r"a\.json:3: not JSON: "),
        (b"\xff\xfe", r"a\.json: not JSON: not a text file"),
        (b"[" * 100_000, r"a\.json: not JSON that can be read: nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", r"a\.json: not JSON that can be read: .*digits"),
    ],
)
def test_what_is_no_json_is_said(data, words, tmp_path):
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(SuppleError, match=words):
        read_json(tmp_path / "a.json")


def test_paths_that_no_system_has_are_refused_briefly():
    for path in ("a" * 5000, "/".join(["b" * 200] * 40)):
        with pytest.raises(SuppleError, match="bytes") as caught:
            as_path("folder", path)
        assert len(str(caught.value)) < 300
