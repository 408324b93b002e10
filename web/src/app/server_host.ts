// The page as the server of `supple demo` and `supple view` has it.

import { address, Connection } from "../io/connection";
import { defaultSettings } from "../io/settings";
import { Kernels } from "../kernels/index";
import { FilePicker } from "../panel/file_picker";
import { SolvingLine } from "../solving/solving_line";
import type { FileOpener, Host } from "./host";
import { keepSettings, loadSettings } from "./persistence";

export function serverHost(): Host {
  return {
    standalone: false,
    settings: loadSettings(),
    fresh: defaultSettings,
    keep: keepSettings,
    connect: (listener) => {
      const line = new SolvingLine(listener, loadKernels);
      return line.connect(new Connection(line));
    },
    newFiles,
  };
}

/** The kernels; null if they cannot be had, and Python solves. */
async function loadKernels(where: string): Promise<Kernels | null> {
  try {
    const answer = await fetch(address(where));
    if (!answer.ok) throw new Error(`${where}: ${answer.status}`);
    return await Kernels.load(await answer.arrayBuffer());
  } catch (error) {
    console.warn("solving in Python:", error);
    return null;
  }
}

function newFiles(page: FileOpener): FilePicker {
  const { store, motionWork, hud } = page;
  return new FilePicker(
    {
      limits: () => ({
        bytes: store.hello?.upload_limit ?? Infinity,
        files: store.hello?.most_files ?? Infinity,
        formats: store.hello?.formats ?? [],
      }),
      opened: (scene) => motionWork.fileOpened(scene),
      settings: (text) => page.loadSettings(text),
      say: hud.say,
    },
    document.body,
  );
}
