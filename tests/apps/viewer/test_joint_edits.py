"""What is changed of joints."""

import math

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Cone, Fixed, Free, Planar, Slider, rotations
from supple.apps.viewer.describe import _joint
from supple.apps.viewer.limits import Limited

AT = (2.0, 4.0, 1.5)


def test_limits_can_be_switched_and_edited(page):
    scene = page.set_up(scene="arm", flat=True)
    assert [j["limits"] for j in scene["joints"]] == [[None]] * 5
    scene = page.set_up(scene="arm", flat=True, limits=True)
    degrees = [math.degrees(j["limits"][0][1]) for j in scene["joints"]]
    assert degrees[1:3] == pytest.approx([120, 90])
    edit = {"j1": {"limits": [[-0.2, 0.3]]}}
    scene = page.set_up(scene="arm", flat=True, limits=True, joints=edit)
    assert scene["joints"][1]["limits"] == [[-0.2, 0.3]]
    page.want(("tip", (2.0, 1.0, 0.0)))
    angle = page.session.poses[0].angles[1]
    assert -0.2 <= angle <= 0.3


def test_a_cone_is_made_of_a_ball_and_active_limits_are_told(page):
    joints = {f"j{k}": {"swing": 0.2} for k in range(1, 4)}
    scene = page.set_up(scene="snake", links=4, limits=True, joints=joints)
    assert scene["joints"][1]["kind"] == "Cone" and scene["joints"][1]["swing"] == 0.2
    pose = page.want(("tip", (0.5, 1.0, 0.0)))
    assert not pose["reached"]
    assert set(pose["active"]) >= {1, 2, 3}, "all bent as far as they go"


def test_a_cone_has_four_half_angles_and_the_one_in_the_way_is_told(page):
    four = {"j1": {"tilts": [0.1, 0.9, 0.2, 0.3]}, "j2": {"lock": True}, "j3": {"lock": True}}
    scene = page.set_up(scene="snake", links=4, limits=True, joints=four)
    joint = scene["joints"][1]
    assert joint["tilts"] == [0.1, 0.9, 0.2, 0.3] and joint["swing"] == 0.9
    assert np.dot(joint["up"], joint["axes"][0]) == pytest.approx(0, abs=1e-12)
    assert scene["joints"][0]["tilts"] is None
    skeleton = page.session.model.skeleton
    up, axis = np.array(joint["up"]), np.array(joint["axes"][0])
    limits = Limited.of(skeleton)
    for way, half in ((-up, 0.1), (up, 0.9), (-np.cross(axis, up), 0.2), (np.cross(axis, up), 0.3)):
        for part, active in ((0.9, []), (1.0, [1])):
            turn = rotations.from_rotation_vector(part * half * np.cross(axis, way))
            assert limits.active(skeleton.rest.with_({"j1": turn})) == active
    again = page.set_up(scene="snake", links=4, limits=True, joints={"j1": {"swing": 0.5}})
    assert again["joints"][1]["tilts"] is None and again["joints"][1]["swing"] == 0.5


def test_a_joint_that_others_copy_has_the_limits_that_keep_them_inside_theirs():
    arm = supple.Skeleton(
        [
            supple.Node("source", None, (0, 0, 0), supple.Hinge("z", (-1.0, 1.0))),
            supple.Node("copy", "source", (1, 0, 0), supple.Hinge("z", (-1.0, 1.0), mimic=("source", 2.0, 0.0))),
            supple.Node("last", "copy", (1, 0, 0), Axes("xy", {"x": (0.0, 1.0), "y": (0.0, 1.0)}, frozen="y")),
        ],
        [supple.Tip("tip", "last", (1, 0, 0))],
    )  # fmt: skip
    shown = [_joint(arm, j, True) for j in range(3)]
    assert shown[0].limits == [(-0.5, 0.5)] and shown[1].limits == [(-1.0, 1.0)]
    assert shown[2].limits == [(0.0, 1.0), None]  # a frozen axis keeps what a pose has
    limits = Limited.of(arm)
    inside = arm.rest.with_({"last.x": 0.5})
    assert limits.active(inside) == []
    assert limits.active(inside.with_({"source": 0.5})) == [0, 1]
    assert limits.active(inside.with_({"last.x": 1.0})) == [2]


def test_damping_stiffness_and_stretch_reach_the_joints(page):
    joints = {"j1": {"damping": 0.5, "stiffness": 0.7}, "j2": {"damping": 0}}
    page.set_up(scene="snake", damping=0.1, stretch=2.0, joints=joints)
    made = page.session.model.skeleton.joints
    assert [j.damping for j in made[:4]] == [0.1, 0.5, None, 0.1]
    assert made[1].stiffness == 0.7 and made[0].stretch == (1.0, 2.0)
    assert page.want(("tip", (12.0, 3.0, 0.0)))["reached"], "stretched to what is out of reach"


def test_a_locked_joint_stays(page):
    page.set_up(scene="snake", joints={"j3": {"lock": True}})
    before = page.session.poses[0].local_rotations[3]
    page.want(("tip", AT))
    after = page.session.poses[0].local_rotations
    assert np.array_equal(after[3], before) and not np.allclose(after[2], before)


def test_the_pose_goes_on_through_changes_of_the_setup(page):
    page.set_up(scene="snake")
    before = page.want(("tip", AT))["values"]
    page.set_up(scene="snake", stretch=1.5)
    page.set_up(scene="snake", limits=False)
    last = page.until(lambda: page.poses[-1] if page.poses[-1]["revision"] == 3 else None)
    assert np.allclose(last["values"], before, atol=1e-5)


def test_flat_chains_stay_in_their_plane(page):
    page.set_up(scene="snake", flat=True)
    pose = page.want(("tip", (3.0, 4.0, 0.0)))
    assert pose["reached"] and np.allclose(pose["values"][:, 2], 0)


def test_lengths_are_taken(page):
    page.set_up(scene="snake", lengths=[3, 2, 1])
    assert page.session.model.skeleton.length("tip", root="j0") == 6


@pytest.mark.parametrize(("joint", "labels", "slides", "swings"), [
    (Planar("y", {"u": (0, 1)}), ["u", "v", "angle"], 2, False),
    (Slider("x"), [""], 1, False),
    (Axes("zx"), ["z", "x"], 0, False),
    (Cone(1.0, axis="y"), ["twist"], 0, True),
    (Ball(), [], 0, True),
    (Free(), [], 0, False),
    (Fixed(), [], 0, False),
])  # fmt: skip
def test_joints_tell_the_page_which_of_their_limits_are_lengths(joint, labels, slides, swings):
    told = _joint(supple.chain([1.0], joint=joint), 0, True)
    assert (told.labels, told.slides, told.swings) == (labels, slides, swings)
    assert len(told.axes) == len(told.limits) == len(labels)
