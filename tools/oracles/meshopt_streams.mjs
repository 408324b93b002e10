// Streams of EXT_meshopt_compression and KHR_meshopt_compression that npm's meshoptimizer encodes, with
// what it decodes them to: every version, level, channel mode, rotation, index codec and filter.
//
//   npm install meshoptimizer@1.3.0
//   node meshopt_streams.mjs tests/apps/formats/gltf/meshopt_streams.json

import crypto from "node:crypto";
import fs from "node:fs";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";

await MeshoptEncoder.ready;
await MeshoptDecoder.ready;
const text = (bytes) => Buffer.from(bytes).toString("base64");
const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const rows = [];

function add(name, mode, count, stride, stream, filter = "NONE") {
  const out = new Uint8Array(count * stride);
  MeshoptDecoder.decodeGltfBuffer(out, count, stride, stream, mode, filter);
  // What filters make is rounded, so it is kept whole; a hash will do for the rest.
  const result = filter === "NONE"
    ? { sha256: crypto.createHash("sha256").update(out).digest("hex") }
    : { decoded: text(out) };
  rows.push({ name, mode, filter, count, stride, stream: text(stream), ...result });
}

// A fixed sequence of numbers from 0 to 1, so that the file comes out the same again.
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

const content = {
  floats: (count, stride) =>
    bytes(Float32Array.from({ length: (count * stride) / 4 }, (_, i) => Math.sin(i / 9) * 3)),
  fixed: (count, stride) => // floats that share their exponent and low bits: rotated XOR is best
    bytes(Float32Array.from({ length: (count * stride) / 4 }, (_, i) => 1 + ((i * 37) % 128) / 256)),
  pairs: (count, stride) =>
    bytes(Uint16Array.from({ length: (count * stride) / 2 }, (_, i) => 30000 + 20000 * Math.sin(i / 7))),
  waves: (count, stride) =>
    Uint8Array.from({ length: count * stride }, (_, i) => 128 + 100 * Math.sin(i / 5)),
  noise: (count, stride) => Uint8Array.from({ length: count * stride }, () => random() * 256),
  still: (count, stride) => Uint8Array.from({ length: count * stride }, (_, i) => (i % stride) * 7),
  rare: (count, stride) =>
    Uint8Array.from({ length: count * stride }, (_, i) => (random() < 0.1 ? random() * 256 : i % stride)),
};
for (const version of [0, 1]) {
  for (const level of version ? [0, 1, 2, 3] : [2]) {
    for (const [what, make] of Object.entries(content)) {
      for (const [count, stride] of [[1, 4], [37, 12], ...(level === 2 ? [[261, 4]] : [])]) {
        const stream = MeshoptEncoder.encodeVertexBufferLevel(make(count, stride), count, stride, level, version);
        add(`${what} ${count}x${stride} v${version} level ${level}`, "ATTRIBUTES", count, stride, stream);
      }
    }
  }
}
// Three blocks of the widest element, of which the last is short.
add("wide", "ATTRIBUTES", 66, 256, MeshoptEncoder.encodeVertexBufferLevel(content.still(66, 256), 66, 256, 3, 1));
// The encoder chooses few channel modes: the last bytes of a stream say them, so put each there.
for (const channel of [0, 1, ...Array.from({ length: 16 }, (_, turn) => 2 + 16 * turn)]) {
  const stream = MeshoptEncoder.encodeVertexBufferLevel(content.floats(21, 8), 21, 8, 2, 1);
  stream.set([channel, 2], stream.length - 2);
  add(`channel ${channel}`, "ATTRIBUTES", 21, 8, stream);
}

const corners = { strip: [], fan: [], far: [], loose: [], again: [] };
for (let i = 0; i < 20; i++) {
  corners.strip.push(...(i % 2 ? [i + 1, i, i + 2] : [i, i + 1, i + 2]));
  corners.fan.push(0, i + 1, i + 2);
  corners.far.push(i * 1000, i * 1000 + 2, 65000 - i);
  corners.loose.push(3 * i, 3 * i + 1, 3 * i + 2);
  corners.again.push(i % 3, (i + 5) % 7, 10 + (i % 4));
}
for (const [what, list] of Object.entries(corners)) {
  for (const [stride, array] of [[2, Uint16Array.from(list)], [4, Uint32Array.from(list, (i) => (what === "far" ? i * 65000 : i))]]) {
    const raw = bytes(array);
    const pack = (mode) => MeshoptEncoder.encodeGltfBuffer(raw, list.length, stride, mode);
    add(`${what} ${stride}`, "TRIANGLES", list.length, stride, pack("TRIANGLES"));
    add(`${what} ${stride}`, "INDICES", list.length, stride, pack("INDICES"));
  }
}

const directions = Float32Array.from({ length: 4 * 24 }, () => 2 * random() - 1);
for (let i = 0; i < directions.length; i += 4) {
  const size = Math.hypot(...directions.subarray(i, i + 3));
  directions.set(Array.from(directions.subarray(i, i + 3), (x) => x / size), i);
}
directions.set([1, 0, 0, 1, 0, -1, 0, -1, 0, 0, -1, 0, 0, 0, 1, 1, -0.6, 0, -0.8, 1]);
const turns = Float32Array.from(directions);
for (let i = 0; i < turns.length; i += 4) {
  const size = Math.hypot(...turns.subarray(i, i + 4));
  turns.set(Array.from(turns.subarray(i, i + 4), (x) => x / size), i);
}
const colors = Float32Array.from({ length: 4 * 24 }, () => random());
colors.set([1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0.5]);
const numbers = Float32Array.from({ length: 3 * 24 }, (_, i) => (2 * random() - 1) * 10 ** ((i % 13) - 6));
numbers.set([0, -0, 1]);
for (const version of [0, 1]) {
  const filtered = (name, filter, stride, raw) =>
    add(`${name} v${version}`, "ATTRIBUTES", 24, stride,
      MeshoptEncoder.encodeGltfBuffer(raw, 24, stride, "ATTRIBUTES", version), filter);
  for (const [stride, bits] of [[4, 8], [4, 5], [8, 16], [8, 11]]) {
    filtered(`normals of ${bits} bits`, "OCTAHEDRAL", stride, MeshoptEncoder.encodeFilterOct(directions, 24, stride, bits));
    filtered(`colours of ${bits} bits`, "COLOR", stride, MeshoptEncoder.encodeFilterColor(colors, 24, stride, bits));
  }
  for (const bits of [16, 12, 6]) {
    filtered(`quaternions of ${bits} bits`, "QUATERNION", 8, MeshoptEncoder.encodeFilterQuat(turns, 24, 8, bits));
  }
  for (const how of ["Separate", "SharedVector", "SharedComponent", "Clamped"]) {
    for (const bits of [24, 15]) {
      filtered(`${how} floats of ${bits} bits`, "EXPONENTIAL", 12, MeshoptEncoder.encodeFilterExp(numbers, 24, 12, bits, how));
    }
  }
}
fs.writeFileSync(process.argv[2], `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
