// A lowered problem in the memory of an instance of the kernels: set targets and start, solve, read.

import { BETTER, EVENT, REACHED, SIGNATURES, SOLVE } from "./constants";
import type { Instance, Kernels, Placed } from "./instance";
import { type JointRow, jointRows } from "./freedoms";
import { type Head, readLowered, type SolverHead } from "./lowered";
import { Solution } from "./solution";

/** World frames of joints, then tips, of one or more poses. */
export interface Frames {
  /** Number of poses, and of joints and tips of each. */
  readonly poses: number;
  readonly count: number;
  /** xyz of each. */
  readonly positions: Float64Array;
  /** wxyz of each. */
  readonly rotations: Float64Array;
  /** The 3x3 part of each, row by row, if the start has scales. */
  readonly linear: Float64Array | null;
}

/** What a solve did: the pose before the first and after every iteration, and the steps inside them. */
export interface Trace {
  readonly solver: string;
  /** Rows of coordinates, error, turn error. */
  readonly poses: Float64Array;
  /** Rows of EVENT numbers: see V_ITERATION and the others. */
  readonly events: Float64Array;
}

interface Run {
  readonly solver: SolverHead;
  readonly arguments: readonly Placed[];
  readonly out: Placed;
  readonly work: Placed;
  readonly solve: () => void;
}

interface Views {
  readonly start: Float64Array;
  readonly targets: Float64Array;
  readonly outs: readonly [Float64Array, Float64Array];
}

const LENGTHS = { target: 3, orientation: 4, pose: 7 };

/** The arrays of a batch of poses. */
interface Forward {
  readonly room: number;
  readonly coordinates: Placed;
  readonly positions: Placed;
  readonly rotations: Placed;
  readonly linear: Placed;
  readonly calls: Map<number, () => void>;
}

/** The arrays of local rotations. */
interface Locals {
  readonly poses: number;
  readonly coordinates: Placed;
  readonly rotations: Placed;
  readonly run: () => void;
}

export class Problem {
  readonly head: Head;
  private readonly instance: Instance;
  private readonly arrays = new Map<string, Placed>();
  private readonly runs: Run[];
  /** Reports of the first solver, and of the others. */
  private readonly outs: readonly [Placed, Placed];
  private traced: { poses: Placed; events: Placed } | null = null;
  private forwards: Forward;
  private locals: Locals | null = null;
  /** Views of what changes from call to call, renewed after each allocation. */
  private views!: Views;
  private readonly answer: Solution;

  /** Load a problem that `Prepared.to_bytes` wrote. */
  constructor(kernels: Kernels, bytes: Uint8Array) {
    const { head, arrays } = readLowered(bytes);
    const instance = kernels.instance();
    this.head = head;
    this.instance = instance;
    for (const [name, { shape, bytes: raw }] of arrays) this.arrays.set(name, instance.place(raw, shape));
    this.outs = [instance.allocate([1, head.width]), instance.allocate([1, head.width])];
    this.runs = head.solvers.map((solver, number) => this.newRun(solver, number));
    this.forwards = this.newForward(1);
    this.refresh();
    this.answer = new Solution(head, this.views.outs[0], "", []);
  }

  private array(name: string): Placed {
    const found = this.arrays.get(name);
    if (!found) throw new Error(`the lowered problem has no ${name}`);
    return found;
  }

  private newRun(solver: SolverHead, number: number): Run {
    const { instance, head } = this;
    const single = (name: string): Placed => {
      const { address, shape } = this.array(name);
      return { address, shape: [1, ...shape] };
    };
    const given = [this.array(`ints_${number}`), this.array(`floats_${number}`), single("offsets"), single("start"), single("targets")];
    const out = this.outs[number ? 1 : 0];
    const untraced = [
      { address: 0, shape: [0, head.coordinates + 2] },
      { address: 0, shape: [0, EVENT] },
    ];
    // A call with no problems leaves in the workspace how many floats it takes.
    const one = instance.allocate([1]);
    instance.call(solver.kernel, SOLVE, [...given, out, one, ...untraced, 0, 0])();
    const work = instance.allocate([Math.max(1, instance.floats(one)[0]!)]);
    const solve = instance.call(solver.kernel, SOLVE, [...given, out, work, ...untraced, 0, 1]);
    return { solver, arguments: given, out, work, solve };
  }

  /** Renew the views: when memory grows, the old ones become empty. */
  private refresh(): void {
    const { instance, outs } = this;
    this.views = {
      start: instance.floats(this.array("start")),
      targets: instance.floats(this.array("targets")),
      outs: [instance.floats(outs[0]), instance.floats(outs[1])],
    };
  }

  /** Coordinates of the pose to start from; to be written to. The view ends with the next trace. */
  get start(): Float64Array {
    return this.views.start;
  }

  /**
   * An array that a start with its own translations or scales has beside its coordinates, to be written to.
   * Solvers take `offsets` (of joints and effectors), `forward` takes the others. Null if there is none.
   */
  own(name: "offsets" | "translations" | "scales"): Float64Array | null {
    const found = this.arrays.get(name);
    return found ? this.instance.floats(found) : null;
  }

  /** The coordinates of each joint and their limits. */
  get joints(): JointRow[] {
    const ints = Array.from(this.instance.integers(this.array("skeleton_ints")), Number);
    return jointRows(ints, this.instance.floats(this.array("skeleton_floats")));
  }

  /** Set an open target: xyz, an orientation wxyz, or both, as its slot says. */
  setTarget(argument: number, values: ArrayLike<number>): void {
    const open = this.head.arguments[argument];
    if (!open) throw new Error(`target ${argument}: expected one of ${this.head.arguments.length}`);
    const expected = LENGTHS[open.slot];
    if (values.length !== expected) throw new Error(`${open.slot} of ${open.effector}: expected ${expected} numbers, got ${values.length}`);
    const { targets } = this.views;
    let next = 0;
    if (open.target !== null) for (let k = 0; k < 3; k += 1) targets[open.target + k] = values[next++]!;
    if (open.orientation !== null) {
      const size = Math.hypot(values[next]!, values[next + 1]!, values[next + 2]!, values[next + 3]!);
      if (!(Math.abs(size - 1) <= 1e-3)) throw new Error(`orientation of ${open.effector}: expected a unit quaternion, got length ${size}`);
      for (let k = 0; k < 4; k += 1) targets[open.orientation + k] = values[next++]! / size;
    }
  }

  // Solving ----------------------------------------------------------------------------------------

  /**
   * Solve from `start` for the targets that were set; solvers are tried in turn, the nearest answer wins.
   *
   * The answer is read from the memory that the next solve writes to: `kept()` of it lasts.
   */
  solve(): Solution {
    const { runs, head, answer } = this;
    const [best, other] = this.views.outs;
    runs[0]!.solve();
    let found = 0;
    for (let number = 1; number < runs.length && best[head.report.status] !== REACHED; number += 1) {
      runs[number]!.solve();
      if (!this.better(other, best)) continue;
      best.set(other);
      found = number;
    }
    answer.row = best;
    answer.rootMoves = this.rootMoves(best);
    answer.solver = runs[found]!.solver.name;
    return answer;
  }

  /** How far an answer moves each of the carried roots from the start [model units]. */
  private rootMoves(row: Float64Array): number[] {
    const { start } = this.views;
    return this.head.asked.carried_roots.map(({ slides }) => Math.hypot(...slides.map((k) => row[k]! - start[k]!)));
  }

  /** True if the report of a later solver is to replace an older one. */
  private better(next: Float64Array, old: Float64Array): boolean {
    const { status, cost } = this.head.report;
    return next[status] === REACHED || next[cost]! < BETTER * old[cost]!;
  }

  /** Solve, and record what the solver does. */
  solveTraced(): { solution: Solution; trace: Trace } {
    const { head, instance } = this;
    const width = head.coordinates + 2;
    this.traced ??= {
      poses: instance.allocate([Math.max(...head.solvers.map(({ poses }) => poses)), width]),
      events: instance.allocate([Math.max(...head.solvers.map(({ events }) => events)), EVENT]),
    };
    const { poses, events } = this.traced;
    let best: { row: Float64Array; trace: Trace } | null = null;
    for (const { solver, arguments: given, out, work } of this.runs) {
      instance.call(solver.kernel, SOLVE, [...given, out, work, poses, events, 0, 1])();
      const row = instance.floats(out).slice();
      if (best && !this.better(row, best.row)) continue;
      const [written, steps] = [row[head.report.trace]!, row[head.report.events]!];
      best = {
        row,
        trace: {
          solver: solver.name,
          poses: instance.floats(poses).slice(0, written * width),
          events: instance.floats(events).slice(0, steps * EVENT),
        },
      };
      if (row[head.report.status] === REACHED) break;
    }
    this.refresh();
    const { row, trace } = best!;
    if (row[head.report.status] === REACHED || !head.asked.kept) {
      // After its last iteration a solver goes back to the best pose it has seen.
      const last = trace.poses.length - width;
      trace.poses.set(row.subarray(0, head.coordinates), last);
      trace.poses.set([row[head.report.error]!, row[head.report.turn_error]!], last + head.coordinates);
    }
    return { solution: new Solution(head, row, trace.solver, this.rootMoves(row)), trace };
  }

  // Forward kinematics -----------------------------------------------------------------------------

  /** World frames of one or more poses, given as rows of coordinates. */
  forward(rows: Float64Array): Frames {
    const { head, instance } = this;
    const poses = rows.length / head.coordinates;
    const given = this.forwards.calls.has(poses) ? rows : rows.slice(); // a view of memory ends when that grows
    if (this.forwards.room < poses) this.forwards = this.newForward(poses);
    const { coordinates, positions, rotations, linear, calls } = this.forwards;
    if (!calls.has(poses)) {
      calls.set(poses, this.forwardCall(this.forwards, poses));
      this.refresh();
    }
    instance.floats(coordinates).set(given);
    calls.get(poses)!();
    const count = head.names.length;
    const taken = (placed: Placed, numbers: number) => instance.floats(placed).slice(0, poses * count * numbers);
    return {
      poses,
      count,
      positions: taken(positions, 3),
      rotations: taken(rotations, 4),
      linear: this.arrays.has("scales") ? taken(linear, 9) : null,
    };
  }

  private newForward(poses: number): Forward {
    const { head, instance } = this;
    const count = head.names.length;
    const scaled = this.arrays.has("scales");
    return {
      room: poses,
      coordinates: instance.allocate([poses, head.coordinates]),
      positions: instance.allocate([poses, count, 3]),
      rotations: instance.allocate([poses, count, 4]),
      linear: instance.allocate([scaled ? poses : 0, count, 3, 3]),
      calls: new Map(),
    };
  }

  private forwardCall(forward: Forward, poses: number): () => void {
    const rows = ({ address, shape }: Placed): Placed => ({ address, shape: [shape[0] ? poses : 0, ...shape.slice(1)] });
    const skeleton = ["skeleton_ints", "skeleton_floats", "tip_joint", "tip_offset", "tip_rotation"].map((name) => this.array(name));
    const { coordinates, positions, rotations, linear } = forward;
    return this.instance.call("kernels.forward.forward_batch", SIGNATURES["kernels.forward.forward_batch"], [
      ...skeleton,
      rows(coordinates),
      this.shared("translations"),
      this.shared("scales"),
      rows(positions),
      rows(rotations),
      rows(linear),
    ]);
  }

  /** An array of the start, for all poses; of none if the start has none. */
  private shared(name: "translations" | "scales"): Placed {
    const found = this.arrays.get(name);
    return found ? { address: found.address, shape: [1, ...found.shape] } : { address: 0, shape: [0, this.head.joints, 3] };
  }

  /** The rotations wxyz of joints in their parents' frames, for poses given as rows of coordinates; shape (poses, joints, 4). */
  localRotations(rows: Float64Array): Float64Array {
    const { head, instance } = this;
    const poses = rows.length / head.coordinates;
    const given = this.locals?.poses === poses ? rows : rows.slice(); // a view of memory ends when that grows
    if (this.locals?.poses !== poses) {
      this.locals = this.newLocals(poses);
      this.refresh();
    }
    const { coordinates, rotations, run } = this.locals;
    instance.floats(coordinates).set(given);
    run();
    return instance.floats(rotations).slice();
  }

  private newLocals(poses: number): Locals {
    const { head, instance } = this;
    const coordinates = instance.allocate([poses, head.coordinates]);
    const positions = instance.allocate([poses, head.joints, 3]);
    const rotations = instance.allocate([poses, head.joints, 4]);
    const skeleton = ["skeleton_ints", "skeleton_floats"].map((name) => this.array(name));
    const entry = "kernels.forward.local_batch";
    const run = instance.call(entry, SIGNATURES[entry], [...skeleton, coordinates, this.shared("translations"), positions, rotations]);
    return { poses, coordinates, rotations, run };
  }
}
