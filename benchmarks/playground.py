"""How quick the playground is: a real Chromium drags the goal of a 64-bone snake, and a whole character.

Software rendering cannot show 60 frames a second, so WebGL's draw calls are stubbed; everything else,
from the pointer's event to the pose in the page's hands, is what a person gets. Also: how long the
server and the page take to come up, and what the page weighs.

    python benchmarks/playground.py
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from supple.viewer.app import PAGE
from supple.viewer.server import Server

BONES, SECONDS = 64, 3
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
STUB = """
for (const name of ["clear", "drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"])
  WebGL2RenderingContext.prototype[name] = () => {};
"""
DRAG = """async (seconds) => {
  const { page } = playground, { asking } = page;
  const [x, y] = playground.goalPixel();
  const send = (type, x, y) => page.stage.canvas.dispatchEvent(new PointerEvent(type,
    { clientX: x, clientY: y, pointerId: 1, button: 0, buttons: 1, bubbles: true, pointerType: "mouse" }));
  send("pointerdown", x, y);
  asking.latencies.length = 0;
  const wants = asking.wants, poses = page.applied, began = performance.now();
  let k = 0;
  while (performance.now() - began < 1000 * seconds) {
    await new Promise(requestAnimationFrame);
    k += 1;
    send("pointermove", x - 60 * Math.sin(k / 15), y - 40 * Math.sin(k / 23));
  }
  const counts = { frames: k, wants: asking.wants - wants, poses: page.applied - poses };
  send("pointerup", x, y);
  return { ...counts, latencies: [...asking.latencies] };
}"""


FULL_BODY = [  # five goals that move the whole character
    {"id": one, "kind": "reach", "effector": one, "depth": 0, "axis": "x"}
    for one in ("hand.R", "hand.L", "foot.R", "foot.L", "head")
]
MEMORY = """() => ({ heap: performance.memory.usedJSHeapSize, ...playground.page.stage.renderer.info.memory })"""


def until(page, script: str) -> None:
    began = time.monotonic()
    while not page.evaluate(script):
        if time.monotonic() - began > 60:
            raise TimeoutError(script)
        page.wait_for_timeout(5)


def server_start() -> float:
    """Seconds from `supple demo` to its first answer."""
    command = [sys.executable, "-m", "supple.cli", "demo", "--no-browser", "--port", "0"]
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


def drag() -> None:
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
        chain = {"scene": "snake", "links": BONES, "limits": False, "motion": None, "goals": []}
        page.evaluate("(setup) => playground.page.store.set(setup)", chain)
        until(page, f"playground.page.scene.names.length === {BONES + 1} && playground.settled")
        until(page, "playground.solves")
        report(f"a chain of {BONES} links", page)
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
        report("the character, five goals", page)
        browser.close()


def report(title: str, page) -> None:
    """Drag the first goal and print how quick it was."""
    page.evaluate(DRAG, 0.5)  # warm
    told = page.evaluate(DRAG, SECONDS)
    latencies = sorted(told["latencies"])
    print(title)
    print(f"  frames                    {told['frames'] / SECONDS:8.1f} a second")
    print(f"  poses applied             {told['poses'] / SECONDS:8.1f} a second")
    print(f"  pointer to pose, median   {statistics.median(latencies):8.1f} ms")
    print(f"  pointer to pose, p95      {latencies[int(0.95 * len(latencies))]:8.1f} ms")


def main() -> None:
    scripts = list(Path(PAGE, "assets").glob("*.js"))
    size = sum(len(gzip.compress(one.read_bytes())) for one in scripts)
    print(f"script bundle               {size / 1000:8.1f} kB gzipped")
    server_start()  # warm
    print(f"supple demo to first answer {min(server_start() for _ in range(3)):8.2f} s")
    drag()


if __name__ == "__main__":
    main()
