// Where the page begins.

import { installHooks } from "./hooks";
import { Playground } from "./playground";
import "./style.css";

installHooks(new Playground());
