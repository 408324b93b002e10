// When the page cannot start: show why, and offer to delete the kept settings, which may be the cause.

import { forgetAll } from "../io/storage";
import { button, el } from "../panel/dom";

/** Delete everything that is kept, and reload. */
function startOver(): void {
  forgetAll();
  location.reload();
}

export function showStartupError(reason: string): void {
  const place = document.querySelector("#loading");
  if (!place) return;
  place.setAttribute("role", "alert");
  place.replaceChildren(
    el(
      "span",
      { className: "failed" },
      el("strong", {}, "The playground could not begin."),
      el("span", {}, reason),
      el("span", {}, "Reload the page. If that does not help, delete its settings:"),
      button("Reset all", startOver, { name: "reset-all", title: "Forget everything that was set" }),
    ),
  );
}

/** Show every error until the first pose has been drawn. */
export function watchStartup(): void {
  const started = () => document.body.classList.contains("ready");
  window.addEventListener("error", ({ message }) => {
    if (!started() && message) showStartupError(message);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => {
    if (!started()) showStartupError(String(reason));
  });
}
