// The centre of mass, where it is above the ground, and the support of the feet: green if it is inside, else red.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  type Matrix4,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import type { Bodies } from "../io/messages";

const INSIDE = 0x35c77f;
const OUTSIDE = 0xff4d5e;
const MARK = 0xffd34d;
const MOST_CORNERS = 64;
const MARK_RADIUS = 0.03; // sizes of the scene

export class BalanceMark {
  readonly group = new Group();
  private readonly ball = new Mesh(new SphereGeometry(1, 24, 16), new MeshBasicMaterial({ color: MARK, depthTest: false, transparent: true, opacity: 0.95 }));
  private readonly spot = new Mesh(
    new RingGeometry(0.55, 1, 40),
    new MeshBasicMaterial({ color: MARK, transparent: true, depthTest: false, side: DoubleSide, forceSinglePass: true }),
  );
  private readonly drop = new Line(new BufferGeometry(), new LineBasicMaterial({ color: MARK, transparent: true, opacity: 0.6, depthTest: false }));
  private readonly corners = new BufferAttribute(new Float32Array(3 * MOST_CORNERS), 3);
  private readonly fill = new Mesh(
    new BufferGeometry(),
    new MeshBasicMaterial({ transparent: true, opacity: 0.34, depthTest: false, depthWrite: false, side: DoubleSide, forceSinglePass: true }),
  );
  private readonly edge = new LineLoop(new BufferGeometry(), new LineBasicMaterial({ transparent: true, depthTest: false }));
  private readonly ends = new BufferAttribute(new Float32Array(6), 3);
  private bodies: Bodies | null = null;
  private readonly center = new Vector3();
  private readonly foot = new Vector3();
  private readonly point = new Vector3();
  private readonly u = new Vector3();
  private readonly v = new Vector3();
  private flat: [number, number][] = [];
  /** How far the centre of mass is inside the support, negative outside; NaN without a support. */
  inside = Number.NaN;

  constructor() {
    this.drop.geometry.setAttribute("position", this.ends);
    for (const { geometry } of [this.fill, this.edge]) geometry.setAttribute("position", this.corners);
    this.fill.geometry.setIndex(Array.from({ length: MOST_CORNERS - 2 }, (_, k) => [0, k + 1, k + 2]).flat());
    const order = [this.fill, this.edge, this.spot, this.drop, this.ball];
    order.forEach((one, k) => {
      one.frustumCulled = false;
      one.renderOrder = 5 + k / 10;
    });
    this.group.add(...order);
    this.group.visible = false;
  }

  setBodies(bodies: Bodies | null): void {
    this.bodies = bodies;
  }

  /** The centre of mass in the world as drawn last. */
  get place(): Vector3 {
    return this.center;
  }

  /** Draw them in a pose; `margin` is the least distance from the edge that counts as inside. */
  show(matrices: readonly Matrix4[], ground: number, size: number, margin: number, shown: boolean): void {
    const { bodies } = this;
    this.group.visible = shown && bodies !== null && bodies.masses.length > 0;
    if (!this.group.visible || !bodies) return;
    const up = this.point.set(...bodies.up).clone();
    this.weigh(bodies, matrices);
    this.foot.copy(this.center).addScaledVector(up, ground - this.center.dot(up) + 0.002 * size);
    this.ball.position.copy(this.center);
    this.ball.scale.setScalar(MARK_RADIUS * size);
    this.spot.position.copy(this.foot);
    this.spot.scale.setScalar(0.8 * MARK_RADIUS * size);
    this.spot.quaternion.setFromUnitVectors(this.point.set(0, 0, 1), up);
    this.ends.setXYZ(0, ...this.center.toArray()).setXYZ(1, ...this.foot.toArray());
    this.ends.needsUpdate = true;
    this.support(bodies, matrices, up, ground + 0.001 * size, margin);
  }

  private weigh(bodies: Bodies, matrices: readonly Matrix4[]): void {
    let total = 0;
    this.center.set(0, 0, 0);
    for (const { joint, mass, center } of bodies.masses) {
      const frame = matrices[joint];
      if (!frame) continue;
      this.center.addScaledVector(this.point.set(...center).applyMatrix4(frame), mass);
      total += mass;
    }
    this.center.divideScalar(total || 1);
  }

  private support(bodies: Bodies, matrices: readonly Matrix4[], up: Vector3, height: number, margin: number): void {
    const { u, v } = this;
    u.set(up.y || up.z, up.x, 0)
      .cross(up)
      .normalize();
    v.copy(up).cross(u);
    this.flat = bodies.soles.flatMap(({ joint, place }): [number, number][] => {
      const frame = matrices[joint];
      if (!frame) return [];
      this.point.set(...place).applyMatrix4(frame);
      return [[this.point.dot(u), this.point.dot(v)]];
    });
    const outline = hull(this.flat).slice(0, MOST_CORNERS);
    this.fill.visible = this.edge.visible = outline.length > 2;
    this.inside = outline.length > 2 ? depthIn(outline, this.center.dot(u), this.center.dot(v)) : Number.NaN;
    if (!this.fill.visible) return;
    outline.forEach(([x, y], k) => {
      this.point.set(0, 0, 0).addScaledVector(u, x).addScaledVector(v, y).addScaledVector(up, height);
      this.corners.setXYZ(k, this.point.x, this.point.y, this.point.z);
    });
    this.corners.needsUpdate = true;
    this.fill.geometry.setDrawRange(0, 3 * (outline.length - 2));
    this.edge.geometry.setDrawRange(0, outline.length);
    const color = this.inside >= margin - 1e-6 * Math.abs(height || 1) ? INSIDE : OUTSIDE;
    for (const { material } of [this.fill, this.edge]) material.color.set(color);
  }
}

/** The corners of the convex outline of points, counter-clockwise (Andrew's monotone chain). */
export function hull(points: readonly [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (some: readonly [number, number][]) => {
    const chain: [number, number][] = [];
    for (const point of some) {
      while (chain.length > 1 && side(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function side(a: readonly [number, number], b: readonly [number, number], c: readonly [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** How far a point is inside an outline, negative outside: the least over the edges' lines. */
export function depthIn(outline: readonly [number, number][], x: number, y: number): number {
  let least = Infinity;
  outline.forEach((a, k) => {
    const b = outline[(k + 1) % outline.length]!;
    least = Math.min(least, side(a, b, [x, y]) / Math.hypot(b[0] - a[0], b[1] - a[1]));
  });
  return least;
}
