// The 3D view: figures, meshes, goals, limits and onion skin on one stage.

import { Vector3 } from "three";
import type { Packet, PoseFrame } from "../io/frames";
import type { GoalPlace, MotionInfo, Scene } from "../io/messages";
import type { Immutable, Look } from "../io/settings";
import { BodiesView } from "./bodies";
import { Figure } from "./figure";
import { FollowCamera } from "./follow_camera";
import type { Insets } from "./framing";
import { Goals } from "./goals";
import { Limits } from "./limits";
import { OnionSkin } from "./onion_skin";
import { reachOf, ReachSpheres } from "./reach";
import { SourceFigure } from "./source_figure";
import { Skins } from "./skins";
import { Stage } from "./stage";
import type { ViewName } from "./view_camera";

/** The part of the store that the view draws. */
export interface ViewStore {
  readonly scene: Scene | null;
  readonly look: Immutable<Look>;
  /** Index of the chosen joint, or -1. */
  readonly chosen: number;
  /** The motion that is played, if any, and its time [s]. */
  readonly motion: MotionInfo | null;
  readonly time: number;
}

export interface ViewEvents {
  insets(): Insets;
  tick(seconds: number): void;
  /** Called when the view has prepared a half, before it is drawn. */
  beforeHalf(half: number): void;
  /** Called when a frame has been drawn; the canvas is empty again after that. */
  drawn(canvas: HTMLCanvasElement): void;
  cameraMoved(): void;
  goalsMoved(): void;
}

export class SceneView {
  readonly stage: Stage;
  readonly goals: Goals;
  /** One figure per half. */
  readonly figures: Figure[] = [new Figure()];
  readonly skins = new Skins(() => this.stage.invalidate());
  private readonly limits = new Limits();
  private readonly onion = new OnionSkin();
  readonly source = new SourceFigure();
  private readonly following = new FollowCamera();
  private readonly reach = new ReachSpheres();
  readonly bodies = new BodiesView();
  private hovered = -1;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly store: ViewStore,
    events: ViewEvents,
  ) {
    this.stage = new Stage(canvas, store.look.quality === "plain", {
      insets: () => events.insets(),
      tick: (seconds) => events.tick(seconds),
      beforeHalf: (half) => {
        this.beforeHalf(half);
        events.beforeHalf(half);
      },
      drawn: (drawn) => events.drawn(drawn),
      cameraMoved: () => {
        this.goals.draw();
        events.cameraMoved();
      },
    });
    this.goals = new Goals(this.stage, () => events.goalsMoved());
    for (const figure of this.figures) this.stage.world.add(figure.group);
    this.stage.world.add(this.skins.group, this.limits.group, this.onion.group, this.onion.feet, this.reach.group, this.source.figure.group, this.bodies.group);
  }

  /** Free everything that belongs to the skeleton shown so far. */
  clear(): void {
    this.following.clear();
    this.onion.clear();
    this.source.clear();
    this.skins.clear();
  }

  /** Another motion begins: it has its own displacement. */
  clearMotion(): void {
    this.following.clear();
  }

  /** Show a scene, with goals at kept positions where there are any. */
  setScene(scene: Scene, locked: Set<string>, places: readonly Immutable<GoalPlace>[]): void {
    if (!scene.meshes) this.skins.clear();
    this.stage.setScene(scene);
    while (this.figures.length < scene.slots) {
      this.figures.push(new Figure());
      this.stage.world.add(this.figures.at(-1)!.group);
    }
    this.stage.setHalves(scene.slots);
    for (const figure of this.figures) {
      figure.setOver(this.drawsOverMesh());
      figure.setScene(scene, locked);
    }
    this.goals.setScene(scene, places);
    this.limits.setScene(scene, this.store.chosen);
    this.bodies.setScene(scene);
  }

  /** Apply the settings of the view, in the light or the dark theme. */
  setLook(light: boolean): void {
    const { look } = this.store;
    this.stage.setTheme(light ? "light" : "dark");
    this.stage.setQuality(look.quality === "plain");
    this.goals.setSensitivity(look.sensitivity);
    this.goals.setSnap(look.snap);
    this.limits.setLight(light);
    this.limits.group.visible = look.limits;
    this.skins.group.visible = look.mesh;
    for (const figure of this.figures) {
      figure.setLight(light);
      figure.setOver(this.drawsOverMesh());
      figure.setVisible(look.bones, look.frames);
    }
    this.source.figure.setLight(light);
    this.placePedestal();
    this.stage.frame();
    this.stage.invalidate();
  }

  private drawsOverMesh(): boolean {
    const { scene, look } = this.store;
    return (scene?.meshes ?? 0) > 0 && look.mesh;
  }

  /** Draw a pose in its half; while a trace is shown, `keep` it for later instead. */
  setPose(frame: PoseFrame, scene: Scene, keep: boolean): void {
    const figure = this.figures[frame.slot]!;
    if (keep) figure.keep(frame);
    else figure.apply(frame);
    if (frame.slot === 0) {
      this.follow(figure.positions);
      this.goals.followPose((name) => figure.matrices[scene.names.indexOf(name)]);
      this.placePedestal();
    }
    this.stage.invalidate();
  }

  /** Draw a pose of a trace, 7 numbers per joint; null: the latest pose of the solver. */
  showTracePose(pose: Float32Array | null): void {
    const figure = this.figures[0]!;
    if (pose) figure.place(pose, 7);
    else if (figure.frame) figure.apply(figure.frame);
    this.stage.invalidate();
  }

  /** Keep a walking figure in view, except while a goal is dragged. */
  private follow(positions: Vector3[]): void {
    const { look } = this.store;
    if (!this.goals.dragging) this.stage.follow(look.follow ? this.following.offset(positions, this.stage.up) : new Vector3());
  }

  /** Take the joint positions of a motion, for onion skin and camera. */
  setMotion(packet: Packet): void {
    const { scene } = this.store;
    this.onion.take(packet);
    if (scene) this.following.take(packet, scene.parents, scene.size);
  }

  /** Mark the chosen joint and the one under the pointer. */
  mark(hovered = this.hovered): void {
    this.hovered = hovered;
    for (const figure of this.figures) figure.mark(this.store.chosen, hovered);
    this.stage.invalidate();
  }

  /** Draw the limits of the chosen joint. */
  showChosen(): void {
    this.mark();
    const { scene, chosen } = this.store;
    if (scene) this.limits.setScene(scene, chosen);
  }

  /** Move the camera home, so that all goals are in view. */
  home(): void {
    this.stage.home(this.goals.list.map(({ position }) => position));
  }

  /** The reach is drawn while a goal is dragged, and where it explains why one is missed. */
  private get showsReach(): boolean {
    const status = this.figures[0]!.frame?.report.status;
    return this.store.look.reach && (this.goals.dragging || status === "too far" || status === "too near");
  }

  /** See everything from a side. */
  lookFrom(name: ViewName): void {
    this.stage.lookFrom(
      name,
      this.goals.list.map(({ position }) => position),
    );
  }

  private placePedestal(): void {
    const root = this.figures[0]!.positions[0];
    this.stage.environment.setPedestal(this.store.scene?.pedestal && root ? root.clone() : null);
  }

  private beforeHalf(half: number): void {
    const { scene, look, motion, time } = this.store;
    this.figures.forEach((figure, k) => {
      figure.group.visible = k === half;
    });
    const figure = this.figures[half]!;
    this.skins.follow(figure.matrices);
    this.skins.setMorphs(figure.frame?.report.morphs ?? {}, look.shapes);
    this.limits.follow(figure);
    this.source.show(scene, time);
    this.onion.show(time, figure.links(), look.onion && motion !== null);
    const contacts = look.contacts && motion !== null;
    this.onion.showContacts(time, figure.positions, this.stage.up, scene?.ground ?? 0, this.stage.size, contacts);
    this.reach.show(this.showsReach ? reachOf(scene, this.goals.active?.setup, figure.positions) : null, this.stage, scene?.flat ?? false);
    this.bodies.show(figure, look, this.stage);
    this.goals.showSights((name) => figure.positions[scene?.names.indexOf(name) ?? -1]);
  }
}
