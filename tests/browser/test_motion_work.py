"""Work on a motion in the page: contacts below the timeline, check and fix, retargeting."""

import json

import numpy as np
import pytest

import supple
from supple import Pose


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A BVH file of our character waving, with a frame in which an arm jumps."""
    hero = supple.humanoid()
    wave = hero.motions["wave"]
    rows = wave.poses.coordinates.copy()
    rows[40] = rows[0]
    poses = Pose(hero.skeleton, rows, wave.poses.translations)
    path = tmp_path_factory.mktemp("broken") / "broken.bvh"
    supple.save(
        hero.with_(meshes=(), motions={"wave": wave.with_(poses=poses)}), path, motion="wave"
    )
    return path.read_bytes()


@pytest.fixture
def walking(driver):
    """Our character in its walk, standing at its first frame, with its contacts shown."""
    driver.set(scene="humanoid", limits=True, motion="walk")
    driver.ask("playground.page.store.setLook({ tracks: true })")
    driver.settled()
    return driver


def lane(driver, joint):
    return driver.page.locator(f'#tracks .lane[data-joint="{joint}"]')


def contacts(driver, joint):
    return driver.ask(f"playground.page.scene.contacts.joints[{json.dumps(joint)}]")


def at_frame(driver, joint, frame):
    """A place of a lane in the page."""
    box = lane(driver, joint).bounding_box()
    frames = driver.ask("playground.page.scene.contacts.frames")
    return box["x"] + box["width"] * frame / frames, box["y"] + box["height"] / 2


def press_and_move(driver, joint, start, stop):
    mouse = driver.page.mouse
    mouse.move(*at_frame(driver, joint, start))
    mouse.down()
    if stop != start:
        mouse.move(*at_frame(driver, joint, stop), steps=4)
    mouse.up()
    driver.settled()


def test_contacts_are_edited_by_the_pointer_and_undone(walking):
    assert contacts(walking, "foot.L") == [[0, 17], [31, 32]]
    press_and_move(walking, "foot.L", 17, 12)  # an end
    assert contacts(walking, "foot.L") == [[0, 12], [31, 32]]
    press_and_move(walking, "foot.L", 6, 6)  # a click removes
    assert contacts(walking, "foot.L") == [[31, 32]]
    press_and_move(walking, "foot.L", 20.5, 20.5)  # and adds
    assert contacts(walking, "foot.L") == [[17, 23], [31, 32]]
    press_and_move(walking, "hand.R", 4.1, 8.9)  # drawn
    assert contacts(walking, "hand.R") == [[4, 9]]
    assert walking.session.setup.edits["walk"].contacts["hand.R"] == [(4, 9)]
    bars = "[...document.querySelectorAll('[data-joint=\"foot.L\"] .bar')].map((one) => Number(one.dataset.start))"
    assert walking.ask(bars) == [17, 31]
    walking.page.click("[name=undo]")
    walking.until("playground.page.scene.contacts.joints['hand.R'].length === 0")
    walking.page.click("[name=redo]")
    walking.until("playground.page.scene.contacts.joints['hand.R'].length === 1")


def test_contacts_are_edited_by_keys(walking):
    lane(walking, "foot.R").focus()
    for _ in range(4):
        walking.page.keyboard.press("ArrowRight")
    walking.until("Math.round(playground.time() * 30) === 4")
    walking.page.keyboard.press("]")
    walking.until("playground.page.scene.contacts.joints['foot.R'][0][1] === 5")
    walking.settled()
    walking.page.keyboard.press("Enter")
    walking.until("playground.page.scene.contacts.joints['foot.R'].length === 1")
    assert walking.ask("document.activeElement.dataset.joint") == "foot.R"
    walking.settled()
    hand = walking.joints()[walking.ask("playground.page.scene.names").index("hand.R")]
    assert np.allclose(walking.ask("playground.goal()"), hand, atol=1e-3), "arrows do not nudge it"
    assert contacts(walking, "foot.R") == [[15, 32]]


def test_planted_feet_stand_where_the_contacts_say(walking):
    walking.unfold("Motion")
    walking.page.click("[name=plant]")
    walking.until("playground.page.scene.contacts.slides.length === 2")
    walking.settled()
    text = walking.page.inner_text("#panel")
    assert "Slide while standing" in text and "now 0 mm" in text
    places = []
    for frame in (3, 12):
        walking.ask(f"playground.page.timeline.seek({frame / 30})")
        walking.settled()
        names = walking.ask("playground.page.scene.names")
        places.append(walking.joints()[names.index("foot.L")])
    assert abs(places[0] - places[1]).max() < 1e-3
    press_and_move(walking, "foot.L", 17, 8)
    walking.page.click("[name=found-contacts]")
    walking.until("!playground.page.scene.contacts.edited")


def test_faults_are_listed_marked_and_repaired(driver, broken):
    driver.drop({"broken.bvh": broken})
    driver.until("playground.page.scene.title === 'broken.bvh'")
    driver.settled()
    driver.unfold("Motion")
    driver.page.click("[name=check]")
    driver.until("playground.page.store.report !== null")
    total = driver.ask("playground.page.store.report.total")
    assert total > 0 and f"{total} fault" in driver.page.inner_text("#checked")
    assert driver.page.locator("#tracks .faults i").count() == total
    kind = driver.ask("playground.page.store.report.faults[0].kind")
    frame, joint = driver.ask(
        "(({ frame, joint }) => [frame, joint])(playground.page.store.report.faults[0])"
    )
    driver.page.click(f"details.kind[data-kind={kind}] summary")
    driver.page.click(f"[name=fault-{kind}-{frame}]")
    assert round(driver.ask("playground.time()") * 30) == frame
    assert driver.ask("playground.page.store.chosen") == joint
    driver.ask("playground.page.timeline.seek(0)")
    box = driver.page.locator("#tracks .faults").bounding_box()
    driver.page.mouse.click(box["x"] + 0.55 * box["width"], box["y"] + box["height"] / 2)
    driver.until("playground.time() > 1")
    driver.page.click("[name=fix]")
    driver.until("playground.page.store.report.repaired")
    assert f"Repaired: {total} before" in driver.page.inner_text("#checked")
    assert driver.ask("playground.page.store.report.total") < total
    driver.page.click("[name=unfix]")
    driver.until("!playground.page.store.report.repaired")
    driver.set(scene="snake", motion=None)
    driver.until("playground.page.store.report === null")


def test_a_motion_is_retargeted_and_its_body_map_edited(walking):
    walking.unfold("Motion")
    walking.page.select_option("[name=target]", "human")
    walking.page.click("[name=retarget]")
    walking.until("playground.page.scene.retargeted?.motion === 'walk'")
    walking.settled()
    walking.until(lambda: walking.page.inner_text("#source-name") == "Our character")
    assert walking.page.input_value("[name=target_map-left_thigh]") == "left hip"
    source = "playground.page.source.figure.positions.map((one) => one.toArray())"
    before, target = walking.ask(source), walking.joints()
    walking.ask("playground.page.timeline.seek(0.4)")
    walking.settled()
    assert walking.ask(source) != before and (walking.joints() != target).any(), "both play"
    walking.page.fill("[name=target_map-left_thigh]", "left hipp")
    walking.page.press("[name=target_map-left_thigh]", "Tab")
    walking.until(lambda: "did you mean 'left hip'" in walking.notice())
    assert walking.page.input_value("[name=target_map-left_thigh]") == "left hip", "as before"
    walking.page.fill("[name=target_map-neck]", "")
    walking.page.press("[name=target_map-neck]", "Tab")
    walking.until(
        "playground.page.scene.retargeted.roles.find(({ role }) => role === 'neck').target.length === 0"
    )
    walking.settled()
    with walking.page.expect_download() as waiting:
        walking.ask("playground.page.line.send({ type: 'save', format: 'bvh' })")
    assert b"MOTION" in waiting.value.path().read_bytes()
    walking.page.click("[name=to-source]")
    walking.until(
        "playground.page.scene.title === 'Our character' && playground.page.scene.retargeted === null"
    )
    assert walking.page.is_hidden("#source-name")


def test_a_motion_is_retargeted_onto_a_file(walking, tmp_path):
    supple.save(supple.humanoid().with_(motions={}), tmp_path / "other.glb")
    walking.unfold("Motion")
    walking.page.select_option("[name=target]", "*")
    with walking.page.expect_file_chooser() as waiting:
        walking.page.click("[name=retarget]")
    waiting.value.set_files(tmp_path / "other.glb")
    walking.until(
        "playground.page.scene.title === 'other.glb' && playground.page.scene.retargeted !== null"
    )
    walking.settled()
    assert walking.session.setup.retarget.source == "humanoid"
    assert walking.ask("playground.page.scene.motion") == "walk"


def test_a_body_that_is_none_is_refused_in_words(walking):
    walking.ask("playground.page.motionWork.retarget('snake')")
    walking.until(lambda: "j0" in walking.notice())
    assert walking.ask("playground.page.scene.title") == "Our character"
    walking.settled()
