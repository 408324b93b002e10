// The data inside a page without a server: what src/supple/apps/viewer/baked.py writes.

import { decode, type Packet } from "../io/frames";
import type { Bodies, Hello, Scene } from "../io/messages";

/** What can be on or off in a page. */
export interface Switches {
  limits: boolean;
  avoid: boolean;
  balance: boolean;
}

export interface Contents {
  format: "supple-page";
  version: 3;
  /** The name of the only scene. */
  scene: string;
  /** The motion to begin with. */
  motion: string | null;
  hello: Hello;
  /** For every combination of the switches. */
  scenes: (Switches & { scene: Scene })[];
  /** Packets of the problem for each solver. */
  problems: (Switches & { solver: string; part: number })[];
  /** Capsules, masses and soles of the bones; null if they are not known. */
  bodies: Bodies | null;
  /** Packets of each motion: to solve with, and for onion skin and foot contacts. */
  motions: { name: string; clip: number; ghosts: number }[];
  meshes: number[];
  kernels: number;
  /** Offset and length of each part. */
  parts: [number, number][];
}

export class PageData {
  private readonly packets = new Map<number, Packet>();

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

  /** A part that is a packet; the same object every time. */
  packet(number: number): Packet {
    let packet = this.packets.get(number);
    if (!packet) this.packets.set(number, (packet = decode(this.part(number).slice().buffer) as Packet));
    return packet;
  }
}
