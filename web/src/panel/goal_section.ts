// The panel's section for goals.

import type { GoalKind, GoalSetup, Scene } from "../io/messages";
import { depthOf } from "../scene/chain";
import type { SectionContext } from "./context";
import { button, choice, el, hint, row, section, select, slider } from "./dom";

const KINDS: { value: GoalKind; label: string }[] = [
  { value: "reach", label: "reach" },
  { value: "pose", label: "reach and turn" },
  { value: "look", label: "look at" },
  { value: "pole", label: "bend towards" },
  { value: "hold", label: "hold" },
];

export function goalSection({ store, scene, act }: SectionContext): HTMLElement {
  const effectors = scene.names.map((name) => ({ value: name, label: name }));
  const set = (goals: GoalSetup[]) => store.set({ goals });
  const own = scene.goals.filter(({ kind }) => kind !== "target");
  const cards = own.map((goal, k) => {
    const change = (part: Partial<GoalSetup>) => {
      set(own.map((one, at) => (at === k ? { ...one, ...part } : one)));
    };
    const parts = [
      row(
        "Effector",
        select(`goal-${k}-effector`, effectors, goal.effector, (effector) => change({ effector, id: freshId(scene) })),
      ),
      row(
        "What",
        select(`goal-${k}-kind`, KINDS, goal.kind, (kind) => change({ kind: kind as GoalKind })),
      ),
    ];
    if (goal.kind === "look") {
      const axes = { x: "x", y: "y", z: "z", "-x": "-x", "-y": "-y", "-z": "-z" };
      parts.push(
        row(
          "Axis",
          choice(`goal-${k}-axis`, axes, goal.axis, (axis) => change({ axis })),
        ),
      );
    }
    if (goal.kind !== "pole") {
      const depth = Math.min(depthOf(scene, goal.effector), 64);
      parts.push(
        row(
          "Depth",
          slider(`goal-${k}-depth`, goal.depth, { min: 0, max: depth, step: 1 }, (value) => change({ depth: value })),
          "How many joints may move; 0: all up to the root",
        ),
      );
    }
    if (goal.kind === "reach" || goal.kind === "pose") {
      const carriers = [{ value: "", label: "the world" }, ...effectors.filter(({ value }) => value !== goal.effector)];
      parts.push(
        row(
          "Target on",
          select(`goal-${k}-on`, carriers, goal.on, (bone) => act.bind(goal.id, bone)),
          "The bone that carries the target: it then moves with it",
        ),
      );
    }
    if (own.length > 1 || scene.grown) {
      parts.push(button("Remove", () => set(own.filter((_, at) => at !== k)), { className: "quiet", name: `goal-${k}-remove` }));
    }
    return el("div", { className: "card" }, ...parts);
  });
  const add = button(
    "Add a goal",
    () => {
      const used = new Set(scene.goals.map((goal) => goal.effector));
      const free = [...scene.names].reverse().find((name) => !used.has(name)) ?? scene.names[0]!;
      set([...own, { id: freshId(scene), kind: "reach", effector: free, depth: 0, axis: "x", on: "", point: [0, 0, 0] }]);
    },
    { name: "add-goal" },
  );
  return section("Goals", false, ...cards, el("div", { className: "buttons" }, add), hint("Drag a joint to give it a goal; with Shift, the other goals stay."));
}

function freshId(scene: Scene): string {
  let k = scene.goals.length + 1;
  while (scene.goals.some((goal) => goal.id === `goal${k}`)) k += 1;
  return `goal${k}`;
}
