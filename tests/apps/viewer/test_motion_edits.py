"""Motions as a page asks for them: contacts, planted feet, repairs, and the report of a check."""

import numpy as np
import pytest

import supple
from supple import Character, Motion, Pose


def ask_check(page):
    """The report on the motion that plays, or the refusal."""
    count = len(page.messages)
    page.send("check")
    kinds = ("checked", "refused")
    return page.until(lambda: next((m for m in page.messages[count:] if m["type"] in kinds), None))


@pytest.fixture(scope="module")
def broken():
    """Our character waving, with a frame in which an arm jumps."""
    hero = supple.humanoid()
    wave = hero.motions["wave"]
    rows = wave.poses.coordinates.copy()
    rows[40] = rows[0]
    poses = Pose(hero.skeleton, rows, wave.poses.translations)
    return hero.with_(motions={"wave": wave.with_(poses=poses)})


def opened(page, value):
    return f"file:{page.library.open_object(value)}"


def test_the_scene_lists_contacts_of_feet_and_hands(page):
    scene = page.set_up(scene="humanoid", motion="wave")
    info = scene["contacts"]
    assert info["frames"] == 75 and not info["edited"] and info["slides"] == []
    assert info["joints"]["foot.L"] == [[0, 75]] and info["joints"]["hand.L"] == []
    assert page.set_up(scene="humanoid")["contacts"] is None, "nothing plays"


def test_feet_are_planted_by_the_contacts_that_were_edited(page):
    page.set_up(scene="humanoid", motion="walk")
    before = page.session.model.motion
    edits = {"walk": {"plant": True, "contacts": {"foot.L": [[5, 15]], "foot.R": []}}}
    scene = page.set_up(scene="humanoid", motion="walk", edits=edits)
    left = page.session.model.motion.poses.position("foot.L")
    assert np.ptp(left[5:15], axis=0).max() < 1e-6 < np.ptp(before.poses.position("foot.L")[5:15])
    assert scene["contacts"]["joints"] == {"foot.L": [[5, 15]], "foot.R": []}
    assert scene["contacts"]["edited"] and scene["contacts"]["slides"][0]["after"] < 1e-6
    assert scene["motion"] == "walk", "not a motion of another name"
    flags = page.packet("motion")["contacts"]
    assert flags.shape == (32, 6), "those that were found"
    flags = page.packet("motion")["contacts"]
    assert flags[:, 0].tolist() == [int(5 <= k < 15) for k in range(32)]
    page.set_up(scene="humanoid", motion="walk")
    assert page.session.model.motion == before


def test_a_t_pose_before_a_motion_is_not_planted(page):
    hero = supple.humanoid()
    walk = hero.motions["walk"]
    poses = Pose.stack([hero.skeleton.rest, *walk.poses])
    late = hero.with_(motions={"walk": Motion("walk", poses, fps=walk.fps)})
    page.set_up(scene=opened(page, late), motion="walk", edits={"walk": {"plant": True}})
    planted = page.session.model.motion
    assert np.array_equal(planted.poses[0].positions, poses[0].positions)
    assert not np.array_equal(planted.poses[1:].positions, poses[1:].positions)


def test_what_does_not_change_a_motion_does_not_make_it_anew(page):
    edits = {"walk": {"plant": True}}
    page.set_up(scene="humanoid", motion="walk", edits=edits)
    motion, told = page.session.model.motion, len(page.messages)
    page.set_up(scene="humanoid", motion="walk", edits=edits, limits=True)
    assert page.session.model.motion is motion
    assert not [m for m in page.messages[told:] if m["type"] == "working"]


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ({"contacts": {"fot.L": []}, "plant": True}, "did you mean 'foot.L'"),
        ({"contacts": {"foot.L": [[5, 400]]}}, "0 <= start < stop <= 32"),
    ],
)
def test_contacts_that_do_not_fit_are_refused(page, edits, told):
    page.set_up(scene="humanoid", motion="walk")
    refused = page.set_up(scene="humanoid", motion="walk", edits={"walk": edits})
    assert refused["type"] == "refused" and told in refused["text"]


def test_feet_of_a_snake_cannot_be_planted(page):
    snake = supple.chain([1, 1, 1])
    value = Character(snake, motions={"still": Motion("still", [snake.rest] * 3, fps=10)})
    edits = {"still": {"plant": True}}
    refused = page.set_up(scene=opened(page, value), motion="still", edits=edits)
    assert "no feet were found in 'still'" in refused["text"]


def test_a_check_lists_faults_where_they_are(page, broken):
    page.set_up(scene=opened(page, broken), motion="wave")
    report = ask_check(page)
    speed = next(one for one in report["kinds"] if one["kind"] == "speed")
    assert speed["count"] >= 1 and speed["before"] is None and "allowed" in speed["worst"]
    faults = [one for one in report["faults"] if one["kind"] == "speed"]
    assert any(one["start"] <= 40 < one["stop"] + 1 for one in faults)
    names = page.session.model.skeleton.names
    assert all(names[one["joint"]] in one["label"] for one in faults)
    assert report["total"] == len(report["faults"]) == sum(one["count"] for one in report["kinds"])
    assert [m["what"] for m in page.messages if m["type"] == "working"] == ["Checking the motion"]


def test_a_repaired_motion_plays_and_its_report_says_what_was_there_before(page, broken):
    name = opened(page, broken)
    page.set_up(scene=name, motion="wave", edits={"wave": {"repair": True}})
    assert page.session.model.motion != broken.motions["wave"]
    report = ask_check(page)
    assert report["repaired"]
    speed = next(one for one in report["kinds"] if one["kind"] == "speed")
    assert speed["before"] >= 1 and speed["count"] == 0
    page.send("save", format="bvh")
    assert page.packet("file")["data"].size


def test_without_a_motion_there_is_nothing_to_check(page):
    page.set_up(scene="snake")
    assert "expected a motion that plays" in ask_check(page)["text"]
