"""Pages without a server in a real Chromium, from a file: size, time to the first pose, goals a second.

Rates and latencies are measured with drawing stubbed, as software rendering draws some 20 frames a second.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import supple
from playground import ARGUMENTS, CHROMIUM, DRAG, STUB, until

SECONDS = 4.0
ROUNDS = 5
FIGURES = {
    "character": supple.humanoid,
    "chain of 64": lambda: supple.chain([1.0] * 64),
}


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, make in FIGURES.items():
            path = supple.page(make(), Path(folder, "page.html"))
            print(f"{name}: {path.stat().st_size / 1e6:.2f} MB")
            for stubbed in (False, True):
                times = []
                for _ in range(ROUNDS):
                    page = browser.new_page(viewport={"width": 1280, "height": 720})
                    if stubbed:
                        page.add_init_script(STUB)
                    began = time.perf_counter()
                    page.goto(path.as_uri())
                    until(page, "window.playground?.ready")
                    times.append(time.perf_counter() - began)
                    page.close()
                how = "drawing stubbed" if stubbed else "software rendering"
                print(f"  painted and solving       {min(times):8.2f} s ({how}, best of {ROUNDS})")
            page = browser.new_page(viewport={"width": 800, "height": 500})
            page.add_init_script(STUB)
            page.goto(path.as_uri())
            until(page, "window.playground?.ready")
            page.evaluate("playground.page.timeline.playing = false")
            page.evaluate(DRAG, 0.5)  # warm
            told = page.evaluate(DRAG, SECONDS)
            latencies = sorted(told["latencies"])
            print(f"  frames                    {told['frames'] / SECONDS:8.1f} a second")
            print(f"  goals solved              {told['poses'] / SECONDS:8.1f} a second")
            print(f"  pointer to pose, median   {statistics.median(latencies):8.1f} ms")
            print(f"  pointer to pose, p95      {latencies[int(0.95 * len(latencies))]:8.1f} ms")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
