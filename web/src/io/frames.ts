// Decoding of the binary frames that src/supple/apps/viewer/messages/binary.py writes.

import type { PacketHead, Report } from "./messages";

export interface PoseFrame {
  seq: number;
  revision: number;
  slot: number;
  /** Numbers per joint: 7 (position, wxyz) or 12 (T_world_joint, row by row). */
  stride: number;
  count: number;
  iterations: number;
  reached: boolean;
  error: number;
  orientationError: number;
  micros: number;
  values: Float32Array;
  report: Report;
}

export type NumberArray = Float32Array | Int32Array | Uint8Array;

export interface PacketArray {
  shape: number[];
  data: NumberArray;
}

export interface Packet {
  head: PacketHead;
  arrays: Record<string, PacketArray>;
}

const POSE = 1;
const PACKET = 2;
const HEADER_BYTES = 48;
const text = new TextDecoder();

export function decode(buffer: ArrayBuffer): PoseFrame | Packet {
  const view = new DataView(buffer);
  const kind = view.getUint32(0, true);
  if (kind === POSE) return decodePose(buffer, view);
  if (kind === PACKET) return decodePacket(buffer, view);
  throw new Error(`unknown frame ${kind}`);
}

export function isPose(frame: PoseFrame | Packet): frame is PoseFrame {
  return "slot" in frame;
}

function decodePose(buffer: ArrayBuffer, view: DataView): PoseFrame {
  const word = (k: number) => view.getUint32(4 * k, true);
  const real = (k: number) => view.getFloat32(4 * k, true);
  const stride = word(4);
  const count = word(5);
  const tail = HEADER_BYTES + 4 * stride * count;
  return {
    seq: word(1),
    revision: word(2),
    slot: word(3),
    stride,
    count,
    iterations: word(6),
    reached: word(7) === 1,
    error: real(8),
    orientationError: real(9),
    micros: real(10),
    values: new Float32Array(buffer, HEADER_BYTES, stride * count),
    report: JSON.parse(text.decode(new Uint8Array(buffer, tail, word(11)))) as Report,
  };
}

function decodePacket(buffer: ArrayBuffer, view: DataView): Packet {
  const length = view.getUint32(4, true);
  const described = JSON.parse(text.decode(new Uint8Array(buffer, 8, length))) as {
    head: PacketHead;
    arrays: { name: string; kind: string; shape: number[]; offset: number }[];
  };
  const arrays: Record<string, PacketArray> = {};
  for (const { name, kind, shape, offset } of described.arrays) {
    const size = shape.reduce((a, b) => a * b, 1);
    const at = 8 + length + offset;
    const data = kind === "f4" ? new Float32Array(buffer, at, size) : kind === "i4" ? new Int32Array(buffer, at, size) : new Uint8Array(buffer, at, size);
    arrays[name] = { shape, data };
  }
  return { head: described.head, arrays };
}
