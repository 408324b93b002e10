// A form for the address of the page with a valid token, shown if the address has none.

import { withPasted } from "../io/token";
import { button, el } from "../panel/dom";

export function showAddressForm(): void {
  const place = document.querySelector("#loading");
  if (!place) return;
  const linked = location.hash.startsWith("#s=");
  const field = el("input", { type: "text", name: "address", placeholder: "http://127.0.0.1:8421/?token=…", autocomplete: "off", spellcheck: false });
  field.setAttribute("aria-label", "The address that supple printed");
  const wrong = el("span", { className: "wrong", role: "alert" });
  const open = () => {
    const address = withPasted(field.value);
    if (address) location.assign(address);
    else wrong.textContent = "Expected an address of this machine with ?token= in it.";
    field.classList.toggle("wrong", !address);
  };
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") open();
  });
  place.replaceChildren(
    el(
      "span",
      { className: "failed" },
      el("strong", {}, linked ? "This link restores what somebody set in the playground." : "This address does not open the playground."),
      el(
        "span",
        {},
        "It lacks the token of the playground that runs here; links have none, so that they can be passed on. Open the address that supple printed when it was started (supple demo), or paste it here:",
      ),
      field,
      wrong,
      button(linked ? "Open, with what the link restores" : "Open", open, { name: "open-address" }),
    ),
  );
  field.focus();
}
