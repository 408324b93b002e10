// A summary of each solver of a comparison, one box per part of the view.

import type { PoseFrame } from "../io/frames";
import type { Scene } from "../io/messages";
import { el } from "../panel/dom";
import { duration } from "../panel/hud";
import { lengthText } from "../panel/numbers";
import type { Box } from "../scene/framing";

export class Comparison {
  readonly node = el("div", { id: "halves", hidden: true });

  hide(): void {
    this.node.hidden = true;
  }

  /** Show how each solve ended and what it cost, at the bottom of each part. */
  show(frames: (PoseFrame | null)[], parts: readonly Box[], scene: Scene): void {
    this.node.hidden = false;
    const lowest = Math.max(...parts.map(({ top, height }) => top + height));
    const boxes = parts.map(({ left, top, width, height }, half) => {
      const frame = frames[half] ?? null;
      const lines = frame ? summary(frame, scene) : ["…"];
      const status = frame?.reached ? "reached" : (frame?.report.status ?? "");
      const box = el(
        "div",
        { className: parts.length > 2 ? "half small" : "half", data: { half: String(half), status } },
        el("strong", {}, frame?.report.solver ?? "…"),
        ...lines.map((line) => el("span", {}, line)),
      );
      Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      box.classList.toggle("lowest", top + height >= lowest - 1);
      return box;
    });
    this.node.replaceChildren(...boxes);
  }
}

function summary({ report, iterations, error, micros }: PoseFrame, scene: Scene): string[] {
  const { costs } = report;
  const lines = [`${report.status} in ${iterations} iteration${iterations === 1 ? "" : "s"}, ${duration(micros)}`, `error ${lengthText(error, scene)}`];
  if (!costs) return lines;
  const turns = `turns ${degrees(costs.sum_of_turns)} in all, ${degrees(costs.largest_turn)} at most`;
  return [...lines, turns, `tip's way ${lengthText(costs.tip_path, scene)}`];
}

const degrees = (radians: number) => `${((radians * 180) / Math.PI).toFixed(0)}°`;
