// What comes from Python: scenes, poses, meshes, traces, refusals.

import { Vector3 } from "three";
import type { Listener, LineState } from "../io/connection";
import { told } from "../io/shape_check";
import { download } from "../panel/dom";
import type { Packet, PoseFrame } from "../io/frames";
import { LONG } from "../panel/hud";
import type { FromSession, Hello, Refused, Scene, Setup } from "../io/messages";
import type { Playground } from "./playground";
import { keep, recall } from "../io/storage";
import { defaultSetup, differing, freshScene, withoutUnknown } from "./store";

/** What people call the parts of a setup that have other names here. */
const WORDS: Partial<Record<keyof Setup, string>> = {
  grown: "rules",
  keys: "keyframes",
  compare: "compare with",
  unreachable: "out of reach",
  start: "start from",
};
const ADOPTED = "supple-adopted"; // the scene that the server was started with, once it has been shown

export class Incoming implements Listener {
  /** What of a scene the camera depends on. */
  cameraKey = "";
  /** Whether this connection's session has a scene: then a setup that it refuses leaves that alone. */
  private standing = false;
  /** The motion of the last scene; undefined if the next may have any, with goals as they were kept. */
  private motion: string | null | undefined;

  constructor(private readonly page: Playground) {}

  onState(state: LineState): void {
    const { hud, asking } = this.page;
    hud.setLine(state);
    asking.since = 0;
    if (state === "lost") asking.lost();
  }

  onMessage(message: FromSession): void {
    const { store } = this.page;
    switch (message.type) {
      case "hello":
        return this.onHello(message);
      case "scene":
        return this.onScene(message);
      case "refused":
        return this.onRefused(message);
      case "key":
        return store.set({ keys: [...store.setup.keys, message.key].sort((a, b) => a.time - b.time) });
      default:
        return;
    }
  }

  private onHello(hello: Hello): void {
    const { page } = this;
    const { setup } = page.store;
    page.hello = hello;
    page.panel.hello = hello;
    this.standing = false;
    if (hello.scene && hello.scene !== recall("tab", ADOPTED)) {
      keep("tab", ADOPTED, hello.scene);
      Object.assign(setup, freshScene(hello.scene));
      page.timeline.startWith(hello.scene);
    }
    const unknown = withoutUnknown(setup, hello);
    if (unknown.length) page.hud.say(`Of what was set here before, this is not known and is left out:\n${told(unknown)}`, "error", LONG);
    page.asking.setupDirty = true;
  }

  private onScene(scene: Scene): void {
    const { page } = this;
    const { setup, look, places } = page.store;
    const newKey = page.scene?.key !== scene.key;
    page.scene = scene;
    this.standing = true;
    this.takeSetup(scene);
    if (newKey) {
      page.following.clear();
      page.skins.clear();
      page.tracing.close();
      page.chosen = -1;
    }
    if (!scene.meshes) page.skins.clear();
    page.panel.shapes = page.skins.shapes;
    page.growing.take(scene);
    page.stage.setScene(scene);
    page.stage.setHalves(setup.compare && scene.goals.some(({ kind }) => kind !== "target") ? 2 : 1);
    const locked = new Set(Object.keys(setup.joints).filter((name) => setup.joints[name]?.lock));
    for (const body of page.bodies) {
      body.setOver(scene.meshes > 0 && look.mesh);
      body.setScene(scene, locked);
    }
    page.goals.setScene(scene, places[scene.key] ?? []);
    places[scene.key] = page.goals.places();
    page.limits.setScene(scene, page.chosen);
    page.panel.scene = scene;
    page.panel.chosen = page.chosen;
    page.panel.refresh();
    page.growing.refresh();
    page.timeline.sceneCame(scene);
    page.hud.setScene(scene);
    page.hud.sceneCame();
    page.appearance.apply();
    this.moveCamera(scene);
    page.asking.wantDirty = true;
  }

  /** The setup that a scene answers has worked; a motion that begins has its goals to itself. */
  private takeSetup(scene: Scene): void {
    const { asking, store, timeline } = this.page;
    const named = (motion: string | null) => (motion === "" ? scene.motion : motion);
    const worked = asking.answerSetup(scene.seq);
    if (worked) store.worked = { ...worked, motion: named(worked.motion) };
    store.setup.motion = named(store.setup.motion);
    if (this.motion !== scene.motion) this.page.following.clear();
    if (this.motion !== undefined && this.motion !== scene.motion && scene.motion !== null) {
      delete store.places[scene.key];
      timeline.time = 0;
    }
    this.motion = scene.motion;
  }

  /** Leave the goals where they were kept, whatever motion the next scene plays. */
  forgetMotion(): void {
    this.motion = undefined;
  }

  /** To where it was in this scene, or else to where everything is seen. */
  private moveCamera(scene: Scene): void {
    const { stage, store } = this.page;
    // What rules grow changes its size under a slider, and is looked at from where it was.
    const motion = scene.motion === "keyframes" ? "" : (scene.motion ?? "");
    const key = `${store.setup.scene}|${scene.grown ? "grown" : scene.size.toFixed(3)}|${scene.flat}|${motion}`;
    if (key === this.cameraKey) return;
    this.cameraKey = key;
    stage.follow(new Vector3());
    const { camera } = store;
    if (camera?.key === key) stage.restoreCamera(camera.position, camera.target);
    else this.page.home();
  }

  /** Say what is wrong; a setup that is refused gives way to the last one that worked. */
  private onRefused({ seq, text }: Refused): void {
    const { asking, hud, store } = this.page;
    const refused = asking.answerSetup(seq);
    asking.since = 0;
    const later = asking.setupDirty || asking.settingUp; // which is answered too, and decides
    if (!refused || later) hud.say(text, "error", seq ? Infinity : undefined);
    else if (this.standing && store.worked) this.goBack(refused, store.worked, text);
    else this.beginAgain(refused, text);
  }

  /** What is on the stage stays there: the controls show it again. */
  private goBack(refused: Setup, worked: Setup, text: string): void {
    const { goals, hud, panel, scene, store, timeline } = this.page;
    store.goBackTo(worked);
    panel.refresh(true);
    if (scene) {
      timeline.setScene(scene);
      goals.setScene(scene, store.places[scene.key] ?? []);
    }
    const names = differing(refused, worked).map((name) => WORDS[name] ?? name);
    hud.say(names.length ? `${text}\nKept as before: ${names.join(", ")}.` : text, "error", Infinity);
  }

  /** Nothing is on the stage yet: try what worked last, or else the beginning. */
  private beginAgain(refused: Setup, text: string): void {
    const { asking, hud, store } = this.page;
    const { worked } = store;
    const names = worked ? differing(refused, worked).map((name) => WORDS[name] ?? name) : [];
    store.goBackTo(worked && names.length ? worked : defaultSetup());
    asking.setupDirty = differing(refused, store.setup).length > 0;
    const now = names.length ? `Back to what worked last; left out: ${names.join(", ")}.` : "What was set before does not work any more: begun anew.";
    hud.say(asking.setupDirty ? `${text}\n${now}` : text, "error", LONG);
  }

  onPose(frame: PoseFrame): void {
    const { page } = this;
    const { scene } = page;
    if (!scene || frame.revision !== scene.revision || frame.slot > 1) return;
    // An answer to something older than what is shown never moves anything back.
    if (!page.asking.answerWant(frame.seq, frame.slot)) return;
    const body = page.bodies[frame.slot]!;
    if (page.tracing.open && frame.slot === 0) body.frame = frame;
    else body.apply(frame);
    if (frame.slot === 0) this.follow(body.positions);
    if (frame.slot === 0) page.goals.goAlong((name) => body.matrices[scene.names.indexOf(name)]);
    page.applied += 1;
    if (frame.slot === 0) {
      page.hud.show(frame, scene.size);
      page.appearance.placePedestal();
      if (!document.body.classList.contains("ready")) {
        document.body.classList.add("ready");
        document.querySelector("#loading")?.remove();
      }
    }
    page.hud.showHalves(page.bodies.map((one) => one.frame), page.stage.halfCount > 1, page.stage.stacked);
    page.stage.invalidate();
  }

  /** Keep a figure that walks away in view, but not from under a hand that holds a goal. */
  private follow(positions: Vector3[]): void {
    const { following, goals, stage, store } = this.page;
    if (!goals.grab) stage.follow(store.look.follow ? following.offset(positions, stage.up) : new Vector3());
  }

  onPacket(packet: Packet): void {
    const { page } = this;
    switch (packet.head.kind) {
      case "mesh":
        page.skins.add(packet);
        page.panel.shapes = page.skins.shapes;
        page.panel.refresh();
        break;
      case "motion":
        page.onion.take(packet);
        if (page.scene) page.following.take(packet, page.scene.parents, page.scene.size);
        break;
      case "file":
        download(packet.head.name, new Blob([packet.arrays.data!.data as Uint8Array<ArrayBuffer>]));
        break;
      default:
        page.tracing.take(packet);
    }
    page.stage.invalidate();
  }
}
