// Messages to Python: the setup when it has changed, the goals at most once per frame.

import type { Line } from "../io/connection";
import type { GoalPlace, Hello, Scene, Setup } from "../io/messages";
import type { Requests } from "../io/requests";
import type { Immutable } from "../io/settings";
import type { Hud } from "../panel/hud";

const SLOW_ANSWER = 900; // [ms] without an answer after which a notice is shown

/** What is sent. */
export interface Sources {
  readonly setup: Immutable<Setup>;
  readonly hello: Hello | null;
  readonly scene: Scene | null;
  readonly time: number;
  /** True if each setup waits for the answer to the last. */
  readonly oneAtATime: boolean;
  places(): GoalPlace[];
}

export class Outgoing {
  private slow = false;

  constructor(
    private readonly line: Line,
    private readonly requests: Requests,
    private readonly from: Sources,
    private readonly hud: Pick<Hud, "say" | "showsError">,
  ) {}

  /** Send what is queued; to be called in every frame. */
  tick(): void {
    this.noticeIfSlow();
    if (!this.line.isOpen) return;
    const { requests, from } = this;
    if (requests.setupQueued && from.hello && !(from.oneAtATime && requests.settingUp)) {
      if (from.oneAtATime) requests.startWaiting();
      this.line.send({ type: "setup", seq: requests.sendSetup(from.setup), setup: from.setup });
    } else if (requests.goalsQueued && from.scene) {
      this.line.send({
        type: "want",
        seq: requests.sendWant(),
        revision: from.scene.revision,
        goals: from.places(),
        time: from.time,
      });
    }
  }

  /** Show that Python is busy: the first solve with a solver compiles it, which takes seconds. */
  private noticeIfSlow(): void {
    const { since, settingUp } = this.requests;
    const slow = since > 0 && performance.now() - since > SLOW_ANSWER && this.line.isOpen;
    if (slow === this.slow) return;
    this.slow = slow;
    if (this.hud.showsError) return;
    if (slow) this.hud.say(settingUp ? "Growing…" : "Working… a solver is compiled the first time it is used.", "info", 120);
    else this.hud.say("");
  }
}
