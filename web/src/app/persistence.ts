// Settings survive a reload: those of this tab, or else the latest of any tab.

import { defaultSettings, readSettings, type Settings, settingsText } from "../io/settings";
import { keep, recall } from "../io/storage";
import type { Part, Store } from "./store";

const NAME = "supple-playground";
const SAVE_DELAY = 100; // [ms] for which saving waits for further changes
const NOT_KEPT = new Set<Part>(["hello", "scene", "chosen", "morphTargets", "time", "playing", "recording"]);

/** The kept settings, or the defaults; `ignored` lists what could not be used. */
export function loadSettings(): { settings: Settings; ignored: string[]; fresh: boolean } {
  const text = recall("tab", NAME) ?? recall("all", NAME);
  if (!text) return { settings: defaultSettings(), ignored: [], fresh: true };
  const read = readSettings(text);
  if (read) return { ...read, fresh: false };
  return { settings: defaultSettings(), ignored: ["everything: it cannot be read"], fresh: true };
}

/** Save the settings of a store after every change. */
export function keepSettings(store: Store): void {
  let pending = 0;
  const save = () => {
    const text = settingsText(store.settings);
    keep("tab", NAME, text);
    keep("all", NAME, text);
  };
  store.subscribe((part) => {
    if (NOT_KEPT.has(part)) return;
    window.clearTimeout(pending);
    pending = window.setTimeout(save, SAVE_DELAY);
  });
  window.addEventListener("pagehide", save);
}
