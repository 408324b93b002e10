// An arrow at the edge of the view towards a goal that is out of view.

import type { Camera, Vector2, Vector3 } from "three";
import { button } from "./dom";

const EDGE_DISTANCE = 30; // pixels between the arrow and the edge

export class OffscreenArrow {
  readonly node: HTMLButtonElement;

  constructor(home: () => void) {
    this.node = button("", home, { name: "beyond", title: "The goal is out of sight: see everything (H)" });
    this.node.setAttribute("aria-label", this.node.title);
    this.node.hidden = true;
  }

  /** Point to a world position, if it is out of view; `size` of the view [pixels]. */
  show(place: Vector3 | null, camera: Camera, { x: width, y: height }: Vector2): void {
    const seen = place?.clone().project(camera);
    const inside = seen && seen.z < 1 && Math.abs(seen.x) <= 1 && Math.abs(seen.y) <= 1;
    const hidden = !seen || Boolean(inside);
    if (this.node.hidden !== hidden) this.node.hidden = hidden;
    if (!seen || inside) return;
    // Points behind the camera are projected to the opposite side.
    const side = seen.z < 1 ? 1 : -1;
    const [right, down] = [side * seen.x * (width / 2), -side * seen.y * (height / 2)];
    const room = Math.min((width / 2 - EDGE_DISTANCE) / Math.abs(right), (height / 2 - EDGE_DISTANCE) / Math.abs(down));
    const [x, y] = [width / 2 + right * room, height / 2 + down * room];
    this.node.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%) rotate(${Math.atan2(down, right)}rad)`;
  }
}
