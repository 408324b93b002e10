"""Scripted use of the playground over a long time: memory of the page and of the server, and errors.

A real Chromium changes scenes at an even pace and does in each what a person would: drags goals, steps through
a solve, races solvers, plays and edits motions, checks, retargets, undoes, opens a file. WebGL's draw calls are
stubbed, since software rendering would take all the time.

    python benchmarks/playground_use.py               # 30 minutes, 500 scene changes
    python benchmarks/playground_use.py 1 20          # minutes, scene changes
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import supple
from playground import ARGUMENTS, CHROMIUM, DRAG, MEMORY, STUB, until
from supple.viewer.server import Server

PLAIN: dict[str, Any] = {
    "goals": [],
    "motion": None,
    "race": False,
    "compare": None,
    "flat": False,
    "links": 8,
    "edits": {},
    "retarget": None,
    "solver": {"name": "auto", "options": {}},
}


def drag(page: Any) -> None:
    if page.evaluate("playground.goalNames().length"):
        page.evaluate(DRAG, 0.2)


def undo(page: Any) -> None:
    drag(page)
    page.evaluate("playground.page.history.undo()")
    page.evaluate("playground.page.history.redo()")


def steps(page: Any) -> None:
    drag(page)
    page.evaluate("playground.page.record()")
    until(page, "playground.trace().open")
    for _ in range(3):
        page.evaluate("playground.page.tracing.nextStep()")
    page.evaluate("playground.page.tracing.close()")


def play(page: Any) -> None:
    page.evaluate("playground.page.timeline.playing = true")
    page.wait_for_timeout(300)
    page.evaluate("playground.page.timeline.playing = false")
    drag(page)


def plant_and_check(page: Any) -> None:
    page.evaluate(
        "playground.page.store.editMotion({ plant: true, contacts: { 'foot.L': [[2, 14]], 'foot.R': [[16, 30]] } })"
    )
    until(page, "playground.page.scene.contacts?.slides.length === 2")
    page.evaluate("playground.page.motionWork.check()")
    until(page, "playground.page.store.report !== null")


def retarget(page: Any) -> None:
    page.evaluate("playground.page.motionWork.retarget('human')")
    until(page, "playground.page.scene.retargeted !== null")
    play(page)


SCENES: list[tuple[dict[str, Any], Callable[[Any], None]]] = [
    ({"scene": "snake", "limits": False}, drag),
    ({"scene": "snake", "links": 40, "limits": True, "solver": {"name": "CCD", "options": {}}}, steps),
    ({"scene": "arm", "limits": True, "race": True}, drag),
    ({"scene": "humanoid", "limits": True, "motion": "walk"}, plant_and_check),
    ({"scene": "lamp", "limits": True}, undo),
    ({"scene": "snake", "flat": True, "limits": False}, drag),
    ({"scene": "humanoid", "limits": True, "motion": "wave"}, retarget),
    ({"scene": "arm", "limits": True, "compare": {"name": "FABRIK", "options": {}}}, undo),
    ({"scene": "FILE", "motion": ""}, play),
]  # fmt: skip


def server_memory() -> float:
    """Resident memory of this process, with the server in it [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def change(page: Any, number: int, file: Path) -> None:
    """Go to the next scene and use it."""
    setup, act = SCENES[number % len(SCENES)]
    page.evaluate("playground.page.timeline.playing = false")
    if setup["scene"] == "FILE":
        scene = page.evaluate("playground.page.scene.revision")
        page.set_input_files("input[name=file]", file)
        until(
            page,
            f"playground.page.scene.revision > {scene} && playground.page.scene.title === {file.name!r}",
        )
        page.evaluate("playground.page.timeline.playing = false")
    else:
        page.evaluate("(setup) => playground.page.store.set(setup)", {**PLAIN, **setup})
    until(page, "playground.settled")
    act(page)
    page.evaluate("playground.page.timeline.playing = false")
    until(page, "playground.settled")


def use(minutes: float, changes: int) -> bool:
    """Use the playground; print what it holds in memory.

    Returns:
        True if there was no error, and the page's heap is no larger in the last third than in the second.
    """
    from playwright.sync_api import sync_playwright

    failed: list[str] = []
    held: list[tuple[float, float]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(port=0) as server,
        sync_playwright() as play,
    ):
        file = Path(folder, "hero.glb")
        supple.save(supple.humanoid(), file)
        arguments = [*ARGUMENTS, "--enable-precise-memory-info", "--js-flags=--expose-gc"]
        browser = play.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 800, "height": 500})
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda m: failed.append(m.text) if m.type == "error" else None)
        page.add_init_script(STUB)
        page.goto(server.url)
        until(page, "window.playground?.ready && playground.solves")
        page.evaluate("playground.page.store.setLook({ tracks: true })")
        began = time.monotonic()
        print("  time  changes     heap  geometries  textures  nodes  server")
        for number in range(changes):
            change(page, number, file)
            notice = page.evaluate("playground.page.hud.showsError && playground.notice()")
            if notice:
                failed.append(notice)
            if number % (2 * len(SCENES)) == len(SCENES) - 1:
                page.evaluate("gc()")
                now = page.evaluate(MEMORY)
                nodes = page.evaluate("document.querySelectorAll('*').length")
                held.append((now["heap"] / 1e6, server_memory()))
                print(
                    f"{time.monotonic() - began:5.0f} s {number + 1:8} {held[-1][0]:6.1f} MB {now['geometries']:11} "
                    f"{now['textures']:9} {nodes:6} {held[-1][1]:5.0f} MB",
                    flush=True,
                )
            ahead = (number + 1) * 60 * minutes / changes - (time.monotonic() - began)
            if ahead > 0:
                page.wait_for_timeout(1000 * ahead)
        taken = time.monotonic() - began
        browser.close()
    third = max(len(held) // 3, 1)
    middle = statistics.median(heap for heap, _ in held[third:-third] or held)
    last = statistics.median(heap for heap, _ in held[-third:])
    print(
        f"{changes} scene changes in {taken / 60:.1f} min; heap {middle:.1f} MB, then {last:.1f} MB"
    )
    print(f"errors: {failed or 'none'}")
    return not failed and last < 1.1 * middle


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    raise SystemExit(0 if use(minutes, changes) else 1)


if __name__ == "__main__":
    main()
