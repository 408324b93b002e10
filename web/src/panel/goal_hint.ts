// "Drag me" beside a goal, until one has been moved.

import type { Vector2 } from "three";
import { el } from "./dom";

export class GoalHint {
  readonly node = el("p", { id: "drag-hint", hidden: true }, "Drag me");

  /** Show it beside a place on the page, or not at all. */
  show(place: Vector2 | null): void {
    this.node.hidden = place === null;
    if (place) this.node.style.transform = `translate(${Math.round(place.x + 18)}px, ${Math.round(place.y - 16)}px)`;
  }
}
