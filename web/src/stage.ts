// The camera, and drawing when something has changed; one view, or two side by side.

import {
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Ray,
  Scene as World,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { type Box, fittingDistance, type Insets, partOf } from "./framing";
import type { Scene } from "./messages";
import { Surroundings } from "./surroundings";

const FIELD_OF_VIEW = 38; // degrees, from top to bottom
const NARROW = 0.85; // width to height below which the view widens, so that as much is seen sideways
const FARTHEST = 14; // sizes of the scene that the camera goes back to show what lies outside

export interface Aim {
  ray: Ray;
  /** Which of the halves the pointer is in. */
  half: number;
}

export class Stage {
  readonly world = new World();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  renderer: WebGLRenderer;
  readonly surroundings = new Surroundings();
  controls: OrbitControls;
  size = 1;
  up = new Vector3(0, 1, 0);
  /** Called before each half is drawn. */
  onHalf: (half: number) => void = () => {};
  /** Called in every animation frame, with the seconds since the last one. */
  onTick: (seconds: number) => void = () => {};
  onCamera: () => void = () => {};
  /** What lies over the view at its top and bottom [pixels]: things are framed between. */
  insets: () => Insets = () => ({ top: 0, bottom: 0 });
  drawn = 0;
  private readonly drawnSize = new Vector2();
  private halves = 1;
  private dirty = true;
  private last = 0;
  private plain: boolean;
  /** Whether the renderer that there is was made for a plain view. */
  private madePlain: boolean;
  private target = new Vector3();
  private scene: Scene | null = null;

  constructor(
    public canvas: HTMLCanvasElement,
    plain: boolean,
  ) {
    this.plain = this.madePlain = plain;
    this.renderer = newRenderer(canvas, plain);
    this.surroundings.setShadows(!plain);
    this.world.add(this.surroundings.group);
    this.controls = this.newControls();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Put the stage up for a scene. */
  setScene(scene: Scene): void {
    this.scene = scene;
    this.size = scene.size;
    this.up.set(0, scene.up === "y" ? 1 : 0, scene.up === "z" ? 1 : 0);
    const center = new Vector3(...scene.center);
    this.target.copy(center);
    this.surroundings.setScene(scene, this.up, (x, y, z) => this.oriented(x, y, z));
    this.camera.near = scene.size / 200;
    this.camera.far = scene.size * 60;
    this.camera.up.copy(this.up);
    this.frame();
    this.invalidate();
  }

  /** Look at everything from the front, a little from above and the side; at other points too. */
  home(others: Vector3[] = []): void {
    this.frame();
    const distance = Math.min(this.distanceTo(others), FARTHEST * this.size);
    this.camera.position.copy(this.target).addScaledVector(this.homeWay(), distance);
    this.renewControls(this.target);
    this.invalidate();
  }

  /** Lengths of the world that a pixel covers when everything is seen. */
  homePerPixel(): number {
    return this.perPixelAt(this.distanceTo([]));
  }

  private homeWay(): Vector3 {
    return this.scene?.flat ? this.oriented(0, 0, 1) : this.oriented(0.42, 0.36, 1).normalize();
  }

  /** How far off the camera must be to see the scene, and other points. */
  private distanceTo(others: Vector3[]): number {
    const { scene } = this;
    if (!scene) return this.size;
    const [low, high] = scene.box.map((corner) => new Vector3(...corner)) as [Vector3, Vector3];
    const points = others.map((point) => point.clone());
    for (let k = 0; k < 8; k += 1) {
      points.push(new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
    }
    for (const point of points) point.sub(this.target);
    const part = this.part(0);
    const { top, bottom } = this.insets();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const free = Math.max(part.height - top - bottom, 0.4 * part.height) / part.height;
    return fittingDistance(points, this.homeWay(), this.up, [tall * this.camera.aspect, tall * free]);
  }

  /** Put the camera where it was. */
  restoreCamera(position: number[], target: number[]): void {
    this.camera.position.fromArray(position);
    this.renewControls(new Vector3().fromArray(target));
    this.invalidate();
  }

  setHalves(count: number): void {
    if (this.halves === count) return;
    this.halves = count;
    this.resize();
  }

  get halfCount(): number {
    return this.halves;
  }

  setTheme(theme: "dark" | "light"): void {
    this.surroundings.setTheme(theme);
    this.invalidate();
  }

  /** Draw without shadows and smoothed edges, or with them; from the next frame on. */
  setQuality(plain: boolean): void {
    this.plain = plain;
    this.invalidate();
  }

  /** Have a canvas of its own for a quality: a browser smooths edges on one or does not, for good. */
  private renewRenderer(): void {
    this.madePlain = this.plain;
    const focused = document.activeElement === this.canvas;
    const { enabled, target } = this.controls;
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    this.renderer = newRenderer(canvas, this.plain);
    this.surroundings.setShadows(!this.plain);
    this.controls = this.newControls();
    this.renewControls(target.clone());
    this.controls.enabled = enabled;
    if (focused) canvas.focus({ preventScroll: true });
    this.resize();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Whether the last frame shows everything as it is now, at the size that the page has now. */
  get shown(): boolean {
    return !this.dirty && this.drawnSize.equals(this.wantedSize());
  }

  // Between pixels and the world -----------------------------------------------------------------

  private rectangle(): DOMRect {
    return this.canvas.getBoundingClientRect();
  }

  /** Where a half is on the canvas [pixels]. */
  private part(half: number): Box {
    const { x, y } = this.wantedSize();
    return partOf(half, this.halves, x, y);
  }

  /** Width and height of the view, or of each half [pixels]. */
  get viewSize(): Vector2 {
    const { width, height } = this.part(0);
    return new Vector2(width, height);
  }

  /** Whether halves lie above each other. */
  get stacked(): boolean {
    return this.halves > 1 && this.part(1).top > 0;
  }

  /** The ray under a pointer. */
  aim(clientX: number, clientY: number): Aim {
    const box = this.rectangle();
    const [left, top] = [clientX - box.left, clientY - box.top];
    const second = this.part(1);
    const half = this.halves > 1 && left >= second.left && top >= second.top ? 1 : 0;
    const part = this.part(half);
    const x = ((left - part.left) / part.width) * 2 - 1;
    const y = 1 - ((top - part.top) / part.height) * 2;
    const near = new Vector3(x, y, -1).unproject(this.camera);
    const far = new Vector3(x, y, 1).unproject(this.camera);
    return { ray: new Ray(near, far.sub(near).normalize()), half };
  }

  /** Where a point of the world is on the page, in a half; null behind the camera. */
  project(point: Vector3, half = 0): Vector2 | null {
    const box = this.rectangle();
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    const part = this.part(half);
    return new Vector2(
      box.left + part.left + ((seen.x + 1) / 2) * part.width,
      box.top + part.top + ((1 - seen.y) / 2) * part.height,
    );
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

  /** Lengths of the world that a pixel covers at a point. */
  perPixel(point: Vector3): number {
    return this.perPixelAt(point.clone().sub(this.camera.position).dot(this.forward()));
  }

  private perPixelAt(depth: number): number {
    return (2 * depth * Math.tan((this.camera.fov * Math.PI) / 360)) / this.part(0).height;
  }

  /** The canvas with the view as it is; a browser forgets what is on it with the next frame. */
  redrawn(): HTMLCanvasElement {
    this.draw();
    return this.canvas;
  }

  // Inside ---------------------------------------------------------------------------------------

  /** A direction given with y up, in the scene's own sense of up. */
  private oriented(x: number, y: number, z: number): Vector3 {
    return this.up.z > 0.5 ? new Vector3(x, -z, y) : new Vector3(x, y, z);
  }

  private newControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = false;
    controls.addEventListener("change", () => {
      // At once, not when the next frame is drawn: what is picked before that is picked with it.
      this.camera.updateMatrixWorld();
      this.invalidate();
      this.onCamera();
    });
    return controls;
  }

  private renewControls(target: Vector3): void {
    const enabled = this.controls.enabled;
    this.controls.dispose();
    this.controls = this.newControls();
    this.controls.enabled = enabled;
    this.controls.target.copy(target);
    this.controls.minDistance = this.size * 0.15;
    this.controls.maxDistance = this.size * 15;
    this.controls.update();
    this.camera.updateMatrixWorld();
  }

  private wantedSize(): Vector2 {
    const parent = this.canvas.parentElement ?? this.canvas;
    return new Vector2(Math.max(parent.clientWidth, 1), Math.max(parent.clientHeight, 1));
  }

  private resize(): void {
    const { x: width, y: height } = this.wantedSize();
    this.renderer.setPixelRatio(this.plain ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.frame();
    this.draw();
  }

  /** Have what the camera looks at in the middle of what nothing lies over. */
  frame(): void {
    const { width, height } = this.part(0);
    const { top, bottom } = this.insets();
    this.camera.aspect = width / height;
    const wider = Math.max(1, NARROW / this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(wider * Math.tan((FIELD_OF_VIEW * Math.PI) / 360));
    this.camera.setViewOffset(width, height, 0, Math.round((bottom - top) / 2), width, height);
    this.invalidate();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.onTick(seconds);
    if (this.dirty) this.draw();
  }

  private draw(): void {
    if (this.madePlain !== this.plain) return this.renewRenderer();
    this.dirty = false;
    this.camera.updateMatrixWorld();
    const size = this.renderer.getSize(this.drawnSize);
    this.renderer.setScissorTest(this.halves > 1);
    for (let half = 0; half < this.halves; half += 1) {
      this.onHalf(half);
      const { left, top, width, height } = partOf(half, this.halves, size.x, size.y);
      this.renderer.setViewport(left, size.y - top - height, width, height);
      this.renderer.setScissor(left, size.y - top - height, width, height);
      this.renderer.render(this.world, this.camera);
    }
    this.drawn += 1;
  }
}

function newRenderer(canvas: HTMLCanvasElement, plain: boolean): WebGLRenderer {
  const renderer = new WebGLRenderer({ canvas, antialias: !plain, alpha: true, powerPreference: "high-performance" });
  renderer.shadowMap.enabled = !plain;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}
