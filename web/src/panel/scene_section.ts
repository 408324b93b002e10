// The panel's section for the scene: which one, its size, files to open.

import { freshScene } from "../io/settings";
import type { PanelStore, SectionContext } from "./context";
import { button, el, hint, row, section, select, slider, toggle } from "./dom";

const MOST_NOTES = 60; // notes of a file's reader that are listed

export function sceneSection({ store, act, standalone, hello, scene }: SectionContext): HTMLElement {
  const resetPose = button("Reset pose", () => act.resetPose(), { name: "reset-pose", title: "The first pose, with the goals where they were" });
  if (standalone) return section("Scene", true, el("div", { className: "buttons" }, resetPose));
  const { setup } = store;
  const scenes = hello.scenes.map(({ name, title }) => ({ value: name, label: title }));
  if (setup.scene.startsWith("file:")) scenes.push({ value: setup.scene, label: scene.title });
  const parts: HTMLElement[] = [
    row(
      "Scene",
      select("scene", scenes, setup.scene, (value) => store.set({ ...freshScene(value), limits: value !== "snake" })),
    ),
  ];
  if (setup.scene === "snake") {
    parts.push(
      row(
        "Links",
        slider("links", setup.lengths?.length ?? setup.links, { min: 1, max: 64, step: 1 }, (links) => store.set({ links, lengths: null, joints: {} })),
      ),
    );
  }
  if (setup.scene === "snake" || setup.scene === "arm") {
    parts.push(lengthsRow(store));
    parts.push(
      row(
        "Flat (2-D)",
        toggle("flat", setup.flat, (flat) => store.set({ flat, joints: {} })),
        "Hinges in the plane",
      ),
    );
  }
  parts.push(
    el(
      "div",
      { className: "buttons" },
      button("Open files…", () => act.openFiles(), { name: "open", title: `Or drop them on the page: ${hello.formats.join(" ")}` }),
      button("Folder…", () => act.openFolder(), {
        name: "open-folder",
        title: "Open a folder, or drop it on the page: a model with its meshes, images, rules",
      }),
      resetPose,
    ),
  );
  if (scene.notes.length) parts.push(importNotes(scene.notes));
  return section("Scene", true, ...parts);
}

/** Notes of a file's reader, folded into one line. */
function importNotes(notes: readonly string[]): HTMLElement {
  const lines = notes.slice(0, MOST_NOTES).map(hint);
  if (notes.length > MOST_NOTES) lines.push(hint(`and ${notes.length - MOST_NOTES} more`));
  const title = notes.length === 1 ? "1 note on the import" : `${notes.length} notes on the import`;
  return el("details", { className: "notes" }, el("summary", {}, title), ...lines);
}

function lengthsRow(store: PanelStore): HTMLElement {
  const { setup } = store;
  const field = el("input", {
    type: "text",
    name: "lengths",
    value: setup.lengths?.join(" ") ?? "",
    placeholder: setup.scene === "arm" ? "9 9 9 9 4" : "even",
  });
  field.addEventListener("change", () => {
    const lengths = field.value
      .split(/[\s,;-]+/)
      .filter(Boolean)
      .map(Number);
    const fits = lengths.every((length) => Number.isFinite(length) && length > 0) && lengths.length <= 200;
    field.classList.toggle("wrong", !fits);
    if (fits) store.set({ lengths: lengths.length ? lengths : null, joints: {} });
  });
  return row("Lengths", field, "Lengths of the links, base first");
}
