// The page as the server of `supple demo` and `supple view` has it.

import { Connection } from "../io/connection";
import { defaultSettings } from "../io/settings";
import { FilePicker } from "../panel/file_picker";
import type { FileOpener, Host } from "./host";
import { keepSettings, loadSettings } from "./persistence";

export function serverHost(): Host {
  return {
    standalone: false,
    settings: loadSettings(),
    fresh: defaultSettings,
    keep: keepSettings,
    connect: (listener) => new Connection(listener),
    newFiles,
  };
}

function newFiles(page: FileOpener): FilePicker {
  const { store, timeline, hud } = page;
  return new FilePicker(
    {
      limits: () => ({
        bytes: store.hello?.upload_limit ?? Infinity,
        files: store.hello?.most_files ?? Infinity,
        formats: store.hello?.formats ?? [],
      }),
      opened: (scene) => {
        timeline.startWith(scene);
        store.openScene(scene);
      },
      settings: (text) => page.loadSettings(text),
      say: hud.say,
    },
    document.body,
  );
}
