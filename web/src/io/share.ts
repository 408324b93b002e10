// Settings in the fragment of an address: what differs from the defaults, as base64 of JSON.

import { defaultLook, defaultSetup, readSettings, type Settings, SETTINGS_FORMAT } from "./settings";

const NAME = "s=";
const LOOK_OF_MINE: ReadonlySet<string> = new Set(["theme", "quality", "panel", "dragged", "sensitivity"]); // not shared

export interface Shared {
  settings: Settings;
  ignored: string[];
  /** The name of a file that the settings are for, and that the address does not carry; "" for none. */
  file: string;
}

/** The fragment of an address that restores settings; `key` and `title` are those of the scene. */
export function fragmentOf({ setup, look, places, camera }: Settings, key: string, title: string): string {
  const file = setup.scene.startsWith("file:") ? title : undefined;
  const shown = Object.entries(differences(look, defaultLook())).filter(([name]) => !LOOK_OF_MINE.has(name));
  const mine = places[key];
  const data = {
    format: SETTINGS_FORMAT,
    version: 1,
    setup: differences(withoutFiles(setup), defaultSetup()),
    look: Object.fromEntries(shown),
    ...(mine ? { places: { [key]: mine } } : {}),
    ...(camera ? { camera } : {}),
    ...(file === undefined ? {} : { file }),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `#${NAME}${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** A setup without a motion that comes from a file, which an address does not carry. */
function withoutFiles(setup: Settings["setup"]): Settings["setup"] {
  return setup.retarget?.source.startsWith("file:") ? { ...setup, retarget: null, motion: null } : setup;
}

/** Read a fragment; null if it has no settings, or cannot be read. */
export function readFragment(fragment: string): Shared | null {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(NAME)) return null;
  try {
    const letters = atob(text.slice(NAME.length).replaceAll("-", "+").replaceAll("_", "/"));
    const json = new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
    const { file, ...rest } = JSON.parse(json) as { file?: unknown };
    const read = readSettings(JSON.stringify(rest));
    return read && { ...read, file: typeof file === "string" ? file.slice(0, 200) : "" };
  } catch {
    return null;
  }
}

/** The fields of an object that are not as in another. */
function differences(one: object, other: object): Record<string, unknown> {
  const base = other as Record<string, unknown>;
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name])));
}
