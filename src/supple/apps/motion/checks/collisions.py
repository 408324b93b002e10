"""Overlapping parts of the body, with the shapes and pairs of `Avoid` (`supple.bodies.pairs`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.checks.clip import MERGE_TIME, Clip
from supple.apps.motion.checks.measure import RECURRENCE_TIME, Measure, nothing, recurring
from supple.bodies.figure import with_trunk
from supple.bodies.pairs import Contacts, contacts_of

Floats = NDArray[np.float64]

# Bones with a smaller radius are fingers and ornaments [leg lengths]; not tuned.
THINNEST_BONE = 0.012
# Parts that overlap in a greater share of the frames do so by their shape; not tuned.
OVERLAPPING_SHARE = 0.5


def contacts_in(clip: Clip) -> Contacts:
    """The pairs of shapes that may touch: of the clip's capsules if it has any, else of its skeleton."""
    skeleton = clip.motion.skeleton
    if clip.capsules is not None:
        capsules = clip.capsules
    else:
        capsules = with_trunk(skeleton, [foot.leg for foot in clip.feet[:2]])
    return contacts_of(skeleton, None if capsules is skeleton.capsules else capsules)


def collision(clip: Clip, budget: float, again: float | None = None) -> Measure:
    """How deep parts of the body overlap, as a share of both radii: about 1 if their axes cross.

    Args:
        clip: The clip.
        budget: How much is allowed.
        again: The allowed multiple of a depth that occurs again elsewhere in the clip; None: the budget alone.
    """
    skeleton, contacts = clip.motion.skeleton, contacts_in(clip)
    radii = np.zeros(len(skeleton.joint_names))
    for solid in contacts.solids:
        radii[solid.joint] = max(radii[solid.joint], solid.capsule.radius)
    each = radii[contacts.joints]
    kept = np.flatnonzero((each > THINNEST_BONE * clip.leg).all(axis=1))
    if not len(kept):
        return nothing("collision", "there are no two bones apart from each other")
    rest = -contacts.gaps(skeleton.rest, reach=0.0)[kept]
    depth = -contacts.gaps(clip.motion.poses, reach=0.0)[:, kept]
    usual = np.maximum(np.maximum(rest, 0.0), np.quantile(depth, 1.0 - OVERLAPPING_SHARE, axis=0))
    values = np.maximum(depth - np.maximum(usual, 0.0), 0.0) / each[kept].sum(axis=1)
    names = [" in ".join(skeleton.joint_names[j] for j in pair) for pair in contacts.joints[kept]]
    columns: dict[str, Floats] = {}
    for k in np.flatnonzero(values.max(axis=0) > 0):
        columns[names[k]] = np.maximum(columns.get(names[k], 0.0), values[:, k])
    if not columns:
        columns = {names[0]: np.zeros(len(values))}
    table = np.stack(list(columns.values()), axis=1)
    gap = clip.frames(RECURRENCE_TIME)
    allowed = np.array([recurring(column, budget, gap, again) for column in table.T])
    return Measure(
        "collision", "of radii", tuple(columns), table, allowed, near=clip.frames(MERGE_TIME)
    )
