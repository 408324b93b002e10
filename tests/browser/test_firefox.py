"""The page in Firefox, where there is one."""

import math
import os
import time

import pytest
from driving import Driver, keeping
from firefox import FIREFOX, XVFB, Firefox

from supple.viewer.server import Server

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


@pytest.fixture
def firefox(tmp_path):
    with Firefox(tmp_path) as started:
        yield started


def test_the_goal_is_dragged_in_firefox_too(firefox):
    with Server(port=0) as server:
        firefox.prepare(keeping("plain"))
        firefox.open(server.url, 700, 420)
        driver = FirefoxDriver(firefox, server)
        driver.until("window.playground?.ready && playground.settled")
        x, y = driver.goal_pixel()
        firefox.drag((x, y), (-100, -40))
        new = driver.goal_pixel()
        assert math.dist(new, (x - 100, y - 40)) < 14
        assert driver.tip_error() <= driver.tolerance() * 1.01
        driver.until(lambda: driver.orange(*new) > 0.3)
        assert not firefox.failed
