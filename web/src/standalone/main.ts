// Entry point of a page without a server: the playground on the data that the file holds.

import type { Host } from "../app/host";
import { start } from "../app/start";
import { showStartupError } from "../app/startup_error";
import type { Line, Listener } from "../io/connection";
import { defaultSettings, defaultSetup, type Settings } from "../io/settings";
import { Kernels } from "../kernels/index";
import { SolvingLine } from "../solving/solving_line";
import { PageData } from "./data";
import { LocalSession } from "./local_session";
import "../app/style.css";

/** The line to a session in the page itself. */
function localLine(data: PageData, kernels: Kernels, listener: Listener): Line {
  const line = new SolvingLine(listener);
  line.connect(new LocalSession(data, line.setKernels(kernels), line));
  line.onState("open");
  line.onMessage(data.contents.hello);
  return line;
}

function hostOf(data: PageData, kernels: Kernels): Host {
  const { contents } = data;
  const fresh = (): Settings => {
    const settings = defaultSettings();
    return { ...settings, setup: { ...defaultSetup(), scene: contents.scene, limits: true, motion: contents.motion }, places: {} };
  };
  return {
    standalone: true,
    settings: { settings: fresh(), ignored: [], fresh: true },
    fresh,
    keep: () => undefined,
    connect: (listener) => localLine(data, kernels, listener),
  };
}

async function begin(): Promise<void> {
  const data = await PageData.read(document.querySelector("#data")!);
  const kernels = await Kernels.load(data.part(data.contents.kernels));
  start(() => hostOf(data, kernels), data.contents.scene);
}

begin().catch((error: unknown) => showStartupError(error instanceof Error ? error.message : String(error)));
