// Asks for the capsules and masses of the bones, once they are to be drawn.

import type { Line } from "../io/connection";
import type { Store } from "./store";

/** Ask for the bodies of each scene that draws them, and again when its feet have changed. */
export function watchBodies(store: Store, line: Line): void {
  let asked = "";
  store.subscribe((part) => {
    if (part === "hello") asked = ""; // another session
    const { scene, look } = store;
    if ((part !== "scene" && part !== "look") || !scene) return;
    const { avoid, balance } = scene.bodies;
    if (!avoid.on && !balance.on && !look.capsules && !look.balance) return;
    const wanted = JSON.stringify([scene.key, balance.feet]);
    if (wanted === asked) return;
    asked = wanted;
    line.send({ type: "bodies" });
  });
}
