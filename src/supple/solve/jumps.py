"""Frames that were solved one by one and ended on different branches: keep neighbours on the same one.

An arm that can fold in two ways may fold one way in a frame and the other way in the next. Smoothing does not bring
the two together, since each is a local minimum. Where a joint jumps from one frame to the next, the answer before the
jump is carried forward, frame by frame, and the answer after it is carried back, each until it meets the frames' own
answers again. Of these three answers to every frame the cheapest path through the clip is taken (Viterbi 1967): the
cost of its frames, and a price for every jump.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.model.skeleton import Skeleton

Floats = NDArray[np.float64]
Solve = Callable[[int, Floats], tuple[Floats, float]]
"""Solves a frame by itself from coordinates (Q,): those it comes to, and their cost."""


@dataclass(frozen=True)
class JumpRules:
    """When neighbouring frames are on different branches.

    Attributes:
        jump: A joint that turns farther than this from one frame to the next jumps [rad]. Hands of fast clips (CMU, 30
            frames a second) turn by up to 0.6 rad; arms of Booster T1 that change their branch by 1.3 to 3.3.
        same: Two answers to a frame with all joints nearer than this are the same [rad].
        price: What a jump costs, for each squared radian beyond `jump`, beside the cost of frames in squared
            characteristic lengths: as much as a goal that is missed by 1.4 lengths in one frame.
        carried: What an answer costs that is not the frame's own: of two equally good paths, the one that changes
            fewer frames is taken.
    """

    jump: float = 0.8
    same: float = 0.05
    price: float = 1.0
    carried: float = 1e-6


RULES = JumpRules()


def without_jumps(
    skeleton: Skeleton, moved: NDArray[np.int64], poses: Floats, costs: Floats, solve: Solve
) -> Floats:
    """Poses (F, Q) with jumps removed where that costs less than the jump.

    Args:
        skeleton: The skeleton.
        moved: The columns of the coordinates of joints that may move.
        poses: Answers to each frame by itself, shape (F, Q).
        costs: Their costs, shape (F,).
        solve: Solves a frame from other coordinates.
    """
    frames = len(poses)
    jumps = find_jumps(skeleton, poses)
    if not jumps:
        return poses
    onward = _carried(skeleton, moved, poses, costs, solve, [(f, frames, 1) for f in jumps])
    back = _carried(
        skeleton, moved, poses, costs, solve, [(f - 1, -1, -1) for f in reversed(jumps)]
    )
    answers = np.stack([poses, onward[0], back[0]])
    prices = np.stack([costs, onward[1], back[1]])
    chosen = _cheapest(skeleton, answers, prices)
    return answers[chosen, np.arange(frames)]


def find_jumps(skeleton: Skeleton, poses: Floats) -> list[int]:
    """The frames that a joint jumps into, of poses (F, Q)."""
    return (np.flatnonzero(_steps(skeleton, poses[:-1], poses[1:]) > RULES.jump) + 1).tolist()


def _steps(skeleton: Skeleton, before: Floats, after: Floats) -> Floats:
    """The largest angle by which any joint turns between poses (K, Q), shape (K,) [rad].

    A joint with several angles counts with the root of the sum of their squares.
    """
    table = skeleton.freedom_table
    turns = table.free.turns
    if not turns.any():
        return np.zeros(len(before))
    change = table.difference(before, after)[..., table.free.freedom[turns]]
    first = np.flatnonzero(np.diff(table.free.joint[turns], prepend=-1))
    return np.sqrt(np.add.reduceat(np.square(change), first, axis=-1).max(axis=-1))


def _carried(
    skeleton: Skeleton,
    moved: NDArray[np.int64],
    poses: Floats,
    costs: Floats,
    solve: Solve,
    runs: Iterable[tuple[int, int, int]],
) -> tuple[Floats, Floats]:
    """Answers carried from frame to frame along runs (first, end, step), and their costs; elsewhere as given."""
    out, prices = poses.copy(), costs.copy()
    done = np.zeros(len(poses), bool)
    for first, end, step in runs:
        for frame in range(first, end, step):
            if done[frame]:
                break
            start = poses[frame].copy()
            start[moved] = out[frame - step][moved]
            found, cost = solve(frame, start)
            done[frame] = True
            if _steps(skeleton, found[None], poses[frame][None])[0] < RULES.same:
                break
            out[frame], prices[frame] = found, cost
    return out, prices + RULES.carried * np.any(out != poses, axis=1)


def _cheapest(skeleton: Skeleton, answers: Floats, costs: Floats) -> NDArray[np.int64]:
    """The index of the answer to each frame on the cheapest path, shape (F,), of answers (K, F, Q) at costs (K, F)."""
    kinds, frames = costs.shape
    total = costs[:, 0].copy()
    came = np.zeros((frames, kinds), np.int64)
    steps = np.empty((kinds, kinds, frames - 1))
    for a in range(kinds):
        for b in range(kinds):
            steps[a, b] = _steps(skeleton, answers[a, :-1], answers[b, 1:])
    prices = RULES.price * np.maximum(steps - RULES.jump, 0.0) ** 2
    for frame in range(1, frames):
        through = total[:, None] + prices[:, :, frame - 1]
        came[frame] = through.argmin(axis=0)
        total = through.min(axis=0) + costs[:, frame]
    chosen = np.empty(frames, np.int64)
    chosen[-1] = total.argmin()
    for frame in range(frames - 1, 0, -1):
        chosen[frame - 1] = came[frame, chosen[frame]]
    return chosen
