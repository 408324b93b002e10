"""Stepping through a solve, and two solvers side by side."""

import math

import numpy as np
import pytest

import supple
from supple.viewer import model


def test_stepping_shows_the_poses_of_the_trace(driver):
    driver.set(solver={"name": "CCD", "options": {}})
    driver.drag_goal(-140, -30)
    driver.page.focus("#canvas")
    driver.page.keyboard.press("t")
    driver.until("playground.trace().open")
    session = driver.session
    goal = np.array(driver.ask("playground.goal()"))
    skeleton = session.model.skeleton
    start = model.carried(session.subject.start, skeleton)
    trace = supple.solve(skeleton, {"tip": goal}, start=start, solver="CCD", trace=True).trace
    count = driver.ask("playground.trace().iterations")
    assert count == len(trace) - 1 >= 2
    driver.page.click("[name=trace-first]")
    for k in range(count + 1):
        assert driver.ask("playground.trace().iteration") == k
        assert np.allclose(driver.joints(), trace.poses[k].positions, atol=1e-5)
        driver.page.keyboard.press(">")
    driver.page.click("[name=trace-first]")
    walked = [pose for step, pose in trace.walk() if step.iteration == 1]
    assert driver.ask("playground.trace().inside") == len(walked)
    for pose in walked:
        driver.page.keyboard.press(".")
        driver.until(
            lambda pose=pose: np.allclose(driver.joints(), pose.positions, atol=1e-5),
        )
    driver.page.keyboard.press(",")
    assert np.allclose(driver.joints(), walked[-2].positions, atol=1e-5)
    assert driver.page.locator(".plot canvas").count() == 1
    driver.page.keyboard.press("Escape")
    driver.until("!playground.trace().open")
    assert np.allclose(driver.joints(), session.poses[0].positions, atol=1e-5)


def test_a_step_of_all_joints_is_drawn_and_replayed(driver):
    driver.set(solver={"name": "LM", "options": {}})
    driver.drag_goal(-140, -30)
    driver.unfold("Step through")
    driver.page.click("[name=record]")
    driver.until("playground.trace().open")
    last = driver.ask("playground.trace().iterations")
    assert last >= 2 and driver.ask("playground.trace().inside") == 0
    driver.page.click("[name=trace-last]")
    before, after, goal, ways = driver.ask(
        """(() => {
          const { tracing, scene } = playground.page, tip = tracing.head.effector;
          const place = (pose) => [...pose.slice(7 * tip, 7 * tip + 3)];
          const ways = tracing.shares(scene.parents).map(({ way }) => way.toArray());
          return [place(tracing.before), place(tracing.pose()), tracing.head.goal, ways];
        })()"""
    )
    moved, told = np.subtract(after, before), np.sum(ways, axis=0)
    assert len(ways) == 8 and np.linalg.norm(told - moved) < 0.1 * np.linalg.norm(moved)
    assert np.allclose(after, goal, atol=driver.tolerance() * 1.01)
    driver.settled()
    arrows = "playground.page.vectors.group.children.filter((one) => one.visible).length"
    assert driver.ask(arrows) > 8, "one for each joint, the error, and what was before"
    driver.page.click("[name=trace-replay]")
    assert driver.ask("playground.trace().iteration") < last
    driver.until(f"playground.trace().iteration === {last} && !playground.page.tracing.replaying")
    assert driver.page.inner_text("[name=trace-replay]") == "Replay"


def test_two_solvers_side_by_side(driver):
    driver.page.select_option("[name=compare]", "FABRIK")
    driver.settled()
    for half in (0, 1):
        dropped = driver.drag_goal(-20, -15, half=half)
        assert math.dist(driver.goal_pixel(half=half), dropped) < 14
        for slot in (0, 1):
            assert driver.tip_error(slot) <= driver.tolerance() * 1.01
            shown = driver.joints(slot)
            assert np.allclose(shown, driver.session.poses[slot].positions, atol=1e-4)
    told = driver.page.inner_text("#halves")
    assert "LM" in told and "FABRIK" in told and "tip's way" in told
    driver.page.mouse.click(*driver.joint_pixel("j4", half=1))
    driver.until(lambda: "j4" in driver.session.setup.joints)


@pytest.mark.parametrize("phone", [False, True])
def test_a_recorded_trace_is_in_view_and_begins_at_its_start(new_page, phone):
    size = (
        {"size": (390, 780), "has_touch": True, "is_mobile": True}
        if phone
        else {"size": (1280, 720)}
    )
    driver = new_page(**size)
    page = driver.page
    assert page.is_visible("#panel") != phone
    driver.drag_goal(-60, -30)
    page.focus("#canvas")
    page.keyboard.press("t")
    driver.until("playground.trace().open")
    assert driver.ask("playground.trace().iteration") == 0
    start = driver.session.subject.start
    assert np.allclose(driver.joints(), start.positions, atol=1e-5), "from rest"
    for name in ("trace-first", "trace-step", "trace-last"):
        box = page.locator(f"[name={name}]").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"], name
        seen = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.getAttribute('name')",
            [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2],
        )
        assert seen == name, "nothing lies over it"
    words = page.locator("[data-trace=words]").bounding_box()
    assert words["y"] + words["height"] <= page.viewport_size["height"]
    assert page.inner_text("[data-trace=words]").startswith("The start")
    page.keyboard.press(">")
    assert driver.ask("playground.trace().iteration") == 1
