// Over the scene: the status of the solve, the state of the connection, notices.

import type { LineState } from "../io/connection";
import type { PoseFrame } from "../io/frames";
import type { Scene } from "../io/messages";
import { button, el } from "./dom";
import { lengthText, readable } from "./numbers";

/** Something to do about a notice: a button. */
export interface NoticeAction {
  label: string;
  act(): void;
}

/** Show a notice for some seconds. */
export type Say = (text: string, kind?: "error" | "info", seconds?: number, actions?: NoticeAction[]) => void;

const AVERAGED_SOLVES = 30;
const TEXT_PAUSE = 100; // [ms] between two texts: nobody reads faster, and each lays out the page
/** Seconds for which a long notice is shown. */
export const LONG_NOTICE = 30;
const LASTING_NOTICE = 100; // [s]: a notice with at least this duration ends when a scene arrives

export class Hud {
  readonly node = el("section", { id: "status", aria: { live: "polite" } });
  readonly banner = el("p", { id: "banner", hidden: true, role: "status" });
  readonly notice = el("p", { id: "notice", hidden: true, role: "alert" });
  private readonly text = el("span");
  private readonly title = el("h1", {}, "supple");
  private readonly pill = el("span", { className: "pill" });
  private readonly about = el("p", { className: "about" });
  private readonly reason = el("p", { className: "reason" });
  private readonly numbers = el("p", { className: "figures" });
  private readonly micros: number[] = [];
  private noticeTimer = 0;
  private lasting = false;
  /** The solve whose text is not written yet, and the timer until it may be. */
  private latest: { frame: PoseFrame; scene: Scene } | null = null;
  private writing = 0;
  /** The last solve that moved something. */
  private moved: PoseFrame | null = null;

  constructor() {
    this.node.append(this.title, this.about, el("div", { className: "line" }, this.pill, this.reason), this.numbers);
    this.notice.title = "Click to dismiss";
    this.notice.addEventListener("click", () => this.say(""));
  }

  setScene(scene: Scene): void {
    this.title.textContent = scene.title;
    this.about.textContent = scene.about;
    this.micros.length = 0;
    this.moved = null;
  }

  /** Show how a solve ended. A check that found all goals met does not replace the solve that met them. */
  show(frame: PoseFrame, scene: Scene): void {
    const { report } = frame;
    const { moved } = this;
    const check = moved !== null && frame.iterations === 0 && frame.reached && moved.reached && moved.report.solver === report.solver;
    if (check) return;
    this.moved = frame.iterations > 0 ? frame : null;
    if (frame.micros > 0) {
      this.micros.push(frame.micros);
      if (this.micros.length > AVERAGED_SOLVES) this.micros.shift();
    }
    const status = report.status || "shown";
    const changed = this.pill.textContent !== status;
    if (changed) this.pill.textContent = this.pill.dataset.status = status;
    this.latest = { frame, scene };
    if (this.writing && !changed) return; // another status comes with its reason
    this.write();
    if (this.writing) return;
    this.writing = window.setTimeout(() => {
      this.writing = 0;
      if (this.latest) this.write();
    }, TEXT_PAUSE);
  }

  /** True if the text is older than the pose. */
  get pending(): boolean {
    return this.latest !== null;
  }

  /** Write the reason and the numbers of the latest solve. */
  private write(): void {
    const { frame, scene } = this.latest!;
    this.latest = null;
    const { report } = frame;
    const playing = report.status === "";
    this.reason.textContent = readable(report.reason, scene);
    const time = this.micros.length ? `${duration(median(this.micros))} a solve` : "";
    // Rules have tolerances of their own: what they reached has no error to tell.
    const grown = scene.grown !== null && frame.micros === 0 && frame.reached;
    const error = playing || grown ? "" : `error ${lengthText(frame.error, scene)}`;
    const turns = playing ? "" : `${frame.iterations} iteration${frame.iterations === 1 ? "" : "s"}`;
    this.numbers.textContent = [report.solver, turns, error, time].filter(Boolean).join(" · ");
  }

  setLine(state: LineState): void {
    const words: Record<LineState, string> = {
      connecting: "Connecting…",
      open: "",
      lost: "Connection lost: nothing is solved until it is back. Reconnecting… your settings are kept.",
      refused: "supple was restarted: open the address that it printed.",
    };
    this.banner.textContent = words[state];
    this.banner.hidden = state === "open";
    this.banner.dataset.state = state;
    if (state === "lost" || state === "refused") this.forgetSolve();
  }

  /** Without a session nothing is solved: what the last solve reached is not where the goals are now. */
  private forgetSolve(): void {
    window.clearTimeout(this.writing);
    this.writing = 0;
    this.latest = this.moved = null;
    this.pill.textContent = this.pill.dataset.status = "not connected";
    this.reason.textContent = this.numbers.textContent = "";
  }

  /** Show a notice for some seconds; "" or a click hides it. */
  readonly say: Say = (text, kind = "error", seconds = 12, actions = []) => {
    window.clearTimeout(this.noticeTimer);
    this.lasting = seconds >= LASTING_NOTICE;
    this.text.textContent = text;
    const buttons = actions.map(({ label, act }) => button(label, act, { name: "offer" }));
    this.notice.replaceChildren(this.text, ...(buttons.length ? [el("span", { className: "buttons" }, ...buttons)] : []));
    this.notice.dataset.kind = kind;
    this.notice.hidden = text === "";
    if (text && seconds < Infinity) this.noticeTimer = window.setTimeout(() => this.say(""), 1000 * seconds);
  };

  /** Hide a notice that was about loading the scene that has arrived. */
  sceneArrived(): void {
    if (this.lasting) this.say("");
  }

  /** True while an error is shown. */
  get showsError(): boolean {
    return this.saying !== "" && this.notice.dataset.kind === "error";
  }

  get saying(): string {
    return this.notice.hidden ? "" : (this.text.textContent ?? "");
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A time [µs] with its unit. */
export function duration(micros: number): string {
  if (micros < 1000) return `${micros.toFixed(0)} µs`;
  return `${(micros / 1000).toFixed(micros < 10_000 ? 1 : 0)} ms`;
}
