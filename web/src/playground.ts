// The playground: ties the stage, the goals, the panel and the line to Python together.

import { Vector3 } from "three";
import { Asking } from "./asking";
import { Body } from "./body";
import { Connection, type LineState } from "./connection";
import { download, el } from "./dom";
import { Files } from "./files";
import type { Packet, PoseFrame } from "./frames";
import { Goals } from "./goals";
import { Growing } from "./growing";
import { Hands } from "./hands";
import { Hud } from "./hud";
import { Limits } from "./limits";
import type { FromSession, Hello, SaveFormat, Scene } from "./messages";
import { Onion } from "./onion";
import { Panel } from "./panel";
import { Skins } from "./skin";
import { Stage } from "./stage";
import { StepsView } from "./steps";
import { keep, recall } from "./storage";
import { defaultSetup, freshScene, Store } from "./store";
import { Timeline } from "./timeline";
import { Tracing } from "./tracing";
import { Vectors } from "./vectors";

const ADOPTED = "supple-adopted"; // the scene that the server was started with, once it has been shown
const SLOW = 900; // milliseconds without an answer after which the page says that it waits

export class Playground {
  readonly store = new Store();
  readonly asking = new Asking();
  readonly stage: Stage;
  readonly goals: Goals;
  readonly bodies = [new Body(), new Body()];
  readonly skins = new Skins();
  readonly limits = new Limits();
  readonly tracing = new Tracing();
  readonly vectors = new Vectors();
  readonly onion = new Onion();
  readonly hud = new Hud();
  readonly growing = new Growing(this.store);
  readonly panel: Panel;
  readonly timeline: Timeline;
  readonly line: Connection;
  readonly files: Files;
  readonly steps: StepsView;
  readonly hands: Hands;
  scene: Scene | null = null;
  hello: Hello | null = null;
  /** Pose frames that were drawn from. */
  applied = 0;
  chosen = -1;
  private cameraKey = "";

  constructor() {
    const root = document.querySelector<HTMLElement>("#stage")!;
    const canvas = document.querySelector<HTMLCanvasElement>("#canvas")!;
    this.stage = new Stage(canvas, this.store.look.quality === "fine");
    this.goals = new Goals(this.stage);
    this.panel = new Panel(this.store, this.growing, {
      choose: (joint) => this.choose(joint),
      record: () => this.record(),
      save: (format) => void this.save(format),
      openFiles: () => this.files.choose(),
      reset: () => this.store.reset(),
      resetPose: () => this.resetPose(),
      home: () => this.stage.home(this.scene?.flat),
      fullScreen: () => this.fullScreen(),
      help: () => this.hud.help.showModal(),
    });
    this.timeline = new Timeline(this.store);
    this.steps = new StepsView(this.panel.steps, this.tracing, () => this.record());
    const opener = el("button", { id: "opener", type: "button", title: "Panel (P)", aria: { label: "Panel in or out" } }, "☰");
    opener.addEventListener("click", () => this.store.setLook({ panel: !this.store.look.panel }));
    root.append(this.hud.node, this.hud.halves, this.hud.banner, this.hud.notice, this.timeline.node);
    document.body.append(this.panel.node, opener, this.hud.help);
    for (const body of this.bodies) this.stage.world.add(body.group);
    this.stage.world.add(this.skins.group, this.limits.group, this.vectors.group, this.onion.group, this.onion.feet);
    this.files = new Files(
      {
        limit: () => this.hello?.upload_limit ?? Infinity,
        formats: () => this.hello?.formats ?? [],
        opened: (scene) => this.opened(scene),
        settings: (text) => this.takeSettings(text),
        say: (text, kind) => this.hud.say(text, kind),
      },
      document.body,
    );
    this.listen();
    this.hands = new Hands(this, root);
    this.applyLook();
    this.hud.setLine("connecting");
    this.line = new Connection({
      onState: (state) => this.onLine(state),
      onMessage: (message) => this.onMessage(message),
      onPose: (frame) => this.onPose(frame),
      onPacket: (packet) => this.onPacket(packet),
    });
  }

  // What comes in --------------------------------------------------------------------------------

  private onLine(state: LineState): void {
    this.hud.setLine(state);
    this.asking.since = 0;
    if (state === "lost") this.asking.lost();
  }

  private onMessage(message: FromSession): void {
    switch (message.type) {
      case "hello":
        return this.onHello(message);
      case "scene":
        return this.onScene(message);
      case "refused":
        this.asking.answerSetup(message.seq);
        this.asking.since = 0;
        if (message.seq) this.growing.refused(this.goals);
        return this.onRefused(message.text);
      case "key": {
        const keys = [...this.store.setup.keys, message.key].sort((a, b) => a.time - b.time);
        this.store.set({ keys });
        return;
      }
      default:
        return;
    }
  }

  private onHello(hello: Hello): void {
    this.hello = hello;
    this.panel.hello = hello;
    if (hello.scene && hello.scene !== recall("tab", ADOPTED)) {
      keep("tab", ADOPTED, hello.scene);
      Object.assign(this.store.setup, freshScene(hello.scene));
    }
    if (!hello.solvers.some(({ name }) => name === this.store.setup.solver.name)) {
      this.store.setup.solver = { name: "auto", options: {} };
    }
    this.asking.setupDirty = true;
  }

  private onScene(scene: Scene): void {
    const before = this.scene;
    this.scene = scene;
    this.asking.answerSetup(scene.seq);
    const { setup } = this.store;
    const newKey = before?.key !== scene.key;
    if (newKey) {
      this.skins.clear();
      this.tracing.close();
      this.chosen = -1;
    }
    if (!scene.meshes) this.skins.clear();
    this.panel.shapes = this.skins.shapes;
    this.growing.take(scene);
    // What rules grow changes its size under a slider, and is looked at from where it was.
    const key = `${setup.scene}|${scene.grown ? "grown" : scene.size.toFixed(3)}|${scene.flat}`;
    const moved = key !== this.cameraKey;
    const kept = moved && this.store.camera?.key === key ? this.store.camera : null;
    this.cameraKey = key;
    this.stage.setScene(scene, moved && !kept);
    if (kept) this.stage.restoreCamera(kept.position, kept.target);
    this.stage.setHalves(setup.compare && scene.goals.some(({ kind }) => kind !== "target") ? 2 : 1);
    const locked = new Set(Object.keys(setup.joints).filter((name) => setup.joints[name]?.lock));
    for (const body of this.bodies) {
      body.setOver(scene.meshes > 0 && this.store.look.mesh);
      body.setScene(scene, locked);
    }
    this.goals.setScene(scene, this.store.places[scene.key] ?? []);
    this.store.places[scene.key] = this.goals.places();
    this.limits.setScene(scene, this.chosen);
    this.panel.scene = scene;
    this.panel.chosen = this.chosen;
    this.panel.refresh();
    this.growing.refresh();
    this.timeline.setScene(scene);
    this.hud.setScene(scene);
    this.hud.say("");
    this.applyLook();
    this.asking.wantDirty = true;
  }

  private onRefused(text: string): void {
    this.hud.say(text);
    if (this.scene === null && this.store.setup.scene !== "snake") {
      this.store.set({ ...defaultSetup(), solver: { name: "auto", options: {} } });
    } else if (this.scene === null) {
      Object.assign(this.store.setup, defaultSetup());
      this.asking.setupDirty = true;
    }
  }

  private onPose(frame: PoseFrame): void {
    const { scene } = this;
    if (!scene || frame.revision !== scene.revision || frame.slot > 1) return;
    // An answer to something older than what is shown never moves anything back.
    if (!this.asking.answerWant(frame.seq, frame.slot)) return;
    const body = this.bodies[frame.slot]!;
    if (this.tracing.open && frame.slot === 0) body.frame = frame;
    else body.apply(frame);
    this.applied += 1;
    if (frame.slot === 0) {
      this.hud.show(frame, scene.size);
      this.stage.surroundings.setPedestal(this.pedestalPlace());
      if (!document.body.classList.contains("ready")) {
        document.body.classList.add("ready");
        document.querySelector("#loading")?.remove();
      }
    }
    this.hud.showHalves(this.bodies.map((one) => one.frame), this.stage.halfCount > 1);
    this.stage.invalidate();
  }

  private onPacket(packet: Packet): void {
    switch (packet.head.kind) {
      case "mesh":
        this.skins.add(packet);
        this.panel.shapes = this.skins.shapes;
        this.panel.refresh();
        break;
      case "motion":
        this.onion.take(packet);
        break;
      case "file":
        download(packet.head.name, new Blob([packet.arrays.data!.data as Uint8Array<ArrayBuffer>]));
        break;
      default:
        this.tracing.take(packet);
    }
    this.stage.invalidate();
  }

  /** Whether nothing waits to be sent, answered or drawn, in any half. */
  get settled(): boolean {
    return this.applied > 0 && this.asking.settled(this.stage.halfCount) && this.stage.shown;
  }

  // What goes out --------------------------------------------------------------------------------

  private tick(seconds: number): void {
    this.sayIfSlow();
    this.goals.tick(performance.now());
    this.timeline.tick(seconds);
    this.tracing.tick(seconds);
    if (!this.line.isOpen) return;
    const { asking } = this;
    const growing = this.growing.on && asking.settingUp;
    if (asking.setupDirty && this.hello && !growing) {
      if (this.growing.on) asking.since ||= performance.now();
      this.line.send({ type: "setup", seq: asking.sendSetup(), setup: this.store.setup });
    } else if (asking.wantDirty && this.scene) {
      this.line.send({
        type: "want",
        seq: asking.sendWant(),
        revision: this.scene.revision,
        goals: this.goals.places(),
        time: this.timeline.time,
      });
    }
  }

  /** The first solve with a solver compiles it, which takes seconds: say so. */
  private sayIfSlow(): void {
    const { since, settingUp } = this.asking;
    const slow = since > 0 && performance.now() - since > SLOW && this.line.isOpen;
    if (slow === this.slow) return;
    this.slow = slow;
    if (slow) this.hud.say(settingUp ? "Growing…" : "Working… a solver is compiled the first time it is used.", "info", 120);
    else if (this.hud.notice.dataset.kind === "info") this.hud.say("");
  }

  record(): void {
    this.line.send({ type: "trace", rest: true });
    const box = this.panel.steps.closest("details");
    if (box) box.open = true;
  }

  resetPose(): void {
    if (!this.scene) return;
    delete this.store.places[this.scene.key];
    this.line.send({ type: "reset" });
  }

  private async save(format: SaveFormat | "png" | "settings"): Promise<void> {
    if (format === "settings") {
      download("supple-settings.json", new Blob([this.store.asText()], { type: "application/json" }));
    } else if (format === "png") {
      const style = getComputedStyle(document.documentElement);
      const colors = ["--sky", "--floor"].map((name) => style.getPropertyValue(name).trim());
      download("supple.png", await this.stage.picture(colors as [string, string]));
    } else {
      this.line.send({ type: "save", format });
    }
  }

  private opened(scene: string): void {
    this.store.set(freshScene(scene));
  }

  private takeSettings(text: string): void {
    if (!this.store.restore(text)) {
      this.hud.say("This is not a settings file of the playground.");
      return;
    }
    this.store.set({});
    this.store.setLook({});
    this.panel.refresh(true);
    this.hud.say("Settings taken over.", "info", 3);
  }

  // Wiring -------------------------------------------------------------------------------------

  private listen(): void {
    this.stage.onTick = (seconds) => this.tick(seconds);
    this.stage.onHalf = (half) => this.beforeHalf(half);
    this.stage.onCamera = () => {
      this.goals.draw();
      const { camera, controls } = this.stage;
      this.store.camera = { key: this.cameraKey, position: camera.position.toArray(), target: controls.target.toArray() };
      this.store.saveSoon();
    };
    this.goals.onMove = () => {
      this.asking.wantDirty = true;
      if (this.tracing.open) this.tracing.close();
      this.growing.follow(this.goals);
      if (this.scene) this.store.setPlaces(this.scene.key, this.goals.places());
    };
    this.timeline.onTime = () => {
      this.asking.wantDirty = true;
    };
    this.timeline.onKey = (time) => this.line.send({ type: "key", time });
    this.tracing.onWantSteps = (iteration) => this.line.send({ type: "steps", iteration });
    this.tracing.onShow = () => this.showTrace();
    this.skins.onReady = () => this.stage.invalidate();
    this.store.onChange((part) => {
      if (part === "setup") {
        this.asking.setupDirty = true;
        this.panel.refresh();
        if (this.scene) this.timeline.setScene(this.scene);
      }
      if (part === "look") this.applyLook();
    });
    window.addEventListener("pagehide", () => this.store.save());
    window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => this.applyLook());
  }

  choose(joint: number): void {
    this.chosen = joint;
    this.panel.chosen = joint;
    for (const body of this.bodies) body.mark(joint, this.hands.hovered);
    if (this.scene) this.limits.setScene(this.scene, joint);
    this.panel.refresh();
    this.stage.invalidate();
  }

  fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => this.hud.say("This browser does not allow full screen here.", "info", 4));
  }

  // Drawing --------------------------------------------------------------------------------------

  private beforeHalf(half: number): void {
    this.bodies.forEach((body, k) => {
      body.group.visible = k === half;
    });
    const body = this.bodies[half]!;
    this.skins.follow(body.matrices);
    this.skins.mix(body.frame?.report.morphs ?? {}, this.store.look.shapes);
    this.limits.follow(body);
    this.vectors.group.visible = half === 0;
    this.vectors.draw(this.tracing, body.positions, this.scene?.parents ?? [], 0.02 * this.stage.size);
    this.onion.show(this.timeline.time, body.links(), this.store.look.onion && this.timeline.motion !== null);
    const feet = this.store.look.contacts && this.timeline.motion !== null;
    this.onion.showContacts(this.timeline.time, body.positions, this.stage.up, this.scene?.ground ?? 0, this.stage.size, feet);
    this.goals.showSights((name) => body.positions[this.scene?.names.indexOf(name) ?? -1]);
    this.hands.showName(body);
  }

  private showTrace(): void {
    const body = this.bodies[0]!;
    const pose = this.tracing.open ? this.tracing.pose() : null;
    if (pose) body.place(pose, 7);
    else if (!this.tracing.open && body.frame) body.apply(body.frame);
    this.steps.show(this.scene);
    this.stage.invalidate();
  }

  private pedestalPlace(): Vector3 | null {
    return this.scene?.pedestal ? (this.bodies[0]!.positions[0]?.clone() ?? null) : null;
  }

  private applyLook(): void {
    const { look } = this.store;
    const light = look.theme === "auto" ? window.matchMedia("(prefers-color-scheme: light)").matches : look.theme === "light";
    document.documentElement.dataset.theme = light ? "light" : "dark";
    document.body.classList.toggle("with-panel", look.panel);
    this.stage.setTheme(light ? "light" : "dark");
    if (this.quality !== look.quality) {
      this.quality = look.quality;
      this.stage.setQuality(look.quality === "plain");
    }
    this.goals.sensitivity = look.sensitivity;
    this.limits.group.visible = look.limits;
    this.skins.group.visible = look.mesh;
    for (const body of this.bodies) {
      body.setLight(light);
      body.setOver((this.scene?.meshes ?? 0) > 0 && look.mesh);
      body.setVisible(look.bones, look.frames);
    }
    this.stage.surroundings.setPedestal(this.pedestalPlace());
    if (this.scene) this.timeline.setScene(this.scene);
    this.stage.invalidate();
  }

  private quality: string = "fine";
  private slow = false;
}
