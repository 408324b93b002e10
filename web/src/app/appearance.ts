// How everything looks now: the theme, what is shown and what is not, and each half before it is drawn.

import type { Insets } from "../scene/framing";
import type { Playground } from "./playground";

const STATUS = 76; // pixels that the status takes at the top
const FIGURES = 84; // pixels that the figures of a comparison take at the bottom of a half
const EDGE = 12;

export class Appearance {
  constructor(private readonly page: Playground) {}

  /** Bring everything into line with what a person wants to see. */
  apply(): void {
    const { page } = this;
    const { look } = page.store;
    const light = look.theme === "auto" ? window.matchMedia("(prefers-color-scheme: light)").matches : look.theme === "light";
    document.documentElement.dataset.theme = light ? "light" : "dark";
    document.body.classList.toggle("with-panel", look.panel);
    page.stage.setTheme(light ? "light" : "dark");
    page.stage.setQuality(look.quality === "plain");
    page.goals.sensitivity = look.sensitivity;
    page.limits.setLight(light);
    page.limits.group.visible = look.limits;
    page.skins.group.visible = look.mesh;
    for (const body of page.bodies) {
      body.setLight(light);
      body.setOver((page.scene?.meshes ?? 0) > 0 && look.mesh);
      body.setVisible(look.bones, look.frames);
    }
    this.placePedestal();
    if (page.scene) page.timeline.setScene(page.scene);
    page.stage.frame();
    page.stage.invalidate();
  }

  /** What lies over the stage: the status, the timeline, the figures of a comparison. */
  insets(): Insets {
    const { timeline, stage } = this.page;
    const below = timeline.node.offsetHeight + (stage.halfCount > 1 ? FIGURES : 0);
    return { top: STATUS, bottom: below + EDGE };
  }

  placePedestal(): void {
    const { scene, bodies, stage } = this.page;
    stage.surroundings.setPedestal(scene?.pedestal ? (bodies[0]!.positions[0]?.clone() ?? null) : null);
  }

  /** Put on the stage what one half shows. */
  beforeHalf(half: number): void {
    const { page } = this;
    const { look } = page.store;
    page.bodies.forEach((body, k) => {
      body.group.visible = k === half;
    });
    const body = page.bodies[half]!;
    page.skins.follow(body.matrices);
    page.skins.mix(body.frame?.report.morphs ?? {}, look.shapes);
    page.limits.follow(body);
    page.vectors.group.visible = half === 0;
    page.vectors.draw(page.tracing, body.positions, page.scene?.parents ?? [], 0.02 * page.stage.size);
    const { time, motion } = page.timeline;
    page.onion.show(time, body.links(), look.onion && motion !== null);
    const feet = look.contacts && motion !== null;
    page.onion.showContacts(time, body.positions, page.stage.up, page.scene?.ground ?? 0, page.stage.size, feet);
    page.goals.showSights((name) => body.positions[page.scene?.names.indexOf(name) ?? -1]);
    page.hands.showName(body);
    if (half === 0) page.beyond.show(page.goals.active?.position ?? null, page.stage);
  }

  /** The pose of the trace where one is open, else the latest. */
  showTrace(): void {
    const { tracing, bodies, steps, scene, stage } = this.page;
    const body = bodies[0]!;
    const pose = tracing.open ? tracing.pose() : null;
    if (pose) body.place(pose, 7);
    else if (!tracing.open && body.frame) body.apply(body.frame);
    steps.show(scene);
    stage.invalidate();
  }
}
