// Browser storage, of this tab or of all tabs. Private windows and frames may refuse it.

type Where = "tab" | "all";

function storage(where: Where): Storage {
  return where === "tab" ? sessionStorage : localStorage; // may throw
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
    // not kept: it lasts as long as the page
  }
}

/** Remove everything that is kept for this address. */
export function forgetAll(): void {
  for (const where of ["tab", "all"] as const) {
    try {
      storage(where).clear();
    } catch {
      // nothing was kept
    }
  }
}
