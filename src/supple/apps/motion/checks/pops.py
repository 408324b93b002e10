"""Pops: joints that jump, change their speed at once, or shake.

A pop is a difference of a frame from those around it: fast but smooth motion is no pop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.checks.clip import MERGE_TIME, TOO_FEW_FRAMES, Clip
from supple.apps.motion.checks.measure import Measure, nothing
from supple.rotations import conjugate, multiply, to_rotation_vector

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _PopRules:
    """How pops and shaking are measured. Not tuned.

    Attributes:
        window: Frames this near to a pop show what is usual there [s].
        shaking_time: The median of the jerk is taken over this time [s].
        girth: Points this far beside a bone show how it turns [leg lengths].
        visible_times: A joint pops by at most this many times what is visible of it in the world: child joints may
            cancel the rest.
        least_reach: Least distance by which a joint moves its children for each radian [leg lengths].
        usual_percentile: What is usual in the clip is this percentile of a joint's differences.
        usual_speed_share: Share of `Budgets.times` that counts for speed.
    """

    window: float = 0.045
    shaking_time: float = 0.2
    girth: float = 0.1
    visible_times: float = 3.0
    least_reach: float = 0.03
    usual_percentile: int = 85
    usual_speed_share: float = 0.4


POPS = _PopRules()
PLACE = " (place)"  # after the name of a root, for its translation
SHORT = "there are fewer than 5 frames"


def steps(motion: Motion, leg: float) -> tuple[tuple[str, ...], Floats]:
    """Names, and the steps from frame to frame as vectors, shape (F - 1, N + roots, 3).

    Rotation vectors of joints [rad], then displacements of roots [leg lengths].
    """
    skeleton = motion.skeleton
    q = motion.poses.local_rotations
    turns = to_rotation_vector(multiply(conjugate(q[:-1]), q[1:]))
    roots = np.flatnonzero(skeleton.parents < 0)
    ways = np.diff(motion.poses.positions[:, roots], axis=0) / leg
    names = skeleton.joint_names
    return (*names, *(f"{names[k]}{PLACE}" for k in roots)), np.concatenate([turns, ways], axis=1)


def jumps(motion: Motion, angle: float) -> NDArray[np.int64]:
    """The (frame, joint) pairs at which joints turn by more than an angle [rad] to the next frame."""
    if len(motion) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    return np.argwhere(motion.poses[:-1].turns(motion.poses[1:]) > angle)


def reaches(motion: Motion, leg: float) -> Floats:
    """The greatest distance of a descendant from each joint [leg lengths], and 1 for each root, shape (N + roots,).

    Multiplied by it, an angle becomes the distance by which a descendant moves: less for a toe than for a hip.
    """
    skeleton = motion.skeleton
    at = skeleton.rest.positions
    count = len(skeleton.joint_names)
    parents = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    far = np.zeros(count)
    for k in range(len(parents)):
        j = parents[k]
        while j >= 0:
            far[j] = max(far[j], float(np.linalg.norm(at[k] - at[j])))
            j = parents[j]
    roots = int(np.sum(skeleton.parents < 0))
    return np.concatenate([np.maximum(far / leg, POPS.least_reach), np.ones(roots)])


def _neighbours(values: Floats, window: int) -> Floats:
    """The values before and after each of values (T, ...), nearest first, shape (2 window, T, ...).

    Beyond the ends, values are reflected.
    """
    count = len(values)
    window = min(window, count - 1)
    pad = [(window, window), *((0, 0) for _ in values.shape[1:])]
    padded = np.pad(values, pad, mode="reflect")
    return np.stack([padded[window + k : window + k + count]
                     for near in range(1, window + 1) for k in (-near, near)])  # fmt: skip


def _alone(sizes: Floats, window: int) -> Floats:
    """The least of the sizes (T, K) before each, or after it, whichever is greater: small beside an isolated size."""
    around = _neighbours(sizes, window)
    return np.maximum(around[0::2].min(axis=0), around[1::2].min(axis=0))


def _middle(vectors: Floats, window: int) -> Floats:
    """The median of the vectors around each of some (T, K, 3), without itself."""
    return np.median(_neighbours(vectors, window), axis=0)


def _pops(vectors: Floats, window: int) -> tuple[Floats, Floats]:
    """How far vectors (T, K, 3) differ from those around them (T, K), and how much more than their neighbours."""
    sizes = np.linalg.norm(vectors - _middle(vectors, window), axis=-1)
    return sizes, np.maximum(sizes - 2.0 * _alone(sizes, window), 0.0)


def _in_world(clip: Clip, values: Floats, budget: float, of_steps: Callable[[Floats], Floats],
              window: int) -> Floats:  # fmt: skip
    """Values (T, K) of joints, bounded by several times the pop of their descendants in world.

    A joint may turn to and fro while its children turn back: solvers of marker data do that, and it is not visible.

    Args:
        clip: The clip.
        values: Of joints, then of roots.
        budget: The least budget.
        of_steps: Maps displacements in each frame (F - 1, P, 3) to the vectors that are compared, (T, P, 3).
        window: Frames around each.
    """
    skeleton = clip.motion.skeleton
    joints = skeleton.joint_names
    parents = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    above: list[set[int]] = []
    for k, parent in enumerate(parents):
        above.append({k} | (above[parent] if parent >= 0 else set()))
    seen: dict[int, Floats] = {}

    def shown(k: int) -> Floats:
        """The pop of a joint or tip, and of points fixed beside it, shape (T,)."""
        if k not in seen:
            points = clip.positions[:, k, None] / clip.leg
            if k < len(joints):
                turn = clip.motion.poses.frames[:, k, :3, :3]
                points = np.concatenate(
                    [points, points + POPS.girth * turn.transpose(0, 2, 1)], axis=1
                )
            seen[k] = _pops(of_steps(np.diff(points, axis=0)), window)[0].max(axis=1)
        return seen[k]

    values = values.copy()
    for j in np.flatnonzero((values > 0.5 * budget).any(axis=0)):  # less is no fault anyway
        if j < len(joints):
            below = [shown(k) for k in range(len(parents)) if j in above[k]]
            values[:, j] = np.minimum(values[:, j], POPS.visible_times * np.max(below, axis=0))
    return values


def speed(clip: Clip, budget: float, times: float, least: float | None = None) -> Measure:
    """How far a joint's step differs from its steps in the frames around it [leg lengths]."""
    if len(clip.motion) <= TOO_FEW_FRAMES:
        return nothing("speed", SHORT)
    names, vectors = steps(clip.motion, clip.leg)
    vectors = vectors * reaches(clip.motion, clip.leg)[:, None]
    window = clip.frames(POPS.window, 3)
    sizes, values = _pops(vectors, window)
    allowed = np.maximum(
        budget, POPS.usual_speed_share * times * np.percentile(sizes, POPS.usual_percentile, axis=0)
    )
    values = _in_world(clip, values, budget, lambda ways: ways, window)
    values = np.concatenate([np.zeros((1, values.shape[1])), values])
    values[:, _small(clip, least)] = 0.0
    return Measure(
        "speed", "leg", names, values, allowed, near=clip.frames(MERGE_TIME), least=budget
    )


def acceleration(clip: Clip, budget: float, times: float, least: float | None = None) -> Measure:
    """How much more a joint changes its speed in one frame than in those around it [leg lengths a second]."""
    if len(clip.motion) <= TOO_FEW_FRAMES:
        return nothing("acceleration", SHORT)
    names, vectors = steps(clip.motion, clip.leg)
    vectors = vectors * reaches(clip.motion, clip.leg)[:, None]
    gaps = np.diff(clip.motion.times)[:, None, None]

    def changes(ways: Floats) -> Floats:
        return np.diff(ways / gaps, axis=0)

    window = clip.frames(POPS.window, 3)
    sizes, values = _pops(changes(vectors), window)
    allowed = np.maximum(budget, times * np.percentile(sizes, POPS.usual_percentile, axis=0))
    values = _in_world(clip, values, budget, changes, window)
    edge = np.zeros((1, values.shape[1]))
    values = np.concatenate([edge, values, edge])
    values[:, _small(clip, least)] = 0.0
    return Measure(
        "acceleration", "leg/s", names, values, allowed, near=clip.frames(MERGE_TIME), least=budget
    )


def _small(clip: Clip, least: float | None) -> NDArray[np.bool_]:
    """Which joints have all descendants nearer than `least` [leg lengths], shape (N + roots,)."""
    far = reaches(clip.motion, clip.leg)
    return far < (0.0 if least is None else least)


def jerk(clip: Clip, budget: float, times: float, least: float | None = None) -> Measure:
    """How much a joint shakes: its third difference, the median over 0.2 s [leg lengths]."""
    if len(clip.motion) <= TOO_FEW_FRAMES:
        return nothing("jerk", SHORT)
    names, vectors = steps(clip.motion, clip.leg)
    vectors = vectors * reaches(clip.motion, clip.leg)[:, None]
    sizes = np.linalg.norm(np.diff(vectors, n=2, axis=0), axis=-1)
    half = clip.frames(0.5 * POPS.shaking_time, 3)
    padded = np.pad(sizes, ((half, half), (0, 0)), mode="edge")
    view = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=0)
    values = np.median(view, axis=-1)  # insensitive to a single pop
    allowed = np.maximum(budget, times * np.median(values, axis=0))
    edge = np.zeros((1, values.shape[1]))
    values = np.concatenate([edge, values, edge, edge])[: len(clip.motion)]
    values[:, _small(clip, least)] = 0.0
    return Measure(
        "jerk", "leg", names, values, allowed, near=clip.frames(POPS.shaking_time), least=budget
    )
