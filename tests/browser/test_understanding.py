"""Stepping through a solve, and two solvers side by side."""

import math

import numpy as np
import pytest

import supple
from supple.apps.viewer import model


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
    before, after, goal, shares = driver.ask(
        """(() => {
          const { tracing, scene } = playground.page, tip = tracing.head.effector;
          const place = (pose) => [...pose.slice(7 * tip, 7 * tip + 3)];
          const shares = tracing.shares(scene.parents).map(({ displacement }) => displacement.toArray());
          return [place(tracing.before), place(tracing.pose()), tracing.head.goal, shares];
        })()"""
    )
    moved, told = np.subtract(after, before), np.sum(shares, axis=0)
    assert len(shares) == 8 and np.linalg.norm(told - moved) < 0.1 * np.linalg.norm(moved)
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
    assert "LM" in told and "FABRIK" in told and "tip's path" in told
    driver.page.mouse.click(*driver.joint_pixel("j4", half=1))
    driver.until("playground.page.store.chosen === 4")


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


@pytest.mark.parametrize("solver", ["CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM"])
def test_what_is_drawn_in_a_step_is_explained(driver, solver):
    driver.set(solver={"name": solver, "options": {}})
    driver.drag_goal(-140, -30)
    driver.page.click("[name=steps]")
    driver.until("playground.trace().open")
    assert driver.ask("playground.trace().iteration") == 0 and driver.page.is_visible("#stepper")
    driver.page.click("[name=trace-step]")
    driver.settled()
    about = driver.page.inner_text("#stepper .hint")
    words = {
        "CCD": "One joint at a time", "TargetTriangle": "The triangle", "FABRIK": "purple point",
        "Jacobian": "column of the Jacobian", "LM": "column of the Jacobian",
    }  # fmt: skip
    assert words[solver] in about
    drawn = "playground.page.vectors.group.children.filter((one) => one.visible).length"
    assert driver.ask(drawn) >= 2
    driver.page.click("[name=trace-close]")
    assert not driver.page.is_visible("#stepper")


def test_a_race_has_every_solver_that_can(driver):
    driver.page.select_option("[name=compare]", "*")
    driver.until("playground.page.scene.slots === 5")
    driver.settled()
    driver.drag_goal(-30, -20)
    frames = driver.ask("playground.page.bodies.slice(0, 5).map(({ frame }) => frame)")
    names = [one["report"]["solver"] for one in frames]
    assert names == ["LM", "CCD", "TargetTriangle", "FABRIK", "Jacobian"]
    boxes = driver.page.locator("#halves .half").all_inner_texts()
    for name, frame, told in zip(names, frames, boxes, strict=True):
        assert told.startswith(name) and "error" in told and "tip's path" in told
        assert f"in {frame['iterations']} iteration" in told
    goal = np.array(driver.ask("playground.goal()"))
    for slot, frame in enumerate(frames):
        assert frame["reached"] and frame["report"]["costs"]["sum_of_turns"] > 0
        tip = driver.joints(slot)[-1]
        assert np.linalg.norm(tip - goal) < 2 * driver.tolerance()
        assert np.allclose(driver.joints(slot), driver.session.poses[slot].positions, atol=1e-4)
    x, y = driver.goal_pixel(half=3)
    driver.page.mouse.move(x, y)
    driver.page.mouse.down()
    driver.page.mouse.move(x - 10, y - 8, steps=3)
    driver.settled()
    assert np.linalg.norm(np.array(driver.ask("playground.goal()")) - goal) > 0, "live, in any part"
    driver.page.mouse.up()
    driver.page.select_option("[name=compare]", "")
    driver.until("playground.page.scene.slots === 1")


def test_the_reach_is_drawn_where_a_goal_is_dragged_or_missed(driver):
    driver.set(scene="arm", limits=False)
    sphere = (
        "playground.page.stage.world.children.flatMap((one) => one.visible ? one.children : [])"
    )
    shown = f"{sphere}.filter((one) => one.children?.[1]?.type === 'LineLoop' && one.visible)"
    assert driver.ask(f"{shown}.length") == 0
    driver.ask("playground.page.goals.put(playground.page.goals.list[0], 60, 0, 0)")
    driver.settled()
    assert driver.status() == "too far"
    assert driver.ask(f"{shown}.map((one) => one.children[0].scale.x)") == pytest.approx([40.0])
    driver.set(lengths=[9, 2, 1])
    driver.ask("playground.page.goals.put(playground.page.goals.list[0], 0.5, 0, 0)")
    driver.settled()
    assert driver.status() == "too near"
    radii = driver.ask(f"{shown}.map((one) => one.children[0].scale.x)")
    assert radii == pytest.approx([12.0, 6.0])


def test_in_the_plane_the_chain_follows_the_pointer_wherever_it_is_pressed(driver):
    driver.set(flat=True)
    driver.ask("playground.page.home()")
    driver.settled()
    camera = driver.ask("playground.camera()")
    mouse = driver.page.mouse
    x, y = 60, 240
    mouse.move(x, y)
    mouse.down()
    driver.settled()
    assert math.dist(driver.goal_pixel(), (x, y)) < 2
    mouse.move(x + 60, y - 40, steps=4)
    driver.settled()
    assert math.dist(driver.goal_pixel(), (x + 60, y - 40)) < 2
    mouse.up()
    driver.settled()
    assert driver.ask("playground.camera()") == camera
    assert driver.tip_error() <= driver.tolerance() * 1.01 or driver.status() != "reached"
