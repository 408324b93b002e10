// The line to a session, with solving in the page: goals are answered here as soon as the kernels and the
// problems of the scene have arrived, everything else by the session behind the line.

import type { Line, LineState, Listener } from "../io/connection";
import type { Packet, PoseFrame } from "../io/frames";
import type { ClipHead, FromPage, FromSession, ProblemHead, Scene, Setup, Want } from "../io/messages";
import type { Immutable } from "../io/settings";
import type { Kernels } from "../kernels/index";
import { PageSolver, Problems } from "./page_solver";
import { SampledMotion } from "./poses";

const TELL_PAUSE = 150; // [ms] between two poses that are sent to the session

type Goals = Immutable<Want>;

export class SolvingLine implements Line, Listener {
  private session: Line | null = null;
  private problems: Problems | null = null;
  private setup: Immutable<Setup> | null = null;
  private scene: Scene | null = null;
  private readonly packets: Packet[] = [];
  private clip: SampledMotion | null = null;
  private solver: PageSolver | null = null;
  /** The last goals that were solved here and not yet sent to the session. */
  private untold: Goals | null = null;
  private toldSeq = 0;
  private timer = 0;
  private traced = false;

  held = false;
  private address = "";
  private loading = false;

  /** `loadKernels` is called once, with their address, when the first pose has arrived; without, or with null, the session solves. */
  constructor(
    private readonly listener: Listener,
    private readonly loadKernels?: (address: string) => Promise<Kernels | null>,
  ) {}

  /** Set the line to the session, whose messages go to this object. */
  connect(session: Line): this {
    this.session = session;
    return this;
  }

  /** Solve with these kernels from now on. */
  setKernels(kernels: Kernels): Problems {
    this.loading = true;
    const problems = (this.problems = new Problems(kernels));
    this.build();
    return problems;
  }

  get isOpen(): boolean {
    return this.session?.isOpen ?? false;
  }

  /** True if goals are solved in the page. */
  get solves(): boolean {
    return this.solver !== null;
  }

  /** The number of the last goals that the session knows the pose of; null while it is not told. */
  get told(): number | null {
    return this.untold ? null : this.toldSeq;
  }

  pose(): number[][] | null {
    return this.solver?.coordinates ?? null;
  }

  // To the session -----------------------------------------------------------------------------------

  send(message: Immutable<FromPage>): void {
    const { solver } = this;
    switch (message.type) {
      case "want":
        if (!solver || message.revision !== this.scene?.revision) return this.pass(message);
        this.keepUntold(message);
        for (const frame of solver.solve(message, this.held)) this.listener.onPose(frame);
        return;
      case "trace":
        this.traced = solver !== null;
        if (!solver) return this.pass(message);
        return this.listener.onPacket(solver.recordTrace(message.rest));
      case "steps": {
        const steps = this.traced ? solver?.steps(message.iteration) : null;
        if (steps) this.listener.onPacket(steps);
        else if (!this.traced) this.pass(message);
        return;
      }
      case "setup":
        this.tell();
        this.setup = message.setup;
        return this.pass(message);
      case "shown": // a pose to go on from, instead of the one that is shown
        this.stopTimer();
        this.untold = null;
        this.toldSeq = message.seq;
        return this.pass(message);
      case "save":
        this.tell();
        // A trace that was recorded here is recorded there again: Python writes the file.
        if (message.format === "trace" && this.traced) this.pass({ type: "trace", rest: true, quiet: true });
        return this.pass(message);
      default:
        if (message.type !== "ping") this.tell();
        return this.pass(message);
    }
  }

  private pass(message: Immutable<FromPage>): void {
    this.session?.send(message);
  }

  private keepUntold(goals: Goals): void {
    this.untold = goals;
    this.timer ||= window.setTimeout(() => this.tell(), TELL_PAUSE);
  }

  /** Send the shown pose to the session, if it does not know it. */
  private tell(): void {
    const { untold, solver } = this;
    this.stopTimer();
    if (!untold || !solver) return;
    this.untold = null;
    this.toldSeq = untold.seq;
    const { seq, revision, goals, time } = untold;
    this.pass({ type: "shown", seq, revision, goals, time, coordinates: solver.coordinates });
  }

  private stopTimer(): void {
    window.clearTimeout(this.timer);
    this.timer = 0;
  }

  // From the session ---------------------------------------------------------------------------------

  onState(state: LineState): void {
    if (state === "lost") this.forget();
    this.listener.onState(state);
  }

  /** Nothing can be solved here until the next scene and its problems. */
  private forget(): void {
    this.stopTimer();
    this.untold = null;
    this.solver = null;
    this.scene = null;
    this.packets.length = 0;
  }

  onMessage(message: FromSession): void {
    if (message.type === "hello") this.address = message.kernels;
    if (message.type === "scene") {
      this.forget();
      this.scene = message;
    }
    this.listener.onMessage(message);
  }

  onPose(frame: PoseFrame): void {
    this.listener.onPose(frame);
    if (this.loading) return;
    this.loading = true;
    void this.load();
  }

  private async load(): Promise<void> {
    const kernels = this.address ? await this.loadKernels?.(this.address) : null;
    if (kernels) this.setKernels(kernels);
  }

  onPacket(packet: Packet): void {
    if (packet.head.kind === "clip") this.clip = new SampledMotion(packet);
    else if (packet.head.kind === "problem") {
      this.packets.push(packet);
      this.build();
    } else {
      if (packet.head.kind === "trace") this.traced = false;
      this.listener.onPacket(packet);
    }
  }

  /** Make a solver of the scene's problems, if all are there. */
  private build(): void {
    const { problems, packets, scene, setup, clip } = this;
    const head = packets[0]?.head as ProblemHead | undefined;
    if (!problems || !head || !scene || !setup || this.solver) return;
    const own = packets.filter((one) => PageSolver.revisionOf(one) === scene.revision);
    if (own.length < head.problems) return;
    const motion = head.clip ? clip : null;
    if (head.clip && (motion?.head as ClipHead | undefined)?.number !== head.clip) return;
    this.solver = new PageSolver(problems, own, scene, setup, motion);
  }
}
