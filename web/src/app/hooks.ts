// What tests and the curious can ask the page, as `window.playground`.

import { Vector3 } from "three";
import type { Playground } from "./playground";

export function installHooks(page: Playground): void {
  const at = (point: Vector3, half: number) => page.stage.project(point, half)?.toArray() ?? null;
  const hooks = {
    page,
    /** Whether the first pose from Python has been drawn from. */
    get ready() {
      return page.applied > 0 && page.stage.drawn > 0;
    },
    /** Whether Python has answered everything that the page has asked for, and it has been drawn. */
    get settled() {
      return page.settled;
    },
    get revision() {
      return page.scene?.revision ?? 0;
    },
    counts: () => ({ applied: page.applied, wants: page.asking.wants, drawn: page.stage.drawn }),
    setup: () => structuredClone(page.store.setup),
    grown: () => structuredClone(page.scene?.grown ?? null),
    goal: (k = 0) => page.goals.list[k]?.position.toArray() ?? null,
    goalPixel: (k = 0, half = 0) => {
      const goal = page.goals.list[k];
      return goal ? at(goal.position, half) : null;
    },
    /** A place on a ring that turns an orientation goal, by its angle [rad]. */
    ringPixel: (k: number, ring: number, angle: number) => {
      const goal = page.goals.list[k];
      return goal ? at(goal.ringPoint(ring, angle), 0) : null;
    },
    pixel: (place: [number, number, number], half = 0) => at(new Vector3(...place), half),
    jointPixel: (name: string, half = 0) => {
      const k = page.scene?.names.indexOf(name) ?? -1;
      const position = page.bodies[half]?.positions[k];
      return position ? at(position, half) : null;
    },
    joints: (half = 0) => page.bodies[half]?.positions.map((position) => position.toArray()) ?? [],
    camera: () => [...page.stage.camera.position.toArray(), ...page.stage.camera.quaternion.toArray()],
    depthSpeed: () => page.goals.speed,
    notice: () => page.hud.saying,
    trace: () => ({
      open: page.tracing.open,
      iteration: page.tracing.iteration,
      step: page.tracing.step,
      iterations: page.tracing.iterations,
      inside: page.tracing.stepsInside().length,
      solver: page.tracing.head?.solver ?? "",
    }),
    meshes: () => page.skins.count,
    time: () => page.timeline.time,
    playing: () => page.timeline.playing,
    goalNames: () => page.goals.list.map(({ setup }) => setup.id),
    activeGoal: () => page.goals.active?.setup.id ?? null,
    latencies: () => [...page.asking.latencies],
  };
  Object.assign(window, { playground: hooks });
}
