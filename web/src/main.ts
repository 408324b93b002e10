// Where the page begins.

import { installHooks } from "./hooks";
import { Playground } from "./playground";
import "./style.css";

if (document.createElement("canvas").getContext("webgl2")) installHooks(new Playground());
else {
  document.querySelector("#loading")!.textContent =
    "This browser does not give the page WebGL 2, which it draws with. " +
    "Switch hardware acceleration on in its settings, or open the address in another browser.";
}
