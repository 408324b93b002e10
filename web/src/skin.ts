// Meshes on the stage. Skinning runs on the GPU with every weight that a vertex has: the weights lie
// in one texture, a run for each vertex, and the joints' matrices in another.

import {
  BufferAttribute,
  BufferGeometry,
  ClampToEdgeWrapping,
  Color,
  DataTexture,
  DoubleSide,
  FloatType,
  FrontSide,
  Group,
  Matrix4,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  NearestFilter,
  RGBAFormat,
  RGFormat,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
  type Material,
} from "three";
import type { Packet } from "./frames";
import type { MeshHead } from "./messages";

const WEIGHTS_WIDE = 1024;
const MATRICES_WIDE = 768; // a multiple of three: a matrix is three texels in one row

const PREAMBLE = `
uniform highp sampler2D jointMatrices;
uniform highp sampler2D jointWeights;
attribute vec2 influence; // where the vertex's weights begin, and how many there are
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

export class Skins {
  readonly group = new Group();
  private skinned: Skinned[] = [];
  private rigid: { mesh: Mesh; joint: number }[] = [];
  private revision = 0;
  onReady: () => void = () => {};

  get count(): number {
    return this.skinned.length + this.rigid.length;
  }

  clear(): void {
    for (const { mesh } of [...this.skinned, ...this.rigid]) {
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
      mesh.removeFromParent();
    }
    for (const { matrices } of this.skinned) matrices.dispose();
    this.skinned = [];
    this.rigid = [];
  }

  add({ arrays, head }: Packet): void {
    if (head.kind !== "mesh") return;
    // Meshes of another scene take the place of all that are there.
    if (head.revision !== this.revision) this.clear();
    this.revision = head.revision;
    const geometry = new BufferGeometry();
    const attribute = (from: string, to: string, size: number) => {
      const array = arrays[from];
      if (array) geometry.setAttribute(to, new BufferAttribute(array.data, size));
    };
    attribute("positions", "position", 3);
    attribute("normals", "normal", 3);
    attribute("texcoords", "uv", 2);
    attribute("colors", "color", arrays.colors?.shape[1] ?? 4);
    geometry.setIndex(new BufferAttribute(Uint32Array.from(arrays.faces!.data), 1));
    if (!arrays.normals) geometry.computeVertexNormals();
    const material = this.materialOf(head, arrays);
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    if (arrays.first) this.addSkin(mesh, material, { arrays, head }, head);
    else this.rigid.push({ mesh, joint: head.joint });
  }

  private materialOf(head: MeshHead, arrays: Packet["arrays"]): MeshStandardMaterial {
    const [r, g, b, a] = head.color;
    const material = new MeshStandardMaterial({
      color: new Color().setRGB(r, g, b),
      opacity: a,
      roughness: Math.max(head.roughness, 0.25),
      metalness: Math.min(head.metallic, 0.6),
      side: head.double_sided ? DoubleSide : FrontSide,
      vertexColors: Boolean(arrays.colors),
      transparent: head.alpha === "BLEND",
      alphaTest: head.alpha === "MASK" ? 0.5 : 0,
    });
    const image = arrays.texture;
    if (image) void this.addTexture(material, image.data as Uint8Array, head.texture_type);
    return material;
  }

  private async addTexture(material: MeshStandardMaterial, bytes: Uint8Array, type: string): Promise<void> {
    try {
      const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
      const texture = new Texture(await createImageBitmap(blob));
      texture.flipY = false;
      texture.colorSpace = SRGBColorSpace;
      texture.wrapS = texture.wrapT = RepeatWrapping;
      texture.anisotropy = 4;
      texture.needsUpdate = true;
      material.map = texture;
      material.needsUpdate = true;
      this.onReady();
    } catch {
      // an image that this browser cannot read: the colour has to do
    }
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

  /** Follow a pose. */
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
    for (const { mesh, joint } of this.rigid) {
      const frame = frames[joint];
      if (!frame) continue;
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(frame);
    }
  }

  setOpacity(opacity: number): void {
    for (const { mesh } of [...this.skinned, ...this.rigid]) {
      const material = mesh.material as MeshStandardMaterial;
      material.transparent = opacity < 1 || material.transparent;
      material.opacity = opacity;
    }
  }
}

function patch(material: Material, matrices: DataTexture, weights: DataTexture): void {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.jointMatrices = { value: matrices };
    shader.uniforms.jointWeights = { value: weights };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${PREAMBLE}`)
      .replace(
        "#include <beginnormal_vertex>",
        "#include <beginnormal_vertex>\n  objectNormal = normalize(mat3(skinOfVertex()) * objectNormal);",
      )
      .replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\n  transformed = (skinOfVertex() * vec4(transformed, 1.0)).xyz;",
      );
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
