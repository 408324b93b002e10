// A summary of each solver of a comparison, one box per part of the view; of a race, also who is best at what.

import type { PoseFrame } from "../io/frames";
import type { Scene } from "../io/messages";
import { el } from "../panel/dom";
import { duration } from "../panel/hud";
import { lengthText } from "../panel/numbers";
import type { Box } from "../scene/framing";

/** What is compared: in words, for a frame, as a number of which less is better. */
interface Measure {
  title: string;
  value(frame: PoseFrame): number;
  text(value: number, scene: Scene): string;
}

const MEASURES: Measure[] = [
  { title: "iter.", value: ({ iterations }) => iterations, text: String },
  { title: "error", value: ({ error }) => error, text: (value, scene) => lengthText(value, scene) },
  { title: "turns", value: ({ report }) => report.costs?.sum_of_turns ?? 0, text: (value) => degrees(value) },
  { title: "time", value: ({ micros }) => micros, text: duration },
];

export class Comparison {
  readonly node = el("div", { id: "halves", hidden: true });

  hide(): void {
    this.node.hidden = true;
  }

  /** Show how each solve ended and what it cost, at the bottom of each part; `free` is a part that none needs. */
  show(frames: (PoseFrame | null)[], parts: readonly Box[], free: Box | null, scene: Scene): void {
    this.node.hidden = false;
    const race = parts.length > 2;
    this.node.classList.toggle("race", race);
    const lowest = Math.max(...parts.map(({ top, height }) => top + height));
    const boxes = parts.map((part, half) => {
      const frame = frames[half] ?? null;
      const lines = frame ? summary(frame, scene) : ["…"];
      const status = frame?.reached ? "reached" : (frame?.report.status ?? "");
      const box = el(
        "div",
        { className: race ? "half small" : "half", data: { half: String(half), status } },
        el("strong", {}, frame?.report.solver ?? "…"),
        ...lines.map((line) => el("span", {}, line)),
      );
      put(box, part);
      box.classList.toggle("lowest", part.top + part.height >= lowest - 1);
      return box;
    });
    const known = frames.slice(0, parts.length).filter((frame) => frame !== null);
    this.node.replaceChildren(...boxes, ...(race && free && known.length === parts.length ? [standings(known, free, scene)] : []));
  }
}

function put(box: HTMLElement, { left, top, width, height }: Box): void {
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

/** All solvers in a table; the best of each column is marked, of those that have reached the goal if any has. */
function standings(frames: PoseFrame[], place: Box, scene: Scene): HTMLElement {
  const arrived = frames.filter(({ reached }) => reached);
  const counted = arrived.length ? arrived : frames;
  const best = MEASURES.map(({ value }) => Math.min(...counted.map(value)));
  const head = el("tr", {}, el("th"), ...MEASURES.map(({ title }) => el("th", {}, title)));
  const rows = frames.map((frame) => {
    const cells = MEASURES.map(({ value, text }, k) => {
      const wins = counted.includes(frame) && value(frame) === best[k];
      return el("td", { className: wins ? "best" : "" }, text(value(frame), scene));
    });
    return el("tr", {}, el("th", {}, frame.report.solver), ...cells);
  });
  const box = el("div", { id: "standings" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  put(box, place);
  return box;
}

function summary({ report, iterations, error, micros }: PoseFrame, scene: Scene): string[] {
  const { costs } = report;
  const lines = [`${report.status} in ${iterations} iteration${iterations === 1 ? "" : "s"}`, `error ${lengthText(error, scene)} · ${duration(micros)}`];
  if (!costs) return lines;
  const turns = `turns ${degrees(costs.sum_of_turns)}, most ${degrees(costs.largest_turn)}`;
  return [...lines, turns, `tip's path ${lengthText(costs.tip_path, scene)}`];
}

const degrees = (radians: number) => `${((radians * 180) / Math.PI).toFixed(0)}°`;
