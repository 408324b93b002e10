"""Bodies in the page: collisions, balance, loops, goals on bones, with pointer and keys."""

import numpy as np


def open_scene(driver, name):
    driver.page.select_option("[name=scene]", name)
    driver.until(f"playground.page.scene.key === {name!r} && playground.solves")
    driver.settled()


def put(driver, x, y, z):
    """Move the first goal somewhere."""
    driver.ask(f"(({{ goals }}) => goals.put(goals.list[0], {x}, {y}, {z}))(playground.page)")
    driver.settled()


def test_an_arm_stays_outside_the_chest_until_collisions_are_allowed(driver):
    open_scene(driver, "crossing")
    assert "through the chest" in driver.page.inner_text("#status .about")
    put(driver, 0.0, 1.2, 0.0)
    assert driver.status() != "reached"
    driver.page.focus("[name=avoid]")
    driver.page.keyboard.press("Space")
    driver.until("playground.page.scene.bodies.avoid.on === false")
    driver.settled()
    put(driver, 0.0, 1.2, 0.01)
    assert driver.status() == "reached"


def test_a_pair_that_touches_is_named_and_red(driver):
    driver.ask(
        """playground.page.store.set({ bodies: { balance: { on: false, margin: 0, feet: [] }, loops: [],
        avoid: { on: true, margin: 0.05, ground: false, boxes: [{ center: [3, 1, 0], size: [8, 8, 8] }] } } })"""
    )
    driver.until("playground.page.scene.bodies.avoid.on && playground.solves")
    driver.settled()
    put(driver, 4.0, 2.0, 1.0)
    assert driver.status() == "collides"
    assert " and a box touch, " in driver.page.inner_text("#status .reason")
    touching = driver.ask("playground.page.bodies[0].frame.report.touching")
    assert touching[1] == "obstacle 0 (Box)"
    colors = """(() => {
      const seen = [];
      playground.page.stage.world.traverse((one) => {
        const box = one.isMesh && one.visible && one.geometry.type === "BoxGeometry";
        if (box) seen.push(one.material.color.getHex());
      });
      return seen;
    })()"""
    assert driver.ask(colors) == [0xFF3B4E]


def test_balance_is_kept_while_a_hand_is_dragged(driver):
    open_scene(driver, "standing")
    driver.until("playground.inside() !== null")
    for k in range(1, 6):
        put(driver, -0.5 + 0.04 * k, 1.0 - 0.1 * k, 0.1 + 0.15 * k)
        assert driver.ask("playground.inside()") > 0.0
    assert driver.status() == "reached"
    driver.page.uncheck("[name=balance]")
    driver.until("playground.page.scene.bodies.balance.on === false && playground.solves")
    driver.ask("playground.page.store.setLook({ balance: true })")
    driver.ask("playground.page.store.set({ start: 'rest' })")
    driver.settled()
    put(driver, -0.3, 0.5, 0.9)
    assert driver.ask("playground.inside()") < 0.0


def test_two_bones_are_held_together_and_let_go(driver):
    driver.set(scene="humanoid", limits=True, goals=[])
    driver.unfold("Body")
    page = driver.page
    page.select_option("[name=loop-a]", "hand.R")
    page.select_option("[name=loop-b]", "hand.L")
    page.click("[name=add-loop]")
    driver.until("playground.page.scene.bodies.loops.length === 1 && playground.solves")
    driver.settled()
    put(driver, -0.05, 1.2, 0.4)
    names = driver.ask("playground.page.scene.names")
    joints = driver.joints()
    hands = [joints[names.index(f"hand.{side}")] for side in "RL"]
    assert np.allclose(*hands, atol=1e-4), "the hands meet"
    page.click("[name=loop-0-remove]")
    driver.until("playground.page.scene.bodies.loops.length === 0")


def test_a_goal_is_bound_to_a_bone_where_it_is(driver):
    open_scene(driver, "wrist")
    apart = driver.ask("playground.goal(1)")
    assert driver.ask("playground.page.goals.list[1].bound")
    put(driver, -0.25, 1.4, 0.3)
    assert driver.status() == "reached"
    moved = driver.ask("playground.goal(1)")
    assert np.linalg.norm(np.subtract(moved, apart)) > 0.05, "it goes along with the forearm"
    driver.unfold("Goals")
    driver.page.select_option("[name=goal-1-on]", "")
    driver.until("!playground.page.goals.list[1].bound")
    driver.settled()
    assert np.allclose(driver.ask("playground.goal(1)"), moved, atol=0.02), "and stays there"


def test_a_box_is_added_and_dragged(driver):
    open_scene(driver, "crossing")
    driver.page.click("[name=add-box]")
    driver.until("playground.page.scene.bodies.avoid.boxes.length === 1")
    driver.settled()
    (box,) = driver.ask("playground.page.scene.bodies.avoid.boxes")
    x, y = driver.ask(f"playground.pixel({box['center']})")
    mouse = driver.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 60, y, steps=4)
    mouse.up()
    driver.until(
        f"playground.page.scene.bodies.avoid.boxes[0].center[0] > {box['center'][0]} + 0.05"
    )
    driver.settled()
    driver.page.click("[name=box-0-remove]")
    driver.until("playground.page.scene.bodies.avoid.boxes.length === 0")


def test_controls_of_bodies_are_large_enough_for_fingers(new_page):
    driver = new_page(size=(390, 780), has_touch=True, is_mobile=True)
    driver.ask("playground.page.store.setLook({ panel: true })")
    driver.ask("playground.page.store.openScene('crossing')")
    driver.until("playground.page.scene.key === 'crossing'")
    driver.settled()
    small = driver.ask(
        """(() => {
          const parts = [...document.querySelectorAll("#panel details")];
          const body = parts.find((one) => one.querySelector("summary").textContent === "Body");
          const controls = [...body.querySelectorAll("button, select, input")];
          return controls.filter((one) => one.getBoundingClientRect().height < 40).map((one) => one.name);
        })()"""
    )
    assert small == []
