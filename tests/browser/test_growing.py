"""Rules in the real page: fields, targets that are dragged, files that are dropped."""

import json
import math

import numpy as np

import supple

ARM = """
attr count = 2
attr goal = [1.2, 1.6, 0]
@Color attr paint = "#4488cc"
@StartRule Arm --> Link(0)
Link(k) --> s(0.3, 1, 0.3) joint("j" + k, 0.5, 0, 0.5) color(paint) Next(k)
Next(k) --> case k < count - 1 : [ i("box") ] t(0, '1, 0) Link(k + 1)
    else : IK(goal, effector = [0.5, 1, 0.5]) i("box")
Lot --> extrude(1 / (count - 2)) Wall
"""


def open_scene(driver, name):
    driver.ask(f"playground.page.store.set({json.dumps({'scene': name, 'limits': True})})")
    driver.until(f"playground.setup().scene === {name!r} && playground.grown() !== null")
    driver.until("playground.meshes() > 0")
    driver.settled()


def drop(driver, name, text):
    driver.ask(f"playground.page.files.take([new File([{json.dumps(text)}], {json.dumps(name)})])")


def fill(driver, name, value):
    """Type a number into a field and leave it."""
    driver.page.fill(f"[name={name}]", str(value))
    driver.page.keyboard.press("Tab")
    driver.settled()


def test_a_target_is_dragged_and_the_rules_grow_anew(driver):
    open_scene(driver, "figure")
    old = driver.goal_pixel()
    driver.until(lambda: driver.orange(*old) > 0.3)
    was = driver.session.poses[0].position("Next effector")
    dropped = driver.drag_goal(-90, -20)
    assert math.dist(driver.goal_pixel(), dropped) < 14
    goal = np.array(driver.ask("playground.goal()"))
    assert np.allclose(driver.session.setup.grown.attributes["target"], goal)
    tip = driver.session.poses[0].position("Next effector")
    assert np.linalg.norm(tip - goal) <= 0.0101 and np.linalg.norm(tip - was) > 0.1
    again = supple.grow(supple.data.rules("figure"), attributes={"target": goal})
    assert np.allclose(driver.joints(), again.pose.positions, atol=1e-4), "drawn as it grew"
    fields = [float(driver.page.input_value(f"[name=attr-target-{k}]")) for k in range(3)]
    assert np.allclose(fields, goal, atol=1e-3)
    driver.until(lambda: driver.orange(*driver.goal_pixel()) > 0.3)


def test_what_grew_is_posed_further(driver):
    open_scene(driver, "figure")
    x, y = driver.ask("playground.jointPixel('j2')")
    mouse = driver.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 30, y - 8, steps=5)
    driver.until(lambda: [g.effector for g in driver.session.model.goals] == ["j2"])
    mouse.move(x - 50, y - 10, steps=4)
    driver.settled()
    mouse.up()
    driver.settled()
    k = driver.ask("playground.page.goals.list.findIndex((one) => one.setup.effector === 'j2')")
    goal = np.array(driver.ask(f"playground.goal({k})"))
    assert np.linalg.norm(driver.session.poses[0].position("j2") - goal) < 0.01
    kinds = driver.ask("playground.page.goals.list.map((one) => one.setup.kind)")
    assert sorted(kinds) == ["reach", "target"], "the rule's target is still there"


def test_dropped_rules_get_fields_that_grow_them(driver):
    drop(driver, "arm.cga", ARM)
    driver.until("playground.grown()?.starts?.[0] === 'Arm'")
    driver.settled()
    assert [len(driver.joints()), driver.ask("playground.grown().shapes")] == [4, 6]
    fill(driver, "attr-count-number", 4)
    assert len(driver.joints()) == 6 and driver.session.setup.grown.attributes == {"count": 4}
    driver.page.fill("[name=attr-paint]", "#ff0000")
    driver.settled()
    color = driver.session.subject.meshes[0].material.color
    assert color[0] > 0.99 and color[1] < 0.01
    # A reload keeps what was set.
    driver.page.reload()
    driver.until("window.playground?.ready && playground.grown()")
    driver.settled()
    assert driver.page.input_value("[name=attr-count-number]") == "4" and len(driver.joints()) == 6
    driver.page.click("[name=plain-rules]")
    driver.until(lambda: not driver.session.setup.grown.attributes)
    driver.settled()
    assert len(driver.joints()) == 4


def test_what_rules_refuse_is_said_and_changes_nothing(driver):
    drop(driver, "arm.cga", ARM)
    driver.until("playground.grown()?.starts?.[0] === 'Arm'")
    driver.settled()
    before, setup = driver.joints(), driver.ask("playground.setup()")
    driver.page.select_option("[name=start-rule]", "Lot")  # 1 / (2 - 2)
    driver.until("playground.notice().startsWith('arm.cga:9:')")
    assert "division by zero" in driver.notice()
    driver.settled()
    assert np.array_equal(driver.joints(), before) and driver.ask("playground.setup()") == setup
    drop(driver, "bad.cga", "Lot --> extrude(3\nWall --> NIL")
    driver.until("playground.notice().startsWith('bad.cga:')")
    assert np.array_equal(driver.joints(), before)


def test_the_seed_and_the_start_rule(driver):
    open_scene(driver, "lamp")
    first = driver.ask("playground.page.scene.places[0].position")
    fill(driver, "seed", 12)
    driver.until("playground.grown().seed === 12")
    assert driver.ask("playground.page.scene.places[0].position") != first
    driver.page.select_option("[name=start-rule]", "Book")
    driver.until("playground.grown().start === 'Book'")
    driver.settled()
    assert driver.ask("playground.page.goals.list.length") == 0 and len(driver.joints()) == 1
