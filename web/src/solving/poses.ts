// Poses as Python sends them for solving: single ones, and those of a motion between its samples.

import type { Packet, PacketArray } from "../io/frames";
import type { ClipHead } from "../io/messages";
import type { Problem } from "../kernels/index";

/** A pose: its coordinates, and its own translations, scales and offsets if it has any. */
export interface LocalPose {
  readonly coordinates: Float64Array;
  readonly own: Readonly<Partial<Record<Own, Float64Array>>>;
}

type Own = "translations" | "scales" | "offsets";
const OWN: readonly Own[] = ["translations", "scales", "offsets"];

/** The pose of a problem's packet whose arrays begin with a name; float64, in bytes. Null for none. */
export function readPose({ arrays }: Packet, name: "rest" | "start"): LocalPose | null {
  const coordinates = arrays[name];
  if (!coordinates) return null;
  const own: Partial<Record<Own, Float64Array>> = {};
  for (const part of OWN) {
    const found = arrays[`${name}_${part}`];
    if (found) own[part] = doubles(found);
  }
  return { coordinates: doubles(coordinates), own };
}

/** The start of a lowered problem. */
export function startOf(problem: Problem): LocalPose {
  const own: Partial<Record<Own, Float64Array>> = {};
  for (const name of OWN) {
    const values = problem.own(name);
    if (values && (name !== "offsets" || problem.own("translations") || problem.own("scales"))) own[name] = values.slice();
  }
  return { coordinates: problem.start.slice(), own };
}

/** Write a pose into a problem, as its start. */
export function place(problem: Problem, pose: LocalPose): void {
  problem.start.set(pose.coordinates);
  for (const name of OWN) {
    const values = pose.own[name];
    if (values) problem.own(name)?.set(values);
  }
}

function doubles({ data }: PacketArray): Float64Array {
  return new Float64Array(data.slice().buffer);
}

/** A motion, from a packet. */
export class SampledMotion {
  readonly head: ClipHead;
  private readonly samples: number;
  private readonly coordinates: Float32Array;
  private readonly own: [Own, Float32Array][] = [];

  constructor({ head, arrays }: Packet) {
    this.head = head as ClipHead;
    this.samples = arrays.coordinates!.shape[0]!;
    this.coordinates = arrays.coordinates!.data as Float32Array;
    for (const name of OWN) if (arrays[name]) this.own.push([name, arrays[name].data as Float32Array]);
  }

  /** The samples before and after a time [s], and the share of the second. */
  private between(time: number): [number, number, number] {
    const { samples } = this;
    const { duration } = this.head;
    const at = duration > 0 ? Math.min(Math.max(time / duration, 0), 1) * (samples - 1) : 0;
    const before = Math.min(Math.floor(at), samples - 1);
    return [before, Math.min(before + 1, samples - 1), at - before];
  }

  /** The pose at a time [s]. */
  at(time: number): LocalPose {
    const place = this.between(time);
    const { turns } = this.head;
    const coordinates = this.mixed(this.coordinates, place, turns);
    for (const at of turns) normalize(coordinates, at);
    return { coordinates, own: Object.fromEntries(this.own.map(([name, values]) => [name, this.mixed(values, place, [])])) };
  }

  /** Morph weights at a time [s], by mesh. */
  morphs(time: number): Record<string, number[]> {
    const [before, after, share] = this.between(time);
    const rows = Object.entries(this.head.morphs).map(([mesh, weights]): [string, number[]] => {
      const next = weights[after]!;
      return [mesh, weights[before]!.map((weight, k) => weight + share * (next[k]! - weight))];
    });
    return Object.fromEntries(rows);
  }

  /** Rows between two samples; quaternions, which begin at `turns`, take the shorter arc. */
  private mixed(values: Float32Array, [before, after, share]: [number, number, number], turns: readonly number[]): Float64Array {
    const width = values.length / this.samples;
    const one = values.subarray(before * width, (before + 1) * width);
    const other = Float64Array.from(values.subarray(after * width, (after + 1) * width));
    for (const at of turns) {
      let cosine = 0;
      for (let k = at; k < at + 4; k += 1) cosine += one[k]! * other[k]!;
      if (cosine < 0) for (let k = at; k < at + 4; k += 1) other[k]! *= -1;
    }
    return Float64Array.from(one, (value, k) => value + share * (other[k]! - value));
  }
}

function normalize(coordinates: Float64Array, at: number): void {
  const size = Math.hypot(coordinates[at]!, coordinates[at + 1]!, coordinates[at + 2]!, coordinates[at + 3]!);
  for (let k = at; k < at + 4; k += 1) coordinates[k]! /= size;
}
