// The goals: dragged by pointer or finger, pushed by keys. A goal that is held ignores positions from Python.
// While a motion plays, goals that the user has not placed follow their effectors.

import { Group, Matrix4, Plane, Quaternion, Vector3 } from "three";
import type { GoalPlace, Scene } from "../io/messages";
import type { Immutable } from "../io/settings";
import { cellSize } from "./environment";
import { axisVector, Goal, ringAxes } from "./goal";
import type { Stage } from "./stage";

const GOAL_RADIUS = 0.024; // sizes of the scene
const LEAST_RADIUS = 9; // [pixels], with the whole scene in view
const LARGEST_RADIUS = 0.045; // sizes of the scene, when enlarged to LEAST_RADIUS
const MOST_LARGE_GOALS = 6; // with more, all are drawn half as large
const DEPTH_SPEED = 0.5; // W and S: sizes of the scene per second
/** Kinds of goals that follow their effectors until the user places them. */
const FOLLOWING = new Set(["reach", "pose"]);
const ARROW_KEY_STEP = 0.012; // sizes of the scene

interface Grab {
  goal: Goal;
  plane: Plane;
  offset: Vector3;
  half: number;
  /** The ring that is turned, or -1. */
  ring: number;
  /** The axis that it moves along, or -1 if it is free. */
  axis: number;
  /** Where the pointer was, and where the goal would be without snapping. */
  from: Vector3;
  free: Vector3;
}

/** What a pointer takes hold of: a goal, by one of its rings or axes or, with -1, as a whole. */
export interface Grip {
  goal: Goal;
  ring: number;
  axis: number;
}

export class Goals {
  readonly group = new Group();
  private all: Goal[] = [];
  private current: Goal | null = null;
  private hovered: Goal | null = null;
  private held: Grab | null = null;
  private sensitivity = 1;
  private snaps = false;
  private chosen = false;
  private flat = false;
  private ground = 0;
  /** Ids of the goals that follow the motion. */
  private readonly following = new Set<string>();
  /** W and S while they are down, with the time up to which their movement has been applied [ms]. */
  private readonly keys = new Map<string, number>();

  constructor(
    private readonly stage: Stage,
    /** Called when the user has moved a goal. */
    private readonly onMove: () => void,
  ) {
    stage.world.add(this.group);
  }

  get list(): readonly Goal[] {
    return this.all;
  }

  /** The goal that keys move. */
  get active(): Goal | null {
    return this.current;
  }

  /** True while a goal is dragged. */
  get dragging(): boolean {
    return this.held !== null;
  }

  setSensitivity(sensitivity: number): void {
    this.sensitivity = sensitivity;
  }

  setSnap(snaps: boolean): void {
    this.snaps = snaps;
  }

  /** True if the active goal is selected: it shows its handles. */
  get selected(): boolean {
    return this.chosen && this.current !== null;
  }

  /** Select a goal, or none. */
  select(goal: Goal | null): void {
    this.chosen = goal !== null;
    if (goal) this.current = goal;
    this.draw();
  }

  /** Show a scene's goals, at kept positions where there are any; a goal that is held stays. */
  setScene(scene: Scene, kept: readonly Immutable<GoalPlace>[]): void {
    const held = this.held?.goal.setup.id;
    const before = new Map(this.list.map((goal) => [goal.setup.id, goal.place()]));
    const activeId = this.active?.setup.id;
    const seen = Math.min(LEAST_RADIUS * this.stage.homePerPixel(), LARGEST_RADIUS * scene.size);
    const large = Math.max(GOAL_RADIUS * scene.size, seen);
    const radius = large * (scene.goals.length > MOST_LARGE_GOALS ? 0.5 : 1);
    const sameSize = this.list[0]?.radius === radius;
    this.flat = scene.flat;
    this.ground = scene.ground;
    const alike = sameSize && JSON.stringify(this.list.map((goal) => goal.setup)) === JSON.stringify(scene.goals);
    if (!alike) {
      for (const goal of this.list) goal.dispose();
      this.all = scene.goals.map((setup) => new Goal(setup, radius, scene.meshes > 0));
      for (const goal of this.list) this.group.add(goal.group);
    }
    this.following.clear();
    for (const goal of this.list) {
      const { id, kind } = goal.setup;
      const own = scene.places.find((place) => place.id === id);
      // Rules decide where their targets are, except while one is held.
      const mine = kind === "target" ? undefined : kept.find((one) => one.id === id);
      const place = (id === held ? before.get(id) : undefined) ?? mine ?? own ?? before.get(id);
      if (scene.motion !== null && FOLLOWING.has(kind) && !mine && id !== held) this.following.add(id);
      if (place) goal.move(place);
    }
    this.current = this.list.find((goal) => goal.setup.id === activeId) ?? this.list[0] ?? null;
    if (this.held) {
      const goal = this.list.find((one) => one.setup.id === held);
      this.held = goal ? { ...this.held, goal } : null;
    }
    this.draw();
  }

  /** Draw the lines from the effectors, at their positions in the half that is drawn. */
  showSights(place: (effector: string) => Vector3 | undefined): void {
    for (const goal of this.list) goal.showSight(place(goal.setup.effector));
  }

  /** Positions of the goals, without those that follow the motion. */
  places(): GoalPlace[] {
    return this.list.filter(({ setup }) => !this.following.has(setup.id)).map((goal) => goal.place());
  }

  /** Move the goals that follow the motion to their effectors, and those on a bone with that. */
  followPose(frame: (name: string) => Matrix4 | undefined): void {
    const bound = this.list.filter(({ bound }) => bound);
    if (!this.following.size && !bound.length) return;
    for (const goal of bound) {
      const carrier = frame(goal.setup.on);
      if (carrier) goal.position.fromArray(goal.setup.point).applyMatrix4(carrier);
    }
    for (const goal of this.list) {
      if (goal.bound) continue;
      const now = this.following.has(goal.setup.id) && frame(goal.setup.effector);
      if (!now) continue;
      goal.position.setFromMatrixPosition(now);
      goal.orientation.setFromRotationMatrix(new Matrix4().extractRotation(now));
    }
    this.draw();
  }

  /** Activate the goal before or after the active one; false if there is none. */
  step(by: number): boolean {
    const next = this.list[this.list.indexOf(this.active!) + by];
    if (!next) return false;
    this.current = next;
    this.draw();
    return true;
  }

  /** Activate the first or the last goal. */
  enter(last: boolean): void {
    this.select(this.list.at(last ? -1 : 0) ?? null);
  }

  // Pointer --------------------------------------------------------------------------------------

  /** What of the goals is under a pointer. */
  pick(clientX: number, clientY: number, reach: number): Grip | null {
    const { half } = this.stage.aim(clientX, clientY);
    let best: Grip | null = null;
    let least = Infinity;
    for (const goal of this.list) {
      const seen = goal.bound ? null : this.stage.project(goal.position, half);
      if (!seen) continue;
      const radius = goal.radius / this.stage.perPixel(goal.position);
      const far = Math.hypot(seen.x - clientX, seen.y - clientY);
      if (far < Math.max(radius * 1.15, reach) && far < least) {
        least = far;
        best = { goal, ring: -1, axis: -1 };
      }
    }
    return best ?? this.pickRing(clientX, clientY, half, reach) ?? this.pickHandle(clientX, clientY, half, reach);
  }

  private pickHandle(x: number, y: number, half: number, reach: number): Grip | null {
    for (const goal of this.list.filter((one) => one.hasHandles)) {
      for (let axis = 0; axis < 3; axis += 1) {
        for (let k = 3; k <= 12; k += 1) {
          const seen = this.stage.project(goal.handlePoint(axis, k / 12), half);
          if (seen && Math.hypot(seen.x - x, seen.y - y) < 0.7 * reach) return { goal, ring: -1, axis };
        }
      }
    }
    return null;
  }

  private pickRing(x: number, y: number, half: number, reach: number): Grip | null {
    for (const goal of this.list) {
      for (let ring = 0; ring < goal.rings.length; ring += 1) {
        for (let k = 0; k < 64; k += 1) {
          const seen = this.stage.project(goal.ringPoint(ring, (k * Math.PI) / 32), half);
          if (seen && Math.hypot(seen.x - x, seen.y - y) < 0.7 * reach) return { goal, ring, axis: -1 };
        }
      }
    }
    return null;
  }

  startDrag({ goal, ring, axis }: Grip, clientX: number, clientY: number): void {
    const { ray, half } = this.stage.aim(clientX, clientY);
    const plane = this.planeFor(goal, ring, axis);
    const hit = ray.intersectPlane(plane, new Vector3()) ?? goal.position.clone();
    this.held = { goal, plane, half, ring, axis, offset: goal.position.clone().sub(hit), from: hit, free: goal.position.clone() };
    this.current = goal;
    this.following.delete(goal.setup.id);
    this.stage.enableControls(false);
    this.draw();
  }

  /** Move a goal under the pointer, and drag it. */
  call(goal: Goal, clientX: number, clientY: number): void {
    const hit = this.stage.aim(clientX, clientY).ray.intersectPlane(this.planeFor(goal, -1, -1), new Vector3());
    if (hit) goal.position.copy(hit);
    this.startDrag({ goal, ring: -1, axis: -1 }, clientX, clientY);
    this.moved();
  }

  private planeFor(goal: Goal, ring: number, axis: number): Plane {
    if (axis >= 0) {
      // The plane through the axis that faces the camera most.
      const along = axisVector(axis);
      const normal = this.stage.forward().projectOnPlane(along);
      return new Plane().setFromNormalAndCoplanarPoint(normal.lengthSq() > 1e-9 ? normal.normalize() : this.stage.above(), goal.position);
    }
    if (ring >= 0) {
      const [u, v] = ringAxes(goal, ring);
      return new Plane().setFromNormalAndCoplanarPoint(u.clone().cross(v), goal.position);
    }
    if (this.flat) return new Plane(new Vector3(0, 0, 1), 0);
    return this.stage.viewPlane(goal.position);
  }

  /** Drag to a place on the page; `other`: snap if goals do not, or the opposite. */
  drag(clientX: number, clientY: number, other = false): void {
    const { held: grab } = this;
    if (!grab) return;
    const { ray } = this.stage.aim(clientX, clientY);
    const hit = ray.intersectPlane(grab.plane, new Vector3());
    if (!hit) return;
    if (grab.ring >= 0) this.turn(grab, hit);
    else {
      if (this.sensitivity === 1 && grab.axis < 0) grab.free.copy(hit).add(grab.offset);
      else {
        const movement = hit.clone().sub(grab.from).multiplyScalar(this.sensitivity);
        grab.free.add(grab.axis < 0 ? movement : axisVector(grab.axis).multiplyScalar(movement.getComponent(grab.axis)));
        grab.from.copy(hit);
      }
      grab.goal.position.copy(grab.free);
      if (this.snaps !== other) this.snap(grab);
    }
    this.moved();
  }

  /** Put the goal on the nearest lines of the grid, along its axis if it has one. */
  private snap({ goal, axis }: Grab): void {
    const cell = cellSize(this.stage.size);
    for (let k = 0; k < 3; k += 1) {
      if ((axis >= 0 && k !== axis) || (this.flat && k === 2)) continue;
      goal.position.setComponent(k, Math.round(goal.position.getComponent(k) / cell) * cell);
    }
  }

  private turn(grab: Grab, hit: Vector3): void {
    const a = grab.from.clone().sub(grab.goal.position);
    const b = hit.clone().sub(grab.goal.position);
    const angle = Math.atan2(a.clone().cross(b).dot(grab.plane.normal), a.dot(b));
    const spin = new Quaternion().setFromAxisAngle(grab.plane.normal, angle);
    grab.goal.orientation.premultiply(spin).normalize();
    grab.from.copy(hit);
  }

  release(): void {
    if (!this.held) return;
    this.held = null;
    this.stage.enableControls(true);
    this.draw();
    this.onMove();
  }

  hover(goal: Goal | null): void {
    if (goal === this.hovered) return;
    this.hovered = goal;
    this.draw();
  }

  // Keys -----------------------------------------------------------------------------------------

  press(key: string, shift: boolean, now: number): boolean {
    const low = key.toLowerCase();
    if (low === "w" || low === "s") {
      if (!this.keys.has(low)) this.keys.set(low, now);
      return true;
    }
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const step = steps[key];
    if (!step || !this.active) return false;
    const length = ARROW_KEY_STEP * this.stage.size * this.sensitivity * (shift ? 5 : 1);
    const direction = this.stage.right().multiplyScalar(step[0]).addScaledVector(this.stage.above(), step[1]);
    if (this.flat) direction.setZ(0).normalize();
    this.active.position.addScaledVector(direction, length);
    this.moved();
    return true;
  }

  lift(key: string, now: number): void {
    this.tick(now);
    this.keys.delete(key.toLowerCase());
  }

  liftAll(): void {
    this.keys.clear();
  }

  get pushing(): boolean {
    return this.keys.size > 0;
  }

  /** World length per second that W and S move a goal by. */
  get speed(): number {
    return DEPTH_SPEED * this.stage.size * this.sensitivity;
  }

  /** Move the active goal by how long W and S have been down, at any frame rate. */
  tick(now: number): void {
    let seconds = 0;
    for (const [key, since] of this.keys) {
      seconds += ((key === "w" ? 1 : -1) * Math.max(now - since, 0)) / 1000;
      this.keys.set(key, Math.max(now, since));
    }
    if (!this.active || !seconds || this.flat) return;
    this.active.position.addScaledVector(this.stage.forward(), this.speed * seconds);
    if (this.held) {
      this.held.plane = this.stage.viewPlane(this.active.position);
      this.held.free.copy(this.active.position);
    }
    this.moved();
  }

  /** Move a goal to a position, as if dragged there. */
  put(goal: Goal, x: number, y: number, z: number): void {
    goal.position.set(x, y, z);
    this.moved(goal);
  }

  private moved(goal = this.held?.goal ?? this.active): void {
    if (goal) this.following.delete(goal.setup.id);
    this.draw();
    this.onMove();
  }

  draw(): void {
    for (const goal of this.list) {
      const state = goal === this.held?.goal ? "held" : goal === this.hovered ? "hover" : goal === this.active && this.list.length > 1 ? "active" : "idle";
      goal.draw(this.stage, this.ground, state, this.selected && goal === this.active);
    }
    this.stage.invalidate();
  }
}
