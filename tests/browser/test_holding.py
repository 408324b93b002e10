"""Undo and redo, selection, handles, snapping, views, keys alone, fingers."""

import numpy as np
import pytest


def undo(driver, key="Control+z"):
    driver.page.focus("#canvas")
    driver.page.keyboard.press(key)
    driver.settled()


def committed(driver):
    """Wait until what was changed last is a step of its own."""
    driver.until("!playground.page.history.changed && !playground.page.history.timer")


def test_everything_is_undone_and_done_again(driver):
    committed(driver)
    start, joints = driver.ask("playground.goal()"), driver.joints()
    driver.drag_goal(-80, -40)
    committed(driver)
    moved, posed = driver.ask("playground.goal()"), driver.joints()
    driver.set(solver={"name": "CCD", "options": {}})
    committed(driver)
    driver.set(links=12)
    committed(driver)
    driver.ask("playground.page.store.setLook({ frames: true })")
    committed(driver)
    undo(driver)
    assert not driver.ask("playground.page.store.look.frames")
    undo(driver)
    driver.until("playground.page.scene.names.length === 9")
    driver.settled()
    undo(driver)
    assert driver.ask("playground.setup().solver.name") == "auto"
    assert np.allclose(driver.ask("playground.goal()"), moved)
    undo(driver)
    assert np.allclose(driver.ask("playground.goal()"), start)
    assert np.allclose(driver.joints(), joints, atol=1e-3), "in the pose that it was in"
    undo(driver, "Control+Shift+z")
    assert np.allclose(driver.ask("playground.goal()"), moved)
    assert np.allclose(driver.joints(), posed, atol=1e-3)
    driver.page.click("[name=redo]")
    driver.until("playground.setup().solver.name === 'CCD' && playground.settled")
    driver.page.click("[name=undo]")
    driver.until("playground.setup().solver.name === 'auto' && playground.settled")
    assert driver.session.setup.solver.name == "auto"


def test_a_drag_is_one_step(driver):
    committed(driver)
    start = driver.ask("playground.goal()")
    driver.drag_goal(-80, -40, steps=12)
    committed(driver)
    undo(driver)
    assert np.allclose(driver.ask("playground.goal()"), start)


def test_a_click_selects_a_goal_and_its_arrows_move_it_along_an_axis(driver):
    x, y = driver.goal_pixel()
    driver.page.mouse.click(x, y)
    assert driver.ask("playground.page.goals.selected")
    before = np.array(driver.ask("playground.goal()"))
    handle = "playground.page.goals.list[0].handlePoint({}, 0.8).toArray()"
    for axis in (0, 1):
        before = np.array(driver.ask("playground.goal()"))
        place = driver.ask(handle.format(axis))
        x, y = driver.ask(f"playground.pixel({place})")
        driver.page.mouse.move(x, y)
        driver.page.mouse.down()
        driver.page.mouse.move(x - 25, y + 20, steps=5)
        driver.settled()
        driver.page.mouse.up()
        driver.settled()
        moved = np.array(driver.ask("playground.goal()")) - before
        assert abs(moved[axis]) > 0.05 and np.abs(np.delete(moved, axis)).max() < 1e-9
    driver.page.keyboard.press("Escape")
    assert not driver.ask("playground.page.goals.selected")


def test_goals_snap_to_the_grid(driver):
    driver.page.keyboard.down("Control")
    driver.drag_goal(-50, -30)
    driver.page.keyboard.up("Control")
    goal = np.array(driver.ask("playground.goal()"))
    assert np.allclose(goal, np.round(goal / 2) * 2, atol=1e-9)
    driver.ask("playground.page.store.setLook({ snap: true })")
    driver.drag_goal(-41, 33)
    goal = np.array(driver.ask("playground.goal()"))
    assert np.allclose(goal, np.round(goal / 2) * 2, atol=1e-9)


@pytest.mark.parametrize(("key", "axis"), [("1", 2), ("2", 0), ("3", 1)])
def test_views_from_the_front_the_side_and_above(driver, key, axis):
    driver.page.focus("#canvas")
    driver.page.keyboard.press(key)
    driver.settled()
    way = np.array(driver.ask("playground.page.stage.forward().toArray()"))
    assert abs(way[axis]) == pytest.approx(1, abs=1e-5)
    for x, y in driver.ask(
        "playground.page.scene.names.map((name) => playground.jointPixel(name))"
    ):
        assert 0 < x < 840 - 318 and 0 < y < 480


FOCUSABLE = """[...document.querySelectorAll("button, input, select, summary, canvas")].filter((one) =>
  one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0)"""


def test_keys_alone_reach_every_control_move_a_goal_and_step_a_trace(new_page):
    driver = new_page(size=(1000, 700))
    keyboard = driver.page.keyboard
    for title in ("Goals", "Step through", "View", "Save"):
        driver.unfold(title)
    count = driver.ask(f"{FOCUSABLE}.length")
    driver.page.focus("#canvas")
    marked = "document.activeElement?.setAttribute?.('data-reached', '')"
    for way in ("Tab", "Shift+Tab"):
        driver.ask(
            "document.querySelectorAll('[data-reached]').forEach((one) => one.removeAttribute('data-reached'))"
        )
        for _ in range(count + 6):
            driver.ask(marked)
            keyboard.press(way)
        missed = driver.ask(
            f"{FOCUSABLE}.filter((one) => !one.hasAttribute('data-reached')).map((one) => one.outerHTML.slice(0, 80))"
        )
        assert missed == [], way
    # Onto the canvas by keys, and a goal moved by them.
    for _ in range(count + 6):
        if driver.ask("document.activeElement?.id") == "canvas":
            break
        keyboard.press("Tab")
    assert driver.ask("document.activeElement.id") == "canvas"
    before = np.array(driver.ask("playground.goal()"))
    for _ in range(5):
        keyboard.press("Shift+ArrowLeft")
    driver.settled()
    assert np.linalg.norm(np.array(driver.ask("playground.goal()")) - before) > 0.1
    assert driver.tip_error() <= driver.tolerance() * 1.01
    keyboard.press("t")
    driver.until("playground.trace().open")
    keyboard.press(">")
    assert driver.ask("playground.trace().iteration") == 1
    keyboard.press("<")
    assert driver.ask("playground.trace().iteration") == 0
    keyboard.press("Escape")
    assert not driver.ask("playground.trace().open")
    keyboard.press("Control+z")
    driver.settled()
    assert np.allclose(driver.ask("playground.goal()"), before)


def test_fingers_have_room(new_page):
    driver = new_page(size=(390, 780), has_touch=True, is_mobile=True)
    driver.page.tap("#opener")
    driver.set(scene="humanoid", limits=True, motion="walk")
    driver.ask("playground.page.store.setLook({ tracks: true })")
    driver.ask("playground.page.motionWork.retarget('human')")
    driver.until("playground.page.scene.retargeted !== null")
    driver.ask("playground.page.timeline.playing = false; playground.page.motionWork.check()")
    driver.until("playground.page.store.report !== null")
    for title in ("Goals", "Motion", "Step through", "View", "Save"):
        driver.unfold(title)
    driver.ask("playground.page.record()")
    small = driver.ask(
        """[...document.querySelectorAll("button, input, select, summary, .lane")]
          .filter((one) => one.checkVisibility())
          .map((one) => [one.name || one.textContent, one.getBoundingClientRect()])
          .filter(([, box]) => box.height < 39.9 || box.width < 39.9)
          .map(([name, box]) => [name, box.width, box.height])"""
    )
    assert small == []
