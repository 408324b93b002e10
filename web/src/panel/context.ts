// What the parts of the panel are built from.

import type { Hello, Scene } from "../io/messages";
import type { Saved } from "../app/saving";
import type { Shape } from "../scene/skins";
import type { Store } from "../app/store";

export interface Actions {
  choose(joint: number): void;
  record(): void;
  save(format: Saved): void;
  openFiles(): void;
  openFolder(): void;
  reset(): void;
  resetPose(): void;
  home(): void;
  fullScreen(): void;
  help(): void;
}

export interface Offer {
  store: Store;
  act: Actions;
  hello: Hello;
  scene: Scene;
  /** The joint that was chosen, or -1. */
  chosen: number;
  shapes: Shape[];
}
