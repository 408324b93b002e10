"""Collisions, balance, loops and goals on bones: what a session keeps of them, and what it tells."""

import numpy as np
import pytest

import supple
from supple.apps.viewer import bodies, body_scenes, scenes
from supple.apps.viewer.messages import BodiesSetup, BoxSetup, Setup
from supple.apps.viewer.subject import skeleton_subject

OFF = {"avoid": {"on": False}, "balance": {"on": False}, "loops": []}
HELD = {"kind": "weld", "a": "j3", "b": "k3", "point_a": [0, 0, 0.5]}


def told(page, kind):
    """The next message of a kind."""
    return page.until(lambda: next((m for m in page.messages if m["type"] == kind), None))


@pytest.mark.parametrize("name", body_scenes.SCENES)
def test_scenes_of_bodies_begin_with_everything_kept(page, name):
    scene = page.set_up(scene=name, limits=True)
    assert scene["about"].endswith(".") and scene["title"] == body_scenes.SCENES[name][0]
    own = [goal for goal in scene["goals"] if not goal["on"]]
    places = [place for place in scene["places"] if place["id"] in {one["id"] for one in own}]
    pose = page.want(*((one["id"], one["position"]) for one in places))
    assert pose["status"] == "reached", pose["reason"]


def test_an_arm_does_not_pass_through_the_chest_unless_it_may(page):
    inside = [0.0, 1.2, 0.0]
    page.set_up(scene="crossing", limits=True)
    assert page.want(("hand.R", inside))["status"] != "reached"
    assert page.session.solutions[0].collision_depth == 0
    page.set_up(scene="crossing", limits=True, bodies=OFF)
    assert page.want(("hand.R", inside))["status"] == "reached"


def test_balance_is_kept_unless_it_may_be_lost(page):
    far = [-0.3, 0.5, 0.9]
    page.set_up(scene="standing", limits=True)
    page.want(("hand.R", far))
    leaning = page.session.solutions[0]
    assert leaning.off_balance == 0
    page.set_up(scene="standing", limits=True, start="rest", bodies=OFF)
    page.want(("hand.R", far))
    ahead = page.session.solutions[0].pose.center_of_mass - leaning.pose.center_of_mass
    assert ahead[2] > 0.1, "without balance the body goes along"


def test_both_hands_stay_on_the_stick(page):
    scene = page.set_up(scene="stick", limits=True)
    (weld,) = scene["bodies"]["loops"]
    assert page.want(("stick", [0.15, 1.3, 0.4]))["status"] == "reached"
    pose = page.session.solutions[0].pose
    ends = [
        pose.frames[pose.skeleton.index(weld[bone])] @ [*weld[f"point_{bone}"], 1.0]
        for bone in "ab"
    ]
    assert np.allclose(*ends, atol=1e-6)


def test_a_goal_on_a_bone_goes_with_it(page):
    scene = page.set_up(scene="wrist", limits=True)
    goal = next(one for one in scene["goals"] if one["on"])
    pose = page.want(("hand.R", [-0.2, 1.4, 0.35]))
    assert pose["status"] == "reached", pose["reason"]
    solved = page.session.poses[0]
    carrier = solved.frames[solved.skeleton.index(goal["on"])]
    assert np.allclose(solved.position("hand.L"), (carrier @ [*goal["point"], 1.0])[:3], atol=1e-3)


def test_what_touches_is_named(page):
    around = {"center": [0, 0, 0], "size": [40, 40, 40]}
    avoid = {"on": True, "margin": 0.1, "boxes": [around]}
    page.set_up(scene="snake", links=3, bodies={"avoid": avoid})
    pose = page.want(("tip", [3, 3, 1]))
    assert pose["status"] == "collides"
    bone, obstacle = page.session._report(page.session.poses[0], page.session.solutions[0])[
        0
    ].touching
    assert bone in ("j0", "j1", "j2") and obstacle == "obstacle 0 (Box)"
    assert f"{bone} and {obstacle} are " in pose["reason"]


def test_bodies_are_told_when_they_are_asked_for(page):
    page.set_up(scene="standing", limits=True)
    page.send("bodies")
    sent = told(page, "bodies")
    skeleton = page.session.subject.solid
    assert sent["key"] == "standing" and sent["up"] == [0, 1, 0]
    assert len(sent["capsules"]) == sum(map(len, skeleton.capsules.values()))
    weights = sum(one["mass"] for one in sent["masses"])
    assert 60 < weights < 160, "kg: where capsules overlap, both count"
    soles = {skeleton.joint_names[one["joint"]] for one in sent["soles"]}
    assert soles <= {"foot.L", "foot.R", "toe.L", "toe.R"} and len(sent["soles"]) >= 6


def test_bones_that_do_not_exist_are_left_out():
    subject = skeleton_subject(supple.chain([1, 1]), key="two", title="Two")
    loops = [{"a": "j0", "b": "gone"}, {"a": "j0", "b": "j0"}]
    given = Setup(
        bodies=BodiesSetup(loops=[bodies.LoopSetup(**one) for one in loops]),
    )
    chosen = bodies.chosen(subject, given)
    assert chosen.loops == [] and chosen.balance.feet == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"balance": {"on": True}}, "expected the standing feet"),
        ({"loops": [HELD | {"rotation": [0, 0, 0, 0]}]}, "expected a rotation, got zeros"),
        ({"avoid": {"on": True, "boxes": [{"center": [0, 0, 0], "size": [1, 0, 1]}]}}, "size"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_words(page, given, words):
    tree = [("root", None), ("j3", "root", (0, 0, 1)), ("k3", "root", (0, 1, 0))]
    number = page.library.open_object(supple.Skeleton(tree))
    refused = page.set_up(scene=f"file:{number}", bodies=given)
    assert refused["type"] == "refused" and words in refused["text"]


def test_the_ground_is_below_what_stands_in_it():
    subject = scenes.build(Setup(scene="standing"), None)
    ground = bodies._ground(subject)
    assert -0.06 < ground.point[1] <= 0.0, "the capsules of the feet are rounder than the soles"


def test_a_box_is_an_obstacle_of_the_problem(solving):
    box = BoxSetup(center=(1.0, 2.0, 0.0), size=(1.0, 1.0, 1.0))
    avoid = {"on": True, "boxes": [{"center": list(box.center), "size": list(box.size)}]}
    solving.set_up(scene="snake", links=4, bodies={"avoid": avoid})
    whole = solving.packet("problem")["data"].tobytes()
    assert b'"obstacle 0 (Box)"' in whole
