// Files dropped on the page or chosen: sent to Python, which reads them.

import { address } from "./connection";
import { el } from "./dom";
import { SETTINGS_FORMAT } from "./store";

export interface FileActions {
  limit(): number;
  formats(): string[];
  opened(scene: string): void;
  settings(text: string): void;
  say(text: string, kind: "error" | "info"): void;
}

const BESIDE = [".bin", ".png", ".jpg", ".jpeg", ".tga", ".bmp", ".stl", ".obj", ".dae", ".mtl"];

export class Files {
  private readonly input = el("input", { type: "file", multiple: true, hidden: true, name: "file" });
  private readonly veil = el("div", { id: "veil", hidden: true }, el("p", {}, "Drop a character, motion, robot, rules, trace or settings file"));

  constructor(
    private readonly act: FileActions,
    home: HTMLElement,
  ) {
    home.append(this.input, this.veil);
    this.input.addEventListener("change", () => {
      void this.take([...(this.input.files ?? [])]);
      this.input.value = "";
    });
    let depth = 0;
    window.addEventListener("dragenter", (event) => {
      event.preventDefault();
      depth += 1;
      this.veil.hidden = false;
    });
    window.addEventListener("dragleave", () => {
      depth -= 1;
      if (depth <= 0) this.veil.hidden = true;
    });
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      depth = 0;
      this.veil.hidden = true;
      void this.take([...(event.dataTransfer?.files ?? [])]);
    });
  }

  choose(): void {
    this.input.accept = [...this.act.formats(), ...BESIDE].join(",");
    this.input.click();
  }

  async take(files: File[]): Promise<void> {
    const [first] = files;
    if (!first) return;
    const limit = this.act.limit();
    const large = files.find((file) => file.size > limit);
    if (large) {
      this.act.say(`${large.name} has ${megabytes(large.size)} MB; files of more than ${megabytes(limit)} MB are not taken.`, "error");
      return;
    }
    if (files.length === 1 && first.name.endsWith(".json") && first.size < 4 * 2 ** 20) {
      const text = await first.text();
      if (text.includes(SETTINGS_FORMAT)) {
        this.act.settings(text);
        return;
      }
    }
    this.act.say(`Reading ${first.name}…`, "info");
    try {
      await this.send(files);
    } catch (error) {
      this.act.say(`${first.name} could not be sent: ${String(error)}`, "error");
    }
  }

  private async send(files: File[]): Promise<void> {
    let into = "";
    for (const [k, file] of files.entries()) {
      const last = k === files.length - 1;
      const query: Record<string, string> = { name: file.name };
      if (into) query.into = into;
      if (last) query.last = "1";
      const answer = await fetch(address("/upload", query), { method: "POST", body: file });
      const result = (await answer.json()) as { into?: string; scene?: string; error?: string };
      if (result.error) {
        this.act.say(result.error, "error");
        return;
      }
      into = result.into ?? into;
      if (result.scene) this.act.opened(result.scene);
    }
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
