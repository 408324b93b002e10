"""Addresses that restore settings, videos, and the page that is saved by one click."""

import json

import numpy as np
import pytest

import supple


def shared(driver):
    """The address that the page gives out."""
    driver.unfold("Save")
    driver.page.click("[name=save-link]")
    driver.until("location.hash.startsWith('#s=')")
    return driver.ask("location.href")


def test_an_address_restores_what_was_set(driver, new_page):
    driver.set(links=5, limits=True, solver={"name": "CCD", "options": {"max_iterations": 70}})
    driver.drag_goal(-40, -30)
    driver.ask("playground.page.store.setLook({ frames: true })")
    address = shared(driver)
    goal, setup = driver.ask("playground.goal()"), driver.ask("playground.setup()")
    camera = driver.ask("playground.camera()")
    other = new_page()
    base = other.server.url
    other.page.goto(base + address[address.index("#") :])
    other.until("window.playground?.ready")
    other.page.reload()  # a new hash alone does not load the page again
    other.until("window.playground?.ready && playground.setup().links === 5")
    other.settled()
    assert other.ask("playground.setup()") == setup
    assert np.allclose(other.ask("playground.goal()"), goal)
    assert np.allclose(other.ask("playground.camera()"), camera, atol=1e-6)
    assert other.ask("playground.page.store.look.frames")
    assert other.tip_error() <= other.tolerance() * 1.01


def test_an_address_names_a_file_and_does_not_carry_it(driver, new_page, tmp_path):
    supple.save(supple.chain([1, 1, 1, 1]), tmp_path / "mine.bvh")
    data = (tmp_path / "mine.bvh").read_bytes()
    driver.drop({"mine.bvh": data})
    driver.until("playground.page.scene.title === 'mine.bvh'")
    driver.set(solver={"name": "FABRIK", "options": {}})
    address = shared(driver)
    assert len(address) < 4000
    other = new_page()
    other.ask(f"location.hash = {json.dumps(address[address.index('#') + 1 :])}")
    other.until(lambda: "This address is for mine.bvh" in other.notice())
    assert other.ask("playground.page.scene.key") == "snake:8:8:3"
    other.drop({"mine.bvh": data})
    other.until(
        "playground.page.scene.title === 'mine.bvh' && playground.setup().solver.name === 'FABRIK'"
    )
    other.settled()
    assert other.session.setup.solver.name == "FABRIK"


@pytest.mark.parametrize("fragment", ["#s=", "#s=%%%", "#s=e30", "#s=eyJmb3JtYXQiOjN9", "#other"])
def test_a_fragment_that_is_none_changes_nothing(driver, fragment):
    before = driver.ask("playground.setup()")
    driver.ask(f"location.hash = {json.dumps(fragment)}")
    driver.settled()
    assert driver.ask("playground.setup()") == before
    driver.ask("history.replaceState(null, '', location.pathname + location.search)")


def test_a_video_of_a_drag(driver):
    driver.unfold("Save")
    driver.page.click("[name=save-webm]")
    driver.until("playground.page.store.recording")
    driver.drag_goal(-40, -20)
    with driver.page.expect_download() as waiting:
        driver.page.click("[name=save-webm]")
    video = waiting.value.path().read_bytes()
    assert waiting.value.suggested_filename == "supple.webm"
    assert video[:4] == b"\x1a\x45\xdf\xa3" and len(video) > 2000
    assert not driver.ask("playground.page.store.recording")


def test_a_video_of_a_motion_ends_with_it(driver):
    driver.set(scene="humanoid", limits=True, motion="walk")
    driver.unfold("Save")
    with driver.page.expect_download() as waiting:
        driver.page.click("[name=save-webm]")
    assert waiting.value.path().stat().st_size > 2000


def test_a_page_is_saved_by_one_click(driver, chromium, tmp_path):
    driver.set(scene="humanoid", limits=True, goals=[{"id": "h", "effector": "hand.R", "depth": 3}])
    driver.drag_goal(20, -30)
    joints = driver.joints()
    driver.unfold("Save")
    with driver.page.expect_download(timeout=60_000) as waiting:
        driver.page.click("[name=save-page]")
    assert waiting.value.suggested_filename == "hero.html"
    path = tmp_path / "hero.html"
    path.write_bytes(waiting.value.path().read_bytes())
    context = chromium.new_context(viewport={"width": 700, "height": 500}, reduced_motion="reduce")
    page = context.new_page()
    failed = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(path.as_uri())
    driver.until(lambda: page.evaluate("Boolean(window.playground?.ready && playground.solves)"))
    assert page.evaluate("playground.goalNames()") == ["h"]
    page.evaluate("playground.page.store.setMotion(null); playground.page.resetPose()")
    close = lambda: np.allclose(page.evaluate("playground.joints()"), joints, atol=1e-3)  # noqa: E731
    driver.until(close)
    context.close()
    assert failed == []
