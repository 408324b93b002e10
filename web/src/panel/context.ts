// What the parts of the panel get: the state they show, and what their controls can do.

import type { Hello, JointEdit, LoopKind, MotionInfo, SaveFormat, Scene, Setup } from "../io/messages";
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
  set(change: Partial<Immutable<Setup>>): void;
  setLook(change: Partial<Immutable<Look>>): void;
  edit(joint: string, change: Partial<Immutable<JointEdit>>): void;
  editLimits(joint: string, change: Partial<Immutable<JointEdit>>): void;
  setMotion(motion: string | null): void;
  setTime(time: number): void;
  setPlaying(playing: boolean): void;
  choose(joint: number): void;
}

/** What can be saved: by Python, or by the page itself. */
export type Saved = SaveFormat | "png" | "webm" | "link" | "settings";

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
