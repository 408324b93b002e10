"""Wrong or hostile MJCF: an error with file and line, never a crash, no file from outside the folder."""

import contextlib
import os
import random
import re
import sys

import pytest

import supple
from supple import SuppleError


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()

    def put(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


BODY = '<body><joint name="j"/><geom size="1"/></body>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco>\n<worldbody>\n<bdy/></worldbody></mujoco>", r"robot\.xml:3: .*unrecognized"),
        ("<mujoco>\n<worldbody>\n<body>\n<joint type='x'/></body></worldbody></mujoco>", r"xml:4: "),
        (
            "<mujoco><worldbody>\n<body>\n\n<geom type='mesh' mesh='k'/></body></worldbody></mujoco>",
            r"xml:4: .*'k'",
        ),
        ("<mujoco>\n<worldbody>\n<body></worldbody></mujoco>", r"xml:3: not well-formed"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<mujoco>&b;</mujoco>', r"xml:1: a document type"),
        ("<mujoco><worldbody><geom size='0'/></worldbody></mujoco>", r"xml:1: .*positive"),
        ("<mujocoinclude/>", "'mujocoinclude'; load the model that includes it"),
        ('<mujoco>\n<include file="gone.xml"/></mujoco>', r"xml:2: cannot include 'gone.xml'"),
        ("<mujoco>\n\n<include/></mujoco>", r"xml:3: include: expected a file"),
        ('<mujoco>\n<include file="robot.xml"/></mujoco>', r"xml:2: 'robot.xml' includes itself"),
        (f'<mujoco><worldbody>{BODY}</worldbody>\n<keyframe>\n<key qpos="1 2"/></keyframe></mujoco>', "qpos size"),
        ('<mujoco><worldbody><body><joint/><geom size="1e150"/></body></worldbody></mujoco>', "mass of body '1'"),
        ("<mujoco>" + "<worldbody>" * 5000, "Excessive depth|not well-formed"),
    ],
)  # fmt: skip
def test_errors_have_file_and_line(write, text, message):
    with pytest.raises(SuppleError, match=message):
        supple.load(write("robot.xml", text))


def test_errors_in_included_files_name_these(write):
    write(
        "parts.xml",
        "<mujoco>\n<worldbody>\n<body>\n<joint range='1 2 3'/></body></worldbody></mujoco>",
    )
    path = write("robot.xml", '<mujoco>\n\n<include file="parts.xml"/></mujoco>')
    with pytest.raises(SuppleError, match=r"parts\.xml:4: "):
        supple.load(path)


def test_nothing_outside_the_folder_is_read(write, tmp_path):
    (tmp_path / "secret.xml").write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    (tmp_path / "secret.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    for name in ("../secret.xml", str(tmp_path / "secret.xml")):
        with pytest.raises(SuppleError, match="expected a file in its own folder"):
            supple.load(write("robot.xml", f'<mujoco><include file="{name}"/></mujoco>'))
        with pytest.raises(SuppleError, match="expected a file in its own folder"):
            text = f'<mujoco><asset><model name="m" file="{name}"/></asset></mujoco>'
            supple.load(write("robot.xml", text))
    text = (
        '<mujoco><compiler {}/><asset><mesh name="m" file="{}"/></asset><worldbody><body><joint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    for compiler, file in (
        ("", "../secret.obj"),
        ('meshdir=".."', "secret.obj"),
        ('assetdir="../"', "secret.obj"),
        (f'meshdir="{tmp_path}"', "secret.obj"),
        ("", str(tmp_path / "secret.obj")),
    ):
        character = supple.load(write("robot.xml", text.format(compiler, file)))
        assert not character.skeleton.geoms
        assert any("expected a file in its own folder" in note.text for note in character.notes)
    os.symlink(tmp_path / "secret.obj", tmp_path / "robot" / "link.obj")
    character = supple.load(write("robot.xml", text.format("", "link.obj")))
    assert not character.skeleton.geoms
    # The folder that is given may hold them.
    character = supple.load(write("robot.xml", text.format("", "../secret.obj")), folder=tmp_path)
    assert len(character.skeleton.geoms) == 1


def test_files_of_other_elements_are_not_opened(write, tmp_path):
    pipe = tmp_path / "robot" / "pipe"
    os.mkfifo(pipe)  # opening it would wait forever
    text = f"""<mujoco><asset><texture name="t" type="2d" file="pipe"/><hfield name="h" file="pipe" size="1 1 1 1"/>
      <skin file="pipe"/></asset><extension><plugin plugin="mujoco.elasticity.cable"/></extension>
      <worldbody><geom type="hfield" hfield="h"/><flexcomp name="f" type="mesh" file="pipe"/>
      {BODY}</worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert "j" in character.skeleton
    notes = " ".join(note.text for note in character.notes)
    assert "height field" in notes and "soft bodies" in notes


@pytest.mark.parametrize(
    "body",
    [
        '<replicate count="100000000" offset="1 0 0"><body><joint/><geom size="1"/></body></replicate>',
        '<replicate count="5000" offset="1 0 0"><replicate count="5000" offset="0 1 0"><body><joint/>'
        '<geom size="1"/></body></replicate></replicate>',
        '<composite type="cable" curve="s" count="50000000 1 1" size="1"><joint kind="main"/>'
        '<geom type="capsule" size=".005"/></composite>',
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux only")
def test_counts_that_are_absurd_end_in_an_error(write, body):
    with pytest.raises(SuppleError, match="asks for"):
        supple.load(write("robot.xml", f"<mujoco><worldbody>{body}</worldbody></mujoco>"))


def test_includes_cannot_multiply_without_end(write):
    for k in range(8):
        inner = f'<include file="i{k + 1}.xml"/>' * 12 if k < 7 else "<default/>"
        write(f"i{k}.xml", f"<mujocoinclude>{inner}</mujocoinclude>")
    with pytest.raises(SuppleError, match="asks for|takes at most"):
        supple.load(write("robot.xml", '<mujoco><include file="i0.xml"/></mujoco>'))


def test_a_crash_of_mujoco_is_an_error(write, monkeypatch, tmp_path):
    from supple.apps.formats.mjcf import compiling

    worker = tmp_path / "worker.py"
    worker.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setattr(compiling, "WORKER", worker)
    with pytest.raises(SuppleError, match="MuJoCo crashed"):
        supple.load(write("robot.xml", f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"))


def test_the_root_element_tells_the_format(write):
    comment = "<!-- " + "x" * 5000 + " <robot name='r'> -->\n"
    model = supple.load(write("a.xml", f"{comment}<mujoco><worldbody>{BODY}</worldbody></mujoco>"))
    assert list(model.extras) == ["mjcf"]
    urdf = supple.load(
        write("b.xml", "<?xml version='1.0'?>\n<robot name='r'><link name='a'/></robot>")
    )
    assert list(urdf.extras) == ["urdf"]
    text = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>".encode("utf-16")
    assert "j" in supple.load(write("c.xml", text)).skeleton


def test_files_changed_at_random_are_read_or_refused(write):
    text = """<mujoco><compiler angle="radian"/><worldbody>
      <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-1 1"/><geom size="0.1"/>
        <body name="b" pos="1 0 0"><joint name="k" type="slide"/><geom type="box" size="1 1 1"/></body></body>
      </worldbody><equality><joint joint1="k" joint2="j" polycoef="0 1 0 0 0"/></equality></mujoco>"""
    rng = random.Random(0)
    values = [found.span() for found in re.finditer(r'(?<=")[^"=<>]*(?=")', text)]
    words = ("nan", "inf", "-1", "1e308", "", "ball", "free", "9" * 30, "1 2 3 4 5 6 7 8", "world")
    for _ in range(int(os.environ.get("SUPPLE_FUZZ", "6"))):
        start, end = rng.choice(values)
        path = write("robot.xml", text[:start] + rng.choice(words) + text[end:])
        with contextlib.suppress(SuppleError):
            assert len(supple.load(path).skeleton) >= 3
