"""Parts other than feet that bear on the ground, and a ground that nothing goes below."""

import numpy as np

import supple
from supple import Geom, Motion, Pose
from supple.rotations import from_axis_angle

from .test_retarget import FPS, person, robot


def kneeling(seconds=2.0):
    """A figure on hands and knees that sways a little: trunk level, thighs and arms down, shins on the ground."""
    skeleton, count = person(), int(seconds * FPS)
    t = np.arange(count) / FPS
    values = {"Hips": from_axis_angle("x", np.pi / 2 + 0 * t)}
    for side, sign in (("Left", 1), ("Right", -1)):
        values[f"{side}UpLeg"] = from_axis_angle("x", -np.pi / 2 + 0.05 * np.sin(2 * t))
        values[f"{side}Leg"] = from_axis_angle("x", np.pi / 2 - 0.05 * np.sin(2 * t))
        values[f"{side}Foot"] = from_axis_angle("x", 1.14 + 0 * t)  # toes behind
        values[f"{side}Arm"] = from_axis_angle("y", -sign * np.pi / 2 + 0 * t)
    poses = skeleton.rest.with_(values)
    places = np.tile(skeleton.offsets, (count, 1, 1))
    knee = Pose(skeleton, poses.coordinates).position("LeftLeg")
    places[:, 0] -= knee - np.array((0.0, 0.05, 0.0))
    places[:, 0, 0] -= places[:, 0, 0].mean()
    return Motion("kneeling", Pose(skeleton, poses.coordinates, places), fps=FPS)


def test_knees_that_bear_are_contacts_and_feet_below_them_are_not():
    made = supple.retarget(kneeling(), robot(), fps=30, up="y")
    for side in ("Left", "Right"):
        assert made.contacts.flags(f"{side}Leg").mean() > 0.9
        assert not made.contacts.flags(f"{side}Foot").any()


def test_knees_that_bear_stay_where_they_are_and_nothing_is_below_the_ground():
    plain = robot()
    shins = [
        Geom("capsule", f"{side}_knee_joint", size=(0.04, 0.12), position=(0, 0, -0.15))
        for side in ("left", "right")
    ]
    machine = plain.with_(
        skeleton=plain.skeleton.with_physics(geoms=[*plain.skeleton.geoms, *shins])
    )
    made = supple.retarget(kneeling(), machine, fps=30, up="y")
    poses = made.motion.poses
    for side in ("left", "right"):
        knee = poses.position(f"{side}_knee_joint")
        assert np.ptp(knee[3:-3], axis=0).max() < 0.01
        assert knee[:, 2].min() > 0.03 and knee[:, 2].max() < 0.07  # a shin is 0.04 thick
        ankle = poses.position(f"{side}_ankle_pitch_joint")
        assert np.abs(ankle[:, 2] - knee[:, 2]).max() < 0.12  # the shin lies
