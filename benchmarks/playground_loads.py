"""How long the playground takes to show something: over a slow line, and of large files.

The line has 300 ms of latency and 50 kB/s, and the cache is empty; the clock stops when the first pose is drawn.
Files are sent as a person would drop them; the clock stops with the first frame after their scene has arrived.
Drawing is software rendering.

    python benchmarks/playground_loads.py [FILE ...]     # by default a BVH of 20 MB and a GLB of 52 MB, made here
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import supple
from playground import ARGUMENTS, CHROMIUM, until
from supple.viewer.server import Server

LATENCY, RATE = 300, 50_000  # [ms], [B/s]
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
            "latency": LATENCY,
            "downloadThroughput": RATE,
            "uploadThroughput": RATE,
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


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, Server(port=0) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for title, script in (("the character", ""), ("the snake", SNAKE)):
            print(
                f"slow line, {title}: rest pose after {slow_line(browser, server, script):.1f} s",
                flush=True,
            )
        files = [Path(one) for one in sys.argv[1:]] or [
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


if __name__ == "__main__":
    main()
