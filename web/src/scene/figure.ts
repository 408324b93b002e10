// A skeleton: bones, joints and joint frames, coloured by what the solver did with them.

import {
  type BufferGeometry,
  Color,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { PoseFrame } from "../io/frames";
import type { Scene } from "../io/messages";
import { disposeTree } from "./dispose";

const COLORS = {
  joint: new Color(0x6fcbff), // the solver moves it
  idle: new Color(0x8b97a8),
  locked: new Color(0x39424f),
  limit: new Color(0xff4d5e),
  chosen: new Color(0xffffff),
  hover: new Color(0xd6f2ff),
  bone: new Color(0xdfe7f2),
  boneIdle: new Color(0x9aa5b5),
  boneLight: new Color(0x8796ab),
  boneIdleLight: new Color(0xb3bdca),
};
const AXES = [new Color(0xe8474c), new Color(0x31b057), new Color(0x3b7ff0)]; // of frames: x, y, z
const AXIS_LENGTH = 4; // radii of a joint
const JOINT_RADIUS = 0.02; // sizes of the scene
const Y = new Vector3(0, 1, 0);

export class Figure {
  readonly group = new Group();
  /** World positions and T_world_joint of the joints and tips, as drawn. */
  positions: Vector3[] = [];
  matrices: Matrix4[] = [];
  /** The latest pose from the solver. */
  private latest: PoseFrame | null = null;
  private scene: Scene | null = null;
  private bones: InstancedMesh | null = null;
  private joints: InstancedMesh | null = null;
  private axes: InstancedMesh | null = null;
  private active = new Set<number>();
  private locked = new Set<number>();
  private chosen = -1;
  private hovered = -1;
  private radius = 1;
  private light = false;
  private over = false;
  private pairs: [number, number][] = [];
  private readonly transform = new Matrix4();

  get frame(): PoseFrame | null {
    return this.latest;
  }

  /** Show another skeleton, or other joints as locked. */
  setScene(scene: Scene, locked: Set<string>): void {
    const same = this.scene !== null && this.scene.names.join("\n") === scene.names.join("\n");
    this.scene = scene;
    this.locked = new Set([...locked].map((name) => scene.names.indexOf(name)));
    this.radius = JOINT_RADIUS * scene.size;
    if (!same) this.rebuild(scene);
    this.paint();
  }

  /** Draw the skeleton on top of meshes, or as solid bodies. */
  setOver(over: boolean): void {
    if (this.over === over) return;
    this.over = over;
    const { latest } = this;
    if (this.scene) this.rebuild(this.scene);
    if (latest) this.apply(latest);
    this.paint();
  }

  setLight(light: boolean): void {
    this.light = light;
    this.paint();
  }

  setVisible(bones: boolean, frames: boolean): void {
    if (this.bones) this.bones.visible = bones;
    if (this.joints) this.joints.visible = bones;
    if (!this.axes || this.axes.visible === frames) return;
    this.axes.visible = frames;
    if (frames) this.drawAxes(this.axes);
  }

  mark(chosen: number, hovered: number): void {
    if (chosen === this.chosen && hovered === this.hovered) return;
    this.chosen = chosen;
    this.hovered = hovered;
    this.paint();
  }

  /** Keep a pose without drawing it, such as while a trace is shown. */
  keep(frame: PoseFrame): void {
    this.latest = frame;
  }

  /** Draw a pose. */
  apply(frame: PoseFrame): void {
    if (!this.scene || frame.count !== this.scene.names.length) return;
    this.latest = frame;
    this.place(frame.values, frame.stride);
    const active = new Set(frame.report.active);
    if (!alike(active, this.active)) {
      this.active = active;
      this.paint();
    }
  }

  /** Draw the joints at the given transforms, `stride` numbers per joint. */
  place(values: Float32Array, stride: number): void {
    const { scene } = this;
    if (!scene) return;
    for (let k = 0; k < scene.names.length; k += 1) {
      const matrix = matrixOf(values, stride, k, (this.matrices[k] ??= new Matrix4()));
      (this.positions[k] ??= new Vector3()).setFromMatrixPosition(matrix);
    }
    this.draw();
  }

  /** The links, as pairs of indices: parent, child. There is none to a joint that moves freely in the world. */
  links(): readonly [number, number][] {
    return this.pairs;
  }

  private rebuild(scene: Scene): void {
    disposeTree(this.group);
    this.group.clear();
    this.pairs = scene.parents.flatMap((parent, k) => (parent >= 0 && scene.joints[k]?.kind !== "Free" ? [[parent, k] as [number, number]] : []));
    this.positions = [];
    this.matrices = [];
    this.latest = null;
    this.active = new Set();
    this.chosen = this.hovered = -1;
    const count = scene.names.length;
    const look = { roughness: 0.42, metalness: 0.08, depthTest: !this.over, transparent: this.over, opacity: this.over ? 0.85 : 1 };
    const links = Math.max(this.links().length, 1);
    this.bones = new InstancedMesh(boneGeometry(), new MeshStandardMaterial(look), links);
    this.bones.count = this.links().length;
    this.joints = new InstancedMesh(new SphereGeometry(1, 24, 16), new MeshStandardMaterial(look), count);
    this.axes = new InstancedMesh(axisGeometry(), new MeshBasicMaterial({ depthTest: false, transparent: true }), 3 * count);
    for (let k = 0; k < 3 * count; k += 1) this.axes.setColorAt(k, AXES[k % 3]!);
    this.axes.visible = false;
    for (const part of [this.bones, this.joints, this.axes]) part.frustumCulled = false;
    this.bones.castShadow = this.joints.castShadow = !this.over;
    this.bones.receiveShadow = !this.over;
    this.bones.renderOrder = this.over ? 3 : 0;
    this.joints.renderOrder = this.over ? 4 : 0;
    this.axes.renderOrder = 5;
    this.group.add(this.bones, this.joints, this.axes);
  }

  private draw(): void {
    const { bones, joints, axes, scene } = this;
    if (!bones || !joints || !axes || !scene) return;
    for (let k = 0; k < this.pairs.length; k += 1) {
      const [from, to] = this.pairs[k]!;
      const a = this.positions[from]!;
      direction.copy(this.positions[to]!).sub(a);
      const length = direction.length();
      // Over a mesh only the chain is drawn.
      const share = !this.over ? 1 : scene.joints[from]?.moves && to < scene.joints.length ? 0.7 : 0;
      const width = Math.min(0.11 * length + 0.35 * this.radius, 0.95 * this.radius) * share;
      rotation.setFromUnitVectors(Y, length > 1e-9 ? direction.divideScalar(length) : direction.copy(Y));
      bones.setMatrixAt(k, this.transform.compose(a, rotation, scale.set(width, length, width)));
    }
    const tips = scene.joints.length;
    for (let k = 0; k < this.positions.length; k += 1) {
      const moves = scene.joints[k]?.moves ?? false;
      const radius = this.radius * (k >= tips ? 0.8 : moves ? 1.15 : 0.7) * (this.over ? (moves ? 0.75 : 0.4) : 1);
      joints.setMatrixAt(k, this.transform.makeScale(radius, radius, radius).setPosition(this.positions[k]!));
    }
    bones.instanceMatrix.needsUpdate = true;
    joints.instanceMatrix.needsUpdate = true;
    if (axes.visible) this.drawAxes(axes);
  }

  /** The frame of each joint: x red, y green, z blue. */
  private drawAxes(axes: InstancedMesh): void {
    scale.set(this.radius, AXIS_LENGTH * this.radius, this.radius);
    this.matrices.forEach((matrix, k) => {
      for (let axis = 0; axis < 3; axis += 1) {
        rotation.setFromUnitVectors(Y, direction.setFromMatrixColumn(matrix, axis).normalize());
        axes.setMatrixAt(3 * k + axis, this.transform.compose(this.positions[k]!, rotation, scale));
      }
    });
    axes.instanceMatrix.needsUpdate = true;
  }

  private paint(): void {
    const { bones, joints, scene } = this;
    if (!bones || !joints || !scene) return;
    const count = scene.joints.length;
    for (let k = 0; k < scene.names.length; k += 1) joints.setColorAt(k, this.colorOf(scene, k, count));
    const idle = this.light ? COLORS.boneIdleLight : COLORS.boneIdle;
    const bone = this.light ? COLORS.boneLight : COLORS.bone;
    this.links().forEach(([from], k) => {
      bones.setColorAt(k, scene.joints[from]?.moves ? bone : idle);
    });
    if (joints.instanceColor) joints.instanceColor.needsUpdate = true;
    if (bones.instanceColor) bones.instanceColor.needsUpdate = true;
  }

  private colorOf(scene: Scene, k: number, count: number): Color {
    if (k === this.chosen) return COLORS.chosen;
    if (k === this.hovered) return COLORS.hover;
    if (this.locked.has(k)) return COLORS.locked;
    if (this.active.has(k)) return COLORS.limit;
    const moves = k < count ? scene.joints[k]?.moves : scene.joints[scene.parents[k]!]?.moves;
    return moves ? COLORS.joint : COLORS.idle;
  }
}

/** A bone of length 1 along +y, tapering towards its end. */
function boneGeometry(): BufferGeometry {
  const geometry = new CylinderGeometry(0.42, 0.95, 1, 14, 1);
  geometry.translate(0, 0.5, 0);
  return geometry;
}

/** An axis of a joint frame, of length 1 along +y. */
function axisGeometry(): BufferGeometry {
  const geometry = new CylinderGeometry(0.17, 0.17, 1, 6, 1);
  geometry.translate(0, 0.5, 0);
  return geometry;
}

/** T_world_joint of one joint: from 7 numbers (position, wxyz) or 12 (row by row). */
function matrixOf(values: Float32Array, stride: number, k: number, out: Matrix4): Matrix4 {
  const at = k * stride;
  if (stride === 12) {
    const [a, b, c, x, d, e, f, y, g, h, i, z] = values.subarray(at, at + 12) as unknown as number[];
    return out.set(a!, b!, c!, x!, d!, e!, f!, y!, g!, h!, i!, z!, 0, 0, 0, 1);
  }
  rotation.set(values[at + 4]!, values[at + 5]!, values[at + 6]!, values[at + 3]!);
  return out.compose(position.fromArray(values, at), rotation, one);
}

const rotation = new Quaternion();
const position = new Vector3();
const direction = new Vector3();
const scale = new Vector3();
const one = new Vector3(1, 1, 1);

function alike(a: Set<number>, b: Set<number>): boolean {
  return a.size === b.size && [...a].every((k) => b.has(k));
}
