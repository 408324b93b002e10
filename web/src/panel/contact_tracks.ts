// Below the timeline: a lane for each joint with bars where it is in contact, to be edited, and one for faults.

import type { CheckReport, ContactsInfo, FaultInfo } from "../io/messages";
import type { PanelStore } from "./context";
import { el } from "./dom";

type Range = [number, number]; // frames [start, stop)

const ADDED_LENGTH = 0.2; // length of a contact that a click adds [s]
const MOUSE_GRIP = 6; // [pixels] around an end within which it is picked
const TOUCH_GRIP = 16;
const CLICK_DISTANCE = 3; // [pixels] that the pointer may move during a click
const LONG_STEP = 10; // [frames] of an arrow key with Shift
const KEYS =
  "Click to add or remove a contact, drag an end to move it. Keys: arrows go by frame (Shift: by ten), Enter adds or removes, [ and ] begin and end the contact here";

/** What a drag changes: an end of a contact, the whole of it, or the place of a new one. */
interface Held {
  lane: Lane;
  from: number;
  x: number;
  moved: boolean;
  /** The contact that was taken hold of; null for none. */
  range: Range | null;
  part: "start" | "stop" | "whole" | "new";
}

interface Lane {
  joint: string;
  node: HTMLElement;
  ranges: Range[];
}

export class ContactTracks {
  readonly node = el("div", { id: "tracks", hidden: true });
  private built = "";
  private lanes: Lane[] = [];
  private readonly faults = el("div", { className: "lane faults", title: "Click to go to a fault" });
  private held: Held | null = null;

  constructor(
    private readonly store: PanelStore,
    /** Go to a fault, and choose its joint. */
    private readonly goTo: (fault: FaultInfo) => void,
  ) {
    this.faults.addEventListener("click", (event) => this.clickFault(event));
  }

  private get info(): ContactsInfo | null {
    return this.store.scene?.contacts ?? null;
  }

  private get frames(): number {
    return Math.max(this.info?.frames ?? this.store.report?.frames ?? 1, 1);
  }

  /** Rebuild the lanes if what they show has changed. */
  refresh(): void {
    const { look, motion, report } = this.store;
    const info = motion && look.tracks ? this.info : null;
    const marks = motion && report?.motion === motion.name ? report : null;
    const shape = JSON.stringify([info, marks && [marks.total, marks.faults]]);
    if (shape === this.built || this.held) return;
    this.built = shape;
    const focused = this.lanes.find(({ node }) => node === document.activeElement)?.joint;
    this.lanes = Object.entries(info?.joints ?? {}).map(([joint, ranges]) => this.newLane(joint, structuredClone(ranges)));
    const rows = this.lanes.map((lane) => this.row(lane));
    this.node.replaceChildren(...rows, ...(marks ? [this.faultRow(marks)] : []));
    this.node.hidden = !this.node.childElementCount;
    this.node.parentElement?.classList.toggle("with-tracks", !this.node.hidden);
    this.lanes.find(({ joint }) => joint === focused)?.node.focus();
    this.show();
  }

  /** Show the time. */
  show(): void {
    const { motion, time } = this.store;
    const at = motion ? (time * motion.fps) / this.frames : 0;
    this.node.style.setProperty("--at", String(Math.min(Math.max(at, 0), 1)));
  }

  // Lanes ----------------------------------------------------------------------------------------

  private newLane(joint: string, ranges: Range[]): Lane {
    const node = el("div", { className: "lane", tabIndex: 0, title: KEYS, role: "group", data: { joint } });
    const lane: Lane = { joint, node, ranges };
    node.addEventListener("pointerdown", (event) => this.press(event, lane));
    node.addEventListener("pointermove", (event) => this.move(event));
    node.addEventListener("pointerup", () => this.release());
    node.addEventListener("pointercancel", () => this.cancel());
    node.addEventListener("keydown", (event) => this.key(event, lane));
    this.draw(lane);
    return lane;
  }

  private row({ joint, node }: Lane): HTMLElement {
    const choose = () => this.store.choose(this.store.scene?.names.indexOf(joint) ?? -1);
    const label = el("button", { type: "button", className: "quiet", title: `Choose ${joint}`, tabIndex: -1 }, joint);
    label.addEventListener("click", choose);
    return el("div", { className: "track" }, label, node);
  }

  private draw({ joint, node, ranges }: Lane): void {
    const bars = ranges.map(([start, stop]) => {
      const bar = el("span", { className: "bar", data: { start: String(start), stop: String(stop) } });
      bar.style.left = this.percent(start);
      bar.style.width = this.percent(stop - start);
      return bar;
    });
    node.replaceChildren(...bars);
    const spoken = ranges.map(([start, stop]) => `frames ${start} to ${stop - 1}`).join(", ");
    node.setAttribute("aria-label", `Contacts of ${joint}: ${spoken || "none"}`);
  }

  private percent(frames: number): string {
    return `${(100 * frames) / this.frames}%`;
  }

  // Pointer --------------------------------------------------------------------------------------

  private frameAt(lane: HTMLElement, x: number): number {
    const { left, width } = lane.getBoundingClientRect();
    return Math.min(Math.max(((x - left) / width) * this.frames, 0), this.frames);
  }

  private press(event: PointerEvent, lane: Lane): void {
    if (event.button !== 0) return;
    lane.node.setPointerCapture(event.pointerId);
    const at = this.frameAt(lane.node, event.clientX);
    const grip = ((event.pointerType === "mouse" ? MOUSE_GRIP : TOUCH_GRIP) / lane.node.clientWidth) * this.frames;
    this.held = { lane, from: at, x: event.clientX, moved: false, ...takenHold(lane.ranges, at, grip) };
  }

  private move(event: PointerEvent): void {
    const { held } = this;
    if (!held) return;
    held.moved ||= Math.abs(event.clientX - held.x) > CLICK_DISTANCE;
    if (!held.moved) return;
    const at = this.frameAt(held.lane.node, event.clientX);
    this.draw({ ...held.lane, ranges: this.dragged(held, at) });
    if (held.part !== "whole") this.seek(Math.round(at));
  }

  private release(): void {
    const { held } = this;
    if (!held) return;
    this.held = null;
    const shown = [...held.lane.node.querySelectorAll<HTMLElement>(".bar")];
    if (held.moved)
      this.set(
        held.lane.joint,
        shown.map(({ dataset }) => [Number(dataset.start), Number(dataset.stop)]),
      );
    else this.toggle(held.lane, Math.floor(held.from));
  }

  private cancel(): void {
    if (this.held) this.draw(this.held.lane);
    this.held = null;
  }

  /** The contacts of a lane while one is dragged to a frame. */
  private dragged({ lane, from, range, part }: Held, at: number): Range[] {
    const others = lane.ranges.filter((one) => one !== range);
    const frame = Math.round(at);
    if (!range) return merged([...others, [Math.floor(Math.min(from, at)), Math.ceil(Math.max(from, at))]], this.frames);
    const [start, stop] = range;
    if (part === "start") return merged([...others, [Math.min(frame, stop - 1), stop]], this.frames);
    if (part === "stop") return merged([...others, [start, Math.max(frame, start + 1)]], this.frames);
    const by = Math.round(at - from);
    return merged([...others, [start + by, stop + by]], this.frames);
  }

  // Keys -----------------------------------------------------------------------------------------

  private key(event: KeyboardEvent, lane: Lane): void {
    const { motion, time } = this.store;
    if (!motion || event.ctrlKey || event.metaKey || event.altKey) return;
    const frame = Math.min(Math.round(time * motion.fps), this.frames - 1);
    const step = event.shiftKey ? LONG_STEP : 1;
    const nearest = [...lane.ranges].sort((a, b) => distance(a, frame) - distance(b, frame))[0];
    const others = lane.ranges.filter((one) => one !== nearest);
    if (event.key === "ArrowLeft") this.seek(frame - step);
    else if (event.key === "ArrowRight") this.seek(frame + step);
    else if (event.key === "Enter") this.toggle(lane, frame);
    else if (event.key === "[" && nearest) this.set(lane.joint, [...others, [Math.min(frame, nearest[1] - 1), nearest[1]]]);
    else if (event.key === "]" && nearest) this.set(lane.joint, [...others, [nearest[0], Math.max(frame + 1, nearest[0] + 1)]]);
    else return;
    event.preventDefault();
    event.stopPropagation(); // arrows would move the goal
  }

  private seek(frame: number): void {
    const { motion } = this.store;
    if (!motion) return;
    this.store.setPlaying(false);
    this.store.setTime(Math.min(Math.max(frame / motion.fps, 0), motion.duration));
  }

  // Changes --------------------------------------------------------------------------------------

  /** Remove the contact at a frame, or add one there. */
  private toggle(lane: Lane, frame: number): void {
    const here = lane.ranges.find(([start, stop]) => start <= frame && frame < stop);
    if (here)
      return this.set(
        lane.joint,
        lane.ranges.filter((one) => one !== here),
      );
    const half = Math.max(Math.round((ADDED_LENGTH * (this.store.motion?.fps ?? 30)) / 2), 1);
    this.set(lane.joint, [...lane.ranges, [frame - half, frame + half]]);
  }

  private set(joint: string, ranges: Range[]): void {
    const contacts = { ...this.info?.joints, [joint]: merged(ranges, this.frames) };
    const lane = this.lanes.find((one) => one.joint === joint);
    if (lane) this.draw(Object.assign(lane, { ranges: contacts[joint] }));
    this.store.editMotion({ contacts });
  }

  // Faults ---------------------------------------------------------------------------------------

  private faultRow({ faults }: CheckReport): HTMLElement {
    const marks = faults.map(({ kind, start, stop }) => {
      const mark = el("i", { data: { kind } });
      mark.style.left = this.percent(start);
      mark.style.width = `max(3px, ${this.percent(stop - start)})`;
      return mark;
    });
    this.faults.replaceChildren(...marks);
    return el("div", { className: "track" }, el("span", {}, "faults"), this.faults);
  }

  /** Go to the fault that is nearest to the pointer. */
  private clickFault({ clientX }: MouseEvent): void {
    const at = this.frameAt(this.faults, clientX);
    const gap = ({ start, stop }: FaultInfo) => distance([start, stop], at);
    const nearest = [...(this.store.report?.faults ?? [])].sort((a, b) => gap(a) - gap(b))[0];
    if (nearest) this.goTo(nearest);
  }
}

/** Frames from a range to a frame; 0 inside. */
function distance([start, stop]: Range, frame: number): number {
  return Math.max(start - frame, frame - (stop - 1), 0);
}

/** What a press at a frame takes hold of; `grip` frames around an end belong to it. */
function takenHold(ranges: Range[], at: number, grip: number): Pick<Held, "range" | "part"> {
  for (const range of ranges) {
    const [start, stop] = range;
    const inner = Math.min(grip, (stop - start) / 3);
    if (at > start - grip && at < start + inner) return { range, part: "start" };
    if (at > stop - inner && at < stop + grip) return { range, part: "stop" };
    if (at >= start && at < stop) return { range, part: "whole" };
  }
  return { range: null, part: "new" };
}

/** Ranges in order, within the frames, those that overlap or touch as one. */
function merged(ranges: Range[], frames: number): Range[] {
  const out: Range[] = [];
  const inside = ranges.map(([start, stop]): Range => [Math.max(start, 0), Math.min(stop, frames)]).filter(([start, stop]) => start < stop);
  for (const [start, stop] of inside.sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], stop);
    else out.push([start, stop]);
  }
  return out;
}
