// The camera, and drawing when something has changed; one view, or two side by side.

import {
  Mesh,
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
import type { Scene } from "./messages";
import { Surroundings } from "./surroundings";

const FIELD_OF_VIEW = 38; // degrees, from top to bottom
const NARROW = 0.85; // width to height below which the view widens, so that as much is seen sideways

export interface Aim {
  ray: Ray;
  /** Which of the halves the pointer is in. */
  half: number;
}

export class Stage {
  readonly world = new World();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly surroundings = new Surroundings();
  controls: OrbitControls;
  size = 1;
  up = new Vector3(0, 1, 0);
  /** Called before each half is drawn. */
  onHalf: (half: number) => void = () => {};
  /** Called in every animation frame, with the seconds since the last one. */
  onTick: (seconds: number) => void = () => {};
  onCamera: () => void = () => {};
  drawn = 0;
  private readonly drawnSize = new Vector2();
  private halves = 1;
  private dirty = true;
  private last = 0;
  private plain = false;
  private target = new Vector3();
  private pillared = false;

  /** `smooth` is for good: a browser does not change it while the page is open. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    smooth: boolean,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: smooth, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.world.add(this.surroundings.group);
    this.controls = this.newControls();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Put the stage up for a scene; the camera goes back to its place if asked to. */
  setScene(scene: Scene, moveCamera: boolean): void {
    this.size = scene.size;
    this.pillared = scene.pedestal;
    this.up.set(0, scene.up === "y" ? 1 : 0, scene.up === "z" ? 1 : 0);
    const center = new Vector3(...scene.center);
    this.target.copy(center);
    this.surroundings.setScene(scene, this.up, (x, y, z) => this.oriented(x, y, z));
    this.camera.near = scene.size / 200;
    this.camera.far = scene.size * 60;
    this.camera.updateProjectionMatrix();
    this.camera.up.copy(this.up);
    if (moveCamera) this.home(scene.flat);
    this.invalidate();
  }

  /** Look at everything from the front, a little from above and the side. */
  home(flat = false): void {
    const distance = (this.pillared ? 2.3 : 3.3) * this.size;
    const from = flat ? this.oriented(0, 0, 1) : this.oriented(0.42, 0.36, 1).normalize();
    this.camera.position.copy(this.target).addScaledVector(from, distance);
    this.renewControls(this.target);
    this.invalidate();
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

  setQuality(plain: boolean): void {
    this.plain = plain;
    this.renderer.shadowMap.enabled = !plain;
    this.surroundings.setShadows(!plain);
    this.world.traverse((object) => {
      if (object instanceof Mesh) object.material.needsUpdate = true;
    });
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

  /** The ray under a pointer. */
  aim(clientX: number, clientY: number): Aim {
    const box = this.rectangle();
    const width = box.width / this.halves;
    const half = Math.min(this.halves - 1, Math.max(0, Math.floor((clientX - box.left) / width)));
    const x = ((clientX - box.left - half * width) / width) * 2 - 1;
    const y = 1 - ((clientY - box.top) / box.height) * 2;
    const near = new Vector3(x, y, -1).unproject(this.camera);
    const far = new Vector3(x, y, 1).unproject(this.camera);
    return { ray: new Ray(near, far.sub(near).normalize()), half };
  }

  /** Where a point of the world is on the page, in a half; null behind the camera. */
  project(point: Vector3, half = 0): Vector2 | null {
    const box = this.rectangle();
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    const width = box.width / this.halves;
    return new Vector2(
      box.left + half * width + ((seen.x + 1) / 2) * width,
      box.top + ((1 - seen.y) / 2) * box.height,
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
    const depth = point.clone().sub(this.camera.position).dot(this.forward());
    const tall = 2 * depth * Math.tan((this.camera.fov * Math.PI) / 360);
    return tall / Math.max(this.rectangle().height, 1);
  }

  /** The view as it is, on the page's background. */
  async picture(background: [string, string]): Promise<Blob> {
    this.draw();
    const source = this.canvas;
    const copy = document.createElement("canvas");
    copy.width = source.width;
    copy.height = source.height;
    const pen = copy.getContext("2d");
    if (!pen) throw new Error("this browser cannot make pictures");
    const fill = pen.createLinearGradient(0, 0, 0, copy.height);
    fill.addColorStop(0, background[0]);
    fill.addColorStop(1, background[1]);
    pen.fillStyle = fill;
    pen.fillRect(0, 0, copy.width, copy.height);
    pen.drawImage(source, 0, 0);
    return new Promise((resolve, reject) =>
      copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
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
    this.camera.aspect = width / this.halves / height;
    const wider = Math.max(1, NARROW / this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(wider * Math.tan((FIELD_OF_VIEW * Math.PI) / 360));
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.onTick(seconds);
    if (this.dirty) this.draw();
  }

  private draw(): void {
    this.dirty = false;
    this.camera.updateMatrixWorld();
    const size = this.renderer.getSize(this.drawnSize);
    const width = size.x / this.halves;
    this.renderer.setScissorTest(this.halves > 1);
    for (let half = 0; half < this.halves; half += 1) {
      this.onHalf(half);
      this.renderer.setViewport(half * width, 0, width, size.y);
      this.renderer.setScissor(half * width, 0, width, size.y);
      this.renderer.render(this.world, this.camera);
    }
    this.drawn += 1;
  }
}

