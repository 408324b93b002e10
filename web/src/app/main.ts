// Entry point of the page: connects, while the rest of the script is on its way.

import { openEarly } from "../io/socket";
import { keptToken, keepToken } from "../io/token";
import { showAddressForm } from "./address_form";
import { showStartupError } from "./startup_error";
import "./style.css";

const refused = document.documentElement.dataset.refused !== undefined;
const { token, fragment } = keptToken();
if (refused && token) location.replace(`${location.pathname}?${new URLSearchParams({ token })}${fragment}`);
else if (refused) showAddressForm();
else {
  keepToken();
  openEarly();
  import("./served").catch((error: unknown) => showStartupError(String(error)));
}
