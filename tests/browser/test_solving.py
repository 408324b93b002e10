"""The page solves by itself: the same answers as Python's, and Python for what it cannot."""

import json
import os

import numpy as np
import pytest
from driving import Watched

import supple
from supple.apps.viewer import model
from supple.apps.viewer.server import Server
from supple.apps.viewer.session import Session

SEED = 11
EACH = int(os.environ.get("SUPPLE_EXAMPLES", "30"))  # solves of a setup

SOLVE = """(targets) => targets.map((places) => {
  const { page } = playground;
  const goals = places.map(([id, position, orientation]) => ({ id, position, orientation }));
  page.line.send({ type: "want", seq: page.asking.sendWant(), revision: playground.revision, goals, time: 0 });
  const { report, error, orientationError, iterations } = page.bodies[0].frame;
  return { status: report.status, solver: report.solver, error, turn: orientationError, iterations };
})"""

HAND = {"id": "hand.R", "kind": "reach", "effector": "hand.R", "depth": 3, "axis": "x"}
SETUPS = (
    {"scene": "snake", "links": 8},
    {"scene": "snake", "links": 24, "limits": True},
    {"scene": "snake", "solver": {"name": "CCD", "options": {}}},
    {"scene": "snake", "solver": {"name": "FABRIK", "options": {}}},
    {"scene": "snake", "solver": {"name": "TargetTriangle", "options": {}}},
    {"scene": "snake", "solver": {"name": "Jacobian", "options": {}}, "stretch": 1.3},
    {"scene": "arm", "limits": True},
    {"scene": "arm", "flat": True, "limits": True, "solver": {"name": "LM", "options": {}}},
    {"scene": "humanoid", "limits": True},
    {
        "scene": "humanoid",
        "limits": True,
        "goals": [HAND],
        "solver": {"name": "CCD", "options": {}},
    },
)


def targets_around(rng, session: Session):
    """Random positions for the goals of a session, some of them out of reach, and orientations."""
    assert session.model is not None
    skeleton = session.model.skeleton
    rows = []
    for _ in range(EACH):
        row = []
        for goal in session.model.goals:
            way = skeleton.path(None, goal.effector)
            first = way[-1 - goal.depth] if goal.depth else way[0]
            reach = skeleton.length(goal.effector, root=first)
            begin = session.poses[0].position(first)
            at = rng.normal(size=3)
            at *= 1.1 * reach * rng.uniform() ** (1 / 3) / np.linalg.norm(at)
            row.append((goal.id, (begin + at).tolist(), None))
        rows.append(row)
    return rows


def test_page_and_python_agree_on_status_and_error(driver):
    """The same status but for 1 in 1,000 solves, and errors within the tolerance."""
    rng = np.random.default_rng(SEED)
    different, apart, solves = [], [], 0
    for setup in SETUPS:
        driver.set(**{**reset(), **setup, "start": "rest"})
        driver.until("playground.solves")
        driver.settled()
        session = driver.session
        targets = targets_around(rng, session)
        told = driver.page.evaluate(SOLVE, targets)
        rest = model.carried(session.subject.start, session.model.skeleton)
        tolerance = driver.tolerance()
        for row, answer in zip(targets, told, strict=True):
            places = {one: place(one, at) for one, at, _ in row}
            given = session.model.targets(places, rest)
            solution = session.model.prepared[0](*given, start=rest)
            solves += 1
            alike = answer["status"] == solution.status.words
            if not alike:
                different.append((setup, row, answer, solution.status.words))
            elif abs(answer["error"] - float(solution.error)) > tolerance:
                apart.append((setup, row, answer, float(solution.error)))
            assert answer["solver"] == solution.asked.solver
    assert solves == EACH * len(SETUPS)
    assert len(different) <= solves / 1000, different
    assert len(apart) <= solves / 1000, apart


def reset():
    """The setup that every case starts from."""
    return {
        "links": 8, "flat": False, "limits": False, "stretch": None, "goals": [], "motion": None,
        "solver": {"name": "auto", "options": {}}, "joints": {},
    }  # fmt: skip


def place(one, at):
    from supple.apps.viewer.messages import GoalPlace

    return GoalPlace(id=one, position=tuple(at))


def test_goals_are_solved_in_the_frame_in_which_the_pointer_moved(driver):
    driver.until("playground.solves")
    wants = driver.session.wants
    x, y = driver.goal_pixel()
    driver.page.mouse.move(x, y)
    driver.page.mouse.down()
    told = driver.ask(
        """(async () => {
          const { page } = playground, [x, y] = playground.goalPixel();
          const move = (dx) => page.stage.canvas.dispatchEvent(new PointerEvent("pointermove",
            { clientX: x - dx, clientY: y, pointerId: 1, bubbles: true, pointerType: "mouse" }));
          const late = [];
          for (let k = 1; k <= 20; k += 1) {
            await new Promise(requestAnimationFrame);
            move(2 * k);
            // This callback runs after the page's own of the same frame.
            await new Promise(requestAnimationFrame);
            const { frame } = page.bodies[0];
            const goal = playground.goal(), tip = playground.joints().at(-1);
            if (Math.hypot(...tip.map((v, a) => v - goal[a])) > 2 * page.scene.tolerance) late.push(k);
          }
          return late;
        })()"""
    )
    driver.page.mouse.up()
    assert told == []
    driver.settled()
    assert driver.session.wants == wants, "Python was not asked"
    assert driver.tip_error() <= driver.tolerance() * 1.01, "but knows the pose"


def test_what_the_kernels_cannot_run_is_solved_in_python(driver):
    driver.set(solver={"name": "Optimize", "options": {}})
    assert not driver.ask("playground.solves")
    wants = driver.session.wants
    driver.drag_goal(-40, -20)
    assert driver.session.wants > wants
    assert driver.session.solutions[0].asked.solver == "Optimize"
    assert driver.tip_error() <= driver.tolerance() * 1.01
    driver.set(solver={"name": "auto", "options": {}})
    driver.until("playground.solves")


def test_without_kernels_python_solves(chromium, monkeypatch):
    monkeypatch.setattr("supple.apps.viewer.app._kernels", lambda: b"")
    with Server(port=0) as server:
        watched = Watched(chromium, server)
        driver = watched.open()
        assert not driver.ask("playground.solves")
        driver.drag_goal(-40, -20)
        assert driver.session.solutions[0].reached
        assert driver.tip_error() <= driver.tolerance() * 1.01
        watched.close()
    watched.check()


def test_the_rest_pose_is_drawn_before_anything_is_solved(new_page):
    """Neither kernels nor answers of Python are needed for the first picture."""
    slow = """
      const real = window.fetch;
      const never = new Promise(() => {});
      window.fetch = (what, ...more) => String(what).includes("supple.wasm") ? never : real(what, ...more);
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (text) { if (!text.includes('"want"')) send.call(this, text); };
    """
    driver = new_page(script=slow, ready=False)
    driver.until("window.playground?.ready")
    driver.until("playground.page.applied > 0 && playground.page.stage.drawn > 0")
    start = driver.session.subject.start
    assert np.allclose(driver.joints(), start.positions, atol=1e-4)
    assert driver.session.wants == 0


def test_compared_solvers_cost_what_python_says(driver):
    driver.set(compare={"name": "FABRIK", "options": {}}, start="rest", limits=True)
    driver.until("playground.solves")
    driver.drag_goal(-60, -30)
    told = driver.ask("playground.page.bodies.slice(0, 2).map(({ frame }) => frame.report.costs)")
    session = driver.session
    rest = model.carried(session.subject.start, session.model.skeleton)
    for slot, cost in enumerate(told):
        pose = session.poses[slot]
        assert cost["sum_of_turns"] == pytest.approx(float(supple.costs.sum_of_turns(rest, pose)))
        assert cost["largest_turn"] == pytest.approx(float(supple.costs.largest_turn(rest, pose)))
        path = float(supple.costs.tip_path(rest, pose, "tip"))
        assert cost["tip_path"] == pytest.approx(path, rel=1e-4)


def test_what_is_saved_is_what_is_seen(driver):
    driver.drag_goal(-50, -30)
    with driver.page.expect_download() as waiting:
        driver.ask("playground.page.line.send({ type: 'save', format: 'json' })")
    saved = supple.Pose.from_json(json.loads(waiting.value.path().read_text()))
    assert np.allclose(saved.positions, driver.joints(), atol=1e-5)
