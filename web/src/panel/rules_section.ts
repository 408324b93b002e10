// The panel's section for grammar rules: fields for their attributes, and targets of IK rules that follow goals.
// Values are kept in the setup; Python derives the model anew from them.

import type { AttributeField, GoalPlace, Grown, GrownInfo, Scene, TargetInfo } from "../io/messages";
import type { Immutable } from "../io/settings";
import type { PanelStore } from "./context";
import { button, el, hint, number, row, section, select, slider, toggle } from "./dom";

type Value = AttributeField["value"];

const SLOW_DERIVATION = 0.4; // [s]: if deriving takes longer, targets are sent when the goal is released
const SEED_COUNT = 10_000; // seeds that Roll draws from

export class RulesSection {
  /** Shortest derivation [s], without the first one, which loads and compiles. */
  private seconds = 0;
  private grownScene = "";
  private readonly result = el("div", { id: "grown" });
  private show = new Map<string, (value: Value) => void>();

  constructor(private readonly store: PanelStore) {}

  private get scene(): Scene | null {
    return this.store.scene;
  }

  /** True if the scene is derived from rules: then each setup waits for the answer to the last. */
  get active(): boolean {
    return Boolean(this.scene?.grown);
  }

  /** Note how long the derivation of a scene took. */
  setScene(scene: Scene): void {
    const name = this.store.setup.scene;
    if (scene.grown) {
      const first = name !== this.grownScene;
      this.seconds = first ? 0 : Math.min(this.seconds || Infinity, scene.grown.seconds);
    }
    this.grownScene = scene.grown ? name : "";
  }

  // Targets --------------------------------------------------------------------------------------

  /** Set the targets to where their goals have been moved; `dragging` while a goal is held. */
  follow(places: readonly GoalPlace[], dragging: boolean): void {
    const { scene } = this;
    if (!scene?.grown || (this.seconds > SLOW_DERIVATION && dragging)) return;
    const grown = structuredClone(this.store.setup.grown) as Grown;
    let moved = false;
    for (const info of scene.grown.targets) {
      const at = places.find(({ id }) => id === info.id)?.position;
      const asked = at && this.asked(scene, info, grown);
      if (!at || !asked) continue;
      if (at.every((value, k) => value === asked[k])) continue;
      if (info.attribute) grown.attributes[info.attribute] = at;
      else grown.targets[info.effector] = at;
      moved = true;
    }
    if (moved) this.store.set({ grown });
  }

  /** Position of a target in the setup, or else in the scene. */
  private asked(scene: Scene, info: TargetInfo, grown: Immutable<Grown>): number[] | undefined {
    const set = info.attribute ? grown.attributes[info.attribute] : grown.targets[info.effector];
    return Array.isArray(set) ? set : scene.places.find(({ id }) => id === info.id)?.position;
  }

  // The panel ------------------------------------------------------------------------------------

  /** What the fields of the section depend on. */
  shape(): unknown {
    const { grown } = this.scene ?? {};
    return grown && [grown.starts, grown.fields.map(({ value: _, ...field }) => field)];
  }

  section(): HTMLElement | null {
    const grown = this.scene?.grown;
    if (!grown) return null;
    this.show = new Map();
    const parts: HTMLElement[] = [];
    if (grown.starts.length > 1) parts.push(this.startRow(grown));
    parts.push(this.seedRow(grown));
    let group = "";
    for (const field of grown.fields) {
      if (field.group !== group) parts.push(el("h4", {}, (group = field.group)));
      parts.push(row(spaced(field.name), this.field(field), field.about));
    }
    const plain = () => this.set({ start: "", seed: 0, attributes: {}, targets: {} });
    parts.push(
      el(
        "div",
        { className: "buttons" },
        button("As the rules say", plain, { name: "plain-rules", title: "Every attribute, the seed and the targets as the rules have them" }),
      ),
      this.result,
    );
    return section("Rules", true, ...parts);
  }

  /** Update all fields, except the one with the focus. */
  refresh(): void {
    const grown = this.scene?.grown;
    if (!grown) return;
    for (const field of grown.fields) this.show.get(field.name)?.(field.value);
    this.show.get("\nseed")?.(grown.seed);
    this.show.get("\nstart")?.(grown.start);
    const shapes = `${grown.shapes.toLocaleString("en")} shapes, ${grown.leaves.toLocaleString("en")} of them leaves`;
    const time = grown.seconds < 1 ? `${Math.max(1, Math.round(1000 * grown.seconds))} ms` : `${grown.seconds.toFixed(1)} s`;
    const lines = [`${shapes}; grown in ${time}.`, ...grown.printed];
    if (this.seconds > SLOW_DERIVATION) lines.splice(1, 0, "These rules are slow: a target is followed once it is released.");
    this.result.replaceChildren(...lines.map(hint));
  }

  private set(change: Partial<Immutable<Grown>>): void {
    this.store.set({ grown: { ...this.store.setup.grown, ...change } });
  }

  private setAttribute(name: string, value: Value): void {
    this.set({ attributes: { ...this.store.setup.grown.attributes, [name]: value } });
  }

  private startRow(grown: GrownInfo): HTMLElement {
    const names = grown.starts.map((value) => ({ value, label: value }));
    const control = select("start-rule", names, grown.start, (start) => this.set({ start, targets: {} }));
    this.show.set("\nstart", (value) => put(control, String(value)));
    return row("Start", control, "The rule to begin with");
  }

  private seedRow(grown: GrownInfo): HTMLElement {
    const field = number("seed", grown.seed, { min: 0, max: 2 ** 31, step: 1 }, (seed) => {
      if (seed !== null && Number.isInteger(seed)) this.set({ seed });
    });
    this.show.set("\nseed", (value) => put(field, String(value)));
    const roll = button("Roll", () => this.set({ seed: Math.floor(SEED_COUNT * Math.random()) }), { name: "roll", title: "Another seed" });
    return row("Seed", el("span", { className: "slider" }, field, roll), "What chance begins with");
  }

  private field(field: AttributeField): HTMLElement {
    const name = `attr-${field.name}`;
    const set = (value: Value) => this.setAttribute(field.name, value);
    const { value } = field;
    if (field.kind === "flag") {
      const control = toggle(name, value === true, set);
      const box = control.querySelector("input")!;
      this.show.set(field.name, (now) => (box.checked = now === true));
      return control;
    }
    if (field.kind === "choice") {
      const index = (now: Value) => String(field.choices.findIndex((one) => one === now));
      const options = field.choices.map((one, k) => ({ value: String(k), label: String(one) }));
      const control = select(name, options, index(value), (k) => set(field.choices[Number(k)]!));
      this.show.set(field.name, (now) => put(control, index(now)));
      return control;
    }
    if (field.kind === "numbers") return this.numbers(name, field, set);
    if (field.kind === "number") {
      const { least, greatest, step } = field;
      const control = slider(name, Number(value), { min: least ?? 0, max: greatest ?? 1, step: step ?? 0.01 }, set);
      this.show.set(field.name, (now) => control.querySelectorAll("input").forEach((one) => put(one, short(Number(now)))));
      return control;
    }
    const type = field.kind === "color" ? "color" : "text";
    const control = el("input", { type, name, value: String(value) });
    control.addEventListener(type === "color" ? "input" : "change", () => set(control.value));
    this.show.set(field.name, (now) => put(control, String(now)));
    return control;
  }

  /** Number fields side by side, such as for a point. */
  private numbers(name: string, field: AttributeField, set: (value: Value) => void): HTMLElement {
    const values = field.value as number[];
    const fields = values.map((value, k) => number(`${name}-${k}`, Number(short(value)), {}, () => set(fields.map((one) => Number(one.value)))));
    this.show.set(field.name, (now) => fields.forEach((one, k) => put(one, short((now as number[])[k] ?? 0))));
    const control = el("span", { className: "numbers" }, ...fields);
    control.style.gridTemplateColumns = `repeat(${values.length}, minmax(0, 1fr))`;
    return control;
  }
}

/** Show a value in a field, unless it has the focus. */
function put(field: HTMLInputElement | HTMLSelectElement, value: string): void {
  if (field !== document.activeElement && field.value !== value) field.value = value;
}

const short = (value: number) => String(Number(value.toPrecision(5)));

/** "floorHeight" and "floor_height" as words. */
const spaced = (name: string) => name.replaceAll("_", " ").replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
