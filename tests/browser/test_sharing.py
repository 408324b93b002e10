"""Addresses that restore settings, videos, and the page that is saved by one click."""

import json

import numpy as np
import pytest
from driving import Driver

import supple
from supple.apps.viewer.server import Server


def shared(driver):
    """The address that the page gives out."""
    driver.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    driver.unfold("Save")
    driver.page.click("[name=save-link]")
    driver.until(lambda: "The link is copied" in driver.notice())
    return driver.ask("navigator.clipboard.readText()")


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


@pytest.fixture
def tab(chromium):
    """A tab of its own, with a server; refusals are among what it may show."""
    with Server(port=0) as server:
        page = chromium.open_page(700, 420)
        yield Driver(page, server)
        chromium.close_page(page)


def test_a_link_has_no_token_and_opens_with_that_of_the_tab(driver, tab):
    driver.set(links=6)
    link = shared(driver)
    token = driver.server.playground.token
    assert token not in link and "token" not in link and "?" not in link
    assert token in driver.ask("location.href"), "a bookmark works where the token is kept"
    tab.page.goto(tab.server.url)
    tab.page.goto("about:blank")
    tab.page.goto(tab.server.url.partition("?")[0] + link[link.index("#") :])
    tab.until("window.playground?.ready && playground.setup().links === 6")


def test_a_link_without_a_token_says_how_to_open_it(driver, tab):
    driver.set(links=7)
    link = shared(driver)
    base = tab.server.url.partition("?")[0]
    answer = tab.page.goto(base + link[link.index("#") :])
    assert answer.status == 403
    text = tab.page.inner_text("#loading")
    assert "This link restores" in text and "supple demo" in text
    for wrong in ("", "http://evil.example/?token=0123456789", base):
        tab.page.fill("[name=address]", wrong)
        tab.page.press("[name=address]", "Enter")
        assert "Expected an address of this machine" in tab.page.inner_text("#loading")
    tab.page.fill("[name=address]", tab.server.url)
    tab.page.click("[name=open-address]")
    tab.until("window.playground?.ready && playground.setup().links === 7")


def test_an_address_with_a_wrong_token_does_not_open(tab):
    base = tab.server.url.partition("?")[0]
    assert tab.page.goto(f"{base}?token=guess").status == 403
    assert "does not open the playground" in tab.page.inner_text("#loading")


def test_a_link_is_shown_where_it_cannot_be_copied(driver):
    driver.ask("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    driver.unfold("Save")
    driver.page.click("[name=save-link]")
    assert "#s=" in driver.page.input_value("dialog [name=link]")
    driver.page.click("[name=close-link]")
    driver.ask("delete navigator.clipboard.writeText")


def test_an_address_names_a_file_and_does_not_contain_it(driver, new_page, tmp_path):
    supple.save(supple.chain([1, 1, 1, 1]), tmp_path / "mine.bvh")
    data = (tmp_path / "mine.bvh").read_bytes()
    driver.drop({"mine.bvh": data})
    driver.until("playground.page.scene.title === 'mine.bvh'")
    driver.set(solver={"name": "FABRIK", "options": {}})
    address = shared(driver)
    assert len(address) < 4000
    other = new_page()
    other.ask(f"location.hash = {json.dumps(address[address.index('#') + 1 :])}")
    other.until(lambda: "This link is for mine.bvh" in other.notice())
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
    with driver.looked_at():
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
    with driver.looked_at(), driver.page.expect_download() as waiting:
        driver.page.click("[name=save-webm]")
    assert waiting.value.path().stat().st_size > 2000


def test_a_page_is_saved_by_one_click(driver, chromium, tmp_path):
    driver.set(scene="humanoid", limits=True, goals=[{"id": "h", "effector": "hand.R", "depth": 3}])
    driver.drag_goal(20, -30)
    joints = driver.joints()
    driver.unfold("Save")
    with driver.page.expect_download() as waiting:
        driver.page.click("[name=save-page]")
    assert waiting.value.suggested_filename == "hero.html"
    path = tmp_path / "hero.html"
    path.write_bytes(waiting.value.path().read_bytes())
    page = chromium.open_page(700, 500, reduced_motion="reduce")
    failed = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(path.as_uri())
    driver.until(lambda: page.evaluate("Boolean(window.playground?.ready && playground.solves)"))
    assert page.evaluate("playground.goalNames()") == ["h"]
    page.evaluate("playground.page.store.setMotion(null); playground.page.resetPose()")
    close = lambda: np.allclose(page.evaluate("playground.joints()"), joints, atol=1e-3)  # noqa: E731
    driver.until(close)
    chromium.close_page(page)
    assert failed == []
