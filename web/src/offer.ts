// What the parts of the panel are built from.

import type { Hello, SaveFormat, Scene } from "./messages";
import type { Shape } from "./skin";
import type { Store } from "./store";

export interface Actions {
  choose(joint: number): void;
  record(): void;
  save(format: SaveFormat | "png" | "settings"): void;
  openFiles(): void;
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
