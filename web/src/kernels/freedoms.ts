// What each joint of a skeleton has, read from its packed rows: the page's one table of freedoms, as
// src/supple/model/freedoms.py is Python's. Nothing else in the page reads packed rows.

import {
  ANGLE,
  AXIS,
  JOINT_FLOATS,
  JOINT_INTS,
  KIND,
  LIMITS,
  MIMIC,
  MIMIC_ADD,
  MIMIC_MUL,
  NQ,
  Q,
  QUADRANTS,
  QUATERNION,
  SLIDES,
  STRETCH_Q,
  SWING_TWIST,
  TILTS,
} from "./constants";

type Triple = [number, number, number];

/** Limits of swing and twist of a joint's quaternion. */
export interface Cone {
  /** Unit axis that swings, in the joint's rest frame. */
  readonly axis: Triple;
  /** The direction of up of four half-angles, square to the axis. */
  readonly up: Triple;
  /** Greatest swing [rad]. */
  readonly swing: number;
  /** How far the axis may tilt down, up, left and right [rad]; null for a round cone. */
  readonly halfAngles: [number, number, number, number] | null;
  /** Lower and upper limit of the twist [rad]. */
  readonly twist: [number, number];
}

/** The coordinates of a joint in a pose, and their limits. */
export interface JointRow {
  /** Its first coordinate; its slides come first, then its angles. */
  readonly coordinate: number;
  /** Lower and upper limit of each slide [model units] and angle [rad], infinite where open. */
  readonly limits: [number, number][];
  /** The coordinate of its angle, if it turns about one axis only; else -1. */
  readonly angle: number;
  /** The first coordinate of its quaternion wxyz, -1 if it has none. */
  readonly quaternion: number;
  /** The coordinate of its stretch factor, -1 if it has none. */
  readonly stretch: number;
  /** Its value is factor * (coordinate `source`) + offset; `source` is -1 if it copies no joint. */
  readonly source: number;
  readonly factor: number;
  readonly offset: number;
  readonly cone: Cone | null;
}

/** The joints of a skeleton, from rows of JOINT_INTS integers and of JOINT_FLOATS numbers. */
export function jointRows(ints: readonly number[], floats: Float64Array): JointRow[] {
  const rows: JointRow[] = [];
  for (let joint = 0; joint * JOINT_INTS < ints.length; joint += 1) {
    const own = ints.slice(joint * JOINT_INTS, (joint + 1) * JOINT_INTS);
    const numbers = floats.subarray(joint * JOINT_FLOATS, (joint + 1) * JOINT_FLOATS);
    rows.push(jointRow(ints, own, numbers));
  }
  return rows;
}

function jointRow(ints: readonly number[], own: readonly number[], numbers: Float64Array): JointRow {
  const [kind, coordinate, stretch, copied] = [own[KIND]!, own[Q]!, own[STRETCH_Q]!, own[MIMIC]!];
  const turns = (kind & QUATERNION) !== 0;
  const count = own[NQ]! - (stretch >= 0 ? 1 : 0) - (turns ? 4 : 0);
  const slides = kind & SLIDES;
  const swings = (kind & SWING_TWIST) !== 0;
  return {
    coordinate,
    limits: Array.from({ length: swings ? 0 : count }, (_, k) => [numbers[LIMITS + 2 * k]!, numbers[LIMITS + 2 * k + 1]!]),
    angle: kind - slides === ANGLE ? coordinate + slides : -1,
    quaternion: turns ? coordinate + count : -1,
    stretch,
    source: copied >= 0 ? ints[copied * JOINT_INTS + Q]! : -1,
    factor: numbers[MIMIC_MUL]!,
    offset: numbers[MIMIC_ADD]!,
    cone: swings ? cone(numbers, (kind & QUADRANTS) !== 0) : null,
  };
}

function cone(numbers: Float64Array, byQuadrants: boolean): Cone {
  const [ax, ay, az, ux, uy, uz] = numbers.subarray(AXIS, AXIS + 6) as unknown as [...Triple, ...Triple];
  const [, swing, low, high] = numbers.subarray(LIMITS, LIMITS + 4) as unknown as [number, number, number, number];
  const [down, up, left, right] = numbers.subarray(TILTS, TILTS + 4) as unknown as [number, number, number, number];
  return { axis: [ax, ay, az], up: [ux, uy, uz], swing, halfAngles: byQuadrants ? [down, up, left, right] : null, twist: [low, high] };
}
