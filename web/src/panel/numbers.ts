// Numbers as a person reads them: with a unit, and no more digits than matter.

import type { Scene } from "../io/messages";

type Measured = Pick<Scene, "unit" | "size">;

const ZERO_LENGTH = 1e-6; // sizes of the scene: shorter lengths are 0
const FINEST_LENGTH = 1e-4; // sizes of the scene: shorter lengths are not told apart
const DIGITS = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;

/** A length [model units] in millimetres, centimetres or metres; as a plain number if the unit is not known. */
export function lengthText(value: number, { unit, size }: Measured): string {
  if (Math.abs(value) < ZERO_LENGTH * size) return unit === null ? "0" : "0 mm";
  if (unit === null) {
    const least = 10 ** Math.floor(Math.log10(FINEST_LENGTH * size));
    return Math.abs(value) < least ? `under ${plain(least, 1)}` : plain(value);
  }
  const metres = value * unit;
  if (Math.abs(metres) < 0.01) return metres < 1e-4 ? "under 0.1 mm" : `${plain(1000 * metres, 2)} mm`;
  return Math.abs(metres) < 1 ? `${plain(100 * metres)} cm` : `${plain(metres)} m`;
}

/** An angle [rad] in degrees. */
export function angleText(value: number): string {
  const degrees = (value * 180) / Math.PI;
  return Math.abs(degrees) < 0.005 ? "0°" : `${plain(degrees, 2)}°`;
}

/** A number with some significant digits, never in powers of ten. */
function plain(value: number, digits = 3): string {
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const text = value.toFixed(Math.min(Math.max(digits - 1 - power, 0), 12));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A pair that touches, with obstacles as a person calls them. */
function bare(pair: string): string {
  return pair.replace(/obstacle \d+ \((\w+)\)/, (_, kind: string) => (kind === "Plane" ? "the ground" : "a box"));
}

/** The reason of a solve with its lengths and angles as a person reads them. */
export function readable(reason: string, scene: Measured): string {
  const length = (text: string) => lengthText(Number(text), scene);
  const exact = (text: string) => (scene.unit === null ? plain(Number(text)) : length(text));
  const zero = (text: string) => Number(text) < ZERO_LENGTH * scene.size;
  return reason
    .replace(new RegExp(`is ${DIGITS} from its target`, "g"), (_, one: string) => (zero(one) ? "is on its target" : `is ${length(one)} from its target`))
    .replace(new RegExp(`^(.*) are ${DIGITS} nearer than they may be`), (_, pair: string, one: string) => `${bare(pair)} touch, ${length(one)} too near`)
    .replace(new RegExp(` are ${DIGITS} apart`, "g"), (_, one: string) => (zero(one) ? " are together" : ` are ${length(one)} apart`))
    .replace(new RegExp(`is ${DIGITS} outside its support`), (_, one: string) => `is ${length(one)} outside its support`)
    .replace(new RegExp(` moved by ${DIGITS}`, "g"), (_, one: string) => ` moved by ${length(one)}`)
    .replace(new RegExp(`${DIGITS} rad `, "g"), (_, one: string) => `${angleText(Number(one))} `)
    .replace(/looks 0° past its target/g, "looks at its target")
    .replace(new RegExp(`(from where its chain begins.*? than |tolerance of )${DIGITS}`, "g"), (_, words: string, one: string) => words + exact(one))
    .replace(new RegExp(`is ${DIGITS} from where`, "g"), (_, one: string) => `is ${length(one)} from where`);
}
