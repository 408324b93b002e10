// The playground: ties the stage, the goals, the panel and the line to Python together.

import type { Vector3 } from "three";
import { Appearance } from "./appearance";
import { Asking } from "../io/requests";
import { Beyond } from "../panel/offscreen_arrow";
import { Body } from "../scene/figure";
import { told } from "../io/shape_check";
import { Connection } from "../io/connection";
import { el } from "../panel/dom";
import { Files } from "../panel/file_picker";
import { Following } from "../scene/follow_camera";
import { Goals } from "../scene/goals";
import { Growing } from "../panel/rules_section";
import { Hands } from "./hands";
import { Hud, LONG } from "../panel/hud";
import { Incoming } from "./incoming";
import { Limits } from "../scene/limits";
import type { Hello, Scene } from "../io/messages";
import { Onion } from "../scene/onion_skin";
import { Panel } from "../panel/panel";
import { save, takeSettings } from "./saving";
import { Skins } from "../scene/skins";
import { Stage } from "../scene/stage";
import { StepsView } from "../trace/step_view";
import { freshScene, Store } from "./store";
import { Timeline } from "../panel/timeline";
import { Tracing } from "../trace/trace_player";
import { Vectors } from "../trace/step_vectors";

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
  readonly following = new Following();
  readonly hud = new Hud();
  readonly growing = new Growing(this.store);
  readonly beyond = new Beyond(() => this.home());
  readonly appearance = new Appearance(this);
  readonly incoming = new Incoming(this);
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
  private slow = false;

  constructor() {
    const root = document.querySelector<HTMLElement>("#stage")!;
    const canvas = document.querySelector<HTMLCanvasElement>("#canvas")!;
    this.stage = new Stage(canvas, this.store.look.quality === "plain");
    this.goals = new Goals(this.stage);
    this.panel = new Panel(this.store, this.growing, {
      choose: (joint) => this.choose(joint),
      record: () => this.record(),
      save: (format) => void save(this, format),
      openFiles: () => this.files.choose(),
      openFolder: () => this.files.chooseFolder(),
      reset: () => this.store.reset(),
      resetPose: () => this.resetPose(),
      home: () => this.home(),
      fullScreen: () => this.fullScreen(),
      help: () => this.hud.help.showModal(),
    });
    this.timeline = new Timeline(this.store);
    this.steps = new StepsView(this.panel.steps, this.tracing, () => this.record());
    const opener = el("button", { id: "opener", type: "button", title: "Panel (P)", aria: { label: "Panel in or out" } }, "☰");
    opener.addEventListener("click", () => this.store.setLook({ panel: !this.store.look.panel }));
    root.append(this.hud.node, this.beyond.node, this.hud.halves, this.hud.banner, this.timeline.node, this.hud.notice);
    document.body.append(this.panel.node, opener, this.hud.help);
    for (const body of this.bodies) this.stage.world.add(body.group);
    this.stage.world.add(this.skins.group, this.limits.group, this.vectors.group, this.onion.group, this.onion.feet);
    this.files = new Files(
      {
        limit: () => this.hello?.upload_limit ?? Infinity,
        most: () => this.hello?.most_files ?? Infinity,
        formats: () => this.hello?.formats ?? [],
        opened: (scene) => {
          this.timeline.startWith(scene);
          this.store.set(freshScene(scene));
        },
        settings: (text) => takeSettings(this, text),
        say: (text, kind, seconds) => this.hud.say(text, kind, seconds),
      },
      document.body,
    );
    this.listen();
    this.hands = new Hands(this, root);
    this.appearance.apply();
    this.hud.setLine("connecting");
    const { ignored } = this.store;
    if (ignored.length) this.hud.say(`Of what was set here before, this does not fit and is left out:\n${told(ignored)}`, "error", LONG);
    this.line = new Connection(this.incoming);
  }

  /** Whether nothing waits to be sent, answered or drawn, in any half. */
  get settled(): boolean {
    return this.applied > 0 && this.asking.settled(this.stage.halfCount) && this.stage.shown;
  }

  // What a person can do -------------------------------------------------------------------------

  record(): void {
    this.line.send({ type: "trace", rest: true });
  }

  /** Bring the part of the panel for stepping through a solve into view. */
  showSteps(): void {
    if (!this.store.look.panel) this.store.setLook({ panel: true });
    this.panel.reveal(this.panel.steps);
  }

  resetPose(): void {
    if (!this.scene) return;
    delete this.store.places[this.scene.key];
    if (this.timeline.motion) this.timeline.seek(0);
    this.line.send({ type: "reset" });
  }

  choose(joint: number): void {
    this.chosen = joint;
    this.panel.chosen = joint;
    for (const body of this.bodies) body.mark(joint, this.hands.hovered);
    if (this.scene) this.limits.setScene(this.scene, joint);
    this.panel.refresh();
    this.stage.invalidate();
  }

  /** Look at everything, wherever the goals have been taken. */
  home(): void {
    this.stage.home(this.goals.list.map(({ position }) => position));
  }

  fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => this.hud.say("This browser does not allow full screen here.", "info", 4));
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
      this.line.send({ type: "setup", seq: asking.sendSetup(this.store.setup), setup: this.store.setup });
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
    if (this.hud.complaining) return;
    if (slow) this.hud.say(settingUp ? "Growing…" : "Working… a solver is compiled the first time it is used.", "info", 120);
    else this.hud.say("");
  }

  // Wiring -------------------------------------------------------------------------------------

  private listen(): void {
    this.stage.insets = () => this.appearance.insets();
    this.stage.onTick = (seconds) => this.tick(seconds);
    this.stage.onHalf = (half) => this.appearance.beforeHalf(half);
    this.stage.onCamera = () => {
      this.goals.draw();
      const { camera, controls } = this.stage;
      const key = this.incoming.cameraKey;
      const at = (place: Vector3) => place.clone().sub(this.stage.gone).toArray();
      this.store.camera = { key, position: at(camera.position), target: at(controls.target) };
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
    this.tracing.onShow = () => this.appearance.showTrace();
    this.tracing.onOpen = () => this.showSteps();
    this.skins.onReady = () => this.stage.invalidate();
    this.store.onChange((part) => {
      if (part === "setup") {
        this.asking.setupDirty = true;
        this.panel.refresh();
        if (this.scene) this.timeline.setScene(this.scene);
      }
      if (part === "look") this.appearance.apply();
    });
    const below = () => document.documentElement.style.setProperty("--below", `${this.timeline.node.offsetHeight}px`);
    new ResizeObserver(below).observe(this.timeline.node);
    window.addEventListener("pagehide", () => this.store.save());
    window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => this.appearance.apply());
  }
}
