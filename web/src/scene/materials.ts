// How surfaces look: colours, images, normal maps.

import {
  Color,
  DoubleSide,
  FrontSide,
  MeshStandardMaterial,
  NoColorSpace,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
  type ColorSpace,
} from "three";
import type { Packet, PacketArray } from "../io/frames";
import type { MeshHead } from "../io/messages";

/** The material of a mesh; its images come later, when they have been read, which `onReady` tells. */
export function materialOf(head: MeshHead, arrays: Packet["arrays"], onReady: () => void): MeshStandardMaterial {
  const [r, g, b, a] = head.color;
  const material = new MeshStandardMaterial({
    color: new Color().setRGB(r, g, b),
    emissive: new Color().setRGB(...head.emissive),
    opacity: a,
    roughness: Math.max(head.roughness, 0.25),
    metalness: Math.min(head.metallic, 0.6),
    side: head.double_sided ? DoubleSide : FrontSide,
    vertexColors: Boolean(arrays.colors),
    transparent: head.alpha === "BLEND",
    alphaTest: head.alpha === "MASK" ? head.cutoff : 0,
  });
  const put = async (image: PacketArray | undefined, type: string, space: ColorSpace, to: "map" | "normalMap") => {
    const texture = image && (await textureOf(image.data as Uint8Array<ArrayBuffer>, type, space));
    if (!texture) return; // none, or one that this browser cannot read: the colour has to do
    material[to] = texture;
    material.needsUpdate = true;
    onReady();
  };
  void put(arrays.texture, head.texture_type, SRGBColorSpace, "map");
  // Tangents are told from the texture coordinates, which run down: so does the map's green.
  material.normalScale.y = -1;
  if (arrays.texcoords) void put(arrays.normal_map, head.normal_map_type, NoColorSpace, "normalMap");
  return material;
}

async function textureOf(bytes: Uint8Array<ArrayBuffer>, type: string, space: ColorSpace): Promise<Texture | null> {
  try {
    const options: ImageBitmapOptions = { colorSpaceConversion: "none", premultiplyAlpha: "none" };
    const texture = new Texture(await createImageBitmap(new Blob([bytes], { type }), options));
    texture.flipY = false;
    texture.colorSpace = space;
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.anisotropy = 4;
    texture.needsUpdate = true;
    return texture;
  } catch {
    return null;
  }
}

/** Let go of a material and its images. */
export function forget(material: MeshStandardMaterial): void {
  material.map?.dispose();
  material.normalMap?.dispose();
  material.dispose();
}
