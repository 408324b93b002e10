// DOM helpers that the panel is built from.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Partial<HTMLElementTagNameMap[K]> & { data?: Record<string, string>; aria?: Record<string, string> } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  const { data, aria, ...rest } = props;
  Object.assign(node, rest);
  for (const [key, value] of Object.entries(data ?? {})) node.dataset[key] = value;
  for (const [key, value] of Object.entries(aria ?? {})) node.setAttribute(`aria-${key}`, value);
  for (const child of children) if (child !== null) node.append(child);
  return node;
}

let count = 0;

/** A label with a control beside it. `about` is shown on hover. */
export function row(label: string, control: HTMLElement, about = ""): HTMLElement {
  const field = control.matches("input,select") ? control : control.querySelector("input,select");
  const id = field ? (field.id ||= `field-${(count += 1)}`) : "";
  return el("div", { className: "row", title: about }, el("label", { htmlFor: id }, label), control);
}

export function select(name: string, options: { value: string; label: string }[], value: string, onChange: (value: string) => void): HTMLSelectElement {
  const node = el("select", { name });
  for (const option of options) {
    node.append(el("option", { value: option.value, selected: option.value === value }, option.label));
  }
  node.addEventListener("change", () => onChange(node.value));
  return node;
}

/** A select from values to their labels. */
export function choice<T extends string>(name: string, labels: Record<T, string>, value: T, onChange: (value: T) => void): HTMLSelectElement {
  const options = Object.entries<string>(labels).map(([key, label]) => ({ value: key, label }));
  return select(name, options, value, (next) => onChange(next as T));
}

export function toggle(name: string, value: boolean, onChange: (value: boolean) => void): HTMLElement {
  const input = el("input", { type: "checkbox", name, checked: value });
  input.addEventListener("change", () => onChange(input.checked));
  return el("span", { className: "toggle" }, input, el("span", { className: "knob", aria: { hidden: "true" } }));
}

export interface NumberField {
  min?: number;
  max?: number;
  step?: number;
  /** May be empty: null. */
  optional?: boolean;
  placeholder?: string;
}

/** A number field; null if empty. Numbers out of range are marked and not passed on. */
export function number(name: string, value: number | null, options: NumberField, onChange: (value: number | null) => void): HTMLInputElement {
  const node = el("input", { type: "number", name, value: value === null ? "" : String(value) });
  if (options.min !== undefined) node.min = String(options.min);
  if (options.max !== undefined) node.max = String(options.max);
  node.step = String(options.step ?? "any");
  node.placeholder = options.placeholder ?? "";
  node.inputMode = "decimal";
  node.addEventListener("input", () => {
    const text = node.value.trim();
    const parsed = text === "" ? null : Number(text);
    const fits =
      parsed === null
        ? Boolean(options.optional) && !node.validity.badInput
        : Number.isFinite(parsed) && parsed >= (options.min ?? -Infinity) && parsed <= (options.max ?? Infinity);
    node.classList.toggle("wrong", !fits);
    if (fits) onChange(parsed);
  });
  return node;
}

/** A slider with a number field beside it. */
export function slider(name: string, value: number, options: { min: number; max: number; step: number }, onChange: (value: number) => void): HTMLElement {
  const range = el("input", { type: "range", name });
  range.min = String(options.min);
  range.max = String(options.max);
  range.step = String(options.step);
  range.value = String(value);
  const field = number(`${name}-number`, value, options, (next) => {
    if (next === null) return;
    range.value = String(next);
    onChange(next);
  });
  field.setAttribute("aria-label", name);
  range.addEventListener("input", () => {
    field.value = range.value;
    onChange(Number(range.value));
  });
  return el("span", { className: "slider" }, range, field);
}

export function button(text: string, onClick: () => void, props: { title?: string; className?: string; name?: string } = {}): HTMLButtonElement {
  const node = el("button", { type: "button", title: props.title ?? "", className: props.className ?? "" }, text);
  if (props.name) node.name = props.name;
  node.addEventListener("click", onClick);
  return node;
}

/** Which sections are open, by title. */
const opened = new Map<string, boolean>();

/** A section that opens and closes, and is rebuilt as it was left. */
export function section(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  const node = el("details", { open: opened.get(title) ?? open }, el("summary", {}, title), ...children);
  node.addEventListener("toggle", () => opened.set(title, node.open));
  return node;
}

export function hint(text: string): HTMLElement {
  return el("p", { className: "hint" }, text);
}

export const degrees = (radians: number) => Math.round((radians * 180 * 1000) / Math.PI) / 1000;
export const radians = (value: number) => (value * Math.PI) / 180;

/** True if key presses go to a text field or select. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea,select")) return true;
  return target.matches("input") && !target.matches("input[type=checkbox],input[type=range]");
}
