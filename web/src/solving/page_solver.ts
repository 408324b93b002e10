// Solving in the page: what `supple.apps.viewer.session` does in Python, with supple.wasm.

import type { Packet, PoseFrame } from "../io/frames";
import type { GoalPlace, ProblemHead, Report, Scene, Setup, StepInfo, Want } from "../io/messages";
import type { Immutable } from "../io/settings";
import {
  EVENT,
  type Frames,
  type JointRow,
  type Kernels,
  PLACED,
  posesInside,
  Problem,
  type Solution,
  type Trace,
  V_CHANGE,
  V_ITERATION,
  V_JOINT,
  V_KIND,
} from "../kernels/index";
import { atLimits } from "./at_limits";
import { costsOf } from "./costs";
import { drawn, ownPlace, rigid, rotationOf } from "./frames";
import { type LocalPose, place, readPose, type SampledMotion, startOf } from "./poses";

const AVERAGED_SOLVES = 30; // browsers give times in steps of 100 µs, and one solve takes less

type PageGoals = Pick<Immutable<Want>, "seq" | "goals" | "time">;

/** One of the solvers side by side. */
interface Slot {
  readonly problem: Problem;
  /** The same without restarts, for goals that move a little from frame to frame. */
  readonly steady: Problem;
  readonly joints: readonly JointRow[];
  pose: LocalPose;
  solution: Solution | null;
  /** Durations of the latest solves [µs]. */
  readonly durations: number[];
}

/** Problems loaded into the kernels, by their bytes. */
export class Problems {
  private readonly loaded = new WeakMap<Uint8Array, Problem>();

  constructor(private readonly kernels: Kernels) {}

  problem(bytes: Uint8Array): Problem {
    let problem = this.loaded.get(bytes);
    if (!problem) this.loaded.set(bytes, (problem = new Problem(this.kernels, bytes)));
    return problem;
  }
}

/** Solves the problems of one scene. */
export class PageSolver {
  private readonly slots: Slot[];
  private readonly rest: LocalPose;
  private goals: PageGoals = { seq: 0, goals: [], time: 0 };
  private trace: Trace | null = null;

  /**
   * `packets` are the problems of the scene, one for each solver; `clip` is the motion that plays.
   */
  constructor(
    problems: Problems,
    packets: readonly Packet[],
    private readonly scene: Scene,
    private readonly setup: Immutable<Setup>,
    private readonly clip: SampledMotion | null,
  ) {
    this.slots = packets.map((packet) => {
      const problem = problems.problem(packet.arrays.data!.data as Uint8Array);
      const pose = readPose(packet, "start") ?? startOf(problem);
      const bytes = packet.arrays.steady?.data as Uint8Array | undefined;
      const steady = bytes ? problems.problem(bytes) : problem;
      return { problem, steady, joints: problem.joints, pose, solution: null, durations: [] };
    });
    this.rest = readPose(packets[0]!, "rest")!;
  }

  static revisionOf({ head }: Packet): number {
    return (head as ProblemHead).revision;
  }

  /** The coordinates of each solver's pose. */
  get coordinates(): number[][] {
    return this.slots.map(({ pose }) => [...pose.coordinates]);
  }

  private get own() {
    return this.scene.goals.filter(({ kind }) => kind !== "target");
  }

  private get places(): Map<string, Immutable<GoalPlace>> {
    return new Map(this.goals.goals.map((one) => [one.id, one]));
  }

  // Solving ----------------------------------------------------------------------------------------

  /** Solve for goals; returns a pose for each solver. While a goal is `held`, solvers make no restarts. */
  solve(goals: PageGoals, held = false): PoseFrame[] {
    this.goals = goals;
    return this.slots.map((slot, number) => {
      const start = this.startPose(slot);
      slot.pose = start;
      slot.solution = null;
      return this.frame(number, this.solves ? this.solveFrom(slot, start, held && !this.clip && this.setup.start === "previous") : 0);
    });
  }

  /** Solve from a pose; returns the duration of a solve [µs]. */
  private solveFrom(slot: Slot, start: LocalPose, steady: boolean): number {
    const { durations } = slot;
    const problem = steady ? slot.steady : slot.problem;
    this.prepare(problem, start, start);
    const began = performance.now();
    const solution = problem.solve().kept();
    durations.push((performance.now() - began) * 1000);
    if (durations.length > AVERAGED_SOLVES) durations.shift();
    slot.solution = solution;
    slot.pose = { ...start, coordinates: solution.coordinates };
    return Math.max(1, durations.reduce((sum, one) => sum + one, 0) / durations.length);
  }

  /** The pose that the next solve starts from. */
  private startPose({ pose }: Slot): LocalPose {
    if (this.clip) return this.clip.at(this.goals.time);
    return this.setup.start === "rest" ? this.rest : pose;
  }

  /** True if there is something to solve; a motion plays unchanged until a goal is placed. */
  private get solves(): boolean {
    if (!this.clip) return true;
    const { places } = this;
    return this.setup.correct && this.own.some(({ id }) => places.has(id));
  }

  /** Set the start and the targets of a problem; goals without a position get theirs from a pose. */
  private prepare(problem: Problem, start: LocalPose, shown: LocalPose): void {
    const { places, own, scene } = this;
    let frames: Frames | null = null;
    problem.head.arguments.forEach(({ goal: number, slot }, argument) => {
      const goal = own[number]!;
      const found = places.get(goal.id);
      const now = () => (frames ??= forward(problem, shown));
      if (slot === "orientation") {
        const turn = found?.orientation ?? rotationOf(now(), scene.names.indexOf(goal.effector));
        const size = Math.hypot(...turn);
        problem.setTarget(argument, size > 1e-9 ? turn.map((value) => value / size) : [1, 0, 0, 0]);
      } else problem.setTarget(argument, found?.position ?? ownPlace(goal, scene.names, now(), 1));
    });
    place(problem, start);
  }

  private frame(number: number, micros: number): PoseFrame {
    const { problem, joints, pose, solution } = this.slots[number]!;
    const frames = forward(problem, pose);
    const compared = solution !== null && this.slots.length > 1;
    const touching = solution?.collision;
    const report: Report = {
      status: solution?.word ?? "",
      reason: solution?.reason ?? "",
      solver: solution?.solver ?? "",
      active: atLimits(joints, pose.coordinates),
      costs: compared ? costsOf(problem, joints, this.rest.coordinates, pose.coordinates, this.effector) : null,
      morphs: this.clip?.morphs(this.goals.time) ?? {},
      touching: touching ? [touching.a, touching.b] : [],
    };
    return {
      seq: this.goals.seq,
      revision: this.scene.revision,
      slot: number,
      count: frames.count,
      iterations: solution?.iterations ?? 0,
      reached: solution?.reached ?? true,
      error: solution?.error ?? 0,
      orientationError: solution?.orientationError ?? 0,
      micros,
      report,
      ...drawn(frames),
    };
  }

  /** Index of the first goal's effector. */
  private get effector(): number {
    return this.scene.names.indexOf(this.own[0]?.effector ?? "");
  }

  // Traces -----------------------------------------------------------------------------------------

  /** Solve with the first solver and record it, from the initial pose or the shown one. */
  recordTrace(rest: boolean): Packet {
    const { problem, pose } = this.slots[0]!;
    this.prepare(problem, this.clip ? this.clip.at(this.goals.time) : rest ? this.rest : pose, pose);
    const { solution, trace } = problem.solveTraced();
    this.trace = trace;
    const { coordinates } = problem.head;
    const width = coordinates + 2;
    const count = trace.poses.length / width;
    const rows = new Float64Array(count * coordinates);
    for (let k = 0; k < count; k += 1) rows.set(trace.poses.subarray(k * width, (k + 1) * width - 2), k * coordinates);
    const errors = Float32Array.from({ length: count }, (_, k) => trace.poses[(k + 1) * width - 2]!);
    const goal = this.own[0]!;
    return {
      head: {
        kind: "trace",
        solver: trace.solver,
        effector: this.effector,
        goal: (this.places.get(goal.id)?.position as [number, number, number] | undefined) ?? null,
        status: solution.word,
        reason: solution.reason,
        steps: stepsOf(trace),
      },
      arrays: { frames: rigid(problem.forward(rows)), errors: { shape: [count], data: errors } },
    };
  }

  /** The poses inside an iteration of the trace; null if there are none. */
  steps(iteration: number): Packet | null {
    const { trace } = this;
    const { problem, joints } = this.slots[0]!;
    if (!trace) return null;
    const rows = posesInside(trace, iteration, problem.head.coordinates, joints);
    return rows.length ? { head: { kind: "steps", iteration }, arrays: { frames: rigid(problem.forward(rows)) } } : null;
  }
}

/** World frames of a pose. */
export function forward(problem: Problem, pose: LocalPose): Frames {
  place(problem, pose);
  return problem.forward(pose.coordinates);
}

function stepsOf({ events }: Trace): StepInfo[] {
  const steps: StepInfo[] = [];
  for (let at = 0; at < events.length; at += EVENT) {
    steps.push({
      iteration: events[at + V_ITERATION]!,
      joint: events[at + V_JOINT]!,
      placed: events[at + V_KIND] === PLACED,
      change: [...events.subarray(at + V_CHANGE, at + EVENT)],
    });
  }
  return steps;
}
