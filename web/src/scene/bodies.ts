// What is kept in every solve: capsules, obstacles, centre of mass and support, loops.

import { Group } from "three";
import type { Bodies, Scene } from "../io/messages";
import type { Immutable, Look } from "../io/settings";
import { BalanceMark } from "./balance";
import { Capsules } from "./capsules";
import type { Figure } from "./figure";
import { LoopMarks } from "./loops";
import { Obstacles } from "./obstacles";
import type { Stage } from "./stage";

const OBSTACLE = /^obstacle (\d+)/;

export class BodiesView {
  readonly group = new Group();
  readonly balance = new BalanceMark();
  readonly obstacles = new Obstacles();
  private readonly capsules = new Capsules();
  private readonly loops = new LoopMarks();
  private scene: Scene | null = null;
  private latest: Bodies | null = null;
  /** What is drawn of it: nothing of another scene. */
  private built: Bodies | null = null;

  constructor() {
    this.group.add(this.capsules.group, this.balance.group, this.loops.group, this.obstacles.group);
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.build();
    this.loops.setScene(scene);
    this.obstacles.setScene(scene);
  }

  /** Take the capsules and masses of the bones, of this scene or the next. */
  take(bodies: Bodies): void {
    this.latest = bodies;
    this.build();
  }

  private build(): void {
    const bodies = this.latest?.key === this.scene?.key ? this.latest : null;
    if (bodies === this.built) return;
    this.built = bodies;
    this.capsules.setCapsules(bodies?.capsules ?? []);
    this.balance.setBodies(bodies);
  }

  /** Draw everything in the pose of a figure. */
  show(figure: Figure, look: Immutable<Look>, stage: Stage): void {
    const { scene } = this;
    if (!scene) return;
    const { matrices, frame } = figure;
    const { avoid, balance } = scene.bodies;
    const touching = frame?.report.touching ?? [];
    this.capsules.show(
      matrices,
      touching.map((name) => scene.names.indexOf(name)),
      look.capsules,
    );
    this.balance.show(matrices, scene.ground, scene.size, balance.on ? balance.margin : 0, look.balance || balance.on);
    this.loops.show(matrices, stage.camera);
    const hit = touching.map((name) => OBSTACLE.exec(name)).find(Boolean);
    this.obstacles.show(hit ? Number(hit[1]) - (avoid.ground ? 1 : 0) : -1);
  }
}
