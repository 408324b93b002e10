// Costs of an answer, as in src/supple/costs.py: how much the joints turn, how far the tip travels.

import type { Costs } from "../io/messages";
import type { JointRow, Problem } from "../kernels/index";

const PATH_SAMPLES = 65; // poses between start and answer

/** Costs of an answer, relative to a start. */
export function costsOf(problem: Problem, joints: readonly JointRow[], start: Float64Array, answer: Float64Array, effector: number): Costs {
  const turns = turnsOf(problem, joints, start, answer);
  const rows = between(joints, start, answer);
  const { positions, count } = problem.forward(rows);
  let path = 0;
  for (let k = 1; k < PATH_SAMPLES; k += 1) {
    const [a, b] = [3 * ((k - 1) * count + effector), 3 * (k * count + effector)];
    path += Math.hypot(positions[b]! - positions[a]!, positions[b + 1]! - positions[a + 1]!, positions[b + 2]! - positions[a + 2]!);
  }
  return { sum_of_turns: turns.reduce((sum, turn) => sum + turn, 0), largest_turn: Math.max(...turns), tip_path: path };
}

/** The angle by which each joint turns [rad]. */
function turnsOf(problem: Problem, joints: readonly JointRow[], start: Float64Array, answer: Float64Array): number[] {
  const width = start.length;
  const both = new Float64Array(2 * width);
  both.set(start);
  both.set(answer, width);
  const rotations = problem.localRotations(both);
  const quaternion = (row: number) => rotations.subarray(4 * row, 4 * row + 4) as unknown as Quaternion;
  return joints.map(({ angle }, joint) => {
    if (angle >= 0) return Math.abs(answer[angle]! - start[angle]!);
    return angleBetween(quaternion(joint), quaternion(joints.length + joint));
  });
}

type Quaternion = [number, number, number, number];

function angleBetween(one: Quaternion, other: Quaternion): number {
  const cosine = Math.abs(one.reduce((sum, value, k) => sum + value * other[k]!, 0));
  const [w, x, y, z] = one;
  const [ow, ox, oy, oz] = other;
  const sine = Math.hypot(w * ox - x * ow - y * oz + z * oy, w * oy + x * oz - y * ow - z * ox, w * oz - x * oy + y * ox - z * ow);
  return 2 * Math.atan2(sine, cosine);
}

/** Evenly spaced poses from a start to an answer; quaternions take the shorter arc at constant speed. */
function between(joints: readonly JointRow[], start: Float64Array, answer: Float64Array): Float64Array {
  const width = start.length;
  const turns = joints.map((joint) => joint.quaternion).filter((at) => at >= 0);
  const rows = new Float64Array(PATH_SAMPLES * width);
  for (let k = 0; k < PATH_SAMPLES; k += 1) {
    const share = k / (PATH_SAMPLES - 1);
    const row = rows.subarray(k * width, (k + 1) * width);
    for (let at = 0; at < width; at += 1) row[at] = start[at]! + share * (answer[at]! - start[at]!);
    for (const at of turns) slerp(start.subarray(at, at + 4), answer.subarray(at, at + 4), share, row.subarray(at, at + 4));
  }
  return rows;
}

function slerp(one: Float64Array, other: Float64Array, share: number, out: Float64Array): void {
  let cosine = 0;
  for (let k = 0; k < 4; k += 1) cosine += one[k]! * other[k]!;
  const sign = cosine < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(Math.abs(cosine), 1));
  const sine = Math.sin(angle);
  const [a, b] = sine < 1e-9 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
  for (let k = 0; k < 4; k += 1) out[k] = a * one[k]! + sign * b * other[k]!;
}
