// World frames of joints, as messages have them.

import type { GoalSetup } from "../io/messages";
import type { Frames } from "../kernels/index";

const AXES = { x: 0, y: 1, z: 2 };

type Vector = [number, number, number];
type Quaternion = [number, number, number, number];

/** Positions and rotations as packets have them, (poses, N, 7). */
export function rigid(frames: Frames): { shape: number[]; data: Float32Array } {
  const { poses, count, positions, rotations } = frames;
  const data = new Float32Array(7 * poses * count);
  for (let k = 0; k < poses * count; k += 1) {
    data.set(positions.subarray(3 * k, 3 * k + 3), 7 * k);
    data.set(rotations.subarray(4 * k, 4 * k + 4), 7 * k + 3);
  }
  return { shape: [poses, count, 7], data };
}

/** The numbers of a pose frame: seven per joint, or twelve (T_world_joint by rows) if there are scales. */
export function drawn(frames: Frames): { stride: number; values: Float32Array } {
  const { count, positions, linear } = frames;
  if (!linear) return { stride: 7, values: rigid(frames).data };
  const values = new Float32Array(12 * count);
  for (let k = 0; k < count; k += 1) {
    for (let row = 0; row < 3; row += 1) {
      values.set(linear.subarray(9 * k + 3 * row, 9 * k + 3 * row + 3), 12 * k + 4 * row);
      values[12 * k + 4 * row + 3] = positions[3 * k + row]!;
    }
  }
  return { stride: 12, values };
}

export function rotationOf({ rotations }: Frames, k: number): Quaternion {
  return [rotations[4 * k]!, rotations[4 * k + 1]!, rotations[4 * k + 2]!, rotations[4 * k + 3]!];
}

/** The position of a goal in a pose: its effector, a point on another bone, or for a "look" a point at a distance ahead. */
export function ownPlace(goal: GoalSetup, names: readonly string[], frames: Frames, distance: number): Vector {
  const k = names.indexOf(goal.on || goal.effector);
  if (goal.on) return pointOn(frames, k, goal.point);
  const [x, y, z] = frames.positions.subarray(3 * k, 3 * k + 3) as unknown as Vector;
  if (goal.kind !== "look") return [x, y, z];
  const axis = AXES[goal.axis.slice(-1) as "x" | "y" | "z"];
  const ahead = goal.axis.startsWith("-") ? -distance : distance;
  const column = frames.linear ? [0, 1, 2].map((row) => frames.linear![9 * k + 3 * row + axis]!) : columnOf(rotationOf(frames, k), axis);
  return [x + ahead * column[0]!, y + ahead * column[1]!, z + ahead * column[2]!];
}

/** World position of a point in the frame of a joint or tip. */
function pointOn(frames: Frames, k: number, point: Vector): Vector {
  const at = [...frames.positions.subarray(3 * k, 3 * k + 3)] as Vector;
  for (let axis = 0; axis < 3; axis += 1) {
    const column = frames.linear ? [0, 1, 2].map((row) => frames.linear![9 * k + 3 * row + axis]!) : columnOf(rotationOf(frames, k), axis);
    for (let row = 0; row < 3; row += 1) at[row]! += point[axis]! * column[row]!;
  }
  return at;
}

/** A column of the matrix of a unit quaternion wxyz. */
function columnOf([w, x, y, z]: Quaternion, axis: number): number[] {
  if (axis === 0) return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
  if (axis === 1) return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}
