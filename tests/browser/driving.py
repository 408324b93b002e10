"""A page of the playground in a real Chromium, and the session behind it.

Nothing may leave the machine, no script may fail. Tests wait for hooks of the page
(`window.playground`), never for the clock; a place on the page is asked for when all is settled, so
that it is a place in the frame that is seen, however slowly frames come.

Drawing without a graphics card takes most of the time, and few tests look at pixels: so a page does all
but the drawing itself, until it is looked at.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

import numpy as np
from tests.patience import PATIENCE

from supple.apps.viewer.server import Server
from supple.apps.viewer.session import Session

MILLISECONDS = 1000 * PATIENCE  # as Playwright counts
UNSEEN = """
for (const name of ["clear", "drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...given) {
    if (window.lookedAt) draw.apply(this, given);
  };
}
"""
# The page itself waits, which takes less than to ask it again and again; after a while it says how it stands.
WAITING = """new Promise((done, fail) => {
  const began = performance.now();
  const look = () => {
    try {
      const found = CONDITION;
      if (found || performance.now() - began > 2000) done(found);
      else setTimeout(look, 10);
    } catch (error) {
      fail(error);
    }
  };
  look();
})"""


def keeping(quality: str) -> str:
    """A script that makes a page begin with a quality, as if it had been set before."""
    kept = json.dumps(
        {"format": "supple-settings", "setup": {}, "look": {"quality": quality, "dragged": True}}
    )
    return (
        "sessionStorage.getItem('supple-playground') || "
        f"sessionStorage.setItem('supple-playground', {json.dumps(kept)})"
    )


class Browser:
    """A Chromium that is running.

    Pages that ask for nothing special share a context, and so a process, in which they open in half of
    the time. Each has its session storage; what is kept beyond that is removed when the page is closed.
    """

    def __init__(self, chromium: Any) -> None:
        self.new_context = chromium.new_context
        self._common: Any = None

    def open_page(self, width: int, height: int, **more: Any) -> Any:
        """An empty page; with options that only a context can have, in a context of its own."""
        size = {"width": width, "height": height}
        media = {
            name: more.pop(name) for name in ("reduced_motion", "color_scheme") if name in more
        }
        if more:
            context = self.new_context(viewport=size, **more)
        else:
            self._common = context = self._common or self.new_context()
        context.set_default_timeout(MILLISECONDS)
        page = context.new_page()
        page.set_viewport_size(size)
        page.emulate_media(**media)
        page.add_init_script(UNSEEN)
        return page

    def close_page(self, page: Any) -> None:
        if page.context is not self._common:
            page.context.close()
        elif not page.is_closed():
            with suppress(Exception):  # a page that could not be opened has no storage
                page.evaluate("localStorage.clear()")
            page.close()


class Driver:
    """A page and the session behind it."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page = page
        self.server = server

    @property
    def session(self) -> Session:
        return self.server.playground.sessions[-1]

    def ask(self, script: str) -> Any:
        """What a script gives; `playground` is the page's hooks."""
        return self.page.evaluate(script)

    def until(self, what: str | Callable[[], Any]) -> Any:
        """Wait until a script of the page, or a function here, gives something true."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            found = what() if callable(what) else self.ask(WAITING.replace("CONDITION", what))
            if found:
                return found
            self.wait()
        raise AssertionError(f"waited in vain for {what}; notice: {self.notice()!r}")

    def wait(self) -> None:
        """Let the page go on for a moment."""
        self.page.wait_for_timeout(15)

    def notice(self) -> str:
        return self.ask("window.playground?.notice() ?? ''")

    def open(self, *, ready: bool = True) -> "Driver":
        self.page.goto(self.server.url)
        if ready:
            self.until("window.playground?.ready")
            self.settled()
        return self

    def settled(self) -> None:
        """Wait until the page has an answer to all it has asked for and has drawn it, and Python knows."""
        self.until(self._agreed)

    def _agreed(self) -> bool:
        [told] = self.until("playground.settled && [playground.told]")
        wants = [one.want for one in self.server.playground.sessions]  # one is that of this page
        return told == 0 or told is not None and any(one and one.seq >= told for one in wants)

    def goal_pixel(self, k: int = 0, half: int = 0) -> tuple[float, float]:
        return self._pixel(f"goalPixel({k}, {half})")

    def joint_pixel(self, name: str, half: int = 0) -> tuple[float, float]:
        return self._pixel(f"jointPixel({name!r}, {half})")

    def ring_pixel(self, goal: int, ring: int, angle: float) -> tuple[float, float]:
        return self._pixel(f"ringPixel({goal}, {ring}, {angle})")

    def _pixel(self, hook: str) -> tuple[float, float]:
        x, y = self.until(f"playground.settled && playground.{hook}")
        return x, y

    def drag_goal(
        self, dx: float, dy: float, *, half: int = 0, steps: int = 8
    ) -> tuple[float, float]:
        """Drag the goal in a few steps; where the pointer let go of it."""
        x, y = self.goal_pixel(half=half)
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=steps)
        self.settled()
        mouse.up()
        self.settled()
        return x + dx, y + dy

    def status(self) -> str:
        """The status that is shown."""
        return self.page.inner_text("#status .pill")

    def tip_error(self, slot: int = 0) -> float:
        """How far Python's tip is from the page's goal."""
        goal = self.session.model.goals[0]
        at = self.session.poses[slot].position(goal.effector)
        return float(np.linalg.norm(at - np.array(self.ask("playground.goal()"))))

    def tolerance(self) -> float:
        return self.ask("playground.page.scene.tolerance")

    def set(self, **setup: Any) -> None:
        """Change the setup and wait until Python has taken it."""
        self.ask(f"playground.page.store.set({json.dumps(setup)})")
        self.settled()

    def unfold(self, title: str) -> None:
        """Open a part of the panel, if it is not."""
        part = self.page.locator("details", has=self.page.locator(f"summary:text-is('{title}')"))
        if part.get_attribute("open") is None:
            part.locator("summary").click()

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """Have the page draw what it shows."""
        self.ask("window.lookedAt = true; window.playground?.page.stage.invalidate()")
        self.until("!window.playground || playground.page.stage.shown")
        yield
        self.ask("window.lookedAt = false")

    def screenshot(self) -> bytes:
        """What the page shows, as PNG."""
        with self.looked_at():
            return self.page.screenshot()

    def picture(self) -> np.ndarray:
        """What the page shows, RGB, shape (height, width, 3)."""
        from PIL import Image

        return np.asarray(Image.open(BytesIO(self.screenshot())).convert("RGB"), dtype=int)

    def colors_at(self, places: np.ndarray) -> list[list[int]]:
        """The colours that are seen where points of the world are, shape (points, 3)."""
        image = self.picture()
        spots = [self.ask(f"playground.pixel({place.tolist()})") for place in places]
        return [image[round(y), round(x)].tolist() for x, y in spots]

    def orange(self, x: float, y: float, radius: int = 9) -> float:
        """The part of the pixels around a place that are the goal's orange."""
        image = self.picture()
        left, top = max(int(x) - radius, 0), max(int(y) - radius, 0)
        patch = image[top : int(y) + radius, left : int(x) + radius]
        red, green, blue = patch[..., 0], patch[..., 1], patch[..., 2]
        return float(np.mean((red > 200) & (green > 90) & (green < 190) & (blue < 110)))

    def drop(self, files: dict[str, bytes]) -> None:
        """Drop files on the page: what is in them, by their names."""
        given = {name: list(data) for name, data in files.items()}
        self.ask(
            f"""(() => {{
              const moved = new DataTransfer();
              for (const [name, bytes] of Object.entries({json.dumps(given)}))
                moved.items.add(new File([new Uint8Array(bytes)], name));
              window.dispatchEvent(new DragEvent("drop", {{dataTransfer: moved, bubbles: true}}));
            }})()"""
        )

    def joints(self, half: int = 0) -> np.ndarray:
        return np.array(self.ask(f"playground.joints({half})"))


class Watched:
    """Pages of a browser, of which nothing may leave the machine and no script may fail."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.browser = browser
        self.server = server
        self.pages: list[Any] = []
        self.abroad: list[str] = []
        self.failed: list[str] = []

    def open(
        self,
        *,
        size: tuple[int, int] = (840, 480),
        quality: str = "plain",
        script: str = "",
        ready: bool = True,
        **more: Any,
    ) -> Driver:
        """A page of its own, opened and ready; `script` runs before those of the page."""
        page = self.browser.open_page(*size, **more)
        self.pages.append(page)
        page.add_init_script(keeping(quality))
        if script:
            page.add_init_script(script)
        page.route("**/*", self._route)
        page.on("pageerror", lambda error: self.failed.append(str(error)))
        page.on("console", lambda m: self.failed.append(m.text) if m.type == "error" else None)
        return Driver(page, self.server).open(ready=ready)

    def _route(self, route: Any) -> None:
        address = route.request.url
        if address.startswith((self.server.url.partition("/?")[0], "data:", "blob:")):
            route.continue_()
        else:
            self.abroad.append(address)
            route.abort()

    def check(self) -> None:
        assert not self.abroad, f"the page asked for {self.abroad}"
        assert not self.failed, f"the page failed: {self.failed}"

    def close(self) -> None:
        for page in self.pages:
            self.browser.close_page(page)
