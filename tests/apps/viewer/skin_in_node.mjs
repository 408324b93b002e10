// Skin vertices with supple.wasm: node skin_in_node.mjs KERNELS.js SUPPLE.wasm MESH.json
// MESH: {matrices, first, joint, weight, positions}, each {shape, values}. Prints the positions.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, module, file] = process.argv.slice(2);
const { Kernels, SIGNATURES, SKINNING_BLOCK } = await import(pathToFileURL(script).href);
const instance = (await Kernels.load(readFileSync(module))).instance();
const mesh = JSON.parse(readFileSync(file, "utf8"));
const placed = (name, make) => {
  const { shape, values } = mesh[name];
  return instance.place(new Uint8Array(make(values).buffer), shape);
};
const floats = (values) => Float64Array.from(values);
const integers = (values) => BigInt64Array.from(values, BigInt);
const none = { address: 0, shape: [0, 3] };
const poses = mesh.matrices.shape[0];
const count = mesh.positions.shape[0];
const out = instance.allocate([poses, count, 3]);
instance.call("kernels.skinning.blend_range", SIGNATURES["kernels.skinning.blend_range"], [
  placed("matrices", floats),
  placed("first", integers),
  placed("joint", integers),
  placed("weight", floats),
  placed("positions", floats),
  none,
  0,
  poses * Math.ceil(count / SKINNING_BLOCK),
  out,
  { address: 0, shape: [poses, 0, 3] },
])();
process.stdout.write(JSON.stringify([...instance.floats(out)]));
