// The camera: its framing, and conversion between pixels and world positions.

import { PerspectiveCamera, Plane, Ray, Vector2, Vector3 } from "three";
import { type Box, fittingDistance, type Insets, partOf } from "./framing";
import type { Scene } from "../io/messages";

const FIELD_OF_VIEW = 38; // degrees, from top to bottom
const NARROW_ASPECT = 0.85; // aspect ratio below which the field of view widens, to show as much horizontally

export type ViewName = "front" | "side" | "top";

/** Directions towards the camera, with y up. */
const VIEWS: Record<ViewName, [number, number, number]> = { front: [0, 0, 1], side: [1, 0, 0], top: [0, 1, 1e-3] };

export interface Aim {
  ray: Ray;
  /** The half that the pointer is in. */
  half: number;
}

export abstract class ViewCamera {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly up = new Vector3(0, 1, 0);
  abstract get canvas(): HTMLCanvasElement;
  /** The scene's radius. */
  size = 1;
  protected halves = 1;
  /** Center of the scene. */
  protected readonly target = new Vector3();
  /** Displacement of the camera that follows a figure. */
  readonly displacement = new Vector3();
  private scene: Scene | null = null;
  private measured: DOMRect | null = null;

  /** `insets` are covered by other elements: the scene is framed between them. */
  constructor(private readonly insets: () => Insets) {}

  protected lookAt(scene: Scene): void {
    this.scene = scene;
    this.size = scene.size;
    this.up.set(0, scene.up === "y" ? 1 : 0, scene.up === "z" ? 1 : 0);
    this.target.set(...scene.center);
    this.camera.near = scene.size / 200;
    this.camera.far = scene.size * 60;
    this.camera.up.copy(this.up);
    this.frame();
  }

  /** Center the scene in the uncovered part of the view. */
  frame(): void {
    const { width, height } = this.part(0);
    const { top, bottom } = this.insets();
    this.camera.aspect = width / height;
    const wider = Math.max(1, NARROW_ASPECT / this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(wider * Math.tan((FIELD_OF_VIEW * Math.PI) / 360));
    this.camera.setViewOffset(width, height, 0, Math.round((bottom - top) / 2), width, height);
  }

  get halfCount(): number {
    return this.halves;
  }

  // Framing ----------------------------------------------------------------------------------------

  /** World length of a pixel when the whole scene is in view. */
  homePerPixel(): number {
    return this.perPixelAt(this.distanceTo([]));
  }

  /** Unit vector towards the camera's home: in front, a little above and to the side. */
  protected homeDirection(): Vector3 {
    return this.scene?.flat ? this.oriented(0, 0, 1) : this.oriented(0.42, 0.36, 1).normalize();
  }

  /** Unit vector towards the camera in a view. */
  protected viewDirection(name: ViewName): Vector3 {
    return this.oriented(...VIEWS[name]).normalize();
  }

  /** Camera distance that shows the scene and other points. */
  protected distanceTo(others: Vector3[], from = this.homeDirection()): number {
    const { scene } = this;
    if (!scene) return this.size;
    const [low, high] = scene.box.map((corner) => new Vector3(...corner)) as [Vector3, Vector3];
    const points = others.map((point) => point.clone().sub(this.displacement));
    for (let k = 0; k < 8; k += 1) {
      points.push(new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
    }
    for (const point of points) point.sub(this.target);
    const part = this.part(0);
    const { top, bottom } = this.insets();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const free = Math.max(part.height - top - bottom, 0.4 * part.height) / part.height;
    return fittingDistance(points, from, this.up, [tall * this.camera.aspect, tall * free]);
  }

  /** A direction given with y up, converted to the scene's up axis. */
  protected oriented(x: number, y: number, z: number): Vector3 {
    if (this.up.z < 0.5) return new Vector3(x, y, z);
    return this.scene?.front === "x" ? new Vector3(z, x, y) : new Vector3(x, -z, y);
  }

  // Pixels and world positions ---------------------------------------------------------------------

  /** Size of the element around the canvas [pixels]. */
  protected wantedSize(): Vector2 {
    const parent = this.canvas.parentElement ?? this.canvas;
    return new Vector2(Math.max(parent.clientWidth, 1), Math.max(parent.clientHeight, 1));
  }

  /** The canvas on the page; measured once per size, as reading it lays out the page anew. */
  private rectangle(): DOMRect {
    return (this.measured ??= this.canvas.getBoundingClientRect());
  }

  /** Measure the canvas anew. */
  protected resized(): void {
    this.measured = null;
  }

  /** Rectangle of a half on the canvas [pixels]. */
  protected part(half: number): Box {
    const { width, height } = this.rectangle();
    return partOf(half, this.halves, Math.max(width, 1), Math.max(height, 1));
  }

  /** Size of the view, or of each half [pixels]. */
  get viewSize(): Vector2 {
    const { width, height } = this.part(0);
    return new Vector2(width, height);
  }

  /** Rectangles of the parts on the canvas [pixels]. */
  get parts(): Box[] {
    return Array.from({ length: this.halves }, (_, half) => this.part(half));
  }

  /** The part of the grid that none of the parts needs; null if they fill it. */
  get freePart(): Box | null {
    const { x, y } = this.wantedSize();
    const { left, top, width, height } = partOf(this.halves, this.halves, x, y);
    return left + width <= x + 1 && top + height <= y + 1 ? { left, top, width, height } : null;
  }

  /** The ray under a pointer. */
  aim(clientX: number, clientY: number): Aim {
    const box = this.rectangle();
    const [left, top] = [clientX - box.left, clientY - box.top];
    const half = this.partAt(left, top);
    const part = this.part(half);
    const x = ((left - part.left) / part.width) * 2 - 1;
    const y = 1 - ((top - part.top) / part.height) * 2;
    const near = new Vector3(x, y, -1).unproject(this.camera);
    const far = new Vector3(x, y, 1).unproject(this.camera);
    return { ray: new Ray(near, far.sub(near).normalize()), half };
  }

  /** The part that contains a place on the canvas. */
  private partAt(x: number, y: number): number {
    for (let half = 0; half < this.halves; half += 1) {
      const { left, top, width, height } = this.part(half);
      if (x >= left && x < left + width && y >= top && y < top + height) return half;
    }
    return 0;
  }

  /** Page position of a world position, in a half; null behind the camera. */
  project(point: Vector3, half = 0): Vector2 | null {
    const box = this.rectangle();
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    const part = this.part(half);
    return new Vector2(box.left + part.left + ((seen.x + 1) / 2) * part.width, box.top + part.top + ((1 - seen.y) / 2) * part.height);
  }

  /** The plane through a point that faces the camera. */
  viewPlane(point: Vector3): Plane {
    return new Plane().setFromNormalAndCoplanarPoint(this.forward().negate(), point);
  }

  forward(): Vector3 {
    return this.camera.getWorldDirection(new Vector3());
  }

  right(): Vector3 {
    return new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
  }

  above(): Vector3 {
    return new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
  }

  /** World length of a pixel at a point. */
  perPixel(point: Vector3): number {
    return this.perPixelAt(point.clone().sub(this.camera.position).dot(this.forward()));
  }

  private perPixelAt(depth: number): number {
    return (2 * depth * Math.tan((this.camera.fov * Math.PI) / 360)) / this.part(0).height;
  }
}
