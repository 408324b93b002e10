// Choosing files and folders: file dialogs, dropping on the page, and the choice among several models.

import { chosenIn, droppedIn, filesIn, TooMany, type Given } from "../io/folders";
import { SETTINGS_FORMAT } from "../io/settings";
import { type Answer, endings, openModel, refusal, upload, type UploadLimits } from "../io/upload";
import { button, el } from "./dom";
import type { Say } from "./hud";

export interface FileActions {
  limits(): UploadLimits;
  /** A file has been read as a scene. */
  opened(scene: string): void;
  /** The text of a settings file. */
  settings(text: string): void;
  say: Say;
}

const MOST_SETTINGS_BYTES = 4 * 2 ** 20; // of a settings file
const LONGEST_READING = 600; // [s] for which "Reading…" is shown at most

export class FilePicker {
  readonly choice = el("dialog", { id: "choice", aria: { label: "Which file to open" } });
  private readonly input = el("input", { type: "file", multiple: true, hidden: true, name: "file" });
  private readonly folder = el("input", { type: "file", webkitdirectory: true, hidden: true, name: "folder" });
  private readonly veil = el(
    "div",
    { id: "veil", hidden: true },
    el("p", {}, "Drop a character, motion, robot, rules, trace or settings: files, or a whole folder"),
  );
  /** Number of uploads so far: an earlier one that is still running is then ignored. */
  private turn = 0;

  constructor(
    private readonly act: FileActions,
    home: HTMLElement,
  ) {
    home.append(this.input, this.folder, this.veil, this.choice);
    this.input.addEventListener("change", () => {
      void this.take([...(this.input.files ?? [])]);
      this.input.value = "";
    });
    this.folder.addEventListener("change", () => {
      const files = [...(this.folder.files ?? [])];
      this.folder.value = "";
      if (files.length) void this.takeAll(folderName(files[0]!.webkitRelativePath), async () => chosenIn(files, this.wanted));
    });
    this.choice.addEventListener("click", (event) => {
      if (event.target === this.choice) this.choice.close();
    });
    this.watchDrops();
  }

  private watchDrops(): void {
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
      const dropped = droppedIn(event.dataTransfer);
      if (dropped.entries.length) void this.takeAll(dropped.entries[0]!.name, () => filesIn(dropped, this.wanted));
      else void this.take(dropped.files);
    });
  }

  choose(): void {
    this.input.accept = endings(this.act.limits()).join(",");
    this.input.click();
  }

  chooseFolder(): void {
    this.folder.click();
  }

  /** Open files; a single one may be a settings file. */
  async take(files: File[]): Promise<void> {
    const [first] = files;
    if (!first) return;
    if (files.length === 1 && first.name.endsWith(".json") && first.size < MOST_SETTINGS_BYTES) {
      const text = await first.text();
      if (text.includes(SETTINGS_FORMAT)) {
        this.act.settings(text);
        return;
      }
    }
    await this.takeAll(first.name, async () => files.map((file) => ({ path: file.name, file })));
  }

  /** Only files of a folder that a model can consist of are uploaded. */
  private readonly wanted = (name: string) => {
    const low = name.toLowerCase();
    return endings(this.act.limits()).some((ending) => low.endsWith(ending));
  };

  private async takeAll(title: string, find: () => Promise<Given[]>): Promise<void> {
    const turn = (this.turn += 1);
    this.act.say(`Reading ${title}…`, "info", LONGEST_READING);
    try {
      const files = await find();
      const wrong = refusal(title, files, this.act.limits());
      if (wrong) this.act.say(wrong, "error");
      else this.finish(await upload(files, (k) => this.progress(title, k, files.length, turn)), turn);
    } catch (error) {
      if (turn !== this.turn) return;
      this.act.say(
        error instanceof TooMany
          ? `${title} holds very many files: drop the model's own folder.`
          : `${title} could not be sent: ${error instanceof Error ? error.message : String(error)}`,
        "error",
      );
    }
  }

  /** Show which file is being read; false if a later upload has begun. */
  private progress(title: string, index: number, count: number, turn: number): boolean {
    if (turn !== this.turn) return false;
    if (count > 1) this.act.say(`Reading ${title}… ${index + 1} of ${count} files`, "info", LONGEST_READING);
    return true;
  }

  private finish(answer: Answer | null, turn: number): void {
    if (!answer || turn !== this.turn) return;
    if (answer.error) this.act.say(answer.error, "error");
    else if (answer.scene) this.act.opened(answer.scene);
    else if (answer.choose) this.letChoose(answer.choose, answer.into ?? "", turn);
  }

  private letChoose(names: string[], into: string, turn: number): void {
    this.act.say("", "info");
    const open = (name: string) => {
      this.choice.close();
      this.act.say(`Reading ${name}…`, "info", LONGEST_READING);
      openModel(into, name).then(
        (answer) => this.finish(answer, turn),
        (error) => this.act.say(`${name} could not be opened: ${String(error)}`, "error"),
      );
    };
    const list = names.map((name) => button(name, () => open(name), { name: "model", className: "model" }));
    this.choice.replaceChildren(
      el("h2", {}, "Which one?"),
      el("div", { className: "models" }, ...list),
      el(
        "div",
        { className: "buttons" },
        button("Cancel", () => this.choice.close(), { name: "cancel-choice" }),
      ),
    );
    if (!this.choice.open) this.choice.showModal();
  }
}

const folderName = (path: string) => path.split("/")[0] ?? path;
