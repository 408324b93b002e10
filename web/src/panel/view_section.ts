// The panel's sections for the view, for morph targets, and for saving.

import type { PanelStore, Saved, SectionContext } from "./context";
import { button, choice, el, hint, row, section, slider, toggle } from "./dom";

const MOST_MORPHS = 60; // sliders

export function viewSection({ store, act, scene, standalone }: SectionContext): HTMLElement {
  const { look } = store;
  const parts = [
    row(
      "Theme",
      choice("theme", { auto: "as the system", dark: "dark", light: "light" }, look.theme, (theme) => store.setLook({ theme })),
    ),
    row(
      "Quality",
      choice("quality", { fine: "fine", plain: "plain (weak machines)" }, look.quality, (quality) => store.setLook({ quality })),
      "Plain: no shadows, no smoothed edges",
    ),
    row(
      "Sensitivity",
      slider("sensitivity", look.sensitivity, { min: 0.2, max: 3, step: 0.1 }, (sensitivity) => store.setLook({ sensitivity })),
      "Of pointer and keys",
    ),
    row(
      "Limits drawn",
      toggle("show-limits", look.limits, (limits) => store.setLook({ limits })),
      "As arcs and cones; red where a joint is at its limit",
    ),
    row(
      "Reach drawn",
      toggle("show-reach", look.reach, (reach) => store.setLook({ reach })),
      "Greatest and least distance that the chain reaches, while its goal is dragged or missed",
    ),
    ...(standalone && !scene.switches.length ? [] : bodyRows(store)),
    row(
      "Snap",
      toggle("snap", look.snap, (snap) => store.setLook({ snap })),
      "Goals stay on the lines of the grid; hold Ctrl for the opposite",
    ),
    row(
      "Joint frames",
      toggle("show-frames", look.frames, (frames) => store.setLook({ frames })),
      "The axes of every joint: x red, y green, z blue",
    ),
    row(
      "Bones",
      toggle("show-bones", look.bones, (bones) => store.setLook({ bones })),
      "Joints and the links between them",
    ),
  ];
  if (scene.motions.length) {
    parts.push(
      row(
        "Feet that stand",
        toggle("show-contacts", look.contacts, (contacts) => store.setLook({ contacts })),
      ),
      row(
        "Camera follows",
        toggle("follow", look.follow, (follow) => store.setLook({ follow })),
        "Keep a figure that walks in view",
      ),
    );
  }
  if (scene.meshes)
    parts.push(
      row(
        "Skin",
        toggle("show-mesh", look.mesh, (mesh) => store.setLook({ mesh })),
      ),
    );
  parts.push(
    el(
      "div",
      { className: "buttons" },
      button("Full screen", () => act.fullScreen(), { name: "full-screen", title: "Full screen, or out of it (F)" }),
      button("Camera home", () => act.home(), { name: "home", title: "See everything, and the goals (H)" }),
      button("Front", () => act.look("front"), { name: "view-front", title: "See it from the front (1)" }),
      button("Side", () => act.look("side"), { name: "view-side", title: "See it from the side (2)" }),
      button("Top", () => act.look("top"), { name: "view-top", title: "See it from above (3)" }),
      button("Reset all", () => act.reset(), { name: "reset", title: "Forget everything that was set" }),
      button("Keys ?", () => act.help(), { name: "help", title: "What keys and pointer do (?)" }),
    ),
  );
  return section("View", false, ...parts);
}

function bodyRows(store: PanelStore): HTMLElement[] {
  return [
    row(
      "Capsules",
      toggle("show-capsules", store.look.capsules, (capsules) => store.setLook({ capsules })),
      "What stands for the bones in collisions",
    ),
    row(
      "Mass drawn",
      toggle("show-balance", store.look.balance, (balance) => store.setLook({ balance })),
      "The centre of mass, and the support of the feet",
    ),
  ];
}

/** Sliders for morph targets. */
export function morphSection({ store }: SectionContext): HTMLElement | null {
  const names = [...new Map(store.morphTargets.map((target) => [target.name, target.weight]))].slice(0, MOST_MORPHS);
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
  return section("Shapes", false, hint("Morph targets; a motion that has its own takes precedence."), ...rows);
}

export function saveSection({ store, act, standalone }: SectionContext): HTMLElement {
  const video: [Saved, string, string] = store.recording
    ? ["webm", "Stop the video", "End the video and save it"]
    : ["webm", "Video", "A motion from its start to its end, or what is dragged, as WebM"];
  const kinds: [Saved, string, string][] = [
    ["link", "Link", "A link that restores all settings; it names your file but does not contain it"],
    ["png", "Picture", "The view, as PNG"],
    video,
    ["page", "Page", "hero.html: one file that solves and plays without a server"],
    ["glb", "GLB", "The character with its skin and motions"],
    ["bvh", "BVH", "The skeleton and the motion, or the pose"],
    ["smd", "SMD", "The skeleton with its mesh or motion"],
    ["json", "Pose", "The pose, as supple's JSON"],
    ["trace", "Trace", "The trace that was recorded last"],
    ["settings", "Settings", "All settings: drop the file on the page to restore them"],
  ];
  const possible = standalone ? kinds.slice(0, 3) : kinds; // Python writes the others
  const buttons = possible.map(([kind, label, title]) => button(label, () => act.save(kind), { name: `save-${kind}`, title }));
  return section("Save", false, el("div", { className: "buttons" }, ...buttons));
}
