"""Taking hold of goals, joints and the view, with pointer, keys and fingers."""

import math

import numpy as np
import pytest


def test_the_goal_is_dragged_and_the_tip_follows(new_page):
    driver = new_page(size=(800, 500), color_scheme="dark")
    old = driver.goal_pixel()
    driver.until(lambda: driver.orange(*old) > 0.3)  # drawn where the page says it is
    dropped = driver.drag_goal(-120, -40)
    new = driver.goal_pixel()
    assert math.dist(new, dropped) < 14
    driver.until(lambda: driver.orange(*new) > 0.3)
    assert driver.orange(*old) < 0.05, "it is no longer where it was"
    assert driver.tip_error() <= driver.tolerance() * 1.01
    tip = driver.joint_pixel("tip")
    assert math.dist(tip, new) < 5, "the tip is drawn at the goal"
    assert "reached" in driver.page.inner_text("#status")


def test_w_pushes_the_goal_and_leaves_the_camera(driver):
    page = driver.page
    page.focus("#canvas")
    before, camera = np.array(driver.ask("playground.goal()")), driver.ask("playground.camera()")
    clock = lambda: driver.ask("performance.now()") / 1000  # noqa: E731
    earliest = clock()
    page.keyboard.down("w")
    pressed = clock()
    driver.until(lambda: clock() - pressed > 0.5)
    lifted = clock()
    page.keyboard.up("w")
    latest = clock()
    driver.settled()
    moved = np.array(driver.ask("playground.goal()")) - before
    speed = driver.ask("playground.depthSpeed()")
    assert (lifted - pressed) * speed <= np.linalg.norm(moved) <= (latest - earliest) * speed
    forward = np.array(driver.ask("playground.page.stage.forward().toArray()"))
    assert np.allclose(moved / np.linalg.norm(moved), forward, atol=1e-3)
    assert driver.ask("playground.camera()") == camera
    assert driver.tip_error() <= driver.tolerance() * 1.01 or driver.status() != "reached"


def test_keys_are_the_field_s_while_typing(driver):
    before = driver.ask("playground.goal()")
    driver.page.click("[name=tolerance]")
    driver.page.keyboard.press("ArrowUp")
    driver.page.keyboard.type("ws1")
    driver.page.keyboard.press("w")
    driver.settled()
    assert driver.ask("playground.goal()") == before
    assert not driver.ask("playground.page.goals.pushing")


def test_arrows_nudge_and_a_finger_drags(new_page):
    driver = new_page(size=(700, 500), has_touch=True)
    driver.page.focus("#canvas")
    before = driver.goal_pixel()
    for _ in range(4):
        driver.page.keyboard.press("ArrowRight")
    driver.settled()
    after = driver.goal_pixel()
    assert after[0] - before[0] > 8 and abs(after[1] - before[1]) < 3
    # A finger: the same events as a touch screen sends.
    x, y = after
    line = driver.page.context.new_cdp_session(driver.page)
    touch = lambda kind, points: line.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
    )
    touch("touchStart", [{"x": x + 6, "y": y + 6}])
    for k in range(1, 7):
        touch("touchMove", [{"x": x + 6 - 12 * k, "y": y + 6 - 5 * k}])
    touch("touchEnd", [])
    driver.settled()
    assert math.dist(driver.goal_pixel(), (x - 72, y - 30)) < 14
    assert driver.tip_error() <= driver.tolerance() * 1.01


def test_empty_space_turns_the_view_and_a_click_selects_a_joint_that_a_key_locks(driver):
    camera, goal = driver.ask("playground.camera()"), driver.ask("playground.goal()")
    mouse = driver.page.mouse
    mouse.move(60, 440)
    mouse.down()
    mouse.move(140, 410, steps=4)
    mouse.up()
    assert driver.ask("playground.camera()") != camera and driver.ask("playground.goal()") == goal
    driver.page.mouse.click(*driver.joint_pixel("j3"))
    driver.until("playground.page.store.chosen === 3")
    assert driver.ask("playground.setup().joints") == {}, "a click only selects"
    driver.page.keyboard.press("x")
    driver.until(lambda: "j3" in driver.session.setup.joints)
    driver.settled()
    before = driver.session.poses[0].local_rotations
    driver.drag_goal(-80, -30)
    after = driver.session.poses[0].local_rotations
    assert np.array_equal(before[3], after[3]) and not np.allclose(before[4], after[4])
    assert driver.page.inner_text("[name=lock-chosen]") == "Unlock"
    driver.page.click("[name=lock-chosen]")
    driver.until(lambda: "j3" not in driver.session.setup.joints)


def test_a_goal_out_of_sight_is_pointed_to_and_found_again(driver):
    arrow = "document.querySelector('[name=beyond]')"
    assert driver.ask(f"{arrow}.hidden")
    driver.ask(
        """(() => { const { goals } = playground.page;
        goals.list[0].position.set(20, 9, 0); goals.draw(); goals.onMove(); })()"""
    )
    driver.settled()
    assert not driver.ask(f"{arrow}.hidden")
    driver.page.click("[name=beyond]")
    x, y = driver.goal_pixel()
    width, height = driver.ask("playground.page.stage.viewSize.toArray()")
    assert 0 < x < width and 0 < y < height
    assert driver.ask(f"{arrow}.hidden")


def test_what_is_picked_is_picked_with_the_camera_of_now(driver):
    """Before the frame after a turn of the view has been drawn, too."""
    mouse = driver.page.mouse
    mouse.move(60, 440)
    mouse.down()
    mouse.move(160, 400, steps=4)
    mouse.up()
    at_once, drawn = driver.ask(
        """(async () => {
          const place = () => playground.jointPixel("j5");
          playground.page.home();
          const atOnce = place();
          while (!playground.settled) await new Promise(requestAnimationFrame);
          return [atOnce, place()];
        })()"""
    )
    assert at_once == pytest.approx(drawn, abs=1e-6)


def test_an_older_answer_moves_nothing_back(driver):
    x, y = driver.goal_pixel()
    driver.page.mouse.move(x, y)
    driver.page.mouse.down()
    driver.page.mouse.move(x - 60, y - 20, steps=3)
    driver.settled()
    goal, joints = driver.ask("playground.goal()"), driver.joints()
    driver.ask(
        """(() => {
          const { page } = playground, { frame } = page.bodies[0];
          page.incoming.onPose({ ...frame, seq: frame.seq - 1, values: frame.values.map((v) => v + 1) });
          const places = page.scene.places.map((place) => ({ ...place, position: [0, 0, 0] }));
          page.incoming.onScene({ ...page.scene, places });
        })()"""
    )
    assert driver.ask("playground.goal()") == goal, "it is in a person's hand"
    assert np.array_equal(driver.joints(), joints)
    driver.page.mouse.up()


def test_a_joint_that_is_pulled_becomes_an_effector(driver):
    x, y = driver.joint_pixel("j5")
    mouse = driver.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 40, y - 30, steps=6)
    driver.until(lambda: driver.session.model.goals[0].effector == "j5")
    mouse.move(x - 50, y - 40, steps=3)
    driver.settled()
    mouse.up()
    driver.settled()
    assert math.dist(driver.goal_pixel(), (x - 50, y - 40)) < 14
    assert driver.tip_error() <= driver.tolerance() * 1.01


def test_rings_turn_an_orientation_goal(driver):
    driver.set(goals=[{"id": "g", "kind": "pose", "effector": "tip", "depth": 0, "axis": "x"}])
    goal = driver.ask("playground.goal()")
    x, y = driver.ring_pixel(0, 2, 0.7)
    to = driver.ring_pixel(0, 2, 1.3)
    mouse = driver.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(*to, steps=6)
    driver.settled()
    mouse.up()
    driver.settled()
    wanted = np.array(driver.ask("playground.page.goals.places()[0].orientation"))
    turned = driver.session.poses[0].rotation("tip")
    assert driver.ask("playground.goal()") == goal, "turned, not moved"
    start = driver.session.subject.start.rotation("tip")
    assert 2 * math.acos(min(abs(np.dot(start, wanted)), 1)) == pytest.approx(0.6, abs=0.15)
    assert abs(np.dot(turned, wanted)) == pytest.approx(1, abs=1e-6)


def test_tab_goes_through_the_goals_and_leaves_the_canvas(driver):
    driver.page.select_option("[name=scene]", "humanoid")
    driver.until("playground.goalNames().length === 3")
    driver.settled()
    names = driver.ask("playground.goalNames()")
    keyboard = driver.page.keyboard
    on_canvas = "document.activeElement.id === 'canvas'"
    driver.page.focus("#canvas")
    assert driver.ask("playground.activeGoal()") == names[0]
    for name in names[1:]:
        keyboard.press("Tab")
        assert driver.ask("playground.activeGoal()") == name and driver.ask(on_canvas)
    keyboard.press("Tab")
    assert not driver.ask(on_canvas), "beyond the last goal"
    keyboard.press("Shift+Tab")
    assert driver.ask(on_canvas) and driver.ask("playground.activeGoal()") == names[-1]
    for name in reversed(names[:-1]):
        keyboard.press("Shift+Tab")
        assert driver.ask("playground.activeGoal()") == name and driver.ask(on_canvas)
    keyboard.press("Shift+Tab")
    assert not driver.ask(on_canvas), "before the first"
    keyboard.press("Tab")
    assert driver.ask(on_canvas) and driver.ask("playground.activeGoal()") == names[0]
