// What the page has asked of Python and what it has been answered, by number: the latest wins.

import type { Setup } from "./messages";

const LATENCIES = 1024;

export class Asking {
  /** Milliseconds from pointer to pose, the latest last. */
  readonly latencies: number[] = [];
  /** Goal messages that were sent. */
  wants = 0;
  /** Since when an answer is waited for [ms]; 0 while none is. */
  since = 0;
  setupDirty = false;
  wantDirty = false;
  private seq = 0;
  private wantSeq = 0;
  private setupSeq = 0;
  private answeredSetup = 0;
  /** Setups that nobody has answered. */
  private readonly sent = new Map<number, Setup>();
  /** The number that each half was last drawn for. */
  private applied = [0, 0];
  private touchedAt = 0;
  private readonly touches = new Map<number, number>();

  /** A pointer has moved a goal: the time until the pose follows is counted from now. */
  touched(): void {
    this.touchedAt ||= performance.now();
  }

  /** Whether a setup has been sent that nobody has answered. */
  get settingUp(): boolean {
    return this.setupSeq > this.answeredSetup;
  }

  /** The number of a setup that is sent now. */
  sendSetup(setup: Setup): number {
    this.setupDirty = false;
    this.setupSeq = this.seq += 1;
    this.sent.set(this.setupSeq, structuredClone(setup));
    return this.setupSeq;
  }

  /** The number of goals that are sent now. */
  sendWant(): number {
    this.wantDirty = false;
    this.wantSeq = this.seq += 1;
    if (this.touchedAt) this.touches.set(this.wantSeq, this.touchedAt);
    this.touchedAt = 0;
    this.wants += 1;
    this.since ||= performance.now();
    return this.wantSeq;
  }

  /** Take the answer to a setup, and give that; undefined if it has been answered before. */
  answerSetup(seq: number): Setup | undefined {
    this.answeredSetup = Math.max(this.answeredSetup, seq);
    const setup = this.sent.get(seq);
    for (const number of this.sent.keys()) if (number <= seq) this.sent.delete(number);
    return setup;
  }

  /** Take the answer to goals; false if it is older than what a half shows. */
  answerWant(seq: number, half: number): boolean {
    if (seq < this.applied[half]!) return false;
    this.applied[half] = seq;
    this.since = 0;
    const from = this.touches.get(seq);
    if (from !== undefined) {
      this.latencies.push(performance.now() - from);
      if (this.latencies.length > LATENCIES) this.latencies.shift();
    }
    for (const asked of this.touches.keys()) if (asked <= seq) this.touches.delete(asked);
    return true;
  }

  /** The line is lost: nobody is left to answer. */
  lost(): void {
    this.since = 0;
    this.applied = [0, 0];
    this.answeredSetup = this.setupSeq;
    this.sent.clear();
  }

  /** Whether nothing waits to be sent or answered, in so many halves. */
  settled(halves: number): boolean {
    const waiting = this.setupDirty || this.wantDirty || this.settingUp;
    return !waiting && this.applied.slice(0, halves).every((seq) => seq >= this.wantSeq);
  }
}
