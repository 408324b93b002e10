// The control panel: everything that can be switched and tuned.

import { button, el, section } from "./dom";
import type { Growing } from "./rules_section";
import type { Hello, Scene } from "../io/messages";
import type { Actions, Offer } from "./context";
import { goalSection } from "./goal_section";
import { jointSection } from "./joint_section";
import { sceneSection } from "./scene_section";
import { solverSection } from "./solver_section";
import { saveSection, shapeSection, viewSection } from "./view_section";
import type { Shape } from "../scene/skins";
import type { Store } from "../app/store";

export class Panel {
  readonly node = el("aside", { id: "panel", aria: { label: "Settings" } });
  /** Filled by the trace view. */
  readonly steps = el("div", { id: "steps" });
  hello: Hello | null = null;
  scene: Scene | null = null;
  chosen = -1;
  /** The morph targets of what is on the stage. */
  shapes: Shape[] = [];
  private built = "";
  /** The scene that it was built for. */
  private builtFor = "";
  /** A control is held with the pointer, or a field has been typed in and not yet left. */
  private pressed = false;
  private typed = false;

  constructor(
    private readonly store: Store,
    private readonly growing: Growing,
    private readonly act: Actions,
  ) {
    this.watchHands();
    // Until there is a scene to set anything of, this is all that can be done.
    const reset = button("Reset all", () => act.reset(), { name: "reset", title: "Forget everything that was set" });
    this.node.append(el("div", { className: "buttons first" }, reset));
  }

  /** Open the section that something is in, and bring it into view. */
  reveal(inside: HTMLElement): void {
    const box = inside.closest("details");
    if (!box) return;
    box.open = true;
    const { node } = this;
    node.scrollTop += box.getBoundingClientRect().top - node.getBoundingClientRect().top;
  }

  /** What a person is at must not be replaced under their hands; it is when they let go. */
  private watchHands(): void {
    const isField = (target: EventTarget | null) => target instanceof Element && target.matches("input[type=number],input[type=text]");
    // A list that opens keeps the pointer to itself: nothing says when it is let go.
    this.node.addEventListener("pointerdown", ({ target }) => {
      this.pressed = !(target instanceof Element && target.matches("select,option"));
    });
    this.node.addEventListener("input", ({ target }) => {
      this.typed ||= isField(target) && target === document.activeElement;
    });
    const letGo = () => window.setTimeout(() => this.refresh());
    for (const kind of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(kind, () => {
        if (!this.pressed) return;
        this.pressed = false;
        letGo();
      });
    }
    for (const kind of ["focusout", "change"]) {
      this.node.addEventListener(kind, () => {
        this.typed = false;
        letGo();
      });
    }
  }

  /** Build the panel anew if what it offers has changed, as soon as nobody has a hand on it. */
  refresh(force = false): void {
    const { hello, scene } = this;
    if (force) this.built = "";
    const { setup } = this.store;
    // What belongs to a scene that has gone is in nobody's way.
    const held = this.builtFor === setup.scene && (this.pressed || this.typed);
    if (!hello || !scene || held) return;
    const shape = JSON.stringify([
      scene.key,
      scene.goals,
      scene.joints.map((joint) => [joint.kind, joint.labels]),
      scene.motions,
      this.growing.shape(),
      this.chosen,
      this.shapes,
      setup.scene,
      setup.solver.name,
      setup.compare?.name ?? null,
      setup.start,
      setup.damping === null,
      setup.stretch === null,
      setup.limits,
      setup.flat,
      Object.entries(setup.joints).map(([name, edit]) => [name, edit.lock]),
    ]);
    if (shape === this.built) return;
    this.built = shape;
    this.builtFor = setup.scene;
    this.typed = false;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    const scrolled = this.node.scrollTop;
    const offer: Offer = { store: this.store, act: this.act, hello, scene, chosen: this.chosen, shapes: this.shapes };
    const sections = [
      sceneSection(offer),
      this.growing.section(),
      solverSection(offer),
      jointSection(offer),
      goalSection(offer),
      section("Step through", false, this.steps),
      shapeSection(offer),
      viewSection(offer),
      saveSection(offer),
    ];
    this.node.replaceChildren(...sections.filter((one) => one !== null));
    this.node.scrollTop = scrolled;
    const field = focused && this.node.querySelector<HTMLElement>(`[name="${CSS.escape(focused)}"]`);
    if (!field) return;
    field.focus();
    if (field instanceof HTMLInputElement) field.select(); // as when it was come to with Tab
  }
}
