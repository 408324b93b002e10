// Around the figure: the ground with its grid, lights and shadows, a pillar under a chain.

import {
  AmbientLight,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  Vector3,
} from "three";
import type { Scene } from "../io/messages";

const GROUND_RADIUS = 6; // sizes of the scene
const SHADOW_PIXELS = 1024;

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

export class Environment {
  readonly group = new Group();
  private size = 1;
  private readonly up = new Vector3(0, 1, 0);
  /** Point on the ground below the scene's center. */
  private readonly foot = new Vector3();
  private readonly key = new DirectionalLight(0xffffff, 2.3);
  private readonly rim = new DirectionalLight(0x9fc4ff, 0.9);
  private readonly sky = new HemisphereLight(0xffffff, 0x444444, 1.25);
  private readonly lights = new Group();
  private readonly ground = new Group();
  private readonly grid = new Mesh(new CircleGeometry(1, 72), gridMaterial());
  private readonly catcher = new Mesh(new CircleGeometry(1, 72), new ShadowMaterial({ opacity: 0.4 }));
  private readonly pedestal = new Mesh(new CylinderGeometry(0.6, 1, 1, 48), new MeshStandardMaterial({ roughness: 0.65, metalness: 0.1 }));

  constructor() {
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.02;
    this.catcher.receiveShadow = true;
    this.catcher.renderOrder = 1;
    this.pedestal.castShadow = true;
    this.pedestal.receiveShadow = true;
    this.ground.add(this.grid, this.catcher);
    this.lights.add(this.key, this.key.target, this.rim, this.rim.target);
    this.group.add(this.lights, this.sky, new AmbientLight(0xffffff, 0.25), this.ground, this.pedestal);
  }

  /** Fit everything to a scene; `oriented` converts a direction given with y up to the scene's up axis. */
  setScene(scene: Scene, up: Vector3, oriented: (x: number, y: number, z: number) => Vector3): void {
    this.size = scene.size;
    this.up.copy(up);
    const center = new Vector3(...scene.center);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    const foot = center.clone().addScaledVector(up, scene.ground - center.dot(up));
    this.foot.copy(foot);
    this.ground.quaternion.copy(turn);
    this.ground.scale.setScalar(GROUND_RADIUS * scene.size);
    this.grid.material.uniforms.cell!.value = cellSize(scene.size) / (GROUND_RADIUS * scene.size);
    this.catcher.position.z = 0.0002;
    this.key.shadow.camera.left = this.key.shadow.camera.bottom = -1.7 * scene.size;
    this.key.shadow.camera.right = this.key.shadow.camera.top = 1.7 * scene.size;
    this.key.shadow.camera.near = 0.1 * scene.size;
    this.key.shadow.camera.far = 8 * scene.size;
    this.key.shadow.camera.updateProjectionMatrix();
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(oriented(0.9, 2.6, 1.5).multiplyScalar(scene.size));
    this.rim.target.position.copy(center);
    this.rim.position.copy(center).add(oriented(-1.6, 1.1, -1.9).multiplyScalar(scene.size));
    this.sky.position.copy(up);
    this.follow(this.lights.position);
  }

  /** Move lights and ground by an offset from the scene's center; the grid lines stay. */
  follow(offset: Vector3): void {
    this.lights.position.copy(offset);
    this.ground.position.copy(this.foot).add(offset);
    const local = offset.clone().applyQuaternion(this.ground.quaternion.clone().invert()).divideScalar(this.ground.scale.x);
    this.grid.material.uniforms.shift!.value.set(local.x, local.y);
  }

  /** Draw a pillar under the root of a chain, or none. */
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

  setTheme(theme: "dark" | "light"): void {
    const palette = PALETTES[theme];
    this.grid.material.uniforms.line!.value = new Color(palette.line);
    this.grid.material.uniforms.disc!.value = new Color(palette.disc);
    this.catcher.material.opacity = palette.shadow;
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.earth);
    this.pedestal.material.color.set(palette.pedestal);
  }

  setShadows(on: boolean): void {
    this.key.castShadow = on;
    this.catcher.visible = on;
  }
}

/** The size of a cell of the grid: a round number of about a fifth of a length. */
export function cellSize(size: number): number {
  const rough = size / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = rough / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/** Grid lines on a disc that fade towards its edge. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      line: { value: new Color(0x6f88ad) },
      disc: { value: new Color(0x1c2534) },
      cell: { value: 0.05 },
      shift: { value: new Vector2() },
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
      uniform vec2 shift;
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
        float fine = lines((place + shift) / cell, 1.1) * 0.38;
        float coarse = lines((place + shift) / (5.0 * cell), 1.4) * 0.55;
        float ink = max(fine, coarse);
        vec3 color = mix(disc, line, ink);
        float body = 0.55 * fade;
        gl_FragColor = vec4(color, clamp(max(body, ink * fade), 0.0, 1.0));
        #include <colorspace_fragment>
      }`,
  });
}
