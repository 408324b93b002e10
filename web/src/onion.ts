// Onion skin: where a motion was and will be, as thin figures.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments } from "three";
import type { Packet } from "./frames";

const BEFORE = 0xff9d5c;
const AFTER = 0x6fcbff;
const EACH_SIDE = 3;
const APART = 0.12; // seconds between figures

export class Onion {
  readonly group = new Group();
  private positions: Float32Array = new Float32Array();
  private frames = 0;
  private count = 0;
  private duration = 0;
  private figures: LineSegments<BufferGeometry, LineBasicMaterial>[] = [];

  take({ arrays, head }: Packet): void {
    if (head.kind !== "motion") return;
    this.positions = arrays.positions!.data as Float32Array;
    [this.frames = 0, this.count = 0] = arrays.positions!.shape;
    this.duration = head.duration;
  }

  show(time: number, links: [number, number][], visible: boolean): void {
    this.group.visible = visible && this.frames > 1 && links.length > 0;
    if (!this.group.visible) return;
    const steps = [...Array(2 * EACH_SIDE).keys()].map((k) => (k < EACH_SIDE ? k - EACH_SIDE : k - EACH_SIDE + 1));
    steps.forEach((step, k) => {
      const figure = (this.figures[k] ??= this.figure(step));
      const at = time + step * APART;
      figure.visible = at >= 0 && at <= this.duration;
      if (!figure.visible) return;
      const frame = Math.round((at / this.duration) * (this.frames - 1));
      const points = new Float32Array(6 * links.length);
      links.forEach(([from, to], link) => {
        for (let axis = 0; axis < 3; axis += 1) {
          points[6 * link + axis] = this.positions[3 * (frame * this.count + from) + axis]!;
          points[6 * link + 3 + axis] = this.positions[3 * (frame * this.count + to) + axis]!;
        }
      });
      figure.geometry.setAttribute("position", new BufferAttribute(points, 3));
    });
  }

  private figure(step: number): LineSegments<BufferGeometry, LineBasicMaterial> {
    const opacity = 0.75 / Math.abs(step);
    const material = new LineBasicMaterial({ color: step < 0 ? BEFORE : AFTER, transparent: true, opacity });
    const figure = new LineSegments(new BufferGeometry(), material);
    figure.frustumCulled = false;
    this.group.add(figure);
    return figure;
  }
}
