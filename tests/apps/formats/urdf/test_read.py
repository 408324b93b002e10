"""URDF: joints, limits, mimics and links, against plain forward kinematics; and hostile files."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import robot

pytest.importorskip("lxml")
SHARED = Path(__file__).resolve().parents[4].parent / "shared/data/urdf"

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="hand"/><link name="slide"/>
  <link name="left"/><link name="right"/>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0.1" rpy="0.3 -0.2 0.5"/>
    <axis xyz="0 2 0"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.3" rpy="0 0 1.2"/>
    <axis xyz="0 0 1"/><limit lower="-1.5" upper="7" effort="1" velocity="1"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="lower"/><child link="slide"/><origin xyz="0.2 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.3" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="slide"/><child link="hand"/><origin xyz="0 0.05 0" rpy="1 0 0"/>
  </joint>
  <joint name="grip_left" type="prismatic">
    <parent link="hand"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/>
  </joint>
  <joint name="grip_right" type="prismatic">
    <parent link="hand"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/>
    <mimic joint="grip_left" multiplier="0.5" offset="0.01"/>
  </joint>
</robot>
"""


def load(tmp_path, text, **options):
    path = tmp_path / "arm.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return supple.load(path, **options)


def turn(axis, angle):
    """Rodrigues' formula, 4x4."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return T


def shift(*xyz):
    T = np.eye(4)
    T[:3, 3] = xyz
    return T


def rpy(r, p, y):
    return turn((0, 0, 1), y) @ turn((0, 1, 0), p) @ turn((1, 0, 0), r)


def test_the_hand_is_where_the_product_of_its_joints_puts_it(tmp_path):
    arm = load(tmp_path, ARM)
    pose = arm.skeleton.pose({"shoulder": 6.5, "elbow": -0.7, "rail": 0.2, "grip_left": 0.02})
    hand = (
        shift(0, 0, 0.3) @ rpy(0, 0, 1.2) @ turn((0, 0, 1), 6.5)
        @ shift(0.4, 0, 0.1) @ rpy(0.3, -0.2, 0.5) @ turn((0, 2, 0), -0.7)
        @ shift(0.2, 0, 0) @ shift(0.2, 0, 0)
        @ shift(0, 0.05, 0) @ rpy(1, 0, 0)
    )  # fmt: skip
    frames = pose.frames
    assert np.allclose(frames[arm.skeleton.index("hand")], hand, atol=1e-12)
    right = hand @ shift(0, -(0.5 * 0.02 + 0.01), 0)
    assert np.allclose(frames[arm.skeleton.index("right")], right, atol=1e-12)
    assert (arm.unit, arm.up) == ("m", "z")


def test_limits_kinds_and_mimics_are_the_files(tmp_path):
    skeleton = load(tmp_path, ARM).skeleton
    joints = dict(zip(skeleton.joint_names, skeleton.joints, strict=True))
    assert joints["shoulder"].limits == (-1.5, 7.0)  # beyond a half turn
    assert joints["elbow"] == supple.Hinge((0, 1, 0))
    assert isinstance(joints["rail"], supple.Slider) and joints["rail"].limits == (0.0, 0.3)
    assert isinstance(joints["wrist"], supple.Fixed) and isinstance(joints["base"], supple.Fixed)
    assert joints["grip_right"].mimic == supple.Mimic("grip_left", 0.5, 0.01)


@pytest.mark.parametrize(
    ("copy", "left"),
    [
        ('multiplier="-1"', r"\[0, 0\]"),  # it would lock the gripper shut
        ('multiplier="1" offset="0.03"', r"\[0, 0.01\]"),
        ('multiplier="1" offset="1"', "no value"),
    ],
)
def test_the_limits_of_a_copy_do_not_cut_those_of_its_source(tmp_path, copy, left):
    """As pinocchio, yourdfpy and joint_state_publisher have it."""
    text = ARM.replace('multiplier="0.5" offset="0.01"', copy)
    arm = load(tmp_path, text)
    open_wide = robot.from_joint_vector(arm, [0.0, 0.0, 0.0, 0.04])
    assert open_wide.violations().max() == 0
    assert np.allclose(open_wide.clamped().coordinates, open_wide.coordinates)
    target = open_wide.position("grip_left")
    s = supple.solve(arm.skeleton, supple.Reach("grip_left", target, depth=1))
    assert s.reached
    (note,) = [one for one in arm.notes if "grip_right" in one.text]
    assert (note.level, note.line) == ("warning", 24)
    message = (
        rf"joint 'grip_right': its limits \[0, 0.04\] would leave {left} of the range \[0, 0.04\]"
    )
    assert re.match(message, note.text)


def test_speeds_are_the_files(tmp_path):
    """Values that mean no limit, and values that are not numbers, are left out."""
    arm = load(tmp_path, ARM)
    speeds = supple.robot.max_speed(arm)
    assert speeds and all(speed == 1.0 for speed in speeds.values())
    text = ARM.replace('velocity="1"', 'velocity="2.5"', 1).replace(
        'velocity="1"', 'velocity="0"', 1
    )
    changed = supple.robot.max_speed(load(tmp_path, text))
    assert sorted(changed.values())[-1] == 2.5 and len(changed) == len(speeds) - 1
    odd = load(tmp_path, ARM.replace('velocity="1"', 'velocity="fast"', 1))
    assert len(supple.robot.max_speed(odd)) == len(speeds) - 1
    assert any("velocity: expected a number above 0, got 'fast'" in n.text for n in odd.notes)
    supple.prepare(arm.skeleton, supple.Reach("hand"), max_speed=speeds)
    with pytest.raises(supple.SuppleError, match="expected the Character"):
        supple.robot.max_speed(arm.skeleton)


def test_joint_vectors_count_as_the_file_does(tmp_path):
    arm = load(tmp_path, ARM)
    names = robot.joint_names(arm)
    assert names == ("elbow", "shoulder", "rail", "grip_left")
    vectors = np.array([[0.1, 0.2, 0.05, 0.01], [-3.0, 6.9, 0.3, 0.0]])
    poses = robot.from_joint_vector(arm, vectors)
    assert np.array_equal(robot.joint_vector(arm, poses), vectors)
    assert poses[0].angles[arm.skeleton.freedoms.index("shoulder")] == 0.2
    with pytest.raises(supple.SuppleError, match="joint vector"):
        robot.from_joint_vector(arm, [1.0, 2.0])


def test_joint_vectors_with_copies_and_of_some_joints(tmp_path):
    arm = load(tmp_path, ARM)
    short, full = [0.1, 0.2, 0.05, 0.02], [0.1, 0.2, 0.05, 0.02, 0.02]
    assert robot.joint_names(arm, copies=True)[-1] == "grip_right"
    pose = robot.from_joint_vector(arm, short)
    assert robot.from_joint_vector(arm, full) == pose
    assert robot.joint_vector(arm, pose, names=robot.joint_names(arm, copies=True)).tolist() == full
    # The arm without its gripper, in the order of the file, and in a custom order.
    names = robot.joint_names(arm, to="hand")
    assert names == ("elbow", "shoulder", "rail")
    some = robot.from_joint_vector(arm, short[:3], names=names)
    assert robot.joint_vector(arm, some).tolist() == [0.1, 0.2, 0.05, 0.0]
    swapped = robot.from_joint_vector(arm, [[0.2, 0.1]], names=["shoulder", "elbow"])
    assert swapped.batch_shape == (1,)
    assert robot.joint_vector(arm, swapped, names=["elbow", "shoulder"]).tolist() == [[0.1, 0.2]]


def test_a_joint_vector_that_does_not_fit_says_what_would(tmp_path):
    arm = load(tmp_path, ARM)
    for vector, options, message in (
        (
            [0.1, 0.2, 0.3],
            {},
            r"expected 4 numbers \(elbow, shoulder, rail, grip_left\), or 5 with those that copy "
            r"others \(grip_right\), got 3; for some of them give names=, such as "
            r"joint_names\(robot, to='slide'\)",
        ),
        ([0.1], {"names": ["elbow", "rail"]}, r"expected 2 numbers \(elbow, rail\).*got 1"),
        ([0.1, 0.2, 0.05, 0.02, 0.03], {}, r"'grip_right', which copies 'grip_left', 0.5 times"),
        ([0.1], {"names": ["elbw"]}, "joint of one number 'elbw'.*did you mean 'elbow'"),
        ([0.1], {"names": ["wrist"]}, "unknown joint of one number 'wrist'"),
        ([0.1, 0.1], {"names": ["elbow", "elbow"]}, "every joint once, got 'elbow' twice"),
        ([0.1], {"names": "elbow"}, "expected a list of joint names"),
        ([0.1, np.nan, 0.0, 0.0], {}, "nan"),
        (0.1, {}, r"expected finite numbers of shape \(\.\.\., 4\), got shape \(\)"),
    ):
        with pytest.raises(supple.SuppleError, match=message):
            robot.from_joint_vector(arm, vector, **options)
    with pytest.raises(supple.SuppleError, match="link, tip or joint 'hnad'.*did you mean 'hand'"):
        robot.joint_names(arm, to="hnad")


def test_an_effector_is_a_link_by_name(tmp_path):
    arm = load(tmp_path, ARM)
    goal = robot.from_joint_vector(arm, [0.4, 0.9, 0.1, 0.0])
    s = supple.solve(arm.skeleton, {"hand": goal.position("hand")})
    assert s.reached
    assert not np.any(s.pose.violations())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<?xml version=\"1.0\"?>", '<!DOCTYPE r [<!ENTITY a "b">]>'), r":1: a document type"),
        (("</robot>", ""), r"not well-formed"),
        (("<robot name=\"arm\">", "<model>"), r"not well-formed|expected the element 'robot'"),
        (('type="continuous"', 'type="elastic"'), r"arm.urdf:5: joint 'elbow': expected a type"),
        (('<parent link="upper"/>', ""), r"'elbow': expected a parent link"),
        (('<parent link="upper"/>', '<parent link="hip"/>'), r"there is no link 'hip'"),
        (('xyz="0 2 0"', 'xyz="0 0 0"'), r"expected an axis with a direction"),
        (('xyz="0.4 0 0.1"', 'xyz="0.4 nan 0.1"'), r":6: joint 'elbow': xyz: expected finite"),
        (('xyz="0.4 0 0.1"', 'xyz="0.4 0"'), r"xyz: expected finite numbers"),
        (('<child link="slide"/>', '<child link="upper"/>'), r"child of two joints"),
        (('joint="grip_left" mult', 'joint="thumb" mult'), r"thumb"),
        (('joint="grip_left" mult', 'mult'), r":27: joint 'grip_right': mimic: expected a joint"),
        (('<link name="base"/>', '<link/>'), r"arm.urdf:3: a link has no name"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_their_line(tmp_path, change, message):
    with pytest.raises(supple.SuppleError, match=message):
        load(tmp_path, ARM.replace(*change, 1))


def test_entities_are_refused_in_any_encoding(tmp_path):
    text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE r [<!ENTITY a "b">]><robot/>'
    with pytest.raises(supple.SuppleError, match="document type"):
        load(tmp_path, text.encode("utf-16"))


def test_loops_are_refused(tmp_path):
    text = ARM.replace('<parent link="base"/>', '<parent link="lower"/>', 1)
    with pytest.raises(supple.SuppleError, match="circle|cycle|loop"):
        load(tmp_path, text)


def test_a_mesh_outside_the_folder_is_left_out(tmp_path):
    (tmp_path / "outside.stl").write_text("solid a\nendsolid a\n")
    folder = tmp_path / "robot"
    folder.mkdir()
    visual = '<link name="base"><visual><geometry>{}</geometry></visual></link>'
    for shape, count in (
        ('<mesh filename="../outside.stl"/>', 0),
        ('<mesh filename="package://x/../../outside.stl"/>', 0),
        ('<box size="1 2 3"/>', 1),
    ):
        robot_ = load(folder, ARM.replace('<link name="base"/>', visual.format(shape)), meshes=True)
        assert len(robot_.meshes) == count
        assert load(folder, ARM).meshes == ()
    assert np.allclose(np.ptp(robot_.meshes[0].positions, axis=0), (1, 2, 3))
    assert robot_.meshes[0].joint == "base"


TRIANGLE = "solid a\nfacet normal 0 0 1\nouter loop\n{}endloop\nendfacet\nendsolid a\n".format(
    "".join(f"vertex {x} {y} 0\n" for x, y in ((0, 0), (2, 0), (0, 3)))
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("../meshes/visual/a.stl", True),
        ("package://arm_description/meshes/visual/a.stl", True),
        ("package://robots/arm_description/meshes/visual/a.stl", True),
        ("package://other/a.stl", True),
        ("package://elsewhere/meshes/visual/a.stl", True),
        ("package://arm_description/../../outside.stl", False),
        ("../../../outside.stl", False),
        ("package://", False),
    ],
)
def test_a_package_is_looked_for_up_to_the_folder_that_is_given(tmp_path, name, found):
    home = tmp_path / "home"
    folder = home / "arm_description" / "urdf"
    for path in (folder.parent / "meshes" / "visual" / "a.stl", home / "other" / "a.stl"):
        path.parent.mkdir(parents=True)
        path.write_text(TRIANGLE)
    folder.mkdir()
    (tmp_path / "outside.stl").write_text(TRIANGLE)
    shape = (
        f'<link name="base"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>'
    )
    text = ARM.replace('<link name="base"/>', shape)
    assert len(load(folder, text, meshes=True, folder=home).meshes) == found
    assert not load(folder, text, meshes=True).meshes, "unless told, nothing above is read"


def test_a_package_is_found_by_its_manifest_where_the_robot_is_in_it(tmp_path):
    clone = tmp_path / "Arm_ROS2"
    for name in ("urdf", "meshes"):
        (clone / name).mkdir(parents=True)
    (clone / "package.xml").write_text("<package><name>arm_description</name></package>")
    (clone / "meshes" / "a.stl").write_text(TRIANGLE)
    (tmp_path / "outside.stl").write_text(TRIANGLE)

    def read(name):
        shape = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
        text = ARM.replace('<link name="base"/>', f'<link name="base">{shape}</link>')
        return load(clone / "urdf", text, meshes=True)

    assert read("package://arm_description/meshes/a.stl").meshes
    assert read("../meshes/a.stl").meshes
    for outside in ("package://arm_description/../outside.stl", "../../outside.stl"):
        assert not read(outside).meshes
    (note,) = [one for one in read("package://arm_description/b.stl").notes if "b.stl" in one.text]
    assert str(clone / "b.stl") in note.text, "the message has the package's folder"


def test_a_joint_without_limits_is_free_and_noted(tmp_path):
    text = ARM.replace('<limit lower="-1.5" upper="7" effort="1" velocity="1"/>', "")
    arm = load(tmp_path, text)
    assert arm.skeleton.joints[arm.skeleton.index("shoulder")] == supple.Hinge("z")
    assert any("no limits" in note.text for note in arm.notes)


@pytest.mark.skipif(not SHARED.is_dir(), reason="real robots are not at hand")
def test_every_real_robot_loads():
    paths = [Path(r) / n for r, _, names in os.walk(SHARED) for n in names if n.endswith(".urdf")]
    assert len(paths) >= 15
    for path in paths:
        character = supple.load(path)
        assert len(robot.joint_names(character)) > 0 or "double" in path.name


@pytest.mark.skipif(not SHARED.is_dir(), reason="real robots are not at hand")
def test_real_robots_stand_as_yourdfpy_has_them():
    yourdfpy = pytest.importorskip("yourdfpy")
    for name in ("panda_description/urdf/panda", "romeo_description/urdf/romeo_small"):
        path = SHARED / "example-robot-data" / f"{name}.urdf"
        other = yourdfpy.URDF.load(path, load_meshes=False)
        character = supple.load(path)
        names = robot.joint_names(character)
        q = np.linspace(-0.4, 0.5, len(names))
        pose = robot.from_joint_vector(character, q)
        other.update_cfg(dict(zip(names, q, strict=True)))
        for link in other.link_map:
            T = other.get_transform(link)
            assert np.allclose(pose.frames[character.skeleton.index(link)], T, atol=1e-12), link


def test_a_file_in_utf_16_says_so_itself(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(
        ARM.replace('version="1.0"', 'version="1.0" encoding="UTF-16"').encode("utf-16")
    )
    assert supple.load(path).skeleton.joint_names == load(tmp_path, ARM).skeleton.joint_names


def test_numbers_of_visuals_that_are_none_are_no_matter(tmp_path):
    visual = '<link name="hand"><visual><origin xyz="0 nan 0" rpy="inf 0 0"/>'
    visual += '<geometry><box size="1 1 1"/></geometry></visual></link>'
    text = ARM.replace('<link name="hand"/>', visual)
    assert len(load(tmp_path, text).skeleton) == len(load(tmp_path, ARM).skeleton)


ODD = {
    "a capsule to collide with": (
        "link",
        '<collision><geometry><capsule radius="1" length="2"/></geometry></collision>',
        "shape 'capsule'",
    ),
    "a prefixed shape": (
        "link",
        '<collision><geometry><d:ellipsoid xmlns:d="urn:d"/></geometry></collision>',
        "shape 'ellipsoid'",
    ),
    "a collision without geometry": ("link", "<collision/>", None),
    "an empty geometry": ("link", "<collision><geometry/></collision>", None),
    "a box without a size": (
        "link",
        "<collision><geometry><box/></geometry></collision>",
        None,
    ),
    "a visual of an unknown shape": (
        "link",
        '<visual><geometry><capsule radius="1" length="2"/></geometry></visual>',
        None,
    ),
    "a visual without geometry": ("link", '<visual name="v"/>', None),
    "a cylinder of no number": (
        "link",
        '<visual><geometry><cylinder radius="r" length="1"/></geometry></visual>',
        None,
    ),
    "an origin of no numbers": (
        "link",
        '<visual><origin xyz="a b"/><geometry><box size="1 1 1"/></geometry></visual>',
        None,
    ),
    "inertia of no numbers": (
        "link",
        '<inertial><mass value="heavy"/><inertia ixx="?"/><origin xyz="1"/></inertial>',
        None,
    ),
    "an unknown tag": ("robot", '<sensor xyz="nowhere"><box/></sensor>', None),
    "a prefixed tag": ("robot", '<g:plugin xmlns:g="urn:g"><g:link/></g:plugin>', None),
    "an instruction": ("robot", "<?php echo 1 ?>", None),
    "a material of no color": ("robot", '<material name="m"><color rgba="red"/></material>', None),
    "a transmission": (
        "robot",
        '<transmission name="t"><joint name="elbow"><hardwareInterface/></joint></transmission>',
        None,
    ),
    "odd parts of a joint": (
        "joint",
        '<dynamics damping="much"/><calibration rising="?"/><safety_controller k_velocity="?"/>'
        '<gazebo xyz="nowhere" lower="?"/>',
        None,
    ),
}


@pytest.mark.parametrize("meshes", [False, True])
@pytest.mark.parametrize("odd", ODD)
def test_what_is_odd_does_not_stop_the_kinematics(tmp_path, odd, meshes):
    where, tag, noted = ODD[odd]
    if where == "link":
        text = ARM.replace('<link name="hand"/>', f'<link name="hand">{tag}</link>')
    elif where == "joint":
        text = ARM.replace('<axis xyz="0 0 1"/>', f'<axis xyz="0 0 1"/>{tag}')
    else:
        text = ARM.replace("</robot>", f"{tag}</robot>")
    assert text != ARM
    found = load(tmp_path, text, meshes=meshes)
    assert found.skeleton == load(tmp_path, ARM).skeleton
    notes = [note for note in found.notes if note.level == "warning"]
    if noted:
        (note,) = notes
        assert noted in note.text
        assert note.line == 3
    elif meshes and "<visual" in tag:
        (note,) = notes
        assert "left out" in note.text
        assert note.line == 3
    else:
        assert not notes
    assert found.meshes == ()


def test_limits_with_efforts_that_are_no_numbers(tmp_path):
    text = ARM.replace('upper="7" effort="1" velocity="1"', 'upper="7" effort="max" velocity=""')
    assert load(tmp_path, text).skeleton == load(tmp_path, ARM).skeleton


def test_a_visual_with_a_shape_that_is_known_beside_one_that_is_not(tmp_path):
    geometry = '<!-- or --><capsule radius="1" length="2"/><box size="1 2 3"/>'
    visual = f'<link name="hand"><visual><geometry>{geometry}</geometry></visual></link>'
    (mesh,) = load(tmp_path, ARM.replace('<link name="hand"/>', visual), meshes=True).meshes
    assert np.allclose(np.ptp(mesh.positions, axis=0), (1, 2, 3))


@pytest.mark.parametrize("start", ["<robot>", '<robot name="">'])
def test_a_robot_without_a_name_has_that_of_its_file(tmp_path, start):
    found = load(tmp_path, ARM.replace('<robot name="arm">', start))
    assert found.skeleton == load(tmp_path, ARM).skeleton
    (note,) = (note for note in found.notes if note.level == "warning")
    assert note.text == "the robot has no name: called 'arm'"
    assert note.line == 2
    assert found.extras["urdf"]["name"] == "arm"


def test_a_robot_in_a_namespace_of_its_own(tmp_path):
    text = ARM.replace('<robot name="arm">', '<robot name="arm" xmlns="http://example.org/robot">')
    assert load(tmp_path, text).skeleton == load(tmp_path, ARM).skeleton


def test_the_line_of_a_joint_is_that_of_its_own(tmp_path):
    """A transmission names joints too."""
    text = ARM.replace('xyz="0 2 0"', 'xyz="0 0 0"')
    text = text.replace("</robot>", '<transmission><joint name="elbow"/></transmission></robot>')
    with pytest.raises(supple.SuppleError, match=r"arm\.urdf:5: joint 'elbow': expected an axis"):
        load(tmp_path, text)


@pytest.mark.parametrize(
    "visual",
    [
        '<visual><geometry><box size="1 1"/></geometry></visual>',
        '<visual><geometry><box size="1 nan 1"/></geometry></visual>',
        '<visual><geometry><sphere radius="inf"/></geometry></visual>',
        '<visual><origin xyz="0 nan 0"/><geometry><box size="1 1 1"/></geometry></visual>',
        '<visual><origin xyz="0 0"/><geometry><box size="1 1 1"/></geometry></visual>',
        '<visual><geometry><box size="1 1 1"/></geometry><material><color rgba="1 1"/></material>'
        "</visual>",
        "<visual><geometry><mesh/></geometry></visual>",
    ],
)
def test_a_visual_that_cannot_be_made_is_left_out_and_noted(tmp_path, visual):
    good = '<visual><geometry><box size="1 2 3"/></geometry></visual>'
    text = ARM.replace('<link name="hand"/>', f'<link name="hand">{visual}{good}</link>')
    found = load(tmp_path, text, meshes=True)
    assert len(found.meshes) == 1
    assert np.allclose(np.ptp(found.meshes[0].positions, axis=0), (1, 2, 3))
    assert any("left out" in note.text for note in found.notes)


def test_limits_in_degrees_are_noted_with_their_line(tmp_path):
    text = ARM.replace('lower="-1.5" upper="7"', 'lower="-90" upper="120"')
    arm = load(tmp_path, text)
    (note,) = (note for note in arm.notes if "degrees" in note.text)
    assert note.level == "warning"
    assert note.line == 1 + ARM[: ARM.index('<joint name="shoulder"')].count("\n")
    assert "'shoulder': limits -90 to 120 look like degrees" in note.text
