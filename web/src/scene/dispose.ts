// Freeing GPU memory: three.js frees it only on request, not when an object leaves the scene.

import { InstancedMesh, type DirectionalLight, type Material, type Mesh, type Object3D, Texture } from "three";

/**
 * Free the buffers, shaders, textures and shadow maps of an object and everything in it.
 *
 * Textures are found in the materials' properties and in their `userData`. The objects stay usable: what is drawn
 * again is uploaded again.
 */
export function disposeTree(root: Object3D): void {
  root.traverse((part) => {
    const { geometry, material, customDepthMaterial } = part as Partial<Mesh>;
    geometry?.dispose();
    for (const one of [material, customDepthMaterial].flat()) if (one) disposeMaterial(one);
    if (part instanceof InstancedMesh) part.dispose();
    (part as Partial<DirectionalLight>).shadow?.dispose();
  });
}

function disposeMaterial(material: Material): void {
  for (const value of [...Object.values(material), ...Object.values(material.userData)]) {
    if (value instanceof Texture) value.dispose();
  }
  material.dispose();
}
