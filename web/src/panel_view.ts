// The panel's parts for how things look, and for saving them.

import { button, el, hint, row, section, select, slider, toggle } from "./dom";
import type { SaveFormat } from "./messages";
import type { Offer } from "./offer";

const MOST_SHAPES = 60;

export function viewSection({ store, act, scene }: Offer): HTMLElement {
  const { look } = store;
  const parts = [
    row(
      "Theme",
      select(
        "theme",
        ["auto", "dark", "light"].map((value) => ({ value, label: value })),
        look.theme,
        (theme) => store.setLook({ theme: theme as "auto" | "dark" | "light" }),
      ),
    ),
    row(
      "Quality",
      select(
        "quality",
        [
          { value: "fine", label: "fine" },
          { value: "plain", label: "plain (weak machines)" },
        ],
        look.quality,
        (quality) => store.setLook({ quality: quality as "fine" | "plain" }),
      ),
    ),
    row(
      "Sensitivity",
      slider("sensitivity", look.sensitivity, { min: 0.2, max: 3, step: 0.1 }, (sensitivity) => store.setLook({ sensitivity })),
      "Of pointer and keys",
    ),
    row("Limits drawn", toggle("show-limits", look.limits, (limits) => store.setLook({ limits }))),
    row("Joint frames", toggle("show-frames", look.frames, (frames) => store.setLook({ frames }))),
    row("Bones", toggle("show-bones", look.bones, (bones) => store.setLook({ bones }))),
  ];
  if (scene.motions.length) {
    parts.push(row("Feet that stand", toggle("show-contacts", look.contacts, (contacts) => store.setLook({ contacts }))));
  }
  if (scene.meshes) parts.push(row("Skin", toggle("show-mesh", look.mesh, (mesh) => store.setLook({ mesh }))));
  parts.push(
    el(
      "div",
      { className: "buttons" },
      button("Full screen", () => act.fullScreen(), { name: "full-screen" }),
      button("Camera home", () => act.home(), { name: "home" }),
      button("Reset all", () => act.reset(), { name: "reset" }),
      button("Keys ?", () => act.help(), { name: "help" }),
    ),
  );
  return section("View", false, ...parts);
}

/** Sliders for morph targets. */
export function shapeSection({ store, shapes }: Offer): HTMLElement | null {
  const names = [...new Map(shapes.map((shape) => [shape.name, shape.weight]))].slice(0, MOST_SHAPES);
  if (!names.length) return null;
  const { look } = store;
  const rows = names.map(([name, weight]) =>
    row(
      name,
      slider(`shape-${name}`, look.shapes[name] ?? weight, { min: 0, max: 1, step: 0.01 }, (value) =>
        store.setLook({ shapes: { ...store.look.shapes, [name]: value } }),
      ),
    ),
  );
  return section("Shapes", false, hint("Morph targets; a motion that has its own goes before."), ...rows);
}

export function saveSection({ act }: Offer): HTMLElement {
  const kinds: [SaveFormat | "png" | "settings", string][] = [
    ["png", "Picture"],
    ["glb", "GLB"],
    ["bvh", "BVH"],
    ["smd", "SMD"],
    ["json", "Pose"],
    ["trace", "Trace"],
    ["settings", "Settings"],
  ];
  const buttons = kinds.map(([kind, label]) => button(label, () => act.save(kind), { name: `save-${kind}` }));
  return section("Save", false, el("div", { className: "buttons" }, ...buttons));
}
