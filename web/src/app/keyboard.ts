// Keys: moving goals, and commands.

import { typing } from "../panel/dom";
import type { Goals } from "../scene/goals";
import type { ViewName } from "../scene/view_camera";

/** What keys do beside moving goals. */
export interface Commands {
  help(): void;
  home(): void;
  togglePanel(): void;
  fullScreen(): void;
  toggleLimits(): void;
  record(): void;
  addKey(): void;
  togglePlaying(): void;
  nextStep(): void;
  previousStep(): void;
  nextIteration(): void;
  previousIteration(): void;
  /** Close what is open, the topmost first. */
  leave(): void;
  undo(): void;
  redo(): void;
  /** Lock or unlock the chosen joint. */
  lock(): void;
  /** See the scene from a side. */
  look(from: ViewName): void;
}

type GoalKeys = Pick<Goals, "press" | "lift" | "liftAll" | "enter" | "step">;

export class Keyboard {
  private readonly commands: Record<string, () => void>;

  /** `canvas` is asked for in every event: a renderer may replace it. */
  constructor(
    private readonly goals: GoalKeys,
    private readonly canvas: () => HTMLElement,
    private readonly act: Commands,
    root: HTMLElement,
  ) {
    this.commands = {
      "?": () => act.help(),
      Escape: () => act.leave(),
      h: () => act.home(),
      p: () => act.togglePanel(),
      f: () => act.fullScreen(),
      l: () => act.toggleLimits(),
      t: () => act.record(),
      k: () => act.addKey(),
      " ": () => act.togglePlaying(),
      ".": () => act.nextStep(),
      ",": () => act.previousStep(),
      ">": () => act.nextIteration(),
      "<": () => act.previousIteration(),
      x: () => act.lock(),
      "1": () => act.look("front"),
      "2": () => act.look("side"),
      "3": () => act.look("top"),
    };
    window.addEventListener("keydown", (event) => this.onKeyDown(event));
    window.addEventListener("keyup", (event) => goals.lift(event.key, event.timeStamp));
    window.addEventListener("blur", () => goals.liftAll());
    this.watchTab(root);
    // A canvas that the pointer pressed has no focus ring: the browser may take it for focused by keys.
    const input = (kind: string) => () => (document.body.dataset.input = kind);
    window.addEventListener("pointerdown", input("pointer"), { capture: true });
    window.addEventListener("keydown", input("keys"), { capture: true });
  }

  /** Tab into the canvas activates its first goal, Shift-Tab its last. */
  private watchTab(root: HTMLElement): void {
    let tab: "" | "forward" | "back" = "";
    const onKey = (event: KeyboardEvent) => (tab = event.key === "Tab" ? (event.shiftKey ? "back" : "forward") : "");
    window.addEventListener("keydown", onKey, { capture: true });
    window.addEventListener("keyup", () => (tab = ""), { capture: true });
    root.addEventListener("focusin", ({ target }) => {
      if (tab && target === this.canvas()) this.goals.enter(tab === "back");
    });
  }

  /** Ctrl-Z and Ctrl-Shift-Z or Ctrl-Y; text fields have their own. */
  private undoes(event: KeyboardEvent): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typing(event.target)) return false;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return false;
    if (key === "y" || event.shiftKey) this.act.redo();
    else this.act.undo();
    return true;
  }

  private onKeyDown(event: KeyboardEvent): void {
    if (this.undoes(event)) {
      event.preventDefault();
      return;
    }
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (this.goals.press(event.key, event.shiftKey, event.timeStamp)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Tab") {
      // After the last goal, and before the first, Tab leaves the canvas as it leaves any control.
      const inside = document.activeElement === this.canvas();
      if (inside && this.goals.step(event.shiftKey ? -1 : 1)) event.preventDefault();
      return;
    }
    const onControl = event.target instanceof HTMLElement && event.target.matches("button,summary,input");
    if (event.key === " " && onControl) return;
    const command = this.commands[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!command) return;
    command();
    event.preventDefault();
  }
}
