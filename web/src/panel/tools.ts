// Buttons on the stage: undo, redo, steps, lock, help, panel.

import type { PanelStore } from "./context";
import { button, el } from "./dom";

export interface ToolActions {
  undo(): void;
  redo(): void;
  /** Record a solve and step through it, or leave that. */
  steps(): void;
  lock(): void;
  help(): void;
  togglePanel(): void;
}

/** What can be undone. */
export interface Undoable {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  subscribe(listener: () => void): void;
}

export class Tools {
  readonly node = el("nav", { id: "tools", aria: { label: "Tools" } });
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly lock: HTMLButtonElement;

  constructor(
    private readonly store: PanelStore,
    private readonly standalone: boolean,
    act: ToolActions,
  ) {
    this.lock = tool("lock-chosen", "Lock", "Lock or unlock the chosen joint (X)", () => act.lock());
    this.undo = tool("undo", "↶", "Undo (Ctrl-Z)", () => act.undo());
    this.redo = tool("redo", "↷", "Redo (Ctrl-Shift-Z)", () => act.redo());
    const steps = tool("steps", "Steps", "Solve step by step (T)", () => act.steps());
    const help = tool("", "?", "Help (?)", () => act.help());
    help.id = "helper";
    const opener = tool("", "☰", "Panel in or out (P)", () => act.togglePanel());
    opener.id = "opener";
    this.node.append(this.lock, this.undo, this.redo, steps, help, opener);
    this.undo.disabled = this.redo.disabled = true;
    this.refresh();
  }

  watch(history: Undoable): void {
    history.subscribe(() => {
      this.undo.disabled = !history.canUndo;
      this.redo.disabled = !history.canRedo;
    });
  }

  refresh(): void {
    const { scene, chosen, setup } = this.store;
    const name = scene?.joints[chosen] ? scene.names[chosen] : undefined;
    this.lock.hidden = this.standalone || name === undefined;
    this.lock.textContent = name !== undefined && setup.joints[name]?.lock ? "Unlock" : "Lock";
  }
}

function tool(name: string, text: string, title: string, act: () => void): HTMLButtonElement {
  const node = button(text, act, { title, name });
  node.setAttribute("aria-label", title);
  return node;
}
