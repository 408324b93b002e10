// The control panel: everything that can be switched and tuned.

import { button, degrees, el, hint, number, radians, row, section, select, slider, toggle } from "./dom";
import type { GoalKind, GoalSetup, Hello, JointInfo, OptionInfo, SaveFormat, Scene, SolverChoice } from "./messages";
import type { Growing } from "./growing";
import { freshScene, type Store } from "./store";

export interface Actions {
  choose(joint: number): void;
  record(): void;
  save(format: SaveFormat | "png" | "settings"): void;
  openFiles(): void;
  reset(): void;
  resetPose(): void;
  home(): void;
  fullScreen(): void;
  help(): void;
}

const KINDS: { value: GoalKind; label: string }[] = [
  { value: "reach", label: "reach" },
  { value: "pose", label: "reach and turn" },
  { value: "look", label: "look at" },
  { value: "pole", label: "bend towards" },
  { value: "hold", label: "hold" },
];

export class Panel {
  readonly node = el("aside", { id: "panel", aria: { label: "Settings" } });
  /** Filled by the trace view. */
  readonly steps = el("div", { id: "steps" });
  hello: Hello | null = null;
  scene: Scene | null = null;
  chosen = -1;
  private built = "";
  /** A control is held with the pointer, or a field has been typed in and not yet left. */
  private pressed = false;
  private typed = false;

  constructor(
    private readonly store: Store,
    private readonly growing: Growing,
    private readonly act: Actions,
  ) {
    this.watchHands();
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
    const held = this.node.childElementCount > 0 && (this.pressed || this.typed);
    if (!hello || !scene || held) return;
    const { setup } = this.store;
    const shape = JSON.stringify([
      scene.key,
      scene.goals,
      scene.joints.map((joint) => [joint.kind, joint.labels]),
      scene.motions,
      this.growing.shape(),
      this.chosen,
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
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    const scrolled = this.node.scrollTop;
    this.node.replaceChildren(
      this.sceneSection(hello, scene),
      ...([this.growing.section()].filter(Boolean) as HTMLElement[]),
      this.solverSection(hello),
      this.jointSection(scene),
      this.goalSection(scene),
      section("Step through", false, this.steps),
      this.lookSection(scene),
      this.saveSection(),
    );
    this.node.scrollTop = scrolled;
    const field = focused && this.node.querySelector<HTMLElement>(`[name="${CSS.escape(focused)}"]`);
    if (!field) return;
    field.focus();
    if (field instanceof HTMLInputElement) field.select(); // as when it was come to with Tab
  }

  // Sections -------------------------------------------------------------------------------------

  private sceneSection(hello: Hello, scene: Scene): HTMLElement {
    const { setup } = this.store;
    const scenes = hello.scenes.map(({ name, title }) => ({ value: name, label: title }));
    if (setup.scene.startsWith("file:")) scenes.push({ value: setup.scene, label: scene.title });
    const parts: HTMLElement[] = [
      row(
        "Scene",
        select("scene", scenes, setup.scene, (value) =>
          this.store.set({ ...freshScene(value), limits: value !== "snake" }),
        ),
      ),
    ];
    if (setup.scene === "snake") {
      parts.push(
        row(
          "Links",
          slider("links", setup.lengths?.length ?? setup.links, { min: 1, max: 64, step: 1 }, (links) =>
            this.store.set({ links, lengths: null, joints: {} }),
          ),
        ),
      );
    }
    if (setup.scene === "snake" || setup.scene === "arm") {
      parts.push(this.lengthsRow());
      parts.push(
        row(
          "Flat (2-D)",
          toggle("flat", setup.flat, (flat) => this.store.set({ flat, joints: {} })),
          "Hinges in the plane, as in the drawings on paper",
        ),
      );
    }
    parts.push(
      el(
        "div",
        { className: "buttons" },
        button("Open a file…", () => this.act.openFiles(), { name: "open", title: hello.formats.join(" ") }),
        button("Reset pose", () => this.act.resetPose(), { name: "reset-pose" }),
      ),
    );
    for (const note of scene.notes.slice(0, 4)) parts.push(hint(note));
    return section("Scene", true, ...parts);
  }

  private lengthsRow(): HTMLElement {
    const { setup } = this.store;
    const field = el("input", {
      type: "text",
      name: "lengths",
      value: setup.lengths?.join(" ") ?? "",
      placeholder: setup.scene === "arm" ? "9 9 9 9 4" : "even",
    });
    field.addEventListener("change", () => {
      const lengths = field.value.split(/[\s,;-]+/).filter(Boolean).map(Number);
      const fits = lengths.every((length) => Number.isFinite(length) && length > 0) && lengths.length <= 200;
      field.classList.toggle("wrong", !fits);
      if (fits) this.store.set({ lengths: lengths.length ? lengths : null, joints: {} });
    });
    return row("Lengths", field, "Lengths of the links, base first");
  }

  private solverSection(hello: Hello): HTMLElement {
    const { setup } = this.store;
    const names = hello.solvers.map(({ name }) => ({ value: name, label: name }));
    const parts: HTMLElement[] = [
      row(
        "Solver",
        select("solver", names, setup.solver.name, (name) => this.store.set({ solver: { name, options: {} } })),
        hello.solvers.find(({ name }) => name === setup.solver.name)?.about ?? "",
      ),
      ...this.options(hello, setup.solver, (solver) => this.store.set({ solver }), ""),
      row(
        "Compare with",
        select("compare", [{ value: "", label: "—" }, ...names], setup.compare?.name ?? "", (name) =>
          this.store.set({ compare: name ? { name, options: {} } : null, start: name ? "rest" : "previous" }),
        ),
        "Two solvers side by side on the same goal",
      ),
    ];
    if (setup.compare) {
      parts.push(...this.options(hello, setup.compare, (compare) => this.store.set({ compare }), "compare-"));
    }
    parts.push(
      row(
        "Tolerance",
        number("tolerance", setup.tolerance, { min: 1e-9, optional: true, placeholder: "1e-4 of the chain" }, (tolerance) =>
          this.store.set({ tolerance }),
        ),
        "How near counts as reached, in the model's unit",
      ),
      row(
        "Out of reach",
        select(
          "unreachable",
          [
            { value: "approach", label: "come near" },
            { value: "keep", label: "stay" },
          ],
          setup.unreachable,
          (value) => this.store.set({ unreachable: value as "approach" | "keep" }),
        ),
      ),
      row(
        "Start from",
        select(
          "start",
          [
            { value: "previous", label: "the last answer" },
            { value: "rest", label: "the rest pose" },
          ],
          setup.start,
          (value) => this.store.set({ start: value as "previous" | "rest" }),
        ),
      ),
    );
    return section("Solver", true, ...parts);
  }

  private options(
    hello: Hello,
    choice: SolverChoice,
    set: (choice: SolverChoice) => void,
    prefix: string,
  ): HTMLElement[] {
    const solver = hello.solvers.find(({ name }) => name === choice.name);
    return (solver?.options ?? []).map((option) => {
      const change = (value: boolean | number | string | null) => {
        const current = prefix ? this.store.setup.compare : this.store.setup.solver;
        const options = { ...(current ?? choice).options, [option.name]: value };
        if (value === option.default) delete options[option.name];
        set({ name: choice.name, options });
      };
      const value = option.name in choice.options ? choice.options[option.name]! : option.default;
      return row(option.name.replaceAll("_", " "), this.option(option, prefix, value ?? null, change), option.about);
    });
  }

  private option(
    option: OptionInfo,
    prefix: string,
    value: boolean | number | string | null,
    change: (value: boolean | number | string | null) => void,
  ): HTMLElement {
    const name = `${prefix}option-${option.name}`;
    if (option.kind === "flag") return toggle(name, value === true, change);
    if (option.kind === "choice") {
      return select(name, option.choices.map((one) => ({ value: one, label: one })), String(value), change);
    }
    const whole = option.kind === "whole";
    return number(
      name,
      typeof value === "number" ? value : null,
      { min: 0, ...(whole ? { step: 1 } : {}), optional: option.optional, placeholder: option.optional ? "none" : "" },
      (next) => {
        if (!whole || next === null || Number.isInteger(next)) change(next);
      },
    );
  }

  private jointSection(scene: Scene): HTMLElement {
    const { setup } = this.store;
    const parts: HTMLElement[] = [row("Limits", toggle("limits", setup.limits, (limits) => this.store.set({ limits })))];
    parts.push(
      row(
        "Damping",
        toggle("damping", setup.damping !== null, (on) => this.store.set({ damping: on ? radians(5) : null })),
        "Cap the change of every joint in an iteration",
      ),
    );
    if (setup.damping !== null) {
      parts.push(
        row(
          "° an iteration",
          slider("damping-angle", degrees(setup.damping), { min: 0.5, max: 45, step: 0.5 }, (angle) =>
            this.store.set({ damping: radians(angle) }),
          ),
        ),
      );
    }
    parts.push(
      row(
        "Stretch",
        toggle("stretch", setup.stretch !== null, (on) => this.store.set({ stretch: on ? 1.5 : null })),
        "Let links grow where the goal is out of reach",
      ),
    );
    if (setup.stretch !== null) {
      parts.push(
        row(
          "at most ×",
          slider("stretch-factor", setup.stretch, { min: 1, max: 4, step: 0.05 }, (stretch) => this.store.set({ stretch })),
        ),
      );
    }
    const joints = scene.names.slice(0, scene.joints.length).map((name, k) => ({
      value: String(k),
      label: `${name}${setup.joints[name]?.lock ? " (locked)" : ""}`,
    }));
    parts.push(
      row(
        "Joint",
        select("joint", [{ value: "-1", label: "choose or click one" }, ...joints], String(this.chosen), (value) =>
          this.act.choose(Number(value)),
        ),
      ),
    );
    const joint = scene.joints[this.chosen];
    if (joint) parts.push(el("div", { className: "card" }, ...this.jointRows(scene.names[this.chosen]!, joint)));
    return section("Joints", true, ...parts);
  }

  private jointRows(name: string, joint: JointInfo): HTMLElement[] {
    const edit = this.store.setup.joints[name];
    const rows = [
      hint(`${joint.kind}${joint.moves ? "" : ", not part of the chain"}`),
      row("Lock", toggle("lock", edit?.lock ?? false, (lock) => this.store.edit(name, { lock }))),
      row(
        "Damping °",
        number(
          "joint-damping",
          edit?.damping == null ? null : degrees(edit.damping),
          { min: 0, max: 180, optional: true, placeholder: "as all" },
          (value) => this.store.edit(name, { damping: value === null ? null : radians(value) }),
        ),
        "Greatest change in an iteration; 0 for no cap",
      ),
      row(
        "Stiffness",
        slider("joint-stiffness", edit?.stiffness ?? joint.stiffness, { min: 0, max: 0.95, step: 0.05 }, (stiffness) =>
          this.store.edit(name, { stiffness }),
        ),
      ),
    ];
    if (joint.kind === "Ball" || joint.kind === "Cone") rows.push(...this.coneRows(name, joint));
    else if (joint.kind !== "Fixed" && joint.kind !== "Free") rows.push(...this.axisRows(name, joint));
    return rows;
  }

  /** Limits need to be on to be seen. */
  private editLimits(name: string, change: Parameters<Store["edit"]>[1]): void {
    if (!this.store.setup.limits) this.store.setup.limits = true;
    this.store.edit(name, change);
  }

  private coneRows(name: string, joint: JointInfo): HTMLElement[] {
    const edit = this.store.setup.joints[name];
    const swing = edit?.swing ?? joint.swing;
    const twist = edit?.twist ?? joint.limits[0] ?? [null, null];
    return [
      row(
        "Cone °",
        number("swing", swing === null ? null : degrees(swing), { min: 0, max: 180, optional: true, placeholder: "open" }, (value) =>
          this.editLimits(name, { swing: value === null ? null : radians(value) }),
        ),
        "Greatest tilt away from rest",
      ),
      row("Twist °", this.pair(twist, "twist", (range) => this.editLimits(name, { twist: range }))),
    ];
  }

  private axisRows(name: string, joint: JointInfo): HTMLElement[] {
    const slides = joint.kind === "Slider";
    return joint.labels.map((label, k) => {
      const given = this.store.setup.joints[name]?.limits?.[k] ?? joint.limits[k] ?? [null, null];
      const change = (range: [number | null, number | null]) => {
        const rows = [...(this.store.setup.joints[name]?.limits ?? joint.limits)];
        rows[k] = range;
        this.editLimits(name, { limits: rows });
      };
      const title = slides ? "Slide" : `Turn${label ? ` ${label}` : ""} °`;
      return row(title, this.pair(given, `limit-${label || "turn"}`, change, slides));
    });
  }

  /** Two fields for a range; angles are shown in degrees. */
  private pair(
    range: [number | null, number | null],
    name: string,
    change: (range: [number | null, number | null]) => void,
    lengths = false,
  ): HTMLElement {
    const show = (value: number | null) => (value === null ? null : lengths ? value : degrees(value));
    const read = (value: number | null) => (value === null ? null : lengths ? value : radians(value));
    const now: [number | null, number | null] = [range[0], range[1]];
    const field = (k: 0 | 1) =>
      number(`${name}-${k ? "max" : "min"}`, show(now[k]), { optional: true, placeholder: k ? "max" : "min" }, (value) => {
        now[k] = read(value);
        if (now[0] === null || now[1] === null || now[0] <= now[1]) change([now[0], now[1]]);
      });
    return el("span", { className: "pair" }, field(0), field(1));
  }

  private goalSection(scene: Scene): HTMLElement {
    const effectors = scene.names.map((name) => ({ value: name, label: name }));
    const set = (goals: GoalSetup[]) => this.store.set({ goals });
    const own = scene.goals.filter(({ kind }) => kind !== "target");
    const cards = own.map((goal, k) => {
      const change = (part: Partial<GoalSetup>) => {
        set(own.map((one, at) => (at === k ? { ...one, ...part } : one)));
      };
      const parts = [
        row("Effector", select(`goal-${k}-effector`, effectors, goal.effector, (effector) => change({ effector, id: freshId(scene) }))),
        row("What", select(`goal-${k}-kind`, KINDS, goal.kind, (kind) => change({ kind: kind as GoalKind }))),
      ];
      if (goal.kind === "look") {
        const axes = ["x", "y", "z", "-x", "-y", "-z"].map((axis) => ({ value: axis, label: axis }));
        parts.push(row("Axis", select(`goal-${k}-axis`, axes, goal.axis, (axis) => change({ axis }))));
      }
      if (goal.kind !== "pole") {
        const depth = Math.min(depthOf(scene, goal.effector), 64);
        parts.push(
          row(
            "Depth",
            slider(`goal-${k}-depth`, goal.depth, { min: 0, max: depth, step: 1 }, (value) => change({ depth: value })),
            "How many joints may move; 0: all up to the root",
          ),
        );
      }
      if (own.length > 1 || scene.grown) {
        parts.push(button("Remove", () => set(own.filter((_, at) => at !== k)), { className: "quiet", name: `goal-${k}-remove` }));
      }
      return el("div", { className: "card" }, ...parts);
    });
    const add = button(
      "Add a goal",
      () => {
        const used = new Set(scene.goals.map((goal) => goal.effector));
        const free = [...scene.names].reverse().find((name) => !used.has(name)) ?? scene.names[0]!;
        set([...own, { id: freshId(scene), kind: "reach", effector: free, depth: 0, axis: "x" }]);
      },
      { name: "add-goal" },
    );
    return section("Goals", false, ...cards, el("div", { className: "buttons" }, add), hint("Drag a joint to give it a goal of its own; with Shift, beside the others."));
  }

  private lookSection(scene: Scene): HTMLElement {
    const { look } = this.store;
    const parts = [
      row(
        "Theme",
        select(
          "theme",
          ["auto", "dark", "light"].map((value) => ({ value, label: value })),
          look.theme,
          (theme) => this.store.setLook({ theme: theme as "auto" | "dark" | "light" }),
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
          (quality) => this.store.setLook({ quality: quality as "fine" | "plain" }),
        ),
      ),
      row(
        "Sensitivity",
        slider("sensitivity", look.sensitivity, { min: 0.2, max: 3, step: 0.1 }, (sensitivity) => this.store.setLook({ sensitivity })),
        "Of pointer and keys",
      ),
      row("Limits drawn", toggle("show-limits", look.limits, (limits) => this.store.setLook({ limits }))),
      row("Joint frames", toggle("show-frames", look.frames, (frames) => this.store.setLook({ frames }))),
      row("Bones", toggle("show-bones", look.bones, (bones) => this.store.setLook({ bones }))),
    ];
    if (scene.meshes) parts.push(row("Skin", toggle("show-mesh", look.mesh, (mesh) => this.store.setLook({ mesh }))));
    parts.push(
      el(
        "div",
        { className: "buttons" },
        button("Full screen", () => this.act.fullScreen(), { name: "full-screen" }),
        button("Camera home", () => this.act.home(), { name: "home" }),
        button("Reset all", () => this.act.reset(), { name: "reset" }),
        button("Keys ?", () => this.act.help(), { name: "help" }),
      ),
    );
    return section("View", false, ...parts);
  }

  private saveSection(): HTMLElement {
    const kinds: [SaveFormat | "png" | "settings", string][] = [
      ["png", "Picture"],
      ["glb", "GLB"],
      ["bvh", "BVH"],
      ["smd", "SMD"],
      ["json", "Pose"],
      ["trace", "Trace"],
      ["settings", "Settings"],
    ];
    const buttons = kinds.map(([kind, label]) => button(label, () => this.act.save(kind), { name: `save-${kind}` }));
    return section("Save", false, el("div", { className: "buttons" }, ...buttons));
  }
}

function freshId(scene: Scene): string {
  let k = scene.goals.length + 1;
  while (scene.goals.some((goal) => goal.id === `goal${k}`)) k += 1;
  return `goal${k}`;
}

/** How many joints are above a joint or tip. */
export function depthOf(scene: Scene, name: string): number {
  let k = scene.names.indexOf(name);
  let depth = 0;
  while ((k = scene.parents[k] ?? -1) >= 0) depth += 1;
  return depth;
}
