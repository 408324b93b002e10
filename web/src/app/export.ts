// Files that the page itself writes: settings and pictures.

import { download } from "../io/download";
import { type Settings, settingsText } from "../io/settings";

export function saveSettings(settings: Settings): void {
  download("supple-settings.json", new Blob([settingsText(settings)], { type: "application/json" }));
}

/** Save a canvas as PNG, over the page's background. */
export async function savePicture(canvas: HTMLCanvasElement): Promise<void> {
  const style = getComputedStyle(document.documentElement);
  const colors = ["--sky", "--floor"].map((name) => style.getPropertyValue(name).trim());
  download("supple.png", await picture(canvas, colors));
}

/** A copy of a canvas over a vertical gradient. */
async function picture(source: HTMLCanvasElement, background: string[]): Promise<Blob> {
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
  return new Promise((resolve, reject) => copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
