// Boxes that bones keep away from; one that is touched is red.

import { BoxGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, type Ray, Vector3 } from "three";
import type { BoxSetup, Scene } from "../io/messages";
import { disposeTree } from "./dispose";

const CALM = 0x8fa3bf;
const TOUCHED = 0xff3b4e;

export class Obstacles {
  readonly group = new Group();
  private boxes: Mesh<BoxGeometry, MeshStandardMaterial>[] = [];
  private setups: readonly BoxSetup[] = [];

  setScene({ bodies }: Scene): void {
    disposeTree(this.group);
    this.group.clear();
    this.setups = bodies.avoid.on ? bodies.avoid.boxes : [];
    this.boxes = this.setups.map(({ center, size }) => {
      const geometry = new BoxGeometry(...size);
      const box = new Mesh(geometry, new MeshStandardMaterial({ color: CALM, roughness: 0.8, transparent: true, opacity: 0.82 }));
      box.position.set(...center);
      box.castShadow = box.receiveShadow = true;
      box.add(new LineSegments(new EdgesGeometry(geometry), new LineBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.35 })));
      this.group.add(box);
      return box;
    });
  }

  show(touched: number): void {
    this.boxes.forEach(({ material }, k) => material.color.set(k === touched ? TOUCHED : CALM));
  }

  /** The nearest box under a ray, with the place that it hits; null for none. */
  pick(ray: Ray): { box: number; at: Vector3 } | null {
    let best: { box: number; at: Vector3 } | null = null;
    this.boxes.forEach(({ geometry, position }, box) => {
      geometry.computeBoundingBox();
      const at = ray.intersectBox(geometry.boundingBox!.clone().translate(position), new Vector3());
      if (at && (!best || at.distanceTo(ray.origin) < best.at.distanceTo(ray.origin))) best = { box, at };
    });
    return best;
  }

  center(box: number): Vector3 {
    return this.boxes[box]!.position.clone();
  }

  /** Draw a box at another place, while it is dragged. */
  move(box: number, center: Vector3): void {
    this.boxes[box]?.position.copy(center);
  }
}
