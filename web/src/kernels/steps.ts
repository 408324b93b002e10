// The poses inside an iteration of a trace, after each of its steps.

import { EVENT, PLACED, V_CHANGE, V_ITERATION, V_JOINT, V_KIND } from "./constants";
import type { JointRow } from "./freedoms";
import type { Trace } from "./problem";

/** The coordinates after every turning step of an iteration, counted from 1, one row after the other. */
export function posesInside(trace: Trace, iteration: number, coordinates: number, joints: readonly JointRow[]): Float64Array {
  const width = coordinates + 2;
  const from = Math.min(iteration - 1, trace.poses.length / width - 1);
  const now = trace.poses.slice(from * width, from * width + coordinates);
  const rows: number[] = [];
  for (let at = 0; at < trace.events.length; at += EVENT) {
    const event = trace.events.subarray(at, at + EVENT);
    if (event[V_ITERATION] !== iteration || event[V_KIND] === PLACED) continue;
    apply(joints[event[V_JOINT]!]!, event.subarray(V_CHANGE), now);
    followMimics(joints, now);
    rows.push(...now);
  }
  return new Float64Array(rows);
}

/** Add a step's change to the coordinates of its joint. */
function apply({ coordinate, quaternion, stretch, limits }: JointRow, change: Float64Array, now: Float64Array): void {
  const count = quaternion >= 0 ? quaternion - coordinate : limits.length;
  for (let k = 0; k < count; k += 1) now[coordinate + k]! += change[k]!;
  if (quaternion >= 0) turn(now.subarray(quaternion, quaternion + 4), change.subarray(count, count + 3));
  if (stretch >= 0) now[stretch]! += change[change.length - 1]!;
}

/** Apply a rotation vector [rad] after a quaternion wxyz, in place. */
function turn(quaternion: Float64Array, by: Float64Array): void {
  const angle = Math.hypot(by[0]!, by[1]!, by[2]!);
  const scale = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const [aw, ax, ay, az] = [Math.cos(angle / 2), scale * by[0]!, scale * by[1]!, scale * by[2]!];
  const [w, x, y, z] = quaternion as unknown as [number, number, number, number];
  const product = [aw * w - ax * x - ay * y - az * z, aw * x + ax * w + ay * z - az * y, aw * y - ax * z + ay * w + az * x, aw * z + ax * y - ay * x + az * w];
  const size = Math.hypot(...product);
  quaternion.set(product.map((value) => value / size));
}

/** Set the coordinates of mimic joints from the joints that they copy. */
function followMimics(joints: readonly JointRow[], now: Float64Array): void {
  for (const { coordinate, source, factor, offset } of joints) {
    if (source >= 0) now[coordinate] = factor * now[source]! + offset;
  }
}
