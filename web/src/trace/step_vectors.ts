// The vectors of a step of a solve, as textbooks draw them.

import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { disposeTree } from "../scene/dispose";
import { placeOf, type TracePlayer } from "./trace_player";

const TO_TIP = 0x6fcbff;
const TO_GOAL = 0xffa64d;
const PLACED = 0xb58cff;
const PIVOT = 0xfff3b0;
const GHOST = 0x9fb0c8;
const MOST_ARROWS = 64;
const SHORTEST_ARROW = 1e-3; // of the line radius: shorter arrows are not drawn

type Part<Geometry extends BufferGeometry> = Mesh<Geometry, MeshBasicMaterial>;

export class StepVectors {
  readonly group = new Group();
  private readonly ghost = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: GHOST, transparent: true, opacity: 0.55, depthTest: false }));
  private readonly shafts: Part<CylinderGeometry>[] = [];
  private readonly heads: Part<ConeGeometry>[] = [];
  private readonly balls: Part<SphereGeometry>[] = [];
  private used = 0;

  constructor() {
    this.ghost.renderOrder = 8;
    this.ghost.frustumCulled = false;
    this.group.add(this.ghost);
  }

  /** Free GPU memory; what is drawn again is uploaded again. */
  clear(): void {
    disposeTree(this.group);
  }

  /** Draw the last step on joints at `positions`, with lines of a radius. */
  draw(tracing: TracePlayer, positions: Vector3[], parents: number[], radius: number): void {
    for (const part of [...this.balls, ...this.shafts, ...this.heads]) part.visible = false;
    this.ghost.visible = false;
    this.used = 0;
    const { head } = tracing;
    if (!head) return;
    const last = tracing.stepsInside()[tracing.step - 1];
    const { before } = tracing;
    if (last?.placed) this.drawPass(tracing, parents, radius);
    else if (last && head.solver === "TargetTriangle") this.drawTriangle(tracing, last.joint, positions, parents, radius);
    else if (last) this.drawTurn(tracing, positions[last.joint], parents, radius);
    else if (before) this.drawAll(tracing, before, parents, radius);
  }

  /** FABRIK: the points of a pass, each at its link's length from the last. */
  private drawPass(tracing: TracePlayer, parents: number[], radius: number): void {
    this.drawGhost(tracing.poseAfter(tracing.step - 1), parents);
    const placed = tracing
      .stepsInside()
      .slice(0, tracing.step)
      .filter((step) => step.placed)
      .slice(-MOST_ARROWS);
    const places = placed.map((step) => new Vector3(step.change[0], step.change[1], step.change[2]));
    places.forEach((place, k) => {
      this.ball(k, place, radius, PLACED);
      if (k > 0) this.arrow(places[k - 1]!, place, 0.3 * radius, PLACED, false);
    });
  }

  /** Target Triangle: the link, from its end to the goal, and from its joint to the goal. */
  private drawTriangle(tracing: TracePlayer, joint: number, positions: Vector3[], parents: number[], radius: number): void {
    this.drawGhost(tracing.poseAfter(tracing.step - 1), parents);
    const { head } = tracing;
    let next = head?.effector ?? -1;
    while (next >= 0 && parents[next] !== joint) next = parents[next] ?? -1;
    const [pivot, end] = [positions[joint], positions[next]];
    if (!pivot || !end || !head?.goal) return;
    const goal = new Vector3(...head.goal);
    this.ball(0, pivot, 1.35 * radius, PIVOT);
    this.arrow(pivot, end, 0.3 * radius, TO_TIP, false);
    this.arrow(end, goal, 0.3 * radius, PLACED, false);
    this.arrow(pivot, goal, 0.3 * radius, TO_GOAL, false);
  }

  /** CCD: from the pivot to the tip before the step, and to the goal. */
  private drawTurn(tracing: TracePlayer, pivot: Vector3 | undefined, parents: number[], radius: number): void {
    const before = tracing.poseAfter(tracing.step - 1);
    this.drawGhost(before, parents);
    const { head } = tracing;
    if (!pivot || !before || !head) return;
    this.ball(0, pivot, 1.35 * radius, PIVOT);
    this.arrow(pivot, placeOf(before, head.effector), 0.3 * radius, TO_TIP);
    if (head.goal) this.arrow(pivot, new Vector3(...head.goal), 0.3 * radius, TO_GOAL);
  }

  /** Solvers that rotate all joints at once: the error, and the sum of the joints' shares. */
  private drawAll(tracing: TracePlayer, before: Float32Array, parents: number[], radius: number): void {
    this.drawGhost(before, parents);
    const { head } = tracing;
    if (!head) return;
    const tip = placeOf(before, head.effector);
    if (head.goal) this.arrow(tip, new Vector3(...head.goal), 0.3 * radius, TO_GOAL);
    const at = tip.clone();
    for (const { displacement } of tracing.shares(parents).slice(-MOST_ARROWS)) {
      const next = at.clone().add(displacement);
      this.arrow(at, next, 0.3 * radius, PLACED);
      at.copy(next);
    }
    this.ball(0, tip, 1.1 * radius, TO_TIP);
  }

  /** The skeleton before the step. */
  private drawGhost(pose: Float32Array | null, parents: number[]): void {
    if (!pose) return;
    const points = parents.flatMap((parent, k) => (parent >= 0 ? [placeOf(pose, parent), placeOf(pose, k)] : []));
    this.ghost.geometry.dispose();
    this.ghost.geometry = new BufferGeometry().setFromPoints(points);
    this.ghost.visible = points.length > 0;
  }

  private arrow(from: Vector3, to: Vector3, radius: number, color: number, pointed = true): void {
    const k = this.used;
    const direction = to.clone().sub(from);
    const length = direction.length();
    if (length < SHORTEST_ARROW * radius) return;
    this.used += 1;
    const shaft = this.part(this.shafts, k, () => new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), color);
    const tip = this.part(this.heads, k, () => new ConeGeometry(1, 1, 14).translate(0, -0.5, 0), color);
    const point = pointed ? Math.min(5 * radius, 0.6 * length) : 0;
    for (const part of [shaft, tip]) part.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction.clone().divideScalar(length));
    shaft.position.copy(from);
    shaft.scale.set(radius, length - point, radius);
    tip.visible = pointed;
    tip.position.copy(to);
    tip.scale.set(0.45 * point, Math.max(point, 1e-9), 0.45 * point);
  }

  private ball(k: number, place: Vector3, radius: number, color: number): void {
    const ball = this.part(this.balls, k, () => new SphereGeometry(1, 16, 12), color);
    ball.position.copy(place);
    ball.scale.setScalar(radius);
  }

  /** A part of the drawing, created on first use. */
  private part<Geometry extends BufferGeometry>(parts: Part<Geometry>[], k: number, make: () => Geometry, color: number): Part<Geometry> {
    let part = parts[k];
    if (!part) {
      part = new Mesh(make(), new MeshBasicMaterial({ transparent: true, opacity: 0.9, depthTest: false }));
      part.renderOrder = 9;
      part.frustumCulled = false;
      parts[k] = part;
      this.group.add(part);
    }
    part.visible = true;
    part.material.color.set(color);
    return part;
  }
}
