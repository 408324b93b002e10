// The camera returns to where it was when a scene is shown again.

import { Vector3 } from "three";
import type { Scene } from "../io/messages";
import type { Immutable, KeptCamera } from "../io/settings";
import type { SceneView } from "../scene/view";

/** The part of the store that keeps the camera. */
export interface CameraStore {
  readonly setup: { readonly scene: string };
  readonly camera: Immutable<KeptCamera> | null;
  setCamera(camera: KeptCamera): void;
}

export class CameraMemory {
  /** What the camera position depends on in the shown scene. */
  private key = "";

  constructor(
    private readonly view: Pick<SceneView, "stage" | "home">,
    private readonly store: CameraStore,
  ) {}

  /** Keep the camera position, without the displacement of a figure that is followed. */
  keep(): void {
    const { camera, controls, displacement } = this.view.stage;
    const at = (place: Vector3) => place.clone().sub(displacement).toArray();
    this.store.setCamera({ key: this.key, position: at(camera.position), target: at(controls.target) });
  }

  /** Move the camera to its kept position in a scene, or else home. */
  restore(scene: Scene): void {
    // Grammar rules change the size of a scene while a slider is dragged: the camera stays.
    const motion = scene.motion === "keyframes" ? "" : (scene.motion ?? "");
    const key = `${this.store.setup.scene}|${scene.grown ? "grown" : scene.size.toFixed(3)}|${scene.flat}|${motion}`;
    if (key === this.key) return;
    this.key = key;
    const { stage } = this.view;
    stage.follow(new Vector3());
    const { camera } = this.store;
    if (camera?.key === key) stage.restoreCamera(camera.position, camera.target);
    else this.view.home();
  }
}
