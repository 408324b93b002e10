"""The playground in a real Chromium: how quick it is, how it loads, how it holds up, and pages without a server.

    python benchmarks/playground.py drag                # drags the goals of a chain of 64 bones and of a character
    python benchmarks/playground.py pages               # the same of pages from a file, and their size
    python benchmarks/playground.py loads [FILE ...]    # a slow line, and large files
    python benchmarks/playground.py use                 # 30 minutes, 500 scene changes
    python benchmarks/playground.py use --minutes 1 --changes 20

Software rendering draws some 20 frames a second, so rates, latencies and the long use are measured with WebGL's draw
calls stubbed; everything else, from the pointer's event to the pose in the page's hands, is what a person gets.
"""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
from measuring import parser, run_part
from tests.support.chromium import ARGUMENTS, CHROMIUM, DRAG, MEMORY, STUB, until

import supple
from supple.apps.viewer.app import PAGE
from supple.apps.viewer.server import Server

# Dragging ------------------------------------------------------------------------------------------

CHAIN_BONES, DRAG_SECONDS = 64, 3
FULL_BODY = [  # five goals that move the whole character
    {"id": one, "kind": "reach", "effector": one, "depth": 0, "axis": "x"}
    for one in ("hand.R", "hand.L", "foot.R", "foot.L", "head")
]


def server_start() -> float:
    """Seconds from `supple demo` to its first answer."""
    command = [sys.executable, "-m", "supple.apps.cli", "demo", "--no-browser", "--port", "0"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        urlopen(line.split(" at ")[1].strip(), timeout=10).read()
        return time.perf_counter() - began
    finally:
        process.terminate()
        process.wait()


def drag_goals() -> None:
    """Drag goals in a page that a server sends, and print how quick it was."""
    from playwright.sync_api import sync_playwright

    with Server(port=0) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        began = time.perf_counter()
        page.goto(server.url)
        until(page, "window.playground?.ready")
        print(
            f"page painted                {time.perf_counter() - began:8.2f} s (software rendering)"
        )
        page.close()
        page = browser.new_page(viewport={"width": 800, "height": 500})
        page.add_init_script(STUB)
        page.goto(server.url)
        until(page, "window.playground?.ready")
        chain = {
            "scene": "snake",
            "links": CHAIN_BONES,
            "limits": False,
            "motion": None,
            "goals": [],
        }
        page.evaluate("(setup) => playground.page.store.set(setup)", chain)
        until(
            page, f"playground.page.scene.names.length === {CHAIN_BONES + 1} && playground.settled"
        )
        until(page, "playground.solves")
        print(f"a chain of {CHAIN_BONES} links")
        report(page, DRAG_SECONDS, "poses applied")
        setup = {
            "scene": "humanoid",
            "limits": True,
            "links": 8,
            "motion": None,
            "goals": FULL_BODY,
        }
        page.evaluate("(setup) => playground.page.store.set(setup)", setup)
        until(
            page, "playground.goalNames().length === 5 && playground.settled && playground.solves"
        )
        print("the character, five goals")
        report(page, DRAG_SECONDS, "poses applied")
        browser.close()


def report(page: Any, seconds: float, poses: str) -> None:
    """Drag the first goal and print how quick it was, the rate of poses under a name."""
    page.evaluate(DRAG, 0.5)  # warm
    told = page.evaluate(DRAG, seconds)
    latencies = sorted(told["latencies"])
    print(f"  frames                    {told['frames'] / seconds:8.1f} a second")
    print(f"  {poses:<26}{told['poses'] / seconds:8.1f} a second")
    print(f"  pointer to pose, median   {statistics.median(latencies):8.1f} ms")
    print(f"  pointer to pose, p95      {latencies[int(0.95 * len(latencies))]:8.1f} ms")


def drag(arguments: Sequence[str] | None = None) -> int:
    """Drag the goal of a 64-bone snake, and a whole character; how long server and page take to come up."""
    parser(drag.__doc__, "drag").parse_args(arguments)
    scripts = list(Path(PAGE, "assets").glob("*.js"))
    size = sum(len(gzip.compress(one.read_bytes())) for one in scripts)
    print(f"script bundle               {size / 1000:8.1f} kB gzipped")
    server_start()  # warm
    print(f"supple demo to first answer {min(server_start() for _ in range(3)):8.2f} s")
    drag_goals()
    return 0


# Pages without a server ----------------------------------------------------------------------------

PAGE_SECONDS = 4.0
PAGE_ROUNDS = 5
FIGURES = {
    "character": supple.humanoid,
    "chain of 64": lambda: supple.chain([1.0] * 64),
}


def pages(arguments: Sequence[str] | None = None) -> int:
    """Pages without a server, from a file: size, time to the first pose, goals a second."""
    parser(pages.__doc__, "pages").parse_args(arguments)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, make in FIGURES.items():
            path = supple.page(make(), Path(folder, "page.html"))
            print(f"{name}: {path.stat().st_size / 1e6:.2f} MB")
            for stubbed in (False, True):
                times = []
                for _ in range(PAGE_ROUNDS):
                    page = browser.new_page(viewport={"width": 1280, "height": 720})
                    if stubbed:
                        page.add_init_script(STUB)
                    began = time.perf_counter()
                    page.goto(path.as_uri())
                    until(page, "window.playground?.ready")
                    times.append(time.perf_counter() - began)
                    page.close()
                how = "drawing stubbed" if stubbed else "software rendering"
                print(
                    f"  painted and solving       {min(times):8.2f} s ({how}, best of {PAGE_ROUNDS})"
                )
            page = browser.new_page(viewport={"width": 800, "height": 500})
            page.add_init_script(STUB)
            page.goto(path.as_uri())
            until(page, "window.playground?.ready")
            page.evaluate("playground.page.timeline.playing = false")
            report(page, PAGE_SECONDS, "goals solved")
            page.close()
        browser.close()
    return 0


# Loading -------------------------------------------------------------------------------------------

LINE_LATENCY, LINE_RATE = 300, 50_000  # [ms], [B/s]
SNAKE = (
    'sessionStorage.getItem("supple-playground") || sessionStorage.setItem("supple-playground", '
    'JSON.stringify({ format: "supple-settings", setup: {}, look: {} }))'
)


def slow_line(browser: Any, server: Server, script: str) -> float:
    """Seconds from the address to the first drawn pose, over the slow line."""
    context = browser.new_context(viewport={"width": 800, "height": 500})
    context.add_init_script(script)
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LINE_LATENCY,
            "downloadThroughput": LINE_RATE,
            "uploadThroughput": LINE_RATE,
        },
    )
    began = time.perf_counter()
    page.goto(server.url, wait_until="commit")
    until(page, "document.body?.classList.contains('ready')")
    taken = time.perf_counter() - began
    context.close()
    return taken


def large_bvh(folder: Path) -> Path:
    """A BVH of 20 MB: our character's walk over and over."""
    hero = supple.humanoid()
    walk = hero.motions["walk"]
    path = folder / "large.bvh"
    frames = np.arange(1024) % len(walk)
    supple.save(hero.with_(meshes=(), motions={"walk": walk.with_(poses=walk.poses[frames])}), path)
    lines = path.read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    head, rows = lines[:first], lines[first:]
    times = int(20e6 / sum(len(row) + 1 for row in rows)) + 1
    head[-2] = f"Frames: {times * len(rows)}"
    path.write_text("\n".join([*head, *(rows * times)]) + "\n")
    return path


def large_glb(folder: Path) -> Path:
    """A GLB of 52 MB: a wavy surface of 1.3 million vertices that hangs on a chain."""
    side = 1140
    x, z = np.meshgrid(np.linspace(-2.0, 2.0, side), np.linspace(-2.0, 2.0, side))
    positions = np.stack([x, 0.2 * np.sin(4 * x) * np.cos(4 * z), z], axis=-1).reshape(-1, 3)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1, 1)
    faces = np.concatenate([corner + (0, side, 1), corner + (1, side, side + 1)])
    chain = supple.chain([1.0, 1.0])
    path = folder / "large.glb"
    surface = supple.Mesh("surface", positions, faces, joint="j0")
    supple.save(supple.Character(chain, (surface,)), path)
    return path


def opened(browser: Any, server: Server, file: Path) -> float:
    """Seconds from dropping a file to its first drawn pose."""
    page = browser.new_page(viewport={"width": 800, "height": 500})
    page.goto(server.url)
    until(page, "window.playground?.ready")
    page.evaluate("playground.page.timeline.playing = false")
    began = time.perf_counter()
    page.set_input_files("input[name=file]", file)
    until(page, f"playground.page.scene.title === {file.name!r}")
    drawn = page.evaluate("playground.page.stage.drawn")
    until(page, f"playground.page.stage.drawn > {drawn}")
    taken = time.perf_counter() - began
    page.close()
    return taken


def loads(arguments: Sequence[str] | None = None) -> int:
    """How long the playground takes to show something: over a slow line, and of large files.

    The line has 300 ms of latency and 50 kB/s, and the cache is empty; the clock stops when the first pose is drawn.
    Files are sent as a person would drop them; the clock stops with the first frame after their scene has arrived.
    """
    words = parser(loads.__doc__, "loads")
    words.add_argument(
        "files", nargs="*", type=Path, help="default: a BVH of 20 MB and a GLB of 52 MB, made here"
    )
    given = words.parse_args(arguments)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, Server(port=0) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for title, script in (("the character", ""), ("the snake", SNAKE)):
            print(
                f"slow line, {title}: rest pose after {slow_line(browser, server, script):.1f} s",
                flush=True,
            )
        files = given.files or [
            large_bvh(Path(name)),
            large_glb(Path(name)),
        ]
        for file in files:
            taken = min(opened(browser, server, file) for _ in range(3))
            print(
                f"{file.name} of {file.stat().st_size / 1e6:.0f} MB: {taken:.2f} s (best of 3)",
                flush=True,
            )
        browser.close()
    return 0


# Long use ------------------------------------------------------------------------------------------

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


def drag_briefly(page: Any) -> None:
    """Drag the first goal, if there is one."""
    if page.evaluate("playground.goalNames().length"):
        page.evaluate(DRAG, 0.2)


def drag_and_undo(page: Any) -> None:
    drag_briefly(page)
    page.evaluate("playground.page.history.undo()")
    page.evaluate("playground.page.history.redo()")


def step_through(page: Any) -> None:
    drag_briefly(page)
    page.evaluate("playground.page.record()")
    until(page, "playground.trace().open")
    for _ in range(3):
        page.evaluate("playground.page.tracing.nextStep()")
    page.evaluate("playground.page.tracing.close()")


def play_and_drag(page: Any) -> None:
    page.evaluate("playground.page.timeline.playing = true")
    page.wait_for_timeout(300)
    page.evaluate("playground.page.timeline.playing = false")
    drag_briefly(page)


def plant_and_check(page: Any) -> None:
    page.evaluate(
        "playground.page.store.editMotion({ plant: true, contacts: { 'foot.L': [[2, 14]], 'foot.R': [[16, 30]] } })"
    )
    until(page, "playground.page.scene.contacts?.slides.length === 2")
    page.evaluate("playground.page.motionWork.check()")
    until(page, "playground.page.store.report !== null")


def retarget_and_play(page: Any) -> None:
    page.evaluate("playground.page.motionWork.retarget('human')")
    until(page, "playground.page.scene.retargeted !== null")
    play_and_drag(page)


SCENES: list[tuple[dict[str, Any], Callable[[Any], None]]] = [
    ({"scene": "snake", "limits": False}, drag_briefly),
    ({"scene": "snake", "links": 40, "limits": True, "solver": {"name": "CCD", "options": {}}}, step_through),
    ({"scene": "arm", "limits": True, "race": True}, drag_briefly),
    ({"scene": "humanoid", "limits": True, "motion": "walk"}, plant_and_check),
    ({"scene": "lamp", "limits": True}, drag_and_undo),
    ({"scene": "snake", "flat": True, "limits": False}, drag_briefly),
    ({"scene": "humanoid", "limits": True, "motion": "wave"}, retarget_and_play),
    ({"scene": "arm", "limits": True, "compare": {"name": "FABRIK", "options": {}}}, drag_and_undo),
    ({"scene": "FILE", "motion": ""}, play_and_drag),
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


def used(minutes: float, changes: int) -> bool:
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


def use(arguments: Sequence[str] | None = None) -> int:
    """Scripted use of the playground over a long time: memory of the page and of the server, and errors.

    Scenes change at an even pace, and in each is done what a person would: goals are dragged, a solve is stepped
    through, solvers race, motions are played, edited, checked and retargeted, a change is undone, a file opened.
    """
    words = parser(use.__doc__, "use")
    words.add_argument("--minutes", type=float, default=30.0)
    words.add_argument("--changes", type=int, default=500, help="scene changes")
    given = words.parse_args(arguments)
    return int(not used(given.minutes, given.changes))


PARTS = {"drag": drag, "pages": pages, "loads": loads, "use": use}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
