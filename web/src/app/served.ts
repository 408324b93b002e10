// The page as a server sends it, apart from what connects to that server.

import { serverHost } from "./server_host";
import { start } from "./start";

start(() => serverHost());
