"""Motions brought to other bodies: directions, feet, hands, rest poses, robots, and what does not matter."""

import numpy as np
import pytest

import supple
from supple import (
    Ball,
    BodyMap,
    Character,
    Free,
    Geom,
    Hinge,
    Mass,
    Motion,
    Node,
    Pose,
    Skeleton,
    SuppleError,
    Tip,
)
from supple.apps.motion.retargeting.body import Body, unit
from supple.rotations import angle_between, from_axis_angle, multiply, rotate

FPS = 60.0
LIMBS = [
    (f"{s}_{a}", f"{s}_{b}")
    for s in ("left", "right")
    for a, b in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
]


def person(*, leg=0.45, arm=0.28, drop=0.0, names=None, up="y", width=0.1):
    """A figure with y up that faces z, its arms `drop` rad below a T-pose."""
    c, s = np.cos(drop), np.sin(drop)
    nodes = [
        Node("Hips", None, (0, 2 * leg + 0.08, 0)),
        Node("Spine", "Hips", (0, 0.15, 0)),
        Node("Chest", "Spine", (0, 0.15, 0)),
        Node("Neck", "Chest", (0, 0.2, 0)),
        Node("Head", "Neck", (0, 0.1, 0)),
    ]
    tips = [Tip("Head end", "Head", (0, 0.2, 0))]
    for side, sign in (("Left", 1), ("Right", -1)):
        nodes += [
            Node(f"{side}Shoulder", "Chest", (0.04 * sign, 0.15, 0)),
            Node(f"{side}Arm", f"{side}Shoulder", (0.14 * sign, 0, 0)),
            Node(f"{side}ForeArm", f"{side}Arm", (arm * c * sign, -arm * s, 0)),
            Node(f"{side}Hand", f"{side}ForeArm", (arm * c * sign, -arm * s, 0)),
            Node(f"{side}UpLeg", "Hips", (width * sign, 0, 0)),
            Node(f"{side}Leg", f"{side}UpLeg", (0, -leg, 0.01)),
            Node(f"{side}Foot", f"{side}Leg", (0, -leg, -0.01)),
            Node(f"{side}ToeBase", f"{side}Foot", (0, -0.06, 0.13)),
        ]
        tips += [
            Tip(f"{side}Hand end", f"{side}Hand", (0.1 * c * sign, -0.1 * s, 0)),
            Tip(f"{side}Toe end", f"{side}ToeBase", (0, 0, 0.05)),
        ]
    if names:
        nodes = [
            node._replace(name=names(node.name), parent=node.parent and names(node.parent))
            for node in nodes
        ]
        tips = [tip._replace(joint=names(tip.joint)) for tip in tips]
    return Skeleton(nodes, tips)


def stroll(seconds=3.0, yaw=0.0, together=False):
    """It walks on the spot of its feet: hips sway over feet that stand, one foot is lifted for a second; arms swing."""
    skeleton = person()
    t = np.arange(int(seconds * FPS)) / FPS
    lift = np.clip(1 - np.abs(t - 1.5) / 0.6, 0, 1) ** 2
    values = {
        "Hips": from_axis_angle("y", yaw + 0 * t),
        "Spine": from_axis_angle("x", 0.1 * np.sin(2 * t)),
    }
    for side, sign, bend in (("Left", 1, 0.5 + 0.9 * lift), ("Right", -1, 0.5 + 0 * t)):
        values[f"{side}UpLeg"] = from_axis_angle("x", -bend / 2)
        values[f"{side}Leg"] = from_axis_angle("x", bend)
        values[f"{side}Foot"] = from_axis_angle("x", -bend / 2)
        down = from_axis_angle("z", -sign * (1.1 + 0.1 * np.sin(3 * t)))
        values[f"{side}Arm"] = multiply(from_axis_angle("x", -0.4 * sign * np.sin(3 * t)), down)
        values[f"{side}ForeArm"] = from_axis_angle("y", -sign * (0.5 + 0.2 * np.sin(3 * t)))
        if together:
            values[f"{side}Arm"] = from_axis_angle("y", -sign * (1.3 + 0.03 * np.sin(3 * t)))
            values[f"{side}ForeArm"] = from_axis_angle("y", -sign * (1.0 + 0.03 * np.sin(3 * t)))
    poses = skeleton.rest.with_(values)
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    feet = Pose(skeleton, poses.coordinates).position("RightFoot")
    places[:, 0] += (
        rotate(from_axis_angle("y", yaw), np.array((0.0, 0.0, 0.02))) * np.sin(1.0 * t)[:, None]
    )  # it skates
    places[:, 0, 1] += 0.14 - feet[:, 1]
    return Motion("stroll", Pose(skeleton, poses.coordinates, places), fps=FPS)


def t_pose_first(motion):
    coordinates = np.concatenate([motion.skeleton.rest.coordinates[None], motion.poses.coordinates])
    places = np.concatenate([motion.skeleton.offsets[None], motion.poses.translations])
    return motion.with_(poses=Pose(motion.skeleton, coordinates, places))


def places(motion, up, body_map=None):
    body = Body(
        motion.skeleton, body_map or BodyMap.recognize(motion.skeleton, up=up), up, motion.poses
    )
    return body.places(body.frames(motion.poses))


def angles(a, b):
    """Between the limbs of two motions [rad], by limb, the mean over frames."""
    out = {}
    for top, end in LIMBS:
        x, y = (unit(at[end] - at[top]) for at in (a, b))
        out[end] = float(np.arccos(np.clip((x * y).sum(-1), -1, 1)).mean())
    return out


def robot():
    """A humanoid of hinges in metres, z up, facing x, with box feet: 24 hinges and a free root."""
    joint = {
        "x": Hinge((1, 0, 0), limits=(-1.5, 1.5)),
        "y": Hinge((0, 1, 0), limits=(-2.6, 2.6)),
        "z": Hinge((0, 0, 1), limits=(-1.5, 1.5)),
    }
    nodes = [
        Node("base", None, (0, 0, 0), joint=Free()),
        Node("waist_yaw", "base", (0, 0, 0.1), joint=joint["z"]),
        Node("waist_pitch", "waist_yaw", (0, 0, 0), joint=joint["y"]),
    ]
    geoms = []
    for side, sign in (("left", 1), ("right", -1)):
        chain = [
            ("hip_pitch", "y", (0, 0.08 * sign, 0)),
            ("hip_roll", "x", (0, 0, 0)),
            ("hip_yaw", "z", (0, 0, 0)),
            ("knee", "y", (0, 0, -0.3)),
            ("ankle_pitch", "y", (0, 0, -0.3)),
            ("ankle_roll", "x", (0, 0, 0)),
        ]
        parent = "base"
        for name, axis, offset in chain:
            nodes.append(Node(f"{side}_{name}_joint", parent, offset, joint=joint[axis]))
            parent = f"{side}_{name}_joint"
        geoms.append(Geom("box", parent, size=(0.1, 0.04, 0.01), position=(0.03, 0, -0.04)))
        chain = [
            ("shoulder_pitch", "y", (0, 0.18 * sign, 0.3)),
            ("shoulder_roll", "x", (0, 0, 0)),
            ("shoulder_yaw", "z", (0, 0, 0)),
            ("elbow", "y", (0, 0, -0.2)),
            ("wrist_roll", "x", (0.2, 0, 0)),
        ]
        parent = "waist_pitch"
        for name, axis, offset in chain:
            nodes.append(
                Node(
                    f"{side}_{name}_joint",
                    parent,
                    offset,
                    joint=Hinge(np.eye(3)["xyz".index(axis)], limits=(-2.9, 2.9)),
                )
            )
            parent = f"{side}_{name}_joint"
    skeleton = Skeleton(nodes).with_physics(geoms=geoms)
    return Character(skeleton, up="z", unit="m")


# Recognition --------------------------------------------------------------------------------------

STYLES = {
    "mixamo": lambda n: {"Chest": "mixamorig:Spine1"}.get(n, f"mixamorig:{n}"),
    "unreal": lambda n: _table(
        n,
        "{}_{}",
        "lr",
        {
            "Shoulder": "clavicle",
            "Arm": "upperarm",
            "ForeArm": "lowerarm",
            "Hand": "hand",
            "UpLeg": "thigh",
            "Leg": "calf",
            "Foot": "foot",
            "ToeBase": "ball",
        },
        {
            "Hips": "pelvis",
            "Spine": "spine_01",
            "Chest": "spine_02",
            "Neck": "neck_01",
            "Head": "head",
        },
    ),
    "biped": lambda n: _table(
        n,
        "Bip01 {1} {0}",
        "LR",
        {
            "Shoulder": "Clavicle",
            "Arm": "UpperArm",
            "ForeArm": "Forearm",
            "Hand": "Hand",
            "UpLeg": "Thigh",
            "Leg": "Calf",
            "Foot": "Foot",
            "ToeBase": "Toe0",
        },
        {
            "Hips": "Bip01 Pelvis",
            "Spine": "Bip01 Spine",
            "Chest": "Bip01 Spine1",
            "Neck": "Bip01 Neck",
            "Head": "Bip01 Head",
        },
    ),
    "smpl": lambda n: _table(
        n,
        "{1}_{0}",
        "LR",
        {
            "Shoulder": "Collar",
            "Arm": "Shoulder",
            "ForeArm": "Elbow",
            "Hand": "Wrist",
            "UpLeg": "Hip",
            "Leg": "Knee",
            "Foot": "Ankle",
            "ToeBase": "Foot",
        },
        {"Hips": "Pelvis", "Spine": "Spine1", "Chest": "Spine2", "Neck": "Neck", "Head": "Head"},
    ),
    "vrm": lambda n: _table(
        n,
        "J_Bip_{1}_{0}",
        "LR",
        {
            "Shoulder": "Shoulder",
            "Arm": "UpperArm",
            "ForeArm": "LowerArm",
            "Hand": "Hand",
            "UpLeg": "UpperLeg",
            "Leg": "LowerLeg",
            "Foot": "Foot",
            "ToeBase": "ToeBase",
        },
        {
            "Hips": "J_Bip_C_Hips",
            "Spine": "J_Bip_C_Spine",
            "Chest": "J_Bip_C_Chest",
            "Neck": "J_Bip_C_Neck",
            "Head": "J_Bip_C_Head",
        },
    ),
    "none": lambda n: f"bone{sum(map(ord, n)) * 7919 % 100003}",
}


def _table(name, form, letters, sided, middle):
    for side, letter in (("Left", letters[0]), ("Right", letters[1])):
        if name.startswith(side):
            return form.format(sided[name[len(side) :]], letter)
    return middle[name]


@pytest.mark.parametrize("style", STYLES)
def test_parts_are_recognized_in_the_usual_names_and_by_place(style):
    names = STYLES[style]
    found = BodyMap.recognize(person(names=names), up="y")
    for side in ("Left", "Right"):
        for part, role in (
            ("UpLeg", "thigh"),
            ("Leg", "shin"),
            ("Foot", "foot"),
            ("Arm", "upper_arm"),
            ("ForeArm", "forearm"),
            ("Hand", "hand"),
        ):
            assert found[f"{side.lower()}_{role}"] == (names(f"{side}{part}"),)
    assert found["hips"] == (names("Hips"),)
    assert found["spine"] == (names("Spine"), names("Chest"))


def test_hinges_of_a_robot_are_one_joint_of_a_body():
    found = BodyMap.recognize(robot().skeleton, up="z")
    assert found["left_thigh"] == (
        "left_hip_pitch_joint",
        "left_hip_roll_joint",
        "left_hip_yaw_joint",
    )
    assert found["right_foot"] == ("right_ankle_pitch_joint", "right_ankle_roll_joint")
    assert found["left_upper_arm"][-1] == "left_shoulder_yaw_joint"
    assert found["spine"] == ("waist_yaw", "waist_pitch")


def test_bones_of_vrm_count_before_names():
    names = STYLES["none"]
    bones = {
        f"{s.lower()}{bone}": names(f"{s}{part}")
        for s in ("Left", "Right")
        for bone, part in (
            ("UpperLeg", "UpLeg"),
            ("LowerLeg", "Leg"),
            ("Foot", "Foot"),
            ("Toes", "ToeBase"),
            ("Shoulder", "Shoulder"),
            ("UpperArm", "Arm"),
            ("LowerArm", "ForeArm"),
            ("Hand", "Hand"),
        )
    }
    bones |= {
        "hips": names("Hips"),
        "spine": names("Spine"),
        "chest": names("Chest"),
        "head": names("Head"),
    }
    found = BodyMap.recognize(person(names=names), bones=bones)
    assert found["left_toe"] == (names("LeftToeBase"),)
    assert found["spine"] == (names("Spine"), names("Chest"))


def test_a_map_is_written_corrected_and_kept(tmp_path):
    found = BodyMap.recognize(robot().skeleton, up="z")
    found.save(tmp_path / "robot.toml")
    assert BodyMap.load(tmp_path / "robot.toml") == found
    text = (
        (tmp_path / "robot.toml")
        .read_text()
        .replace('left_shin = "left_knee_joint"', 'left_shin = "left_kne_joint"')
    )
    (tmp_path / "robot.toml").write_text(text)
    with pytest.raises(SuppleError, match="left_knee_joint"):
        supple.retarget(stroll(), robot(), target_map=BodyMap.load(tmp_path / "robot.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[joints]\nleft_knee = 'a'", "left_knee"),
        ("joints = 3", "joints"),
        ("[joints", "TOML"),
        ("[joints]\nhips = 4", "hips"),
    ],
)
def test_a_map_that_is_none_is_refused_with_its_file(tmp_path, text, words):
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(SuppleError, match=f"map.toml.*{words}"):
        BodyMap.load(tmp_path / "map.toml")


def test_hips_with_a_stub_above_and_arms_called_lo_are_found():
    skeleton = person(names=lambda n: {"LeftUpLeg": "LeftHip", "RightUpLeg": "RightHip"}.get(n, n))
    nodes = []
    for node in skeleton.nodes:
        if node.name in ("LeftHip", "RightHip"):
            stub = f"{node.name[0]}HipJoint"
            nodes.append(Node(stub, node.parent))
            node = node._replace(parent=stub)
        nodes.append(node)
    found = BodyMap.recognize(Skeleton(nodes, skeleton.tips))
    assert found["left_thigh"] == ("LeftHip",)
    style = lambda n: n.replace("ForeArm", "LoArm").replace("UpLeg", "Thigh")  # noqa: E731
    assert BodyMap.recognize(person(names=style))["left_forearm"] == ("LeftLoArm",)


def test_numbered_hinges_are_told_by_the_two_long_bones_of_a_limb():
    old = robot().skeleton
    parts = [n for n in old.joint_names if n.startswith("left")]
    legs, arms = parts[:6], parts[6:]
    number = {n: f"leg_left_{k}_joint" for k, n in enumerate(legs, 1)}
    number |= {n: f"arm_left_{k}_joint" for k, n in enumerate(arms, 1)}
    number |= {n.replace("left", "right"): m.replace("left", "right") for n, m in number.items()}
    names = lambda n: number.get(n, n)  # noqa: E731
    nodes = [n._replace(name=names(n.name), parent=n.parent and names(n.parent)) for n in old.nodes]
    found = BodyMap.recognize(Skeleton(nodes), up="z")
    assert found["left_thigh"] == tuple(f"leg_left_{k}_joint" for k in (1, 2, 3))
    assert found["left_shin"] == ("leg_left_4_joint",)
    assert found["left_foot"] == ("leg_left_5_joint", "leg_left_6_joint")
    assert found["left_upper_arm"] == tuple(f"arm_left_{k}_joint" for k in (1, 2, 3))
    assert found["left_forearm"] == ("arm_left_4_joint",)


def test_a_root_at_the_ground_is_no_foot():
    plain = person(names=lambda n: f"bone {int.from_bytes(n.encode())}")
    nodes = [Node("Armature", None)]
    nodes += [n._replace(parent=n.parent or "Armature") for n in plain.nodes]
    skeleton = Skeleton(nodes, plain.tips)
    found = BodyMap.recognize(skeleton)
    assert (
        len({found[f"{s}_{p}"] for s in ("left", "right") for p in ("thigh", "shin", "foot")}) == 6
    )


def test_a_skeleton_without_arms_is_refused_with_its_joints():
    snake = supple.chain([1, 1, 1])
    with pytest.raises(SuppleError, match="two arms and two legs"):
        supple.retarget(stroll(), snake)


# Characters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("drop", [0.0, 0.8, 1.4])
@pytest.mark.parametrize("size", [0.25, 0.45, 0.6])
def test_limbs_keep_their_directions_whatever_rest_pose_and_size(drop, size):
    clip = stroll()
    made = supple.retarget(clip, person(leg=size, drop=drop, arm=0.35), smooth=0)
    off = angles(places(clip, "y"), places(made.motion, "y"))
    assert max(v for k, v in off.items() if "elbow" in k or "wrist" in k) < 1e-3
    assert max(off.values()) < np.radians(6)
    assert made.scale == pytest.approx(size / 0.45, rel=0.01)
    assert len(made.motion) == len(clip)


def test_feet_that_stand_do_not_move():
    made = supple.retarget(stroll(), person(leg=0.3, width=0.14))
    stood = 0
    for ankle in ("LeftFoot", "RightFoot"):
        for start, stop in made.contacts[ankle]:
            place = made.motion.poses.position(ankle)[start:stop]
            assert np.ptp(place, axis=0).max() < 2e-3 * 0.6
            stood += stop - start
    assert stood > 100


def test_hands_that_are_close_keep_their_distance():
    clip = stroll(together=True)
    a = places(clip, "y")
    apart = np.linalg.norm(a["left_wrist"] - a["right_wrist"], axis=1)
    assert apart.max() < 0.55 * 0.56
    made = supple.retarget(clip, person(arm=0.4), smooth=0)
    b = places(made.motion, "y")
    assert np.allclose(
        np.linalg.norm(b["left_wrist"] - b["right_wrist"], axis=1), 0.4 / 0.28 * apart, atol=1e-3
    )


def test_a_leading_t_pose_is_recognized_and_said():
    clip = stroll()
    made = supple.retarget(t_pose_first(clip), person(leg=0.3))
    assert any("T-pose" in note.text for note in made.notes)
    assert len(made.motion) == len(clip) + 1
    assert not supple.retarget(clip, person(leg=0.3)).notes
    rest = supple.retarget(clip, person(leg=0.3))
    assert np.allclose(made.motion.poses.coordinates[1:], rest.motion.poses.coordinates, atol=1e-9)


def test_onto_the_humanoid_with_hinges_and_limits():
    clip = stroll()
    hero = supple.humanoid()
    made = supple.retarget(clip, hero, smooth=0)
    assert any("hinges" in note.text for note in made.notes)
    off = angles(places(clip, "y"), places(made.motion, "y"))
    assert max(v for k, v in off.items() if "elbow" in k or "wrist" in k) < np.radians(1)
    assert max(off.values()) < np.radians(10)
    assert made.motion.poses.violations().max() < 1e-9


def test_learnt_limits_of_a_character_hold():
    clip, target = stroll(), person(leg=0.3)
    free = supple.retarget(clip, target, smooth=0).motion
    calm = free.with_(poses=free.poses[:40])  # the foot is not lifted yet
    limited = supple.learn_limits(target, calm, margin=0.02)
    made = supple.retarget(clip, limited, smooth=0).motion
    assert free.on(limited).poses.violations().max() > 0.2
    assert made.poses.violations().max() < 1e-9
    turns = made.poses.local_rotations
    assert angle_between(turns[1:], turns[:-1]).max() < 0.2


def test_contacts_can_be_edited():
    clip = stroll()
    found = supple.retarget(clip, person(leg=0.3)).contacts
    edited = supple.retarget(clip, person(leg=0.3), contacts=found.remove("LeftFoot"))
    assert edited.contacts["LeftFoot"] == ()
    with pytest.raises(SuppleError, match="frames"):
        supple.retarget(clip, person(), contacts=supple.Contacts(3, {"LeftFoot": [(0, 2)]}))


# Robots -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walked():
    machine = robot()
    return machine, supple.retarget(stroll(), machine, fps=30)


def test_a_robot_keeps_its_limits_and_stands_still(walked):
    machine, made = walked
    poses = made.motion.poses
    for name in supple.robot.joint_names(machine):
        low, high = machine.skeleton.joints[machine.skeleton.index(name)].limits
        values = supple.robot.joint_vector(machine, poses, names=[name])
        assert low - 1e-9 <= values.min() and values.max() <= high + 1e-9
    body = Body(machine.skeleton, made.target_map, "z")
    frames = body.frames(poses)
    for side, ankle in (("left", "LeftFoot"), ("right", "RightFoot")):
        joint = body.carrier(f"{side}_foot")
        corners = np.stack(
            [
                frames[0][:, joint] + rotate(frames[1][:, joint], c)
                for c in body.soles[side].corners
            ],
            axis=1,
        )
        stands = np.isin(made.source_frames, np.flatnonzero(made.contacts.flags(ankle)))
        both = stands[1:] & stands[:-1]
        speed = np.linalg.norm(np.diff(corners.mean(1), axis=0), axis=1) * 30
        assert both.sum() > 20
        assert speed[both].mean() < 0.01
        assert np.abs(corners[stands].min(1)[:, 2]).max() < 0.01


def test_a_robot_keeps_the_directions_of_limbs(walked):
    machine, made = walked
    clip = stroll()[::2]
    body = Body(machine.skeleton, made.target_map, "z")
    off = angles(places(clip, "y"), body.places(body.frames(made.motion.poses)))
    assert np.mean(list(off.values())) < np.radians(6)


def test_a_robot_moves_the_same_wherever_the_source_faces_and_begins(walked):
    machine, made = walked
    names = supple.robot.joint_names(machine)
    here = supple.robot.joint_vector(machine, made.motion.poses, names=names)
    turned = supple.retarget(stroll(yaw=np.pi), machine, fps=30).motion.poses
    assert np.abs(supple.robot.joint_vector(machine, turned, names=names) - here).max() < 1e-6
    later = supple.retarget(stroll()[20:], machine, fps=30).motion.poses
    apart = np.abs(supple.robot.joint_vector(machine, later, names=names) - here[10:])
    assert apart[10:].max() < 0.05


def test_a_robot_without_a_free_root_is_refused():
    fixed = robot().skeleton.with_joints({"base": Ball()})
    with pytest.raises(SuppleError, match="Free"):
        supple.retarget(stroll(), fixed, onto_up="z")


# Hands on the own body -----------------------------------------------------------------------------


def held(left, right, seconds=1.5):
    """A person that stands, with its wrists at places [m] about its left and right hip or, if said, its head."""
    skeleton = person()
    rest = skeleton.rest
    goals = {
        hand: rest.position(about) + offset
        for hand, (about, offset) in {"LeftHand": left, "RightHand": right}.items()
    }
    reach = [supple.Reach(hand, place, depth=2) for hand, place in goals.items()]
    found = supple.solve(skeleton, reach)
    assert found.reached
    count = int(seconds * FPS)
    poses = supple.Pose(skeleton, np.tile(found.pose.coordinates, (count, 1)))
    return Motion("held", poses, fps=FPS)


HIPS = (("LeftUpLeg", (0.1, 0.12, 0.0)), ("RightUpLeg", (-0.1, 0.12, 0.0)))
HEAD = (("Head", (0.1, 0.16, 0.0)), HIPS[1])


@pytest.mark.parametrize("size", [{"leg": 0.3, "arm": 0.35}, {"leg": 0.6, "width": 0.16}])
def test_hands_on_the_hips_of_a_character_stay_on_its_hips(size):
    clip, target = held(*HIPS), person(**size)
    made = supple.retarget(clip, target, smooth=0)
    a, b = places(clip, "y"), places(made.motion, "y")
    for side in ("left", "right"):
        before, after = (at[f"{side}_wrist"] - at[f"{side}_hip"] for at in (a, b))
        ratio = np.linalg.norm(after, axis=1) / np.linalg.norm(before, axis=1)
        assert np.all((made.scale / 1.5 < ratio) & (ratio < made.scale * 1.5))
        cosine = (before * after).sum(1) / np.linalg.norm(before, axis=1)
        assert np.all(cosine / np.linalg.norm(after, axis=1) > 0.95)


@pytest.mark.parametrize("arm", [0.22, 0.35])
def test_a_hand_on_the_head_stays_on_the_head(arm):
    clip = held(*HEAD)
    b = places(supple.retarget(clip, person(arm=arm), smooth=0).motion, "y")
    a = places(clip, "y")
    before, after = (at["left_wrist"] - at["head"] for at in (a, b))
    assert np.abs(after - before).max() < 0.01  # all but the arms is the same


def test_hands_of_a_robot_stay_at_its_hips():
    machine = robot()
    made = supple.retarget(held(*HIPS), machine, fps=30)
    body = Body(machine.skeleton, made.target_map, "z")
    at = body.places(body.frames(made.motion.poses))
    before = np.linalg.norm((0.1, 0.12))
    for side in ("left", "right"):
        far = np.linalg.norm(at[f"{side}_wrist"] - at[f"{side}_hip"], axis=1)
        assert far.max() < 1.6 * made.scale * before


def test_arms_that_swing_beside_the_body_do_not_touch_it():
    clip, target = stroll(), person(arm=0.35)
    made = supple.retarget(clip, target, smooth=0).motion
    assert np.allclose(
        *(at["left_wrist"] - at["left_elbow"] for at in
          (places(made, "y"), {k: v * 0.35 / 0.28 for k, v in places(clip, "y").items()})),
        atol=1e-3,
    )  # fmt: skip


# Balance ------------------------------------------------------------------------------------------


def heavy(ahead):
    """The robot with a trunk of 20 kg whose weight is so far ahead [m], and feet of 1 kg."""
    machine = robot()
    masses = {"waist_pitch": Mass(20.0, center=(ahead, 0, 0.1))}
    masses |= {f"{side}_ankle_roll_joint": Mass(1.0) for side in ("left", "right")}
    geoms = machine.skeleton.geoms
    return machine.with_(skeleton=machine.skeleton.with_physics(geoms=geoms, masses=masses))


def test_a_robot_that_stands_keeps_its_balance():
    clip = held(*HIPS)
    made = supple.retarget(clip, heavy(0.25), fps=30)
    assert made.balance.frames == len(made.motion)
    assert made.balance.before < 0.1 and made.balance.after == 1.0
    off = supple.retarget(clip, heavy(0.25), fps=30, balance=False)
    assert off.balance is None
    for one, near, far in ((made, 0.0, 0.13), (off, 0.15, 0.3)):
        poses = one.motion.poses
        feet = [poses.position(f"{side}_ankle_roll_joint") for side in ("left", "right")]
        away = np.linalg.norm((poses.center_of_mass - np.mean(feet, axis=0))[:, :2], axis=1)
        assert np.all((near < away) & (away < far))  # the soles reach 0.13 m ahead


def test_a_robot_in_balance_moves_as_without_asking():
    clip = held(*HIPS)
    asked, other = (
        supple.retarget(clip, heavy(0.0), fps=30, balance=flag) for flag in (True, False)
    )
    assert asked.balance.before == asked.balance.after == 1.0
    assert np.allclose(asked.motion.poses.coordinates, other.motion.poses.coordinates, atol=1e-9)


def test_balance_is_not_asked_of_a_source_that_is_fast_or_sits():
    clip = held(*HIPS)
    places = np.tile(clip.skeleton.offsets, (len(clip), 1, 1))
    places[:, 0, 2] += np.arange(len(clip)) / FPS  # [m]
    fast = clip.with_(poses=Pose(clip.skeleton, clip.poses.coordinates, places))
    assert supple.retarget(fast, heavy(0.25), fps=30).balance is None
    bent = {f"{s}UpLeg": from_axis_angle("x", -1.5) for s in ("Left", "Right")}
    bent |= {f"{s}Leg": from_axis_angle("x", 1.5) for s in ("Left", "Right")}
    places[:, 0] = clip.skeleton.offsets[0] - (0.0, 0.45, 0.0)
    sits = Pose(clip.skeleton, clip.poses.with_(bent).coordinates, places)
    assert supple.retarget(clip.with_(poses=sits), heavy(0.25), fps=30).balance is None
