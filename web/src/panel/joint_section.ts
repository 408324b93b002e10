// The panel's section for joints: locks, limits, turn caps, stiffness, stretch.

import type { JointInfo } from "../io/messages";
import type { PanelStore, SectionContext } from "./context";
import { degrees, el, hint, number, radians, row, section, select, slider, toggle } from "./dom";

export function jointSection({ store, standalone, scene }: SectionContext): HTMLElement {
  const { setup, chosen } = store;
  const parts: HTMLElement[] = [];
  const limited = scene.joints.some(({ swing, limits }) => swing !== null || limits.some((range) => range !== null));
  if (limited || !setup.limits || !standalone) {
    parts.push(
      row(
        "Limits",
        toggle("limits", setup.limits, (limits) => store.set({ limits })),
      ),
    );
  }
  if (!standalone) parts.push(...problemRows(store));
  const joints = scene.names.slice(0, scene.joints.length).map((name, k) => ({
    value: String(k),
    label: `${name}${setup.joints[name]?.lock ? " (locked)" : ""}`,
  }));
  parts.push(
    row(
      "Joint",
      select("joint", [{ value: "-1", label: "choose or click one" }, ...joints], String(chosen), (value) => store.choose(Number(value))),
    ),
  );
  const joint = scene.joints[chosen];
  if (joint && standalone) parts.push(hint(about(joint)));
  else if (joint) parts.push(el("div", { className: "card" }, ...jointRows(store, scene.names[chosen]!, joint)));
  return section("Joints", true, ...parts);
}

const about = (joint: JointInfo) => `${joint.kind}${joint.moves ? "" : ", not part of the chain"}`;

/** What changes all joints of the problem, which Python prepares. */
function problemRows(store: PanelStore): HTMLElement[] {
  const { setup } = store;
  const parts: HTMLElement[] = [];
  parts.push(
    row(
      "Turn cap",
      toggle("damping", setup.damping !== null, (on) => store.set({ damping: on ? radians(5) : null })),
      "The most that any joint turns in an iteration",
    ),
  );
  if (setup.damping !== null) {
    parts.push(
      row(
        "° an iteration",
        slider("damping-angle", degrees(setup.damping), { min: 0.5, max: 45, step: 0.5 }, (angle) => store.set({ damping: radians(angle) })),
      ),
    );
  }
  parts.push(
    row(
      "Stretch",
      toggle("stretch", setup.stretch !== null, (on) => store.set({ stretch: on ? 1.5 : null })),
      "Let links stretch to a goal that is out of reach",
    ),
  );
  if (setup.stretch !== null) {
    parts.push(
      row(
        "at most ×",
        slider("stretch-factor", setup.stretch, { min: 1, max: 4, step: 0.05 }, (stretch) => store.set({ stretch })),
      ),
    );
  }
  return parts;
}

function jointRows(store: PanelStore, name: string, joint: JointInfo): HTMLElement[] {
  const edit = store.setup.joints[name];
  const rows = [
    hint(about(joint)),
    row(
      "Lock",
      toggle("lock", edit?.lock ?? false, (lock) => store.edit(name, { lock })),
    ),
    row(
      "Turn cap °",
      number("joint-damping", edit?.damping == null ? null : degrees(edit.damping), { min: 0, max: 180, optional: true, placeholder: "as all" }, (value) =>
        store.edit(name, { damping: value === null ? null : radians(value) }),
      ),
      "The most that this joint turns in an iteration; 0 for no cap",
    ),
    row(
      "Stiffness",
      slider("joint-stiffness", edit?.stiffness ?? joint.stiffness, { min: 0, max: 0.95, step: 0.05 }, (stiffness) => store.edit(name, { stiffness })),
    ),
  ];
  rows.push(...(joint.swings ? coneRows(store, name, joint) : axisRows(store, name, joint)));
  return rows;
}

function coneRows(store: PanelStore, name: string, joint: JointInfo): HTMLElement[] {
  const edit = store.setup.joints[name];
  const tilts = edit?.swing == null ? (edit?.tilts ?? joint.tilts) : null;
  const swing = tilts ? null : (edit?.swing ?? joint.swing);
  const round = swing ?? Math.PI;
  const [down, up, left, right] = tilts ?? [round, round, round, round];
  const bend = (four: [number, number, number, number]) => store.editLimits(name, { swing: null, tilts: four });
  const twist = edit?.twist ?? joint.limits[0] ?? [null, null];
  return [
    row(
      "Cone °",
      number("swing", swing === null ? null : degrees(swing), { min: 0, max: 180, optional: true, placeholder: tilts ? "four" : "open" }, (value) =>
        store.editLimits(name, { swing: value === null ? null : radians(value), tilts: null }),
      ),
      "Greatest tilt away from rest, the same all around",
    ),
    row(
      "Down, up °",
      tiltPair("tilt-vertical", down, up, (a, b) => bend([a, b, left, right])),
      "Greatest tilt in each direction, with an ellipse between",
    ),
    row(
      "Left, right °",
      tiltPair("tilt-level", left, right, (a, b) => bend([down, up, a, b])),
    ),
    row(
      "Twist °",
      pair(twist, "twist", (range) => store.editLimits(name, { twist: range })),
    ),
  ];
}

/** Two number fields for half-angles of a cone, in degrees. */
function tiltPair(name: string, low: number, high: number, change: (low: number, high: number) => void): HTMLElement {
  const now: [number, number] = [low, high];
  const field = (k: 0 | 1) =>
    number(`${name}-${k ? "max" : "min"}`, degrees(now[k]), { min: 0, max: 180 }, (value) => {
      if (value === null) return;
      now[k] = Math.min(radians(value), Math.PI);
      change(now[0], now[1]);
    });
  return el("span", { className: "pair" }, field(0), field(1));
}

function axisRows(store: PanelStore, name: string, joint: JointInfo): HTMLElement[] {
  return joint.labels.map((label, k) => {
    const slides = k < joint.slides;
    const given = store.setup.joints[name]?.limits?.[k] ?? joint.limits[k] ?? [null, null];
    const change = (range: [number | null, number | null]) => {
      const rows = [...(store.setup.joints[name]?.limits ?? joint.limits)];
      rows[k] = range;
      store.editLimits(name, { limits: rows });
    };
    const title = `${slides ? "Slide" : "Turn"}${label ? ` ${label}` : ""}${slides ? "" : " °"}`;
    return row(title, pair(given, `limit-${label || "turn"}`, change, slides));
  });
}

/** Two number fields for a range; angles in degrees. */
function pair(
  range: readonly [number | null, number | null],
  name: string,
  change: (range: [number | null, number | null]) => void,
  lengths = false,
): HTMLElement {
  const show = (value: number | null) => (value === null ? null : lengths ? value : degrees(value));
  const read = (value: number | null) => (value === null ? null : lengths ? value : radians(value));
  const now: [number | null, number | null] = [range[0], range[1]];
  const field = (k: 0 | 1) =>
    number(`${name}-${k ? "max" : "min"}`, show(now[k]), { optional: true, placeholder: k ? "max" : "min" }, (value) => {
      now[k] = read(value);
      if (now[0] === null || now[1] === null || now[0] <= now[1]) change([now[0], now[1]]);
    });
  return el("span", { className: "pair" }, field(0), field(1));
}
