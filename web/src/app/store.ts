// What a person has set. It survives a reload: this tab's first, else what was set last anywhere.

import { fitting } from "../io/shape_check";
import { type GoalPlace, type Hello, type JointEdit, type ObjectShape, PLACE, SETUP, type Setup, type Shape } from "../io/messages";
import { keep, recall } from "../io/storage";

export interface Look {
  theme: "auto" | "dark" | "light";
  quality: "fine" | "plain";
  /** Pointer and key movement is multiplied by it. */
  sensitivity: number;
  mesh: boolean;
  bones: boolean;
  frames: boolean;
  limits: boolean;
  onion: boolean;
  contacts: boolean;
  /** Whether the camera goes along with a figure that walks. */
  follow: boolean;
  loop: boolean;
  speed: number;
  panel: boolean;
  /** Weights of morph targets that were set by hand, by their names. */
  shapes: Record<string, number>;
}

interface Kept {
  setup: Setup;
  /** The last setup that Python took, where that is another one. */
  worked: Setup | null;
  look: Look;
  /** Where the goals are, by the scene's key. */
  places: Record<string, GoalPlace[]>;
  camera: { key: string; position: number[]; target: number[] } | null;
}

export const SETTINGS_FORMAT = "supple-settings";
const NAME = "supple-playground";
const VERSION = 1;

export const noEdit: JointEdit = {
  lock: false,
  damping: null,
  stiffness: null,
  limits: null,
  swing: null,
  twist: null,
};

export function defaultSetup(): Setup {
  return structuredClone(SETUP.defaults) as unknown as Setup;
}

/** A scene without anything that was set for another one; with the limits that it has by itself. */
export function freshScene(scene: string): Partial<Setup> {
  const { grown } = defaultSetup();
  const motion = scene.startsWith("file:") ? "" : null; // a file opens with its first motion
  return { scene, lengths: null, joints: {}, goals: [], motion, keys: [], compare: null, limits: true, grown };
}

export function defaultLook(): Look {
  return {
    theme: "auto",
    quality: "fine",
    sensitivity: 1,
    mesh: true,
    bones: true,
    frames: false,
    limits: true,
    onion: false,
    contacts: true,
    follow: true,
    loop: true,
    speed: 1,
    panel: window.innerWidth > 720,
    shapes: {},
  };
}

const flag: Shape = { kind: "flag" };
const text: Shape = { kind: "text", most: 1000 };
const coordinate: Shape = { kind: "number", whole: false, least: -1e12, greatest: 1e12 };
const point: Shape = { kind: "tuple", of: [coordinate, coordinate, coordinate] };
const none: Shape = { kind: "null" };

function between(least: number, greatest: number): Shape {
  return { kind: "number", whole: false, least, greatest };
}

/** What was kept or saved has to be like this. */
function keptShape(): ObjectShape {
  const look: ObjectShape = {
    kind: "object",
    fields: {
      theme: { kind: "choice", of: ["auto", "dark", "light"] },
      quality: { kind: "choice", of: ["fine", "plain"] },
      sensitivity: between(0.2, 3),
      speed: between(0.1, 4),
      shapes: { kind: "record", of: between(-1e6, 1e6), most: 10_000 },
      ...Object.fromEntries(["mesh", "bones", "frames", "limits", "onion", "contacts", "follow", "loop", "panel"].map((name) => [name, flag])),
    },
    defaults: { ...defaultLook() },
  };
  const camera: ObjectShape = { kind: "object", fields: { key: text, position: point, target: point }, defaults: {} };
  return {
    kind: "object",
    fields: {
      format: text,
      version: { kind: "number", whole: true, least: 1, greatest: VERSION },
      setup: SETUP,
      worked: { kind: "either", of: [SETUP, none] },
      look,
      places: { kind: "record", of: { kind: "list", of: PLACE, least: 0, most: 1000 }, most: 1000 },
      camera: { kind: "either", of: [camera, none] },
    },
    defaults: { format: SETTINGS_FORMAT, version: VERSION, setup: SETUP.defaults, worked: null, look: look.defaults, places: {}, camera: null },
  };
}

type Part = "setup" | "look" | "places";

export class Store {
  setup: Setup = defaultSetup();
  look: Look = defaultLook();
  places: Record<string, GoalPlace[]> = {};
  camera: Kept["camera"] = null;
  /** The last setup that Python took; null before the first. */
  worked: Setup | null = null;
  /** What of the kept settings could not be used, in words. */
  readonly ignored: string[] = [];
  private listeners: ((part: Part) => void)[] = [];

  constructor() {
    const text = recall("tab", NAME) ?? recall("all", NAME);
    if (!text) return;
    const kept = this.restore(text);
    this.ignored = kept?.ignored ?? ["everything: it cannot be read"];
    this.worked = kept?.worked ?? null;
  }

  onChange(listener: (part: Part) => void): void {
    this.listeners.push(listener);
  }

  /** Change the setup: it is sent and kept. */
  set(change: Partial<Setup>): void {
    Object.assign(this.setup, change);
    this.changed("setup");
  }

  setLook(change: Partial<Look>): void {
    Object.assign(this.look, change);
    this.changed("look");
  }

  edit(joint: string, change: Partial<JointEdit>): void {
    const edited = { ...noEdit, ...this.setup.joints[joint], ...change };
    const joints = { ...this.setup.joints, [joint]: edited };
    if (JSON.stringify(edited) === JSON.stringify(noEdit)) delete joints[joint];
    this.set({ joints });
  }

  setPlaces(key: string, places: GoalPlace[]): void {
    this.places[key] = places;
    this.changed("places");
  }

  /** Go over to a setup that has worked or will: it is kept, and nobody is told. */
  goBackTo(setup: Setup): void {
    this.setup = structuredClone(setup);
    this.saveSoon();
  }

  reset(): void {
    this.setup = defaultSetup();
    this.look = { ...defaultLook(), theme: this.look.theme };
    this.places = {};
    this.camera = null;
    this.changed("look");
    this.changed("setup");
  }

  asText(): string {
    const { setup, look, places, camera } = this;
    const worked = this.worked && differing(this.worked, setup).length ? this.worked : null;
    return JSON.stringify({ format: SETTINGS_FORMAT, version: VERSION, setup, worked, look, places, camera });
  }

  /** Take over what fits of what `asText` gave, and tell what does not; null if it is something else. */
  restore(text: string): { ignored: string[]; worked: Setup | null } | null {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return null;
    }
    if ((given as { format?: unknown } | null)?.format !== SETTINGS_FORMAT) return null;
    const ignored: string[] = [];
    const kept = fitting<Kept>(keptShape(), given, "", ignored);
    this.setup = kept.setup;
    this.look = kept.look;
    this.places = kept.places;
    this.camera = kept.camera;
    return { ignored, worked: kept.worked };
  }

  save(): void {
    const text = this.asText();
    keep("tab", NAME, text);
    keep("all", NAME, text);
  }

  private pending = 0;

  private changed(part: Part): void {
    for (const listener of this.listeners) listener(part);
    this.saveSoon();
  }

  saveSoon(): void {
    window.clearTimeout(this.pending);
    this.pending = window.setTimeout(() => this.save(), 100);
  }
}

/** Replace scenes and solvers that there are none of, and tell which. */
export function withoutUnknown(setup: Setup, hello: Hello): string[] {
  const solvers = new Set(hello.solvers.map(({ name }) => name));
  const scenes = new Set(hello.scenes.map(({ name }) => name));
  const unknown: string[] = [];
  if (!scenes.has(setup.scene) && !setup.scene.startsWith("file:")) {
    unknown.push(`scene ${setup.scene}`);
    Object.assign(setup, freshScene("snake"), { limits: false });
  }
  if (!solvers.has(setup.solver.name)) {
    unknown.push(`solver ${setup.solver.name}`);
    setup.solver = { name: "auto", options: {} };
  }
  if (setup.compare && !solvers.has(setup.compare.name)) {
    unknown.push(`solver ${setup.compare.name}`);
    setup.compare = null;
  }
  return unknown;
}

/** The names of what differs between two setups. */
export function differing(one: Setup, other: Setup): (keyof Setup)[] {
  const names = Object.keys(SETUP.fields) as (keyof Setup)[];
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
