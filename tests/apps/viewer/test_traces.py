"""Comparing, tracing, saving."""

import json

import numpy as np
import pytest

import supple
from supple import costs
from supple.apps.viewer import model

AT = (2.0, 4.0, 1.5)


def test_two_solvers_side_by_side_with_costs(page):
    page.set_up(scene="arm", solver={"name": "CCD"}, compare={"name": "TargetTriangle"})
    first = page.want(("tip", (15.0, 20.0, 5.0)))
    second = page.until(
        lambda: next((p for p in page.poses if p["seq"] == first["seq"] and p["slot"] == 1), None)
    )
    assert (first["solver"], second["solver"]) == ("CCD", "TargetTriangle")
    assert first["reached"] and second["reached"]
    session = page.session
    rest = model.carried(session.subject.start, session.model.skeleton)
    for pose, told in zip(session.poses, (first, second), strict=True):
        assert told["costs"]["sum_of_turns"] == pytest.approx(float(costs.sum_of_turns(rest, pose)))
        assert told["costs"]["tip_path"] == pytest.approx(float(costs.tip_path(rest, pose, "tip")))
    assert first["costs"] != second["costs"]


def test_a_trace_shows_what_python_s_does(page):
    page.set_up(scene="snake", solver={"name": "CCD"})
    page.want(("tip", AT))
    page.send("trace")
    told = page.packet("trace")
    start = page.session.subject.start
    skeleton = page.session.model.skeleton
    answer = supple.solve(
        skeleton, {"tip": AT}, start=model.carried(start, skeleton), solver="CCD", trace=True
    )
    trace = answer.trace
    assert told["head"]["solver"] == "CCD" and told["head"]["status"] == "reached"
    assert np.allclose(told["frames"][..., :3], trace.poses.positions, atol=1e-5)
    assert np.allclose(told["errors"], trace.errors, atol=1e-5)
    assert len(told["head"]["steps"]) == len(trace.steps)
    page.send("steps", iteration=1)
    inside = page.packet("steps")
    walked = [pose.positions for step, pose in trace.walk() if step.iteration == 1]
    assert np.allclose(inside["frames"][..., :3], walked, atol=1e-5)


def test_a_trace_is_saved_and_replayed(page, new_page, tmp_path):
    page.set_up(scene="snake", solver={"name": "FABRIK"})
    page.want(("tip", AT))
    page.send("trace")
    told = page.packet("trace")
    page.send("save", format="trace")
    file = page.packet("file")
    path = tmp_path / file["head"]["name"]
    path.write_bytes(file["data"].tobytes())
    other = new_page()
    number = other.library.open_file(path)
    other.set_up(scene=f"file:{number}")
    again = other.packet("trace")
    assert again["head"]["solver"] == "FABRIK"
    assert np.array_equal(again["frames"], told["frames"])


def test_a_trace_must_be_there_to_be_saved(page):
    page.set_up(scene="snake")
    page.send("save", format="trace")
    page.until(lambda: page.messages[-1]["type"] == "refused")
    assert "record one first" in page.messages[-1]["text"]


def test_the_pose_is_saved_as_json(page):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    page.send("save", format="json")
    data = json.loads(page.packet("file")["data"].tobytes())
    assert supple.Pose.from_json(data) == page.session.poses[0]
