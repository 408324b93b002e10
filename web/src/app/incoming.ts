// Messages from Python: scenes, poses, meshes, traces, refusals.

import type { LineState, Listener } from "../io/connection";
import { download } from "../io/download";
import type { Packet, PoseFrame } from "../io/frames";
import type { FromSession, Hello, Offer, Refused, Scene, Setup } from "../io/messages";
import type { Requests } from "../io/requests";
import { defaultSetup, differing, type Immutable } from "../io/settings";
import { bulleted } from "../io/shape_check";
import { keep, recall } from "../io/storage";
import { type Hud, LONG_NOTICE } from "../panel/hud";
import type { Panel } from "../panel/panel";
import type { RulesSection } from "../panel/rules_section";
import type { Timeline } from "../panel/timeline";
import type { SceneView } from "../scene/view";
import type { Comparison } from "../trace/comparison";
import type { StepVectors } from "../trace/step_vectors";
import type { TracePlayer } from "../trace/trace_player";
import type { WorkingNotice } from "../panel/working";
import type { CameraMemory } from "./camera_memory";
import type { MotionWork } from "./motion_work";
import type { Store } from "./store";

/** Where messages are shown. */
export interface Views {
  readonly view: Pick<
    SceneView,
    "bodies" | "clear" | "clearMotion" | "figures" | "goals" | "setMotion" | "setPose" | "setScene" | "skins" | "source" | "stage"
  >;
  readonly camera: Pick<CameraMemory, "restore">;
  readonly hud: Pick<Hud, "say" | "sceneArrived" | "setLine" | "setScene" | "show">;
  readonly panel: Pick<Panel, "refresh" | "showSolver">;
  readonly rules: Pick<RulesSection, "refresh" | "setScene">;
  readonly timeline: Pick<Timeline, "refresh" | "sceneArrived" | "startWith">;
  readonly tracing: Pick<TracePlayer, "close" | "open" | "take">;
  readonly vectors: Pick<StepVectors, "clear">;
  readonly comparison: Comparison;
  readonly working: Pick<WorkingNotice, "begin" | "end">;
  readonly motionWork: Pick<MotionWork, "sceneArrived" | "take">;
  /** Apply the settings of the view to everything. */
  applyLook(): void;
}

/** Names of setup fields in notices, where they differ. */
const LABELS: Partial<Record<keyof Setup, string>> = {
  grown: "rules",
  keys: "keyframes",
  compare: "compare with",
  edits: "changes to the motion",
  retarget: "retargeting",
  unreachable: "out of reach",
  damping: "turn cap",
  start: "start from",
  bodies: "collisions, balance and loops",
};
const ADOPTED = "supple-adopted"; // key of the server's own scene in the tab's storage, once shown

export class Incoming implements Listener {
  private count = 0;
  /** True if this connection's session has a scene: it keeps it when it refuses a setup. */
  private hasScene = false;
  /** Motion of the last scene; undefined: the next scene may have any, with goals at their kept positions. */
  private motion: string | null | undefined;

  constructor(
    private readonly store: Store,
    private readonly requests: Requests,
    private readonly to: Views,
  ) {}

  /** Number of poses applied. */
  get applied(): number {
    return this.count;
  }

  onState(state: LineState): void {
    this.to.hud.setLine(state);
    this.requests.stopWaiting();
    if (state === "lost") this.requests.lost();
  }

  onMessage(message: FromSession): void {
    if (message.type === "working") return this.to.working.begin(message.what);
    if (message.type !== "pong") this.to.working.end();
    switch (message.type) {
      case "hello":
        return this.onHello(message);
      case "scene":
        return this.onScene(message);
      case "bodies":
        this.to.view.bodies.take(message);
        return this.to.view.stage.invalidate();
      case "refused":
        return this.onRefused(message);
      case "key":
        return this.store.addKey(message.key);
      case "checked":
        return this.to.motionWork.take(message);
      default:
        return;
    }
  }

  private onHello(hello: Hello): void {
    const { store, to } = this;
    store.setHello(hello);
    this.hasScene = false;
    if (hello.scene && hello.scene !== recall("tab", ADOPTED)) {
      keep("tab", ADOPTED, hello.scene);
      to.timeline.startWith(hello.scene);
      store.openScene(hello.scene, "session");
    }
    const unknown = store.dropUnknown();
    if (unknown.length) to.hud.say(`These earlier settings are not known here and are left out:\n${bulleted(unknown)}`, "error", LONG_NOTICE);
    this.requests.queueSetup();
  }

  private onScene(scene: Scene): void {
    const { store, to } = this;
    const { view } = to;
    const replaced = store.scene?.key !== scene.key;
    store.setScene(scene);
    this.hasScene = true;
    this.requests.newScene();
    this.acceptSetup(scene);
    if (replaced) {
      view.clear();
      to.tracing.close();
      to.vectors.clear();
    }
    to.rules.setScene(scene);
    const { setup } = store;
    const locked = new Set(Object.keys(setup.joints).filter((name) => setup.joints[name]?.lock));
    view.setScene(scene, locked, store.placesOf(scene.key));
    store.setPlaces(scene.key, view.goals.places(), "session");
    store.setMorphTargets(view.skins.morphTargets);
    to.motionWork.sceneArrived(scene);
    to.panel.refresh();
    to.rules.refresh();
    to.timeline.sceneArrived();
    to.hud.setScene(scene);
    to.hud.sceneArrived();
    to.applyLook();
    to.camera.restore(scene);
    this.requests.queueGoals();
  }

  /** Note that the setup of a scene has worked. A motion that begins ignores kept goal positions. */
  private acceptSetup(scene: Scene): void {
    const { store } = this;
    const named = (motion: string | null) => (motion === "" ? scene.motion : motion);
    const worked = this.requests.answerSetup(scene.seq);
    if (worked) store.setWorked({ ...worked, motion: named(worked.motion) });
    if (store.setup.motion === "") store.set({ motion: scene.motion }, "session");
    const motion = played(scene);
    if (this.motion !== motion) this.to.view.clearMotion();
    if (this.motion !== undefined && this.motion !== motion && motion !== null) {
      store.clearPlaces(scene.key);
      store.setTime(0, "session");
    }
    this.motion = motion;
  }

  /** Keep the goals at their kept positions, whichever motion the next scene plays. */
  forgetMotion(): void {
    this.motion = undefined;
  }

  /** Show the reason; a refused setup is replaced by the last one that worked. */
  private onRefused({ seq, text, offers }: Refused): void {
    const { requests, store } = this;
    const refused = requests.answerSetup(seq);
    requests.stopWaiting();
    const later = requests.setupQueued || requests.settingUp; // its answer decides
    if (!refused || later) this.to.hud.say(text, "error", seq ? Infinity : undefined);
    else if (this.hasScene && store.worked) this.goBack(refused, store.worked, text, offers);
    else this.startOver(refused, text);
  }

  /** The session still has its scene: show the setup of that in the controls. */
  private goBack(refused: Immutable<Setup>, worked: Immutable<Setup>, text: string, offers: Offer[]): void {
    const { store, to } = this;
    store.set(worked, "session");
    to.panel.refresh(true);
    const { scene } = store;
    if (scene) {
      to.timeline.refresh();
      to.view.goals.setScene(scene, store.placesOf(scene.key));
    }
    const names = labels(refused, worked);
    const actions = offers.map(({ label, setup }) => ({ label, act: () => store.set(setup) }));
    to.hud.say(names.length ? `${text}\nKept as before: ${names.join(", ")}.` : text, "error", Infinity, actions);
  }

  /** The session has no scene: send the setup that worked last, or else the default. */
  private startOver(refused: Immutable<Setup>, text: string): void {
    const { store, to } = this;
    const { worked } = store;
    const names = worked ? labels(refused, worked) : [];
    store.set(worked && names.length ? worked : defaultSetup(), "session");
    const changed = differing(refused, store.setup).length > 0;
    if (changed) this.requests.queueSetup();
    const now = names.length
      ? `Back to the settings that worked last; left out: ${names.join(", ")}.`
      : "The earlier settings no longer work: back to the defaults.";
    to.hud.say(changed ? `${text}\n${now}` : text, "error", LONG_NOTICE);
  }

  onPose(frame: PoseFrame): void {
    const { to } = this;
    const { view } = to;
    const { scene } = this.store;
    if (!scene || frame.revision !== scene.revision || frame.slot >= scene.slots) return;
    if (!this.requests.answerWant(frame.seq, frame.slot)) return; // older than the shown pose
    view.setPose(frame, scene, to.tracing.open && frame.slot === 0);
    this.count += 1;
    if (frame.slot === 0) {
      to.hud.show(frame, scene);
      if (this.store.setup.solver.name === "auto") to.panel.showSolver(frame.micros > 0 ? frame.report.solver : "");
      if (!document.body.classList.contains("ready")) {
        document.body.classList.add("ready");
        document.querySelector("#loading")?.remove();
      }
    }
    if (view.stage.halfCount === 1) to.comparison.hide();
    else if (frame.slot === scene.slots - 1)
      to.comparison.show(
        view.figures.map((one) => one.frame),
        view.stage.parts,
        view.stage.freePart,
        scene,
      );
  }

  onPacket(packet: Packet): void {
    const { to } = this;
    const { view } = to;
    switch (packet.head.kind) {
      case "mesh":
        view.skins.add(packet);
        this.store.setMorphTargets(view.skins.morphTargets);
        to.panel.refresh();
        break;
      case "motion":
        view.setMotion(packet);
        break;
      case "source":
        view.source.take(packet);
        break;
      case "file":
        download(packet.head.name, new Blob([packet.arrays.data!.data as Uint8Array<ArrayBuffer>]));
        break;
      default:
        to.tracing.take(packet);
    }
    view.stage.invalidate();
  }
}

/** The motion of a scene, told apart from its source of the same name. */
function played({ motion, retargeted }: Scene): string | null {
  return retargeted && motion === retargeted.motion ? `${motion} of ${retargeted.source}` : motion;
}

/** Labels of the fields in which two setups differ. */
function labels(one: Immutable<Setup>, other: Immutable<Setup>): string[] {
  return differing(one, other).map((name) => LABELS[name] ?? name);
}
