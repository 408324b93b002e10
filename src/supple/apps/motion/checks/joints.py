"""Joints and bones: limits, joints that bend the wrong way, bones that change their length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.checks.clip import MERGE_TIME, Clip
from supple.apps.motion.checks.measure import Measure, nothing
from supple.model.skeleton import Skeleton
from supple.rotations import conjugate, rotate

Floats = NDArray[np.float64]

# A knee that is bent less does not show in which direction it bends [rad]; not tuned.
LEAST_BEND = 0.35
ALLOWED_BACKWARD_BEND = 0.3  # of a knee [rad]; not tuned
# Changes of shorter bones are measured as shares of this [leg lengths]; not tuned.
SHORTEST_BONE = 0.02
USUAL_TIMES = 4.0  # allowed multiple of the usual change of a bone's length; not tuned


def limits(clip: Clip, budget: float) -> Measure:
    """How far joints are outside their limits, or bend the wrong way [rad]."""
    motion = clip.motion
    values = motion.poses.violations()
    values = np.where(np.isfinite(values), values, 0.0)
    names = list(motion.skeleton.joint_names)
    for middle, ends in _middles(clip):
        wrong = _backwards(motion, *ends)
        j = names.index(middle)
        values[:, j] = np.maximum(values[:, j], wrong)
    limited = np.array(
        [any(map(np.isfinite, sum(joint.limit_rows, ()))) for joint in motion.skeleton.joints]
    )
    if not limited.any() and not _middles(clip):
        return nothing("limits", "no joint has limits")
    return Measure(
        "limits",
        "rad",
        tuple(names),
        values,
        np.full(len(names), budget),
        near=clip.frames(MERGE_TIME),
    )


def _middles(clip: Clip) -> list[tuple[str, tuple[str, str, str]]]:
    """Joints that bend in one direction only: the middle joints of legs with three joints."""
    found = []
    skeleton = clip.motion.skeleton
    for foot in clip.feet:
        path = skeleton.path(foot.leg, foot.ankle)
        if len(path) == 3:
            found.append((path[1], path))
    return found


def _backwards(motion: Motion, top: str, middle: str, end: str) -> Floats:
    """How far a limb is bent opposite to its usual direction [rad], shape (F,).

    The direction is that of the axis perpendicular to its two bones, in the frame of the upper one.
    """
    poses = motion.poses
    upper = poses.position(middle) - poses.position(top)
    lower = poses.position(end) - poses.position(middle)
    across = np.cross(upper, lower)
    size = np.linalg.norm(across, axis=1)
    along = np.einsum("fi,fi->f", upper, lower)
    angle = np.arctan2(size, along)
    axis = rotate(conjugate(poses.rotation(top)), across / np.where(size > 0, size, 1.0)[:, None])
    bent = (angle > LEAST_BEND) & (size > 0)
    if not bent.any():
        return np.zeros(len(motion))
    mean = np.median(axis[bent], axis=0)
    mean /= np.linalg.norm(mean) or 1.0
    side = axis @ mean
    # A limb that bends about many axes has no wrong direction.
    if np.mean(side[bent] > 0.5) < 0.8:
        return np.zeros(len(motion))
    return np.where(side < -0.5, np.maximum(angle - ALLOWED_BACKWARD_BEND, 0.0), 0.0)


def bones(clip: Clip, budget: float) -> Measure:
    """Relative deviation of bones from their usual length."""
    names, lengths = bone_lengths(clip.motion)
    if not names:
        return nothing("bones", "there are no bones")
    usual = np.median(lengths, axis=0)
    # For a bone of nearly zero length, the share of it means nothing.
    size = np.maximum(usual, SHORTEST_BONE * clip.leg)
    values = np.abs(lengths - usual) / size
    # Bones that always vary, as in files of positions, may vary as usual.
    allowed = np.maximum(budget, USUAL_TIMES * np.median(values, axis=0))
    return Measure("bones", "of length", names, values, allowed, near=clip.frames(MERGE_TIME))


def bone_lengths(motion: Motion) -> tuple[tuple[str, ...], Floats]:
    """Names of joints, and their distances from their parents, shape (F, K).

    Without the trunk: moving the roots and their only children moves everything, and stretches no bone.
    """
    skeleton = motion.skeleton
    still = trunk(skeleton)
    chosen = [k for k, name in enumerate(skeleton.joint_names) if name not in still]
    at = motion.poses.positions
    lengths = np.linalg.norm(at[:, chosen] - at[:, skeleton.parents[chosen]], axis=-1)
    return tuple(skeleton.joint_names[k] for k in chosen), lengths


def joints_outside(motion: Motion, most: float) -> list[str]:
    """The joints that are outside their limits by more than `most` in any frame [rad, or length]."""
    worst = motion.poses.violations().max(axis=0)
    names = motion.skeleton.joint_names
    return [name for name, excess in zip(names, worst, strict=True) if excess > most]


def moving_joints(motion: Motion, most: float) -> list[str]:
    """The joints outside the trunk whose offsets move by more than `most` [model units]."""
    moved = motion.poses.translations
    if moved is None:
        return []
    skeleton = motion.skeleton
    spans = np.linalg.norm(np.ptp(moved.reshape(-1, len(skeleton), 3), axis=0), axis=1)
    still = trunk(skeleton)
    return [
        name
        for name, span in zip(skeleton.joint_names, spans, strict=True)
        if name not in still and span > most
    ]


def trunk(skeleton: Skeleton) -> set[str]:
    """The roots and their only children: moving them moves everything, and stretches no bone."""
    found = set()
    for name, parent in zip(skeleton.joint_names, skeleton.parents, strict=True):
        if parent < 0:
            found.add(name)
            while len(below := skeleton.children(name)) == 1:
                name = below[0]
                found.add(name)
    return found
