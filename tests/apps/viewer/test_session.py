"""A session: setups and goals in, poses out, the latest first."""

import threading

import numpy as np
import pytest
from tests.patience import PATIENCE

from supple import CCD
from supple.apps.viewer.session import Session

AT = (2.0, 4.0, 1.5)
FAR = (30.0, 0.0, 0.0)


def test_a_pose_that_is_shown_is_not_undone_by_goals_from_before_it(page):
    page.set_up(scene="snake", links=3)
    revision = page.session.revision
    goals = [{"id": "tip", "position": [1, 1, 1]}]
    shown = {
        "revision": revision,
        "goals": goals,
        "coordinates": [page.session.poses[0].coordinates.tolist()],
    }
    with page.session._ready:  # while the worker is busy with something else
        page.send("want", revision=revision, goals=[{"id": "tip", "position": [2, 0, 0]}])
        page.send("shown", seq=7, **shown)
    page.until(lambda: page.session.want is not None and page.session.want.seq == 7)
    assert page.want(("tip", (1, 2, 0)))["seq"] == page.seq, "the next goals are solved for"


def test_a_scene_answers_a_setup(page):
    scene = page.set_up(scene="snake", links=5)
    assert scene["names"] == ["j0", "j1", "j2", "j3", "j4", "tip"]
    assert scene["parents"] == [-1, 0, 1, 2, 3, 4]
    assert [g["effector"] for g in scene["goals"]] == ["tip"]
    pose = page.until(lambda: page.poses and page.poses[0])
    assert pose["count"] == 6 and pose["stride"] == 7
    # The goal begins where the tip is.
    assert np.allclose(pose["values"][5, :3], scene["places"][0]["position"], atol=1e-6)


def test_goals_are_solved_and_the_pose_is_python_s(page):
    scene = page.set_up(scene="snake")
    pose = page.want(("tip", AT))
    assert pose["reached"] and pose["status"] == "reached" and pose["solver"] == "LM"
    assert np.linalg.norm(pose["values"][-1, :3] - AT) <= scene["tolerance"] * 1.001
    assert pose["micros"] > 0 and "tip is" in pose["reason"]
    shown = page.session.poses[0]
    assert np.allclose(pose["values"][:, :3], shown.positions, atol=1e-5)
    assert np.allclose(pose["values"][:, 3:], shown.rotations, atol=1e-6)


def test_out_of_reach_is_said_in_words(page):
    page.set_up(scene="snake")
    pose = page.want(("tip", FAR))
    assert not pose["reached"] and pose["status"] == "too far"
    assert np.allclose(pose["values"][-1, :3], (8, 0, 0), atol=0.05), "as near as it can"


def test_kept_when_out_of_reach(page):
    page.set_up(scene="snake")
    before = page.want(("tip", AT))
    page.set_up(scene="snake", unreachable="keep")
    pose = page.want(("tip", FAR))
    assert pose["status"] == "too far"
    assert np.allclose(pose["values"], before["values"], atol=1e-6)


@pytest.mark.parametrize(
    "solver", ["CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM", "Optimize"]
)
def test_every_solver_can_be_chosen(page, solver):
    page.set_up(scene="snake", solver={"name": solver})
    pose = page.want(("tip", AT))
    assert pose["reached"] and pose["solver"] == solver


def test_options_reach_the_solver(page):
    page.set_up(scene="snake", solver={"name": "CCD", "options": {"max_iterations": 1}})
    assert page.session.model.prepared[0].solvers == (CCD(max_iterations=1),)
    assert page.want(("tip", AT))["iterations"] == 1


def test_a_setup_that_does_not_go_together_is_refused_and_changes_nothing(page):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    before = page.session.model
    refused = page.set_up(scene="snake", solver={"name": "TwoBone"})
    assert refused["type"] == "refused" and "exactly two" in refused["text"]
    assert page.session.model is before
    assert page.want(("tip", AT))["reached"]


@pytest.mark.parametrize(
    "setup",
    [
        {"scene": "snak"},
        {"scene": "file:000000000000"},
        {"scene": "snake", "links": 0},
        {"scene": "snake", "lengths": [1, -1]},
        {"scene": "snake", "solver": {"name": "CCD", "options": {"damp": 1}}},
        {"scene": "snake", "motion": "walk"},
    ],
)
def test_bad_setups_are_refused(page, setup):
    assert page.set_up(**setup)["type"] == "refused"


def test_a_broken_message_is_answered(page):
    page.session.receive("not json")
    assert page.messages[0]["type"] == "refused" and "JSON" in page.messages[0]["text"]


def test_while_a_solve_runs_only_the_latest_goal_is_kept(page, monkeypatch):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    inside, go_on, solved = threading.Event(), threading.Event(), []

    def slow(self):
        solved.append(self.want.seq)
        inside.set()
        go_on.wait(PATIENCE)

    monkeypatch.setattr(Session, "_solve", slow)
    send = lambda: page.send(  # noqa: E731
        "want", revision=page.session.revision, goals=[{"id": "tip", "position": list(AT)}]
    )
    first = send()
    assert inside.wait(PATIENCE)
    later = [send() for _ in range(20)]
    go_on.set()
    page.until(lambda: len(solved) == 2)
    last = send()
    page.until(lambda: solved[-1] == last)
    assert solved == [first, later[-1], last]


def test_goals_of_an_older_scene_are_dropped(page):
    page.set_up(scene="snake")
    count = len(page.poses)
    page.send("want", revision=99, goals=[{"id": "tip", "position": list(AT)}])
    page.set_up(scene="snake", limits=True)
    assert page.session.want is None
    assert all(pose["seq"] == 0 for pose in page.poses[count:])


def test_two_pages_do_not_disturb_each_other(new_page):
    one, two = new_page(), new_page()
    one.set_up(scene="snake")
    two.set_up(scene="arm", solver={"name": "CCD"})
    a = one.want(("tip", AT))
    b = two.want(("tip", (10.0, 20.0, 5.0)))
    assert a["count"] == 9 and b["count"] == 6
    assert one.session.setup.solver.name == "auto" and two.session.setup.solver.name == "CCD"
    assert np.allclose(one.session.poses[0].position("tip"), AT, atol=1e-3)
