// Saving what is on the stage, and taking settings over from a file.

import { told } from "../io/shape_check";
import { download } from "../panel/dom";
import { LONG } from "../panel/hud";
import type { SaveFormat } from "../io/messages";
import type { Playground } from "./playground";
import { withoutUnknown } from "./store";

/** What is saved by the page itself, or by Python. */
export type Saved = SaveFormat | "png" | "settings";

export async function save(page: Playground, format: Saved): Promise<void> {
  if (format === "settings") {
    download("supple-settings.json", new Blob([page.store.asText()], { type: "application/json" }));
  } else if (format === "png") {
    const style = getComputedStyle(document.documentElement);
    const colors = ["--sky", "--floor"].map((name) => style.getPropertyValue(name).trim());
    download("supple.png", await picture(page.stage.redrawn(), colors as [string, string]));
  } else {
    page.line.send({ type: "save", format });
  }
}

/** What is on a canvas, on a background of its own, from top to bottom. */
async function picture(source: HTMLCanvasElement, background: [string, string]): Promise<Blob> {
  const copy = document.createElement("canvas");
  copy.width = source.width;
  copy.height = source.height;
  const pen = copy.getContext("2d");
  if (!pen) throw new Error("this browser cannot make pictures");
  const fill = pen.createLinearGradient(0, 0, 0, copy.height);
  background.forEach((color, k) => fill.addColorStop(k, color));
  pen.fillStyle = fill;
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(source, 0, 0);
  return new Promise((resolve, reject) =>
    copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

export function takeSettings(page: Playground, text: string): void {
  const taken = page.store.restore(text);
  if (!taken) {
    page.hud.say("This is not a settings file of the playground.");
    return;
  }
  const { ignored } = taken;
  if (page.hello) ignored.push(...withoutUnknown(page.store.setup, page.hello));
  page.incoming.forgetMotion();
  page.store.set({});
  page.store.setLook({});
  page.panel.refresh(true);
  if (ignored.length) page.hud.say(`Settings taken over, except for what does not fit:\n${told(ignored)}`, "error", LONG);
  else page.hud.say("Settings taken over.", "info", 3);
}
