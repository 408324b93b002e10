// The source of a retargeted motion, drawn as bones beside the target.

import { type Vector3 } from "three";
import type { Packet } from "../io/frames";
import type { Scene, SourceHead } from "../io/messages";
import { disposeTree } from "./dispose";
import { Figure } from "./figure";

const FRAME_STRIDE = 7; // numbers of a joint: position and rotation

export class SourceFigure {
  readonly figure = new Figure();
  private head: SourceHead | null = null;
  private positions: Float32Array = new Float32Array();
  private samples = 0;
  private values = new Float32Array();
  private drawnIn: Scene | null = null;

  /** Take the motion of a packet. */
  take({ head, arrays }: Packet): void {
    if (head.kind !== "source") return;
    this.head = head;
    this.drawnIn = null;
    this.positions = arrays.positions!.data as Float32Array;
    [this.samples = 0] = arrays.positions!.shape;
    const count = head.parents.length;
    this.values = new Float32Array(FRAME_STRIDE * count);
    for (let k = 0; k < count; k += 1) this.values[FRAME_STRIDE * k + 3] = 1;
  }

  /** Forget the motion. */
  clear(): void {
    this.head = null;
    disposeTree(this.figure.group);
    this.figure.group.clear();
  }

  /** Draw it at a time [s], if this motion plays. */
  show(scene: Scene | null, time: number): void {
    const { head, figure } = this;
    const shown = head !== null && scene?.retargeted?.motion === head.motion && scene.motion === head.motion;
    figure.group.visible = shown;
    if (!shown) return;
    if (this.drawnIn !== scene) {
      this.drawnIn = scene;
      figure.setScene({ ...scene, names: head.parents.map(String), parents: head.parents, joints: [] }, new Set());
    }
    this.sample(head.parents.length, Math.min(time / Math.max(head.duration, 1e-9), 1));
    figure.place(this.values, FRAME_STRIDE);
  }

  /** The title of the source, and the place over its head; null if it is not shown. */
  label(up: Vector3): { title: string; at: Vector3 } | null {
    const { head, figure } = this;
    if (!head || !figure.group.visible) return null;
    const [first, ...others] = figure.positions;
    if (!first) return null;
    const at = first.clone();
    const top = others.reduce((most, place) => Math.max(most, place.dot(up)), first.dot(up));
    return { title: head.title, at: at.addScaledVector(up, top - first.dot(up)) };
  }

  /** Positions between two samples. */
  private sample(count: number, share: number): void {
    const at = share * (this.samples - 1);
    const first = Math.min(Math.floor(at), this.samples - 1);
    const second = Math.min(first + 1, this.samples - 1);
    const mix = at - first;
    for (let k = 0; k < count; k += 1) {
      for (let axis = 0; axis < 3; axis += 1) {
        const a = this.positions[3 * (first * count + k) + axis]!;
        const b = this.positions[3 * (second * count + k) + axis]!;
        this.values[FRAME_STRIDE * k + axis] = a + mix * (b - a);
      }
    }
  }
}
