// What the stage says: status and reason in words, figures, states of the connection, help.

import { button, el } from "./dom";
import type { LineState } from "../io/connection";
import type { PoseFrame } from "../io/frames";
import type { Scene } from "../io/messages";

const KEYS: [string, string][] = [
  ["Drag the orange goal", "move it in the plane of the view"],
  ["W, S (held)", "push it away, pull it near"],
  ["Arrow keys", "nudge it; with Shift, farther"],
  ["Drag a joint", "give that joint a goal (Shift: one more)"],
  ["Click a joint", "choose it and lock it; again to unlock"],
  ["Shift-click a joint", "let the chain begin there"],
  ["Drag empty space", "turn the view; right button or two fingers move it"],
  ["Wheel or pinch", "come nearer"],
  ["T", "record a trace and step through it: , and . by step, < and > by iteration"],
  ["Space", "play or pause"],
  ["K", "keep the pose as a keyframe"],
  ["L", "limits on or off"],
  ["H", "camera home"],
  ["P", "panel in or out"],
  ["F", "full screen"],
  ["Tab, Shift-Tab", "the next goal, the one before; then on to the controls"],
  ["?", "this help"],
  ["Escape", "leave what is open"],
];

const AVERAGED = 30;
/** Seconds that something is said which takes a while to read. */
export const LONG = 30;
const LASTING = 100; // seconds from which on a notice is about what goes on until a scene comes

export class Hud {
  readonly node = el("section", { id: "status", aria: { live: "polite" } });
  readonly banner = el("p", { id: "banner", hidden: true, role: "status" });
  readonly notice = el("p", { id: "notice", hidden: true, role: "alert" });
  readonly help = el("dialog", { id: "help", aria: { label: "Keys" } });
  readonly halves = el("div", { id: "halves", hidden: true });
  private readonly title = el("h1", {}, "supple");
  private readonly pill = el("span", { className: "pill" });
  private readonly reason = el("p", { className: "reason" });
  private readonly figures = el("p", { className: "figures" });
  private readonly micros: number[] = [];
  private noticeTimer = 0;
  private lasting = false;

  constructor() {
    this.node.append(this.title, el("div", { className: "line" }, this.pill, this.reason), this.figures);
    const rows = KEYS.map(([key, what]) => el("tr", {}, el("th", {}, key), el("td", {}, what)));
    this.help.append(
      // Focus goes here, not to the button at the end, to which a small screen would scroll.
      el("h2", { tabIndex: -1, autofocus: true }, "Take hold of it"),
      el("table", {}, el("tbody", {}, ...rows)),
      el("p", { className: "hint" }, "Orange: the goal. Light blue: joints that move. Red: at a limit. Dark: locked."),
      button("Close", () => this.help.close(), { name: "close-help" }),
    );
    this.help.addEventListener("click", (event) => {
      if (event.target === this.help) this.help.close();
    });
    this.notice.title = "Click to dismiss";
    this.notice.addEventListener("click", () => this.say(""));
  }

  setScene(scene: Scene): void {
    this.title.textContent = scene.title;
    this.micros.length = 0;
  }

  show(frame: PoseFrame, unitSize: number): void {
    const { report } = frame;
    const playing = report.status === "";
    this.pill.textContent = playing ? "shown" : report.status;
    this.pill.dataset.status = playing ? "shown" : frame.reached ? "reached" : report.status;
    this.reason.textContent = report.reason;
    if (frame.micros > 0) {
      this.micros.push(frame.micros);
      if (this.micros.length > AVERAGED) this.micros.shift();
    }
    const time = this.micros.length ? `${duration(median(this.micros))} a solve` : "";
    const error = playing ? "" : `error ${round(frame.error, unitSize)}`;
    const turns = playing ? "" : `${frame.iterations} iteration${frame.iterations === 1 ? "" : "s"}`;
    this.figures.textContent = [report.solver, turns, error, time].filter(Boolean).join(" · ");
  }

  /** The two halves of a comparison, each with its figures and costs. */
  showHalves(frames: (PoseFrame | null)[], on: boolean, stacked: boolean): void {
    this.halves.hidden = !on;
    this.halves.classList.toggle("stacked", stacked);
    if (!on) return;
    this.halves.replaceChildren(
      ...frames.map((frame, half) => {
        const costs = frame?.report.costs;
        const lines = frame
          ? [
              `${frame.report.status} in ${frame.iterations} iteration${frame.iterations === 1 ? "" : "s"}, ${duration(frame.micros)}`,
              costs ? `turns ${deg(costs.sum_of_turns)} in all, ${deg(costs.largest_turn)} at most` : "",
              costs ? `tip's way ${costs.tip_path.toPrecision(3)}` : "",
            ]
          : ["…"];
        return el(
          "div",
          { className: "half", data: { half: String(half) } },
          el("strong", {}, frame?.report.solver ?? "…"),
          ...lines.filter(Boolean).map((line) => el("span", {}, line)),
        );
      }),
    );
  }

  setLine(state: LineState): void {
    const words: Record<LineState, string> = {
      connecting: "Connecting…",
      open: "",
      lost: "Connection lost. Trying again… what you set is kept.",
      refused: "supple was started anew: open the address that it printed.",
    };
    this.banner.textContent = words[state];
    this.banner.hidden = state === "open";
    this.banner.dataset.state = state;
  }

  /** Say something for so many seconds, or until it is put right; a click has it go. */
  say(text: string, kind: "error" | "info" = "error", seconds = 12): void {
    window.clearTimeout(this.noticeTimer);
    this.lasting = seconds >= LASTING;
    this.notice.textContent = text;
    this.notice.dataset.kind = kind;
    this.notice.hidden = text === "";
    if (text && seconds < Infinity) this.noticeTimer = window.setTimeout(() => this.say(""), 1000 * seconds);
  }

  /** A scene has come: what was said about getting there is over. */
  sceneCame(): void {
    if (this.lasting) this.say("");
  }

  /** Whether something is said that is wrong. */
  get complaining(): boolean {
    return this.saying !== "" && this.notice.dataset.kind === "error";
  }

  get saying(): string {
    return this.notice.hidden ? "" : (this.notice.textContent ?? "");
  }
}

/** A time in microseconds, as people write it. */
function duration(micros: number): string {
  return micros < 10_000 ? `${micros.toFixed(0)} µs` : `${(micros / 1000).toFixed(0)} ms`;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round(error: number, size: number): string {
  return error < 1e-6 * size ? "0" : error.toPrecision(2);
}

const deg = (radians: number) => `${((radians * 180) / Math.PI).toFixed(0)}°`;
