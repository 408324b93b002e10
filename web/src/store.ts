// What a person has set. It survives a reload: this tab's first, else what was set last anywhere.

import { keep, recall } from "./storage";
import type { GoalPlace, JointEdit, Setup } from "./messages";

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
  loop: boolean;
  speed: number;
  panel: boolean;
  /** Weights of morph targets that were set by hand, by their names. */
  shapes: Record<string, number>;
}

interface Kept {
  setup: Setup;
  look: Look;
  /** Where the goals are, by the scene's key. */
  places: Record<string, GoalPlace[]>;
  camera: { key: string; position: number[]; target: number[] } | null;
}

export const SETTINGS_FORMAT = "supple-settings";
const NAME = "supple-playground";

export const noEdit: JointEdit = {
  lock: false,
  damping: null,
  stiffness: null,
  limits: null,
  swing: null,
  twist: null,
};

export function defaultSetup(): Setup {
  return {
    scene: "snake",
    links: 8,
    lengths: null,
    flat: false,
    solver: { name: "auto", options: {} },
    compare: null,
    limits: false,
    damping: null,
    stretch: null,
    joints: {},
    goals: [],
    tolerance: null,
    unreachable: "approach",
    start: "previous",
    motion: null,
    correct: true,
    keys: [],
    grown: { start: "", seed: 0, attributes: {}, targets: {} },
  };
}

/** A scene without anything that was set for another one; with the limits that it has by itself. */
export function freshScene(scene: string): Partial<Setup> {
  const { grown } = defaultSetup();
  return { scene, lengths: null, joints: {}, goals: [], motion: null, keys: [], compare: null, limits: true, grown };
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
    loop: true,
    speed: 1,
    panel: window.innerWidth > 720,
    shapes: {},
  };
}

type Part = "setup" | "look" | "places";

export class Store {
  setup: Setup = defaultSetup();
  look: Look = defaultLook();
  places: Record<string, GoalPlace[]> = {};
  camera: Kept["camera"] = null;
  /** Whether nothing was kept: this is the first visit. */
  fresh = true;
  private listeners: ((part: Part) => void)[] = [];

  constructor() {
    const text = recall("tab", NAME) ?? recall("all", NAME);
    if (text) this.fresh = !this.restore(text);
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

  reset(): void {
    this.setup = defaultSetup();
    this.look = { ...defaultLook(), theme: this.look.theme };
    this.places = {};
    this.changed("look");
    this.changed("setup");
  }

  asText(): string {
    const { setup, look, places, camera } = this;
    return JSON.stringify({ format: SETTINGS_FORMAT, version: 1, setup, look, places, camera });
  }

  /** Take over what `asText` gave; false if it is not that. */
  restore(text: string): boolean {
    try {
      const kept = JSON.parse(text) as Partial<Kept> & { format?: string };
      if (kept.format !== SETTINGS_FORMAT || !kept.setup) return false;
      this.setup = known(defaultSetup(), kept.setup);
      this.look = known(defaultLook(), kept.look ?? {});
      this.places = kept.places ?? {};
      this.camera = kept.camera ?? null;
      return true;
    } catch {
      return false;
    }
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

/** The fields of `base`, with the values that `kept` has for them. */
function known<T extends object>(base: T, kept: Partial<T>): T {
  const result = { ...base };
  for (const key of Object.keys(base) as (keyof T)[]) {
    if (kept[key] !== undefined) result[key] = kept[key] as T[keyof T];
  }
  return result;
}
