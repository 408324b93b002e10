// Start the page, or show why it cannot.

import { installHooks } from "./hooks";
import type { Host } from "./host";
import { Playground } from "./playground";
import { showStartupError, watchStartup } from "./startup_error";

/** Start with a host; the motion of the scene `playing` begins to play when it arrives. */
export function start(newHost: () => Host, playing = ""): void {
  if (!document.createElement("canvas").getContext("webgl2")) {
    document.querySelector("#loading")!.textContent =
      "The page draws with WebGL 2, which this browser does not provide. " +
      "Switch hardware acceleration on in its settings, or open the address in another browser.";
    return;
  }
  watchStartup();
  try {
    const page = new Playground(newHost());
    if (playing) page.timeline.startWith(playing);
    installHooks(page);
  } catch (error) {
    showStartupError(error instanceof Error ? error.message : String(error));
    console.warn(error);
  }
}
