"""What tests and benchmarks drive the playground's page in Chromium with."""

import shutil
import time

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
MEMORY = """() => ({ heap: performance.memory.usedJSHeapSize, ...playground.page.stage.renderer.info.memory })"""


def until(page, script: str) -> None:
    """Wait until a script is true in the page, for a minute at most."""
    began = time.monotonic()
    while not page.evaluate(script):
        if time.monotonic() - began > 60:
            raise TimeoutError(script)
        page.wait_for_timeout(5)
