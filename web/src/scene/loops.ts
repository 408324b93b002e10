// Loops: the two points that are held together, and a line between them while they are apart.

import {
  BufferAttribute,
  BufferGeometry,
  Group,
  Line,
  LineBasicMaterial,
  type Matrix4,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import type { LoopSetup, Scene } from "../io/messages";
import { disposeTree } from "./dispose";

const CLOSED = 0xc58bff;
const OPEN = 0xff4d5e;
const POINT_RADIUS = 0.02; // sizes of the scene
const OPEN_DISTANCE = 1e-3; // sizes of the scene: points that are farther apart are joined by a line

interface Drawn {
  loop: LoopSetup;
  a: number;
  b: number;
  ring: Mesh<TorusGeometry, MeshBasicMaterial>;
  ball: Mesh<SphereGeometry, MeshBasicMaterial>;
  line: Line<BufferGeometry, LineBasicMaterial>;
  ends: BufferAttribute;
}

export class LoopMarks {
  readonly group = new Group();
  private drawn: Drawn[] = [];
  private radius = 1;
  private size = 1;
  private readonly from = new Vector3();
  private readonly to = new Vector3();

  setScene(scene: Scene): void {
    disposeTree(this.group);
    this.group.clear();
    this.size = scene.size;
    this.radius = POINT_RADIUS * scene.size;
    this.drawn = [...scene.loops, ...scene.bodies.loops].map((loop) => this.mark(loop, scene.names));
  }

  private mark(loop: LoopSetup, names: readonly string[]): Drawn {
    const look = { color: CLOSED, depthTest: false, transparent: true, opacity: 0.9 };
    const ring = new Mesh(new TorusGeometry(this.radius, 0.28 * this.radius, 8, 32), new MeshBasicMaterial(look));
    const ball = new Mesh(new SphereGeometry(0.45 * this.radius, 16, 12), new MeshBasicMaterial(look));
    const ends = new BufferAttribute(new Float32Array(6), 3);
    const line = new Line(new BufferGeometry().setAttribute("position", ends), new LineBasicMaterial({ color: OPEN, depthTest: false, transparent: true }));
    for (const part of [ring, ball, line]) {
      part.frustumCulled = false;
      part.renderOrder = 6;
    }
    this.group.add(ring, ball, line);
    return { loop, a: names.indexOf(loop.a), b: names.indexOf(loop.b), ring, ball, line, ends };
  }

  /** Draw them in a pose, the rings towards the camera. */
  show(matrices: readonly Matrix4[], camera: { quaternion: Mesh["quaternion"] }): void {
    for (const { loop, a, b, ring, ball, line, ends } of this.drawn) {
      const [one, other] = [matrices[a], matrices[b]];
      ring.visible = ball.visible = line.visible = one !== undefined && other !== undefined;
      if (!one || !other) continue;
      ring.position.copy(this.from.set(...loop.point_a).applyMatrix4(one));
      ball.position.copy(this.to.set(...loop.point_b).applyMatrix4(other));
      ring.quaternion.copy(camera.quaternion);
      line.visible = this.from.distanceTo(this.to) > OPEN_DISTANCE * this.size;
      const color = line.visible ? OPEN : CLOSED;
      ring.material.color.set(color);
      ball.material.color.set(color);
      if (!line.visible) continue;
      ends.setXYZ(0, this.from.x, this.from.y, this.from.z).setXYZ(1, this.to.x, this.to.y, this.to.z);
      ends.needsUpdate = true;
    }
  }
}
