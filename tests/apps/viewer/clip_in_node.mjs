// Solve a whole clip with supple_clips.wasm: node clip_in_node.mjs KERNELS.js SUPPLE_CLIPS.wasm CLIP.json
// CLIP: {signature, arrays: {name: {shape, bytes: base64}}, order: [name], calls: [[entry, settings]], frames}.
// Prints the poses.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, module, file] = process.argv.slice(2);
const { Kernels } = await import(pathToFileURL(script).href);
const instance = (await Kernels.load(readFileSync(module))).instance();
const { signature, arrays, order, calls, frames } = JSON.parse(readFileSync(file, "utf8"));
const placed = Object.fromEntries(
  order.map((name) => {
    const { shape, bytes } = arrays[name];
    return [name, instance.place(new Uint8Array(Buffer.from(bytes, "base64")), shape)];
  }),
);
placed.out = instance.allocate(arrays.out.shape);
const given = order.map((name) => placed[name]);
for (const [entry, settings] of calls) {
  const numbers = instance.place(new Uint8Array(Float64Array.from(settings).buffer), [settings.length]);
  const size = instance.allocate([1]);
  instance.call(entry, signature, [...given, numbers, placed.out, size, 0, 0])();
  const work = instance.allocate([instance.floats(size)[0]]);
  instance.call(entry, signature, [...given, numbers, placed.out, work, 0, frames])();
}
process.stdout.write(JSON.stringify([...instance.floats(placed.poses)]));
