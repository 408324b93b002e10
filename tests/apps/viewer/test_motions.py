"""Motions of files: what a file opens with, and where goals are while one plays."""

import json

import numpy as np
import pytest

import supple
from supple import Character, Motion, SuppleError
from supple.apps.viewer.library import Library


@pytest.fixture
def walker():
    """A chain that hangs far from its zero pose in one motion, and still farther in another."""
    skeleton = supple.chain([1.0] * 4)
    bent = [
        skeleton.pose({n: (0, 0, 0.3 + 0.05 * k) for n in skeleton.joint_names}) for k in range(5)
    ]
    turned = [skeleton.pose({n: (0, 0.5, 0.1 * k) for n in skeleton.joint_names}) for k in range(3)]
    motions = {"bent": Motion("bent", bent, fps=10), "turned": Motion("turned", turned, fps=10)}
    return Character(skeleton, motions=motions)


ROBOT = """<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/><body name="arm" pos="1 0 0">
<joint name="elbow" axis="0 0 1"/><geom size=".1"/></body></body></worldbody></mujoco>"""


def test_a_robot_is_opened_with_its_motion(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT)
    skeleton = supple.load(tmp_path / "robot.xml").skeleton
    poses = [skeleton.pose({"elbow": 0.1 * k}) for k in range(4)]
    supple.save(Motion("wave", poses, fps=10), tmp_path / "wave.npz")
    library = Library()
    robot = tmp_path / "robot.xml"
    subject = library.subject(library.open_file(robot, motions=[tmp_path / "wave.npz"]))
    assert [len(motion) for motion in subject.motions.values()] == [4]


def test_a_motion_for_what_has_none_is_refused(tmp_path):
    rules = tmp_path / "rules.cga"
    rules.write_text("Lot --> extrude(2)")
    with pytest.raises(SuppleError, match="expected a character or robot for the motion"):
        Library().open_file(rules, motions=[tmp_path / "walk.bvh"])


def opened(page, character):
    return f"file:{page.library.open_object(character)}"


def test_the_first_motion_can_be_asked_for_without_its_name(page, walker):
    scene = page.set_up(scene=opened(page, walker), motion="")
    first = walker.motions["bent"].at(0.0)
    assert scene["motion"] == "bent" and page.packet("motion")["head"]["name"] == "bent"
    assert np.allclose(scene["places"][0]["position"], first.position("tip"))
    low, high = first.positions.min(axis=0), first.positions.max(axis=0)
    assert np.allclose(scene["center"], (low + high) / 2), "looked at as it stands in the motion"
    every = walker.motions["bent"].poses.positions.reshape(-1, 3)
    assert np.allclose(scene["box"], [every.min(axis=0), every.max(axis=0)]), "with room to move"
    shown = page.until(lambda: page.poses and page.poses[-1])
    assert np.allclose(shown["values"][:, :3], first.positions, atol=1e-5)


def test_where_there_is_no_motion_none_plays(page):
    scene = page.set_up(scene=opened(page, supple.chain([1, 1])), motion="")
    assert scene["motion"] is None


def test_another_motion_begins_at_its_first_frame(page, walker):
    name = opened(page, walker)
    page.set_up(scene=name, motion="bent")
    page.want(("goal", (1.0, 2.0, 1.0)), time=0.3)
    scene = page.set_up(scene=name, motion="turned")
    first = walker.motions["turned"].at(0.0)
    assert np.allclose(scene["places"][0]["position"], first.position("tip"))
    assert page.session.want is None, "the goals of the other motion do not pull"
    assert np.allclose(page.session.poses[0].positions, first.positions)
    again = page.set_up(scene=name, motion="turned", limits=True)
    assert np.allclose(again["box"], scene["box"])


def test_a_motion_plays_as_it_is_until_a_goal_is_placed(page, walker):
    page.set_up(scene=opened(page, walker), motion="bent")
    shown = page.want(time=0.4)
    there = walker.motions["bent"].at(0.4)
    assert shown["status"] == "" and np.allclose(shown["values"][:, :3], there.positions, atol=1e-5)
    goal = there.position("tip") + (0.2, -0.3, 0.1)
    corrected = page.want(("goal", goal.tolist()), time=0.4)
    assert corrected["reached"] and np.allclose(corrected["values"][-1, :3], goal, atol=1e-3)


def test_a_motion_is_saved_as_it_plays(page, walker, tmp_path):
    page.set_up(scene=opened(page, walker), motion="bent")
    page.want(time=0.4)
    page.send("save", format="bvh")
    file = page.packet("file")
    path = tmp_path / file["head"]["name"]
    path.write_bytes(file["data"].tobytes())
    saved = next(iter(supple.load(path).motions.values()))
    assert np.allclose(saved.poses.positions, walker.motions["bent"].poses.positions, atol=1e-4)


def test_a_saved_glb_plays_the_motion_that_plays(page, walker, tmp_path):
    """Not the pose of the moment at which it was saved."""
    page.set_up(scene=opened(page, walker), motion="bent")
    page.want(time=0.4)
    page.send("save", format="glb")
    data = page.packet("file")["data"].tobytes()
    size = int.from_bytes(data[12:16], "little")
    assert json.loads(data[20 : 20 + size])["animations"][0]["name"] == "bent"


def test_goals_without_a_place_go_along_when_a_motion_is_corrected_and_saved(page, walker):
    goals = [{"id": "a", "effector": "tip"}, {"id": "b", "effector": "j2"}]
    page.set_up(scene=opened(page, walker), motion="bent", goals=goals)
    at = walker.motions["bent"].at(0.0).position("tip")
    page.want(("a", (at * 0.9).tolist()))
    page.send("save", format="glb")
    page.packet("file")
    assert not [m for m in page.messages if m["type"] == "refused"]
    targets = page.session.model.targets(page.session.places(), walker.motions["bent"].poses)
    assert [one.shape for one in targets] == [(3,), (5, 3)]
    assert np.allclose(targets[1], walker.motions["bent"].poses.position("j2"))


def test_resetting_the_pose_goes_back_to_the_first_frame(page, walker):
    first = page.set_up(scene=opened(page, walker), motion="bent")
    page.want(("goal", (1.0, 2.0, 1.0)), time=0.3)
    page.send("reset")
    page.until(lambda: page.messages[-1]["type"] == "scene" and page.messages[-1] != first)
    assert page.messages[-1]["places"] == first["places"]
