// What the session is busy with, and for how long.

import { el } from "./dom";

const QUICK_ANSWER = 400; // [ms] in which most answers come: nothing is shown

export class WorkingNotice {
  readonly node = el("p", { id: "working", hidden: true, role: "status" });
  private readonly text = el("span");
  private since = 0;
  private timer = 0;
  private what = "";

  constructor() {
    this.node.append(el("progress", { aria: { label: "Working" } }), this.text);
  }

  begin(what: string): void {
    this.what = what;
    this.since = performance.now();
    window.clearInterval(this.timer);
    this.timer = window.setInterval(() => this.show(), QUICK_ANSWER);
  }

  end(): void {
    window.clearInterval(this.timer);
    this.node.hidden = true;
  }

  private show(): void {
    this.node.hidden = false;
    this.text.textContent = `${this.what}… ${Math.floor((performance.now() - this.since) / 1000)} s`;
  }
}
