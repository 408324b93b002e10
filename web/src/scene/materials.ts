// Materials of meshes: colours, images, normal maps.

import { Color, DoubleSide, FrontSide, MeshStandardMaterial, NoColorSpace, RepeatWrapping, SRGBColorSpace, Texture, type ColorSpace } from "three";
import type { Packet, PacketArray } from "../io/frames";
import type { MeshHead } from "../io/messages";

/** A material, and when all its images have been decoded. */
interface Loading {
  material: MeshStandardMaterial;
  loaded: Promise<unknown>;
}

/** The material of a mesh. Images are added once decoded, if the material is still `used` then. */
export function materialOf(head: MeshHead, arrays: Packet["arrays"], used: () => boolean): Loading {
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
    if (!texture) return; // none, or one that this browser cannot decode: the colour is used
    if (!used()) {
      closeImage(texture);
      return;
    }
    material[to] = texture;
    material.needsUpdate = true;
  };
  // Texture coordinates run downwards, and tangents are derived from them: flip the map's green.
  material.normalScale.y = -1;
  const normals = arrays.texcoords ? arrays.normal_map : undefined;
  const loaded = Promise.all([put(arrays.texture, head.texture_type, SRGBColorSpace, "map"), put(normals, head.normal_map_type, NoColorSpace, "normalMap")]);
  return { material, loaded };
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

/** Free the decoded images of a material that is not used again. */
export function closeImages({ map, normalMap }: MeshStandardMaterial): void {
  for (const texture of [map, normalMap]) if (texture) closeImage(texture);
}

function closeImage(texture: Texture): void {
  (texture.image as ImageBitmap).close();
}
