// Pointer and touch: dragging goals and joints, clicking joints, hovering.

import type { GoalPlace, GoalSetup, Scene } from "../io/messages";
import { BoxDrag } from "./box_drag";
import { depthFrom, depthOf } from "./chain";
import type { Figure } from "./figure";
import type { Goal } from "./goal";
import type { Goals } from "./goals";
import type { Obstacles } from "./obstacles";
import type { Stage } from "./stage";

const MOUSE_REACH = 12; // pixels around a goal or joint within which it is picked
const TOUCH_REACH = 26;
const DRAG_STARTS = 5; // pixels

/** What is picked from. */
export interface PickTargets {
  readonly stage: Stage;
  readonly goals: Goals;
  /** One figure per half. */
  readonly figures: readonly Figure[];
  readonly bodies: { readonly obstacles: Obstacles };
}

/** What the pointer does to the page. */
export interface PointerActions {
  readonly scene: Scene | null;
  /** A goal is dragged: the latency of its pose is measured from now. */
  touched(): void;
  /** Another joint is under the pointer, or none (-1). */
  hover(joint: number): void;
  /** Choose a joint. */
  click(joint: number): void;
  /** Nothing was clicked: choose nothing. */
  clickNothing(): void;
  setGoals(goals: GoalSetup[]): void;
  /** Replace the goals by others at known positions, and show them at once. */
  placeGoals(goals: GoalSetup[], places: GoalPlace[]): void;
  /** Put a box that is an obstacle somewhere. */
  moveBox(box: number, center: [number, number, number]): void;
  say(text: string): void;
}

/** True if a pointer has not been dragged away from a place. */
function near(place: { x: number; y: number }, { clientX, clientY }: PointerEvent): boolean {
  return Math.hypot(clientX - place.x, clientY - place.y) <= DRAG_STARTS;
}

interface Press {
  joint: number;
  x: number;
  y: number;
  shift: boolean;
}

export class Pointer {
  private hovered = -1;
  private press: Press | null = null;
  private pointer = -1;
  /** Where a goal, or nothing, was pressed. */
  private grabbed: { x: number; y: number } | null = null;
  private pressedEmpty: { x: number; y: number } | null = null;
  private readonly stage: Stage;
  private readonly goals: Goals;
  private readonly figures: readonly Figure[];
  private readonly obstacles: Obstacles;
  private box: BoxDrag | null = null;

  constructor(
    { stage, goals, figures, bodies }: PickTargets,
    private readonly act: PointerActions,
    root: HTMLElement,
    private readonly label: HTMLElement,
  ) {
    this.stage = stage;
    this.goals = goals;
    this.figures = figures;
    this.obstacles = bodies.obstacles;
    root.addEventListener("pointerdown", (event) => this.onDown(event), { capture: true });
    window.addEventListener("pointermove", (event) => this.onMove(event));
    window.addEventListener("pointerup", (event) => this.onUp(event));
    window.addEventListener("pointercancel", (event) => this.onUp(event));
  }

  private reach(event: PointerEvent): number {
    return event.pointerType === "touch" ? TOUCH_REACH : MOUSE_REACH;
  }

  private onDown(event: PointerEvent): void {
    if (event.target !== this.stage.canvas || event.button !== 0 || this.pointer >= 0) return;
    const found = this.goals.pick(event.clientX, event.clientY, this.reach(event));
    if (found) {
      this.pointer = event.pointerId;
      this.grabbed = { x: event.clientX, y: event.clientY };
      this.goals.startDrag(found, event.clientX, event.clientY);
      this.stage.canvas.focus({ preventScroll: true });
      this.stage.canvas.style.cursor = "grabbing";
      event.preventDefault();
      return;
    }
    const joint = this.jointAt(event);
    if (joint < 0 && this.takeBox(event)) return;
    if (joint < 0) {
      this.pressedEmpty = { x: event.clientX, y: event.clientY };
      if (this.act.scene?.flat) this.callGoal(event);
      return;
    }
    this.pointer = event.pointerId;
    this.press = { joint, x: event.clientX, y: event.clientY, shift: event.shiftKey };
    this.stage.enableControls(false);
  }

  private takeBox(event: PointerEvent): boolean {
    this.box = BoxDrag.begin(this.obstacles, this.stage, event.clientX, event.clientY);
    if (!this.box) return false;
    this.pointer = event.pointerId;
    this.stage.enableControls(false);
    this.stage.canvas.style.cursor = "grabbing";
    return true;
  }

  /** In the plane, a press anywhere moves the active goal there and drags it. */
  private callGoal(event: PointerEvent): void {
    const { active } = this.goals;
    if (!active || active.setup.kind === "target") return;
    this.pointer = event.pointerId;
    this.act.touched();
    this.goals.call(active, event.clientX, event.clientY);
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.style.cursor = "grabbing";
    event.preventDefault();
  }

  private onMove(event: PointerEvent): void {
    if (this.goals.dragging && event.pointerId === this.pointer) {
      this.act.touched();
      this.goals.drag(event.clientX, event.clientY, event.ctrlKey || event.metaKey);
      return;
    }
    if (this.box && event.pointerId === this.pointer) {
      this.box.move(event.clientX, event.clientY);
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
    const { pressedEmpty } = this;
    this.pressedEmpty = null;
    if (pressedEmpty && near(pressedEmpty, event)) this.act.clickNothing();
    if (event.pointerId !== this.pointer) return;
    this.pointer = -1;
    this.stage.enableControls(true);
    this.stage.canvas.style.cursor = "";
    const { box } = this;
    this.box = null;
    if (box) {
      const center = box.move(event.clientX, event.clientY);
      if (center) this.act.moveBox(box.box, center.toArray());
      return;
    }
    if (this.goals.dragging) {
      const { active } = this.goals;
      this.goals.release();
      if (this.grabbed && near(this.grabbed, event)) this.goals.select(active);
      this.grabbed = null;
      return;
    }
    const { press } = this;
    this.press = null;
    if (press && event.type === "pointerup") this.click(press);
  }

  private hover(event: PointerEvent): void {
    const onCanvas = event.target === this.stage.canvas;
    const found = onCanvas ? this.goals.pick(event.clientX, event.clientY, MOUSE_REACH) : null;
    this.goals.hover(found?.goal ?? null);
    const joint = onCanvas && !found ? this.jointAt(event) : -1;
    this.stage.canvas.style.cursor = found ? "grab" : joint >= 0 ? "pointer" : "";
    if (joint === this.hovered) return;
    this.hovered = joint;
    this.act.hover(joint);
  }

  /** Index of the joint under the pointer, or -1. */
  private jointAt(event: PointerEvent): number {
    const { half } = this.stage.aim(event.clientX, event.clientY);
    let best = -1;
    let least = this.reach(event);
    this.figures[half]!.positions.forEach((position, k) => {
      const seen = this.stage.project(position, half);
      if (!seen) return;
      const far = Math.hypot(seen.x - event.clientX, seen.y - event.clientY);
      if (far < least) {
        least = far;
        best = k;
      }
    });
    return best;
  }

  /** A click chooses a joint; with Shift, the chain of the active goal starts there. */
  private click({ joint, shift }: Press): void {
    const { scene } = this.act;
    if (!scene || joint >= scene.joints.length) return;
    if (shift) this.startChain(scene, joint);
    else this.act.click(joint);
  }

  private startChain(scene: Scene, joint: number): void {
    const goal = this.goals.active?.setup;
    if (!goal || goal.kind === "target") return;
    const depth = depthFrom(scene, joint, goal.effector);
    if (depth === null) this.act.say(`${scene.names[joint]} does not carry ${goal.effector}: the chain cannot begin there.`);
    else this.act.setGoals(scene.goals.map((one) => (one.id === goal.id ? { ...one, depth } : one)));
  }

  /** Dragging a joint gives it a goal, and drags that. */
  private pull(press: Press, event: PointerEvent): void {
    const { scene } = this.act;
    this.press = null;
    if (!scene) return;
    const effector = scene.names[press.joint]!;
    const old = this.goals.list.find(({ setup }) => setup.effector === effector && setup.kind !== "look" && !setup.on);
    const goal: Goal | null = old ?? this.newGoal(scene, effector, press);
    if (!goal) return;
    this.goals.startDrag({ goal, ring: -1, axis: -1 }, event.clientX, event.clientY);
    this.stage.canvas.style.cursor = "grabbing";
  }

  private newGoal(scene: Scene, effector: string, press: Press): Goal | null {
    const { half } = this.stage.aim(press.x, press.y);
    const at = this.figures[half]!.positions[press.joint];
    if (!at || depthOf(scene, effector) === 0) return null;
    let n = 1;
    while (scene.goals.some(({ id }) => id === `pulled${n}`)) n += 1;
    const setup: GoalSetup = { id: `pulled${n}`, kind: "reach", effector, depth: scene.limbs[press.joint] ?? 0, axis: "x", on: "", point: [0, 0, 0] };
    const others = press.shift ? scene.goals : scene.goals.filter(({ kind }) => kind === "hold" || kind === "target");
    this.act.placeGoals([...others, setup], [...this.goals.places(), { id: setup.id, position: at.toArray(), orientation: null }]);
    return this.goals.list.find((one) => one.setup.id === setup.id) ?? null;
  }

  /** Show the name of the joint under the pointer beside it, in a half. */
  showName(half: number): void {
    const { scene } = this.act;
    const at = this.figures[half]!.positions[this.hovered];
    const seen = at && this.stage.project(at, half);
    const hidden = !seen || !scene;
    if (this.label.hidden !== hidden) this.label.hidden = hidden; // writing what it is already would style it anew
    if (!seen || !scene) return;
    this.label.textContent = scene.names[this.hovered] ?? "";
    this.label.style.transform = `translate(${seen.x + 12}px, ${seen.y - 28}px)`;
  }
}
