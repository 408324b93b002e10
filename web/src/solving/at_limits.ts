// Which joints of a pose are at a limit, as src/supple/viewer/limits.py finds them.

import { AXIS, JOINT_FLOATS, JOINT_INTS, KIND, LIMITS, NQ, Q, QUATERNION, type SkeletonRows, STRETCH_Q, SWING_TWIST } from "../kernels/index";

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
    const axis = floats.subarray(joint * JOINT_FLOATS + AXIS, joint * JOINT_FLOATS + AXIS + 3);
    return isAtRim(pose.subarray(q + count, q + count + 4), axis, bounds);
  }
  for (let k = 0; k < count; k += 1) {
    const value = pose[q + k]!;
    if (value <= bounds[2 * k]! + AT_LIMIT || value >= bounds[2 * k + 1]! - AT_LIMIT) return true;
  }
  return false;
}

/** True if a cone's swing or twist is at its bound; `bounds`: 0, swing, twist from, to. */
function isAtRim(turn: Float64Array, axis: Float64Array, bounds: Float64Array): boolean {
  const [w, x, y, z] = turn as unknown as [number, number, number, number];
  const [a, b, c] = axis as unknown as [number, number, number];
  const along = x * a + y * b + z * c;
  // The axis turned, times the axis: cos(swing) = 1 - 2 |v - (v.a) a|^2 of a unit quaternion (w, v).
  const across = x * x + y * y + z * z - along * along;
  const swing = Math.acos(Math.min(1, Math.max(-1, 1 - 2 * across)));
  if (swing >= bounds[1]! - AT_LIMIT) return true;
  const [low, high] = [bounds[2]!, bounds[3]!];
  if (!(high - low < 2 * Math.PI - 1e-6)) return false;
  const round = 2 * Math.PI;
  const twist = 2 * Math.atan2(along, w) - (low + high) / 2 + Math.PI;
  return Math.abs((((twist % round) + round) % round) - Math.PI) >= (high - low) / 2 - AT_LIMIT;
}
