// The camera distance that shows everything, and the rectangle of each half on the canvas.

import { type Vector3 } from "three";

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

const FRAME_MARGIN = 1.12; // factor by which the frame is wider than what it shows

/** The rectangle of a part: two lie side by side, or above each other if the canvas is taller than wide; more form a grid. */
export function partOf(part: number, parts: number, width: number, height: number): Box {
  const columns = columnCount(parts, width, height);
  const rows = Math.ceil(parts / columns);
  const [column, row] = [part % columns, Math.floor(part / columns)];
  return { left: (column * width) / columns, top: (row * height) / rows, width: width / columns, height: height / rows };
}

/** The columns with which parts are nearest to square. */
function columnCount(parts: number, width: number, height: number): number {
  if (parts <= 2) return parts === 2 && height <= width ? 2 : 1;
  return Math.min(parts, Math.max(1, Math.round(Math.sqrt((parts * width) / height))));
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
    distance = Math.max(distance, near + (FRAME_MARGIN * x) / slopes[0], near + (FRAME_MARGIN * y) / slopes[1]);
  }
  return distance;
}
