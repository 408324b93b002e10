// Onion skin: thin figures before and after the current time; and discs under the feet in contact.

import { BufferAttribute, BufferGeometry, CircleGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { Packet } from "../io/frames";
import { disposeTree } from "./dispose";

const BEFORE = 0xff9d5c;
const AFTER = 0x6fcbff;
const STANDS = 0x3fd28b;
const EACH_SIDE = 3; // figures before and after
const FIGURE_SPACING = 0.12; // [s] between figures

export class OnionSkin {
  readonly group = new Group();
  /** Discs under the feet in contact. */
  readonly feet = new Group();
  private positions: Float32Array = new Float32Array();
  private frames = 0;
  private count = 0;
  private duration = 0;
  private standing: number[] = [];
  private contacts: ArrayLike<number> = [];
  private readonly marks: Mesh<CircleGeometry, MeshBasicMaterial>[] = [];
  private readonly figures: LineSegments<BufferGeometry, LineBasicMaterial>[] = [];

  /** Forget the motion. */
  clear(): void {
    this.positions = new Float32Array();
    this.frames = this.count = 0;
    this.standing = [];
    disposeTree(this.group);
    disposeTree(this.feet);
  }

  /** Take the motion of a packet. */
  take({ arrays, head }: Packet): void {
    if (head.kind !== "motion") return;
    this.positions = arrays.positions!.data as Float32Array;
    [this.frames = 0, this.count = 0] = arrays.positions!.shape;
    this.duration = head.duration;
    this.standing = head.feet;
    this.contacts = arrays.contacts!.data;
  }

  show(time: number, links: readonly [number, number][], visible: boolean): void {
    this.group.visible = visible && this.frames > 1 && links.length > 0;
    if (!this.group.visible) return;
    const steps = [...Array(2 * EACH_SIDE).keys()].map((k) => (k < EACH_SIDE ? k - EACH_SIDE : k - EACH_SIDE + 1));
    steps.forEach((step, k) => {
      const figure = (this.figures[k] ??= this.figure(step));
      const at = time + step * FIGURE_SPACING;
      figure.visible = at >= 0 && at <= this.duration;
      if (!figure.visible) return;
      const frame = Math.round((at / this.duration) * (this.frames - 1));
      const points = pointsOf(figure.geometry, 2 * links.length);
      links.forEach(([from, to], link) => {
        for (let axis = 0; axis < 3; axis += 1) {
          points[6 * link + axis] = this.positions[3 * (frame * this.count + from) + axis]!;
          points[6 * link + 3 + axis] = this.positions[3 * (frame * this.count + to) + axis]!;
        }
      });
    });
  }

  showContacts(time: number, places: Vector3[], up: Vector3, ground: number, size: number, visible: boolean): void {
    this.feet.visible = visible && this.frames > 1;
    if (!this.feet.visible) return;
    const frame = Math.min(Math.round((time / Math.max(this.duration, 1e-9)) * (this.frames - 1)), this.frames - 1);
    this.standing.forEach((foot, k) => {
      const mark = (this.marks[k] ??= this.mark());
      const place = places[foot];
      mark.visible = place !== undefined && this.contacts[frame * this.standing.length + k] === 1;
      if (!mark.visible || !place) return;
      mark.position.copy(place).addScaledVector(up, ground - place.dot(up) + 0.003 * size);
      mark.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
      mark.scale.setScalar(0.05 * size);
    });
    this.marks.slice(this.standing.length).forEach((mark) => {
      mark.visible = false;
    });
  }

  private mark(): Mesh<CircleGeometry, MeshBasicMaterial> {
    const material = new MeshBasicMaterial({ color: STANDS, transparent: true, opacity: 0.55, depthWrite: false });
    const mark = new Mesh(new CircleGeometry(1, 32), material);
    mark.renderOrder = 2;
    this.feet.add(mark);
    return mark;
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

/** The coordinates of a geometry's points, to be written; reallocated only if their number has changed. */
function pointsOf(geometry: BufferGeometry, count: number): Float32Array {
  let attribute = geometry.getAttribute("position") as BufferAttribute | undefined;
  if (attribute?.count !== count) {
    geometry.dispose();
    attribute = new BufferAttribute(new Float32Array(3 * count), 3);
    geometry.setAttribute("position", attribute);
  }
  attribute.needsUpdate = true;
  return attribute.array as Float32Array;
}
