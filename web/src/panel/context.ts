// What the parts of the panel get: the state they show, and what their controls can do.

import type { CheckReport, FaultInfo, Hello, JointEdit, LoopKind, MotionEdits, MotionInfo, SaveFormat, Scene, Setup } from "../io/messages";
import type { Immutable, Look } from "../io/settings";
import type { MorphTarget } from "../scene/skins";

/** The part of the store that controls read and change. */
export interface PanelStore {
  readonly setup: Immutable<Setup>;
  readonly look: Immutable<Look>;
  readonly hello: Hello | null;
  readonly scene: Scene | null;
  /** Index of the chosen joint, or -1. */
  readonly chosen: number;
  readonly morphTargets: readonly MorphTarget[];
  /** The motion that is played, if any, and its time [s]. */
  readonly motion: MotionInfo | null;
  readonly time: number;
  readonly playing: boolean;
  /** True while a video is recorded. */
  readonly recording: boolean;
  /** What is wrong with the motion that plays; null if it was not checked. */
  readonly report: CheckReport | null;
  set(change: Partial<Immutable<Setup>>): void;
  setLook(change: Partial<Immutable<Look>>): void;
  edit(joint: string, change: Partial<Immutable<JointEdit>>): void;
  editLimits(joint: string, change: Partial<Immutable<JointEdit>>): void;
  editMotion(change: Partial<Immutable<MotionEdits>>): void;
  setMotion(motion: string | null): void;
  setTime(time: number): void;
  setPlaying(playing: boolean): void;
  choose(joint: number): void;
}

/** What can be saved: by Python, or by the page itself. */
export type Saved = SaveFormat | "png" | "webm" | "link" | "settings";

/** What the controls of the motion do. */
export interface MotionActions {
  /** Check the motion that plays. */
  check(): void;
  /** Repair the motion that plays, and check it again. */
  fix(): void;
  goTo(fault: FaultInfo): void;
  /** Retarget the motion onto another scene. */
  retarget(target: string): void;
  /** Let the user open a file, and retarget the motion onto it. */
  retargetOntoFile(): void;
  /** Set the joints of a role; of the source's or of the target's body. */
  setRole(which: "source_map" | "target_map", role: string, joints: string[]): void;
  /** Go back to the source of a retargeted motion. */
  toSource(): void;
  /** Files that were opened: their scenes and titles. */
  readonly opened: readonly { scene: string; title: string }[];
}

export interface PanelActions {
  save(format: Saved): void;
  openFiles(): void;
  openFolder(): void;
  resetPose(): void;
  home(): void;
  fullScreen(): void;
  help(): void;
  /** See the scene from a side. */
  look(from: "front" | "side" | "top"): void;
  /** Forget everything that was set. */
  reset(): void;
  /** Hold two bones together: at their origins, or as they are now. */
  join(kind: LoopKind, a: string, b: string): void;
  /** Put the target of a goal on a bone, where it is now; "" for the world. */
  bind(goal: string, bone: string): void;
  readonly motion: MotionActions;
}

/** What a section of the panel is built from. */
export interface SectionContext {
  store: PanelStore;
  act: PanelActions;
  /** True without Python: what only it can do is left out. */
  standalone: boolean;
  hello: Hello;
  scene: Scene;
}
