"""Carry a tray: keep it level, and its middle over a place on the ground."""

import supple


@supple.goal(rows=4, values=2, reason="the tray is {error} from level or from its place")
def carry(frames, values, out):
    """Two frames hold the tray by its ends; `values` are x and y of its middle."""
    left, right = frames[0], frames[1]
    out[0] = left[2, 3] - right[2, 3]  # both ends at the same height
    out[1] = 0.5 * (left[0, 3] + right[0, 3]) - values[0]
    out[2] = 0.5 * (left[1, 3] + right[1, 3]) - values[1]
    out[3] = 0.1 * (left[2, 2] - 1.0)  # the left hand's z points up; a right angle counts as 0.1
