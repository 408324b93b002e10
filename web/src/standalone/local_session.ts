// The counterpart of `supple.apps.viewer.session` for a page without a server: answers setups from the data in
// the file. The line in front of it solves, as in pages with a server.

import type { Line, Listener } from "../io/connection";
import type { Packet } from "../io/frames";
import type { FromPage, GoalPlace, PoseShown, ProblemHead, Scene, Setup } from "../io/messages";
import type { Immutable } from "../io/settings";
import type { Problem } from "../kernels/index";
import { ownPlace, rotationOf } from "../solving/frames";
import { forward, type Problems } from "../solving/page_solver";
import { type LocalPose, readPose, SampledMotion } from "../solving/poses";
import type { PageData, Switches } from "./data";

/** The pose that was shown last, for setups that continue from it. */
type Shown = Immutable<PoseShown>;

export class LocalSession implements Line {
  readonly isOpen = true;
  private setup: Immutable<Setup> | null = null;
  private switches: Switches;
  private scene: Scene | null = null;
  private packets: Packet[] = [];
  private motion: SampledMotion | null = null;
  private shown: Shown | null = null;
  private revision = 0;

  constructor(
    private readonly data: PageData,
    private readonly problems: Problems,
    private readonly listener: Listener,
  ) {
    this.switches = data.contents.scenes[0]!;
  }

  /** Handle a message of the page; what fails is answered with a refusal. */
  send(message: Immutable<FromPage>): void {
    try {
      this.handle(message);
    } catch (error) {
      const seq = message.type === "setup" ? message.seq : 0;
      this.listener.onMessage({ type: "refused", seq, text: error instanceof Error ? error.message : String(error), offers: [] });
    }
  }

  private handle(message: Immutable<FromPage>): void {
    switch (message.type) {
      case "setup":
        return this.setUp(message.seq, message.setup);
      case "shown":
        if (message.revision === this.revision) this.shown = message;
        return;
      case "reset":
        this.shown = null;
        if (this.scene) this.tell(this.scene.seq, null);
        return;
      case "want": // before the first problems: the page asks again
      case "trace":
      case "steps":
        return;
      case "bodies":
        if (this.data.contents.bodies) this.listener.onMessage(this.data.contents.bodies);
        return;
      case "ping":
        return this.listener.onMessage({ type: "pong" });
      default:
        throw new Error("this needs Python: open the model with `supple view`");
    }
  }

  private setUp(seq: number, setup: Immutable<Setup>): void {
    const { contents } = this.data;
    const first = this.setup === null;
    const switches = this.switchesOf(setup);
    const names = this.chosen(setup, switches);
    const motion = this.motionOf(setup.motion);
    const begins = motion !== null && motion !== this.motion;
    this.packets = names.map((name) => this.packetOf(name, switches));
    this.switches = switches;
    this.setup = setup;
    this.motion = motion;
    this.tell(seq, begins ? null : this.shown);
    if (first) for (const part of contents.meshes) this.listener.onPacket(this.data.packet(part));
    if (begins) this.listener.onPacket(this.data.packet(contents.motions.find(({ name }) => name === motion.head.name)!.ghosts));
  }

  /** The switches of a setup; those that the page does not have stay as they are. */
  private switchesOf({ limits, bodies }: Immutable<Setup>): Switches {
    const { scenes } = this.data.contents;
    const first = scenes[0]!;
    const wanted = { limits, avoid: bodies?.avoid.on ?? first.avoid, balance: bodies?.balance.on ?? first.balance };
    return scenes.find((one) => alike(one, wanted)) ?? scenes.find((one) => alike(one, { ...wanted, limits: true })) ?? first;
  }

  /** The solvers side by side. */
  private chosen({ solver, compare, race }: Immutable<Setup>, switches: Switches): string[] {
    const able = this.data.contents.problems.filter((one) => alike(one, switches)).map((one) => one.solver);
    const taken = able.includes(solver.name) ? this.problemOf(solver.name, switches).head.solvers[0]!.name : ""; // what "auto" has chosen does not run twice
    const others = race ? able.filter((name) => name !== "auto" && name !== taken) : compare ? [compare.name] : [];
    const names = [solver.name, ...others];
    const missing = names.find((name) => !able.includes(name));
    if (missing) throw new Error(`${missing} cannot take ${refused(switches)}`);
    return names;
  }

  private packetOf(name: string, switches: Switches): Packet {
    const { problems } = this.data.contents;
    return this.data.packet(problems.find((one) => one.solver === name && alike(one, switches))!.part);
  }

  private problemOf(name: string, switches: Switches): Problem {
    return this.problems.problem(this.packetOf(name, switches).arrays.data!.data as Uint8Array);
  }

  private motionOf(name: string | null): SampledMotion | null {
    const { motions } = this.data.contents;
    const found = name === "" ? motions[0] : motions.find((one) => one.name === name);
    if (!found) {
      if (name) throw new Error(`there is no motion ${name}`);
      return null;
    }
    if (this.motion?.head.name === found.name) return this.motion;
    return new SampledMotion(this.data.packet(found.clip));
  }

  /** Send the scene and its problems, in the pose that is shown or, if that is null, the initial one. */
  private tell(seq: number, shown: Shown | null): void {
    const { contents } = this.data;
    const { scene } = contents.scenes.find((one) => alike(one, this.switches))!;
    const [packet] = this.packets as [Packet];
    const problem = this.problems.problem(packet.arrays.data!.data as Uint8Array);
    const begin = this.motion ? this.motion.at(0) : readPose(packet, "rest")!;
    const poses = this.packets.map((_, slot): LocalPose => {
      const row = shown?.coordinates[slot] ?? shown?.coordinates[0];
      return row ? { ...begin, coordinates: Float64Array.from(row) } : begin;
    });
    this.revision += 1;
    this.shown = shown && { ...shown, revision: this.revision };
    this.scene = {
      ...scene,
      slots: this.packets.length,
      seq,
      revision: this.revision,
      motion: this.motion?.head.name ?? null,
      places: placesIn(scene, problem, poses[0]!),
    };
    this.listener.onMessage(this.scene);
    if (this.motion) this.listener.onPacket(this.data.packet(contents.motions.find(({ name }) => name === this.motion!.head.name)!.clip));
    this.packets.forEach((one, slot) => this.listener.onPacket(this.problemPacket(one, slot, poses[slot]!)));
  }

  private problemPacket({ head, arrays }: Packet, slot: number, pose: LocalPose): Packet {
    const own = { revision: this.revision, slot, problems: this.packets.length, clip: this.motion?.head.number ?? 0 };
    const bytes = (values: Float64Array) => ({ shape: [8 * values.length], data: new Uint8Array(values.slice().buffer) });
    const start = Object.entries(pose.own).map(([name, values]) => [`start_${name}`, bytes(values)] as const);
    return { head: { ...(head as ProblemHead), ...own }, arrays: { ...arrays, start: bytes(pose.coordinates), ...Object.fromEntries(start) } };
  }
}

function alike(a: Switches, b: Switches): boolean {
  return a.limits === b.limits && a.avoid === b.avoid && a.balance === b.balance;
}

/** What a solver cannot take, in words. */
function refused({ limits, avoid, balance }: Switches): string {
  if (avoid || balance) return avoid && balance ? "collisions and balance" : avoid ? "collisions" : "balance";
  return `these goals ${limits ? "with" : "without"} limits`;
}

function placesIn(scene: Scene, problem: Problem, pose: LocalPose): GoalPlace[] {
  const frames = forward(problem, pose);
  return scene.goals.map((goal) => ({
    id: goal.id,
    position: ownPlace(goal, scene.names, frames, scene.size),
    orientation: rotationOf(frames, scene.names.indexOf(goal.effector)),
  }));
}
