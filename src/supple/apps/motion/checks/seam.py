"""The seam of a loop: from its last frame to its first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import alike
from supple.apps.motion.checks.clip import TOO_FEW_FRAMES, Clip
from supple.apps.motion.checks.measure import Measure, nothing
from supple.apps.motion.checks.pops import PLACE, SHORT, steps

Floats = NDArray[np.float64]

USUAL_STEPS = 3  # on each side of the seam, which show what is usual there; not tuned
# A loop that ends farther from its beginning travels [leg lengths]; not tuned.
TRAVEL_DISTANCE = 0.5
TIMES_SHARE = 0.25  # share of `Budgets.times` that counts for the seam; not tuned


def seam(clip: Clip, budget: float, times: float) -> Measure:
    """How far joints jump from the end of a loop to its beginning, beyond their steps around the seam.

    A loop that travels need not return: only the height of its root counts.
    """
    motion = clip.motion
    if not clip.loop:
        return nothing("seam", "it is not a loop")
    if len(motion) <= TOO_FEW_FRAMES:
        return nothing("seam", SHORT)
    if alike(motion.poses[0], motion.poses[-1]):
        motion = motion[:-1]
    ends = np.r_[len(motion) - 2, len(motion) - 1, 0, 1]
    names, own = steps(motion, clip.leg)
    _, around = steps(motion.with_(poses=motion.poses[ends], times=None, tracks={}), clip.leg)
    across = around[1]
    roots = len(motion.skeleton.joint_names)
    way = motion.poses.positions[-1] - motion.poses.positions[0]
    for k in range(roots, len(names)):
        j = motion.skeleton.index(names[k].removesuffix(PLACE))
        flat = way[j] - (way[j] @ clip.up) * clip.up
        if np.linalg.norm(flat) > TRAVEL_DISTANCE * clip.leg:
            across[k] = (across[k] @ clip.up) * clip.up
    # The step across should be like those on both sides of it.
    before, after = own[-1], own[0]
    for k in range(roots, len(names)):
        if not np.any(across[k] - (across[k] @ clip.up) * clip.up):
            before[k], after[k] = ((one[k] @ clip.up) * clip.up for one in (before, after))
    sizes = np.linalg.norm(np.diff(own, axis=0), axis=-1)
    near = np.median(
        np.concatenate([sizes[:USUAL_STEPS], sizes[-USUAL_STEPS:]]), axis=0
    )  # a pop is not usual
    off = np.linalg.norm(across - 0.5 * (before + after), axis=-1)
    values = np.zeros((len(clip.motion), len(names)))
    values[-1] = np.maximum(off - TIMES_SHARE * times * near, 0.0)
    return Measure("seam", "rad", names, values, np.full(len(names), budget))
