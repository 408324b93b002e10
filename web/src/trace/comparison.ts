// A summary of each solver of a comparison, one box per half of the view.

import type { PoseFrame } from "../io/frames";
import { el } from "../panel/dom";
import { duration } from "../panel/hud";

export class Comparison {
  readonly node = el("div", { id: "halves", hidden: true });

  hide(): void {
    this.node.hidden = true;
  }

  /** Show how each solve ended and what it cost; `stacked` if the halves lie above each other. */
  show(frames: (PoseFrame | null)[], stacked: boolean): void {
    this.node.hidden = false;
    this.node.classList.toggle("stacked", stacked);
    this.node.replaceChildren(
      ...frames.map((frame, half) => {
        const lines = frame ? summary(frame) : ["…"];
        return el(
          "div",
          { className: "half", data: { half: String(half) } },
          el("strong", {}, frame?.report.solver ?? "…"),
          ...lines.map((line) => el("span", {}, line)),
        );
      }),
    );
  }
}

function summary({ report, iterations, micros }: PoseFrame): string[] {
  const { costs } = report;
  const lines = [`${report.status} in ${iterations} iteration${iterations === 1 ? "" : "s"}, ${duration(micros)}`];
  if (!costs) return lines;
  const turns = `turns ${degrees(costs.sum_of_turns)} in all, ${degrees(costs.largest_turn)} at most`;
  return [...lines, turns, `tip's way ${costs.tip_path.toPrecision(3)}`];
}

const degrees = (radians: number) => `${((radians * 180) / Math.PI).toFixed(0)}°`;
