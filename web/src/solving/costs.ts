// What an answer costs, as src/supple/costs.py counts it: how much the joints turn, how far the tip travels.

import type { Costs } from "../io/messages";
import type { Frames, JointRow, Problem } from "../kernels/index";

const SAMPLES = 65; // poses between start and answer

/** Costs of an answer, relative to a start. */
export function costsOf(problem: Problem, joints: readonly JointRow[], start: Float64Array, answer: Float64Array, effector: number): Costs {
  const turns = turnsOf(problem, joints, start, answer);
  const rows = between(joints, start, answer);
  const { positions, count } = problem.forward(rows);
  let path = 0;
  for (let k = 1; k < SAMPLES; k += 1) {
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
  const frames = problem.forward(both);
  return joints.map(({ angle }, joint) => {
    if (angle >= 0) return Math.abs(answer[angle]! - start[angle]!);
    return angleBetween(local(problem, frames, 0, joint), local(problem, frames, 1, joint));
  });
}

type Quaternion = [number, number, number, number];

/** The rotation of a joint in its parent's frame. */
function local(problem: Problem, { rotations, count }: Frames, pose: number, joint: number): Quaternion {
  const of = (k: number) => [...rotations.subarray(4 * (pose * count + k), 4 * (pose * count + k) + 4)] as Quaternion;
  const parent = problem.head.parents[joint]!;
  if (parent < 0) return of(joint);
  const [pw, px, py, pz] = of(parent);
  const [w, x, y, z] = of(joint);
  return [pw * w + px * x + py * y + pz * z, pw * x - px * w - py * z + pz * y, pw * y + px * z - py * w - pz * x, pw * z - px * y + py * x - pz * w];
}

function angleBetween(one: Quaternion, other: Quaternion): number {
  const cosine = Math.abs(one.reduce((sum, value, k) => sum + value * other[k]!, 0));
  const [w, x, y, z] = one;
  const [ow, ox, oy, oz] = other;
  const sine = Math.hypot(w * ox - x * ow - y * oz + z * oy, w * oy + x * oz - y * ow - z * ox, w * oz - x * oy + y * ox - z * ow);
  return 2 * Math.atan2(sine, cosine);
}

/** Poses evenly from a start to an answer; quaternions go the short way at constant speed. */
function between(joints: readonly JointRow[], start: Float64Array, answer: Float64Array): Float64Array {
  const width = start.length;
  const turns = joints.map((joint) => joint.quaternion).filter((at) => at >= 0);
  const rows = new Float64Array(SAMPLES * width);
  for (let k = 0; k < SAMPLES; k += 1) {
    const share = k / (SAMPLES - 1);
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
