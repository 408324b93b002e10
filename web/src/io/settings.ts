// Settings: everything the user has set. The browser keeps them across reloads; settings files hold the same text.

import {
  type GoalPlace,
  type GoalSetup,
  type Hello,
  type JointEdit,
  type MotionEdits,
  type ObjectShape,
  PLACE,
  SETUP,
  type Setup,
  type Shape,
} from "./messages";
import { fitting } from "./shape_check";

/** A value that is replaced, never changed in place. */
export type Immutable<T> = T extends string | number | boolean | null | undefined ? T : { readonly [K in keyof T]: Immutable<T[K]> };

/** How the page shows things. Python does not need it. */
export interface Look {
  theme: "auto" | "dark" | "light";
  quality: "fine" | "plain";
  /** Factor on pointer and key movement. */
  sensitivity: number;
  mesh: boolean;
  bones: boolean;
  frames: boolean;
  limits: boolean;
  reach: boolean;
  /** The capsules that stand for bones in collisions. */
  capsules: boolean;
  /** The centre of mass, and the support below it. */
  balance: boolean;
  /** Goals snap to the grid while they are dragged. */
  snap: boolean;
  onion: boolean;
  contacts: boolean;
  /** Contacts are drawn as bars below the timeline. */
  tracks: boolean;
  /** Move the camera with a walking figure. */
  follow: boolean;
  loop: boolean;
  speed: number;
  panel: boolean;
  /** A goal has been moved: there is no need for a hint any more. */
  dragged: boolean;
  /** Weights of morph targets set by hand, by name. */
  shapes: Record<string, number>;
}

/** A camera position for the scenes that share a key. */
export interface KeptCamera {
  key: string;
  position: number[];
  target: number[];
}

export type Settings = Immutable<{
  setup: Setup;
  /** The last setup that Python accepted; null before the first. */
  worked: Setup | null;
  look: Look;
  /** Goal positions, by the scene's key. */
  places: Record<string, GoalPlace[]>;
  camera: KeptCamera | null;
}>;

export const SETTINGS_FORMAT = "supple-settings";
const VERSION = 1;

export const noEdit: Immutable<JointEdit> = {
  lock: false,
  damping: null,
  stiffness: null,
  limits: null,
  swing: null,
  tilts: null,
  twist: null,
};

/** A motion as the scene has it. */
export const noEdits: Immutable<MotionEdits> = { contacts: null, plant: false, repair: false };

export function defaultSetup(): Setup {
  return structuredClone(SETUP.defaults) as unknown as Setup;
}

/** The setup of a newly opened scene: its own limits, nothing carried over from another scene. */
export function freshScene(scene: string): Partial<Setup> {
  const { grown } = defaultSetup();
  const motion = scene.startsWith("file:") ? "" : null; // "": the first motion of the file
  return { scene, lengths: null, joints: {}, goals: [], motion, keys: [], compare: null, limits: true, grown, edits: {}, retarget: null, bodies: null };
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
    reach: true,
    capsules: false,
    balance: false,
    snap: false,
    onion: false,
    contacts: true,
    tracks: false,
    follow: true,
    loop: true,
    speed: 1,
    panel: window.innerWidth > 720,
    dragged: false,
    shapes: {},
  };
}

const FIRST = "humanoid";
const HAND = "hand.R";

/** The character in its walk, one hand reaching. */
export function firstSetup(): Setup {
  const goal: GoalSetup = { id: HAND, kind: "reach", effector: HAND, depth: 3, axis: "x", on: "", point: [0, 0, 0] };
  return { ...defaultSetup(), ...freshScene(FIRST), motion: "walk", goals: [goal] };
}

/** What a page begins with in which nothing was set. */
export function defaultSettings(): Settings {
  const reaching: GoalPlace = { id: HAND, position: [-0.44, 1.46, 0.3], orientation: null };
  return { setup: firstSetup(), worked: null, look: defaultLook(), places: { [FIRST]: [reaching] }, camera: null };
}

/** Settings as the text of a settings file. */
export function settingsText({ setup, worked, look, places, camera }: Settings): string {
  const other = worked && differing(worked, setup).length ? worked : null;
  return JSON.stringify({ format: SETTINGS_FORMAT, version: VERSION, setup, worked: other, look, places, camera });
}

/**
 * Read the text of a settings file.
 *
 * Values that do not fit are replaced by defaults and listed in `ignored`. Null for any other text.
 */
export function readSettings(text: string): { settings: Settings; ignored: string[] } | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  if ((given as { format?: unknown } | null)?.format !== SETTINGS_FORMAT) return null;
  const ignored: string[] = [];
  const { setup, worked, look, places, camera } = fitting<Settings>(settingsShape(), given, "", ignored);
  return { settings: { setup, worked, look, places, camera }, ignored };
}

/** A setup with unknown scenes and solvers replaced by the defaults, and the names of those. */
export function withoutUnknown(setup: Immutable<Setup>, hello: Hello): { setup: Immutable<Setup>; unknown: string[] } {
  const solvers = new Set(hello.solvers.map(({ name }) => name));
  const scenes = new Set(hello.scenes.map(({ name }) => name));
  const unknown: string[] = [];
  const known = { ...setup };
  if (!scenes.has(setup.scene) && !setup.scene.startsWith("file:")) {
    unknown.push(`scene ${setup.scene}`);
    Object.assign(known, freshScene("snake"), { limits: false });
  }
  if (!solvers.has(setup.solver.name)) {
    unknown.push(`solver ${setup.solver.name}`);
    known.solver = { name: "auto", options: {} };
  }
  if (known.compare && !solvers.has(known.compare.name)) {
    unknown.push(`solver ${known.compare.name}`);
    known.compare = null;
  }
  return { setup: known, unknown };
}

/** The names of the fields in which two setups differ. */
export function differing(one: Immutable<Setup>, other: Immutable<Setup>): (keyof Setup)[] {
  const names = Object.keys(SETUP.fields) as (keyof Setup)[];
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

const flag: Shape = { kind: "flag" };
const text: Shape = { kind: "text", most: 1000 };
const coordinate: Shape = { kind: "number", whole: false, least: -1e12, greatest: 1e12 };
const point: Shape = { kind: "tuple", of: [coordinate, coordinate, coordinate] };
const none: Shape = { kind: "null" };

function between(least: number, greatest: number): Shape {
  return { kind: "number", whole: false, least, greatest };
}

/** The expected shape of a settings file. */
function settingsShape(): ObjectShape {
  const look: ObjectShape = {
    kind: "object",
    fields: {
      theme: { kind: "choice", of: ["auto", "dark", "light"] },
      quality: { kind: "choice", of: ["fine", "plain"] },
      sensitivity: between(0.2, 3),
      speed: between(0.1, 4),
      shapes: { kind: "record", of: between(-1e6, 1e6), most: 10_000 },
      ...Object.fromEntries(
        ["mesh", "bones", "frames", "limits", "reach", "capsules", "balance", "snap", "onion", "contacts", "tracks", "follow", "loop", "panel", "dragged"].map(
          (name) => [name, flag],
        ),
      ),
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
