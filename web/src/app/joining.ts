// Changes of bodies on the stage: bones held together, goals on bones, boxes that are moved.

import { Matrix4, Quaternion, Vector3 } from "three";
import type { GoalSetup, LoopKind, LoopSetup } from "../io/messages";
import type { SceneView } from "../scene/view";
import type { Store } from "./store";

export class Joining {
  constructor(
    private readonly store: Store,
    private readonly view: SceneView,
  ) {}

  /** Hold two bones together: connected at their origins, or welded as they are now. */
  join(kind: LoopKind, a: string, b: string): void {
    const { scene } = this.store;
    if (!scene || a === b) return;
    const loop: LoopSetup = { kind, a, b, point_a: [0, 0, 0], point_b: [0, 0, 0], rotation: [1, 0, 0, 0] };
    if (kind === "weld") {
      const [one, other] = [this.frame(a), this.frame(b)];
      const seen = one.invert().multiply(other);
      const turn = new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(seen));
      loop.point_a = new Vector3().setFromMatrixPosition(seen).toArray();
      loop.rotation = [turn.w, turn.x, turn.y, turn.z];
    }
    this.store.set({ bodies: { ...scene.bodies, loops: [...scene.bodies.loops, loop] } });
  }

  /** Put the target of a goal on a bone, where it is now; "" for the world. */
  bind(id: string, bone: string): void {
    const { scene } = this.store;
    const goal = this.view.goals.list.find(({ setup }) => setup.id === id);
    if (!scene || !goal) return;
    const point = bone ? goal.position.clone().applyMatrix4(this.frame(bone).invert()).toArray() : ([0, 0, 0] as [number, number, number]);
    const goals = scene.goals.filter(({ kind }) => kind !== "target");
    this.store.setPlaces(scene.key, this.view.goals.places()); // where it is, not where it was kept
    this.store.set({ goals: goals.map((one): GoalSetup => (one.id === id ? { ...one, on: bone, point } : one)) });
  }

  /** Put a box that is an obstacle somewhere. */
  moveBox(box: number, center: [number, number, number]): void {
    const { scene } = this.store;
    if (!scene) return;
    const { avoid } = scene.bodies;
    const boxes = avoid.boxes.map((one, k) => (k === box ? { ...one, center } : one));
    this.store.set({ bodies: { ...scene.bodies, avoid: { ...avoid, boxes } } });
  }

  /** T_world_bone of the first figure. */
  private frame(name: string): Matrix4 {
    const k = this.store.scene?.names.indexOf(name) ?? -1;
    return this.view.figures[0]!.matrices[k]?.clone() ?? new Matrix4();
  }
}
