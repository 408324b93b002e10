"""What `retarget` gives a robot, the rest of the package agrees with: `Avoid`, `check` and limits."""

import numpy as np
import pytest

import supple
from supple import Avoid, Geom, Reach
from supple.bodies.pairs import contacts_of
from supple.rotations import from_axis_angle

from ..apps.motion.test_retarget import robot, stroll


def solid_robot():
    """The robot with a thick trunk, arms and thighs."""
    plain = robot()
    geoms = list(plain.skeleton.geoms)
    geoms.append(Geom("capsule", "waist_pitch", size=(0.09, 0.12), position=(0, 0, 0.16)))
    for side in ("left", "right"):
        for joint, place, half in (
            ("shoulder_yaw", (0, 0, -0.1), 0.06), ("elbow", (0.1, 0, 0), 0.06), ("hip_yaw", (0, 0, -0.15), 0.1),
        ):  # fmt: skip
            turn = (1.0, 0.0, 0.0, 0.0) if place[0] == 0 else from_axis_angle("y", np.pi / 2)
            geoms.append(
                Geom(
                    "capsule",
                    f"{side}_{joint}_joint",
                    size=(0.04, half),
                    position=place,
                    rotation=turn,
                )
            )
    return plain.with_(skeleton=plain.skeleton.with_physics(geoms=geoms))


@pytest.fixture(scope="module", params=[False, True], ids=["arms swing", "hands together"])
def made(request):
    return supple.retarget(stroll(together=request.param), solid_robot(), fps=30)


def named(made):
    """Whether notes speak of solid shapes that overlap."""
    return any("overlap" in note.text for note in made.notes)


def test_no_frame_collides_by_the_rule_of_avoid_or_the_notes_say_so(made):
    contacts = contacts_of(made.motion.skeleton)
    deepest = [contacts.deepest(made.motion.poses[f]) for f in range(len(made.motion))]
    assert any(one is not None for one in deepest) == named(made)


def test_avoid_leaves_every_frame_alone(made):
    skeleton, poses = made.motion.skeleton, made.motion.poses
    assert not named(made), [note.text for note in made.notes]
    asked = supple.prepare(skeleton, [Reach("left_wrist_roll_joint"), Avoid(0.0)])
    for f in range(0, len(made.motion), 10):
        solved = asked(poses[f].position("left_wrist_roll_joint"), start=poses[f])
        assert solved.reached
        np.testing.assert_allclose(solved.pose.coordinates, poses[f].coordinates, atol=1e-6)


def test_check_finds_no_collisions_and_no_limits(made):
    found = supple.check(made.motion, up="z", kinds=["collision", "limits"])
    assert not found.faults
