// Files and folders dropped on the page or chosen: sent to Python, which reads them.

import { address } from "../io/connection";
import { button, el } from "./dom";
import { chosenIn, droppedIn, filesIn, TooMany, type Dropped, type Given } from "../io/folders";
import { SETTINGS_FORMAT } from "../app/store";

export interface FileActions {
  /** Most bytes, and most files, that are taken at once. */
  limit(): number;
  most(): number;
  formats(): string[];
  opened(scene: string): void;
  settings(text: string): void;
  say(text: string, kind: "error" | "info", seconds?: number): void;
}

interface Answer {
  into?: string;
  scene?: string;
  /** Of several models, the one to open is to be chosen. */
  choose?: string[];
  error?: string;
}

/** What models are made of beside their own files. */
const BESIDE = [".bin", ".png", ".jpg", ".jpeg", ".webp", ".ktx2", ".tga", ".bmp", ".stl", ".obj", ".ply", ".mtl", ".vta"];
const SETTINGS_MOST = 4 * 2 ** 20; // bytes of a settings file
const PATIENCE = 600; // seconds that "Reading…" stands at most

export class Files {
  readonly choice = el("dialog", { id: "choice", aria: { label: "Which file to open" } });
  private readonly input = el("input", { type: "file", multiple: true, hidden: true, name: "file" });
  private readonly folder = el("input", { type: "file", webkitdirectory: true, hidden: true, name: "folder" });
  private readonly veil = el(
    "div",
    { id: "veil", hidden: true },
    el("p", {}, "Drop a character, motion, robot, rules, trace or settings: files, or a whole folder"),
  );
  /** Counts what is taken: an older one that is still under way then leaves the stage alone. */
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
      if (dropped.entries.length) void this.takeAll(dropped.entries[0]!.name, () => this.walk(dropped));
      else void this.take(dropped.files);
    });
  }

  choose(): void {
    this.input.accept = [...this.act.formats(), ...BESIDE].join(",");
    this.input.click();
  }

  chooseFolder(): void {
    this.folder.click();
  }

  /** Open files; a single one may be settings of the page. */
  async take(files: File[]): Promise<void> {
    const [first] = files;
    if (!first) return;
    if (files.length === 1 && first.name.endsWith(".json") && first.size < SETTINGS_MOST) {
      const text = await first.text();
      if (text.includes(SETTINGS_FORMAT)) {
        this.act.settings(text);
        return;
      }
    }
    await this.takeAll(first.name, async () => files.map((file) => ({ path: file.name, file })));
  }

  /** Of a folder, only what a model can be made of is sent. */
  private readonly wanted = (name: string) => {
    const low = name.toLowerCase();
    return [...this.act.formats(), ...BESIDE].some((ending) => low.endsWith(ending));
  };

  private walk(dropped: Dropped): Promise<Given[]> {
    return filesIn(dropped, this.wanted);
  }

  private async takeAll(title: string, find: () => Promise<Given[]>): Promise<void> {
    const turn = (this.turn += 1);
    this.act.say(`Reading ${title}…`, "info", PATIENCE);
    try {
      const files = await find();
      const wrong = this.refusal(title, files);
      if (wrong) this.act.say(wrong, "error");
      else await this.send(title, files, turn);
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

  /** Why files are not taken; "" if they are. */
  private refusal(title: string, files: Given[]): string {
    const limit = this.act.limit();
    const large = files.find(({ file }) => file.size > limit);
    if (large) {
      return `${large.file.name} has ${megabytes(large.file.size)} MB; files of more than ${megabytes(limit)} MB are not taken.`;
    }
    const size = files.reduce((sum, { file }) => sum + file.size, 0);
    if (size > limit) return `${title} has ${megabytes(size)} MB of models and images; more than ${megabytes(limit)} MB are not taken.`;
    if (files.length > this.act.most()) {
      return `${title} holds ${files.length} models and images; more than ${this.act.most()} at once are not taken.`;
    }
    if (!files.length) return `${title} holds nothing that can be opened: expected a file ending in ${this.act.formats().join(", ")}.`;
    return "";
  }

  private async send(title: string, files: Given[], turn: number): Promise<void> {
    let answer: Answer = {};
    for (const [k, { path, file }] of files.entries()) {
      if (turn !== this.turn) return;
      if (files.length > 1) this.act.say(`Reading ${title}… ${k + 1} of ${files.length} files`, "info", PATIENCE);
      const query: Record<string, string> = { name: path };
      if (answer.into) query.into = answer.into;
      if (k === files.length - 1) query.last = "1";
      answer = await ask(query, file);
      if (answer.error) break;
    }
    this.takeUp(answer, turn);
  }

  private takeUp(answer: Answer, turn: number): void {
    if (turn !== this.turn) return;
    if (answer.error) this.act.say(answer.error, "error");
    else if (answer.scene) this.act.opened(answer.scene);
    else if (answer.choose) this.letChoose(answer.choose, answer.into ?? "", turn);
  }

  private letChoose(names: string[], into: string, turn: number): void {
    this.act.say("", "info");
    const open = (name: string) => {
      this.choice.close();
      this.act.say(`Reading ${name}…`, "info", PATIENCE);
      ask({ into, open: name }, null).then(
        (answer) => this.takeUp(answer, turn),
        (error) => this.act.say(`${name} could not be opened: ${String(error)}`, "error"),
      );
    };
    const list = names.map((name) => button(name, () => open(name), { name: "model", className: "model" }));
    this.choice.replaceChildren(
      el("h2", {}, "Which one?"),
      el("div", { className: "models" }, ...list),
      el("div", { className: "buttons" }, button("Cancel", () => this.choice.close(), { name: "cancel-choice" })),
    );
    if (!this.choice.open) this.choice.showModal();
  }
}

async function ask(query: Record<string, string>, body: File | null): Promise<Answer> {
  const answer = await fetch(address("/upload", query), { method: "POST", body });
  return (await answer.json()) as Answer;
}

const folderName = (path: string) => path.split("/")[0] ?? path;
const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
