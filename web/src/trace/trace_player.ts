// Stepping through a solve: every iteration, every turn inside it, with its vectors.

import { Quaternion, Vector3 } from "three";
import type { Packet } from "../io/frames";
import type { StepInfo, TraceHead } from "../io/messages";

const REPLAY = 0.25; // seconds that a step is shown for
const REPLAY_ALL = 8; // seconds that all steps take at most

/** What one joint does to the tip in a step that turns all joints at once. */
export interface Share {
  joint: number;
  /** World axis times angle [rad]. */
  turn: Vector3;
  /** Where it takes the tip, to first order: its column of the Jacobian, times the turn. */
  way: Vector3;
}

export class Tracing {
  head: TraceHead | null = null;
  errors: Float32Array = new Float32Array();
  /** The iteration that is shown: 0 is the start. */
  iteration = 0;
  /** How many steps after it are shown too. */
  step = 0;
  onShow: () => void = () => {};
  /** Called when a trace has come. */
  onOpen: () => void = () => {};
  /** Asks for the poses inside an iteration. */
  onWantSteps: (iteration: number) => void = () => {};
  private frames: Float32Array = new Float32Array();
  private count = 0;
  private inner = new Map<number, Float32Array>();
  private waited = 0;
  /** Whether the steps follow each other by themselves. */
  replaying = false;

  get open(): boolean {
    return this.head !== null;
  }

  get iterations(): number {
    return Math.max(this.errors.length - 1, 0);
  }

  take({ arrays, head }: Packet): void {
    if (head.kind === "trace") {
      this.head = head;
      this.frames = arrays.frames!.data as Float32Array;
      this.count = arrays.frames!.shape[1]!;
      this.errors = arrays.errors!.data as Float32Array;
      this.inner.clear();
      this.replaying = false;
      // What was recorded here is followed from its start; a file is opened with its answer.
      this.show(head.status === "" ? this.iterations : 0, 0);
      this.onOpen();
    } else if (head.kind === "steps" && this.head) {
      this.inner.set(head.iteration, arrays.frames!.data as Float32Array);
      this.onShow();
    }
  }

  close(): void {
    this.head = null;
    this.replaying = false;
    this.onShow();
  }

  /** The steps inside the iteration after the one shown. */
  stepsInside(): StepInfo[] {
    return this.head?.steps.filter((step) => step.iteration === this.iteration + 1) ?? [];
  }

  show(iteration: number, step: number): void {
    this.iteration = Math.min(Math.max(iteration, 0), this.iterations);
    this.step = Math.min(Math.max(step, 0), this.stepsInside().length);
    if (this.step > 0 && !this.inner.has(this.iteration + 1)) this.onWantSteps(this.iteration + 1);
    this.onShow();
  }

  /** Show step after step from the start, or stop doing so. */
  replay(): void {
    this.replaying = this.open && !this.replaying;
    this.waited = 0;
    if (this.replaying && this.iteration >= this.iterations) this.show(0, 0);
    else this.onShow();
  }

  tick(seconds: number): void {
    if (!this.replaying) return;
    const steps = this.iterations + (this.head?.steps.length ?? 0);
    this.waited += seconds;
    if (this.waited < Math.min(REPLAY, REPLAY_ALL / Math.max(steps, 1))) return;
    this.waited = 0;
    this.nextStep();
    if (this.iteration >= this.iterations) {
      this.replaying = false;
      this.onShow();
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
      this.iteration -= 1;
      this.show(this.iteration, this.stepsInside().length);
    }
  }

  /** Seven numbers a joint, of what is shown; null while they are on their way. */
  pose(): Float32Array | null {
    return this.poseAfter(this.step);
  }

  /** The pose after some of the steps inside the next iteration. */
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

  /** The pose that the shown one came from, where one step turned all joints at once; else null. */
  get before(): Float32Array | null {
    const single = this.head && !this.head.steps.some(({ iteration }) => iteration === this.iteration);
    if (!single || this.iteration === 0) return null;
    const size = 7 * this.count;
    return this.frames.subarray((this.iteration - 1) * size, this.iteration * size);
  }

  /** What each joint did in such a step, the base first. */
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
      shares.unshift({ joint: k, turn, way: turn.clone().cross(tip.clone().sub(placeOf(before, k))) });
    }
    return shares;
  }

  /** What the last step did, in words. */
  words(names: string[], parents: number[]): string {
    const step = this.stepsInside()[this.step - 1];
    if (!step) {
      if (this.iteration === 0) return "The start";
      const most = Math.max(0, ...this.shares(parents).map(({ turn }) => turn.length()));
      const turned = most > 0 ? `: all joints turned at once, by ${((most * 180) / Math.PI).toFixed(1)}° at most` : "";
      return `After iteration ${this.iteration}${turned}`;
    }
    const name = names[step.joint] ?? "the effector";
    if (step.placed) return `${name} put at ${step.change.slice(0, 3).map((x) => x.toPrecision(3)).join(", ")}`;
    const angle = Math.hypot(...step.change.slice(0, 3));
    return `${name} turned by ${((angle * 180) / Math.PI).toFixed(2)}°`;
  }
}

export function placeOf(pose: Float32Array, k: number): Vector3 {
  return new Vector3().fromArray(pose, 7 * k);
}

/** The turn of a joint between two poses: world axis times angle [rad]. */
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
