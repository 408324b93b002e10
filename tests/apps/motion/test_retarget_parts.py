"""The parts of retargeting: names, steps of feet, filters."""

import json

import numpy as np
import pytest

import supple
from supple import BodyMap, Motion
from supple.apps.motion.retargeting.footsteps import Shape, Steps, edges, fade, plan_steps
from supple.apps.motion.retargeting.names import side_and_stem
from supple.apps.motion.retargeting.performance import filtered


@pytest.mark.parametrize(
    ("name", "side", "stem"),
    [
        ("mixamorig:LeftUpLeg", "left", "upleg"),
        ("Bip01 R Thigh", "right", "thigh"),
        ("thigh_l", "left", "thigh"),
        ("upper_arm.R", "right", "upperarm"),
        ("J_Bip_L_UpperLeg", "left", "upperleg"),
        ("LHipJoint", "left", "hip"),
        ("rfemur", "right", "femur"),
        ("lShldr", "left", "shldr"),
        ("left_hip_pitch_joint", "left", "hip"),
        ("LeftForeArm", "left", "forearm"),
        ("upperarm_twist_01_l", "left", ""),
        ("RightHandIndex1", "right", ""),
        ("Spine1", None, "spine"),
    ],
)
def test_side_and_stem_of_names(name, side, stem):
    assert side_and_stem(name) == (side, stem)


def test_a_foot_that_stands_keeps_its_edges_on_the_ground_at_one_place():
    count = 90
    t = np.arange(count) / 30
    ankle = np.stack([0.05 * t, 0.01 * np.sin(5 * t), 0.06 + 0 * t], axis=1)
    ankle[40:60, 2] += 0.1 * np.sin(np.pi * np.arange(20) / 20)
    free = Steps(ankle, 0.1 * np.sin(t), 0.02 * np.sin(9 * t), np.ones(count, dtype=bool))
    stands = np.ones(count, dtype=bool)
    stands[38:62] = False
    shape = Shape(0.05, 0.12, 0.04, 0.04)
    planned = plan_steps(free, stands, stands, shape, fps=30.0)
    rear, front = edges(planned, shape)
    assert np.minimum(rear[:, 2], front[:, 2]).min() > -1e-12
    for run in (slice(0, 38), slice(62, count)):
        assert np.ptp(front[run, :2], axis=0).max() < 1e-4
        assert np.ptp(rear[run, :2], axis=0).max() < 1e-4
        assert np.abs(np.minimum(rear[run, 2], front[run, 2])).max() < 1e-12
    step = np.linalg.norm(np.diff(planned.ankle, axis=0), axis=1)
    assert step.max() < 1.5 * np.linalg.norm(np.diff(ankle, axis=0), axis=1).max()


def test_passages_between_known_values_are_smooth_and_meet_them():
    values = np.where(np.arange(40) < 20, 1.0, 3.0)[:, None]
    known = (np.arange(40) < 10) | (np.arange(40) >= 30)
    out = fade(values, known)[:, 0]
    assert np.all(out[known] == values[known, 0])
    assert np.abs(np.diff(out, n=2)).max() < 0.05
    assert np.all(np.diff(out) >= 0)
    assert np.all(fade(values, np.zeros(40, dtype=bool)) == 0)


def test_the_filter_keeps_what_is_slow_and_takes_what_is_fast():
    skeleton = supple.chain([1, 1])
    t = np.arange(240) / 120
    slow, fast = 0.5 * np.sin(2 * np.pi * t), 0.1 * np.sin(2 * np.pi * 40 * t)
    turn = supple.rotations.from_axis_angle("z", slow + fast)
    motion = Motion("m", skeleton.rest.with_({skeleton.joint_names[0]: turn}), fps=120)
    out = filtered(motion, 0.008).poses.local_rotations[:, 0]
    off = supple.rotations.angle_between(out, supple.rotations.from_axis_angle("z", slow))[5:-5]
    assert off.max() < 0.3 * 0.1
    assert filtered(motion, 0.0) is motion


@pytest.mark.parametrize("version", ["VRM", "VRMC_vrm"])
def test_humanoid_bones_of_vrm_are_read(tmp_path, version):
    hero = supple.humanoid()
    supple.save(hero.with_(meshes=(), motions={}), tmp_path / "hero.gltf")
    data = json.loads((tmp_path / "hero.gltf").read_text())
    nodes = {node["name"]: k for k, node in enumerate(data["nodes"]) if "name" in node}
    bones = {"hips": nodes["pelvis"], "leftUpperLeg": nodes["thigh.L"]}
    if version == "VRM":
        human = [{"bone": bone, "node": node} for bone, node in bones.items()]
    else:
        human = {bone: {"node": node} for bone, node in bones.items()}
    data["extensions"] = {version: {"humanoid": {"humanBones": human}}}
    (tmp_path / "hero.gltf").write_text(json.dumps(data))
    read = supple.load(tmp_path / "hero.gltf")
    assert read.extras["gltf"]["humanoid"] == {"hips": "pelvis", "leftUpperLeg": "thigh.L"}
    assert BodyMap.recognize(read.skeleton, bones=read.extras["gltf"]["humanoid"])[
        "left_thigh"
    ] == ("thigh.L",)
