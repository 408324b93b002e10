// Stepping through a solve: every iteration, every turn inside it, with its vectors.

import {
  BufferGeometry,
  CylinderGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import type { Packet } from "./frames";
import type { StepInfo, TraceHead } from "./messages";

const TO_TIP = 0x6fcbff;
const TO_GOAL = 0xffa64d;
const PLACED = 0xb58cff;
const PIVOT = 0xfff3b0;
const GHOST = 0x9fb0c8;
const MOST_PLACED = 64;

export class Tracing {
  readonly group = new Group();
  head: TraceHead | null = null;
  errors: Float32Array = new Float32Array();
  /** The iteration that is shown: 0 is the start. */
  iteration = 0;
  /** How many steps after it are shown too. */
  step = 0;
  onShow: () => void = () => {};
  /** Asks for the poses inside an iteration. */
  onWantSteps: (iteration: number) => void = () => {};
  private frames: Float32Array = new Float32Array();
  private count = 0;
  private inner = new Map<number, Float32Array>();
  private readonly ghost = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ color: GHOST, transparent: true, opacity: 0.55, depthTest: false }),
  );
  private readonly arrows: Mesh<CylinderGeometry, MeshBasicMaterial>[] = [];
  private readonly balls: Mesh<SphereGeometry, MeshBasicMaterial>[] = [];

  constructor() {
    this.ghost.renderOrder = 8;
    this.ghost.frustumCulled = false;
    this.group.add(this.ghost);
    this.group.visible = false;
  }

  get open(): boolean {
    return this.head !== null;
  }

  get iterations(): number {
    return Math.max(this.errors.length - 1, 0);
  }

  take({ arrays, head }: Packet): void {
    if (head.kind === "trace") {
      this.head = head;
      this.frames = arrays.frames!.data as Float32Array;
      this.count = arrays.frames!.shape[1]!;
      this.errors = arrays.errors!.data as Float32Array;
      this.inner.clear();
      this.group.visible = true;
      this.show(this.iterations, 0);
    } else if (head.kind === "steps" && this.head) {
      this.inner.set(head.iteration, arrays.frames!.data as Float32Array);
      this.onShow();
    }
  }

  close(): void {
    this.head = null;
    this.group.visible = false;
    this.onShow();
  }

  /** The steps inside the iteration after the one shown. */
  stepsInside(): StepInfo[] {
    return this.head?.steps.filter((step) => step.iteration === this.iteration + 1) ?? [];
  }

  show(iteration: number, step: number): void {
    this.iteration = Math.min(Math.max(iteration, 0), this.iterations);
    this.step = Math.min(Math.max(step, 0), this.stepsInside().length);
    if (this.step > 0 && !this.inner.has(this.iteration + 1)) this.onWantSteps(this.iteration + 1);
    this.onShow();
  }

  next(): void {
    if (this.iteration < this.iterations) this.show(this.iteration + 1, 0);
  }

  previous(): void {
    this.show(this.step > 0 ? this.iteration : this.iteration - 1, 0);
  }

  nextStep(): void {
    const inside = this.stepsInside().length;
    if (this.step < inside) this.show(this.iteration, this.step + 1);
    else this.next();
  }

  previousStep(): void {
    if (this.step > 0) this.show(this.iteration, this.step - 1);
    else if (this.iteration > 0) {
      this.iteration -= 1;
      this.show(this.iteration, this.stepsInside().length);
    }
  }

  /** Seven numbers a joint, of what is shown; null while they are on their way. */
  pose(): Float32Array | null {
    return this.poseAfter(this.step);
  }

  /** The pose after some of the steps inside the next iteration. */
  private poseAfter(steps: number): Float32Array | null {
    const size = 7 * this.count;
    const whole = this.frames.subarray(this.iteration * size, (this.iteration + 1) * size);
    const turns = this.stepsInside()
      .slice(0, steps)
      .filter((step) => !step.placed).length;
    if (turns === 0) return whole;
    const inner = this.inner.get(this.iteration + 1);
    return inner ? inner.subarray((turns - 1) * size, turns * size) : null;
  }

  /** What the last step did, in words. */
  words(names: string[]): string {
    const step = this.stepsInside()[this.step - 1];
    if (!step) return this.iteration === 0 ? "The start" : `After iteration ${this.iteration}`;
    const name = names[step.joint] ?? "the effector";
    if (step.placed) return `${name} put at ${step.change.slice(0, 3).map((x) => x.toPrecision(3)).join(", ")}`;
    const angle = Math.hypot(...step.change.slice(0, 3));
    return `${name} turned by ${((angle * 180) / Math.PI).toFixed(2)}°`;
  }

  /** Draw the vectors of the last step: from the pivot to where the tip was, and to the goal; or the
   * points of a pass. */
  draw(positions: Vector3[], links: [number, number][], radius: number): void {
    const { head } = this;
    for (const part of [...this.balls, ...this.arrows]) part.visible = false;
    this.ghost.visible = false;
    if (!head || this.step === 0) return;
    const inside = this.stepsInside().slice(0, this.step);
    const last = inside[inside.length - 1];
    if (!last) return;
    this.drawGhost(links);
    if (last.placed) {
      const placed = inside.filter((step) => step.placed).slice(-MOST_PLACED);
      const places = placed.map((step) => new Vector3(step.change[0], step.change[1], step.change[2]));
      places.forEach((place, k) => {
        this.ball(k, place, radius, PLACED);
        if (k > 0) this.arrow(k, places[k - 1]!, place, 0.3 * radius, PLACED);
      });
      return;
    }
    const pivot = positions[last.joint];
    const before = this.poseAfter(this.step - 1);
    if (!pivot || !before) return;
    this.ball(0, pivot, 1.35 * radius, PIVOT);
    this.arrow(0, pivot, new Vector3().fromArray(before, 7 * head.effector), 0.3 * radius, TO_TIP);
    if (head.goal) this.arrow(1, pivot, new Vector3(...head.goal), 0.3 * radius, TO_GOAL);
  }

  /** The skeleton as the step found it. */
  private drawGhost(links: [number, number][]): void {
    const from = this.poseAfter(Math.max(this.step - 1, 0)) ?? this.frames;
    const points = links.flatMap((ends) => ends.map((k) => new Vector3().fromArray(from, 7 * k)));
    this.ghost.geometry.dispose();
    this.ghost.geometry = new BufferGeometry().setFromPoints(points);
    this.ghost.visible = points.length > 0;
  }

  private arrow(k: number, from: Vector3, to: Vector3, radius: number, color: number): void {
    let arrow = this.arrows[k];
    if (!arrow) {
      const geometry = new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
      arrow = new Mesh(geometry, new MeshBasicMaterial({ transparent: true, opacity: 0.9, depthTest: false }));
      arrow.renderOrder = 9;
      this.arrows.push(arrow);
      this.group.add(arrow);
    }
    const way = to.clone().sub(from);
    const length = way.length();
    arrow.visible = length > 1e-9;
    arrow.material.color.set(color);
    arrow.position.copy(from);
    arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.divideScalar(Math.max(length, 1e-9)));
    arrow.scale.set(radius, length, radius);
  }

  private ball(k: number, place: Vector3, radius: number, color: number): void {
    let ball = this.balls[k];
    if (!ball) {
      ball = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ transparent: true, opacity: 0.8, depthTest: false }));
      ball.renderOrder = 9;
      this.balls.push(ball);
      this.group.add(ball);
    }
    ball.visible = true;
    ball.material.color.set(color);
    ball.position.copy(place);
    ball.scale.setScalar(radius);
  }
}
