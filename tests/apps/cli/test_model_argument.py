"""The MODEL argument, --joint and --limits."""

import json
import math
from pathlib import Path

import pytest

import supple
from supple import Axes, Ball, Cone, Fixed, Free, Hinge, Planar, Slider, SuppleError
from supple.apps.cli.model_argument import read_character, read_joint, read_start
from supple.texts import vector

QUARTER = math.pi / 2


def read_model(text, **changes):
    return read_character(text, **changes).skeleton


def test_a_chain_in_words():
    assert read_model("chain:9,9,9,9,4") == supple.chain([9, 9, 9, 9, 4])
    assert read_model("chain:9x4,4") == supple.chain([9, 9, 9, 9, 4])
    assert read_model("chain:1,1@hinge:z") == supple.chain([1, 1], joint=Hinge("z"))
    assert read_model("chain:1e-3") == supple.chain([1e-3])


@pytest.mark.parametrize(
    ("text", "joint"),
    [
        ("ball", Ball()),
        ("hinge", Hinge("z")),
        ("hinge:-x", Hinge("-x")),
        ("hinge:1,1,0", Hinge((1, 1, 0))),
        ("hinge:z:-90:90", Hinge("z", limits=(-QUARTER, QUARTER))),
        ("hinge:-90:90", Hinge("z", limits=(-QUARTER, QUARTER))),
        ("hinge:y:90", Hinge("y", limits=(-QUARTER, QUARTER))),
        ("hinge:z::90", Hinge("z", limits=(None, QUARTER))),
        ("cone:90", Cone(QUARTER)),
        ("cone:0,45,90,180", Cone((0, QUARTER / 2, QUARTER, 2 * QUARTER))),
        ("cone:90,45,90,90:-90:90", Cone((QUARTER, QUARTER / 2, QUARTER, QUARTER), QUARTER)),
        ("cone:90:-90:90", Cone(QUARTER, (-QUARTER, QUARTER))),
        ("axes", Axes("xyz")),
        ("axes:zx:90", Axes("zx", [(-QUARTER, QUARTER)] * 2)),
        ("axes:zx:-90:90:0:90", Axes("zx", [(-QUARTER, QUARTER), (0, QUARTER)])),
        ("axes:zx:0:90", Axes("zx", [(0, QUARTER)] * 2)),
        ("slider:y:0:2", Slider("y", limits=(0, 2))),
        ("planar:y", Planar("y")),
        ("free", Free()),
        ("fixed", Fixed()),
    ],
)
def test_joints_in_words_are_in_degrees_and_lengths(text, joint):
    assert read_joint(text) == joint


def test_joints_are_changed_for_all_or_by_name():
    skeleton = read_model("chain:1,1,1", joints=["hinge:y", "j1=cone:90"])
    assert skeleton.joints == (Hinge("y"), read_joint("cone:90"), Hinge("y"))


def test_limits_turn_balls_into_cones_and_bound_the_others():
    skeleton = read_model("chain:9,9,9,9,4", limits=["j1=120,j2=90"])
    swings = [getattr(joint, "swing", None) for joint in skeleton.joints]
    assert swings == [None, math.radians(120), QUARTER, None, None]
    arm = read_model("chain:1,1@hinge:z", limits=["-90:45", "j1=90"])
    assert arm.joints == (
        Hinge("z", limits=(-QUARTER, QUARTER / 2)),
        Hinge("z", limits=(-QUARTER, QUARTER)),
    )
    kept = read_model("chain:1,1", joints=["j1=fixed"], limits=["90"])
    assert kept.joints == (Cone(QUARTER), Fixed())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chian:9,9", "'chian'.*did you mean 'chain'"),
        ("arm", "chain:LENGTHS.*json"),
        ("hero.xyz", r"cannot read '\.xyz'.*chain:LENGTHS.*\.bvh.*\.json"),
        ("hero.fbx", r"hero\.fbx: FBX is not read: .*Blender.*chain:LENGTHS.*\.bvh.*\.json"),
        ("hero.bvh", "no such file"),
        ("chain:", "finite number, got ''"),
        ("chain:9,a", "finite number, got 'a'"),
        ("chain:9,nan", "got 'nan'"),
        ("chain:9,-1", "0 or more, got -1"),
        ("chain:9x0", "count from 1"),
        ("chain:9x999999999", "count from 1"),
        ("chain:9@hnige", "joint 'hnige'.*did you mean 'hinge'"),
        ("chain:9@hinge:z:1:2:3", "one number or LO:HI"),
        ("chain:9@hinge:z:90:-90", "wrong way round"),
        ("chain:9@hinge:z:-5", "0 or more, or LO:HI"),
        ("chain:9@cone", "greatest bend"),
        ("chain:9@cone:200", "0 to 180"),
        ("chain:9@cone:20,30", "one angle, or four"),
        ("chain:9@cone:20,30,40,200", "0 to 180"),
        ("chain:9@ball:3", "nothing more"),
        ("chain:9@planar:z:3", "nothing more"),
        ("nowhere.json", "nowhere.json: cannot read it"),
    ],
)
def test_what_is_wrong_with_a_model_is_said(text, message):
    with pytest.raises(supple.SuppleError, match=message):
        read_model(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"joints": ["j9=ball"]}, "joint of --joint 'j9'.*'j0', 'j1'"),
        ({"limits": ["j9=90"]}, "joint of --limits 'j9'"),
        ({"limits": ["j0=-90:90"]}, "greatest bend"),
        ({"joints": ["fixed"], "limits": ["j0=90"]}, "fixed joint, which has none"),
    ],
)
def test_what_is_wrong_with_a_change_is_said(changes, message):
    with pytest.raises(supple.SuppleError, match=message):
        read_model("chain:1,1", **changes)


def write(path: Path, data: object) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_skeletons_are_read_from_files_of_skeletons_poses_and_solutions(tmp_path):
    skeleton = supple.chain([1, 1], joint=Hinge("z", limits=(-1, 1)))
    pose = skeleton.pose({"j0": 0.5})
    solution = supple.solve(skeleton, {"tip": (1, 1, 0)})
    for data in (skeleton.to_json(), pose.to_json(), solution.to_json()):
        assert read_model(str(write(tmp_path / "a.json", data))) == skeleton
    hero = supple.Character(skeleton)
    assert read_start(str(write(tmp_path / "b.json", pose.to_json())), hero) == pose
    no_skeleton = write(tmp_path / "c.json", pose.to_json(skeleton=False))
    assert read_start(str(no_skeleton), hero) == pose
    answer = read_start(str(write(tmp_path / "d.json", solution.to_json())), hero)
    assert answer == solution.pose


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{\n\n'x'", r"a\.json:3: not JSON"),
        ("[1, 2]", r"a\.json: .*supple-skeleton"),
        ('{"format": "supple-skeleton", "version": 1, "joints": 5}', r"a\.json: "),
        ('{"format": "supple-skeleton", "version": 1, "joints": [5]}', r"a\.json: "),
        ('{"format": "supple-skeleton", "version": 99}', "version"),
        ('{"format": "supple-pose", "version": 1}', r"a\.json: "),
        ("[" * 100_000, r"a\.json"),
    ],
)
def test_broken_files_are_named(tmp_path, content, message):
    path = write(tmp_path / "a.json", content)
    with pytest.raises(supple.SuppleError, match=message):
        read_model(str(path))


def test_files_that_are_no_text_and_folders_are_named(tmp_path):
    (tmp_path / "a.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "b.json").mkdir()
    for name in ("a.json", "b.json"):
        with pytest.raises(supple.SuppleError, match=name):
            read_model(str(tmp_path / name))


def test_a_start_of_another_skeleton_is_refused(tmp_path):
    other = supple.chain([2, 2])
    path = write(tmp_path / "a.json", supple.solve(other, {"tip": (1, 1, 0)}).to_json())
    with pytest.raises(supple.SuppleError, match="expected a pose of"):
        read_start(str(path), supple.Character(supple.chain([1, 1])))
    batch = supple.Pose.stack([other.rest, other.rest])
    with pytest.raises(supple.SuppleError, match="single pose"):
        read_start(str(write(tmp_path / "b.json", batch.to_json())), supple.Character(other))


def test_vectors_take_commas_and_spaces():
    assert vector("--to", "-1, 2 3e1", "X,Y,Z") == (-1, 2, 30)
    with pytest.raises(supple.SuppleError, match="three numbers X,Y,Z, got 2"):
        vector("--to", "1,2", "X,Y,Z")


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="side" default="left"/><xacro:include filename="$(find legs)/leg.xacro"/>
<link name="$(arg side)_base"/></robot>"""


def test_a_xacro_file_gets_its_folder_and_arguments(tmp_path):
    pytest.importorskip("xacro")
    (tmp_path / "urdf").mkdir()
    (tmp_path / "package.xml").write_text("<package><name>legs</name></package>")
    (tmp_path / "leg.xacro").write_text("<robot/>")
    model = tmp_path / "urdf" / "robot.urdf.xacro"
    model.write_text(XACRO)
    found = read_character(str(model), folder=tmp_path, xacro_arguments=["side:=right"])
    assert found.skeleton.joint_names == ("right_base",)
    with pytest.raises(SuppleError, match="expected NAME:=VALUE.*'side=right'"):
        read_character(str(model), folder=tmp_path, xacro_arguments=["side=right"])
    urdf = tmp_path / "robot.urdf"
    urdf.write_text('<robot name="r"><link name="base"/></robot>')
    with pytest.raises(SuppleError, match="--arg: expected a .xacro file"):
        read_character(str(urdf), xacro_arguments=["side:=right"])


CELL = """<robot name="cell" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="side" default="left"/><xacro:include filename="$(find legs)/leg.xacro"/>
<link name="base"/><link name="foot"/><joint name="$(arg side)" type="continuous">
<parent link="base"/><child link="foot"/><origin xyz="0 0 1"/></joint></robot>"""
TO_FOOT = ("--effector", "foot", "--to", "0,0,1")


@pytest.fixture
def cell(tmp_path):
    """A xacro file that needs a folder, for the package beside its own, and takes an argument."""
    pytest.importorskip("xacro")
    for name in ("cell", "legs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    (tmp_path / "legs" / "leg.xacro").write_text("<robot/>")
    path = tmp_path / "cell" / "cell.urdf.xacro"
    path.write_text(CELL)
    return path


@pytest.mark.parametrize(
    ("command", "options", "done"),
    [
        ("info", (), 0),
        ("lint", (), 0),
        ("reach", TO_FOOT, 0),
        ("compare", (*TO_FOOT, "--solvers", "CCD"), 0),
        ("convert", ("OUT.glb",), 0),
        ("page", ("-o", "OUT.html"), 0),
        ("view", ("--host", "not a host", "--no-browser"), 2),
        ("correct", ("-o", "OUT.glb", *TO_FOOT), 2),
        ("retarget", ("-o", "OUT.npz"), 2),
    ],
)
def test_every_command_that_takes_a_robot_takes_its_folder_and_arguments(
    run, cell, tmp_path, command, options, done
):
    given = [str(tmp_path / one) if one.startswith("OUT") else one for one in options]
    model = [cell]
    if command == "retarget":
        clip = tmp_path / "clip.bvh"
        clip.write_text("HIERARCHY\n")
        model = [clip, "--onto", cell]
    found = run(command, *model, *given)
    assert found.exit_code == 2
    assert "package 'legs' was not found" in found.stderr
    found = run(command, *model, *given, "--folder", tmp_path, "--arg", "side:=right")
    assert found.exit_code == done, found.stderr
    assert "was not found" not in found.stderr
    found = run(command, *model, *given, "--folder", tmp_path, "--arg", "side=right")
    assert "--arg: expected NAME:=VALUE" in found.stderr
