// What the page runs with: a server with Python behind it, or what a file holds.

import type { Line, Listener } from "../io/connection";
import type { Settings } from "../io/settings";
import type { FilePicker } from "../panel/file_picker";
import type { Hud } from "../panel/hud";
import type { MotionWork } from "./motion_work";
import type { Store } from "./store";

/** The parts of the page that opening a file changes. */
export interface FileOpener {
  readonly store: Store;
  readonly motionWork: Pick<MotionWork, "fileOpened">;
  readonly hud: Pick<Hud, "say">;
  /** Apply the text of a settings file. */
  loadSettings(text: string): void;
}

export interface Host {
  /** True without Python: files are not opened, joints and goals not edited. */
  readonly standalone: boolean;
  /** The settings to begin with, which of the stored ones could not be used, and whether there were none. */
  readonly settings: { settings: Settings; ignored: string[]; fresh: boolean };
  /** The settings of a page in which nothing was set. */
  fresh(): Settings;
  /** Called with the store when it is there, to keep its settings. */
  keep(store: Store): void;
  connect(listener: Listener): Line;
  newFiles?(page: FileOpener): FilePicker;
}
