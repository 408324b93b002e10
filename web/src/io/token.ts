// The token of the server's run: in the address that supple printed, and kept in the tab.
//
// Links that are shared have no token. One that is opened in a tab of the playground takes the tab's.

import { keep, recall } from "./storage";

const NAME = "token";
const KEY = "supple-token";

/** The token in the page's address, or "". */
export function tokenInAddress(): string {
  return new URLSearchParams(location.search).get(NAME) ?? "";
}

/** Keep the token of the address in the tab. */
export function keepToken(): void {
  keep("tab", KEY, tokenInAddress());
}

/** The token that the tab keeps, for an address that has none of its own, and the fragment of that address. */
export function keptToken(): { token: string; fragment: string } {
  return { token: tokenInAddress() ? "" : (recall("tab", KEY) ?? ""), fragment: location.hash };
}

/** The address of this page with a token from what a person pasted: an address of this machine, or the token itself. */
export function withPasted(text: string): string | null {
  const given = text.trim();
  if (/^[\w-]{8,}$/.test(given)) return `${location.pathname}?${new URLSearchParams({ [NAME]: given })}${location.hash}`;
  try {
    const url = new URL(given);
    const token = url.searchParams.get(NAME);
    const near = url.hostname === location.hostname || ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
    if (!token || !near || !/^https?:$/.test(url.protocol)) return null;
    return `${url.origin}${url.pathname}?${new URLSearchParams({ [NAME]: token })}${url.hash || location.hash}`;
  } catch {
    return null;
  }
}
