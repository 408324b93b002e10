"""Makes docs/images/playground*.png and town*.png from the real page, in a real Chromium.

python tools/screenshots.py [NAME ...]
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from supple.apps.viewer.server import Server

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from playground import ARGUMENTS, CHROMIUM, until  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DESK, PHONE = (1280, 720), (390, 780)
PLAIN: dict[str, Any] = {"motion": None, "goals": [], "limits": False}


def put(page: Page, setup: dict[str, Any], **look: Any) -> None:
    """Set everything up and wait for the answer."""
    page.evaluate(f"playground.page.store.set({json.dumps(setup)})")
    page.evaluate(f"playground.page.store.setLook({json.dumps(look)})")
    until(page, "playground.settled")


def move(page: Page, *places: tuple[float, float, float]) -> None:
    """Move the goals, one after the other, as a person would drag them."""
    for k, (x, y, z) in enumerate(places):
        page.evaluate(
            f"(({{ goals }}) => goals.put(goals.list[{k}], {x}, {y}, {z}))(playground.page)"
        )
        until(page, "playground.settled")


def snake(page: Page) -> None:
    """The snake, bent around, with its limits."""
    put(page, {"scene": "snake", "links": 12, "limits": True}, theme="dark")
    for k in range(12):
        move(page, (5.4 - 0.22 * k, 1.9 - 0.16 * k, 0.3 * k))


def trace(page: Page) -> None:
    """A step of cyclic coordinate descent, with its vectors."""
    put(page, {"scene": "arm", "solver": {"name": "CCD", "options": {}}}, theme="light")
    move(page, (6.0, 25.0, 6.0))
    page.evaluate("playground.page.record()")
    until(page, "playground.trace().open")
    page.evaluate("playground.page.tracing.show(0, 3)")
    page.evaluate("document.querySelector('#steps').closest('details').scrollIntoView()")
    page.wait_for_timeout(600)


def newton(page: Page) -> None:
    """A step of Levenberg-Marquardt: what every joint does about the error."""
    put(page, {"scene": "arm", "solver": {"name": "LM", "options": {}}}, theme="dark")
    move(page, (6.0, 25.0, 6.0))
    page.evaluate("playground.page.record()")
    until(page, "playground.trace().open")
    page.evaluate("playground.page.tracing.show(1, 0)")
    page.evaluate("document.querySelector('#steps').closest('details').scrollIntoView()")
    page.wait_for_timeout(600)


def compare(page: Page) -> None:
    """Two solvers side by side."""
    solvers = {"solver": {"name": "CCD", "options": {}}, "start": "rest"}
    second = {"name": "TargetTriangle", "options": {}}
    put(page, {"scene": "arm", **solvers, "compare": second, "limits": True}, theme="dark")
    move(page, (18.0, 12.0, 6.0))


def character(page: Page) -> None:
    """Our character in the middle of its walk, both hands at their goals."""
    put(page, {"scene": "humanoid", "limits": True}, theme="light")
    until(page, "playground.meshes() > 0")
    put(page, {"motion": "walk"}, theme="light", onion=True)
    move(page, (-0.34, 1.55, 0.36), (0.42, 1.0, 0.26), (-0.55, 1.75, 0.7))
    page.evaluate("playground.page.timeline.seek(0.35)")
    until(page, "playground.settled")


def body(page: Page, scene: str, *places: tuple[float, float, float], **look: Any) -> None:
    """A scene of bodies, its first goal led through places."""
    put(page, {"scene": scene, "limits": True, "motion": None, "goals": [], "bodies": None}, **look)
    until(page, f"playground.page.scene.key === {scene!r} && playground.solves")
    page.evaluate("playground.page.home()")
    for place in places:
        move(page, place)


def standing(page: Page) -> None:
    """The character reaches down and forwards, its centre of mass over its feet."""
    body(page, "standing", (-0.45, 0.8, 0.4), (-0.5, 0.45, 0.55), theme="dark")
    until(page, "playground.inside() !== null")


def stick(page: Page) -> None:
    """The character with both hands on a stick."""
    body(page, "stick", (0.1, 1.3, 0.42), theme="light")


def tongs(page: Page) -> None:
    """Lazy tongs: ten bars and four loops."""
    body(page, "tongs", (7.0, 2.2, 0.0), theme="dark")


def crossing(page: Page) -> None:
    """The character's hand at its chest, with its capsules."""
    body(page, "crossing", (0.12, 1.2, 0.12), theme="light", capsules=True)


def growing(page: Page) -> None:
    """A human figure grown by rules, with fields for their attributes and targets to drag."""
    put(page, {"scene": "human", "limits": True}, theme="dark")
    until(page, "playground.meshes() > 0")
    page.evaluate(
        """playground.page.store.set({ grown: { start: "", seed: 0, targets: {}, attributes:
        { height: 1.9, right: [-0.62, 1.72, 0.5], left: [0.52, 1.22, 0.42] } } })"""
    )
    until(page, "playground.settled")


def race(page: Page) -> None:
    """Every solver that can, side by side, and who is best at what."""
    put(page, {"scene": "arm", "race": True, "start": "rest", "limits": True}, theme="dark")
    move(page, (18.0, 12.0, 6.0))


def motion(page: Page) -> None:
    """The walk with its contacts below the timeline, feet planted, checked."""
    put(page, {"scene": "humanoid", "limits": True}, theme="dark")
    until(page, "playground.meshes() > 0")
    put(page, {"motion": "walk"}, theme="dark", tracks=True)
    page.evaluate("playground.page.store.editMotion({ plant: true })")
    until(page, "playground.page.scene.contacts.slides.length === 2")
    page.evaluate("playground.page.motionWork.check()")
    until(page, "playground.page.store.report !== null")
    page.evaluate("playground.page.timeline.seek(0.35)")
    unfold(page, "plant")


def retarget(page: Page) -> None:
    """The walk of our character on a figure that rules have grown, the source beside it."""
    put(page, {"scene": "humanoid", "limits": True}, theme="light")
    put(page, {"motion": "walk"}, theme="light")
    page.evaluate("playground.page.motionWork.retarget('human')")
    until(page, "playground.page.scene.retargeted !== null")
    page.evaluate("playground.page.timeline.playing = false")
    until(page, "playground.settled && playground.meshes() > 0")
    page.evaluate("playground.page.timeline.seek(0.3)")
    unfold(page, "retarget")


def unfold(page: Page, name: str) -> None:
    """Open the part of the panel that has a control, and show it."""
    page.evaluate(
        f"""(() => {{
          const control = document.querySelector("[name={name}]");
          control.closest("details").open = true;
          control.scrollIntoView();
        }})()"""
    )
    until(page, "playground.settled")
    page.wait_for_timeout(400)


@cache
def town_file() -> bytes:
    """The GLB of examples/17_town.py."""
    with TemporaryDirectory() as folder:
        runpy.run_path(str(ROOT / "examples" / "17_town.py"))["main"](Path(folder))
        return (Path(folder) / "17_town.glb").read_bytes()


def town(page: Page, eye: str = "[640, 120, 150]", at: str = "[420, 0, -190]") -> None:
    """A town of 1,000 houses from a GLB, without the panel; software rendering takes a minute."""
    page.set_default_timeout(300_000)
    put(page, {}, theme="light", quality="plain", panel=False)
    given = {"name": "17_town.glb", "mimeType": "model/gltf-binary", "buffer": town_file()}
    page.set_input_files("input[name=file]", [given])  # type: ignore[list-item]
    until(page, "playground.page.scene.title === '17_town.glb' && playground.meshes() > 60")
    page.evaluate(f"playground.page.stage.restoreCamera({eye}, {at})")
    until(page, "playground.settled")


def town_street(page: Page) -> None:
    """The same from the street."""
    town(page, "[436, 5, 45]", "[437, 22, -300]")


def phone(page: Page) -> None:
    """The snake on a phone, with the panel open."""
    put(page, {"scene": "snake", "links": 10}, theme="dark", panel=True)
    move(page, (4.4, 2.4, 1.5))


PICTURES: dict[str, tuple[Callable[[Page], None], tuple[int, int]]] = {
    "playground": (snake, DESK),
    "playground-character": (character, DESK),
    "playground-compare": (compare, DESK),
    "playground-race": (race, DESK),
    "playground-motion": (motion, DESK),
    "playground-retarget": (retarget, DESK),
    "playground-crossing": (crossing, DESK),
    "playground-growing": (growing, DESK),
    "playground-standing": (standing, DESK),
    "playground-stick": (stick, DESK),
    "playground-tongs": (tongs, DESK),
    "playground-trace": (trace, DESK),
    "playground-newton": (newton, DESK),
    "playground-phone": (phone, PHONE),
    "town": (town, DESK),
    "town-street": (town_street, DESK),
}


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    with Server(port=0) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in names or PICTURES:
            draw, (width, height) = PICTURES[name]
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(server.url)
            until(page, "window.playground?.ready")
            page.evaluate("playground.page.timeline.playing = false")
            put(page, PLAIN, dragged=True)  # a new page begins in the walk, with a hint
            draw(page)
            page.evaluate("playground.page.hud.say('')")
            page.wait_for_timeout(400)
            page.screenshot(path=IMAGES / f"{name}.png")
            if name.startswith("town"):  # many small details: a palette keeps the file small
                with Image.open(IMAGES / f"{name}.png") as image:
                    reduced = image.convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE)
                reduced.save(IMAGES / f"{name}.png", optimize=True)
            print(f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
