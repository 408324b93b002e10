// Entry point of the page: connects, while the rest of the script is on its way.

import { openEarly } from "../io/socket";
import { showStartupError } from "./startup_error";
import "./style.css";

openEarly();
import("./served").catch((error: unknown) => showStartupError(String(error)));
