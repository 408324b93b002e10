// The capsules that stand for bones in collisions; those of two bones that touch are red.

import { CapsuleGeometry, Group, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import type { CapsuleInfo } from "../io/messages";
import { disposeTree } from "./dispose";

const CALM = { color: 0x5aa9ff, transparent: true, opacity: 0.3, depthWrite: false, roughness: 0.6 };
const TOUCHING = { color: 0xff3b4e, transparent: true, opacity: 0.62, depthWrite: false, roughness: 0.5, emissive: 0x5a0810 };
const ONE = new Vector3(1, 1, 1);
const Y = new Vector3(0, 1, 0);

interface Drawn {
  joint: number;
  /** T_joint_capsule. */
  local: Matrix4;
  mesh: Mesh;
}

export class Capsules {
  readonly group = new Group();
  private drawn: Drawn[] = [];
  private readonly calm = new MeshStandardMaterial(CALM);
  private readonly touching = new MeshStandardMaterial(TOUCHING);

  setCapsules(capsules: readonly CapsuleInfo[]): void {
    disposeTree(this.group);
    this.group.clear();
    this.drawn = capsules.map(({ joint, a, b, radius }) => {
      const [from, to] = [new Vector3(...a), new Vector3(...b)];
      const axis = to.clone().sub(from);
      const length = axis.length();
      const turn = new Quaternion().setFromUnitVectors(Y, length > 0 ? axis.divideScalar(length) : Y);
      const mesh = new Mesh(new CapsuleGeometry(radius, length, 8, 20, 1), this.calm);
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 3;
      this.group.add(mesh);
      return { joint, local: new Matrix4().compose(from.add(to).multiplyScalar(0.5), turn, ONE), mesh };
    });
  }

  /** Draw the capsules in a pose: all, or those of the joints that touch only. */
  show(matrices: readonly Matrix4[], touching: readonly number[], all: boolean): void {
    for (const { joint, local, mesh } of this.drawn) {
      const touches = touching.includes(joint);
      const frame = matrices[joint];
      mesh.visible = frame !== undefined && (all || touches);
      if (!mesh.visible || !frame) continue;
      mesh.material = touches ? this.touching : this.calm;
      mesh.matrix.multiplyMatrices(frame, local);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
