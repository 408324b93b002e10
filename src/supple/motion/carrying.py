"""Corrections that change smoothly from frame to frame.

Solved each on its own from its animated pose, frames that are nearly alike can end in poses that
are not: which of many answers a solver finds turns on how it got there. So the motion is first
solved at a few frames only; what these solves change is smoothed over time and made to every frame,
and from there, next to its target, every frame is solved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.model.skeleton import Pose
from supple.motion.seams import Columns
from supple.rotations import conjugate, multiply

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

APART = 0.2  # of the frames that are solved first [s]


def runs(frames: Ints) -> list[slice]:
    """Where frames follow each other without a gap."""
    cuts = np.flatnonzero(np.diff(frames) > 1) + 1
    edges = [0, *cuts.tolist(), len(frames)]
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]


def key_frames(pieces: list[slice], step: int) -> Ints:
    """Every so many frames of each piece, its first and its last."""
    chosen: list[int] = []
    for piece in pieces:
        count = piece.stop - piece.start
        several = max(1, round((count - 1) / step)) + 1 if count > 1 else 1
        chosen += (piece.start + np.rint(np.linspace(0, count - 1, several))).astype(int).tolist()
    return np.unique(np.array(chosen, dtype=np.int64))


def carried(
    starts: Pose, keys: Ints, solved: Pose, columns: Columns, pieces: list[slice], step: int
) -> Pose:
    """The animated poses with what was changed at the keys made to all of them, smoothly.

    Args:
        starts: The animated poses, a batch (F,).
        keys: Which of them were solved.
        solved: Their answers.
        columns: The coordinates that the solves may change.
        pieces: Frames that follow each other.
        step: Over about how many frames to smooth.
    """
    before, after = starts.packed_coordinates, solved.packed_coordinates
    turns, numbers = columns.turns, columns.numbers
    made = multiply(conjugate(before[keys][:, turns]), after[:, turns])
    made *= np.where(made[..., :1] < 0, -1.0, 1.0)
    # Of the two signs of each key the one next to the key before: where a joint turns by about 180 degrees, the signs
    # with w >= 0 of neighbours are far from each other, and what lies between them turns about any axis.
    apart = np.einsum("kji,kji->kj", made[:-1], made[1:]) < 0
    made[1:] *= np.where(np.logical_xor.accumulate(apart, axis=0), -1.0, 1.0)[..., None]
    shifts = after[:, numbers] - before[keys][:, numbers]
    values = np.concatenate([made.reshape(len(keys), -1), shifts], axis=1)
    q = np.array(before)
    for piece in pieces:
        mine = (keys >= piece.start) & (keys < piece.stop)
        spread = _between(keys[mine], values[mine], np.arange(piece.start, piece.stop))
        spread = _smoothed(_smoothed(spread, step), step)
        turn = spread[:, : turns.size].reshape(len(spread), *turns.shape)
        size = np.linalg.norm(turn, axis=-1, keepdims=True)
        turn = np.where(size > 0.1, turn / np.where(size > 0.1, size, 1.0), (1.0, 0.0, 0.0, 0.0))
        rows = q[piece]  # a view
        rows[:, turns] = multiply(before[piece][:, turns], turn)
        rows[:, numbers] = before[piece][:, numbers] + spread[:, turns.size :]
    return Pose._wrap(starts.skeleton, q, starts._translations, starts._scales)


def _between(keys: Ints, values: Floats, frames: Ints) -> Floats:
    """Values at keys (K, M), straight lines between them, at frames."""
    after = np.clip(np.searchsorted(keys, frames), 0, len(keys) - 1)
    before = np.maximum(after - 1, 0)
    gap = np.maximum(keys[after] - keys[before], 1)
    share = np.clip((frames - keys[before]) / gap, 0.0, 1.0)[:, None]
    return values[before] + share * (values[after] - values[before])


def _smoothed(values: Floats, width: int) -> Floats:
    """The mean over about so many frames around each, fewer towards the ends, shape (F, M)."""
    half = width // 2
    if half == 0 or len(values) < 3:
        return values
    count = len(values)
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    at = np.arange(count)
    reach = np.minimum(half, np.minimum(at, count - 1 - at))
    return (sums[at + reach + 1] - sums[at - reach]) / (2 * reach + 1)[:, None]
