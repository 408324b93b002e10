// Pointer and keys: what a person does to the stage, turned into what the page does.

import { el, typing } from "../panel/dom";
import type { Goal } from "../scene/goal";
import type { GoalSetup, Scene } from "../io/messages";
import { depthOf } from "../panel/goal_section";
import type { Body } from "../scene/figure";
import type { Playground } from "./playground";

const MOUSE_REACH = 12; // pixels around a goal or joint that still take hold of it
const TOUCH_REACH = 26;
const DRAG_STARTS = 5;

interface Press {
  joint: number;
  x: number;
  y: number;
  shift: boolean;
}

export class Hands {
  /** The joint under the pointer, or -1. */
  hovered = -1;
  private press: Press | null = null;
  private pointer = -1;
  private readonly label = el("span", { className: "name", hidden: true });

  constructor(
    private readonly page: Playground,
    root: HTMLElement,
  ) {
    document.querySelector("#labels")!.append(this.label);
    root.addEventListener("pointerdown", (event) => this.onDown(event), { capture: true });
    window.addEventListener("pointermove", (event) => this.onMove(event));
    window.addEventListener("pointerup", (event) => this.onUp(event));
    window.addEventListener("pointercancel", (event) => this.onUp(event));
    window.addEventListener("keydown", (event) => this.onKeyDown(event));
    window.addEventListener("keyup", (event) => this.page.goals.lift(event.key, event.timeStamp));
    window.addEventListener("blur", () => this.page.goals.liftAll());
    this.watchTab(root);
  }

  /** Who comes to the canvas with Tab begins with its first goal, or backwards with its last. */
  private watchTab(root: HTMLElement): void {
    let tab: "" | "forward" | "back" = "";
    const onKey = (event: KeyboardEvent) => (tab = event.key === "Tab" ? (event.shiftKey ? "back" : "forward") : "");
    window.addEventListener("keydown", onKey, { capture: true });
    window.addEventListener("keyup", () => (tab = ""), { capture: true });
    root.addEventListener("focusin", ({ target }) => {
      if (tab && target === this.page.stage.canvas) this.page.goals.enter(tab === "back");
    });
  }

  private reach(event: PointerEvent): number {
    return event.pointerType === "touch" ? TOUCH_REACH : MOUSE_REACH;
  }

  private onDown(event: PointerEvent): void {
    if (event.target !== this.page.stage.canvas || event.button !== 0 || this.pointer >= 0) return;
    const found = this.page.goals.pick(event.clientX, event.clientY, this.reach(event));
    if (found) {
      this.pointer = event.pointerId;
      this.page.goals.take(found.goal, event.clientX, event.clientY, found.ring);
      this.page.stage.canvas.focus({ preventScroll: true });
      this.page.stage.canvas.style.cursor = "grabbing";
      event.preventDefault();
      return;
    }
    const joint = this.jointAt(event);
    if (joint < 0) return;
    this.pointer = event.pointerId;
    this.press = { joint, x: event.clientX, y: event.clientY, shift: event.shiftKey };
    this.page.stage.controls.enabled = false;
  }

  private onMove(event: PointerEvent): void {
    if (this.page.goals.grab && event.pointerId === this.pointer) {
      this.page.asking.touched();
      this.page.goals.drag(event.clientX, event.clientY);
      return;
    }
    if (this.press && event.pointerId === this.pointer) {
      const far = Math.hypot(event.clientX - this.press.x, event.clientY - this.press.y);
      if (far > DRAG_STARTS) this.pull(this.press, event);
      return;
    }
    if (event.pointerType === "mouse" && event.buttons === 0) this.hover(event);
  }

  private onUp(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    this.pointer = -1;
    this.page.stage.controls.enabled = true;
    this.page.stage.canvas.style.cursor = "";
    if (this.page.goals.grab) {
      this.page.goals.release();
      return;
    }
    const { press } = this;
    this.press = null;
    if (press && event.type === "pointerup") this.click(press);
  }

  private hover(event: PointerEvent): void {
    const onCanvas = event.target === this.page.stage.canvas;
    const found = onCanvas ? this.page.goals.pick(event.clientX, event.clientY, MOUSE_REACH) : null;
    this.page.goals.hover(found?.goal ?? null);
    const joint = onCanvas && !found ? this.jointAt(event) : -1;
    this.page.stage.canvas.style.cursor = found ? "grab" : joint >= 0 ? "pointer" : "";
    if (joint === this.hovered) return;
    this.hovered = joint;
    for (const body of this.page.bodies) body.mark(this.page.chosen, joint);
    this.page.stage.invalidate();
  }

  private jointAt(event: PointerEvent): number {
    const { half } = this.page.stage.aim(event.clientX, event.clientY);
    const body = this.page.bodies[half]!;
    let best = -1;
    let least = this.reach(event);
    body.positions.forEach((position, k) => {
      const seen = this.page.stage.project(position, half);
      if (!seen) return;
      const far = Math.hypot(seen.x - event.clientX, seen.y - event.clientY);
      if (far < least) {
        least = far;
        best = k;
      }
    });
    return best;
  }

  /** A click chooses a joint and locks it; with Shift, the chain of the active goal begins there. */
  private click({ joint, shift }: Press): void {
    const { scene } = this.page;
    const name = scene?.names[joint];
    if (!scene || name === undefined || joint >= scene.joints.length) return;
    if (shift) {
      this.beginAt(joint);
      return;
    }
    this.page.choose(joint);
    this.page.store.edit(name, { lock: !this.page.store.setup.joints[name]?.lock });
    this.page.panel.refresh();
  }

  private beginAt(joint: number): void {
    const { scene } = this.page;
    const goal = this.page.goals.active?.setup;
    if (!scene || !goal || goal.kind === "target") return;
    let depth = 0;
    let k = scene.parents[scene.names.indexOf(goal.effector)] ?? -1;
    while (k >= 0) {
      if (scene.joints[k]?.kind !== "Fixed") depth += 1;
      if (k === joint) break;
      k = scene.parents[k] ?? -1;
    }
    if (k !== joint) {
      this.page.hud.say(`${scene.names[joint]} does not carry ${goal.effector}: the chain cannot begin there.`, "info", 5);
      return;
    }
    this.page.store.set({ goals: scene.goals.map((one) => (one.id === goal.id ? { ...one, depth } : one)) });
  }

  /** A joint that is dragged becomes an effector, at once in the hand. */
  private pull(press: Press, event: PointerEvent): void {
    const { scene } = this.page;
    this.press = null;
    if (!scene) return;
    const effector = scene.names[press.joint]!;
    const old = this.page.goals.list.find(({ setup }) => setup.effector === effector && setup.kind !== "look");
    const goal: Goal | null = old ?? this.newGoal(scene, effector, press);
    if (!goal) return;
    this.page.goals.take(goal, event.clientX, event.clientY);
    this.page.stage.canvas.style.cursor = "grabbing";
  }

  private newGoal(scene: Scene, effector: string, press: Press): Goal | null {
    const { half } = this.page.stage.aim(press.x, press.y);
    const at = this.page.bodies[half]!.positions[press.joint];
    if (!at || depthOf(scene, effector) === 0) return null;
    let n = 1;
    while (scene.goals.some(({ id }) => id === `pulled${n}`)) n += 1;
    const setup: GoalSetup = { id: `pulled${n}`, kind: "reach", effector, depth: scene.limbs[press.joint] ?? 0, axis: "x" };
    const others = press.shift ? scene.goals : scene.goals.filter(({ kind }) => kind === "hold" || kind === "target");
    const goals = [...others, setup];
    const place = { id: setup.id, position: at.toArray(), orientation: null };
    const places = [...this.page.goals.places(), place];
    this.page.store.places[scene.key] = places;
    this.page.store.set({ goals });
    this.page.goals.setScene({ ...scene, goals, places }, places);
    return this.page.goals.list.find((one) => one.setup.id === setup.id) ?? null;
  }

  private onKeyDown(event: KeyboardEvent): void {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (this.page.goals.press(event.key, event.shiftKey, event.timeStamp)) {
      event.preventDefault();
      return;
    }
    const keys: Record<string, () => void> = {
      "?": () => this.page.hud.help.showModal(),
      Escape: () => this.leave(),
      h: () => this.page.home(),
      p: () => this.page.store.setLook({ panel: !this.page.store.look.panel }),
      f: () => this.page.fullScreen(),
      l: () => {
        this.page.store.set({ limits: !this.page.store.setup.limits });
      },
      t: () => this.page.record(),
      k: () => this.page.timeline.addKey(),
      " ": () => this.page.timeline.toggle(),
      ".": () => this.page.tracing.nextStep(),
      ",": () => this.page.tracing.previousStep(),
      ">": () => this.page.tracing.next(),
      "<": () => this.page.tracing.previous(),
    };
    if (event.key === "Tab") {
      // Beyond the last goal, and before the first, Tab leaves the canvas as it leaves any control.
      const inside = document.activeElement === this.page.stage.canvas;
      if (inside && this.page.goals.step(event.shiftKey ? -1 : 1)) event.preventDefault();
      return;
    }
    const onControl = event.target instanceof HTMLElement && event.target.matches("button,summary,input");
    if (event.key === " " && onControl) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  /** Escape leaves what is open, the uppermost first. */
  private leave(): void {
    if (this.page.goals.grab) this.page.goals.release();
    else if (this.page.tracing.open) this.page.tracing.close();
    else if (this.page.chosen >= 0) this.page.choose(-1);
    else if (document.fullscreenElement) void document.exitFullscreen();
    else if (window.innerWidth <= 720 && this.page.store.look.panel) this.page.store.setLook({ panel: false });
    else this.page.hud.say("");
  }

  /** The name of the joint under the pointer, beside it. */
  showName(body: Body): void {
    const at = body.positions[this.hovered];
    const seen = at && this.page.stage.project(at, this.page.bodies.indexOf(body));
    this.label.hidden = !seen || !this.page.scene;
    if (!seen || !this.page.scene) return;
    this.label.textContent = this.page.scene.names[this.hovered] ?? "";
    this.label.style.transform = `translate(${seen.x + 12}px, ${seen.y - 28}px)`;
  }
}
