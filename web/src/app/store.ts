// All shared state of the page, which is changed only here.
//
// Values are replaced, never changed in place, so `settings` is a snapshot that `replace` can return to.

import type { CheckReport, GoalPlace, Hello, JointEdit, Key, MotionEdits, MotionInfo, Scene, Setup } from "../io/messages";
import {
  defaultLook,
  defaultSettings,
  freshScene,
  type Immutable,
  type KeptCamera,
  type Look,
  noEdit,
  noEdits,
  type Settings,
  withoutUnknown,
} from "../io/settings";
import type { MorphTarget } from "../scene/skins";

export type Part = keyof Settings | "hello" | "scene" | "chosen" | "morphTargets" | "time" | "playing" | "recording" | "report";

/** "user": Python has to be told. "session": Python knows, or its next message decides. */
export type Origin = "user" | "session";

type Listener = (part: Part, origin: Origin) => void;

export class Store {
  private readonly listeners: Listener[] = [];
  private current: Settings;
  private greeting: Hello | null = null;
  private shown: Scene | null = null;
  private joint = -1;
  private morphs: readonly MorphTarget[] = [];
  private now = 0;
  private plays = false;
  private records = false;
  private checked: CheckReport | null = null;

  /** `fresh` gives the settings that `reset` returns to. */
  constructor(
    settings: Settings,
    private readonly fresh: () => Settings = defaultSettings,
  ) {
    this.current = settings;
  }

  /** Call a function after every change. */
  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Everything the user has set, as an immutable snapshot. */
  get settings(): Settings {
    return this.current;
  }

  get setup(): Settings["setup"] {
    return this.current.setup;
  }

  get look(): Settings["look"] {
    return this.current.look;
  }

  get camera(): Settings["camera"] {
    return this.current.camera;
  }

  /** The last setup that Python accepted; null before the first. */
  get worked(): Settings["worked"] {
    return this.current.worked;
  }

  /** Kept goal positions of a scene. */
  placesOf(key: string): readonly Immutable<GoalPlace>[] {
    return this.current.places[key] ?? [];
  }

  /** What the session offers; null before it has connected. */
  get hello(): Hello | null {
    return this.greeting;
  }

  /** The scene that is shown; null before the first. */
  get scene(): Scene | null {
    return this.shown;
  }

  /** Index of the chosen joint, or -1. */
  get chosen(): number {
    return this.joint;
  }

  get morphTargets(): readonly MorphTarget[] {
    return this.morphs;
  }

  /** The motion that is played, if any. */
  get motion(): MotionInfo | null {
    return this.scene?.motions.find(({ name }) => name === this.setup.motion) ?? null;
  }

  /** Time of the motion [s]. */
  get time(): number {
    return this.now;
  }

  /** True while the motion plays. */
  get playing(): boolean {
    return this.plays;
  }

  // Settings -------------------------------------------------------------------------------------

  set(change: Partial<Settings["setup"]>, origin: Origin = "user"): void {
    this.change({ setup: { ...this.setup, ...change } }, origin);
  }

  setLook(change: Partial<Immutable<Look>>): void {
    this.change({ look: { ...this.look, ...change } });
  }

  /** Change one joint; a joint that is as the scene has it is not listed. */
  edit(joint: string, change: Partial<Immutable<JointEdit>>): void {
    const edited = { ...noEdit, ...this.setup.joints[joint], ...change };
    const joints = { ...this.setup.joints, [joint]: edited };
    if (JSON.stringify(edited) === JSON.stringify(noEdit)) delete joints[joint];
    this.set({ joints });
  }

  /** Change the limits of one joint, and switch limits on. */
  editLimits(joint: string, change: Partial<Immutable<JointEdit>>): void {
    if (!this.setup.limits) this.set({ limits: true });
    this.edit(joint, change);
  }

  /** Change the motion that plays; one that is as the scene has it is not listed. */
  editMotion(change: Partial<Immutable<MotionEdits>>): void {
    const { motion } = this;
    if (!motion) return;
    const edited = { ...noEdits, ...this.setup.edits[motion.name], ...change };
    const edits = { ...this.setup.edits, [motion.name]: edited };
    if (JSON.stringify(edited) === JSON.stringify(noEdits)) delete edits[motion.name];
    this.set({ edits });
  }

  addKey(key: Key): void {
    this.set({ keys: [...this.setup.keys, key].sort((a, b) => a.time - b.time) });
  }

  /** Open a scene, with its motion at the start. */
  openScene(scene: string, origin: Origin = "user"): void {
    this.setTime(0, "session");
    this.set(freshScene(scene), origin);
  }

  /** Choose a motion, or none, and go to its start. */
  setMotion(motion: string | null): void {
    this.setTime(0, "session"); // the scene that answers asks for the pose at that time
    this.set({ motion });
  }

  setPlaces(key: string, places: readonly Immutable<GoalPlace>[], origin: Origin = "user"): void {
    this.change({ places: { ...this.current.places, [key]: places } }, origin);
  }

  /** Forget where the goals of a scene were. */
  clearPlaces(key: string): void {
    const { [key]: _, ...places } = this.current.places;
    this.change({ places }, "session");
  }

  setCamera(camera: KeptCamera): void {
    this.change({ camera });
  }

  /** Note that Python accepted a setup. */
  setWorked(worked: Immutable<Setup>): void {
    this.change({ worked }, "session");
  }

  /** Replace scenes and solvers that the session does not have; returns their names. */
  dropUnknown(): string[] {
    if (!this.hello) return [];
    const { setup, unknown } = withoutUnknown(this.setup, this.hello);
    if (unknown.length) this.set(setup, "session");
    return unknown;
  }

  /** Return to other settings, such as a snapshot or a file. What has worked here stays. */
  replace({ setup, look, places, camera }: Settings): void {
    this.change({ places, camera, look, setup });
  }

  /** Return to the defaults, but for the theme. */
  reset(): void {
    this.replace({ ...this.fresh(), look: { ...defaultLook(), theme: this.look.theme, dragged: this.look.dragged } });
  }

  // What the page shows --------------------------------------------------------------------------

  setHello(hello: Hello): void {
    this.greeting = hello;
    this.tell("hello", "session");
  }

  /** Take a scene; another skeleton has no chosen joint. */
  setScene(scene: Scene): void {
    const changed = this.shown?.key !== scene.key;
    this.shown = scene;
    if (changed) this.joint = -1;
    this.tell("scene", "session");
  }

  choose(joint: number): void {
    this.joint = joint;
    this.tell("chosen", "user");
  }

  setMorphTargets(targets: readonly MorphTarget[]): void {
    this.morphs = targets;
    this.tell("morphTargets", "session");
  }

  setTime(time: number, origin: Origin = "user"): void {
    this.now = time;
    this.tell("time", origin);
  }

  /** What is wrong with the motion that plays; null if it was not checked. */
  get report(): CheckReport | null {
    return this.checked;
  }

  setReport(report: CheckReport | null): void {
    this.checked = report;
    this.tell("report", "session");
  }

  /** True while a video is recorded. */
  get recording(): boolean {
    return this.records;
  }

  setRecording(recording: boolean): void {
    this.records = recording;
    this.tell("recording", "session");
  }

  setPlaying(playing: boolean): void {
    this.plays = playing;
    this.tell("playing", "user");
  }

  private change(change: Partial<Settings>, origin: Origin = "user"): void {
    this.current = { ...this.current, ...change };
    for (const part of Object.keys(change) as (keyof Settings)[]) this.tell(part, origin);
  }

  private tell(part: Part, origin: Origin): void {
    for (const listener of this.listeners) listener(part, origin);
  }
}
