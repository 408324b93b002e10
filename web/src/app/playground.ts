// The playground: creates the parts of the page and connects them.

import type { Line } from "../io/connection";
import { Requests } from "../io/requests";
import { readSettings } from "../io/settings";
import { readFragment } from "../io/share";
import { bulleted } from "../io/shape_check";
import type { Saved } from "../panel/context";
import { el } from "../panel/dom";
import type { FilePicker } from "../panel/file_picker";
import { GoalHint } from "../panel/goal_hint";
import { helpDialog } from "../panel/help";
import { Hud, LONG_NOTICE } from "../panel/hud";
import { OffscreenArrow } from "../panel/offscreen_arrow";
import { Panel } from "../panel/panel";
import { RulesSection } from "../panel/rules_section";
import { SourceLabel } from "../panel/source_label";
import { ContactTracks } from "../panel/contact_tracks";
import { Timeline } from "../panel/timeline";
import { Tools } from "../panel/tools";
import { WorkingNotice } from "../panel/working";
import type { Insets } from "../scene/framing";
import { Pointer } from "../scene/pointer";
import { SceneView } from "../scene/view";
import type { ViewName } from "../scene/view_camera";
import { Comparison } from "../trace/comparison";
import { StepVectors } from "../trace/step_vectors";
import { StepView } from "../trace/step_view";
import { TracePlayer } from "../trace/trace_player";
import { watchBodies } from "./bodies_wanted";
import { CameraMemory } from "./camera_memory";
import { savePicture, saveSettings } from "./export";
import type { Host } from "./host";
import { History, type Moment } from "./history";
import { Incoming } from "./incoming";
import { Joining } from "./joining";
import { Keyboard } from "./keyboard";
import { MotionWork } from "./motion_work";
import { Outgoing } from "./outgoing";
import { Sharing } from "./sharing";
import { Store } from "./store";
import { Video } from "./video";

const STATUS_HEIGHT = 76; // height of the status at the top [pixels]
const TITLE_HEIGHT = 34; // height of the title alone, in a race [pixels]
const TOOLS_HEIGHT = 44; // height of the tools above the status in a narrow window [pixels]
const SUMMARY_HEIGHT = 84; // height of a comparison's summaries at the bottom [pixels]
const EDGE_MARGIN = 12; // [pixels]
const LONGEST_VIDEO = 60; // [s]
const NARROW_WINDOW = 720; // window width up to which the panel covers the scene [pixels]

export class Playground {
  readonly store: Store;
  readonly requests = new Requests();
  readonly view: SceneView;
  readonly hud = new Hud();
  readonly tracing: TracePlayer;
  readonly vectors = new StepVectors();
  readonly timeline: Timeline;
  readonly motionWork: MotionWork;
  readonly files: FilePicker | null;
  readonly incoming: Incoming;
  readonly line: Line;
  private readonly rules: RulesSection;
  private readonly panel: Panel;
  private readonly steps: StepView;
  private readonly camera: CameraMemory;
  private readonly outgoing: Outgoing;
  readonly history: History;
  private readonly tools: Tools;
  private readonly pointer: Pointer;
  private readonly comparison = new Comparison();
  private readonly video = new Video((recording) => this.store.setRecording(recording));
  private readonly sharing: Sharing;
  private readonly joining: Joining;
  /** True if a goal has been solved for since the last frame. */
  private solved = false;
  private readonly help: HTMLDialogElement;
  private readonly hint = new GoalHint();
  private readonly sourceLabel = new SourceLabel();
  private readonly working = new WorkingNotice();
  private readonly arrow = new OffscreenArrow(() => this.home());

  constructor(private readonly host: Host) {
    const root = document.querySelector<HTMLElement>("#stage")!;
    const canvas = document.querySelector<HTMLCanvasElement>("#canvas")!;
    const { settings, ignored, fresh } = host.settings;
    this.help = helpDialog(host.standalone);
    const { hud, requests } = this;
    const store = (this.store = new Store(settings, () => host.fresh()));
    this.view = new SceneView(canvas, store, {
      insets: () => this.insets(),
      tick: (seconds) => this.tick(seconds),
      beforeHalf: (half) => this.beforeHalf(half),
      drawn: (drawn) => {
        if (this.video.recording) this.video.take(drawn);
      },
      cameraMoved: () => this.camera.keep(),
      goalsMoved: () => this.goalsMoved(),
    });
    this.camera = new CameraMemory(this.view, store);
    this.joining = new Joining(store, this.view);
    this.rules = new RulesSection(store);
    const keys = host.standalone ? null : (time: number) => this.line.send({ type: "key", time });
    this.timeline = new Timeline(store, keys, new ContactTracks(store, (fault) => this.motionWork.goTo(fault)));
    this.motionWork = new MotionWork(store, this.timeline, {
      send: (message) => this.line.send(message),
      chooseFile: () => this.files?.choose(),
    });
    this.panel = new Panel(store, host.standalone, this.rules, {
      save: (format) => this.save(format),
      openFiles: () => {
        this.motionWork.forgetTarget();
        this.files?.choose();
      },
      openFolder: () => {
        this.motionWork.forgetTarget();
        this.files?.chooseFolder();
      },
      resetPose: () => this.resetPose(),
      home: () => this.home(),
      fullScreen: () => this.fullScreen(),
      help: () => this.help.showModal(),
      look: (from) => this.view.lookFrom(from),
      reset: () => this.resetAll(),
      join: (kind, a, b) => this.joining.join(kind, a, b),
      bind: (goal, bone) => this.joining.bind(goal, bone),
      motion: this.motionWork,
    });
    this.tracing = new TracePlayer({
      shown: () => this.showTrace(),
      opened: () => this.traceOpened(),
      needSteps: (iteration) => this.line.send({ type: "steps", iteration }),
    });
    if (fresh) this.timeline.startWith(settings.setup.scene);
    this.steps = new StepView(this.panel.steps, this.tracing, () => this.record());
    this.files = host.newFiles?.(this) ?? null;
    this.tools = new Tools(store, host.standalone, {
      undo: () => this.history.undo(),
      redo: () => this.history.redo(),
      steps: () => (this.tracing.open ? this.tracing.close() : this.record()),
      lock: () => this.lockChosen(),
      help: () => this.help.showModal(),
      togglePanel: () => this.togglePanel(),
    });
    this.pointer = this.newPointer(root);
    this.addKeyboard(root);
    this.layOut(root);
    this.incoming = new Incoming(store, requests, {
      view: this.view,
      camera: this.camera,
      hud,
      panel: this.panel,
      rules: this.rules,
      timeline: this.timeline,
      tracing: this.tracing,
      vectors: this.vectors,
      comparison: this.comparison,
      working: this.working,
      motionWork: this.motionWork,
      applyLook: () => this.applyLook(),
    });
    this.subscribe();
    this.view.stage.start();
    this.applyLook();
    hud.setLine("connecting");
    if (ignored.length) hud.say(`These earlier settings do not fit and are left out:\n${bulleted(ignored)}`, "error", LONG_NOTICE);
    this.line = host.connect(this.incoming);
    this.outgoing = this.newOutgoing();
    this.history = new History(store, {
      pose: () => {
        const coordinates = this.line.pose?.();
        return coordinates && store.scene ? { key: store.scene.key, coordinates } : null;
      },
      busy: () => this.view.goals.dragging || this.view.goals.pushing,
      revert: (moment) => this.revert(moment),
    });
    this.tools.watch(this.history);
    watchBodies(store, this.line);
    this.sharing = new Sharing(store, hud.say, () => this.incoming.forgetMotion());
    const shared = readFragment(location.hash);
    if (shared) this.sharing.take(shared);
  }

  /** True if nothing is left to be sent, answered, decoded or drawn, in any half. */
  get settled(): boolean {
    const { stage, skins } = this.view;
    return this.incoming.applied > 0 && this.requests.settled(stage.halfCount) && !skins.loading && stage.shown && !this.hud.pending;
  }

  // Actions ----------------------------------------------------------------------------------------

  /** Record a trace of the solve from the rest pose. */
  record(): void {
    this.line.send({ type: "trace", rest: true, quiet: false });
  }

  resetPose(): void {
    const { scene, motion } = this.store;
    if (!scene) return;
    this.store.clearPlaces(scene.key);
    if (motion) this.timeline.seek(0);
    this.line.send({ type: "reset" });
  }

  /** Return to what a new page begins with. */
  private resetAll(): void {
    this.incoming.forgetMotion();
    this.store.reset();
    this.timeline.startWith(this.store.setup.scene);
    this.panel.refresh(true);
  }

  /** Move the camera home. */
  home(): void {
    this.view.home();
  }

  private fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => this.hud.say("This browser does not allow full screen here.", "info", 4));
  }

  private togglePanel(): void {
    this.store.setLook({ panel: !this.store.look.panel });
  }

  private save(format: Saved): void {
    if (format === "settings") saveSettings(this.store.settings);
    else if (format === "png") void savePicture(this.view.stage.redrawn());
    else if (format === "webm") this.toggleVideo();
    else if (format === "link") void this.sharing.share();
    else this.line.send({ type: "save", format });
  }

  /** Record a motion from its start to its end, or what is done until the video is stopped. */
  private toggleVideo(): void {
    const { video, store, timeline } = this;
    if (video.recording) {
      video.stop();
      return;
    }
    const { motion, look } = store;
    if (motion && !store.playing) timeline.toggle();
    if (motion) timeline.seek(0);
    try {
      video.start(this.view.stage.redrawn(), motion ? motion.duration / look.speed : LONGEST_VIDEO);
    } catch (error) {
      this.hud.say(error instanceof Error ? error.message : String(error));
    }
  }

  /** Apply the text of a settings file. */
  loadSettings(text: string): void {
    const { hud, store } = this;
    const read = readSettings(text);
    if (!read) {
      hud.say("This is not a settings file of the playground.");
      return;
    }
    this.incoming.forgetMotion();
    store.replace(read.settings);
    const ignored = [...read.ignored, ...store.dropUnknown()];
    this.panel.refresh(true);
    if (ignored.length) hud.say(`Settings applied, except for what does not fit:\n${bulleted(ignored)}`, "error", LONG_NOTICE);
    else hud.say("Settings taken over.", "info", 3);
  }

  /** Close what is open, the topmost first. */
  private leave(): void {
    const { goals } = this.view;
    const { store, tracing } = this;
    if (goals.dragging) goals.release();
    else if (tracing.open) tracing.close();
    else if (goals.selected) goals.select(null);
    else if (store.chosen >= 0) store.choose(-1);
    else if (document.fullscreenElement) void document.exitFullscreen();
    else if (window.innerWidth <= NARROW_WINDOW && store.look.panel) this.togglePanel();
    else this.hud.say("");
  }

  /** Lock or unlock the chosen joint. */
  private lockChosen(): void {
    const { store } = this;
    const name = store.scene?.names[store.chosen];
    if (name === undefined || this.host.standalone || store.chosen >= store.scene!.joints.length) return;
    store.edit(name, { lock: !store.setup.joints[name]?.lock });
    this.panel.refresh();
  }

  /** Go to other settings, in a pose. */
  private revert({ settings, pose }: Moment): void {
    const { store, line } = this;
    const { scene } = store;
    this.tracing.close();
    this.incoming.forgetMotion();
    if (pose && scene && pose.key === scene.key) {
      line.send({ type: "shown", seq: 0, revision: scene.revision, goals: this.view.goals.places(), time: store.time, coordinates: pose.coordinates });
    }
    store.replace({ ...settings, camera: store.camera });
    this.panel.refresh(true);
    this.timeline.refresh();
  }

  // Drawing ----------------------------------------------------------------------------------------

  private tick(seconds: number): void {
    this.solved = false;
    this.view.goals.tick(performance.now());
    this.timeline.tick(seconds);
    this.tracing.tick(seconds);
    this.line.held = this.view.goals.dragging || this.view.goals.pushing;
    this.outgoing.tick();
  }

  /** Heights at the top and bottom of the view that other elements cover. */
  private insets(): Insets {
    const above = window.innerWidth <= NARROW_WINDOW ? TOOLS_HEIGHT : 0;
    if (this.view.stage.halfCount > 2) return { top: TITLE_HEIGHT + above, bottom: SUMMARY_HEIGHT };
    const below = this.timeline.node.offsetHeight + (this.view.stage.halfCount > 1 ? SUMMARY_HEIGHT : 0);
    return { top: STATUS_HEIGHT + above, bottom: below + EDGE_MARGIN };
  }

  private beforeHalf(half: number): void {
    const { stage, goals, figures } = this.view;
    this.vectors.group.visible = half === 0;
    this.vectors.draw(this.tracing, figures[half]!.positions, this.store.scene?.parents ?? [], 0.02 * stage.size);
    this.pointer.showName(half);
    if (half === 0) this.hint.show(this.store.look.dragged || !goals.active ? null : stage.project(goals.active.position), stage.viewSize.x);
    const source = this.view.source.label(stage.up);
    if (half === 0) this.sourceLabel.show(source?.title ?? "", source && stage.project(source.at));
    if (half === 0) this.arrow.show(goals.active?.position ?? null, stage.camera, stage.viewSize);
  }

  /** Apply the settings of the view to everything. */
  private applyLook(): void {
    const { look } = this.store;
    const light = look.theme === "auto" ? window.matchMedia("(prefers-color-scheme: light)").matches : look.theme === "light";
    document.documentElement.dataset.theme = light ? "light" : "dark";
    document.body.classList.toggle("with-panel", look.panel);
    this.timeline.refresh();
    this.view.setLook(light);
  }

  /** Draw the shown pose of the trace, or the latest pose if no trace is open. */
  private showTrace(): void {
    const { tracing, view } = this;
    const pose = tracing.open ? tracing.pose() : null;
    if (pose || !tracing.open) view.showTracePose(pose);
    this.steps.show(this.store.scene);
    view.stage.invalidate();
  }

  /** Make room for the steps: on a narrow screen the panel would cover them. */
  private traceOpened(): void {
    if (window.innerWidth <= NARROW_WINDOW && this.store.look.panel) this.togglePanel();
  }

  // Connections between the parts ------------------------------------------------------------------

  private goalsMoved(): void {
    const { goals } = this.view;
    const { scene } = this.store;
    this.requests.queueGoals();
    if (this.tracing.open) this.tracing.close();
    if (!this.store.look.dragged) this.store.setLook({ dragged: true });
    this.rules.follow(goals.places(), goals.dragging);
    if (scene) this.store.setPlaces(scene.key, goals.places());
    this.solveNow();
  }

  /** Solve for a goal that is dragged at once, but no more than once per frame. */
  private solveNow(): void {
    const { line, view } = this;
    if (this.solved || !view.goals.dragging || !line.solves) return;
    this.solved = true;
    line.held = true;
    this.outgoing.tick();
  }

  private subscribe(): void {
    const { store, requests, timeline, panel, view } = this;
    this.host.keep(store);
    store.subscribe((part, origin) => {
      if (part === "setup" && origin === "user") {
        requests.queueSetup();
        panel.refresh();
        timeline.refresh();
      }
      if (part === "look") this.applyLook();
      if (part === "recording" || part === "report") panel.refresh();
      if (part === "report") timeline.refresh();
      if (part === "time" || part === "playing") timeline.show();
      if (part === "time" && origin === "user") requests.queueGoals();
      if (part === "chosen" || part === "setup" || part === "scene") this.tools.refresh();
      if (part === "chosen") {
        view.showChosen();
        panel.refresh();
      }
    });
    window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => this.applyLook());
  }

  private newOutgoing(): Outgoing {
    const { store, rules, view } = this;
    const sources = {
      get setup() {
        return store.setup;
      },
      get hello() {
        return store.hello;
      },
      get scene() {
        return store.scene;
      },
      get time() {
        return store.time;
      },
      get oneAtATime() {
        return rules.active;
      },
      places: () => view.goals.places(),
    };
    return new Outgoing(this.line, this.requests, sources, this.hud);
  }

  private newPointer(root: HTMLElement): Pointer {
    const { store, requests, view, hud } = this;
    const label = el("span", { className: "name", hidden: true });
    document.querySelector("#labels")!.append(label);
    return new Pointer(
      view,
      {
        get scene() {
          return store.scene;
        },
        touched: () => requests.touched(),
        hover: (joint) => view.mark(joint),
        click: (joint) => {
          const name = store.scene?.names[joint];
          if (name === undefined) return;
          store.choose(joint);
        },
        clickNothing: () => {
          view.goals.select(null);
          if (store.chosen >= 0) store.choose(-1);
        },
        setGoals: (goals) => store.set(this.host.standalone ? {} : { goals }),
        placeGoals: (goals, places) => {
          const { scene } = store;
          if (!scene || this.host.standalone) return;
          store.setPlaces(scene.key, places);
          store.set({ goals });
          view.goals.setScene({ ...scene, goals, places }, places);
        },
        moveBox: (box, center) => this.joining.moveBox(box, center),
        say: (text) => hud.say(text, "info", 5),
      },
      root,
      label,
    );
  }

  private addKeyboard(root: HTMLElement): void {
    const { store, timeline, tracing, view } = this;
    const commands = {
      help: () => this.help.showModal(),
      home: () => this.home(),
      togglePanel: () => this.togglePanel(),
      fullScreen: () => this.fullScreen(),
      toggleLimits: () => store.set({ limits: !store.setup.limits }),
      record: () => this.record(),
      addKey: () => timeline.addKey(),
      togglePlaying: () => timeline.toggle(),
      nextStep: () => tracing.nextStep(),
      previousStep: () => tracing.previousStep(),
      nextIteration: () => tracing.next(),
      previousIteration: () => tracing.previous(),
      leave: () => this.leave(),
      undo: () => this.history.undo(),
      redo: () => this.history.redo(),
      lock: () => this.lockChosen(),
      look: (from: ViewName) => view.lookFrom(from),
    };
    new Keyboard(view.goals, () => view.stage.canvas, commands, root);
  }

  private layOut(root: HTMLElement): void {
    const { hud, timeline } = this;
    root.append(hud.node, this.arrow.node, this.comparison.node, hud.banner, this.steps.node, timeline.node, this.working.node, hud.notice);
    document.querySelector("#labels")!.append(this.hint.node, this.sourceLabel.node);
    document.body.append(this.tools.node, this.panel.node, this.help);
    this.view.stage.world.add(this.vectors.group);
    const below = () => document.documentElement.style.setProperty("--below", `${timeline.node.offsetHeight}px`);
    new ResizeObserver(below).observe(timeline.node);
  }
}
