// When the page cannot begin: say why, and offer to forget what was set, which may be the cause.

import { button, el } from "../panel/dom";
import { forgetAll } from "../io/storage";

/** Forget everything that was set here, and begin anew. */
export function beginAnew(): void {
  forgetAll();
  location.reload();
}

export function sayFailed(reason: string): void {
  const place = document.querySelector("#loading");
  if (!place) return;
  place.setAttribute("role", "alert");
  place.replaceChildren(
    el(
      "span",
      { className: "failed" },
      el("strong", {}, "The playground could not begin."),
      el("span", {}, reason),
      el("span", {}, "Reload the page. If that does not help, forget what was set in it:"),
      button("Reset all", beginAnew, { name: "reset-all", title: "Forget everything that was set" }),
    ),
  );
}

/** Until the first pose is seen, every error is one of beginning. */
export function watchBeginning(): void {
  const begun = () => document.body.classList.contains("ready");
  window.addEventListener("error", ({ message }) => {
    if (!begun() && message) sayFailed(message);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => {
    if (!begun()) sayFailed(String(reason));
  });
}
