"""Goals of several kinds, and what they start from."""

import math

import numpy as np
import pytest

AT = (2.0, 4.0, 1.5)


def test_several_goals_and_kinds(page):
    goals = [
        {"id": "a", "kind": "pose", "effector": "tip"},
        {"id": "b", "kind": "look", "effector": "j3", "axis": "x", "depth": 4},
    ]
    scene = page.set_up(scene="snake", goals=goals)
    assert [p["id"] for p in scene["places"]] == ["a", "b"]
    turn = (math.cos(0.5), 0.0, math.sin(0.5), 0.0)
    pose = page.want(("a", (3.0, 3.0, 0.5), turn), ("b", (2.0, 8.0, 0.0)))
    assert pose["reached"], pose["reason"]
    assert abs(np.dot(pose["values"][-1, 3:], turn)) == pytest.approx(1, abs=1e-4)


def test_depth_frees_only_so_many_joints(page):
    scene = page.set_up(scene="snake", goals=[{"id": "g", "effector": "tip", "depth": 3}])
    assert [j["moves"] for j in scene["joints"]] == [False] * 5 + [True] * 3


def test_goals_of_another_skeleton_are_left_out(page):
    scene = page.set_up(scene="snake", goals=[{"id": "g", "effector": "R Hand"}])
    assert scene["goals"][0]["effector"] == "tip"


def test_start_from_rest_is_the_same_whatever_came_before(page):
    page.set_up(scene="snake", start="rest")
    first = page.want(("tip", AT))["values"]
    page.want(("tip", (-4.0, 2.0, 3.0)))
    assert np.array_equal(page.want(("tip", AT))["values"], first)


def test_reset_goes_back(page):
    first = page.set_up(scene="snake")
    begin = page.session.poses[0]
    page.want(("tip", AT))
    page.send("reset")
    page.until(lambda: page.session.revision == 2 and page.messages[-1]["type"] == "scene")
    assert page.session.poses[0] == begin
    assert page.messages[-1]["places"] == first["places"]
