// What `supple.viewer.session` does in Python, for a page without a server: answers its messages from the
// data in the file, and solves with supple.wasm.

import type { Listener } from "../io/connection";
import { decode, type Packet, type PoseFrame } from "../io/frames";
import type { FromPage, GoalPlace, GoalSetup, Report, Scene, Setup, StepInfo, Want } from "../io/messages";
import type { Immutable } from "../io/settings";
import { EVENT, type Frames, Kernels, PLACED, posesInside, Problem, type SkeletonRows, type Solution, type Trace, V_CHANGE, V_ITERATION, V_JOINT, V_KIND } from "../kernels/index";
import { atLimits } from "./at_limits";
import type { PageData } from "./data";
import { type LocalPose, OWN, readPose, SampledMotion } from "./poses";

const AXES = { x: 0, y: 1, z: 2 };
const AVERAGED = 30; // solves: browsers give times in steps of 100 µs, which one solve does not take

/** A problem, and the skeleton that it poses. */
interface Solver {
  readonly problem: Problem;
  readonly skeleton: SkeletonRows;
}

export class LocalSession {
  private readonly solvers = new Map<number, Solver>();
  private readonly motions = new Map<string, SampledMotion>();
  private readonly start: LocalPose;
  private pose: LocalPose;
  private setup: Immutable<Setup> | null = null;
  private solver: Solver | null = null;
  private scene: Scene | null = null;
  private motion: SampledMotion | null = null;
  private want: Immutable<Want> | null = null;
  private solution: Solution | null = null;
  private trace: Trace | null = null;
  private revision = 0;
  /** Of the latest solves [µs]. */
  private readonly durations: number[] = [];

  constructor(
    private readonly data: PageData,
    private readonly kernels: Kernels,
    private readonly listener: Listener,
  ) {
    this.start = readPose(data, data.contents.start);
    this.pose = this.start;
  }

  /** Handle a message of the page; what fails is answered with a refusal. */
  receive(message: Immutable<FromPage>): void {
    try {
      this.handle(message);
    } catch (error) {
      const seq = message.type === "setup" ? message.seq : 0;
      this.listener.onMessage({ type: "refused", seq, text: error instanceof Error ? error.message : String(error) });
    }
  }

  private handle(message: Immutable<FromPage>): void {
    switch (message.type) {
      case "setup":
        return this.setUp(message.seq, message.setup);
      case "want":
        if (message.revision !== this.revision) return; // sent before the page had this scene
        this.want = message;
        return this.solve();
      case "trace":
        return this.tellTrace(message.rest);
      case "steps":
        return this.tellSteps(message.iteration);
      case "reset":
        return this.reset();
      case "ping":
        return this.listener.onMessage({ type: "pong" });
      default:
        throw new Error("this needs Python: open the model with `supple view`");
    }
  }

  // Setting up -------------------------------------------------------------------------------------

  private setUp(seq: number, setup: Immutable<Setup>): void {
    const { contents } = this.data;
    const limits = setup.limits || contents.scenes.length === 1;
    const found = contents.problems.find((one) => one.solver === setup.solver.name && one.limits === limits);
    if (!found) throw new Error(`${setup.solver.name} cannot take these goals ${limits ? "with" : "without"} limits`);
    const first = this.setup === null;
    const motion = this.motionOf(setup.motion);
    const begins = motion !== this.motion && motion !== null;
    const solver = this.loaded(found.part);
    if (solver !== this.solver) this.durations.length = 0;
    this.solver = solver;
    this.setup = setup;
    this.motion = motion;
    if (begins) {
      this.pose = motion.at(0);
      this.want = null;
    }
    this.solution = null;
    this.tellScene(contents.scenes[limits ? 0 : 1]!, seq);
    if (first) for (const part of contents.meshes) this.listener.onPacket(decode(this.data.buffer(part)) as Packet);
    if (begins) this.listener.onPacket(decode(this.data.buffer(motion.parts.ghosts)) as Packet);
    if (this.want) this.solve();
    else this.show(0, 0);
  }

  private motionOf(name: string | null): SampledMotion | null {
    if (name === null) return null;
    const parts = this.data.contents.motions.find((one) => one.name === name) ?? (name === "" ? this.data.contents.motions[0] : undefined);
    if (!parts) {
      if (name === "") return null;
      throw new Error(`there is no motion ${name}`);
    }
    let motion = this.motions.get(parts.name);
    if (!motion) this.motions.set(parts.name, (motion = new SampledMotion(this.data, parts)));
    return motion;
  }

  private loaded(part: number): Solver {
    let solver = this.solvers.get(part);
    if (!solver) {
      const problem = new Problem(this.kernels, this.data.part(part));
      this.solvers.set(part, (solver = { problem, skeleton: problem.skeleton }));
    }
    return solver;
  }

  private tellScene(scene: Scene, seq: number): void {
    this.revision += 1;
    const own = scene.goals.filter(({ kind }) => kind !== "target");
    const frames = this.forward(this.pose);
    const places = own.map(
      (goal): GoalPlace => ({ id: goal.id, position: ownPlace(goal, scene, frames, scene.size), orientation: rotationOf(frames, scene.names.indexOf(goal.effector)) }),
    );
    this.scene = { ...scene, seq, revision: this.revision, motion: this.motion?.parts.name ?? null, goals: own, places };
    this.listener.onMessage(this.scene);
  }

  private reset(): void {
    if (!this.scene) return;
    this.pose = this.motion ? this.motion.at(0) : this.start;
    this.want = null;
    this.solution = null;
    this.tellScene(this.scene, this.scene.seq);
    this.show(0, 0);
  }

  // Solving ----------------------------------------------------------------------------------------

  private get places(): Map<string, Immutable<GoalPlace>> {
    return new Map(this.want?.goals.map((place) => [place.id, place]));
  }

  /** The pose that the next solve starts from. */
  private startPose(): LocalPose {
    if (this.motion) return this.motion.at(this.want?.time ?? 0);
    return this.setup?.start === "rest" ? this.start : this.pose;
  }

  /** True if there is something to solve; a motion plays unchanged until a goal is placed. */
  private get solves(): boolean {
    if (!this.motion) return true;
    const { places } = this;
    return Boolean(this.setup?.correct) && this.scene!.goals.some(({ id }) => places.has(id));
  }

  private solve(): void {
    const { solver, want } = this;
    if (!solver || !want) return;
    const start = this.startPose();
    this.pose = start;
    this.solution = null;
    if (!this.solves) return this.show(want.seq, 0);
    this.prepare(solver.problem, start, start);
    const began = performance.now();
    const solution = solver.problem.solve().kept();
    this.durations.push((performance.now() - began) * 1000);
    if (this.durations.length > AVERAGED) this.durations.shift();
    const micros = Math.max(1, this.durations.reduce((sum, one) => sum + one, 0) / this.durations.length);
    this.solution = solution;
    this.pose = { ...start, coordinates: solution.coordinates };
    this.show(want.seq, micros);
  }

  /** Set the start and the targets of a problem; goals without a place get theirs from a pose. */
  private prepare(problem: Problem, start: LocalPose, shown: LocalPose): void {
    const { places } = this;
    const { goals } = this.scene!;
    let frames: Frames | null = null;
    problem.head.arguments.forEach(({ goal: number, slot }, argument) => {
      const goal = goals[number]!;
      const place = places.get(goal.id);
      const own = () => (frames ??= this.forward(shown));
      if (slot === "orientation") {
        const turn = place?.orientation ?? rotationOf(own(), this.scene!.names.indexOf(goal.effector));
        const size = Math.hypot(...turn);
        problem.setTarget(argument, size > 1e-9 ? turn.map((value) => value / size) : [1, 0, 0, 0]);
      } else problem.setTarget(argument, place?.position ?? ownPlace(goal, this.scene!, own(), 1));
    });
    place(problem, start);
  }

  private forward(pose: LocalPose): Frames {
    const { problem } = this.solver!;
    place(problem, pose);
    return problem.forward(pose.coordinates);
  }

  private show(seq: number, micros: number): void {
    const { solution, solver, pose } = this;
    const frames = this.forward(pose);
    const report: Report = {
      status: solution?.word ?? "",
      reason: solution?.reason ?? "",
      solver: solution?.solver ?? "",
      active: atLimits(solver!.skeleton, pose.coordinates),
      costs: null,
      morphs: this.motion?.morphs(this.want?.time ?? 0) ?? {},
    };
    const { stride, values } = drawn(frames);
    const frame: PoseFrame = {
      seq,
      revision: this.revision,
      slot: 0,
      stride,
      count: frames.count,
      iterations: solution?.iterations ?? 0,
      reached: solution?.reached ?? true,
      error: solution?.error ?? 0,
      orientationError: solution?.orientationError ?? 0,
      micros,
      values,
      report,
    };
    this.listener.onPose(frame);
  }

  // Traces -----------------------------------------------------------------------------------------

  private tellTrace(rest: boolean): void {
    const { solver, scene } = this;
    if (!solver || !scene) return;
    const { problem } = solver;
    this.prepare(problem, this.motion ? this.startPose() : rest ? this.start : this.pose, this.pose);
    const { solution, trace } = problem.solveTraced();
    this.trace = trace;
    const width = problem.head.coordinates + 2;
    const count = trace.poses.length / width;
    const rows = new Float64Array(count * problem.head.coordinates);
    for (let k = 0; k < count; k += 1) rows.set(trace.poses.subarray(k * width, (k + 1) * width - 2), k * problem.head.coordinates);
    const errors = Float32Array.from({ length: count }, (_, k) => trace.poses[(k + 1) * width - 2]!);
    const goal = scene.goals[0]!;
    this.listener.onPacket({
      head: {
        kind: "trace",
        solver: trace.solver,
        effector: scene.names.indexOf(goal.effector),
        goal: (this.places.get(goal.id)?.position as [number, number, number] | undefined) ?? null,
        status: solution.word,
        reason: solution.reason,
        steps: stepsOf(trace),
      },
      arrays: { frames: rigid(problem.forward(rows)), errors: { shape: [count], data: errors } },
    });
  }

  private tellSteps(iteration: number): void {
    const { trace, solver } = this;
    if (!trace || !solver) throw new Error("there is no trace to step through; record one first");
    const rows = posesInside(trace, iteration, solver.problem.head.coordinates, solver.skeleton);
    if (rows.length) this.listener.onPacket({ head: { kind: "steps", iteration }, arrays: { frames: rigid(solver.problem.forward(rows)) } });
  }
}

/** Write a pose into a problem, as what it starts from. */
function place(problem: Problem, pose: LocalPose): void {
  problem.start.set(pose.coordinates);
  for (const name of OWN) {
    const values = pose.own[name];
    if (values) problem.own(name)?.set(values);
  }
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

/** Positions and rotations as packets have them, (poses, N, 7). */
function rigid(frames: Frames): { shape: number[]; data: Float32Array } {
  const { poses, count, positions, rotations } = frames;
  const data = new Float32Array(7 * poses * count);
  for (let k = 0; k < poses * count; k += 1) {
    data.set(positions.subarray(3 * k, 3 * k + 3), 7 * k);
    data.set(rotations.subarray(4 * k, 4 * k + 4), 7 * k + 3);
  }
  return { shape: [poses, count, 7], data };
}

/** The numbers of a pose frame: seven per joint, or twelve (T_world_joint by rows) if there are scales. */
function drawn(frames: Frames): { stride: number; values: Float32Array } {
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

function rotationOf({ rotations }: Frames, k: number): [number, number, number, number] {
  return [rotations[4 * k]!, rotations[4 * k + 1]!, rotations[4 * k + 2]!, rotations[4 * k + 3]!];
}

/** The position of a goal in a pose: its effector; for a "look" a point ahead, at a distance. */
function ownPlace(goal: GoalSetup, scene: Scene, frames: Frames, distance: number): [number, number, number] {
  const k = scene.names.indexOf(goal.effector);
  const [x, y, z] = frames.positions.subarray(3 * k, 3 * k + 3) as unknown as [number, number, number];
  if (goal.kind !== "look") return [x, y, z];
  const axis = AXES[goal.axis.slice(-1) as "x" | "y" | "z"];
  const way = goal.axis.startsWith("-") ? -distance : distance;
  const column = frames.linear ? [0, 1, 2].map((row) => frames.linear![9 * k + 3 * row + axis]!) : columnOf(rotationOf(frames, k), axis);
  return [x + way * column[0]!, y + way * column[1]!, z + way * column[2]!];
}

/** A column of the matrix of a unit quaternion wxyz. */
function columnOf([w, x, y, z]: [number, number, number, number], axis: number): number[] {
  if (axis === 0) return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
  if (axis === 1) return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}
