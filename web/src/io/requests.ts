// Requests to Python and their answers, matched by sequence number. Only the latest answer counts.

import type { Setup } from "./messages";
import type { Immutable } from "./settings";

const KEPT_LATENCIES = 1024; // the latest

export class Requests {
  /** Times from pointer event to pose [ms], the latest last. */
  readonly latencies: number[] = [];
  /** Number of goal messages sent. */
  wants = 0;
  private setupDue = false;
  private goalsDue = false;
  private waiting = 0;
  private seq = 0;
  private wantSeq = 0;
  private setupSeq = 0;
  private answeredSetup = 0;
  /** Unanswered setups by sequence number. */
  private readonly sent = new Map<number, Immutable<Setup>>();
  /** Sequence number of the pose that each half shows. */
  private applied: number[] = [];
  private touchedAt = 0;
  private readonly touches = new Map<number, number>();

  /** Send the setup with the next frame. */
  queueSetup(): void {
    this.setupDue = true;
  }

  /** Send the goals and the time with the next frame. */
  queueGoals(): void {
    this.goalsDue = true;
  }

  get setupQueued(): boolean {
    return this.setupDue;
  }

  get goalsQueued(): boolean {
    return this.goalsDue;
  }

  /** Start measuring the latency of a pointer event. */
  touched(): void {
    this.touchedAt ||= performance.now();
  }

  /** True while a setup is unanswered. */
  get settingUp(): boolean {
    return this.setupSeq > this.answeredSetup;
  }

  /** Time since which an answer is awaited [ms]; 0 if none is. */
  get since(): number {
    return this.waiting;
  }

  startWaiting(): void {
    this.waiting ||= performance.now();
  }

  stopWaiting(): void {
    this.waiting = 0;
  }

  /** Note that a setup is sent now; returns its sequence number. */
  sendSetup(setup: Immutable<Setup>): number {
    this.setupDue = false;
    this.setupSeq = this.seq += 1;
    this.sent.set(this.setupSeq, setup);
    return this.setupSeq;
  }

  /** Note that goals are sent now; returns their sequence number. */
  sendWant(): number {
    this.goalsDue = false;
    this.wantSeq = this.seq += 1;
    if (this.touchedAt) this.touches.set(this.wantSeq, this.touchedAt);
    this.touchedAt = 0;
    this.wants += 1;
    this.startWaiting();
    return this.wantSeq;
  }

  /** Note the answer to a setup; returns that setup, or undefined if it was answered before. */
  answerSetup(seq: number): Immutable<Setup> | undefined {
    this.answeredSetup = Math.max(this.answeredSetup, seq);
    const setup = this.sent.get(seq);
    for (const number of this.sent.keys()) if (number <= seq) this.sent.delete(number);
    return setup;
  }

  /** Note the answer to goals; false if a half already shows a later one. */
  answerWant(seq: number, half: number): boolean {
    if (seq < (this.applied[half] ?? 0)) return false;
    this.applied[half] = seq;
    this.stopWaiting();
    const from = this.touches.get(seq);
    if (from !== undefined) {
      this.latencies.push(performance.now() - from);
      if (this.latencies.length > KEPT_LATENCIES) this.latencies.shift();
    }
    for (const asked of this.touches.keys()) if (asked <= seq) this.touches.delete(asked);
    return true;
  }

  /** Another scene is shown: any pose of it counts. */
  newScene(): void {
    this.applied = [];
  }

  /** Forget what is unanswered: the connection is lost. */
  lost(): void {
    this.stopWaiting();
    this.applied = [];
    this.answeredSetup = this.setupSeq;
    this.sent.clear();
  }

  /** True if nothing is queued or unanswered, for a number of halves. */
  settled(halves: number): boolean {
    const waiting = this.setupDue || this.goalsDue || this.settingUp;
    const shown = Array.from({ length: halves }, (_, half) => this.applied[half] ?? -1);
    return !waiting && shown.every((seq) => seq >= this.wantSeq);
  }
}
