// Skinned and rigid meshes. Skinning runs on the GPU with all weights of a vertex: one texture holds the weights, a
// run for each vertex, another one the joints' matrices.

import {
  BufferAttribute,
  BufferGeometry,
  ClampToEdgeWrapping,
  DataTexture,
  FloatType,
  Group,
  Matrix4,
  Mesh,
  MeshDepthMaterial,
  NearestFilter,
  RGBAFormat,
  RGFormat,
  type Material,
  type MeshStandardMaterial,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Packet, PacketArray } from "../io/frames";
import { disposeTree } from "./dispose";
import { closeImages, materialOf } from "./materials";
import type { MeshHead } from "../io/messages";

const WEIGHTS_WIDE = 1024;
const CREASE_ANGLE = Math.PI / 6; // [rad]: sharper bends are edges, in meshes without normals
const MOST_CREASED = 300_000; // corners of triangles up to which edges are looked for
const MATRICES_WIDE = 768; // a multiple of three: a matrix is three texels in one row

const PREAMBLE = `
uniform highp sampler2D jointMatrices;
uniform highp sampler2D jointWeights;
attribute vec2 influence; // index of the vertex's first weight, number of weights
mat4 skinOfVertex() {
  vec4 a = vec4(0.0), b = vec4(0.0), c = vec4(0.0);
  int begin = int(influence.x + 0.5), count = int(influence.y + 0.5);
  for (int k = begin; k < begin + count; k++) {
    vec2 one = texelFetch(jointWeights, ivec2(k % ${WEIGHTS_WIDE}, k / ${WEIGHTS_WIDE}), 0).xy;
    int at = 3 * int(one.x + 0.5);
    ivec2 texel = ivec2(at % ${MATRICES_WIDE}, at / ${MATRICES_WIDE});
    a += one.y * texelFetch(jointMatrices, texel, 0);
    b += one.y * texelFetch(jointMatrices, texel + ivec2(1, 0), 0);
    c += one.y * texelFetch(jointMatrices, texel + ivec2(2, 0), 0);
  }
  return transpose(mat4(a, b, c, vec4(0.0, 0.0, 0.0, 1.0)));
}
`;

interface Skinned {
  mesh: Mesh;
  head: MeshHead;
  binds: Matrix4[];
  matrices: DataTexture;
}

/** A morph target of a mesh. */
export interface MorphTarget {
  mesh: string;
  name: string;
  /** Weight at rest. */
  weight: number;
}

export class Skins {
  readonly group = new Group();
  private skinned: Skinned[] = [];
  private rigid: { mesh: Mesh; head: MeshHead }[] = [];
  private revision = 0;
  private pending = 0;
  /** Number of times the meshes were replaced. */
  private generation = 0;

  /** `changed` is called when an image has been decoded. */
  constructor(private readonly changed: () => void) {}

  /** True while images are being decoded. */
  get loading(): boolean {
    return this.pending > 0;
  }

  get count(): number {
    return this.skinned.length + this.rigid.length;
  }

  clear(): void {
    disposeTree(this.group);
    this.group.clear();
    for (const { mesh } of this.all) closeImages(mesh.material as MeshStandardMaterial);
    this.generation += 1;
    this.skinned = [];
    this.rigid = [];
  }

  private get all(): { mesh: Mesh; head: MeshHead }[] {
    return [...this.skinned, ...this.rigid];
  }

  /** The morph targets of all meshes. */
  get morphTargets(): MorphTarget[] {
    return this.all.flatMap(({ head }) => head.morphs.map((name, k) => ({ mesh: head.name, name, weight: head.weights[k] ?? 0 })));
  }

  /** Set the weights of morph targets: those of a motion, else those set by hand, else those at rest. */
  setMorphs(played: Record<string, number[]>, set: Readonly<Record<string, number>>): void {
    for (const { mesh, head } of this.all) {
      const { morphTargetInfluences: influences } = mesh;
      if (!influences) continue;
      head.morphs.forEach((name, k) => {
        influences[k] = played[head.name]?.[k] ?? set[name] ?? head.weights[k] ?? 0;
      });
    }
  }

  add({ arrays, head }: Packet): void {
    if (head.kind !== "mesh") return;
    // Meshes of another scene replace all meshes.
    if (head.revision !== this.revision) this.clear();
    this.revision = head.revision;
    const { generation } = this;
    const { material, loaded } = materialOf(head, arrays, () => generation === this.generation);
    this.pending += 1;
    void loaded.finally(() => {
      this.pending -= 1;
      this.changed();
    });
    const mesh = new Mesh(geometryOf(arrays), material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.updateMorphTargets();
    this.group.add(mesh);
    if (arrays.first) this.addSkin(mesh, material, { arrays, head }, head);
    else this.rigid.push({ mesh, head });
    this.setMorphs({}, {});
  }

  private addSkin(mesh: Mesh, material: MeshStandardMaterial, { arrays }: Packet, head: MeshHead): void {
    const first = arrays.first!.data;
    const vertices = first.length - 1;
    const influence = new Float32Array(2 * vertices);
    for (let v = 0; v < vertices; v += 1) {
      influence[2 * v] = first[v]!;
      influence[2 * v + 1] = first[v + 1]! - first[v]!;
    }
    mesh.geometry.setAttribute("influence", new BufferAttribute(influence, 2));
    const weights = weightTexture(arrays.joint!.data, arrays.weight!.data);
    const matrices = matrixTexture(head.joints.length);
    const rows = arrays.binds!.data;
    const binds = head.joints.map((_, k) => {
      const r = rows.slice(12 * k, 12 * k + 12);
      return new Matrix4().set(r[0]!, r[1]!, r[2]!, r[3]!, r[4]!, r[5]!, r[6]!, r[7]!, r[8]!, r[9]!, r[10]!, r[11]!, 0, 0, 0, 1);
    });
    const depth = new MeshDepthMaterial();
    for (const one of [material, depth]) patch(one, matrices, weights);
    mesh.customDepthMaterial = depth;
    this.skinned.push({ mesh, head, binds, matrices });
  }

  /** Move the meshes to a pose, given as T_world_joint. */
  follow(frames: Matrix4[]): void {
    const product = new Matrix4();
    for (const { head, binds, matrices } of this.skinned) {
      const data = matrices.image.data as Float32Array;
      head.joints.forEach((joint, k) => {
        const frame = frames[joint];
        if (!frame) return;
        const e = product.multiplyMatrices(frame, binds[k]!).elements;
        for (let row = 0; row < 3; row += 1) {
          for (let column = 0; column < 4; column += 1) data[12 * k + 4 * row + column] = e[4 * column + row]!;
        }
      });
      matrices.needsUpdate = true;
    }
    for (const { mesh, head } of this.rigid) {
      const frame = frames[head.joint];
      if (!frame) continue;
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(frame);
    }
  }
}

function geometryOf(arrays: Packet["arrays"]): BufferGeometry {
  const geometry = new BufferGeometry();
  const attribute = (from: PacketArray | undefined, to: string, size: number) => {
    if (from) geometry.setAttribute(to, new BufferAttribute(from.data, size));
  };
  attribute(arrays.positions, "position", 3);
  attribute(arrays.normals, "normal", 3);
  attribute(arrays.texcoords, "uv", 2);
  attribute(arrays.colors, "color", arrays.colors?.shape[1] ?? 4);
  const faces = arrays.faces!.data;
  geometry.setIndex(new BufferAttribute(Uint32Array.from(faces), 1));
  if (arrays.morph_positions) {
    geometry.morphTargetsRelative = true;
    geometry.morphAttributes.position = slices(arrays.morph_positions);
    if (arrays.morph_normals) geometry.morphAttributes.normal = slices(arrays.morph_normals);
  }
  if (arrays.normals) return geometry;
  const single = !arrays.first && !arrays.morph_positions; // vertices may be duplicated
  if (single && faces.length <= MOST_CREASED) return toCreasedNormals(geometry, CREASE_ANGLE);
  geometry.computeVertexNormals();
  return geometry;
}

/** An attribute for each morph target. */
function slices({ data, shape }: PacketArray): BufferAttribute[] {
  const size = 3 * shape[1]!;
  return [...Array(shape[0]).keys()].map((k) => new BufferAttribute(data.subarray(k * size, (k + 1) * size), 3));
}

/** Have a material skin its vertices. */
function patch(material: Material, matrices: DataTexture, weights: DataTexture): void {
  material.userData = { matrices, weights }; // disposed of with the material
  material.onBeforeCompile = (shader) => {
    shader.uniforms.jointMatrices = { value: matrices };
    shader.uniforms.jointWeights = { value: weights };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${PREAMBLE}`)
      .replace("#include <skinnormal_vertex>", "objectNormal = normalize(mat3(skinOfVertex()) * objectNormal);")
      .replace("#include <skinning_vertex>", "transformed = (skinOfVertex() * vec4(transformed, 1.0)).xyz;");
  };
  material.customProgramCacheKey = () => "supple-skin";
}

function weightTexture(joints: ArrayLike<number>, weights: ArrayLike<number>): DataTexture {
  const height = Math.max(1, Math.ceil(joints.length / WEIGHTS_WIDE));
  const data = new Float32Array(2 * WEIGHTS_WIDE * height);
  for (let k = 0; k < joints.length; k += 1) {
    data[2 * k] = joints[k]!;
    data[2 * k + 1] = weights[k]!;
  }
  return plainTexture(new DataTexture(data, WEIGHTS_WIDE, height, RGFormat, FloatType));
}

function matrixTexture(joints: number): DataTexture {
  const height = Math.max(1, Math.ceil((3 * joints) / MATRICES_WIDE));
  const data = new Float32Array(4 * MATRICES_WIDE * height);
  return plainTexture(new DataTexture(data, MATRICES_WIDE, height, RGBAFormat, FloatType));
}

function plainTexture(texture: DataTexture): DataTexture {
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
