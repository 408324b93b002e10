// Joint limits, drawn at the joints: arcs for rotations about an axis, cones for swings.

import { BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { JointInfo, Scene } from "../io/messages";
import { disposeTree } from "./dispose";
import type { Figure } from "./figure";

const FREE = 0x6fcbff;
const ACTIVE = 0xff4d5e;
/** Factors of colors and opacities in the light theme. */
const LIGHT_BRIGHTNESS = 0.55;
const LIGHT_DENSITY = 1.7;
const ARC_SEGMENTS = 40;
const AXIS_COLORS: Record<string, number> = { x: 0xff6b6b, y: 0x62d28a, z: 0x6aa8ff };

interface Drawn {
  joint: number;
  group: Group;
  materials: (MeshBasicMaterial | LineBasicMaterial)[];
  colors: number[];
}

export class Limits {
  readonly group = new Group();
  private drawn: Drawn[] = [];
  private scene: Scene | null = null;
  private light = false;

  setLight(light: boolean): void {
    this.light = light;
  }

  /** Draw the limits of the chosen joint, or of all moving joints if none (-1) is chosen. */
  setScene(scene: Scene, chosen: number): void {
    this.scene = scene;
    disposeTree(this.group);
    this.group.clear();
    this.drawn = [];
    const many = scene.joints.filter((joint) => joint.moves).length > 24;
    scene.joints.forEach((joint, k) => {
      const wanted = chosen >= 0 ? k === chosen : joint.moves && !many;
      if (wanted) this.add(joint, k, scene.size);
    });
  }

  private add(joint: JointInfo, k: number, size: number): void {
    const bone = new Vector3(...joint.bone);
    const radius = Math.min(Math.max(0.42 * bone.length(), 0.03 * size), 0.16 * size);
    const one: Drawn = { joint: k, group: new Group(), materials: [], colors: [] };
    const [first] = joint.axes;
    if (joint.swing !== null && first && joint.swing < Math.PI - 0.01) {
      this.addCone(one, new Vector3(...first), joint, radius);
    }
    joint.labels.forEach((label, row) => {
      const range = joint.limits[row];
      if (!range || row < joint.slides || joint.swing !== null) return;
      const axis = new Vector3(...(joint.axes[row] ?? [0, 0, 1]));
      const from = flattened(bone, axis);
      this.addArc(one, axis, from, range, radius, AXIS_COLORS[label[0] ?? ""] ?? FREE);
    });
    if (one.materials.length) {
      this.group.add(one.group);
      this.drawn.push(one);
    }
  }

  private addCone(one: Drawn, axis: Vector3, joint: JointInfo, radius: number): void {
    const [u, v] = joint.tilts ? upAndRight(axis, joint.up) : spanning(axis);
    const { swing } = joint;
    const [down, up, left, right] = joint.tilts ?? [swing!, swing!, swing!, swing!];
    const rim = (k: number) => {
      const angle = (2 * Math.PI * k) / ARC_SEGMENTS;
      // In each quadrant of the swing the boundary is an ellipse with its two half-angles.
      const a = Math.cos(angle) * (Math.cos(angle) >= 0 ? up : down);
      const b = Math.sin(angle) * (Math.sin(angle) >= 0 ? right : left);
      const tilt = Math.max(Math.hypot(a, b), 1e-12);
      return axis
        .clone()
        .multiplyScalar(Math.cos(tilt))
        .addScaledVector(u, (Math.sin(tilt) * a) / tilt)
        .addScaledVector(v, (Math.sin(tilt) * b) / tilt)
        .multiplyScalar(radius);
    };
    const { sheet, edge } = fan(rim);
    this.addSheet(one, sheet, FREE, 0.1);
    this.addLines(one, edge, FREE);
  }

  private addArc(one: Drawn, axis: Vector3, from: Vector3, range: [number | null, number | null], radius: number, color: number): void {
    const low = Math.max(range[0] ?? -Math.PI, -2 * Math.PI);
    const high = Math.min(range[1] ?? Math.PI, 2 * Math.PI);
    const at = (k: number) =>
      from
        .clone()
        .applyAxisAngle(axis, low + ((high - low) * k) / ARC_SEGMENTS)
        .multiplyScalar(radius);
    const { sheet, edge } = fan(at);
    for (const end of [at(0), at(ARC_SEGMENTS)]) edge.push(0, 0, 0, ...end.toArray());
    this.addSheet(one, sheet, color, 0.13);
    this.addLines(one, edge, color);
  }

  private addSheet(one: Drawn, points: number[], color: number, opacity: number): void {
    const material = new MeshBasicMaterial({ color, transparent: true, opacity, side: DoubleSide, forceSinglePass: true, depthWrite: false });
    const mesh = new Mesh(geometryOf(points), material);
    mesh.renderOrder = 5;
    this.keep(one, mesh, material, color);
  }

  private addLines(one: Drawn, points: number[], color: number): void {
    const material = new LineBasicMaterial({ color, transparent: true, opacity: 0.75 });
    const lines = new LineSegments(geometryOf(points), material);
    lines.renderOrder = 6;
    this.keep(one, lines, material, color);
  }

  private keep(one: Drawn, part: Mesh | LineSegments, material: MeshBasicMaterial | LineBasicMaterial, color: number): void {
    one.group.add(part);
    one.materials.push(material);
    one.colors.push(color);
  }

  /** Move the limits to their joints, and mark the active ones. */
  follow(figure: Figure): void {
    const { scene } = this;
    if (!scene || !this.group.visible) return;
    const active = new Set(figure.frame?.report.active ?? []);
    for (const { joint, group, materials, colors } of this.drawn) {
      const info = scene.joints[joint]!;
      const place = figure.positions[joint];
      if (!place) continue;
      group.position.copy(place);
      const [w, x, y, z] = info.rest;
      const parent = figure.matrices[scene.parents[joint] ?? -1];
      group.quaternion.set(x, y, z, w);
      if (parent) group.quaternion.premultiply(new Quaternion().setFromRotationMatrix(parent));
      materials.forEach((material, k) => {
        material.color.set(active.has(joint) ? ACTIVE : colors[k]!).multiplyScalar(this.light ? LIGHT_BRIGHTNESS : 1);
        const opacity = (material.userData.opacity ??= material.opacity) as number;
        material.opacity = Math.min(1, opacity * (this.light ? LIGHT_DENSITY : 1));
      });
    }
  }
}

function geometryOf(points: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
  return geometry;
}

/** Triangles from the joint to a curve through points `at(k)`, and the segments of the curve. */
function fan(at: (k: number) => Vector3): { sheet: number[]; edge: number[] } {
  const sheet: number[] = [];
  const edge: number[] = [];
  for (let k = 0; k < ARC_SEGMENTS; k += 1) {
    const segment = [...at(k).toArray(), ...at(k + 1).toArray()];
    sheet.push(0, 0, 0, ...segment);
    edge.push(...segment);
  }
  return { sheet, edge };
}

/** Two unit vectors perpendicular to an axis and to each other. */
function spanning(axis: Vector3): [Vector3, Vector3] {
  const other = Math.abs(axis.x) < 0.8 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const u = other.addScaledVector(axis, -other.dot(axis)).normalize();
  return [u, axis.clone().cross(u)];
}

/** The directions of up and right, square to an axis, of a cone with four half-angles. */
function upAndRight(axis: Vector3, up: readonly [number, number, number]): [Vector3, Vector3] {
  const u = new Vector3(...up);
  return [u, axis.clone().cross(u)];
}

function flattened(bone: Vector3, axis: Vector3): Vector3 {
  const flat = bone.clone().addScaledVector(axis, -bone.dot(axis));
  return flat.length() > 1e-6 * bone.length() ? flat.normalize() : spanning(axis)[0];
}
