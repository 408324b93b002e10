// Dragging a box that is an obstacle, in the plane of the view.

import { type Plane, Vector3 } from "three";
import type { Obstacles } from "./obstacles";
import type { Stage } from "./stage";

export class BoxDrag {
  private constructor(
    private readonly obstacles: Obstacles,
    private readonly stage: Stage,
    readonly box: number,
    private readonly plane: Plane,
    private readonly offset: Vector3,
  ) {}

  /** Take hold of the box under a pointer; null if there is none. */
  static begin(obstacles: Obstacles, stage: Stage, x: number, y: number): BoxDrag | null {
    const found = obstacles.pick(stage.aim(x, y).ray);
    if (!found) return null;
    return new BoxDrag(obstacles, stage, found.box, stage.viewPlane(found.at), obstacles.center(found.box).sub(found.at));
  }

  /** Draw the box under a pointer; returns its center. */
  move(x: number, y: number): Vector3 | null {
    const at = this.stage.aim(x, y).ray.intersectPlane(this.plane, new Vector3());
    if (!at) return null;
    this.obstacles.move(this.box, at.add(this.offset));
    this.stage.invalidate();
    return at;
  }
}
