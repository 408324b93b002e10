// Addresses that restore settings: written here, and applied when the page is opened with one.

import type { Scene } from "../io/messages";
import { fragmentOf, readFragment, type Shared } from "../io/share";
import { bulleted } from "../io/shape_check";
import { type Say, LONG_NOTICE } from "../panel/hud";
import { button, el } from "../panel/dom";
import type { Store } from "./store";

export class Sharing {
  /** Settings that wait for the file they are for. */
  private waiting: Shared | null = null;

  constructor(
    private readonly store: Store,
    private readonly say: Say,
    /** Called before settings are applied. */
    private readonly prepare: () => void,
  ) {
    window.addEventListener("hashchange", () => {
      const shared = readFragment(location.hash);
      if (shared) this.take(shared);
    });
    store.subscribe((part) => {
      if (part === "scene") this.fileOpened();
    });
  }

  /** The address that restores the settings, without the server's token: whoever has the token can do all that the page can. */
  private link(scene: Scene): string {
    const [here = ""] = location.href.split(/[?#]/);
    return here + fragmentOf(this.store.settings, scene.key, scene.title);
  }

  /** Copy the address that restores the settings to the clipboard. */
  async share(): Promise<void> {
    const { scene, settings } = this.store;
    if (!scene) return;
    const link = this.link(scene);
    const own = settings.setup.scene.startsWith("file:") ? ` It names ${scene.title} but does not contain it: whoever opens the link needs the file.` : "";
    try {
      await navigator.clipboard.writeText(link);
      this.say(`The link is copied: it restores all settings in a playground that is running.${own}`, "info", 8);
    } catch {
      showLink(link, own);
    }
  }

  /** Apply the settings of an address, or wait for their file. */
  take(shared: Shared): void {
    history.replaceState(null, "", location.pathname + location.search); // a reload keeps what is set from now on
    if (shared.file && this.store.scene?.title !== shared.file) {
      this.waiting = shared;
      this.say(`This link is for ${shared.file}, which it does not contain. Open that file to apply the settings.`, "info", Infinity);
      return;
    }
    this.apply(shared, shared.file ? this.store.setup.scene : shared.settings.setup.scene);
  }

  private fileOpened(): void {
    const { waiting, store } = this;
    if (!waiting || store.scene?.title !== waiting.file || !store.setup.scene.startsWith("file:")) return;
    this.waiting = null;
    // After the scene has been shown.
    window.setTimeout(() => this.apply(waiting, store.setup.scene));
  }

  private apply({ settings, ignored }: Shared, scene: string): void {
    const { store } = this;
    const key = store.scene?.key ?? "";
    const [places] = Object.values(settings.places);
    this.prepare();
    store.replace({
      ...settings,
      setup: { ...settings.setup, scene },
      look: { ...settings.look, theme: store.look.theme, quality: store.look.quality, panel: store.look.panel, dragged: store.look.dragged },
      places: scene.startsWith("file:") && places ? { ...store.settings.places, [key]: places } : { ...store.settings.places, ...settings.places },
    });
    const left = [...ignored, ...store.dropUnknown()];
    if (left.length) this.say(`Settings applied, except for what does not fit:\n${bulleted(left)}`, "error", LONG_NOTICE);
  }
}

/** A link to be copied by hand, where the page may not write to the clipboard. */
function showLink(link: string, more: string): void {
  const field = el("input", { type: "text", name: "link", value: link, readOnly: true });
  field.setAttribute("aria-label", "Link");
  const dialog = el(
    "dialog",
    { id: "link", aria: { label: "Link" } },
    el("p", {}, `Copy this link: it restores all settings in a playground that is running.${more}`),
    field,
  );
  dialog.append(
    el(
      "div",
      { className: "buttons" },
      button("Close", () => dialog.close(), { name: "close-link" }),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  field.select();
}
