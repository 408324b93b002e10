// Stepping through a recorded solve: its iterations, and the steps inside each.

import { Quaternion, Vector3 } from "three";
import type { Packet } from "../io/frames";
import type { StepInfo, TraceHead } from "../io/messages";

const STEP_SECONDS = 0.25;
const MOST_REPLAY_SECONDS = 8; // for all steps

/** One joint's share in a step that rotates all joints at once. */
export interface Share {
  joint: number;
  /** Rotation vector in world [rad]. */
  turn: Vector3;
  /** First-order displacement of the tip: the joint's column of the Jacobian times the rotation. */
  displacement: Vector3;
}

export interface TraceEvents {
  /** Another step is shown, or none. */
  shown(): void;
  /** A trace has arrived. */
  opened(): void;
  /** The poses inside an iteration are needed. */
  needSteps(iteration: number): void;
}

export class TracePlayer {
  private trace: TraceHead | null = null;
  private errorsOf: Float32Array = new Float32Array();
  private at = 0;
  private inside = 0;
  private frames: Float32Array = new Float32Array();
  private count = 0;
  private inner = new Map<number, Float32Array>();
  private waited = 0;
  private runs = false;

  constructor(private readonly events: TraceEvents) {}

  get head(): TraceHead | null {
    return this.trace;
  }

  /** Error after each iteration. */
  get errors(): Float32Array {
    return this.errorsOf;
  }

  /** The iteration that is shown; 0 is the start. */
  get iteration(): number {
    return this.at;
  }

  /** Number of steps shown after that iteration. */
  get step(): number {
    return this.inside;
  }

  /** True while the steps advance by themselves. */
  get replaying(): boolean {
    return this.runs;
  }

  get open(): boolean {
    return this.head !== null;
  }

  get iterations(): number {
    return Math.max(this.errors.length - 1, 0);
  }

  /** Take a trace, or the steps inside one of its iterations. */
  take({ arrays, head }: Packet): void {
    if (head.kind === "trace") {
      this.trace = head;
      this.frames = arrays.frames!.data as Float32Array;
      this.count = arrays.frames!.shape[1]!;
      this.errorsOf = arrays.errors!.data as Float32Array;
      this.inner.clear();
      this.runs = false;
      // A trace recorded here is shown from its start, one from a file at its end.
      this.show(head.status === "" ? this.iterations : 0, 0);
      this.events.opened();
    } else if (head.kind === "steps" && this.head) {
      this.inner.set(head.iteration, arrays.frames!.data as Float32Array);
      this.events.shown();
    }
  }

  close(): void {
    this.trace = null;
    this.runs = false;
    this.events.shown();
  }

  /** The steps inside the iteration after the one shown. */
  stepsInside(): StepInfo[] {
    return this.head?.steps.filter((step) => step.iteration === this.iteration + 1) ?? [];
  }

  /** Show an iteration, or a step after it. */
  show(iteration: number, step: number): void {
    this.at = Math.min(Math.max(iteration, 0), this.iterations);
    this.inside = Math.min(Math.max(step, 0), this.stepsInside().length);
    if (this.step > 0 && !this.inner.has(this.iteration + 1)) this.events.needSteps(this.iteration + 1);
    this.events.shown();
  }

  /** Start or stop advancing by itself. */
  replay(): void {
    this.runs = this.open && !this.replaying;
    this.waited = 0;
    if (this.replaying && this.iteration >= this.iterations) this.show(0, 0);
    else this.events.shown();
  }

  tick(seconds: number): void {
    if (!this.replaying) return;
    const steps = this.iterations + (this.head?.steps.length ?? 0);
    this.waited += seconds;
    if (this.waited < Math.min(STEP_SECONDS, MOST_REPLAY_SECONDS / Math.max(steps, 1))) return;
    this.waited = 0;
    this.nextStep();
    if (this.iteration >= this.iterations) {
      this.runs = false;
      this.events.shown();
    }
  }

  next(): void {
    if (this.iteration < this.iterations) this.show(this.iteration + 1, 0);
  }

  previous(): void {
    this.show(this.step > 0 ? this.iteration : this.iteration - 1, 0);
  }

  nextStep(): void {
    const inside = this.stepsInside().length;
    if (this.step < inside) this.show(this.iteration, this.step + 1);
    else this.next();
  }

  previousStep(): void {
    if (this.step > 0) this.show(this.iteration, this.step - 1);
    else if (this.iteration > 0) {
      this.at -= 1;
      this.show(this.iteration, this.stepsInside().length);
    }
  }

  /** The shown pose, 7 numbers per joint; null until it has arrived. */
  pose(): Float32Array | null {
    return this.poseAfter(this.step);
  }

  /** The pose after a number of steps inside the next iteration. */
  poseAfter(steps: number): Float32Array | null {
    const size = 7 * this.count;
    const whole = this.frames.subarray(this.iteration * size, (this.iteration + 1) * size);
    const turns = this.stepsInside()
      .slice(0, steps)
      .filter((step) => !step.placed).length;
    if (turns === 0) return whole;
    const inner = this.inner.get(this.iteration + 1);
    return inner ? inner.subarray((turns - 1) * size, turns * size) : null;
  }

  /** The pose before the shown one, if a single step rotated all joints; else null. */
  get before(): Float32Array | null {
    const single = this.head && !this.head.steps.some(({ iteration }) => iteration === this.iteration);
    if (!single || this.iteration === 0) return null;
    const size = 7 * this.count;
    return this.frames.subarray((this.iteration - 1) * size, this.iteration * size);
  }

  /** The share of each joint in such a step, root first. */
  shares(parents: number[]): Share[] {
    const { before, head } = this;
    const after = this.pose();
    if (!before || !after || !head) return [];
    const tip = placeOf(before, head.effector);
    const shares: Share[] = [];
    for (let k = parents[head.effector] ?? -1; k >= 0; k = parents[k] ?? -1) {
      const turn = turnOf(before, after, k);
      const parent = parents[k] ?? -1;
      if (parent >= 0) turn.sub(turnOf(before, after, parent));
      shares.unshift({ joint: k, turn, displacement: turn.clone().cross(tip.clone().sub(placeOf(before, k))) });
    }
    return shares;
  }

  /** A description of the last step. */
  describe(names: string[], parents: number[]): string {
    const step = this.stepsInside()[this.step - 1];
    if (!step) {
      if (this.iteration === 0) return "The start";
      const most = Math.max(0, ...this.shares(parents).map(({ turn }) => turn.length()));
      const turned = most > 0 ? `: all joints turned at once, by ${((most * 180) / Math.PI).toFixed(1)}° at most` : "";
      return `After iteration ${this.iteration}${turned}`;
    }
    const name = names[step.joint] ?? "the effector";
    if (step.placed)
      return `${name} put at ${step.change
        .slice(0, 3)
        .map((x) => x.toPrecision(3))
        .join(", ")}`;
    const angle = Math.hypot(...step.change.slice(0, 3));
    return `${name} turned by ${((angle * 180) / Math.PI).toFixed(2)}°`;
  }
}

/** World position of a joint in a pose of 7 numbers per joint. */
export function placeOf(pose: Float32Array, k: number): Vector3 {
  return new Vector3().fromArray(pose, 7 * k);
}

/** Rotation vector of a joint between two poses, in world [rad]. */
function turnOf(before: Float32Array, after: Float32Array, k: number): Vector3 {
  const [from, to] = [before, after].map((pose) => {
    const [w = 1, x = 0, y = 0, z = 0] = pose.subarray(7 * k + 3, 7 * k + 7);
    return new Quaternion(x, y, z, w);
  }) as [Quaternion, Quaternion];
  const turn = to.multiply(from.invert());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const axis = new Vector3(turn.x, turn.y, turn.z);
  const sine = axis.length();
  return sine < 1e-9 ? axis.multiplyScalar(2) : axis.multiplyScalar((2 * Math.atan2(sine, turn.w)) / sine);
}
