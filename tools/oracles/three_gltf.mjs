// Where three.js has the vertices of glTF files: at rest, and at six times of every clip.
//
//   node three_gltf.mjs OUT.json FILE.gltf...        (files with their data inside, without images)

import fs from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class {};
const [, , out, ...files] = process.argv;
const found = {};

function vertices(scene) {
  scene.updateMatrixWorld(true);
  const meshes = [];
  const place = new THREE.Vector3();
  scene.traverse((one) => {
    if (!one.isMesh) return;
    if (one.skeleton) one.skeleton.update();
    const positions = [];
    for (let i = 0; i < one.geometry.attributes.position.count; i++) {
      one.getVertexPosition(i, place);
      place.applyMatrix4(one.matrixWorld);
      positions.push(place.x, place.y, place.z);
    }
    meshes.push(positions);
  });
  return meshes;
}

for (const file of files) {
  const gltf = await new Promise((done, failed) =>
    new GLTFLoader().parse(fs.readFileSync(file, "utf8"), "", done, failed),
  );
  const clips = [];
  const rest = vertices(gltf.scene);
  for (const clip of gltf.animations) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const frames = [];
    for (const share of [0, 0.13, 0.37, 0.5, 0.777, 0.95]) {
      mixer.setTime(clip.duration * share);
      frames.push({ time: clip.duration * share, meshes: vertices(gltf.scene) });
    }
    action.stop();
    mixer.uncacheRoot(gltf.scene);
    clips.push(frames);
  }
  found[file] = { rest, clips };
}
fs.writeFileSync(out, JSON.stringify(found));
