"""Contacts are those that a clip has by construction; they can be edited, kept and planted."""

import copy
import importlib.util
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Contacts, Motion, Node, Pose, Skeleton, SuppleError, contacts, plant_feet
from supple.apps.motion.feet import find_feet

FPS = 60.0
PEERS = Path(__file__).parents[4] / "shared" / "peers" / "retarget"


def figure(names=("Foot", "Toe", "UpLeg", "Leg", "Hand")):
    """Hips, two legs with toes, and two arms; every joint slides, so that clips say where it is."""
    foot, toe, thigh, shin, hand = names
    nodes = [Node("Hips", None, (0, 0.95, 0)), Node("Chest", "Hips", (0, 0.5, 0))]
    for side, x in (("Left", 0.1), ("Right", -0.1)):
        nodes += [
            Node(side + thigh, "Hips", (x, 0, 0)),
            Node(side + shin, side + thigh, (0, -0.45, 0.02)),
            Node(side + foot, side + shin, (0, -0.42, -0.02)),
            Node(side + toe, side + foot, (0, -0.06, 0.13)),
            Node(f"{side}Arm", "Chest", (2 * x, 0, 0)),
            Node(f"{side}Elbow", f"{side}Arm", (0, -0.3, 0)),
            Node(side + hand, f"{side}Elbow", (0, -0.25, 0)),
        ]
    return Skeleton(nodes)


def placed(skeleton, paths, count, fps=FPS, **kw):
    """A motion in which some joints go along world paths (F, 3); no joint turns."""
    rest = skeleton.rest
    world = np.tile(rest.positions[: len(skeleton)], (count, 1, 1))
    for name, path in paths.items():
        j = skeleton.index(name)
        below = [
            k for k, one in enumerate(skeleton.joint_names) if name in skeleton.path(None, one)
        ]
        world[:, below] += (path - world[:, j])[:, None]
    offsets = np.where(
        (skeleton.parents < 0)[None, :, None], world, world - world[:, skeleton.parents]
    )
    return Motion(
        "clip", Pose(skeleton, np.tile(rest.coordinates, (count, 1)), offsets), fps=fps, **kw
    )


def steps(start, runs, count, lift=0.15, stride=0.5):
    """A path that stays at a place during each run [a, b) and steps on, lifted, in between."""
    path, here = np.empty((count, 3)), np.array(start, float)
    path[: runs[0][0]] = here
    for k, (a, b) in enumerate(runs):
        path[a:b] = here
        end = runs[k + 1][0] if k + 1 < len(runs) else count
        t = (np.arange(b, end) - b + 1) / (end - b + 1)
        path[b:end] = here + np.outer(t, (0, 0, stride)) + np.outer(np.sin(np.pi * t), (0, lift, 0))
        here = here + (0, 0, stride)
    return path


def walk(skeleton=None, fps=FPS, foot="Foot", toe="Toe", noise=0.0):
    """Feet that stand in turns, and the runs in which they do."""
    skeleton = skeleton or figure()
    scale = fps / FPS
    runs = {
        "Left": [(0, 40), (70, 130), (160, 220)],
        "Right": [(0, 25), (55, 90), (115, 175), (200, 240)],
    }
    runs = {
        side: [(round(a * scale), round(b * scale)) for a, b in one] for side, one in runs.items()
    }
    count = round(240 * scale)
    random = np.random.default_rng(3)
    paths = {}
    for side, one in runs.items():
        path = steps(skeleton.rest.position(side + foot), one, count)
        paths[side + foot] = path + noise * random.standard_normal(path.shape)
    return placed(skeleton, paths, count, fps), runs


def near(found, wanted, slack):
    return len(found) == len(wanted) and all(
        abs(a - c) <= slack and abs(b - d) <= slack
        for (a, b), (c, d) in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_contacts_are_those_known_by_construction(fps):
    motion, runs = walk(fps=fps)
    found = contacts(motion)
    assert found.joints == ("LeftFoot", "LeftToe", "RightFoot", "RightToe")
    slack = max(1, round(fps / 60))  # the frames over which speeds are measured
    for side in ("Left", "Right"):
        for name in ("Foot", "Toe"):
            assert near(found[side + name], runs[side], slack)


def test_noise_of_a_millimetre_breaks_no_contact():
    motion, runs = walk(noise=5e-4)
    found = contacts(motion)
    for side in ("Left", "Right"):
        assert near(found[f"{side}Foot"], runs[side], 2)


def test_contacts_are_the_same_backwards_and_in_another_size_place_and_up_axis():
    motion, _ = walk()
    found = contacts(motion)
    back = contacts(motion.with_(poses=motion.poses[::-1]))
    for name in found.joints:
        assert np.array_equal(back.flags(name), found.flags(name)[::-1])
    # y up becomes z up, metres become centimetres, and everything stands elsewhere.
    skeleton = Skeleton(
        [
            node._replace(offset=(100 * np.array(node.offset))[[2, 0, 1]])
            for node in motion.skeleton.nodes
        ]
    )
    offsets = 100 * motion.poses.translations[..., [2, 0, 1]]
    offsets[:, 0] += (500, -300, 70)
    moved = motion.with_(poses=Pose(skeleton, motion.poses.coordinates, offsets))
    assert contacts(moved, up="z") == found


def test_hands_and_any_joint_touch_the_ground_only_where_they_come_down_to_it():
    skeleton = figure()
    count = 120
    hand = np.tile(skeleton.rest.position("LeftHand"), (count, 1))
    low = np.clip(np.abs(np.arange(count) - 60) / 10 - 2, 0, 1)  # on the ground in [40, 80]
    hand[:, 1] = 0.05 + low * (hand[:, 1] - 0.05)
    motion = placed(skeleton, {"LeftHand": hand}, count)
    found = contacts(motion, ["LeftHand", "RightHand", "Chest", "LeftFoot"])
    assert near(found["LeftHand"], [(40, 81)], 2)
    assert found["RightHand"] == found["Chest"] == ()  # they hang still, in the air
    assert found["LeftFoot"] == ((0, count),)


def test_a_foot_that_is_never_down_is_in_no_contact():
    skeleton = figure()
    high = np.tile(skeleton.rest.position("LeftFoot") + (0, 0.4, 0), (60, 1))
    found = contacts(placed(skeleton, {"LeftFoot": high}, 60))
    assert found["LeftFoot"] == found["LeftToe"] == ()
    assert found["RightFoot"] == found["RightToe"] == ((0, 60),)


def test_a_contact_goes_on_over_the_seam_of_a_loop():
    skeleton = figure()
    count = 90
    t = np.arange(count)
    lift = np.where((t >= 30) & (t < 60), np.sin(np.pi * (t - 29) / 31), 0.0)
    path = skeleton.rest.position("LeftFoot") + np.outer(0.2 * lift, (0, 1, 0))
    path = np.roll(path, 28, axis=0)  # lifted in [58, 88), so that it stands in the last 2 frames
    once = contacts(placed(skeleton, {"LeftFoot": path}, count)).flags("LeftFoot")
    loop = contacts(placed(skeleton, {"LeftFoot": path}, count, loop=True)).flags("LeftFoot")
    assert once[:57].all() and not once[-1]  # too short for a contact of its own
    assert loop[:57].all() and loop[-1] and not loop[60:86].any()


def test_feet_of_other_names_are_found_by_place():
    skeleton = figure(("A", "B", "C", "D", "E"))
    motion, runs = walk(skeleton, foot="A", toe="B")
    found = contacts(motion)
    assert found.joints == ("LeftA", "LeftB", "RightA", "RightB")
    assert near(found["LeftA"], runs["Left"], 1)
    with pytest.raises(SuppleError, match="ankle or foot"):
        find_feet(skeleton)
    up = np.array([0.0, 1.0, 0.0])
    legs = [foot.leg for foot in find_feet(skeleton, poses=motion.poses, up=up)]
    assert legs == ["LeftC", "RightC"]
    planted = plant_feet(motion)
    assert [slide.foot for slide in planted.slides] == ["LeftA", "RightA"]


def test_several_toes_on_a_foot_are_no_legs():
    nodes = list(figure(("A", "B", "C", "D", "E")).nodes)
    nodes += [Node(f"{side}B2", f"{side}A", (0.03, -0.06, 0.12)) for side in ("Left", "Right")]
    skeleton = Skeleton(nodes)
    found = contacts(Motion("still", [skeleton.rest] * 30, fps=30.0))
    assert {"LeftA", "RightA"} <= set(found.joints) and len(found.joints) == 4


def test_without_feet_the_joints_are_listed_and_may_be_named():
    arm = supple.chain([1.0, 1.0, 1.0])
    motion = Motion("still", [arm.rest] * 30, fps=30.0)
    with pytest.raises(SuppleError, match=f"of the joints .*{arm.joint_names[0]!r}"):
        contacts(motion)
    last = arm.joint_names[-1]
    assert contacts(motion, [last])[last] == ((0, 30),)
    with pytest.raises(SuppleError, match="joint"):
        contacts(motion, ["nothing"])
    with pytest.raises(SuppleError, match="list of names"):
        contacts(motion, last)
    with pytest.raises(SuppleError, match="Motion"):
        contacts(arm)
    with pytest.raises(SuppleError, match="speed"):
        contacts(motion, [last], speed=0)


def test_one_frame_tells_no_speed():
    skeleton = figure()
    found = contacts(Motion("one", [skeleton.rest], fps=30.0))
    assert found.frames == 1 and all(found[name] == () for name in found.joints)


# Editing ------------------------------------------------------------------------------------------


def test_intervals_are_added_removed_and_shifted():
    one = Contacts(100, {"a": [(10, 20), (40, 60)], "b": []})
    assert one.add("a", 15, 30)["a"] == ((10, 30), (40, 60))
    assert one.add("a", 20, 40)["a"] == ((10, 60),)
    assert one.add("c", 0, 5)["c"] == ((0, 5),)
    assert one.remove("a", 45, 50)["a"] == ((10, 20), (40, 45), (50, 60))
    assert one.remove("a", 15)["a"] == ((10, 15),)
    assert one.remove("a")["a"] == ()
    assert one.shift("a", 12, 5)["a"] == ((15, 25), (40, 60))
    assert one.shift("a", 12, 25)["a"] == ((35, 60),)
    assert one.shift("a", 50, 70)["a"] == ((10, 20),)
    assert one.shift("a", 12, -15)["a"] == ((0, 5), (40, 60))
    assert one["a"] == ((10, 20), (40, 60))  # itself unchanged
    with pytest.raises((AttributeError, TypeError)):
        one.intervals["a"] = ()


def test_flags_and_json_give_the_same_contacts_back():
    one = Contacts(30, {"a": [(3, 9), (12, 30)], "b": []})
    flags = {name: one.flags(name) for name in one.joints}
    assert flags["a"].shape == (30,) and flags["a"].dtype == bool and flags["a"].sum() == 24
    assert Contacts.from_flags(flags) == one
    assert Contacts.from_json(json.loads(json.dumps(one.to_json()))) == one
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    assert hash(Contacts.from_flags(flags)) == hash(one)
    assert one != one.shift("a", 4, 1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda one: one.add("a", 5, 5), "start < stop <= 30"),
        (lambda one: one.add("a", -1, 5), "start < stop <= 30"),
        (lambda one: one.add("a", 5, 31), "start < stop <= 30"),
        (lambda one: one.add("a", 0.5, 5), "whole number"),
        (lambda one: one.remove("c"), "joint of contacts"),
        (lambda one: one.shift("a", 20, 1), r"\[3, 9\), got 20"),
        (lambda one: one["c"], "joint of contacts"),
        (lambda one: Contacts(0, {}), "1 or more"),
        (lambda one: Contacts(3, [("a", 1)]), "by joint"),
        (lambda one: Contacts(3, {"a": 3}), "pairs"),
        (lambda one: Contacts(3, {"a": [3]}), "start, stop"),
        (lambda one: Contacts.from_flags({"a": [True], "b": [True, False]}), "one shape"),
        (lambda one: Contacts.from_json({"format": "supple-contacts", "version": 1}), "frames"),
        (lambda one: Contacts.from_json({"format": "other"}), "supple-contacts"),
    ],
)
def test_bad_contacts_are_refused(make, said):
    with pytest.raises(SuppleError, match=said):
        make(Contacts(30, {"a": [(3, 9)]}))


# Planting -----------------------------------------------------------------------------------------


def test_feet_are_planted_where_contacts_say():
    motion, _ = walk(noise=1e-3)
    found = contacts(motion)
    plain = plant_feet(motion, speed=0.3, height=0.05)
    for slide in plain.slides:
        wider = contacts(motion, speed=0.3, height=0.05)
        assert np.array_equal(slide.heel, wider.flags(slide.foot))
    edited = found.remove("LeftFoot").remove("LeftToe").shift("RightFoot", 70, 2)
    left, right = plant_feet(motion, contacts=edited).slides
    assert not left.heel.any() and not left.toe.any()
    assert np.array_equal(right.heel, edited.flags("RightFoot"))
    with pytest.raises(SuppleError, match="240 frames, got those of 239"):
        plant_feet(motion, contacts=Contacts(239, {"LeftFoot": []}))
    with pytest.raises(SuppleError, match="some of the feet"):
        plant_feet(motion, contacts=Contacts(240, {"LeftHand": []}))
    with pytest.raises(SuppleError, match=r"supple\.Contacts"):
        plant_feet(motion, contacts={"LeftFoot": []})


# Beside another rule ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # its reader leaves files open
@pytest.mark.skipif(not (PEERS / "evaluate.py").exists(), reason="the clips are not here")
def test_contacts_agree_with_an_independent_rule_on_real_clips():
    spec = importlib.util.spec_from_file_location("evaluate", PEERS / "evaluate.py")
    evaluate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluate)
    names = json.loads((PEERS / "maps" / "cmu.json").read_text())
    same = {}
    for path in sorted((PEERS / "data" / "bvh" / "cmu").glob("*.bvh")):
        clip = evaluate.read_bvh(path)
        rule = evaluate.source_contacts(clip, names, np.arange(len(clip["data"])))
        (motion,) = supple.load(path).motions.values()
        found = contacts(motion)
        same[path.stem] = np.concatenate(
            [
                found.flags(names["points"][f"{side}_{joint}"]) == rule[f"{side}_{called}"]
                for side in "lr"
                for joint, called in (("ankle", "heel"), ("toe", "toe"))
            ]
        )
    assert len(same) == 10
    assert np.concatenate(list(same.values())).mean() >= 0.95
    assert min(one.mean() for one in same.values()) >= 0.9
