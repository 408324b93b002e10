// The panel's section for what is kept in every solve: distance, balance, loops.

import type { BodiesSetup, BoxSetup, LoopKind, LoopSetup, Scene } from "../io/messages";
import type { SectionContext } from "./context";
import { button, choice, el, hint, number, row, section, select, toggle } from "./dom";

type Change = (part: Partial<BodiesSetup>) => void;

/** What the controls depend on. */
export function bodiesShape(scene: Scene): unknown {
  const { avoid, balance, loops } = scene.bodies;
  return [avoid.on, avoid.ground, avoid.boxes.length, balance.on, balance.feet, loops, scene.feet, scene.loops.length];
}

export function bodiesSection(context: SectionContext): HTMLElement | null {
  const { store, scene, standalone } = context;
  const { bodies, switches } = scene;
  if (standalone && !switches.length) return null;
  const change: Change = (part) => store.set({ bodies: { ...(store.setup.bodies ?? bodies), ...part } as BodiesSetup });
  const parts = [...(switches.includes("avoid") ? avoidRows(context, change) : []), ...(switches.includes("balance") ? balanceRows(context, change) : [])];
  if (!standalone) parts.push(...loopRows(context, change));
  return section("Body", keepsBodies(scene), ...parts);
}

/** True if anything is kept beside the goals. */
export function keepsBodies({ bodies }: Scene): boolean {
  return bodies.avoid.on || bodies.balance.on || bodies.loops.length > 0;
}

function avoidRows({ store, scene, standalone }: SectionContext, change: Change): HTMLElement[] {
  const { avoid } = scene.bodies;
  const set = (part: Partial<BodiesSetup["avoid"]>) => change({ avoid: { ...((store.setup.bodies as BodiesSetup | null)?.avoid ?? avoid), ...part } });
  const parts: HTMLElement[] = [
    row(
      "Avoid collisions",
      toggle("avoid", avoid.on, (on) => set({ on })),
      "Bones keep apart from each other and from obstacles; goals come second",
    ),
  ];
  if (!avoid.on || standalone) return parts;
  parts.push(
    row(
      "Distance",
      number("avoid-margin", avoid.margin, { min: 0, step: scene.size / 200 }, (margin) => set({ margin: margin ?? 0 })),
      "The least distance that is kept, in the model's unit",
    ),
    row(
      "Ground",
      toggle("avoid-ground", avoid.ground, (ground) => set({ ground })),
      "The ground is an obstacle",
    ),
    ...avoid.boxes.map((box, k) => boxCard(scene, box, k, (next) => set({ boxes: avoid.boxes.flatMap((one, at) => (at !== k ? [one] : next ? [next] : [])) }))),
    el(
      "div",
      { className: "buttons" },
      button("Add a box", () => set({ boxes: [...avoid.boxes, newBox(scene)] }), { name: "add-box", title: "An obstacle; drag it on the stage" }),
    ),
  );
  return parts;
}

/** A box in front of the figure, on the ground. */
function newBox({ box: [low, high], up, ground, size, bodies }: Scene): BoxSetup {
  const side = Number((0.45 * size).toPrecision(2));
  const vertical = up === "y" ? 1 : 2;
  const center = [0, 1, 2].map((k) => (low[k]! + high[k]!) / 2) as [number, number, number];
  const front = up === "y" ? 2 : 1;
  center[front] = (up === "y" ? high[front]! : low[front]!) + (up === "y" ? 1 : -1) * 0.6 * side;
  center[0] += 1.2 * side * bodies.avoid.boxes.length;
  center[vertical] = ground + side / 2;
  return { center, size: [side, side, side] };
}

function boxCard(scene: Scene, box: BoxSetup, k: number, set: (box: BoxSetup | null) => void): HTMLElement {
  const triple = (part: "center" | "size", least: number) =>
    el(
      "span",
      { className: "numbers three" },
      ...["x", "y", "z"].map((axis, at) => {
        const field = number(`box-${k}-${part}-${axis}`, Number(box[part][at]!.toPrecision(4)), { min: least, step: scene.size / 50 }, (value) => {
          const next = [...box[part]] as [number, number, number];
          next[at] = value ?? box[part][at]!;
          set({ ...box, [part]: next });
        });
        field.setAttribute("aria-label", `Box ${k + 1} ${part} ${axis}`);
        return field;
      }),
    );
  return el(
    "div",
    { className: "card" },
    row("Center", triple("center", -1e9)),
    row("Size", triple("size", 1e-6 * scene.size)),
    button("Remove", () => set(null), { className: "quiet", name: `box-${k}-remove` }),
  );
}

function balanceRows({ store, scene, standalone }: SectionContext, change: Change): HTMLElement[] {
  const { balance } = scene.bodies;
  const set = (part: Partial<BodiesSetup["balance"]>) => change({ balance: { ...((store.setup.bodies as BodiesSetup | null)?.balance ?? balance), ...part } });
  const able = balance.feet.length > 0 || scene.feet.length > 0;
  const parts: HTMLElement[] = [
    row(
      "Keep balance",
      toggle("balance", balance.on, (on) => set({ on })),
      "The centre of mass stays over the standing feet",
    ),
  ];
  if (standalone || (!balance.on && able)) return parts;
  if (balance.on) {
    parts.push(
      row(
        "Inside by",
        number("balance-margin", balance.margin, { min: 0, step: scene.size / 200 }, (margin) => set({ margin: margin ?? 0 })),
        "The least distance from the edge of the support",
      ),
    );
  }
  const feet = [...new Set([...scene.feet, ...balance.feet])];
  for (const foot of feet) {
    const stands = balance.feet.includes(foot);
    const next = (on: boolean) => feet.filter((one) => (one === foot ? on : balance.feet.includes(one)));
    parts.push(
      row(
        foot,
        toggle(`foot-${foot}`, stands, (on) => set({ feet: next(on) })),
        "Stands on the ground",
      ),
    );
  }
  const others = scene.names.filter((name) => !feet.includes(name)).map((name) => ({ value: name, label: name }));
  const pick = select(
    "add-foot",
    [{ value: "", label: feet.length ? "another…" : "choose…" }, ...others],
    "",
    (name) => name && set({ feet: [...balance.feet, name] }),
  );
  parts.push(row("Foot", pick, "A joint or tip that stands on the ground"));
  return parts;
}

const KINDS: Record<LoopKind, string> = { connect: "bring together", weld: "keep as they are" };
/** What is chosen for the next loop. */
const next: { kind: LoopKind; a: string; b: string } = { kind: "connect", a: "", b: "" };

function loopRows({ scene, act }: SectionContext, change: Change): HTMLElement[] {
  const { loops } = scene.bodies;
  const names = scene.names.map((name) => ({ value: name, label: name }));
  if (!scene.names.includes(next.a)) next.a = pairOf(scene)[0];
  if (!scene.names.includes(next.b)) next.b = pairOf(scene)[1];
  const cards = loops.map((loop, k) =>
    el(
      "div",
      { className: "card" },
      hint(told(loop)),
      button("Let go", () => change({ loops: loops.filter((_, at) => at !== k) }), { className: "quiet", name: `loop-${k}-remove` }),
    ),
  );
  const own = scene.loops.length
    ? [
        hint(
          scene.loops.length === 1
            ? "The model has a loop of its own, kept in every solve."
            : `The model has ${scene.loops.length} loops of its own, kept in every solve.`,
        ),
      ]
    : [];
  return [
    ...own,
    ...cards,
    row(
      "Hold",
      select("loop-a", names, next.a, (a) => (next.a = a)),
    ),
    row(
      "and",
      select("loop-b", names, next.b, (b) => (next.b = b)),
    ),
    row(
      "How",
      choice("loop-kind", KINDS, next.kind, (kind) => (next.kind = kind)),
      "At their origins, or welded as they are now",
    ),
    el(
      "div",
      { className: "buttons" },
      button("Hold together", () => act.join(next.kind, next.a, next.b), { name: "add-loop" }),
    ),
  ];
}

function told({ kind, a, b }: LoopSetup): string {
  return kind === "weld" ? `${a} and ${b} are welded together.` : `${a} and ${b} are held at a point.`;
}

/** Two bones to begin with: the hands, or the last two. */
function pairOf({ names }: Scene): [string, string] {
  const hands = names.filter((name) => /hand|wrist/i.test(name));
  const [a, b] = hands.length > 1 ? [hands[0]!, hands.find((one) => one !== hands[0] && one.length === hands[0]!.length) ?? hands[1]!] : names.slice(-2);
  return [a ?? "", b ?? ""];
}
