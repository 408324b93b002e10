"""What a session sends so that the page solves by itself, and what it takes back."""

import json

import numpy as np
import pytest

import supple
from supple.apps.viewer import lowered


def head_of(data: np.ndarray):
    whole = data.tobytes()
    assert whole[:8] == b"SUPPLEIK"
    return json.loads(whole[16 : 16 + int.from_bytes(whole[12:16], "little")])


def test_a_setup_is_answered_with_the_rest_pose_and_the_lowered_problem(solving):
    scene = solving.set_up(links=4)
    told = solving.packet("problem")
    assert told["head"] == {
        "kind": "problem", "revision": scene["revision"], "slot": 0, "problems": 1, "clip": 0,
    }  # fmt: skip
    assert head_of(told["data"])["names"] == scene["names"]
    assert [pose["seq"] for pose in solving.poses] == [0], "drawn before anything is solved"
    rest = np.frombuffer(told["rest"].tobytes(), "<f8")
    assert np.array_equal(rest, solving.session.subject.start.coordinates)


def test_without_kernels_there_are_no_problems(page):
    page.set_up(links=4)
    page.want(("tip", [1, 1, 0]))
    assert [one for one in page.packets if one["head"]["kind"] == "problem"] == []


def test_a_solver_that_runs_in_python_has_no_problem(solving):
    solving.set_up(solver={"name": "Optimize", "options": {}})
    pose = solving.want(("tip", [3, 3, 0]))
    assert pose["solver"] == "Optimize"
    assert [one for one in solving.packets if one["head"]["kind"] == "problem"] == []


def test_solvers_side_by_side_have_a_problem_each(solving):
    scene = solving.set_up(race=True)
    assert scene["slots"] == 5
    found = [solving.packet("problem") for _ in range(5)]
    assert [one["head"]["slot"] for one in found] == [0, 1, 2, 3, 4]
    names = [head_of(one["data"])["solvers"][0]["name"] for one in found]
    assert names == ["LM", "CCD", "TargetTriangle", "FABRIK", "Jacobian"]


def test_a_motion_is_sent_once(solving):
    solving.set_up(scene="humanoid", motion="walk", limits=True)
    clip, problem = solving.packet("clip"), solving.packet("problem")
    walk = supple.humanoid().motions["walk"]
    assert clip["head"]["number"] == problem["head"]["clip"] == 1
    assert clip["head"]["duration"] == pytest.approx(walk.period)
    assert len(clip["coordinates"]) == len(walk) + 1, "its frames, and the first one again"
    assert np.allclose(clip["coordinates"][:-1], walk.poses.coordinates, atol=1e-6)
    solving.set_up(scene="humanoid", motion="walk", limits=True, solver={"name": "LM"})
    assert solving.packet("problem")["head"]["clip"] == 1
    assert [one for one in solving.packets if one["head"]["kind"] == "clip"] == []
    solving.set_up(scene="humanoid", motion="wave", limits=True)
    assert solving.packet("clip")["head"]["number"] == 2


def test_a_motion_that_is_too_long_is_left_to_python(solving, monkeypatch):
    monkeypatch.setattr(lowered, "MOST_NUMBERS", 100)
    solving.set_up(scene="humanoid", motion="walk", limits=True)
    solving.want(time=0.3)
    kinds = [one["head"]["kind"] for one in solving.packets]
    assert "problem" not in kinds and "clip" not in kinds


def test_the_pose_that_the_page_shows_is_taken(solving):
    scene = solving.set_up(links=3)
    pose = solving.session.subject.skeleton.pose({"j1": (0.1, 0.2, 0.3)})
    row = pose.coordinates.tolist()
    goals = [{"id": "tip", "position": [1, 2, 3]}]
    shown = {"seq": 9, "revision": scene["revision"], "goals": goals, "time": 0.0}
    solving.send("shown", coordinates=[row], **shown)
    solving.until(lambda: solving.session.want is not None)
    assert np.allclose(solving.session.poses[0].coordinates, row)
    solving.send("save", format="json")
    saved = solving.packet("file")
    assert np.allclose(json.loads(saved["data"].tobytes())["coordinates"], row)
    solving.packets.clear()
    solving.set_up(links=3, solver={"name": "CCD"})
    again = solving.packet("problem")
    whole = again["data"].tobytes()
    head = head_of(again["data"])
    start = next(one for one in head["arrays"] if one["name"] == "start")
    begin = 16 + int.from_bytes(whole[12:16], "little") + start["offset"]
    assert np.allclose(np.frombuffer(whole, "<f8", len(row), begin), row), "it goes on from there"


@pytest.mark.parametrize("rows", [[], [[1.0]], [[0.0] * 12, [0.0] * 12], [[0.0] * 13]])
def test_a_shown_pose_of_another_shape_is_refused(solving, rows):
    scene = solving.set_up(links=3)
    shown = {"seq": 9, "revision": scene["revision"], "goals": [], "time": 0.0}
    solving.send("shown", coordinates=rows, **shown)
    told = solving.until(
        lambda: next((m for m in solving.messages if m["type"] == "refused"), None)
    )
    assert "expected 1 poses of 12 coordinates" in told["text"]
    assert solving.session.poses[0].skeleton is solving.session.model.skeleton


def test_solvers_are_told_apart_by_what_they_can_take(page):
    scene = page.set_up(scene="humanoid", limits=True)
    why = {one["name"]: one["why"] for one in scene["solvers"]}
    assert why["auto"] == why["LM"] == "" and "cannot take direction goals" in why["CCD"]
    assert scene["unit"] == 1.0


def test_a_refused_solver_offers_what_would_make_it_possible(page):
    page.set_up(scene="humanoid", limits=True)
    told = page.set_up(scene="humanoid", limits=True, solver={"name": "FABRIK"})
    assert told["type"] == "refused" and told["offers"]
    for offer in told["offers"]:
        assert page.set_up(**offer["setup"])["type"] == "scene", offer["label"]
    assert told["offers"][0]["label"] == "Drop the look goal"


def test_what_is_shown_is_saved_as_a_page(page):
    from supple.apps.viewer.standalone import BUILT, SCRIPT, kernels_wasm

    try:
        kernels_wasm()
    except supple.SuppleError as error:
        pytest.skip(str(error))
    if not (BUILT / SCRIPT).is_file():
        pytest.skip("the page has not been built")
    page.set_up(links=3, limits=True)
    page.send("save", format="page")
    saved = page.packet("file")
    assert saved["head"]["name"] == "hero.html"
    assert saved["data"].tobytes().startswith(b"<!doctype html>")


def test_a_held_goal_is_solved_without_restarts(solving):
    solving.set_up(links=6)
    told = solving.packet("problem")
    assert head_of(told["steady"])["solvers"][0]["kernel"] == "solvers.lm.solve_range"
    assert told["steady"].tobytes() != told["data"].tobytes()
    solving.set_up(links=6, solver={"name": "TargetTriangle"})
    assert "steady" not in solving.packet("problem"), "it has no restarts"
