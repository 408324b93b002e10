// The data inside a page without a server: what src/supple/viewer/baked.py writes.

import type { Hello, Scene } from "../io/messages";

/** Poses: a row of coordinates each, and what else they have of their own; numbers of parts. */
export interface PoseParts {
  coordinates: number;
  translations: number | null;
  scales: number | null;
  offsets: number | null;
}

export interface MotionParts extends PoseParts {
  name: string;
  /** [s] */
  duration: number;
  /** Samples, evenly from 0 to the duration. */
  samples: number;
  /** Morph weights of each sample, by mesh. */
  morphs: Record<string, number[][]>;
  /** A packet for onion skin and foot contacts. */
  ghosts: number;
}

export interface Contents {
  format: "supple-page";
  version: 1;
  /** The name of the only scene. */
  scene: string;
  /** The motion to begin with. */
  motion: string | null;
  hello: Hello;
  /** With limits, and without if there are any. */
  scenes: Scene[];
  problems: { solver: string; limits: boolean; part: number }[];
  /** The first coordinate of every quaternion. */
  turns: number[];
  start: PoseParts;
  motions: MotionParts[];
  meshes: number[];
  kernels: number;
  /** Offset and length of each part. */
  parts: [number, number][];
}

export class PageData {
  private constructor(
    readonly contents: Contents,
    private readonly bytes: Uint8Array<ArrayBuffer>,
  ) {}

  /** Read what is inside an element: gzip, in base64. */
  static async read(element: Element): Promise<PageData> {
    const letters = atob(element.textContent ?? "");
    element.remove();
    const packed = new Uint8Array(letters.length);
    for (let k = 0; k < packed.length; k += 1) packed[k] = letters.charCodeAt(k);
    const whole = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const length = new DataView(whole).getUint32(0, true);
    const contents = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length))) as Contents;
    return new PageData(contents, new Uint8Array(whole, 4 + length));
  }

  part(number: number): Uint8Array<ArrayBuffer> {
    const [offset, length] = this.contents.parts[number]!;
    return this.bytes.subarray(offset, offset + length);
  }

  /** A part as the beginning of a buffer of its own. */
  buffer(number: number): ArrayBuffer {
    return this.part(number).slice().buffer;
  }

  floats(number: number): Float32Array {
    return new Float32Array(this.buffer(number));
  }
}
