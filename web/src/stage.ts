// Camera, lights, ground, and drawing when something has changed; one view, or two side by side.

import {
  AmbientLight,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Quaternion,
  Ray,
  Scene as World,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "./messages";

const FIELD_OF_VIEW = 38; // degrees, from top to bottom
const NARROW = 0.85; // width to height below which the view widens, so that as much is seen sideways
const GROUND_RADIUS = 6; // sizes of the scene
const SHADOW_PIXELS = 1024;

export interface Aim {
  ray: Ray;
  /** Which of the halves the pointer is in. */
  half: number;
}

interface Palette {
  line: number;
  disc: number;
  shadow: number;
  sky: number;
  earth: number;
  pedestal: number;
}

const PALETTES: Record<"dark" | "light", Palette> = {
  dark: { line: 0x86a3cf, disc: 0x222d40, shadow: 0.5, sky: 0xdfeaff, earth: 0x2a3040, pedestal: 0x4a566b },
  light: { line: 0x9fb0c6, disc: 0xfafcff, shadow: 0.26, sky: 0xffffff, earth: 0xc9d3e0, pedestal: 0xb5c0cf },
};

export class Stage {
  readonly world = new World();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
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
  private palette = PALETTES.dark;
  private readonly key = new DirectionalLight(0xffffff, 2.3);
  private readonly rim = new DirectionalLight(0x9fc4ff, 0.9);
  private readonly sky = new HemisphereLight(0xffffff, 0x444444, 1.25);
  private readonly ground = new Group();
  private readonly grid: Mesh<CircleGeometry, ShaderMaterial>;
  private readonly catcher: Mesh<CircleGeometry, ShadowMaterial>;
  private readonly pedestal: Mesh<CylinderGeometry, MeshStandardMaterial>;
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
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.02;
    this.world.add(this.key, this.key.target, this.rim, this.rim.target, this.sky, new AmbientLight(0xffffff, 0.25));
    this.grid = new Mesh(new CircleGeometry(1, 72), gridMaterial());
    this.catcher = new Mesh(new CircleGeometry(1, 72), new ShadowMaterial({ opacity: 0.4 }));
    this.catcher.receiveShadow = true;
    this.catcher.renderOrder = 1;
    this.pedestal = new Mesh(
      new CylinderGeometry(0.6, 1, 1, 48),
      new MeshStandardMaterial({ roughness: 0.65, metalness: 0.1 }),
    );
    this.pedestal.castShadow = true;
    this.pedestal.receiveShadow = true;
    this.ground.add(this.grid, this.catcher);
    this.world.add(this.ground, this.pedestal);
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
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const foot = center.clone().addScaledVector(this.up, scene.ground - center.dot(this.up));
    this.ground.quaternion.copy(turn);
    this.ground.position.copy(foot);
    this.ground.scale.setScalar(GROUND_RADIUS * scene.size);
    this.grid.material.uniforms.cell!.value = cellSize(scene.size) / (GROUND_RADIUS * scene.size);
    this.catcher.position.z = 0.0002;
    this.key.shadow.camera.left = this.key.shadow.camera.bottom = -1.7 * scene.size;
    this.key.shadow.camera.right = this.key.shadow.camera.top = 1.7 * scene.size;
    this.key.shadow.camera.near = 0.1 * scene.size;
    this.key.shadow.camera.far = 8 * scene.size;
    this.key.shadow.camera.updateProjectionMatrix();
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(this.oriented(0.9, 2.6, 1.5).multiplyScalar(scene.size));
    this.rim.target.position.copy(center);
    this.rim.position.copy(center).add(this.oriented(-1.6, 1.1, -1.9).multiplyScalar(scene.size));
    this.sky.position.copy(this.up);
    this.camera.near = scene.size / 200;
    this.camera.far = scene.size * 60;
    this.camera.up.copy(this.up);
    if (moveCamera) this.home(scene.flat);
    this.invalidate();
  }

  /** A pillar under the root of a chain, or none. */
  setPedestal(root: Vector3 | null): void {
    this.pedestal.visible = root !== null;
    if (!root) return;
    const height = root.clone().sub(this.ground.position).dot(this.up);
    this.pedestal.visible = height > 0;
    const width = 0.04 * this.size;
    this.pedestal.scale.set(width, Math.max(height, 1e-6), width);
    this.pedestal.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    this.pedestal.position.copy(root).addScaledVector(this.up, -height / 2);
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
    this.palette = PALETTES[theme];
    this.grid.material.uniforms.line!.value = new Color(this.palette.line);
    this.grid.material.uniforms.disc!.value = new Color(this.palette.disc);
    this.catcher.material.opacity = this.palette.shadow;
    this.sky.color.set(this.palette.sky);
    this.sky.groundColor.set(this.palette.earth);
    this.pedestal.material.color.set(this.palette.pedestal);
    this.invalidate();
  }

  setQuality(plain: boolean): void {
    this.plain = plain;
    this.renderer.shadowMap.enabled = !plain;
    this.key.castShadow = !plain;
    this.catcher.visible = !plain;
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

/** A round number of about a tenth of a length. */
function cellSize(size: number): number {
  const rough = size / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = rough / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/** Thin lines that fade towards the horizon, on a disc. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      line: { value: new Color(0x6f88ad) },
      disc: { value: new Color(0x1c2534) },
      cell: { value: 0.05 },
    },
    vertexShader: `
      varying vec2 place;
      void main() {
        place = position.xy;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 line;
      uniform vec3 disc;
      uniform float cell;
      varying vec2 place;
      float lines(vec2 p, float width) {
        vec2 slope = max(fwidth(p), vec2(1e-5));
        vec2 near = abs(fract(p - 0.5) - 0.5) / slope;
        float seen = 1.0 - min(min(near.x, near.y) / width, 1.0);
        return seen * clamp(0.6 / max(slope.x, slope.y), 0.0, 1.0);
      }
      void main() {
        float far = length(place);
        float fade = pow(clamp(1.0 - far, 0.0, 1.0), 1.6);
        float fine = lines(place / cell, 1.1) * 0.38;
        float coarse = lines(place / (5.0 * cell), 1.4) * 0.55;
        float ink = max(fine, coarse);
        vec3 color = mix(disc, line, ink);
        float body = 0.55 * fade;
        gl_FragColor = vec4(color, clamp(max(body, ink * fade), 0.0, 1.0));
        #include <colorspace_fragment>
      }`,
  });
}

export function matrixOf(values: Float32Array, stride: number, k: number, out: Matrix4): Matrix4 {
  const at = k * stride;
  const v = (i: number) => values[at + i] ?? 0;
  if (stride === 12) {
    return out.set(v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7), v(8), v(9), v(10), v(11), 0, 0, 0, 1);
  }
  rotation.set(v(4), v(5), v(6), v(3));
  return out.compose(position.set(v(0), v(1), v(2)), rotation, one);
}

const rotation = new Quaternion();
const position = new Vector3();
const one = new Vector3(1, 1, 1);
