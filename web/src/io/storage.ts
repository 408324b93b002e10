// What the browser keeps, for this tab or for all; private windows and frames may keep nothing.

type Where = "tab" | "all";

function storage(where: Where): Storage {
  return where === "tab" ? sessionStorage : localStorage; // to ask for one may be forbidden already
}

export function recall(where: Where, name: string): string | null {
  try {
    return storage(where).getItem(name);
  } catch {
    return null;
  }
}

export function keep(where: Where, name: string, text: string): void {
  try {
    storage(where).setItem(name, text);
  } catch {
    // then it lasts as long as the page
  }
}

/** Forget all that is kept for this address. */
export function forgetAll(): void {
  for (const where of ["tab", "all"] as const) {
    try {
      storage(where).clear();
    } catch {
      // nothing was kept
    }
  }
}
