// The control panel: a section for each thing that can be set.

import { bodiesSection, bodiesShape, keepsBodies } from "./bodies_section";
import type { PanelActions, PanelStore, SectionContext } from "./context";
import { button, el, section } from "./dom";
import { goalSection } from "./goal_section";
import { jointSection } from "./joint_section";
import { motionSection } from "./motion_section";
import type { RulesSection } from "./rules_section";
import { sceneSection } from "./scene_section";
import { solverSection } from "./solver_section";
import { morphSection, saveSection, viewSection } from "./view_section";

export class Panel {
  readonly node = el("aside", { id: "panel", aria: { label: "Settings" } });
  /** Filled by the view of the trace: how to begin one. */
  readonly steps = el("div", { id: "steps" });
  /** What the controls were built from, and for which scene. */
  private built = "";
  private builtFor = "";
  /** The pointer is down on a control. */
  private pressed = false;
  /** A field has been typed in and has not lost focus. */
  private typed = false;

  constructor(
    private readonly store: PanelStore,
    /** True without Python: what only it can do is left out. */
    private readonly standalone: boolean,
    private readonly rules: RulesSection,
    private readonly act: PanelActions,
  ) {
    this.watchEditing();
    // The only control until the first scene arrives.
    const reset = button("Reset all", () => act.reset(), { name: "reset", title: "Forget everything that was set" });
    this.node.append(el("div", { className: "buttons first" }, reset));
  }

  /** Show which solver "auto" has chosen. */
  showSolver(name: string): void {
    const auto = this.node.querySelector<HTMLOptionElement>('select[name="solver"] option[value="auto"]');
    const label = name ? `auto (${name})` : "auto";
    if (auto && auto.label !== label) auto.label = label;
  }

  /** Defer rebuilds while a control is being edited. */
  private watchEditing(): void {
    const isField = (target: EventTarget | null) => target instanceof Element && target.matches("input[type=number],input[type=text]");
    // An open select captures the pointer: there is no pointerup.
    this.node.addEventListener("pointerdown", ({ target }) => {
      this.pressed = !(target instanceof Element && target.matches("select,option"));
    });
    this.node.addEventListener("input", ({ target }) => {
      this.typed ||= isField(target) && target === document.activeElement;
    });
    const rebuild = () => window.setTimeout(() => this.refresh());
    for (const kind of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(kind, () => {
        if (!this.pressed) return;
        this.pressed = false;
        rebuild();
      });
    }
    for (const kind of ["focusout", "change"]) {
      this.node.addEventListener(kind, () => {
        this.typed = false;
        rebuild();
      });
    }
  }

  /** Rebuild the panel if its controls have changed and none is being edited; `force`: unchanged ones too. */
  refresh(force = false): void {
    const { hello, scene, setup, chosen, morphTargets, report } = this.store;
    if (force) this.built = "";
    // Controls of another scene are not kept.
    const editing = this.builtFor === setup.scene && (this.pressed || this.typed);
    if (!hello || !scene || editing) return;
    const shape = JSON.stringify([
      scene.key,
      scene.goals,
      scene.joints.map((joint) => [joint.kind, joint.labels]),
      scene.motions,
      this.rules.shape(),
      chosen,
      morphTargets,
      setup.scene,
      setup.solver.name,
      setup.compare?.name ?? null,
      setup.start,
      setup.damping === null,
      setup.stretch === null,
      setup.limits,
      setup.flat,
      setup.race,
      this.store.recording,
      scene.solvers,
      scene.notes.length,
      bodiesShape(scene),
      setup.motion,
      setup.edits,
      scene.contacts && [scene.contacts.edited, scene.contacts.slides],
      scene.retargeted,
      report && [report.motion, report.repaired, report.kinds],
      this.act.motion.opened,
      Object.entries(setup.joints).map(([name, edit]) => [name, edit.lock]),
    ]);
    if (shape === this.built) return;
    this.built = shape;
    this.builtFor = setup.scene;
    this.typed = false;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    const scrolled = this.node.scrollTop;
    const { standalone } = this;
    const context: SectionContext = { store: this.store, act: this.act, standalone, hello, scene };
    const body = bodiesSection(context);
    const first = keepsBodies(scene); // what the scene is about comes first
    const sections = [
      sceneSection(context),
      first ? body : null,
      standalone ? null : this.rules.section(),
      solverSection(context),
      jointSection(context),
      standalone ? null : goalSection(context),
      first ? null : body,
      motionSection(context),
      section("Step through", false, this.steps),
      morphSection(context),
      viewSection(context),
      saveSection(context),
    ];
    this.node.replaceChildren(...sections.filter((one) => one !== null));
    this.node.scrollTop = scrolled;
    const field = focused && this.node.querySelector<HTMLElement>(`[name="${CSS.escape(focused)}"]`);
    if (!field) return;
    field.focus();
    if (field instanceof HTMLInputElement) field.select(); // as Tab does
  }
}
