// Poses of a page without a server: the start, and those of a motion between its samples.

import type { MotionParts, PageData, PoseParts } from "./data";

/** A pose: its coordinates, and what it has of its own beside them. */
export interface LocalPose {
  coordinates: Float64Array;
  own: Partial<Record<Own, Float64Array>>;
}

export type Own = "translations" | "scales" | "offsets";
export const OWN: readonly Own[] = ["translations", "scales", "offsets"];

export function readPose(data: PageData, parts: PoseParts): LocalPose {
  const pose: LocalPose = { coordinates: Float64Array.from(data.floats(parts.coordinates)), own: {} };
  for (const name of OWN) if (parts[name] !== null) pose.own[name] = Float64Array.from(data.floats(parts[name]));
  for (const at of data.contents.turns) normalize(pose.coordinates, at);
  return pose;
}

export class SampledMotion {
  private readonly coordinates: Float32Array;
  private readonly own: [Own, Float32Array][] = [];

  constructor(
    private readonly data: PageData,
    readonly parts: MotionParts,
  ) {
    this.coordinates = data.floats(parts.coordinates);
    for (const name of OWN) if (parts[name] !== null) this.own.push([name, data.floats(parts[name])]);
  }

  /** The samples before and after a time [s], and the share of the second. */
  private between(time: number): [number, number, number] {
    const { duration, samples } = this.parts;
    const at = duration > 0 ? Math.min(Math.max(time / duration, 0), 1) * (samples - 1) : 0;
    const before = Math.min(Math.floor(at), samples - 1);
    return [before, Math.min(before + 1, samples - 1), at - before];
  }

  /** The pose at a time [s]. */
  at(time: number): LocalPose {
    const place = this.between(time);
    const { turns } = this.data.contents;
    const coordinates = this.mixed(this.coordinates, place, turns);
    for (const at of turns) normalize(coordinates, at);
    return { coordinates, own: Object.fromEntries(this.own.map(([name, values]) => [name, this.mixed(values, place, [])])) };
  }

  /** Morph weights at a time [s], by mesh. */
  morphs(time: number): Record<string, number[]> {
    const [before, after, share] = this.between(time);
    const rows = Object.entries(this.parts.morphs).map(([mesh, weights]): [string, number[]] => {
      const next = weights[after]!;
      return [mesh, weights[before]!.map((weight, k) => weight + share * (next[k]! - weight))];
    });
    return Object.fromEntries(rows);
  }

  /** Rows between two samples; quaternions, which begin at `turns`, take the shorter way. */
  private mixed(values: Float32Array, [before, after, share]: [number, number, number], turns: readonly number[]): Float64Array {
    const width = values.length / this.parts.samples;
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
