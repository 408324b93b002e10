"""Untrusted files: an error with its reason, soon and with little memory."""

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.counting import lines_run

import supple
from supple import SuppleError
from supple.apps.formats import source as source_module
from supple.apps.formats.smd.read import read as read_smd
from supple.apps.formats.source import Source

BVH = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
1 2 3 0 0 0 0 0 0
1 2 3 90 0 0 0 0 90
1 2 3 90 1e-3 -.5 0 0 90
"""
SMD = b"""version 1
nodes
0 "pelvis" -1
1 "upper leg" 0
end
skeleton
time 0
0 0 0 10 0 0 0
1 1 2 3 0.1 0.2 0.3
time 1
1 1 2 3 0 0 0
end
triangles
skin one.bmp
0 0 0 10 0 0 1 0 0 1 1 1.0
1 1 0 10 0 0 1 1 0.25 2 0 0.5 1 0.5
1 0 1 10 0 0 1 0 1
end
"""
VTA = b"""version 1
nodes
0 "pelvis" -1
end
skeleton
time 0
time 1 # smile
end
vertexanimation
time 0
0 0 0 10 0 0 1
1 1 0 10 0 0 1
2 0 1 10 0 0 1
time 1 # smile
1 1 0 12 0 1 0
end
"""
SEEDS = {"bvh": BVH, "smd": SMD}
WORDS = [b"HIERARCHY", b"ROOT", b"JOINT", b"End Site", b"OFFSET", b"CHANNELS", b"MOTION", b"Frames:",
         b"Frame Time:", b"{", b"}", b"nodes", b"skeleton", b"triangles", b"end", b"time", b"//", b'"',
         b"1e999", b"-1", b"nan", b"99999999999999999999", b"\n", b"\r", b"\x00", b"\xff", b"0"]  # fmt: skip


def read(path, data, kind):
    """Load bytes: a character, or a SuppleError; anything else is a crash."""
    path.write_bytes(data)
    try:
        return supple.load(path, format=kind)
    except SuppleError as error:
        assert path.name in str(error)
        assert len(str(error)) < 2000
        return None


@pytest.mark.parametrize(
    ("kind", "old", "line"),
    [
        ("bvh", b"OFFSET 0 10 0", 8),
        ("bvh", b"1 2 3 90 0", 20),
        ("bvh", b"Time: 0.0333333", 18),
        ("smd", b"0 0 0 10 0 0 0", 8),
        ("smd", b"0 0 0 10 0 0 1 0 0 1", 15),
    ],
)
@pytest.mark.parametrize("number", [b"1e308", b"-9e99", b"1" + b"0" * 40])
def test_numbers_whose_squares_overflow_are_refused_with_their_line(
    kind, old, line, number, tmp_path
):
    words = old.split()
    text = SEEDS[kind].replace(old, b" ".join([*words[:1], number, *words[2:]]))
    (tmp_path / f"a.{kind}").write_bytes(text)
    with pytest.raises(SuppleError, match=rf"a\.{kind}:{line}: .*expected"):
        supple.load(tmp_path / f"a.{kind}")


def test_a_frame_time_without_a_frame_rate_is_refused(tmp_path):
    (tmp_path / "a.bvh").write_bytes(BVH.replace(b"0.0333333", b"1e-320"))
    with pytest.raises(SuppleError, match=r"a\.bvh:18: Frame Time"):
        supple.load(tmp_path / "a.bvh")


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_changed_shapes_load_or_say_why(data, tmp_path):
    (tmp_path / "a.smd").write_bytes(SMD)
    text = VTA
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        size = data.draw(st.integers(0, 8))
        piece = data.draw(st.one_of(st.sampled_from(WORDS), st.binary(max_size=6)))
        text = text[:at] + piece + text[at + size :]
    (tmp_path / "face.vta").write_bytes(text)
    try:
        supple.load(tmp_path / "a.smd", shapes=tmp_path / "face.vta")
    except SuppleError as error:
        assert "face.vta" in str(error)


@pytest.mark.parametrize("kind", SEEDS)
def test_a_file_cut_off_anywhere_loads_or_says_why(kind, tmp_path):
    seed = SEEDS[kind]
    for stop in range(len(seed)):
        read(tmp_path / f"cut.{kind}", seed[:stop], kind)


@pytest.mark.parametrize("kind", SEEDS)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_changed_files_load_or_say_why(kind, data, tmp_path):
    text = SEEDS[kind]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        size = data.draw(st.integers(0, 8))
        piece = data.draw(st.one_of(st.sampled_from(WORDS), st.binary(max_size=6)))
        text = text[:at] + piece + text[at + size :]
    read(tmp_path / f"fuzz.{kind}", text, kind)


@pytest.mark.parametrize("kind", SEEDS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(words=st.lists(st.sampled_from(WORDS), max_size=60))
def test_words_in_any_order_load_or_say_why(kind, words, tmp_path):
    start = b"HIERARCHY\n" if kind == "bvh" else b"version 1\n"
    read(tmp_path / f"words.{kind}", start + b" ".join(words), kind)
    read(tmp_path / f"words.{kind}", start + b"\n".join(words), kind)


HUGE = 8_000_000
LONG = {
    "one line": b"x" * HUGE,
    "one name": b"HIERARCHY\nROOT " + b"x" * HUGE,
    "one quoted name": b'version 1\nnodes\n0 "' + b"x" * HUGE,
    "one number": BVH[:-30] + b"1" * HUGE,
    "one bone": SMD.replace(b"1 1 2 3 0 0 0", b"1" * HUGE),
    "braces": b"HIERARCHY\n" + b"{" * HUGE,
    "blanks": b"HIERARCHY" + b" " * HUGE,
    "nothing": b"\x00" * HUGE,
    "line ends": b"HIERARCHY" + b"\n" * HUGE,
    "quotes": b"version 1\nnodes\n" + b'"' * HUGE,
    "comments": b"version 1\n" + b"//" * (HUGE // 2),
}


@pytest.mark.parametrize("kind", SEEDS)
@pytest.mark.parametrize("what", LONG)
def test_endless_lines_are_refused_soon_and_without_much_memory(kind, what, tmp_path):
    path = tmp_path / f"long.{kind}"
    path.write_bytes(LONG[what])
    caught = []

    def load():
        with pytest.raises(SuppleError) as error:
            supple.load(path, format=kind)
        caught.append(str(error.value))

    tracemalloc.start()
    try:
        lines = lines_run(load)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert lines < HUGE / 10
    assert peak < 12 * HUGE
    assert len(caught[0]) < 2000


def test_absurd_counts_take_no_room(tmp_path):
    tracemalloc.start()
    try:
        for text in (
            BVH.replace(b"Frames: 3", b"Frames: 999999999999"),
            BVH.replace(b"CHANNELS 3", b"CHANNELS 99999999"),
            SMD.replace(b" 1 1 1.0", b" 1000000 1 1.0"),
            SMD.replace(b"time 1", b"time 999999999"),
        ):
            read(tmp_path / "count.any", text, "bvh" if text.startswith(b"H") else "smd")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def bones_beside_frames(bones, frames):
    """An SMD whose frames have one bone of many: the others are to stay as they were."""
    nodes = b"".join(b'%d "j%d" -1\n' % (k, k) for k in range(bones))
    rows = b"".join(b"time %d\n0 0 0 0 0 0 0\n" % k for k in range(frames))
    return b"version 1\nnodes\n" + nodes + b"end\nskeleton\n" + rows + b"end\n"


def joints_beside_rows(joints, rows):
    """A BVH whose root moves, with many joints that have no channels."""
    return (
        b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 4 Xposition Zrotation Xrotation Yrotation\n"
        + b"".join(b"JOINT j%d\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n" % k for k in range(joints))
        + b"}\nMOTION\nFrames: %d\nFrame Time: .01\n" % rows
        + b"0 0 0 0\n" * rows
    )


def vertices_beside_links(triangles, links):
    """An SMD of many vertices, one of which has many links."""
    plain, many = b"0 0 0 0 0 0 1 0 0\n", b"0 0 0 0 0 0 1 0 0 %d" % links + b" 0 1" * links
    rest = (b"m\n" + plain * 3) * triangles
    head = b'version 1\nnodes\n0 "a" -1\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\nend\ntriangles\n'
    return head + b"m\n" + many + b"\n" + plain * 2 + rest + b"end\n"


def bones_beside_materials(bones, triangles):
    """An SMD with a material for each triangle: each is a mesh with a skin of all bones."""
    vertex = b"0 0 0 0 0 0 1 0 0\n"
    rows = b"".join(b"m%d\n" % k + vertex * 3 for k in range(triangles))
    return bones_beside_frames(bones, 1) + b"triangles\n" + rows + b"end\n"


GROWING = {
    "smd": bones_beside_frames(4000, 4000),
    "bvh": joints_beside_rows(3000, 20_000),
    "smd links": vertices_beside_links(20_000, 20_000),
    "smd materials": bones_beside_materials(4000, 4000),
}


@pytest.mark.parametrize("what", GROWING)
def test_small_files_do_not_ask_for_much_memory(what, tmp_path):
    path = tmp_path / f"grow.{what[:3]}"
    path.write_bytes(GROWING[what])
    limit = max(source_module.MEMORY_LEAST, source_module.MEMORY_FACTOR * path.stat().st_size)
    tracemalloc.start()
    try:
        with pytest.raises(
            SuppleError, match=r"at most [\d,]+ MB .*64 times .* got .*MB"
        ) as caught:
            supple.load(path)
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()
    assert path.name in str(caught.value)


def test_what_a_file_may_ask_for_is_enough_for_files_as_they_are(tmp_path):
    """The tightest text that has every bone in every frame: far below the limit."""
    frames, bones = 3000, 40
    frame = b"".join(b"%d 0 0 0 0 0 0\n" % k for k in range(bones))
    nodes = b"".join(b'%d "j%d" %d\n' % (k, k, k - 1) for k in range(bones))
    smd = b"version 1\nnodes\n" + nodes + b"end\nskeleton\n"
    smd += b"".join(b"time %d\n" % k + frame for k in range(frames)) + b"end\n"
    (tmp_path / "a.smd").write_bytes(smd)
    source = Source.open(tmp_path / "a.smd")
    assert len(next(iter(read_smd(source).motions.values()))) == frames
    assert source.taken < 0.5 * source_module.MEMORY_FACTOR * len(smd)


def test_the_peak_of_a_dense_smd_is_what_is_charged(tmp_path):
    text = bones_beside_frames(300, 1000)
    (tmp_path / "a.smd").write_bytes(text)
    supple.load(tmp_path / "a.smd")
    source = Source.open(tmp_path / "a.smd")
    tracemalloc.start()
    try:
        read_smd(source)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * source.taken
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", SEEDS)
def test_no_memory_is_said_with_the_file(kind, tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise MemoryError

    (tmp_path / f"a.{kind}").write_bytes(SEEDS[kind])
    monkeypatch.setattr(f"supple.apps.formats.{kind}.read.Skeleton", full)
    with pytest.raises(SuppleError, match=rf"a\.{kind}: .*memory"):
        supple.load(tmp_path / f"a.{kind}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize(
    "ending", ["bvh", "smd", "vta", "glb", "gltf", "urdf", "xacro", "xml", "character"]
)
def test_a_pipe_is_not_waited_for(ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    os.mkfifo(path)
    with pytest.raises(SuppleError, match=rf"a\.{ending}: expected a regular file, got a pipe"):
        supple.load(path)
    (tmp_path / "a.smd").unlink(missing_ok=True)
    (tmp_path / "a.smd").write_bytes(SMD)
    if ending == "vta":
        with pytest.raises(SuppleError, match="got a pipe"):
            supple.load(tmp_path / "a.smd", shapes=path)


@pytest.mark.skipif(os.name != "posix", reason="no devices here")
def test_a_device_is_not_read():
    with pytest.raises(SuppleError, match="/dev/zero: expected a regular file, got a device"):
        supple.load("/dev/zero", format="bvh")


@pytest.mark.skipif(os.name != "posix", reason="no links here")
def test_a_link_to_nothing_says_so(tmp_path):
    (tmp_path / "walk.bvh").symlink_to("gone.bvh")
    with pytest.raises(SuppleError, match=r"walk\.bvh: it is a link to gone\.bvh, and there is no"):
        supple.load(tmp_path / "walk.bvh")
    (tmp_path / "run.bvh").write_bytes(BVH)
    with pytest.raises(SuppleError, match=r"rum\.bvh: there is no such file; did you mean 'run"):
        supple.load(tmp_path / "rum.bvh")


def test_a_very_deep_skeleton(tmp_path):
    count = 20_000
    text = b"HIERARCHY\n" + b"".join(
        b"%s j%d\n{\nOFFSET 0 1 0\nCHANNELS 0\n" % (b"JOINT" if k else b"ROOT", k)
        for k in range(count)
    )
    assert read(tmp_path / "deep.bvh", text, "bvh") is None
    character = read(tmp_path / "deep.bvh", text + b"}\n" * count, "bvh")
    assert len(character.skeleton) == count


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 14])
def test_lines_are_counted_whatever_ends_them(block, monkeypatch):
    monkeypatch.setattr(source_module, "LINE_INDEX_SPACING", block)
    data = b"a\r\nb\n\nc\rd\r\r\n\n\re\r\n"
    source = Source(Path("a"), data)
    for at in range(len(data) + 1):
        pairs = data[:at].count(b"\r\n")
        assert source.line(at) == 1 + data[:at].count(b"\n") + data[:at].count(b"\r") - pairs


def test_files_beside_must_lie_in_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.png").write_bytes(b"1")
    (tmp_path / "in" / "a.smd").write_bytes(SMD)
    source = Source.open(tmp_path / "in" / "a.smd")
    with pytest.raises(SuppleError, match="own folder"):
        source.beside("../secret.png")
    text = SMD.replace(b"skin one.bmp", b"../secret.png")
    (tmp_path / "in" / "a.smd").write_bytes(text)
    assert supple.load(tmp_path / "in" / "a.smd").meshes[0].material.texture is None
