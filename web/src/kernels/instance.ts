// `supple.wasm`: a compiled module, and instances of it, each with a memory of its own.
//
// An entry takes the address of 64-bit slots: slot 0 is 0; then the arguments, a number in one slot, an
// array in 1 + axes slots (address, then shape). Nothing is freed: what belongs together has an instance.

/** An array in the memory of an instance. */
export interface Placed {
  readonly address: number;
  readonly shape: readonly number[];
}

export type Numbers = Float64Array | BigInt64Array;

const PAGE_BYTES = 65536; // memory grows by whole pages of WebAssembly
const ALIGNMENT = 16; // [bytes]

/** The kernels, compiled for this browser. */
export class Kernels {
  private constructor(readonly module: WebAssembly.Module) {}

  /** Compile the bytes of `supple.wasm`. */
  static async load(bytes: BufferSource): Promise<Kernels> {
    return new Kernels(await WebAssembly.compile(bytes));
  }

  instance(): Instance {
    return new Instance(new WebAssembly.Instance(this.module, {}));
  }
}

export class Instance {
  private readonly memory: WebAssembly.Memory;
  private readonly exports: WebAssembly.Exports;
  /** The first free byte. */
  private next: number;

  constructor(instance: WebAssembly.Instance) {
    this.exports = instance.exports;
    this.memory = this.exports.memory as WebAssembly.Memory;
    this.next = (this.exports.__heap_base as WebAssembly.Global<"i32">).value;
    (this.exports._initialize as (() => void) | undefined)?.();
  }

  /** The memory; replaced when it grows. */
  get buffer(): ArrayBuffer {
    return this.memory.buffer;
  }

  /** Room for an array of float64 or int64 numbers, zero at first. Views of the memory end if it grows. */
  allocate(shape: readonly number[]): Placed {
    const address = Math.ceil(this.next / ALIGNMENT) * ALIGNMENT;
    this.next = address + 8 * size(shape);
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    return { address, shape };
  }

  /** Copy numbers into the memory, given as their bytes. */
  place(bytes: Uint8Array, shape: readonly number[]): Placed {
    const placed = this.allocate(shape);
    new Uint8Array(this.memory.buffer, placed.address, 8 * size(shape)).set(bytes);
    return placed;
  }

  /** A view of an array; it ends when the memory grows. */
  floats({ address, shape }: Placed): Float64Array<ArrayBuffer> {
    return new Float64Array(this.memory.buffer, address, size(shape));
  }

  /** A view of an array of integers. */
  integers({ address, shape }: Placed): BigInt64Array<ArrayBuffer> {
    return new BigInt64Array(this.memory.buffer, address, size(shape));
  }

  /**
   * A call of an entry, ready to be made many times.
   *
   * `signature` has a word per argument: a letter and, for an array, its number of axes.
   */
  call(entry: string, signature: string, values: readonly (Placed | number)[]): () => void {
    const run = this.exports[`supple_${entry.replaceAll(".", "_")}`] as ((slots: number) => void) | undefined;
    if (!run) throw new Error(`supple.wasm has no ${entry}: it was built without it, or for another version`);
    const codes = signature.split(" ");
    if (codes.length !== values.length) throw new Error(`${entry}: expected ${codes.length} arguments, got ${values.length}`);
    const slots = [0n];
    codes.forEach((code, k) => slots.push(...inSlots(code, values[k]!, `${entry}: argument ${k}`)));
    const table = this.allocate([slots.length]);
    this.integers(table).set(slots);
    return () => run(table.address);
  }
}

function inSlots(code: string, value: Placed | number, what: string): bigint[] {
  if (typeof value === "number") {
    if (code !== "i" && code !== "b") throw new Error(`${what}: expected ${code}, got a number`);
    return [BigInt(value)];
  }
  if (value.shape.length !== Number(code[1])) throw new Error(`${what}: expected ${code[1]} axes, got ${value.shape.length}`);
  return [value.address, ...value.shape].map(BigInt);
}

export function size(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}
