// Where the page begins.

import { sayFailed, watchBeginning } from "./startup_error";
import { installHooks } from "./hooks";
import { Playground } from "./playground";
import "./style.css";

if (document.createElement("canvas").getContext("webgl2")) begin();
else {
  document.querySelector("#loading")!.textContent =
    "This browser does not give the page WebGL 2, which it draws with. " +
    "Switch hardware acceleration on in its settings, or open the address in another browser.";
}

function begin(): void {
  watchBeginning();
  try {
    installHooks(new Playground());
  } catch (error) {
    sayFailed(error instanceof Error ? error.message : String(error));
    console.warn(error);
  }
}
