// What tests, tools and benchmarks can read and do, as `window.playground`.

import { Vector3 } from "three";
import type { Playground } from "./playground";

export function installHooks(page: Playground): void {
  const { store, requests, view, hud, tracing, vectors, timeline, files, incoming, line } = page;
  const { stage, goals, figures, skins } = view;
  const at = (point: Vector3, half: number) => stage.project(point, half)?.toArray() ?? null;
  const hooks = {
    /** The parts of the page. */
    page: {
      store,
      asking: requests,
      stage,
      goals,
      bodies: figures,
      skins,
      hud,
      tracing,
      vectors,
      timeline,
      files,
      incoming,
      line,
      history: page.history,
      motionWork: page.motionWork,
      source: view.source,
      get scene() {
        return store.scene;
      },
      get hello() {
        return store.hello;
      },
      get applied() {
        return incoming.applied;
      },
      choose: (joint: number) => store.choose(joint),
      record: () => page.record(),
      resetPose: () => page.resetPose(),
      home: () => page.home(),
    },
    /** True once the first pose has been drawn. */
    get ready() {
      return incoming.applied > 0 && stage.drawn > 0;
    },
    /** True if Python has answered all requests, and the answers have been drawn. */
    get settled() {
      return page.settled;
    },
    /** The number of the last goals whose pose the session knows, of those solved in the page; null while it is not told. */
    get told() {
      return line.told === undefined ? 0 : line.told;
    },
    /** True if goals are solved in the page. */
    get solves() {
      return line.solves ?? false;
    },
    get revision() {
      return store.scene?.revision ?? 0;
    },
    counts: () => ({ applied: incoming.applied, wants: requests.wants, drawn: stage.drawn }),
    setup: () => structuredClone(store.setup),
    grown: () => structuredClone(store.scene?.grown ?? null),
    goal: (k = 0) => goals.list[k]?.position.toArray() ?? null,
    goalPixel: (k = 0, half = 0) => {
      const goal = goals.list[k];
      return goal ? at(goal.position, half) : null;
    },
    /** A point on a ring of an orientation goal, by its angle [rad]. */
    ringPixel: (k: number, ring: number, angle: number) => {
      const goal = goals.list[k];
      return goal ? at(goal.ringPoint(ring, angle), 0) : null;
    },
    pixel: (place: [number, number, number], half = 0) => at(new Vector3(...place), half),
    jointPixel: (name: string, half = 0) => {
      const k = store.scene?.names.indexOf(name) ?? -1;
      const position = figures[half]?.positions[k];
      return position ? at(position, half) : null;
    },
    joints: (half = 0) => figures[half]?.positions.map((position) => position.toArray()) ?? [],
    camera: () => [...stage.camera.position.toArray(), ...stage.camera.quaternion.toArray()],
    depthSpeed: () => goals.speed,
    notice: () => hud.saying,
    trace: () => ({
      open: tracing.open,
      iteration: tracing.iteration,
      step: tracing.step,
      iterations: tracing.iterations,
      inside: tracing.stepsInside().length,
      solver: tracing.head?.solver ?? "",
    }),
    /** How far the centre of mass is inside its support as drawn, negative outside; null without one. */
    inside: () => (Number.isNaN(view.bodies.balance.inside) ? null : view.bodies.balance.inside),
    meshes: () => skins.count,
    time: () => store.time,
    playing: () => store.playing,
    goalNames: () => goals.list.map(({ setup }) => setup.id),
    activeGoal: () => goals.active?.setup.id ?? null,
    latencies: () => [...requests.latencies],
  };
  Object.assign(window, { playground: hooks });
}
