// The first WebSocket to Python, opened while the rest of the page's script is on its way: over a slow line
// that takes seconds, and the greeting is there when it arrives.

import { tokenInAddress } from "./token";

/** URL of a path on the server, with the token. */
export function address(path: string, query: Record<string, string> = {}): string {
  return `${path}?${new URLSearchParams({ ...query, token: tokenInAddress() })}`;
}

/** A socket, and the messages that came before anybody listened. */
export interface Opened {
  socket: WebSocket;
  missed: MessageEvent<string | ArrayBuffer>[];
}

let early: Opened | null = null;

/** Open a socket that `takeSocket` will return. */
export function openEarly(): void {
  early = newSocket();
}

/** The socket that was opened early, once and unless it is closed again; otherwise a new one. */
export function takeSocket(): Opened {
  const taken = early;
  early = null;
  return taken && taken.socket.readyState <= WebSocket.OPEN ? taken : newSocket();
}

function newSocket(): Opened {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}${address("/ws")}`);
  socket.binaryType = "arraybuffer";
  const missed: Opened["missed"] = [];
  socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => missed.push(event);
  return { socket, missed };
}
