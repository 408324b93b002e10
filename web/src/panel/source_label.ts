// The name of the source of a retargeted motion, over its figure.

import type { Vector2 } from "three";
import { el } from "./dom";

export class SourceLabel {
  readonly node = el("span", { className: "name", id: "source-name", hidden: true });

  /** Show a name at a place on the page; null for none. */
  show(name: string, at: Vector2 | null): void {
    this.node.hidden = !at;
    if (!at) return;
    this.node.textContent = name;
    this.node.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px) translate(-50%, -140%)`;
  }
}
