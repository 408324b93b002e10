// One goal: a ball, its foot on the ground, rings to turn it by, a line from its effector.

import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  RingGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import type { GoalPlace, GoalSetup } from "../io/messages";
import type { Immutable } from "../io/settings";
import { disposeTree } from "./dispose";
import type { Stage } from "./stage";

const ORANGE = 0xff8a1f;
const HELD = 0x9aa4b2;
const BOUND = 0xb07cf0;
const RING_RADIUS = 3.4; // radii of the goal
const HANDLE_RADIUS = 4.4; // radii of the goal
const HALO = { idle: 0, active: 0.35, hover: 0.75, held: 1 };
const RINGS = [0xff5a5a, 0x59d67a, 0x5a9cff];

export class Goal {
  readonly group = new Group();
  readonly position = new Vector3();
  readonly orientation = new Quaternion();
  private readonly ball: Mesh<SphereGeometry, MeshBasicMaterial>;
  private readonly halo: Mesh<RingGeometry, MeshBasicMaterial>;
  private readonly drop: Line;
  private readonly spot: Mesh<RingGeometry, MeshBasicMaterial>;
  /** Arrows along the world's axes, to move it by. */
  private readonly handles = new Group();
  readonly rings: Mesh<TorusGeometry, MeshBasicMaterial>[] = [];
  /** Dashed line from the effector, for goals that it looks at or bends towards. */
  private sight: Line | null = null;
  /** Lengths along that line at its ends, for the dashes. */
  private readonly distances = new Float32BufferAttribute([0, 0], 1);

  constructor(
    readonly setup: GoalSetup,
    readonly radius: number,
    /** Draw over everything: a mesh would hide it. */
    over: boolean,
  ) {
    const color = setup.on ? BOUND : setup.kind === "hold" ? HELD : ORANGE;
    this.ball = new Mesh(new SphereGeometry(radius, 32, 20), new MeshBasicMaterial({ color, toneMapped: false, depthTest: !over, transparent: over }));
    this.ball.castShadow = true;
    this.ball.renderOrder = 8;
    this.halo = new Mesh(new RingGeometry(radius * 1.35, radius * 1.6, 48), new MeshBasicMaterial({ color, transparent: true, opacity: 0, depthTest: false }));
    this.halo.renderOrder = 9;
    this.drop = new Line(
      new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]),
      new LineBasicMaterial({ color, transparent: true, opacity: 0.35 }),
    );
    this.drop.frustumCulled = false;
    this.spot = new Mesh(
      new RingGeometry(radius * 0.7, radius * 1.0, 40),
      new MeshBasicMaterial({ color, transparent: true, opacity: 0.5, depthWrite: false }),
    );
    this.spot.renderOrder = 2;
    this.addHandles();
    this.group.add(this.ball, this.halo, this.drop, this.spot, this.handles);
    if (setup.kind === "pose") this.addRings();
    if (setup.kind === "look" || setup.kind === "pole") this.addSight(color);
  }

  private addHandles(): void {
    RINGS.forEach((color, axis) => {
      const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false });
      const length = HANDLE_RADIUS * this.radius;
      const shaft = new Mesh(new CylinderGeometry(0.09 * this.radius, 0.09 * this.radius, length, 8).translate(0, length / 2, 0), material);
      const head = new Mesh(new ConeGeometry(0.34 * this.radius, 0.95 * this.radius, 14).translate(0, length, 0), material);
      for (const part of [shaft, head]) {
        part.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), axisVector(axis));
        part.renderOrder = 7;
        this.handles.add(part);
      }
    });
    this.handles.visible = false;
  }

  /** True if another bone carries it: it moves with that, and cannot be dragged. */
  get bound(): boolean {
    return this.setup.on !== "";
  }

  /** True if the handles are shown. */
  get hasHandles(): boolean {
    return this.handles.visible;
  }

  /** A point on a handle, by the share of its length. */
  handlePoint(axis: number, share: number): Vector3 {
    return this.position.clone().addScaledVector(axisVector(axis), share * (HANDLE_RADIUS + 0.5) * this.radius);
  }

  private addRings(): void {
    RINGS.forEach((color, axis) => {
      const ring = new Mesh(
        new TorusGeometry(this.radius * RING_RADIUS, this.radius * 0.13, 8, 64),
        new MeshBasicMaterial({ color, transparent: true, opacity: 0.8, depthTest: false }),
      );
      if (axis === 0) ring.rotation.y = Math.PI / 2;
      if (axis === 1) ring.rotation.x = Math.PI / 2;
      ring.renderOrder = 7;
      this.rings.push(ring);
      this.group.add(ring);
    });
  }

  private addSight(color: number): void {
    const dashes = { color, transparent: true, opacity: 0.7, dashSize: 0.8 * this.radius, gapSize: 0.6 * this.radius };
    const geometry = new BufferGeometry().setAttribute("lineDistance", this.distances);
    this.sight = new Line(geometry, new LineDashedMaterial({ ...dashes, depthTest: false }));
    this.sight.frustumCulled = false;
    this.sight.renderOrder = 6;
    this.group.add(this.sight);
  }

  showSight(from: Vector3 | undefined): void {
    if (!this.sight) return;
    this.sight.visible = from !== undefined;
    if (!from) return;
    this.sight.geometry.setFromPoints([from, this.position]);
    // Not computeLineDistances, which allocates a buffer in every call.
    this.distances.setX(1, from.distanceTo(this.position)).needsUpdate = true;
  }

  /** World position of a point on a ring, by its angle [rad]. */
  ringPoint(ring: number, angle: number): Vector3 {
    const [u, v] = ringAxes(this, ring);
    const radius = RING_RADIUS * this.radius;
    return this.position
      .clone()
      .addScaledVector(u, radius * Math.cos(angle))
      .addScaledVector(v, radius * Math.sin(angle));
  }

  place(): GoalPlace {
    const { x, y, z } = this.position;
    const q = this.orientation;
    return { id: this.setup.id, position: [x, y, z], orientation: [q.w, q.x, q.y, q.z] };
  }

  move(place: Immutable<GoalPlace>): void {
    this.position.fromArray(place.position);
    if (place.orientation) {
      const [w, x, y, z] = place.orientation;
      this.orientation.set(x, y, z, w);
    }
  }

  draw(stage: Stage, ground: number, state: "idle" | "active" | "hover" | "held", handles: boolean): void {
    this.handles.visible = handles && this.setup.kind !== "hold" && !this.bound;
    this.handles.position.copy(this.position);
    this.ball.position.copy(this.position);
    this.halo.position.copy(this.position);
    this.halo.quaternion.copy(stage.camera.quaternion);
    this.halo.material.opacity = HALO[state];
    this.halo.visible = state !== "idle";
    const foot = this.position.clone().addScaledVector(stage.up, ground - this.position.dot(stage.up));
    this.drop.geometry.setFromPoints([this.position, foot]);
    this.spot.position.copy(foot).addScaledVector(stage.up, 0.004 * stage.size);
    this.spot.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), stage.up);
    this.rings.forEach((ring, axis) => {
      const base = new Quaternion().setFromAxisAngle(axis === 0 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0), axis === 2 ? 0 : Math.PI / 2);
      ring.position.copy(this.position);
      ring.quaternion.copy(this.orientation).multiply(base);
    });
  }

  dispose(): void {
    this.group.removeFromParent();
    disposeTree(this.group);
  }
}

/** A unit vector along an axis of the world. */
export function axisVector(axis: number): Vector3 {
  return new Vector3().setComponent(axis, 1);
}

/** Two unit vectors that span the plane of a ring. */
export function ringAxes(goal: Goal, ring: number): [Vector3, Vector3] {
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  const turned = axes.map((axis) => axis.applyQuaternion(goal.orientation));
  return [turned[(ring + 1) % 3]!, turned[(ring + 2) % 3]!];
}
