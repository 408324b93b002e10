// The renderer: draws when something has changed, one view or two halves.

import { PCFShadowMap, Scene as World, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "../io/messages";
import { disposeTree } from "./dispose";
import { Environment } from "./environment";
import { type Insets, partOf } from "./framing";
import { ViewCamera, type ViewName } from "./view_camera";

const FARTHEST_CAMERA = 14; // sizes of the scene

export interface StageEvents {
  /** Heights that other elements cover. */
  insets(): Insets;
  /** Called in every animation frame, with the seconds since the last one. */
  tick(seconds: number): void;
  /** Called before a half is drawn. */
  beforeHalf(half: number): void;
  /** Called when a frame has been drawn; the canvas is empty again after that. */
  drawn(canvas: HTMLCanvasElement): void;
  /** Called when the user has moved the camera. */
  cameraMoved(): void;
}

export class Stage extends ViewCamera {
  readonly world = new World();
  readonly environment = new Environment();
  /** Number of frames drawn. */
  drawn = 0;
  private webgl: WebGLRenderer;
  private orbit: OrbitControls;
  private readonly drawnSize = new Vector2();
  private dirty = true;
  private last = 0;
  private plain: boolean;
  /** The quality that the renderer was made for. */
  private madePlain: boolean;

  constructor(
    private surface: HTMLCanvasElement,
    plain: boolean,
    private readonly events: StageEvents,
  ) {
    super(() => events.insets());
    this.plain = this.madePlain = plain;
    this.webgl = newRenderer(surface, plain);
    this.environment.setShadows(!plain);
    this.world.add(this.environment.group);
    this.orbit = this.newControls();
    new ResizeObserver(() => this.resize()).observe(surface.parentElement ?? surface);
  }

  /** Begin to draw. */
  start(): void {
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  get canvas(): HTMLCanvasElement {
    return this.surface;
  }

  get renderer(): WebGLRenderer {
    return this.webgl;
  }

  get controls(): OrbitControls {
    return this.orbit;
  }

  /** Switch turning the view with the pointer on or off. */
  enableControls(enabled: boolean): void {
    this.orbit.enabled = enabled;
  }

  /** Fit camera and environment to a scene. */
  setScene(scene: Scene): void {
    this.lookAt(scene);
    this.environment.setScene(scene, this.up, (x, y, z) => this.oriented(x, y, z));
    this.invalidate();
  }

  /** Move the camera home, so that the scene and other points are in view. */
  home(others: Vector3[] = [], from = this.homeDirection()): void {
    this.frame();
    const distance = Math.min(this.distanceTo(others, from), FARTHEST_CAMERA * this.size);
    const target = this.target.clone().add(this.displacement);
    this.camera.position.copy(target).addScaledVector(from, distance);
    this.renewControls(target);
    this.invalidate();
  }

  /** See the scene and other points from a side. */
  lookFrom(name: ViewName, others: Vector3[]): void {
    this.home(others, this.viewDirection(name));
    this.events.cameraMoved();
  }

  /** Move the camera to a kept position. */
  restoreCamera(position: readonly number[], target: readonly number[]): void {
    this.camera.position.fromArray(position).add(this.displacement);
    this.renewControls(new Vector3().fromArray(target).add(this.displacement));
    this.invalidate();
  }

  /** Move the camera and its target by an offset from where the scene has them. */
  follow(offset: Vector3): void {
    const step = offset.clone().sub(this.displacement);
    if (step.lengthSq() === 0) return;
    this.displacement.copy(offset);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.camera.updateMatrixWorld();
    this.environment.follow(offset);
    this.invalidate();
  }

  setHalves(count: number): void {
    if (this.halves === count) return;
    this.halves = count;
    this.resize();
  }

  setTheme(theme: "dark" | "light"): void {
    this.environment.setTheme(theme);
    this.invalidate();
  }

  /** Switch shadows and antialiasing off or on, from the next frame on. */
  setQuality(plain: boolean): void {
    this.plain = plain;
    this.invalidate();
  }

  /** Replace canvas and renderer: antialiasing is fixed for the life of a WebGL context. */
  private renewRenderer(): void {
    this.madePlain = this.plain;
    const focused = document.activeElement === this.canvas;
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    disposeTree(this.world);
    this.webgl.dispose();
    this.webgl.forceContextLoss();
    this.surface.replaceWith(canvas);
    this.surface = canvas;
    this.webgl = newRenderer(canvas, this.plain);
    this.environment.setShadows(!this.plain);
    this.renewControls(this.controls.target.clone());
    if (focused) canvas.focus({ preventScroll: true });
    this.resize();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** True if the last frame is up to date, in content and size. */
  get shown(): boolean {
    return !this.dirty && this.drawnSize.equals(this.wantedSize());
  }

  /** The canvas, drawn just now: the browser clears it with the next frame. */
  redrawn(): HTMLCanvasElement {
    this.draw();
    return this.canvas;
  }

  // Inside ---------------------------------------------------------------------------------------

  private newControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = false;
    controls.addEventListener("change", () => {
      // Not in the next frame: the pointer may pick before that.
      this.camera.updateMatrixWorld();
      this.invalidate();
      this.events.cameraMoved();
    });
    return controls;
  }

  private renewControls(target: Vector3): void {
    const enabled = this.controls.enabled;
    this.controls.dispose();
    this.orbit = this.newControls();
    this.controls.enabled = enabled;
    this.controls.target.copy(target);
    this.controls.minDistance = this.size * 0.15;
    this.controls.maxDistance = this.size * 15;
    this.controls.update();
    this.camera.updateMatrixWorld();
  }

  private resize(): void {
    this.resized();
    const { x: width, y: height } = this.wantedSize();
    this.renderer.setPixelRatio(this.plain ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.frame();
    this.draw();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.events.tick(seconds);
    if (this.dirty) this.draw();
  }

  private draw(): void {
    if (this.madePlain !== this.plain) return this.renewRenderer();
    this.dirty = false;
    this.camera.updateMatrixWorld();
    const size = this.renderer.getSize(this.drawnSize);
    this.renderer.setScissorTest(this.halves > 1);
    for (let half = 0; half < this.halves; half += 1) {
      this.events.beforeHalf(half);
      const { left, top, width, height } = partOf(half, this.halves, size.x, size.y);
      this.renderer.setViewport(left, size.y - top - height, width, height);
      this.renderer.setScissor(left, size.y - top - height, width, height);
      this.renderer.render(this.world, this.camera);
    }
    this.drawn += 1;
    this.events.drawn(this.canvas);
  }
}

function newRenderer(canvas: HTMLCanvasElement, plain: boolean): WebGLRenderer {
  const renderer = new WebGLRenderer({ canvas, antialias: !plain, alpha: true, powerPreference: "high-performance" });
  renderer.shadowMap.enabled = !plain;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}
