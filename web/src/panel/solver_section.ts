// The panel's section for solvers and their options.

import type { Hello, OptionInfo, SolverChoice } from "../io/messages";
import type { Immutable } from "../io/settings";
import type { PanelStore, SectionContext } from "./context";
import { choice, number, row, section, select, toggle } from "./dom";

const ALL = "*"; // every solver that can

export function solverSection({ store, hello, scene, standalone }: SectionContext): HTMLElement {
  const { setup } = store;
  const unable = new Map(scene.solvers.map(({ name, why }) => [name, why]));
  const names = hello.solvers.map(({ name }) => ({ value: name, label: name }));
  const parts: HTMLElement[] = [
    row(
      "Solver",
      explained(
        select("solver", names, setup.solver.name, (name) => store.set({ solver: { name, options: {} } })),
        unable,
      ),
      hello.solvers.find(({ name }) => name === setup.solver.name)?.about ?? "",
    ),
    ...optionRows(store, hello, setup.solver, (solver) => store.set({ solver }), ""),
  ];
  parts.push(...compareRows(store, hello, names));
  if (!standalone) parts.push(...problemRows(store));
  parts.push(
    row(
      "Start from",
      choice("start", { previous: "the last answer", rest: "the rest pose" }, setup.start, (start) => store.set({ start })),
      "The pose that each solve begins with",
    ),
  );
  return section("Solver", true, ...parts);
}

/** Mark the solvers that cannot take the scene; choosing one says what would make it possible. */
function explained(node: HTMLSelectElement, unable: ReadonlyMap<string, string>): HTMLSelectElement {
  for (const option of node.options) {
    const why = unable.get(option.value);
    if (!why) continue;
    option.label = `${option.value} (not these goals)`;
    option.title = why;
  }
  return node;
}

/** Solvers side by side: two, or all that can. */
function compareRows(store: PanelStore, hello: Hello, names: { value: string; label: string }[]): HTMLElement[] {
  const { setup } = store;
  const choose = (name: string) => {
    const race = name === ALL;
    store.set({ race, compare: name && !race ? { name, options: {} } : null, start: name ? "rest" : "previous" });
  };
  const options = [{ value: "", label: "—" }, { value: ALL, label: "all that can: a race" }, ...names];
  const parts: HTMLElement[] = [
    row("Compare with", select("compare", options, setup.race ? ALL : (setup.compare?.name ?? ""), choose), "Solvers side by side on the same goal"),
  ];
  if (setup.compare && !setup.race) {
    parts.push(...optionRows(store, hello, setup.compare, (compare) => store.set({ compare }), "compare-"));
  }
  return parts;
}

/** What changes the problem, which Python prepares. */
function problemRows(store: PanelStore): HTMLElement[] {
  const { setup } = store;
  return [
    row(
      "Tolerance",
      number("tolerance", setup.tolerance, { min: 1e-9, optional: true, placeholder: "1e-4 of the chain" }, (tolerance) => store.set({ tolerance })),
      "How near counts as reached, in the model's unit",
    ),
    row(
      "Out of reach",
      choice("unreachable", { approach: "come near", keep: "stay" }, setup.unreachable, (unreachable) => store.set({ unreachable })),
      "What to do about a goal that cannot be reached",
    ),
  ];
}

function optionRows(store: PanelStore, hello: Hello, choice: Immutable<SolverChoice>, set: (choice: SolverChoice) => void, prefix: string): HTMLElement[] {
  const solver = hello.solvers.find(({ name }) => name === choice.name);
  return (solver?.options ?? []).map((option) => {
    const change = (value: boolean | number | string | null) => {
      const current = prefix ? store.setup.compare : store.setup.solver;
      const options = { ...(current ?? choice).options, [option.name]: value };
      if (value === option.default) delete options[option.name];
      set({ name: choice.name, options });
    };
    const value = option.name in choice.options ? choice.options[option.name]! : option.default;
    return row(option.name.replaceAll("_", " "), field(option, prefix, value ?? null, change), option.about);
  });
}

function field(
  option: OptionInfo,
  prefix: string,
  value: boolean | number | string | null,
  change: (value: boolean | number | string | null) => void,
): HTMLElement {
  const name = `${prefix}option-${option.name}`;
  if (option.kind === "flag") return toggle(name, value === true, change);
  if (option.kind === "choice") {
    return select(
      name,
      option.choices.map((one) => ({ value: one, label: one })),
      String(value),
      change,
    );
  }
  const whole = option.kind === "whole";
  return number(
    name,
    typeof value === "number" ? value : null,
    { min: 0, ...(whole ? { step: 1 } : {}), optional: option.optional, placeholder: option.optional ? "none" : "" },
    (next) => {
      if (!whole || next === null || Number.isInteger(next)) change(next);
    },
  );
}
