"""What a new user meets: a character that walks and reaches, a hint, help, words that can be read."""

import re

import numpy as np

import supple

# As if the page had never been opened; only once, so that a reload has what was kept.
FRESH = """if (location.protocol === "http:" && !localStorage.getItem("begun")) {
  sessionStorage.clear();
  localStorage.setItem("begun", "yes");
}"""


def test_a_new_page_begins_with_the_character_in_its_walk(new_page):
    driver = new_page(script=FRESH, ready=False)
    driver.until("window.playground?.ready && playground.solves")
    assert driver.ask("playground.page.scene.key") == "humanoid"
    assert driver.ask("playground.setup().motion") == "walk"
    driver.until("playground.playing() && playground.time() > 0.2")
    assert driver.ask("playground.goalNames()") == ["hand.R"]
    driver.until("document.querySelector('#status .pill').textContent === 'reached'")
    assert driver.page.is_visible("#drag-hint") and driver.page.is_visible("#helper")
    driver.ask("playground.page.timeline.playing = false")
    goal = driver.goal_pixel()
    hint = driver.page.locator("#drag-hint").bounding_box()
    assert abs(hint["x"] - goal[0]) < 40 and abs(hint["y"] - goal[1]) < 40
    driver.drag_goal(-20, -20)
    assert not driver.page.is_visible("#drag-hint")
    driver.page.reload()
    driver.until("window.playground?.ready")
    assert not driver.page.is_visible("#drag-hint"), "it was dragged once"


def test_help_is_a_click_away(driver):
    driver.page.click("#helper")
    assert driver.page.is_visible("#help")
    driver.page.keyboard.press("Escape")


def test_a_motion_that_is_opened_plays_and_is_in_view(new_page, limb, tmp_path):
    far = limb.motions["sway"]
    poses = [supple.Pose(p.skeleton, p.coordinates) for p in far.poses]
    path = tmp_path / "clip.bvh"
    supple.save(limb.with_(motions={"sway": supple.Motion("sway", poses, fps=10)}), path)
    driver = new_page()
    driver.drop({"clip.bvh": path.read_bytes()})
    driver.until("playground.page.scene.title === 'clip.bvh' && playground.playing()")
    driver.ask("playground.page.timeline.playing = false; playground.page.timeline.seek(0)")
    driver.settled()
    effector = driver.session.model.goals[0].effector
    at = driver.session.model.motion.at(0.0).position(effector)
    assert np.allclose(driver.ask("playground.goal()"), at, atol=1e-3)
    width, height = 840 - 318, 480
    for x, y in driver.ask(
        "playground.page.scene.names.map((name) => playground.jointPixel(name))"
    ):
        assert 0 < x < width and 0 < y < height


def test_notes_of_an_import_are_one_line(driver, monkeypatch):
    from dataclasses import replace

    from supple.apps.viewer.library import Library

    skeleton = supple.chain([1, 1, 1])
    subject = driver.server.playground.library.subject(
        driver.server.playground.library.open_object(skeleton)
    )
    noted = replace(subject, notes=tuple(f"note {k}" for k in range(7)))
    number = driver.server.playground.library.add(lambda number: noted)
    driver.set(scene=f"file:{number}")
    assert isinstance(driver.server.playground.library, Library)
    notes = driver.page.locator("#panel .notes")
    assert notes.locator("summary").inner_text() == "7 notes on the import"
    assert not notes.locator("p").first.is_visible()
    notes.locator("summary").click()
    assert notes.locator("p").count() == 7


def test_a_solver_that_cannot_offers_what_would_make_it_possible(driver):
    driver.set(scene="humanoid", limits=True)
    label = "document.querySelector('select[name=solver] option[value=CCD]').label"
    assert driver.ask(label) == "CCD (not these goals)"
    driver.page.select_option("select[name=solver]", "CCD")
    driver.until(lambda: "CCD cannot take direction goals" in driver.notice())
    assert driver.ask("playground.setup().solver.name") == "auto", "what solves is selected"
    assert driver.ask("document.querySelector('select[name=solver]').value") == "auto"
    offers = driver.page.locator("#notice [name=offer]")
    assert offers.first.inner_text() == "Only hand.R"
    offers.first.click()
    driver.until("playground.setup().solver.name === 'CCD' && playground.settled")
    assert [goal.effector for goal in driver.session.model.goals] == ["hand.R"]
    assert driver.ask("document.querySelector('select[name=solver]').value") == "CCD"


def test_auto_says_what_it_has_chosen(driver):
    driver.drag_goal(-20, -10)
    label = "document.querySelector('select[name=solver] option[value=auto]').label"
    assert driver.ask(label) == "auto (LM)"


def test_numbers_are_those_a_person_reads(driver):
    driver.set(scene="humanoid", limits=True)
    driver.drag_goal(30, -30)
    told = driver.page.inner_text("#status")
    assert not re.search(r"\de-\d", told)
    assert re.search(r"error (under )?[\d.]+ mm", told)
    driver.ask("playground.page.goals.put(playground.page.goals.list[0], -3, 1, 0)")
    driver.settled()
    assert re.search(
        r"hand.R is 2\.\d+ m from where its chain begins", driver.page.inner_text("#status")
    )


def test_lengths_without_a_unit_have_no_more_digits_than_matter(driver):
    driver.drag_goal(-30, -20)
    told = driver.page.inner_text("#status")
    assert re.search(r"tip is (on|under 0\.0001 from|0\.000\d+ from) its target", told)
    assert re.search(r"error (0|under 0\.0001|0\.000\d+) ", told)


def test_the_status_tells_of_the_solve_that_moved(driver):
    driver.drag_goal(-60, -30)
    told = driver.page.inner_text("#status .figures")
    assert " 0 iterations" not in told
    driver.ask("playground.page.asking.queueGoals()")
    driver.settled()
    assert driver.page.inner_text("#status .figures") == told, "nothing has moved since"


def test_no_two_fields_have_the_same_name(driver):
    driver.set(solver={"name": "LM", "options": {}}, limits=True)
    driver.ask("playground.page.choose(1)")
    labels = driver.page.locator("#panel .row > label").all_text_contents()
    assert [one for one in labels if "damping" in one.casefold()] in ([], ["damping"])
