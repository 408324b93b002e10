// The bar under the scene: play, pause, scrub and loop a motion; keyframes of solved poses.

import type { MotionInfo, Scene } from "../io/messages";
import type { ContactTracks } from "./contact_tracks";
import type { PanelStore } from "./context";
import { button, el, row, select, toggle } from "./dom";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  readonly node = el("footer", { id: "timeline", hidden: true, aria: { label: "Motion" } });
  /** What the controls were built from. */
  private built = "";
  /** The scene whose motion plays as soon as it arrives. */
  private toStart = "";
  private readonly scrub = el("input", { type: "range", name: "time", min: "0", step: "any", value: "0" });
  private readonly clock = el("output", { name: "clock" });
  private readonly play = button("▶", () => this.toggle(), { title: "Play or pause (Space)", name: "play" });

  constructor(
    private readonly store: PanelStore,
    /** Ask for a keyframe of the shown pose at a time [s]; null without keyframes. */
    private readonly askForKey: ((time: number) => void) | null,
    private readonly tracks: ContactTracks,
  ) {
    this.scrub.setAttribute("aria-label", "Time");
    this.scrub.addEventListener("input", () => {
      const time = Number(this.scrub.value);
      store.setPlaying(false);
      store.setTime(time);
    });
  }

  private get scene(): Scene | null {
    return this.store.scene;
  }

  get time(): number {
    return this.store.time;
  }

  get playing(): boolean {
    return this.store.playing;
  }

  set playing(playing: boolean) {
    this.store.setPlaying(playing);
  }

  get motion(): MotionInfo | null {
    return this.store.motion;
  }

  /** Rebuild the controls if they have changed. */
  refresh(): void {
    const { scene, setup, look } = this.store;
    if (!scene) return;
    const shape = JSON.stringify([
      scene.motions,
      setup.motion,
      setup.correct,
      setup.keys.length,
      look.onion,
      look.loop,
      look.speed,
      look.tracks,
      scene.contacts !== null,
    ]);
    this.tracks.refresh();
    const { motion } = this;
    if (motion && this.time > motion.duration) this.seek(0);
    if (!motion && this.playing) this.playing = false;
    if (shape === this.built) return;
    this.built = shape;
    this.build(scene);
    this.show();
  }

  /** Play the motion of a scene as soon as it arrives. */
  startWith(scene: string): void {
    this.toStart = scene;
  }

  sceneArrived(): void {
    this.refresh();
    const start = this.toStart === this.store.setup.scene && this.motion !== null;
    this.toStart = "";
    if (!start) return;
    this.playing = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** True if there is a motion or a keyframe. */
  private get useful(): boolean {
    return Boolean(this.scene?.motions.length) || this.store.setup.keys.length > 0;
  }

  toggle(): void {
    if (!this.motion) {
      const first = this.scene?.motions[0];
      if (!first) return;
      this.store.set({ motion: first.name });
    }
    this.playing = !this.playing;
  }

  seek(time: number): void {
    this.store.setTime(time);
  }

  tick(seconds: number): void {
    const { motion } = this;
    if (!this.playing || !motion) return;
    const { loop, speed } = this.store.look;
    let time = this.time + seconds * speed;
    if (time >= motion.duration) {
      const again = loop && motion.duration > 0;
      if (!again) this.playing = false;
      time = again ? time % motion.duration : motion.duration;
    }
    this.seek(time);
  }

  private build(scene: Scene): void {
    const { setup, look } = this.store;
    this.node.hidden = !this.useful;
    const names = scene.motions.map(({ name }) => ({ value: name, label: name }));
    const keys = setup.keys.length;
    if (keys > 1 && !names.some(({ value }) => value === "keyframes")) names.push({ value: "keyframes", label: "keyframes" });
    const parts = [
      this.play,
      select("motion", [{ value: "", label: "no motion" }, ...names], (setup.motion === "" ? scene.motion : setup.motion) ?? "", (value) =>
        this.store.setMotion(value || null),
      ),
      this.scrub,
      this.clock,
      row(
        "Correct",
        toggle("correct", setup.correct, (correct) => this.store.set({ correct })),
        "Let the goals correct the motion",
      ),
      row(
        "Loop",
        toggle("loop", look.loop, (loop) => this.store.setLook({ loop })),
        "Begin again at the end",
      ),
      scene.contacts && this.askForKey
        ? row(
            "Contacts",
            toggle("tracks", look.tracks, (tracks) => this.store.setLook({ tracks })),
            "Bars that show when feet and hands touch the ground",
          )
        : null,
      row(
        "Onion",
        toggle("onion", look.onion, (onion) => this.store.setLook({ onion })),
        "Show the poses before and after",
      ),
      select(
        "speed",
        SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` })),
        String(look.speed),
        (speed) => this.store.setLook({ speed: Number(speed) }),
      ),
      this.askForKey && button(keys ? `◆ Key (${keys})` : "◆ Key", () => this.addKey(), { name: "key", title: "Keep this pose as a keyframe (K)" }),
      keys ? button("Clear keys", () => this.clearKeys(), { className: "quiet", name: "clear-keys" }) : null,
      this.tracks.node,
    ];
    this.node.replaceChildren(...parts.filter((part) => part !== null));
  }

  addKey(): void {
    const { keys } = this.store.setup;
    const last = keys.length ? Math.max(...keys.map(({ time }) => time)) : -1;
    const playing = this.motion && this.store.setup.motion !== "keyframes";
    this.askForKey?.(playing ? this.time : last + 1);
  }

  private clearKeys(): void {
    const { motion } = this.store.setup;
    this.store.set({ keys: [], motion: motion === "keyframes" ? null : motion });
  }

  /** Show the time and whether the motion plays. */
  show(): void {
    const { motion } = this;
    this.play.textContent = this.playing ? "❚❚" : "▶";
    this.scrub.disabled = !motion;
    this.scrub.max = String(motion?.duration ?? 1);
    this.scrub.value = String(this.time);
    this.tracks.show();
    this.clock.textContent = motion ? `${this.time.toFixed(2)} / ${motion.duration.toFixed(2)} s` : "";
  }
}
