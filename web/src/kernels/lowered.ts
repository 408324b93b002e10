// Reading a lowered problem: what `Prepared.to_bytes` in Python writes (docs/lowered-problems.md).

import { LAYOUT, SIGNATURE, VERSION } from "./constants";

/** A demand on one effector; reports have an error for each. */
export interface Demand {
  goal: number;
  kind: "position" | "orientation" | "direction" | "pole" | "meeting" | "alignment";
  effector: string;
  tolerance: number;
  block: number;
}

/** A free root that may move although no goal names it, and the coordinates of its slides. */
export interface CarriedRoot {
  name: string;
  slides: number[];
}

/** An open target, and where its numbers go in a row of targets. */
export interface OpenTarget {
  goal: number;
  slot: "target" | "orientation" | "pose";
  effector: string;
  target: number | null;
  orientation: number | null;
}

/** A solver: its kernel, and how many poses and events a trace of it can have. */
export interface SolverHead {
  name: string;
  kernel: string;
  poses: number;
  events: number;
}

export type ReportColumn =
  | "stop"
  | "status"
  | "iterations"
  | "error"
  | "turn_error"
  | "restarts"
  | "trace"
  | "events"
  | "cost"
  | "block"
  | "reach"
  | "gap"
  | "open"
  | "pair"
  | "depth"
  | "topple";

/** The header of a lowered problem. */
export interface Head {
  format: "supple-problem";
  layout: string;
  /** Joints, then tips. */
  names: string[];
  parents: number[];
  joints: number;
  /** Numbers of a pose. */
  coordinates: number;
  /** Numbers of a report: coordinates, columns of `report`, errors, pressed flags. */
  width: number;
  report: Record<ReportColumn, number>;
  errors: number;
  pressed: number;
  solvers: SolverHead[];
  arguments: OpenTarget[];
  asked: {
    demands: Demand[];
    moving: string[];
    solver: string;
    kept: boolean;
    pairs: [string, string][];
    still_roots: string[];
    carried_roots: CarriedRoot[];
  };
  arrays: { name: string; type: "i8" | "f8"; shape: number[]; offset: number }[];
}

/** An array of a lowered problem, as its bytes. */
export interface RawArray {
  shape: number[];
  bytes: Uint8Array;
}

export interface Lowered {
  head: Head;
  arrays: ReadonlyMap<string, RawArray>;
}

const PREFIX_BYTES = 16; // before the header

/** Read a lowered problem. Throws an Error that says what is wrong with the bytes. */
export function readLowered(bytes: Uint8Array): Lowered {
  const text = new TextDecoder();
  if (bytes.length < PREFIX_BYTES || text.decode(bytes.subarray(0, 8)) !== SIGNATURE) {
    throw new Error(`expected a lowered problem, which begins with ${SIGNATURE}`);
  }
  const front = new DataView(bytes.buffer, bytes.byteOffset, PREFIX_BYTES);
  const version = front.getUint32(8, true);
  if (version !== VERSION) throw new Error(`expected a lowered problem of version ${VERSION}, got ${version}`);
  const begin = PREFIX_BYTES + front.getUint32(12, true);
  if (begin > bytes.length) throw new Error("the lowered problem is cut short");
  const head = JSON.parse(text.decode(bytes.subarray(PREFIX_BYTES, begin))) as Head;
  if (head.layout !== LAYOUT) throw new Error("the lowered problem was written for other kernels than these");
  const arrays = new Map<string, RawArray>();
  for (const { name, shape, offset } of head.arrays) {
    const end = begin + offset + 8 * shape.reduce((product, length) => product * length, 1);
    if (end > bytes.length) throw new Error("the lowered problem is cut short");
    arrays.set(name, { shape, bytes: bytes.subarray(begin + offset, end) });
  }
  return { head, arrays };
}
