// The chain from the root to an effector.

import type { Scene } from "../io/messages";

/** Number of joints above a joint or tip. */
export function depthOf(scene: Scene, name: string): number {
  let k = scene.names.indexOf(name);
  let depth = 0;
  while ((k = scene.parents[k] ?? -1) >= 0) depth += 1;
  return depth;
}

/** Number of joints that can move from a joint down to an effector; null if the joint is not above it. */
export function depthFrom(scene: Scene, joint: number, effector: string): number | null {
  let depth = 0;
  for (let k = scene.parents[scene.names.indexOf(effector)] ?? -1; k >= 0; k = scene.parents[k] ?? -1) {
    if (scene.joints[k]?.kind !== "Fixed") depth += 1;
    if (k === joint) return depth;
  }
  return null;
}
