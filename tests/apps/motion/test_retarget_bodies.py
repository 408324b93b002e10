"""Motions onto bodies that are not whole humans: legs or arms alone, animals, joints that copy others."""

import numpy as np
import pytest

import supple
from supple import BodyMap, Character, Hinge, Mimic, Node, Skeleton, SuppleError
from supple.apps.motion.retargeting.body import Body, unit

from .test_retarget import angles, places, robot, stroll


def hinge(axis):
    return Hinge(axis, limits=(-2.9, 2.9))


def legs_alone():
    """The legs of the robot, and a map of them."""
    whole = robot().skeleton
    names = [
        n for n in whole.joint_names if n == "base" or "hip" in n or "knee" in n or "ankle" in n
    ]
    nodes = [
        Node(n, whole.parent(n), whole.offsets[whole.index(n)], joint=whole.joints[whole.index(n)])
        for n in names
    ]
    skeleton = Skeleton(nodes).with_physics(geoms=[g for g in whole.geoms if g.joint in names])
    joints = {"hips": "base"}
    for side in ("left", "right"):
        joints[f"{side}_thigh"] = [f"{side}_hip_{n}_joint" for n in ("pitch", "roll", "yaw")]
        joints[f"{side}_shin"] = f"{side}_knee_joint"
        joints[f"{side}_foot"] = [f"{side}_ankle_{n}_joint" for n in ("pitch", "roll")]
    return Character(skeleton, up="z", unit="m"), BodyMap(joints)


def arms_alone(sides=("left", "right")):
    """Arms on a stand that does not move, and a map of them."""
    nodes, joints = [Node("stand", None, (0, 0, 1.0), joint=supple.Fixed())], {}
    for side in sides:
        parent, sign = "stand", 1 if side == "left" else -1
        for name, axis, offset in (
            ("shoulder_pitch", "y", (0, 0.2 * sign, 0)), ("shoulder_roll", "x", (0, 0, 0)),
            ("shoulder_yaw", "z", (0, 0, 0)), ("elbow", "y", (0, 0, -0.3)), ("wrist", "x", (0.3, 0, 0)),
        ):  # fmt: skip
            nodes.append(Node(f"{side}_{name}", parent, offset, joint=hinge(axis)))
            parent = f"{side}_{name}"
        joints[f"{side}_upper_arm"] = [f"{side}_shoulder_{n}" for n in ("pitch", "roll", "yaw")]
        joints |= {f"{side}_forearm": f"{side}_elbow", f"{side}_hand": f"{side}_wrist"}
    return Character(Skeleton(nodes), up="z", unit="m"), BodyMap(joints)


def test_legs_alone_walk_by_a_map():
    machine, body_map = legs_alone()
    source = stroll()
    made = supple.retarget(source, machine, fps=30, target_map=body_map)
    both = [places(source[::2], "y"), places(made.motion, "z", body_map)]
    for side in ("left", "right"):
        for a, b in (("hip", "knee"), ("knee", "ankle")):
            x, y = (unit(at[f"{side}_{b}"] - at[f"{side}_{a}"]) for at in both)
            assert np.arccos(np.clip((x * y).sum(-1), -1, 1)).mean() < 0.15, (side, b)
    body = Body(machine.skeleton, body_map, "z")
    corners = np.concatenate([sole.corners for sole in body.soles.values()])
    assert len(corners) == 8
    ankle = made.motion.poses.position("right_ankle_roll_joint")
    assert np.ptp(ankle[5:-5, :2], axis=0).max() < 0.01  # the right foot stands all the time


@pytest.mark.parametrize("sides", [("left", "right"), ("left",), ("right",)])
def test_arms_alone_move_as_seen_from_the_trunk(sides):
    machine, body_map = arms_alone(sides)
    for yaw in (0.0, 2.0):
        source = stroll(yaw=yaw)
        made = supple.retarget(source, machine, fps=30, target_map=body_map)
        whole, mine = places(source[::2], "y"), places(made.motion, "z", body_map)
        left = unit(whole["left_shoulder"] - whole["right_shoulder"])
        for side in sides:
            for a, b in (("shoulder", "elbow"), ("elbow", "wrist")):
                x = unit(whole[f"{side}_{b}"] - whole[f"{side}_{a}"])
                y = unit(mine[f"{side}_{b}"] - mine[f"{side}_{a}"])
                # Upward and leftward parts are those about the trunk, which sways by 0.1 rad.
                assert np.abs(x[:, 2] - y[:, 2]).mean() < 0.15, (side, b)
                assert np.abs((x * left).sum(1) - y[:, 1]).mean() < 0.15, (side, b)


def test_a_map_with_half_a_limb_or_one_leg_is_refused():
    machine, body_map = legs_alone()
    half = {role: group for role, group in body_map.joints.items() if role != "left_foot"}
    with pytest.raises(SuppleError, match="left_foot"):
        supple.retarget(stroll(), machine, target_map=BodyMap(half))
    one = {role: group for role, group in body_map.joints.items() if "right" not in role}
    with pytest.raises(SuppleError, match="right_thigh"):
        supple.retarget(stroll(), machine, target_map=BodyMap(one))
    with pytest.raises(SuppleError, match="left_thigh"):
        supple.retarget(stroll(), machine, target_map=BodyMap({"hips": "base"}))


def test_a_robot_without_arms_is_refused_with_what_to_do():
    machine, _ = legs_alone()
    with pytest.raises(SuppleError, match="a map .* legs or arms alone"):
        supple.retarget(stroll(), machine)


def quadruped():
    """An animal with a lying trunk, y up, its limbs called as a human's."""
    nodes = [Node("Hips", None, (0, 0.6, 0)), Node("Spine", "Hips", (0, 0, 0.3)),
             Node("Chest", "Spine", (0, 0, 0.3)), Node("Neck", "Chest", (0, 0.15, 0.15)),
             Node("Head", "Neck", (0, 0.1, 0.1))]  # fmt: skip
    for side, sign in (("Left", 1), ("Right", -1)):
        for top, names in (
            ("Hips", ("UpLeg", "Leg", "Foot")),
            ("Chest", ("Arm", "ForeArm", "Hand")),
        ):
            parent, offset = top, (0.12 * sign, -0.05, 0)
            for name in names:
                nodes.append(Node(side + name, parent, offset))
                parent, offset = side + name, (0, -0.25, 0.02)
    return Skeleton(nodes)


def test_four_legged_bodies_are_refused_by_name():
    with pytest.raises(SuppleError, match="stands on four or more.*'LeftArm'.*'LeftUpLeg'.*a map"):
        BodyMap.recognize(quadruped())
    with pytest.raises(SuppleError, match="stands on four"):
        supple.retarget(stroll(), Character(quadruped(), up="y"))


def test_a_human_that_crawls_is_no_animal():
    source = stroll()
    lying = source.skeleton.rest.with_(
        {"Hips": supple.rotations.from_axis_angle("x", np.full(8, np.pi / 2))}
    )
    BodyMap.recognize(source.skeleton, poses=lying)


def test_joints_that_copy_others_move_with_them():
    """A hip whose yaw is driven by another joint turns the leg as a hip without a gear does."""
    plain = robot()
    nodes = []
    for name in plain.skeleton.joint_names:
        j = plain.skeleton.index(name)
        joint = plain.skeleton.joints[j]
        if name.endswith("hip_yaw_joint"):
            joint = Hinge("z", mimic=Mimic(name.replace("joint", "drive"), -0.8))
        nodes.append(
            Node(name, plain.skeleton.parent(name), plain.skeleton.offsets[j], joint=joint)
        )
        if name.endswith("hip_yaw_joint"):
            nodes.append(
                Node(
                    name.replace("joint", "drive"),
                    name,
                    (0, 0, 0),
                    joint=Hinge("z", limits=(-2, 2)),
                )
            )
    geared = Character(Skeleton(nodes).with_physics(geoms=plain.skeleton.geoms), up="z", unit="m")
    joints = dict(BodyMap.recognize(plain.skeleton, up="z").joints)
    source = stroll()
    # Toes out: the legs turn about themselves.
    turned = source.poses.with_({
        f"{side}UpLeg": supple.rotations.multiply(
            supple.rotations.from_axis_angle("y", sign * 0.5 * np.ones(len(source))),
            source.poses.local_rotations[:, source.skeleton.index(f"{side}UpLeg")])
        for side, sign in (("Left", 1), ("Right", -1))
    })  # fmt: skip
    source = source.with_(poses=turned)
    made = supple.retarget(source, geared, fps=30, target_map=BodyMap(joints))
    other = supple.retarget(source, plain, fps=30)
    got, want = (
        angles(places(source[::2], "y"), places(one.motion, "z", BodyMap(joints)))
        for one in (made, other)
    )
    for end, angle in got.items():
        assert angle < want[end] + 0.02, end
    skeleton, q = made.motion.skeleton, np.asarray(made.motion.poses.coordinates)
    column = skeleton.freedom_table.joints.coordinate
    yaw, drive = (q[:, column[skeleton.index(f"left_hip_yaw_{n}")]] for n in ("joint", "drive"))
    np.testing.assert_allclose(yaw, -0.8 * drive, atol=1e-9)
    assert np.abs(drive).max() > 0.1
