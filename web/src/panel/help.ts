// The dialog that lists what keys and pointer do.

import { button, el } from "./dom";

const KEYS: [string, string][] = [
  ["Drag the orange goal", "move it in the plane of the view"],
  ["W, S (held)", "push it away, pull it near"],
  ["Arrow keys", "nudge it; with Shift, farther"],
  ["Drag a joint", "give that joint a goal (Shift: one more)"],
  ["Click a joint", "choose it: its limits are drawn, and the panel shows what can be set"],
  ["X", "lock or unlock the chosen joint"],
  ["Click a goal", "select it, and drag an arrow to move it along an axis"],
  ["Ctrl while dragging", "stay on the lines of the grid"],
  ["Ctrl-Z, Ctrl-Shift-Z", "undo, redo"],
  ["Shift-click a joint", "let the chain begin there"],
  ["Drag empty space", "turn the view; right button or two fingers move it"],
  ["Wheel or pinch", "come nearer"],
  ["T", "record a trace and step through it: , and . by step, < and > by iteration"],
  ["Space", "play or pause"],
  ["K", "keep the pose as a keyframe"],
  ["L", "limits on or off"],
  ["H", "camera home; 1, 2, 3: from the front, the side, above"],
  ["P", "panel in or out"],
  ["F", "full screen"],
  ["Tab, Shift-Tab", "the next goal, the one before; then on to the controls"],
  ["?", "this help"],
  ["Escape", "leave what is open"],
];

/** What only Python can do. */
const NOT_STANDALONE = new Set(["Drag a joint", "Shift-click a joint", "K", "X"]);

/** The dialog; `standalone` leaves out what needs Python. */
export function helpDialog(standalone: boolean): HTMLDialogElement {
  const dialog = el("dialog", { id: "help", aria: { label: "Keys" } });
  const known = KEYS.filter(([key]) => !standalone || !NOT_STANDALONE.has(key));
  const rows = known.map(([key, what]) => el("tr", {}, el("th", {}, key), el("td", {}, what)));
  dialog.append(
    // Focus the heading: a small screen would scroll to the button at the end.
    el("h2", { tabIndex: -1, autofocus: true }, "Take hold of it"),
    el("table", {}, el("tbody", {}, ...rows)),
    el("p", { className: "hint" }, "Orange: the goal. Light blue: joints that move. Red: at a limit. Dark: locked."),
    button("Close", () => dialog.close(), { name: "close-help" }),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
