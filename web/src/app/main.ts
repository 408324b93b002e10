// Entry point of the page.

import { installHooks } from "./hooks";
import { Playground } from "./playground";
import { showStartupError, watchStartup } from "./startup_error";
import "./style.css";

if (document.createElement("canvas").getContext("webgl2")) start();
else {
  document.querySelector("#loading")!.textContent =
    "This browser does not give the page WebGL 2, which it draws with. " +
    "Switch hardware acceleration on in its settings, or open the address in another browser.";
}

function start(): void {
  watchStartup();
  try {
    installHooks(new Playground());
  } catch (error) {
    showStartupError(error instanceof Error ? error.message : String(error));
    console.warn(error);
  }
}
