// How far the chain of a goal reaches, and how near: two spheres around where it begins.

import { BackSide, BufferGeometry, Group, LineBasicMaterial, LineLoop, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { GoalSetup, Scene } from "../io/messages";
import type { Stage } from "./stage";

const OUTER = 0x6fcbff;
const INNER = 0xff6b78;
const CIRCLE_SEGMENTS = 96;
const SMALLEST_INNER = 1e-6; // of the outer radius: a smaller inner sphere is none

export interface Reach {
  center: Vector3;
  outer: number;
  inner: number;
}

/**
 * The spheres that the target of a goal lies between if its chain can reach it; null if the chain slides, or is none.
 *
 * Limits may leave less.
 */
export function reachOf(scene: Scene | null, goal: GoalSetup | undefined, positions: readonly Vector3[]): Reach | null {
  if (!scene || !goal || !["reach", "pose", "hold"].includes(goal.kind)) return null;
  const chain: number[] = [scene.names.indexOf(goal.effector)];
  let joints = 0;
  for (let k = scene.parents[chain[0]!] ?? -1; k >= 0 && (goal.depth === 0 || joints < goal.depth); k = scene.parents[k] ?? -1) {
    const joint = scene.joints[k]!;
    if (joint.kind !== "Fixed") joints += 1;
    if (joint.slides > 0) return null;
    if (joint.moves) chain.push(k);
  }
  const places = chain.map((k) => positions[k]);
  const center = places.at(-1);
  if (places.length < 2 || !center || places.includes(undefined)) return null;
  const lengths = places.slice(1).map((place, k) => place!.distanceTo(places[k]!));
  const outer = lengths.reduce((sum, length) => sum + length, 0);
  return { center, outer, inner: Math.max(2 * Math.max(...lengths) - outer, 0) };
}

/** A sphere, seen as a circle around a tint. */
class Shell {
  readonly group = new Group();
  private readonly tint: Mesh;
  private readonly rim: LineLoop;

  constructor(color: number) {
    this.tint = new Mesh(new SphereGeometry(1, 48, 32), new MeshBasicMaterial({ color, transparent: true, opacity: 0.05, depthWrite: false, side: BackSide }));
    const points = Array.from({ length: CIRCLE_SEGMENTS }, (_, k) => {
      const angle = (2 * Math.PI * k) / CIRCLE_SEGMENTS;
      return new Vector3(Math.cos(angle), Math.sin(angle), 0);
    });
    this.rim = new LineLoop(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color, transparent: true, opacity: 0.65, depthTest: false }));
    this.rim.renderOrder = 6;
    this.group.add(this.tint, this.rim);
  }

  place(center: Vector3, radius: number, { camera }: Stage, flat: boolean): void {
    this.tint.visible = !flat;
    this.tint.position.copy(center);
    this.tint.scale.setScalar(radius);
    const sight = center.clone().sub(camera.position);
    const distance = sight.length();
    if (flat || distance <= radius) {
      this.rim.visible = flat;
      this.rim.position.copy(center);
      this.rim.quaternion.identity();
      this.rim.scale.setScalar(radius);
      return;
    }
    // The outline of a sphere is a circle nearer to the camera than its center, and smaller.
    this.rim.visible = true;
    this.rim.position.copy(center).addScaledVector(sight, -((radius / distance) ** 2));
    this.rim.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), sight.clone().negate().divideScalar(distance));
    this.rim.scale.setScalar(radius * Math.sqrt(1 - (radius / distance) ** 2));
  }
}

export class ReachSpheres {
  readonly group = new Group();
  private readonly outer = new Shell(OUTER);
  private readonly inner = new Shell(INNER);

  constructor() {
    this.group.add(this.outer.group, this.inner.group);
  }

  show(reach: Reach | null, stage: Stage, flat: boolean): void {
    this.group.visible = reach !== null;
    if (!reach) return;
    this.outer.place(reach.center, reach.outer, stage, flat);
    this.inner.group.visible = reach.inner > SMALLEST_INNER * reach.outer;
    if (this.inner.group.visible) this.inner.place(reach.center, reach.inner, stage, flat);
  }
}
