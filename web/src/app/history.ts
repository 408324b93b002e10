// Undo and redo: the settings as they were, and the pose with them.

import type { Settings } from "../io/settings";
import type { Part, Store } from "./store";

const STEP_PAUSE = 250; // [ms] without a change after which changes become one step; a press ends it sooner
const MOST_STEPS = 200; // that can be undone

/** Settings at some time, and the pose of a scene. */
export interface Moment {
  readonly settings: Settings;
  readonly pose: { readonly key: string; readonly coordinates: number[][] } | null;
}

export interface HistoryEvents {
  /** The pose that is shown, if the page knows it. */
  pose(): Moment["pose"];
  /** True while a change goes on. */
  busy(): boolean;
  /** Go to a moment. */
  revert(moment: Moment): void;
}

/** The parts of the settings that are undone; the camera stays. */
const UNDONE: ReadonlySet<Part> = new Set(["setup", "look", "places"]);

export class History {
  private readonly past: Moment[] = [];
  private readonly future: Moment[] = [];
  private readonly listeners: (() => void)[] = [];
  private present: Moment;
  private changed = false;
  private timer = 0;

  constructor(
    private readonly store: Store,
    private readonly events: HistoryEvents,
  ) {
    this.present = this.now();
    store.subscribe((part, origin) => {
      if (!UNDONE.has(part)) return;
      if (origin === "user") this.changed = true;
      this.wait();
    });
    const press = () => this.changed && !this.events.busy() && this.commit();
    window.addEventListener("pointerdown", press, { capture: true });
  }

  /** Call a function when what can be undone has changed. */
  subscribe(listener: () => void): void {
    this.listeners.push(listener);
  }

  get canUndo(): boolean {
    return this.past.length > 0 || this.changed;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    if (this.events.busy()) return;
    this.commit();
    this.go(this.past, this.future);
  }

  redo(): void {
    if (this.events.busy()) return;
    this.commit();
    this.go(this.future, this.past);
  }

  private go(from: Moment[], to: Moment[]): void {
    const moment = from.pop();
    if (!moment) return;
    to.push(this.present);
    this.present = moment;
    this.events.revert(moment);
    this.changed = false;
    this.tell();
  }

  private now(): Moment {
    return { settings: this.store.settings, pose: this.events.pose() };
  }

  private wait(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.events.busy() ? this.wait() : this.commit()), STEP_PAUSE);
    this.tell();
  }

  /** Make one step of what has changed since the last; what the session changed belongs to that. */
  private commit(): void {
    window.clearTimeout(this.timer);
    this.timer = 0;
    const now = this.now();
    if (this.changed && !alike(now.settings, this.present.settings)) {
      this.past.push(this.present);
      if (this.past.length > MOST_STEPS) this.past.shift();
      this.future.length = 0;
    }
    this.changed = false;
    this.present = now;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function alike(one: Settings, other: Settings): boolean {
  const text = ({ setup, look, places }: Settings) => JSON.stringify([setup, look, places]);
  return text(one) === text(other);
}
