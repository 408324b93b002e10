// "Drag me" beside a goal, until one has been moved.

import type { Vector2 } from "three";
import { el } from "./dom";

const HINT_OFFSET = 18; // [pixels] from the goal

export class GoalHint {
  readonly node = el("p", { id: "drag-hint", hidden: true }, "Drag me");

  /** Show it beside a place on the page, inside a width [pixels], or not at all. */
  show(place: Vector2 | null, width: number): void {
    if (this.node.hidden !== (place === null)) this.node.hidden = place === null;
    if (!place) return;
    const { offsetWidth } = this.node;
    const right = place.x + HINT_OFFSET + offsetWidth <= width;
    const x = right ? place.x + HINT_OFFSET : place.x - HINT_OFFSET - offsetWidth;
    this.node.style.transform = `translate(${Math.round(x)}px, ${Math.round(place.y - 16)}px)`;
  }
}
