"""Xacro files, expanded and read as URDF, on request only; nothing outside the folder is opened."""

import re

import pytest
from typer.testing import CliRunner

import supple
from supple import SuppleError
from supple.apps.cli import app
from supple.apps.formats.xacro import read as reading
from supple.apps.viewer.library import Library

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MACRO = (
    HEAD
    + """<xacro:macro name="leg" params="side y">
  <link name="${side} leg"/>
  <joint name="${side} hip" type="revolute"><parent link="base"/><child link="${side} leg"/>
    <origin xyz="0 ${y * 2} 0"/><axis xyz="0 1 0"/><limit lower="${-pi/2}" upper="1" effort="1" velocity="1"/></joint>
</xacro:macro>
</robot>"""
)
ROBOT = (
    HEAD
    + """<xacro:arg name="width" default="0.1"/>
<xacro:include filename="$(find legs)/leg.xacro"/>
<link name="base"/>
<xacro:leg side="left" y="$(arg width)"/>
<xacro:leg side="right" y="${-1 * $(arg width)}"/>
</robot>"""
)


@pytest.fixture
def robot(tmp_path):
    def put(text, name="legs/robot.urdf.xacro"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    put(MACRO, "legs/leg.xacro")
    return put


def test_macros_arguments_and_packages(robot):
    character = supple.load(robot(ROBOT))
    skeleton = character.skeleton
    assert skeleton.joint_names == ("base", "left hip", "right hip")
    assert skeleton.offsets[1].tolist() == [0, 0.2, 0]
    assert skeleton.joints[1].limits[0] == pytest.approx(-1.5707963)
    wide = supple.load(robot(ROBOT), arguments={"width": "0.5"}).skeleton
    assert wide.offsets[2].tolist() == [0, -1, 0]


def test_the_ending_or_the_name_of_the_format_ask_for_xacro(robot):
    assert "left hip" in supple.load(robot(ROBOT, "legs/robot"), format="xacro").skeleton
    plain = '<robot name="r"><link name="a"/></robot>'
    character = supple.load(robot(plain, "legs/plain.XACRO"))
    assert not [note for note in character.notes if "looks like" in note.text]
    with pytest.raises(SuppleError, match=r"clip\.xacro:1: not well-formed XML"):
        supple.load(robot("HIERARCHY\nROOT a\n", "legs/clip.xacro"))


@pytest.mark.parametrize(
    "name", ["walk.bvh", "robot.urdf", "robot.xml", "robot", "hero.smd", "a.glb"]
)
def test_content_never_asks_for_xacro(robot, name):
    asks = r':2: expected a URDF, got .*: this is xacro .* ends in \.xacro, or pass format="xacro"'
    for body in ('<xacro:property name="v" value="1"/>', '<link name="${v}"/>'):
        with pytest.raises(SuppleError, match=re.escape(name) + asks):
            supple.load(robot(f"{HEAD}{body}</robot>", f"legs/{name}"))
    late = f"{HEAD}{'<!-- -->' * 20_000}<xacro:if value='1'/></robot>"  # beyond what is looked at
    with pytest.raises(SuppleError, match=re.escape(name) + asks):
        supple.load(robot(late, f"legs/{name}"))


def test_expanded_files_that_keep_the_namespace_are_urdf(robot):
    """Text of other programs, as below `gazebo`, may have what looks like xacro."""
    body = '<link name="a"/><gazebo><plugin name="${p}">$(arg x) ${y}</plugin></gazebo></robot>'
    assert "a" in supple.load(robot(HEAD + body, "legs/robot.urdf")).skeleton


def test_the_command_line_and_the_page_refuse_it_too(robot):
    path = robot(f'{HEAD}<link name="${{1 + 1}}"/></robot>', "legs/walk.bvh")
    told = CliRunner().invoke(app, ["info", str(path)])
    assert told.exit_code != 0
    assert "this is xacro that is not expanded" in told.output.replace("\n", " ")
    library = Library()
    for name in ("walk.bvh", "robot.urdf"):
        upload = library.upload()
        upload.place(name).write_bytes(path.read_bytes())
        with pytest.raises(SuppleError, match=rf"^{name}:2: .* this is xacro that is not expanded"):
            library.open(upload)
    upload = library.upload()
    upload.place("robot.xacro").write_bytes(path.read_bytes())
    assert "2" in library.subject(library.open(upload)).skeleton
    library.close()


def test_dollars_that_are_escaped_stay(robot):
    assert "${x}" in supple.load(robot(HEAD + '<link name="$${x}"/></robot>')).skeleton


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<xacro:leg/></robot>", "robot.urdf.xacro: xacro cannot expand it: .*leg"),
        ('<link name="${nothing}"/></robot>', "nothing"),
        ('<link name="a"></robot>', r"xacro:2: not well-formed"),
        ('<xacro:include filename="gone.xacro"/></robot>', "gone.xacro"),
        ('<xacro:include filename="$(find elsewhere)/x.xacro"/></robot>', "'elsewhere' was not found"),
        ('<joint name="a" type="odd"/></robot>', r"\(expanded\):\d+: joint 'a'"),
    ],
)  # fmt: skip
def test_errors_say_what_and_where(robot, text, message):
    with pytest.raises(SuppleError, match=message):
        supple.load(robot(HEAD + text))


def test_files_elsewhere_are_not_opened(robot, tmp_path):
    (tmp_path / "secret.xacro").write_text(MACRO)
    (tmp_path / "secret.yaml").write_text("word: hidden")
    secret = tmp_path / "secret.xacro"
    for name in (str(secret), "../secret.xacro"):
        with pytest.raises(SuppleError, match="expected a file in its own folder"):
            supple.load(
                robot(HEAD + f'<xacro:include filename="{name}"/><link name="base"/></robot>')
            )
    text = HEAD + f"<link name=\"${{xacro.load_yaml('{tmp_path}/secret.yaml')['word']}}\"/></robot>"
    with pytest.raises(SuppleError, match="expected a file in its own folder"):
        supple.load(robot(text))
    assert "hidden" in supple.load(robot(text), folder=tmp_path).skeleton


def test_includes_by_pattern_in_namespaces_and_optional(robot):
    robot(HEAD + '<xacro:property name="w" value="2"/></robot>', "legs/part_a.xacro")
    robot(HEAD + '<link name="b"/></robot>', "legs/part_b.xacro")
    text = """<xacro:include filename="part_*.xacro"/><xacro:include filename="part_a.xacro" ns="n"/>
      <xacro:include filename="gone.xacro" optional="true"/>
      <joint name="j" type="fixed"><parent link="b"/><child link="c${n.w + 1}"/></joint><link name="c3"/></robot>"""
    assert set(supple.load(robot(HEAD + text)).skeleton.names) >= {"b", "j", "c3"}


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-8", "ascii"), ("latin-1", "iso-8859-1"), ("utf-16", "utf-16")],
)  # fmt: skip
def test_includes_in_several_encodings(robot, encoding, declared):
    text = f'<?xml version="1.0" encoding="{declared}"?>\n{HEAD}<link name="Fuß"/></robot>'
    robot("", "legs/foot.xacro").write_bytes(text.encode(encoding))
    text = HEAD + '<xacro:include filename="foot.xacro"/></robot>'
    assert "Fuß" in supple.load(robot(text)).skeleton


def test_packages_are_found_by_their_manifest(robot, tmp_path):
    robot("<package><!-- <name>x</name> --><name> left_leg </name></package>", "legs/package.xml")
    (tmp_path / "arms").mkdir()
    robot("<package><name>right_arm</name></package>", "arms/package.xml")
    robot(HEAD + '<link name="hand"/></robot>', "arms/hand.xacro")
    for name in ("left_leg", "legs"):
        text = ROBOT.replace("$(find legs)", f"$(find {name})")
        assert "left hip" in supple.load(robot(text)).skeleton
    text = HEAD + '<xacro:include filename="$(find right_arm)/hand.xacro"/></robot>'
    assert "hand" in supple.load(robot(text), folder=tmp_path).skeleton
    with pytest.raises(SuppleError, match="'right_arm' was not found"):
        supple.load(robot(text))
    with pytest.raises(SuppleError, match="'x' was not found"):
        supple.load(robot(text.replace("right_arm", "x")), folder=tmp_path)


def test_yaml_has_units_dates_and_dots(robot):
    robot(
        "a: !degrees 90\nb: !millimeters 2 * 10\nc: &c {d: [1, {e: 5}], when: 2024-05-01}\nf: *c\n",
        "legs/values.yaml",
    )
    text = """<xacro:property name="v" value="${xacro.load_yaml('values.yaml')}"/>
      <link name="${v.a == pi / 2} ${v.b} ${v.f.d[1].e} ${v['c']['when']}"/></robot>"""
    assert "True 0.02 5 2024-05-01" in supple.load(robot(HEAD + text)).skeleton


def test_eval_knows_arguments_and_true(robot):
    text = """<xacro:arg name="n" default="3"/><link name="$(eval n * 2 + 1) $(eval 'yes' if true else 'no')"/>
      <xacro:if value="${xacro.arg('n') == '4'}"><link name="four"/></xacro:if></robot>"""
    assert "7 yes" in supple.load(robot(HEAD + text)).skeleton
    assert "four" in supple.load(robot(HEAD + text), arguments={"n": 4}).skeleton


def test_an_unknown_version_of_xacro_is_refused(robot, tmp_path, monkeypatch):
    other = tmp_path / "other" / "xacro"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("def safe_eval(text, symbols): return eval(text)")
    (other / "substitution_args.py").write_text("")
    monkeypatch.syspath_prepend(str(other.parent))
    with pytest.raises(SuppleError, match="this version of xacro has no .*; expected xacro 2"):
        supple.load(robot(ROBOT))


def test_what_the_process_answers_is_checked(robot, tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    worker.write_text("import pickle\ndef main(job): return pickle.dumps({'urdf': '<robot/>'})\n")
    monkeypatch.setattr(reading, "WORKER", worker)
    with pytest.raises(SuppleError, match="xacro crashed: expected JSON"):
        supple.load(robot(ROBOT))


@pytest.fixture
def clone(tmp_path):
    """A clone of a description package: its folder has another name than the package."""
    clone = tmp_path / "src" / "Arm_Description_ROS2"
    for name in ("urdf", "config", "meshes"):
        (clone / name).mkdir(parents=True)
    (clone / "package.xml").write_text("<package><name>arm_description</name></package>")
    (clone / "config" / "lengths.yaml").write_text("upper: 0.5")
    (clone / "meshes" / "link.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    text = """<xacro:arg name="arm" default="left"/>
      <xacro:property name="l" value="${xacro.load_yaml('$(find arm_description)/config/lengths.yaml')}"/>
      <link name="base"/><link name="hand"><visual><geometry>
        <mesh filename="package://arm_description/meshes/link.obj"/></geometry></visual></link>
      <joint name="$(arg arm)" type="continuous"><parent link="base"/><child link="hand"/>
        <origin xyz="0 0 ${l.upper}"/></joint></robot>"""
    (clone / "urdf" / "arm.urdf.xacro").write_text(HEAD + text)
    return clone


def test_a_clone_of_a_package_loads_as_it_is(clone, tmp_path):
    arm = supple.load(clone / "urdf" / "arm.urdf.xacro", meshes=True)
    assert arm.skeleton.rest.position("left")[2] == 0.5
    assert len(arm.meshes) == 1
    assert not [note for note in arm.notes if note.level == "warning"]
    (tmp_path / "src" / "secret.yaml").write_text("upper: 1")
    text = (clone / "urdf" / "arm.urdf.xacro").read_text()
    for outside in ("$(find arm_description)/../secret.yaml", str(tmp_path / "src/secret.yaml")):
        (clone / "urdf" / "out.urdf.xacro").write_text(
            text.replace("$(find arm_description)/config/lengths.yaml", outside)
        )
        with pytest.raises(SuppleError, match="expected a file in its own folder"):
            supple.load(clone / "urdf" / "out.urdf.xacro")


def test_a_link_to_a_file_of_a_package_is_read_in_its_package(clone, tmp_path):
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "arm.urdf.xacro"
    link.symlink_to(clone / "urdf" / "arm.urdf.xacro")
    assert "left" in supple.load(link).skeleton


def test_packages_of_a_workspace_are_found_in_its_clones(clone, tmp_path):
    cell = tmp_path / "src" / "cells" / "cell_description" / "urdf"
    cell.mkdir(parents=True)
    (cell.parent / "package.xml").write_text("<package><name>cell</name></package>")
    text = '<xacro:include filename="$(find arm_description)/urdf/arm.urdf.xacro"/></robot>'
    (cell / "cell.urdf.xacro").write_text(HEAD + text)
    with pytest.raises(SuppleError, match="'arm_description' was not found.*--folder"):
        supple.load(cell / "cell.urdf.xacro")
    for folder in (tmp_path, tmp_path / "src"):
        assert "left" in supple.load(cell / "cell.urdf.xacro", folder=folder).skeleton
