"""The page in Firefox, where there is one."""

import math
import os
import time

import pytest
from driving import Driver, keeping
from firefox import FIREFOX, XVFB, Firefox

from supple.apps.viewer.server import Server

pytestmark = pytest.mark.skipif(
    FIREFOX is None or not (XVFB or "DISPLAY" in os.environ),
    reason="there is no Firefox on this machine, or no display (Debian: firefox-esr, xvfb)",
)


class FirefoxDriver(Driver):
    """The driver of the other tests, of a page in Firefox."""

    def ask(self, script):
        return self.page.ask(script)

    def wait(self):
        time.sleep(0.05)

    def screenshot(self):
        return self.page.picture()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    with Firefox(tmp_path_factory.mktemp("firefox")) as started:
        yield started


@pytest.fixture(scope="module")
def server(firefox):
    with Server(port=0) as one:
        yield one


def test_the_first_minute_in_firefox(firefox, server):
    firefox.open(server.url, 900, 560)
    driver = FirefoxDriver(firefox, server)
    driver.until("window.playground?.ready && playground.solves")
    assert driver.ask("playground.page.scene.key") == "humanoid"
    driver.until("playground.playing() && playground.time() > 0.2")
    driver.until("document.querySelector('#status .pill').textContent === 'reached'")
    assert driver.ask("!document.querySelector('#drag-hint').hidden")
    driver.ask("playground.page.timeline.playing = false")
    driver.settled()
    x, y = driver.goal_pixel()
    firefox.drag((x, y), (-30, -20))
    driver.settled()
    assert driver.ask("document.querySelector('#drag-hint').hidden")
    click = "document.querySelector('[name={}]').click()"
    driver.ask(click.format("undo"))
    driver.until("playground.page.history.canRedo")
    driver.ask("playground.page.store.setLook({ tracks: true })")
    driver.until("document.querySelectorAll('#tracks .bar').length >= 6")
    driver.ask("playground.page.store.editMotion({ plant: true })")
    driver.until("playground.page.scene.contacts.slides.length === 2")
    driver.ask(click.format("check"))
    driver.until("playground.page.store.report !== null")
    driver.ask("playground.page.motionWork.retarget('human')")
    driver.until("playground.page.scene.retargeted !== null")
    driver.ask("playground.page.timeline.playing = false")
    driver.settled()
    driver.set(scene="arm", limits=True, motion=None, retarget=None, race=True, goals=[])
    driver.until("document.querySelectorAll('#standings tbody tr').length === 5")
    driver.set(race=False)
    driver.ask(click.format("steps"))
    driver.until("playground.trace().open")
    assert driver.ask("playground.trace().iteration") == 0
    assert not firefox.failed


def test_the_goal_is_dragged_in_firefox_too(firefox):
    with Server(port=0) as server:  # of another origin: nothing is kept from the page before
        firefox.prepare(keeping("plain"))
        firefox.open(server.url, 700, 420)
        driver = FirefoxDriver(firefox, server)
        driver.until("window.playground?.ready && playground.settled")
        x, y = driver.goal_pixel()
        firefox.drag((x, y), (-100, -40))
        driver.settled()
        new = driver.goal_pixel()
        assert math.dist(new, (x - 100, y - 40)) < 14
        assert driver.tip_error() <= driver.tolerance() * 1.01
        driver.until(lambda: driver.orange(*new) > 0.3)
        assert not firefox.failed
