// The WebSocket to Python; reconnects by itself.

import { decode, isPose, type Packet, type PoseFrame } from "./frames";
import type { FromPage, FromSession } from "./messages";
import type { Immutable } from "./settings";
import { address, takeSocket } from "./socket";

export { address };

export type LineState = "connecting" | "open" | "lost" | "refused";

export interface Listener {
  onState(state: LineState): void;
  onMessage(message: FromSession): void;
  onPose(frame: PoseFrame): void;
  onPacket(packet: Packet): void;
}

/** Where messages go. */
export interface Line {
  readonly isOpen: boolean;
  /** True if goals are solved in the page. */
  readonly solves?: boolean;
  /** True while a goal is held: it moves a little from frame to frame. */
  held?: boolean;
  /** The number of the last goals that the session knows the pose of; null while it is not told. */
  readonly told?: number | null;
  /** The coordinates of the pose of each solver, if goals are solved in the page. */
  pose?(): number[][] | null;
  send(message: Immutable<FromPage>): void;
}

const FIRST_PAUSE = 250; // [ms] before reconnecting
const LONGEST_PAUSE = 3000;

export class Connection implements Line {
  private socket: WebSocket | null = null;
  private pause = FIRST_PAUSE;

  constructor(private readonly listener: Listener) {
    this.open();
    window.addEventListener("online", () => this.open());
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: Immutable<FromPage>): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  private open(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const { socket, missed } = takeSocket();
    this.socket = socket;
    const opened = () => {
      this.pause = FIRST_PAUSE;
      this.listener.onState("open");
    };
    const take = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === "string") {
        this.listener.onMessage(JSON.parse(data) as FromSession);
        return;
      }
      const frame = decode(data);
      if (isPose(frame)) this.listener.onPose(frame);
      else this.listener.onPacket(frame);
    };
    const isOpen = socket.readyState === WebSocket.OPEN;
    if (!isOpen) socket.onopen = opened;
    // Not at once: the listener is not ready before it has this line.
    setTimeout(() => {
      socket.onmessage = take;
      if (isOpen) opened();
      missed.forEach(take);
    });
    socket.onclose = () => {
      this.listener.onState("lost");
      void this.retry();
    };
  }

  private async retry(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.pause));
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    try {
      const answer = await fetch(address("/"), { method: "GET", cache: "no-store" });
      if (answer.status === 403) {
        this.listener.onState("refused");
        return;
      }
    } catch {
      // the server is not back yet
    }
    this.open();
  }
}
