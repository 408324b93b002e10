// Joints of a pose that are at a limit, found as in src/supple/apps/viewer/limits.py.

import { AT_LIMIT, type Cone, type JointRow } from "../kernels/index";

/** Indices of the joints that are at a limit. */
export function atLimits(joints: readonly JointRow[], pose: Float64Array): number[] {
  return joints.flatMap((joint, number) => (isAtLimit(joint, pose) ? [number] : []));
}

function isAtLimit({ coordinate, limits, quaternion, cone }: JointRow, pose: Float64Array): boolean {
  if (cone) return isAtRim(pose.subarray(quaternion, quaternion + 4), cone);
  return limits.some(([low, high], k) => {
    const value = pose[coordinate + k]!;
    return value <= low + AT_LIMIT || value >= high - AT_LIMIT;
  });
}

/** The greatest swing of a cone [rad] in the direction in which it is tilted. */
function greatestSwing(turn: Float64Array, { axis, up: upward, swing, halfAngles }: Cone): number {
  if (!halfAngles) return swing;
  const [w, x, y, z] = turn as unknown as [number, number, number, number];
  const [a, b, c] = axis;
  const [d, e, f] = upward;
  const [down, up, left, right] = halfAngles;
  // The rotated axis: a + 2 v x (v x a + w a).
  const [p, q, r] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  const [i, j, k] = [a + 2 * (y * r - z * q), b + 2 * (z * p - x * r), c + 2 * (x * q - y * p)];
  const above = i * d + j * e + k * f;
  const beside = i * (b * f - c * e) + j * (c * d - a * f) + k * (a * e - b * d);
  const level = Math.hypot(above / (above >= 0 ? up : down), beside / (beside >= 0 ? right : left));
  return level > 0 ? Math.hypot(above, beside) / level : Math.max(down, up, left, right);
}

/** True if a cone's swing is at its greatest, or its twist at its bound. */
function isAtRim(turn: Float64Array, cone: Cone): boolean {
  const [w, x, y, z] = turn as unknown as [number, number, number, number];
  const [a, b, c] = cone.axis;
  const along = x * a + y * b + z * c;
  // The rotated axis times the axis: cos(swing) = 1 - 2 |v - (v.a) a|^2 of a unit quaternion (w, v).
  const across = x * x + y * y + z * z - along * along;
  const swing = Math.acos(Math.min(1, Math.max(-1, 1 - 2 * across)));
  if (swing >= greatestSwing(turn, cone) - AT_LIMIT) return true;
  const [low, high] = cone.twist;
  if (!(high - low < 2 * Math.PI - 1e-6)) return false;
  const round = 2 * Math.PI;
  const twist = 2 * Math.atan2(along, w) - (low + high) / 2 + Math.PI;
  return Math.abs((((twist % round) + round) % round) - Math.PI) >= (high - low) / 2 - AT_LIMIT;
}
