// The answer of a solve: a row of numbers that a kernel wrote, and how to read it.

import { BUDGET, COLLIDES, LIMITED, OPEN_LOOP, REACHED, REASONS, STALLED, STATUS_WORDS, STOP_HELD, TOO_FAR, TOO_NEAR, UNBALANCED } from "./constants";
import type { Demand, Head, ReportColumn } from "./lowered";

/** Two bones, or a bone and an obstacle, that are nearer than their margin, and by how much [model units]. */
export interface Collision {
  a: string;
  b: string;
  depth: number;
}

/** Statuses in which a free root that is kept still may be what keeps the goals from being met. */
const ROOT_MAY_HELP: readonly number[] = [TOO_FAR, TOO_NEAR, LIMITED, STALLED];

export class Solution {
  constructor(
    private readonly head: Head,
    /** The report; see `Head`. */
    public row: Float64Array,
    /** The name of the solver that gave the answer. */
    public solver: string,
    /** How far each of the carried roots moved [model units]. */
    public rootMoves: readonly number[],
  ) {}

  /** A copy that later solves do not change. */
  kept(): Solution {
    return new Solution(this.head, this.row.slice(), this.solver, this.rootMoves);
  }

  private column(name: ReportColumn): number {
    return this.row[this.head.report[name]]!;
  }

  /** The pose, as coordinates. */
  get coordinates(): Float64Array {
    return this.row.subarray(0, this.head.coordinates);
  }

  get status(): number {
    return this.column("status");
  }

  /** The status in words, such as "too far". */
  get word(): string {
    return STATUS_WORDS[this.status] ?? "";
  }

  get reached(): boolean {
    return this.status === REACHED;
  }

  /** Largest distance of any goal from its target [model units]. */
  get error(): number {
    return this.column("error");
  }

  /** Largest angle of any goal from its target [rad]. */
  get orientationError(): number {
    return this.column("turn_error");
  }

  /** Sweeps or Newton steps used, restarts included. */
  get iterations(): number {
    return this.column("iterations");
  }

  get restarts(): number {
    return this.column("restarts");
  }

  get cost(): number {
    return this.column("cost");
  }

  /** The error of a demand [model units, or rad]. */
  errorOf({ block }: Demand): number {
    return this.row[this.head.errors + block]!;
  }

  /** Names of the joints whose limits keep the goals from coming closer. */
  get limited(): string[] {
    return this.head.asked.moving.filter((_, k) => this.row[this.head.pressed + k]! > 0);
  }

  /** The two that are deepest inside the margin; null if none are. */
  get collision(): Collision | null {
    const pair = this.head.asked.pairs[this.column("pair")];
    return pair && this.column("depth") > 0 ? { a: pair[0], b: pair[1], depth: this.column("depth") } : null;
  }

  /** How far the centre of mass is outside its support and margin [model units]; 0 inside. */
  get offBalance(): number {
    return this.column("topple");
  }

  /** Why the solve ended, in the words of Python's `Solution.reason`. */
  get reason(): string {
    const { demands, still_roots, carried_roots } = this.head.asked;
    let reason = this.reasonOfGoals;
    if (still_roots.length && ROOT_MAY_HELP.includes(this.status)) reason = say("root_still", { reason, root: still_roots.join(", ") });
    const least = Math.min(...demands.map(({ tolerance }) => tolerance));
    carried_roots.forEach(({ name }, k) => {
      const distance = this.rootMoves[k]!;
      if (distance > least) reason = say("root_moved", { reason, root: name, distance });
    });
    return reason;
  }

  /** The reason without what became of free roots. */
  private get reasonOfGoals(): string {
    const { demands, kept } = this.head.asked;
    const judged = demands.filter(({ kind }) => kind !== "pole");
    const missBy = (demand: Demand) => this.errorOf(demand) / demand.tolerance;
    const worstOf = (some: Demand[]) => some.reduce((most, one) => (missBy(one) > missBy(most) ? one : most));
    const told = (one: Demand) => say(one.kind as Exclude<Demand["kind"], "pole">, { effector: one.effector, error: this.errorOf(one) });
    const worst = worstOf(judged);
    const { status, collision } = this;
    let miss = told(worst);
    if (status === REACHED) return miss;
    if (kept) miss = say("kept", { miss });
    if (status === OPEN_LOOP) {
      const loops = judged.filter(({ kind }) => kind === "meeting" || kind === "alignment");
      return say("open_loop", { opening: told(worstOf(loops.length ? loops : judged)), miss });
    }
    if (status === COLLIDES && collision) return say("collides", { ...collision, miss });
    if (status === UNBALANCED) return say("unbalanced", { topple: this.offBalance, miss });
    if (status === TOO_FAR || status === TOO_NEAR) {
      const block = this.column("block");
      const effector = demands.find((demand) => demand.block === block)?.effector ?? "";
      const [distance, reach] = [this.column("gap"), this.column("reach")];
      const key = reach === 0 ? "unmoved" : status === TOO_FAR ? "too_far" : "too_near";
      return say(key, { effector, distance, reach, miss });
    }
    if (status === LIMITED) return say("limited", { joints: this.limited.join(", "), miss });
    if (status === STALLED && this.column("stop") === STOP_HELD) {
      const pair = this.head.asked.pairs[this.column("pair")];
      return pair ? say("held", { a: pair[0], b: pair[1], miss }) : say("held_by_balance", { miss });
    }
    if (status === STALLED) return say("stalled", { miss });
    if (status !== BUDGET) return miss;
    const { iterations } = this;
    return say(iterations === 1 ? "budget_of_one" : "budget", { iterations: String(iterations), tolerance: worst.tolerance, miss });
  }
}

function say(key: keyof typeof REASONS, values: Record<string, string | number>): string {
  return REASONS[key].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? threeDigits(value) : value;
  });
}

/** A number with three significant digits, as Python's format `.3g` writes it. */
export function threeDigits(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [mantissa, exponent] = value.toExponential(2).split("e") as [string, string];
  const power = Number(exponent);
  const trimmed = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < 3) return trimmed(value.toFixed(2 - power));
  return `${trimmed(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
