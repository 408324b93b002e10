// The goals: orange, taken hold of with pointer, keys or finger. While held, they are the person's.
// While a motion plays, those that nobody has placed go along with their effectors.

import { Group, Matrix4, Plane, Quaternion, Vector3 } from "three";
import { Goal, ringAxes } from "./goal";
import type { GoalPlace, Scene } from "../io/messages";
import type { Stage } from "./stage";

const RADIUS = 0.024; // sizes of the scene
const LEAST_RADIUS = 9; // pixels, when everything is seen
const LARGEST = 0.045; // sizes of the scene
const MANY = 6; // goals beyond which each is drawn half as large
const DEPTH_SPEED = 0.5; // W and S: sizes a second
/** Goals that are where their effectors are, as long as nobody places them. */
const GO_ALONG = new Set(["reach", "pose"]);
const NUDGE = 0.012; // arrow keys: sizes

interface Grab {
  goal: Goal;
  plane: Plane;
  offset: Vector3;
  half: number;
  /** The ring that turns, or -1 for moving. */
  ring: number;
  from: Vector3;
}

export class Goals {
  readonly group = new Group();
  list: Goal[] = [];
  active: Goal | null = null;
  hovered: Goal | null = null;
  grab: Grab | null = null;
  sensitivity = 1;
  /** Called when a person has moved a goal. */
  onMove: () => void = () => {};
  private flat = false;
  private ground = 0;
  /** The ids of goals that go along with the motion. */
  private readonly along = new Set<string>();
  /** W and S while they are held, and since when what they do has not been done [ms]. */
  private readonly keys = new Map<string, number>();

  constructor(private readonly stage: Stage) {
    stage.world.add(this.group);
  }

  /** Take over a scene's goals; those that a person holds or has placed stay where they are. */
  setScene(scene: Scene, kept: GoalPlace[]): void {
    const held = this.grab?.goal.setup.id;
    const before = new Map(this.list.map((goal) => [goal.setup.id, goal.place()]));
    const activeId = this.active?.setup.id;
    const seen = Math.min(LEAST_RADIUS * this.stage.homePerPixel(), LARGEST * scene.size);
    const large = Math.max(RADIUS * scene.size, seen);
    const radius = large * (scene.goals.length > MANY ? 0.5 : 1);
    const sameSize = this.list[0]?.radius === radius;
    this.flat = scene.flat;
    this.ground = scene.ground;
    const alike =
      sameSize && JSON.stringify(this.list.map((goal) => goal.setup)) === JSON.stringify(scene.goals);
    if (!alike) {
      for (const goal of this.list) goal.dispose();
      this.list = scene.goals.map((setup) => new Goal(setup, radius, scene.meshes > 0));
      for (const goal of this.list) this.group.add(goal.group);
    }
    this.along.clear();
    for (const goal of this.list) {
      const { id, kind } = goal.setup;
      const own = scene.places.find((place) => place.id === id);
      // Where a target is, the rules say; only a person who holds it knows better.
      const mine = kind === "target" ? undefined : kept.find((one) => one.id === id);
      const place = (id === held ? before.get(id) : undefined) ?? mine ?? own ?? before.get(id);
      if (scene.motion !== null && GO_ALONG.has(kind) && !mine && id !== held) this.along.add(id);
      if (place) goal.move(place);
    }
    this.active = this.list.find((goal) => goal.setup.id === activeId) ?? this.list[0] ?? null;
    if (this.grab) {
      const goal = this.list.find((one) => one.setup.id === held);
      this.grab = goal ? { ...this.grab, goal } : null;
    }
    this.draw();
  }

  /** Lines of sight, from where the effectors of what is drawn now are. */
  showSights(place: (effector: string) => Vector3 | undefined): void {
    for (const goal of this.list) goal.showSight(place(goal.setup.effector));
  }

  /** Where goals are; those that go along with the motion have no place of their own. */
  places(): GoalPlace[] {
    return this.list.filter(({ setup }) => !this.along.has(setup.id)).map((goal) => goal.place());
  }

  /** Move the goals that go along to where their effectors are. */
  goAlong(frame: (effector: string) => Matrix4 | undefined): void {
    if (!this.along.size) return;
    for (const goal of this.list) {
      const now = this.along.has(goal.setup.id) && frame(goal.setup.effector);
      if (!now) continue;
      goal.position.setFromMatrixPosition(now);
      goal.orientation.setFromRotationMatrix(new Matrix4().extractRotation(now));
    }
    this.draw();
  }

  /** Make the goal before or after the active one active; false if there is none. */
  step(by: number): boolean {
    const next = this.list[this.list.indexOf(this.active!) + by];
    if (!next) return false;
    this.active = next;
    this.draw();
    return true;
  }

  /** Make the first or the last goal active. */
  enter(last: boolean): void {
    this.active = this.list.at(last ? -1 : 0) ?? null;
    this.draw();
  }

  // Pointer --------------------------------------------------------------------------------------

  /** The goal under a pointer, and the ring of it, if any. */
  pick(clientX: number, clientY: number, reach: number): { goal: Goal; ring: number } | null {
    const { half } = this.stage.aim(clientX, clientY);
    let best: { goal: Goal; ring: number } | null = null;
    let least = Infinity;
    for (const goal of this.list) {
      const seen = this.stage.project(goal.position, half);
      if (!seen) continue;
      const radius = goal.radius / this.stage.perPixel(goal.position);
      const far = Math.hypot(seen.x - clientX, seen.y - clientY);
      if (far < Math.max(radius * 1.15, reach) && far < least) {
        least = far;
        best = { goal, ring: -1 };
      }
    }
    return best ?? this.pickRing(clientX, clientY, half, reach);
  }

  private pickRing(x: number, y: number, half: number, reach: number) {
    for (const goal of this.list) {
      for (let ring = 0; ring < goal.rings.length; ring += 1) {
        for (let k = 0; k < 64; k += 1) {
          const seen = this.stage.project(goal.ringPoint(ring, (k * Math.PI) / 32), half);
          if (seen && Math.hypot(seen.x - x, seen.y - y) < 0.7 * reach) return { goal, ring };
        }
      }
    }
    return null;
  }

  take(goal: Goal, clientX: number, clientY: number, ring = -1): void {
    const { ray, half } = this.stage.aim(clientX, clientY);
    const plane = this.planeFor(goal, ring);
    const hit = ray.intersectPlane(plane, new Vector3()) ?? goal.position.clone();
    this.grab = { goal, plane, half, ring, offset: goal.position.clone().sub(hit), from: hit };
    this.active = goal;
    this.along.delete(goal.setup.id);
    this.stage.controls.enabled = false;
    this.draw();
  }

  private planeFor(goal: Goal, ring: number): Plane {
    if (ring >= 0) {
      const [u, v] = ringAxes(goal, ring);
      return new Plane().setFromNormalAndCoplanarPoint(u.clone().cross(v), goal.position);
    }
    if (this.flat) return new Plane(new Vector3(0, 0, 1), 0);
    return this.stage.viewPlane(goal.position);
  }

  drag(clientX: number, clientY: number): void {
    const { grab } = this;
    if (!grab) return;
    const { ray } = this.stage.aim(clientX, clientY);
    const hit = ray.intersectPlane(grab.plane, new Vector3());
    if (!hit) return;
    if (grab.ring >= 0) this.turn(grab, hit);
    else if (this.sensitivity === 1) grab.goal.position.copy(hit).add(grab.offset);
    else {
      grab.goal.position.addScaledVector(hit.clone().sub(grab.from), this.sensitivity);
      grab.from.copy(hit);
    }
    this.moved();
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
    if (!this.grab) return;
    this.grab = null;
    this.stage.controls.enabled = true;
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
    const length = NUDGE * this.stage.size * this.sensitivity * (shift ? 5 : 1);
    const way = this.stage
      .right()
      .multiplyScalar(step[0])
      .addScaledVector(this.stage.above(), step[1]);
    if (this.flat) way.setZ(0).normalize();
    this.active.position.addScaledVector(way, length);
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

  /** Push and pull with the keys that are held; lengths of the world a second. */
  get speed(): number {
    return DEPTH_SPEED * this.stage.size * this.sensitivity;
  }

  /** Push by the time that the keys have been held, however slowly frames come. */
  tick(now: number): void {
    let seconds = 0;
    for (const [key, since] of this.keys) {
      seconds += ((key === "w" ? 1 : -1) * Math.max(now - since, 0)) / 1000;
      this.keys.set(key, Math.max(now, since));
    }
    if (!this.active || !seconds || this.flat) return;
    this.active.position.addScaledVector(this.stage.forward(), this.speed * seconds);
    if (this.grab) this.grab.plane = this.stage.viewPlane(this.active.position);
    this.moved();
  }

  /** Put a goal somewhere, as who drags it there. */
  put(goal: Goal, x: number, y: number, z: number): void {
    goal.position.set(x, y, z);
    this.moved(goal);
  }

  private moved(goal = this.grab?.goal ?? this.active): void {
    if (goal) this.along.delete(goal.setup.id);
    this.draw();
    this.onMove();
  }

  draw(): void {
    for (const goal of this.list) {
      const state =
        goal === this.grab?.goal ? "held" : goal === this.hovered ? "hover" : goal === this.active && this.list.length > 1 ? "active" : "idle";
      goal.draw(this.stage, this.ground, state);
    }
    this.stage.invalidate();
  }
}
