// Which joints of a pose are at a limit, as src/supple/viewer/limits.py finds them.

import {
  AXIS,
  JOINT_FLOATS,
  JOINT_INTS,
  KIND,
  LIMITS,
  NQ,
  Q,
  QUADRANTS,
  QUATERNION,
  type SkeletonRows,
  STRETCH_Q,
  SWING_TWIST,
  TILTS,
} from "../kernels/index";

const AT_LIMIT = 2e-3; // distance to a limit that counts as at it [rad, or model units]

/** Indices of the joints that are at a limit. */
export function atLimits(skeleton: SkeletonRows, pose: Float64Array): number[] {
  const found: number[] = [];
  for (let joint = 0; joint * JOINT_INTS < skeleton.ints.length; joint += 1) {
    if (isAtLimit(skeleton, joint, pose)) found.push(joint);
  }
  return found;
}

function isAtLimit({ ints, floats }: SkeletonRows, joint: number, pose: Float64Array): boolean {
  const row = joint * JOINT_INTS;
  const [kind, q] = [ints[row + KIND]!, ints[row + Q]!];
  const bounds = floats.subarray(joint * JOINT_FLOATS + LIMITS, joint * JOINT_FLOATS + LIMITS + 6);
  const turns = (kind & QUATERNION) !== 0;
  const count = ints[row + NQ]! - (ints[row + STRETCH_Q]! >= 0 ? 1 : 0) - (turns ? 4 : 0);
  if ((kind & SWING_TWIST) !== 0) {
    const columns = floats.subarray(joint * JOINT_FLOATS, (joint + 1) * JOINT_FLOATS);
    const axis = columns.subarray(AXIS, AXIS + 3);
    const turn = pose.subarray(q + count, q + count + 4);
    const swing = (kind & QUADRANTS) !== 0 ? greatestSwing(turn, columns) : bounds[1]!;
    return isAtRim(turn, axis, swing, bounds);
  }
  for (let k = 0; k < count; k += 1) {
    const value = pose[q + k]!;
    if (value <= bounds[2 * k]! + AT_LIMIT || value >= bounds[2 * k + 1]! - AT_LIMIT) return true;
  }
  return false;
}

/** The greatest swing of a cone with four half-angles, the way it is swung; `columns`: its row of floats. */
function greatestSwing(turn: Float64Array, columns: Float64Array): number {
  const [w, x, y, z] = turn as unknown as [number, number, number, number];
  const [a, b, c, d, e, f] = columns.subarray(AXIS, AXIS + 6) as unknown as [number, number, number, number, number, number];
  const [down, up, left, right] = columns.subarray(TILTS, TILTS + 4) as unknown as [number, number, number, number];
  // The axis turned: a + 2 v x (v x a + w a).
  const [p, q, r] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  const [i, j, k] = [a + 2 * (y * r - z * q), b + 2 * (z * p - x * r), c + 2 * (x * q - y * p)];
  const above = i * d + j * e + k * f;
  const beside = i * (b * f - c * e) + j * (c * d - a * f) + k * (a * e - b * d);
  const level = Math.hypot(above / (above >= 0 ? up : down), beside / (beside >= 0 ? right : left));
  return level > 0 ? Math.hypot(above, beside) / level : Math.max(down, up, left, right);
}

/** True if a cone's swing is at its greatest, or its twist at its bound; `bounds`: 0, swing, twist from, to. */
function isAtRim(turn: Float64Array, axis: Float64Array, greatest: number, bounds: Float64Array): boolean {
  const [w, x, y, z] = turn as unknown as [number, number, number, number];
  const [a, b, c] = axis as unknown as [number, number, number];
  const along = x * a + y * b + z * c;
  // The axis turned, times the axis: cos(swing) = 1 - 2 |v - (v.a) a|^2 of a unit quaternion (w, v).
  const across = x * x + y * y + z * z - along * along;
  const swing = Math.acos(Math.min(1, Math.max(-1, 1 - 2 * across)));
  if (swing >= greatest - AT_LIMIT) return true;
  const [low, high] = [bounds[2]!, bounds[3]!];
  if (!(high - low < 2 * Math.PI - 1e-6)) return false;
  const round = 2 * Math.PI;
  const twist = 2 * Math.atan2(along, w) - (low + high) / 2 + Math.PI;
  return Math.abs((((twist % round) + round) % round) - Math.PI) >= (high - low) / 2 - AT_LIMIT;
}
