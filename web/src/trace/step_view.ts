// The panel's section for stepping through a recorded solve.

import type { Scene } from "../io/messages";
import { button, el, hint } from "../panel/dom";
import { ErrorPlot } from "./error_plot";
import type { TracePlayer } from "./trace_player";

export class StepView {
  private readonly words = el("p", { className: "reason", data: { trace: "words" } });
  private readonly solver = el("strong", { data: { trace: "solver" } });
  private readonly place = el("output", { name: "trace-place" });
  private readonly replay = button("Replay", () => this.tracing.replay(), { title: "Show step after step", name: "trace-replay" });
  private readonly plot: ErrorPlot;
  private readonly controls: HTMLElement;
  private shown: Float32Array | null = null;

  constructor(
    home: HTMLElement,
    private readonly tracing: TracePlayer,
    record: () => void,
  ) {
    const chart = el("div", { className: "plot" });
    this.plot = new ErrorPlot(chart, (iteration) => tracing.show(iteration, 0));
    this.controls = el(
      "div",
      { hidden: true },
      el(
        "div",
        { className: "buttons steps" },
        button("|◀", () => tracing.show(0, 0), { title: "The start", name: "trace-first" }),
        button("◀◀", () => tracing.previous(), { title: "Iteration back (<)", name: "trace-previous" }),
        button("◀", () => tracing.previousStep(), { title: "Step back (,)", name: "trace-step-back" }),
        button("▶", () => tracing.nextStep(), { title: "Step on (.)", name: "trace-step" }),
        button("▶▶", () => tracing.next(), { title: "Iteration on (>)", name: "trace-next" }),
        button("▶|", () => tracing.show(tracing.iterations, 0), { title: "The answer", name: "trace-last" }),
      ),
      this.solver,
      this.place,
      this.words,
      chart,
      el("div", { className: "buttons" }, this.replay, button("Back to live", () => tracing.close(), { name: "trace-close" })),
    );
    home.append(
      hint("Solve once more from the rest pose, and watch how."),
      el("div", { className: "buttons" }, button("Record", record, { title: "Record a trace (T)", name: "record" })),
      this.controls,
    );
  }

  show(scene: Scene | null): void {
    const { tracing } = this;
    this.controls.hidden = !tracing.open;
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
    this.solver.textContent = tracing.head?.solver ?? "";
    const inside = tracing.stepsInside().length;
    const step = inside ? ` · step ${tracing.step} of ${inside}` : "";
    this.place.textContent = `Iteration ${tracing.iteration} of ${tracing.iterations}${step}`;
    const error = tracing.errors[tracing.iteration] ?? 0;
    this.words.textContent = `${tracing.describe(scene.names, scene.parents)}${tracing.step ? "" : `; error ${error.toPrecision(3)}`}`;
  }
}
