"""Pages of the playground in a real Chromium, served from this process: see `driving`."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Character, Material, Mesh, Motion, Skin
from supple.apps.viewer.app import PAGE
from supple.apps.viewer.messages import Setup
from supple.apps.viewer.server import Server

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from driving import MILLISECONDS, Browser, Driver, Watched  # noqa: E402
from tests.support.chromium import ARGUMENTS, CHROMIUM  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = ""
    if CHROMIUM is None:
        reason = "there is no Chromium on this machine (Debian: apt-get install chromium)"
    elif not (PAGE / "index.html").is_file():
        reason = "the page has not been built (the npm registry was out of reach at install time)"
    for item in items:
        if reason and "browser" in item.path.parts:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    # Without a graphics card the parts of a page are put together faster without its interfaces.
    arguments = [*ARGUMENTS, "--disable-gpu-compositing"]
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=arguments, timeout=MILLISECONDS
        )
        yield Browser(browser)
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[Callable[..., Driver]]:
    """Makes pages with a server of their own."""
    with Server(port=0) as server:
        watched = Watched(chromium, server)
        yield watched.open
        watched.close()
    watched.check()


@pytest.fixture(scope="session")
def shared(chromium: Browser) -> Iterator[tuple[Watched, Driver]]:
    with Server(port=0) as server:
        watched = Watched(chromium, server)
        # Who wants less motion gets files whose motions stand at their first frame.
        yield watched, watched.open(reduced_motion="reduce")
        watched.close()


@pytest.fixture
def driver(shared: tuple[Watched, Driver]) -> Iterator[Driver]:
    """The page that most tests share, as it was when it was opened."""
    watched, one = shared
    one.page.mouse.up()  # a test that failed may have left it down
    one.ask(
        """(() => {
          const { page } = playground;
          page.goals.liftAll();
          page.goals.select(null);
          page.tracing.close();
          page.choose(-1);
          page.hud.say("");
          document.querySelector("#panel").scrollTop = 0;
          page.files.choice.close();
          page.timeline.playing = false;
          page.timeline.seek(0);
          page.store.reset();
          page.store.setLook({ quality: "plain", dragged: true });
          page.store.set(SNAKE);
        })()""".replace("SNAKE", json.dumps(asdict(Setup())))
    )
    one.until("playground.page.scene.key === 'snake:8:8:3'")
    one.settled()
    revision = one.ask("playground.revision")
    one.ask("playground.page.resetPose()")
    one.until(f"playground.revision > {revision}")
    one.ask("playground.page.home()")
    one.settled()
    yield one
    watched.check()


@pytest.fixture(scope="session")
def limb() -> Character:
    """Six links in a green sleeve, every vertex of which hangs on all six joints."""
    skeleton = supple.chain([1] * 6)
    around = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    rings = [
        [(x, 0.35 * np.cos(a), 0.35 * np.sin(a)) for a in around] for x in np.linspace(0, 6, 13)
    ]
    places = np.array(rings).reshape(-1, 3)
    faces = [
        (r * 12 + k, r * 12 + (k + 1) % 12, (r + 1) * 12 + c)
        for r in range(12)
        for k in range(12)
        for c in (k, (k + 1) % 12)
    ]
    far = np.abs(places[:, :1] - np.arange(6) - 0.5)
    weights = 1 / (0.6 + far)  # so that none can be left out
    names = skeleton.joint_names
    binds = np.linalg.inv(skeleton.rest.frames[:6])
    skin = Skin.from_table(names, binds, np.tile(np.arange(6), (len(places), 1)), weights)
    green = Material("green", color=(0.05, 0.8, 0.1, 1.0), double_sided=True)
    mesh = Mesh("sleeve", places, np.array(faces), material=green, skin=skin)
    sway = [skeleton.pose({n: (0.0, 0.1 * k, 0.15 * k) for n in names}) for k in range(4)]
    motion = Motion("sway", sway, fps=10)
    return Character(skeleton, (mesh,), {"sway": motion}, up="y")
