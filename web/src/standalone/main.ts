// Entry point of a page without a server: the playground on the data that the file holds.

import type { Host } from "../app/host";
import { start } from "../app/start";
import { showStartupError } from "../app/startup_error";
import type { Line, Listener } from "../io/connection";
import type { FromPage } from "../io/messages";
import { defaultSettings, type Immutable, type Settings } from "../io/settings";
import { Kernels } from "../kernels/index";
import { PageData } from "./data";
import { LocalSession } from "./local_session";
import "../app/style.css";

/** A line to a session in the page itself. */
class LocalLine implements Line {
  private readonly session: LocalSession;

  constructor(data: PageData, kernels: Kernels, listener: Listener) {
    this.session = new LocalSession(data, kernels, listener);
    listener.onState("open");
    listener.onMessage(data.contents.hello);
  }

  readonly isOpen = true;

  send(message: Immutable<FromPage>): void {
    this.session.receive(message);
  }
}

function hostOf(data: PageData, kernels: Kernels): Host {
  const { contents } = data;
  const fresh = (): Settings => {
    const settings = defaultSettings();
    return { ...settings, setup: { ...settings.setup, scene: contents.scene, limits: true, motion: contents.motion } };
  };
  return {
    standalone: true,
    settings: { settings: fresh(), ignored: [] },
    fresh,
    keep: () => undefined,
    connect: (listener) => new LocalLine(data, kernels, listener),
  };
}

async function begin(): Promise<void> {
  const data = await PageData.read(document.querySelector("#data")!);
  const kernels = await Kernels.load(data.part(data.contents.kernels));
  start(() => hostOf(data, kernels), data.contents.scene);
}

begin().catch((error: unknown) => showStartupError(error instanceof Error ? error.message : String(error)));
