// Work on the motion that plays: its report, and retargeting it onto another scene.

import type { CheckReport, FaultInfo, FromPage, Scene } from "../io/messages";
import { freshScene, noEdits } from "../io/settings";
import type { MotionActions } from "../panel/context";
import type { Timeline } from "../panel/timeline";
import type { Store } from "./store";

const MOST_LISTED_FILES = 8; // the latest files, which can be chosen as targets

export interface MotionWorkEvents {
  send(message: FromPage): void;
  /** Let the user choose a file to open. */
  chooseFile(): void;
}

export class MotionWork implements MotionActions {
  opened: readonly { scene: string; title: string }[] = [];
  /** What the report was asked for. */
  private reported = "";
  /** The next scene is checked. */
  private due = false;
  /** The next file that is opened gets the motion. */
  private awaitsTarget = false;

  constructor(
    private readonly store: Store,
    private readonly timeline: Pick<Timeline, "startWith">,
    private readonly events: MotionWorkEvents,
  ) {}

  // Check ----------------------------------------------------------------------------------------

  check(): void {
    this.reported = this.checked();
    this.events.send({ type: "check" });
  }

  fix(): void {
    this.due = true;
    this.store.editMotion({ repair: true });
  }

  goTo({ frame, joint }: FaultInfo): void {
    const { store } = this;
    const { motion } = store;
    if (!motion) return;
    store.setPlaying(false);
    store.setTime(Math.min(frame / motion.fps, motion.duration));
    if (joint >= 0) store.choose(joint);
  }

  take(report: CheckReport): void {
    this.store.setReport(report);
  }

  /** A report of another motion is dropped; one of a motion that was edited since is asked for again. */
  sceneArrived(scene: Scene): void {
    const { store } = this;
    const { setup, report } = store;
    const known = this.opened.some((one) => one.scene === setup.scene);
    if (setup.scene.startsWith("file:") && !known) this.opened = [...this.opened, { scene: setup.scene, title: scene.title }].slice(-MOST_LISTED_FILES);
    const { due } = this;
    this.due = false;
    if (due || (report && scene.motion === report.motion && this.reported !== this.checked())) this.check();
    else if (report && scene.motion !== report.motion) store.setReport(null);
  }

  /** What a report depends on. */
  private checked(): string {
    const { worked, scene } = this.store; // what the session has
    return JSON.stringify([scene?.key, scene?.motion, worked?.edits[scene?.motion ?? ""] ?? null, worked?.retarget]);
  }

  // Retargeting ----------------------------------------------------------------------------------

  retarget(target: string): void {
    const { setup, motion } = this.store;
    if (!motion) return;
    const edits = setup.edits[motion.name] ?? noEdits;
    const source = setup.retarget ? { ...setup.retarget, target_map: {} } : { source: setup.scene, motion: motion.name, edits, source_map: {}, target_map: {} };
    this.timeline.startWith(target);
    this.store.setTime(0, "session");
    this.store.set({ ...freshScene(target), motion: "", retarget: source });
  }

  retargetOntoFile(): void {
    this.awaitsTarget = true;
    this.events.chooseFile();
  }

  /** A file is opened that is not to be a target. */
  forgetTarget(): void {
    this.awaitsTarget = false;
  }

  /** Open a file's scene, or retarget the motion onto it. */
  fileOpened(scene: string): void {
    const target = this.awaitsTarget && this.store.motion;
    this.awaitsTarget = false;
    if (target) return this.retarget(scene);
    this.timeline.startWith(scene);
    this.store.openScene(scene);
  }

  setRole(which: "source_map" | "target_map", role: string, joints: string[]): void {
    const { retarget } = this.store.setup;
    if (retarget) this.store.set({ retarget: { ...retarget, [which]: { ...retarget[which], [role]: joints } } });
  }

  toSource(): void {
    const { retarget } = this.store.setup;
    if (!retarget) return;
    const { source, motion, edits } = retarget;
    this.timeline.startWith(source);
    this.store.setTime(0, "session");
    this.store.set({ ...freshScene(source), motion, edits: { [motion]: edits } });
  }
}
