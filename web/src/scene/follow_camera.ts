// Moves the camera with a figure that a motion carries through the world.

import { Vector3 } from "three";
import type { Packet } from "../io/frames";

const STILL_DISTANCE = 1e-3; // sizes of the scene: a joint that moves less is at rest

export class FollowCamera {
  /** The joint that carries all others, or -1 if none travels. */
  private carrier = -1;
  private readonly first = new Vector3();

  clear(): void {
    this.carrier = -1;
  }

  /** Find the joint that carries the figure of a motion: the root, or a sliding joint below it. */
  take({ arrays }: Packet, parents: number[], size: number): void {
    const positions = arrays.positions!.data as Float32Array;
    const [frames = 0, count = 0] = arrays.positions!.shape;
    const at = (frame: number, k: number) => new Vector3().fromArray(positions, 3 * (frame * count + k));
    const travels = (k: number) => {
      const parent = parents[k] ?? -1;
      const away = (frame: number) => (parent < 0 ? at(frame, k).distanceTo(at(0, k)) : at(frame, k).distanceTo(at(frame, parent)));
      const begin = away(0);
      for (let frame = 1; frame < frames; frame += 1) if (Math.abs(away(frame) - begin) > STILL_DISTANCE * size) return true;
      return false;
    };
    this.carrier = -1;
    // Below a joint with several children no single joint carries all.
    for (let k = 0; k >= 0;) {
      if (travels(k)) {
        this.carrier = k;
        this.first.copy(at(0, k));
        return;
      }
      const children = parents.flatMap((parent, child) => (parent === k ? [child] : []));
      k = children.length === 1 ? children[0]! : -1;
    }
  }

  /** Displacement of the figure along the ground since the start of its motion. */
  offset(positions: Vector3[], up: Vector3): Vector3 {
    const now = positions[this.carrier];
    if (!now) return new Vector3();
    return now.clone().sub(this.first).projectOnPlane(up);
  }
}
