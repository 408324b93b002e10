// Stepping through a recorded solve, on the stage.

import type { Scene } from "../io/messages";
import { button, el, hint } from "../panel/dom";
import { lengthText } from "../panel/numbers";
import { ErrorPlot } from "./error_plot";
import type { TracePlayer } from "./trace_player";

/** What is drawn, by solver. */
const ABOUT: Record<string, string> = {
  TwoBone: "The two bones and the line to the goal are the sides of a triangle: its angles are the answer, in one step.",
  CCD: "One joint at a time, from the tip to the root: it turns until the blue arrow to the tip points along the orange one to the goal.",
  TargetTriangle:
    "The triangle has this link, all links after it laid straight, and the line to the goal as its sides. The link turns to the triangle's angle, so that the rest can reach.",
  FABRIK:
    "Each purple point is a joint placed at its link's length from the previous point: first from the goal back to the root, then from the root out to the tip.",
  Jacobian:
    "Each purple arrow is a joint's column of the Jacobian times its turn: how far that joint alone moves the tip. Together they should cover the orange arrow, the error.",
};
ABOUT.LM = ABOUT.Jacobian!;

export class StepView {
  readonly node = el("section", { id: "stepper", hidden: true, aria: { label: "Steps of the solve" } });
  private readonly words = el("p", { className: "reason", data: { trace: "words" } });
  private readonly solver = el("strong", { data: { trace: "solver" } });
  private readonly place = el("output", { name: "trace-place" });
  private readonly replay = button("Replay", () => this.tracing.replay(), { title: "Show step after step", name: "trace-replay" });
  private readonly about = hint("");
  private readonly plot: ErrorPlot;
  private shown: Float32Array | null = null;

  constructor(
    home: HTMLElement,
    private readonly tracing: TracePlayer,
    record: () => void,
  ) {
    const chart = el("div", { className: "plot" });
    this.plot = new ErrorPlot(chart, (iteration) => tracing.show(iteration, 0));
    this.node.append(
      el(
        "div",
        { className: "line" },
        this.solver,
        this.place,
        button("✕", () => tracing.close(), { name: "trace-close", title: "Back to live (Escape)", className: "quiet" }),
      ),
      el(
        "div",
        { className: "buttons steps" },
        button("|◀", () => tracing.show(0, 0), { title: "The start", name: "trace-first" }),
        button("◀◀", () => tracing.previous(), { title: "Iteration back (<)", name: "trace-previous" }),
        button("◀", () => tracing.previousStep(), { title: "Step back (,)", name: "trace-step-back" }),
        button("▶", () => tracing.nextStep(), { title: "Step on (.)", name: "trace-step" }),
        button("▶▶", () => tracing.next(), { title: "Iteration on (>)", name: "trace-next" }),
        button("▶|", () => tracing.show(tracing.iterations, 0), { title: "The answer", name: "trace-last" }),
        this.replay,
      ),
      this.words,
      this.about,
      chart,
    );
    home.append(
      hint("Solve once more from the rest pose, step by step."),
      el("div", { className: "buttons" }, button("Record", record, { title: "Record a trace (T)", name: "record" })),
    );
  }

  show(scene: Scene | null): void {
    const { tracing } = this;
    this.node.hidden = !tracing.open;
    this.replay.textContent = tracing.replaying ? "Stop" : "Replay";
    if (!tracing.open || !scene) {
      this.plot.clear();
      this.shown = null;
      return;
    }
    if (this.shown !== tracing.errors) {
      this.shown = tracing.errors;
      this.plot.show(tracing.errors, scene.tolerance);
    }
    this.plot.point(tracing.iteration);
    const solver = tracing.head?.solver ?? "";
    this.solver.textContent = solver;
    this.about.textContent = ABOUT[solver] ?? "";
    const inside = tracing.stepsInside().length;
    const step = inside ? ` · step ${tracing.step} of ${inside}` : "";
    this.place.textContent = `Iteration ${tracing.iteration} of ${tracing.iterations}${step}`;
    const error = tracing.errors[tracing.iteration] ?? 0;
    this.words.textContent = `${tracing.describe(scene.names, scene.parents)}${tracing.step ? "" : `; error ${lengthText(error, scene)}`}`;
  }
}
