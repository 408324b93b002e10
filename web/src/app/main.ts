// Entry point of the page.

import { serverHost } from "./server_host";
import { start } from "./start";
import "./style.css";

start(() => serverHost());
