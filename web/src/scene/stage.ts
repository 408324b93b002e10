// Drawing when something has changed: one view, or two side by side.

import { PCFShadowMap, Scene as World, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { partOf } from "./framing";
import type { Scene } from "../io/messages";
import { Sight } from "./view_camera";
import { Surroundings } from "./environment";

const FARTHEST = 14; // sizes of the scene that the camera goes back to show what lies outside

export class Stage extends Sight {
  readonly world = new World();
  renderer: WebGLRenderer;
  readonly surroundings = new Surroundings();
  controls: OrbitControls;
  /** Called before each half is drawn. */
  onHalf: (half: number) => void = () => {};
  /** Called in every animation frame, with the seconds since the last one. */
  onTick: (seconds: number) => void = () => {};
  onCamera: () => void = () => {};
  drawn = 0;
  private readonly drawnSize = new Vector2();
  private dirty = true;
  private last = 0;
  private plain: boolean;
  /** Whether the renderer that there is was made for a plain view. */
  private madePlain: boolean;

  constructor(
    public canvas: HTMLCanvasElement,
    plain: boolean,
  ) {
    super();
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
    this.lookAt(scene);
    this.surroundings.setScene(scene, this.up, (x, y, z) => this.oriented(x, y, z));
    this.invalidate();
  }

  /** Look at everything from the front, a little from above and the side; at other points too. */
  home(others: Vector3[] = []): void {
    this.frame();
    const distance = Math.min(this.distanceTo(others), FARTHEST * this.size);
    const target = this.target.clone().add(this.gone);
    this.camera.position.copy(target).addScaledVector(this.homeWay(), distance);
    this.renewControls(target);
    this.invalidate();
  }

  /** Put the camera where it was. */
  restoreCamera(position: number[], target: number[]): void {
    this.camera.position.fromArray(position).add(this.gone);
    this.renewControls(new Vector3().fromArray(target).add(this.gone));
    this.invalidate();
  }

  /** Go along with what is looked at: so far from where the scene has it. */
  follow(offset: Vector3): void {
    const way = offset.clone().sub(this.gone);
    if (way.lengthSq() === 0) return;
    this.gone.copy(offset);
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.camera.updateMatrixWorld();
    this.surroundings.follow(offset);
    this.invalidate();
  }

  setHalves(count: number): void {
    if (this.halves === count) return;
    this.halves = count;
    this.resize();
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
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    this.renderer = newRenderer(canvas, this.plain);
    this.surroundings.setShadows(!this.plain);
    this.renewControls(this.controls.target.clone());
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

  /** The canvas with the view as it is; a browser forgets what is on it with the next frame. */
  redrawn(): HTMLCanvasElement {
    this.draw();
    return this.canvas;
  }

  // Inside ---------------------------------------------------------------------------------------

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

  private resize(): void {
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
