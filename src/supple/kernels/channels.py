"""Rotation channels of motion files: angles to quaternions and back, frame after frame.

A plan has a row for each joint that turns: its first coordinate, whether it has a
quaternion (1) or angles (0), how many channels, and for each of up to three its axis (0, 1, 2) and
its column among the channels.
"""

import math

from supple.kernels.decorators import entry
from supple.kernels.quaternion import load4, mul, put_axes, store4, turn_about_letter

# Columns of a plan, and their number; AXES: pairs of axis and column.
AT, TURNS, COUNT, AXES, PLAN = 0, 1, 2, 3, 9


@entry("f2 f i2 f2")
def coordinates_of_channels(raw, unit, plan, out):
    """Fill the coordinates (F, Q) of joints that turn from the channels (F, C), in multiples of `unit` [rad]."""
    for f in range(raw.shape[0]):
        row = raw[f]
        for p in range(plan.shape[0]):
            at, count = plan[p, AT], plan[p, COUNT]
            if plan[p, TURNS] == 0:
                for k in range(count):
                    out[f, at + k] = row[plan[p, AXES + 2 * k + 1]] * unit
                continue
            q = turn_about_letter(plan[p, AXES], row[plan[p, AXES + 1]] * unit)
            for k in range(1, count):
                angle = row[plan[p, AXES + 2 * k + 1]] * unit
                q = mul(q, turn_about_letter(plan[p, AXES + 2 * k], angle))
            store4(out, f, at, q)


@entry("f2 i f2")
def angles_along(turns, order, out):
    """Fill the Euler angles (F, 3) of rotations (F, 4), each frame's nearest to those of the frame before.

    The order is three axes i, j, k as i | j << 2 | k << 4. The first frame's angles are the nearest to
    zero.
    """
    for f in range(turns.shape[0]):
        for k in range(3):
            out[f, k] = out[f - 1, k] if f > 0 else 0.0
        put_axes(order, load4(turns, f, 0), out[f], 0)


@entry("f2 f1 f1")
def angle_along(turns, axis, out):
    """Fill the twist angles (F,) of rotations (F, 4) about an axis (3,), each nearest to the one before."""
    last = 0.0
    for f in range(turns.shape[0]):
        along = turns[f, 1] * axis[0] + turns[f, 2] * axis[1] + turns[f, 3] * axis[2]
        angle = 2.0 * math.atan2(along, turns[f, 0])
        last = angle + 2.0 * math.pi * math.floor((last - angle) / (2.0 * math.pi) + 0.5)
        out[f] = last
