"""Motions in the mirror."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Hinge, Motion, Node, Pose, Skeleton, SuppleError, Tip
from supple.model.mirror import partner
from supple.rotations import from_euler


def figure(left=Ball(), right=Ball(), turned=False):  # noqa: B008
    """Hips with a leg on each side; with `turned`, frames that mirror each other."""
    spin = from_euler("xyz", (0.3, 0.4, 0.5)) if turned else (1, 0, 0, 0)
    mirrored = np.array(spin) * (1, 1, -1, -1)
    return Skeleton(
        [
            Node("hips", None, (0, 1, 0)),
            Node("LeftLeg", "hips", (1, 0, 0), left, spin),
            Node("RightLeg", "hips", (-1, 0, 0), right, mirrored),
        ],
        [Tip("LeftFoot", "LeftLeg", (0, -1, 0.5) if not turned else _into(spin, (0, -1, 0.5))),
         Tip("RightFoot", "RightLeg", (0, -1, 0.5) if not turned else _into(mirrored, (0, -1, 0.5)))],
    )  # fmt: skip


def _into(q, v):
    return supple.rotations.rotate(supple.rotations.conjugate(q), v)


@pytest.mark.parametrize("turned", [False, True])
def test_positions_are_mirrored_and_sides_change(turned):
    skeleton = figure(turned=turned)
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(6, 3, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    places = skeleton.offsets + rng.normal(size=(6, 3, 3))
    motion = Motion("walk", Pose(skeleton, turns.reshape(6, 12), places), fps=30)
    seen = motion.mirrored()
    flip = np.array([-1, 1, 1])
    for mine, other in (("hips", "hips"), ("LeftLeg", "RightLeg"), ("RightLeg", "LeftLeg"),
                        ("LeftFoot", "RightFoot")):  # fmt: skip
        assert np.allclose(seen.poses.position(mine), motion.poses.position(other) * flip)
    assert np.allclose(seen.mirrored().poses.positions, motion.poses.positions)
    assert seen.name == "walk mirrored"


def test_joints_of_numbers_are_mirrored_too():
    skeleton = figure(Axes("xyz"), Axes("xyz"))
    pose = skeleton.pose({"LeftLeg": (0.1, 0.2, 0.3), "RightLeg": (1.0, 0.0, 0.0)})
    seen = Motion("m", [pose], fps=1).mirrored()[0]
    assert np.allclose(seen.coordinates[4:], [1.0, 0, 0, 0.1, -0.2, -0.3])
    hinges = figure(Hinge("x"), Hinge("x"))
    seen = Motion("m", [hinges.pose({"LeftLeg": 4.0})], fps=1).mirrored()[0]
    assert seen.coordinates[-1] % (2 * np.pi) == pytest.approx(4.0)


def test_other_axes_and_pairs():
    skeleton = figure()
    motion = Motion("m", [skeleton.pose({"hips": (0.3, 0.2, 0.1)})], fps=1)
    seen = motion.mirrored(axis="z", pairs={})
    flip = np.array([1, 1, -1])
    legs = seen.poses.position("LeftLeg") * flip
    assert np.allclose(legs, motion.poses.position("LeftLeg"))
    with pytest.raises(SuppleError, match="'LeftLeg'"):
        motion.mirrored(pairs={"LeftLge": "RightLeg"})
    with pytest.raises(SuppleError, match="axis"):
        motion.mirrored(axis="w")


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("LeftArm", "RightArm"),
        ("mixamorig:RightHandThumb1", "mixamorig:LeftHandThumb1"),
        ("arm_l", "arm_r"),
        ("Arm.L", "Arm.R"),
        ("Bip01 L Hand", "Bip01 R Hand"),
        ("lShldr", "rShldr"),
        ("LHipJoint", "RHipJoint"),
        ("upper_arm.R.001", "upper_arm.L.001"),
        ("ValveBiped.Bip01_R_Calf", "ValveBiped.Bip01_L_Calf"),
        ("Spine", "Spine"),
        ("Leftover", "Leftover"),
        ("Neck", "Neck"),
    ],
)
def test_twins_are_found_by_name(name, twin):
    assert partner(name, [name, twin, "Root"]) == twin
