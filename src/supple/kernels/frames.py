"""World transforms, 4x4, as positions and quaternions."""

import math

from supple.kernels.cache import entry, kernel
from supple.kernels.quaternion import normalized

CLOSE = 1e-4  # how far from a rotation the upper left of a frame may be
LAST_ROW = 1e-9


@kernel
def turn_of(m):
    """The quaternion, w >= 0, of the rotation in the upper left of a frame.

    Shepperd 1978: of the four ways to start, the one with the largest component loses no digits.
    """
    xx, yy, zz = m[0, 0], m[1, 1], m[2, 2]
    yz, zx, xy = m[2, 1] + m[1, 2], m[0, 2] + m[2, 0], m[1, 0] + m[0, 1]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    w, x, y, z = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    if w >= x and w >= y and w >= z:
        q = normalized((w, wx, wy, wz))
    elif x >= y and x >= z:
        q = normalized((wx, x, xy, zx))
    elif y >= z:
        q = normalized((wy, xy, y, yz))
    else:
        q = normalized((wz, zx, yz, z))
    if q[0] < 0.0:
        return (-q[0], -q[1], -q[2], -q[3])
    return q


@entry("f3 f2")
def split_frames(frames, out):
    """Frames, shape (B, 4, 4), into rows of position and quaternion, shape (B, 7)."""
    for b in range(frames.shape[0]):
        turn = turn_of(frames[b])
        for i in range(3):
            out[b, i] = frames[b, i, 3]
        for i in range(4):
            out[b, 3 + i] = turn[i]


@entry("f2 f2 i i -> b")
def read_frame(frame, rows, at, turn_at):
    """Put a frame's position and quaternion into the first row of targets; False if it is not rigid."""
    for i in range(3):
        if not math.isfinite(frame[i, 3]) or not abs(frame[3, i]) <= LAST_ROW:
            return False
        for j in range(i + 1):
            product = -1.0 if i == j else 0.0
            for k in range(3):
                product += frame[i, k] * frame[j, k]
            if not abs(product) < CLOSE:
                return False
    size = (
        frame[0, 0] * (frame[1, 1] * frame[2, 2] - frame[1, 2] * frame[2, 1])
        - frame[0, 1] * (frame[1, 0] * frame[2, 2] - frame[1, 2] * frame[2, 0])
        + frame[0, 2] * (frame[1, 0] * frame[2, 1] - frame[1, 1] * frame[2, 0])
    )
    if not size > 0.0 or not abs(frame[3, 3] - 1.0) <= LAST_ROW:
        return False
    turn = turn_of(frame)
    for i in range(3):
        rows[0, at + i] = frame[i, 3]
    for i in range(4):
        rows[0, turn_at + i] = turn[i]
    return True
