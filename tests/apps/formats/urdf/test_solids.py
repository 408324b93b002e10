"""Collision shapes and inertias of URDF robots, compared with MuJoCo."""

import mujoco
import numpy as np
import pytest

import supple
from supple import SuppleError, robot

ROBOT = """<robot name="r">
  <link name="base">
    <inertial><origin xyz="0 0 0.1" rpy="0.3 0.2 0.1"/><mass value="4"/>
      <inertia ixx="0.3" iyy="0.25" izz="0.2" ixy="0.01" ixz="0" iyz="-0.02"/></inertial>
    <collision name="trunk"><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/>
      <geometry><box size="1 2 3"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
    <collision><geometry><mesh filename="part.obj" scale="2 1 1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0.5 0"/><axis xyz="0 1 0"/></joint>
</robot>"""
PART = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def load(tmp_path, text=ROBOT, **options):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    (tmp_path / "part.obj").write_text(PART)
    return supple.load(path, **options)


def test_collisions_become_geoms(tmp_path):
    skeleton = load(tmp_path).skeleton
    box, cylinder, sphere = skeleton.geoms
    assert (box.kind, box.joint, box.name, box.size) == ("box", "base", "trunk", (0.5, 1, 1.5))
    assert box.position == (0, 0, 0.2)
    assert (cylinder.kind, cylinder.joint, cylinder.size) == ("cylinder", "shoulder", (0.1, 0.5))
    assert (sphere.kind, sphere.size) == ("sphere", (0.2,))
    assert any("1 collision meshes are not read" in note.text for note in load(tmp_path).notes)
    mesh = load(tmp_path, meshes=True).skeleton.geoms[3]
    assert mesh.kind == "mesh" and mesh.vertices.max(axis=0).tolist() == [2, 1, 1]


def test_the_center_of_mass_is_mujocos(tmp_path):
    character = load(tmp_path)
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>'
    text = ROBOT.replace('<robot name="r">', f'<robot name="r">{compiler}')
    text = text.replace(
        '<collision><geometry><mesh filename="part.obj" scale="2 1 1"/></geometry></collision>', ""
    )
    # MuJoCo takes the root link as the world: what it weighs is left out there.
    world = '<link name="world"/><joint name="up" type="floating"><parent link="world"/>'
    world += '<child link="base"/></joint>'
    text = text.replace('<link name="base">', f'{world}<link name="base">')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for angle in (0.0, 0.7, -2.0):
        data.qpos[-1] = angle
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        pose = robot.from_qpos(character, [angle])
        assert pose.center_of_mass == pytest.approx(data.subtree_com[0], abs=1e-12)
    mass = character.skeleton.masses["base"]
    assert np.sort(np.linalg.eigvalsh(mass.inertia)) == pytest.approx(
        np.sort(model.body_inertia[1])
    )


def test_masses_that_are_missing_are_said(tmp_path):
    bare = load(tmp_path, '<robot name="r"><link name="a"/></robot>')
    with pytest.raises(SuppleError, match="expected a model with masses"):
        _ = bare.pose.center_of_mass
    odd = load(tmp_path, ROBOT.replace('<mass value="2"/>', '<mass value="heavy"/>'))
    assert any("the inertia of link 'arm' is left out" in note.text for note in odd.notes)
    with pytest.raises(SuppleError, match="none for 'shoulder'"):
        _ = odd.pose.center_of_mass


def test_geoms_of_no_size_are_noted(tmp_path):
    odd = load(tmp_path, ROBOT.replace('<sphere radius="0.2"/>', '<sphere radius="0"/>'))
    assert len(odd.skeleton.geoms) == 2
    note = next(note for note in odd.notes if "a collision of link 'arm'" in note.text)
    assert "radius above 0" in note.text and note.line == 12
