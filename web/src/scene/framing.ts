// The camera distance that shows everything, and the rectangle of each half on the canvas.

import { Vector3 } from "three";

/** A rectangle of the canvas [pixels], from its upper left corner. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Heights at the top and bottom of the canvas that other elements cover [pixels]. */
export interface Insets {
  top: number;
  bottom: number;
}

const MARGIN = 1.12;

/** The rectangle of a half: beside the other, or below it if the canvas is taller than wide. */
export function partOf(half: number, halves: number, width: number, height: number): Box {
  if (halves < 2) return { left: 0, top: 0, width, height };
  if (height > width) return { left: 0, top: (half * height) / 2, width, height: height / 2 };
  return { left: (half * width) / 2, top: 0, width: width / 2, height };
}

/**
 * The least camera distance from which all points, relative to the camera's target, are in view.
 *
 * `from` is the unit vector towards the camera, `slopes` are the tangents of half the horizontal and vertical
 * angles of view.
 */
export function fittingDistance(points: Vector3[], from: Vector3, up: Vector3, slopes: [number, number]): number {
  const right = up.clone().cross(from).normalize();
  const above = from.clone().cross(right);
  let distance = 0;
  for (const point of points) {
    const [x, y, near] = [Math.abs(point.dot(right)), Math.abs(point.dot(above)), point.dot(from)];
    distance = Math.max(distance, near + (MARGIN * x) / slopes[0], near + (MARGIN * y) / slopes[1]);
  }
  return distance;
}
