// What comes from Python: scenes, poses, meshes, traces, refusals.

import type { Listener, LineState } from "./connection";
import { download } from "./dom";
import type { Packet, PoseFrame } from "./frames";
import type { FromSession, Hello, Scene } from "./messages";
import type { Playground } from "./playground";
import { keep, recall } from "./storage";
import { defaultSetup, freshScene } from "./store";

const ADOPTED = "supple-adopted"; // the scene that the server was started with, once it has been shown

export class Incoming implements Listener {
  /** What of a scene the camera depends on. */
  cameraKey = "";

  constructor(private readonly page: Playground) {}

  onState(state: LineState): void {
    const { hud, asking } = this.page;
    hud.setLine(state);
    asking.since = 0;
    if (state === "lost") asking.lost();
  }

  onMessage(message: FromSession): void {
    const { asking, goals, growing, store } = this.page;
    switch (message.type) {
      case "hello":
        return this.onHello(message);
      case "scene":
        return this.onScene(message);
      case "refused":
        asking.answerSetup(message.seq);
        asking.since = 0;
        if (message.seq) growing.refused(goals);
        return this.onRefused(message.text, message.seq > 0);
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
    if (hello.scene && hello.scene !== recall("tab", ADOPTED)) {
      keep("tab", ADOPTED, hello.scene);
      Object.assign(setup, freshScene(hello.scene));
    }
    if (!hello.solvers.some(({ name }) => name === setup.solver.name)) setup.solver = { name: "auto", options: {} };
    page.asking.setupDirty = true;
  }

  private onScene(scene: Scene): void {
    const { page } = this;
    const { setup, look, places } = page.store;
    const newKey = page.scene?.key !== scene.key;
    page.scene = scene;
    page.asking.answerSetup(scene.seq);
    if (newKey) {
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
    page.timeline.setScene(scene);
    page.hud.setScene(scene);
    page.hud.say("");
    page.appearance.apply();
    this.moveCamera(scene);
    page.asking.wantDirty = true;
  }

  /** To where it was in this scene, or else to where everything is seen. */
  private moveCamera(scene: Scene): void {
    const { stage, store } = this.page;
    // What rules grow changes its size under a slider, and is looked at from where it was.
    const key = `${store.setup.scene}|${scene.grown ? "grown" : scene.size.toFixed(3)}|${scene.flat}`;
    if (key === this.cameraKey) return;
    this.cameraKey = key;
    const { camera } = store;
    if (camera?.key === key) stage.restoreCamera(camera.position, camera.target);
    else this.page.home();
  }

  /** Say what is wrong: of a setup until it is put right, of anything else for a while. */
  private onRefused(text: string, lasts: boolean): void {
    const { scene, store, asking, hud } = this.page;
    hud.say(text, "error", lasts ? Infinity : undefined);
    if (scene) return;
    if (store.setup.scene !== "snake") store.set({ ...defaultSetup(), solver: { name: "auto", options: {} } });
    else {
      Object.assign(store.setup, defaultSetup());
      asking.setupDirty = true;
    }
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
