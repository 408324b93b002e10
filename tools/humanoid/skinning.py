"""Which bones hold each vertex: the nearest, melting into its neighbours near the joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple import Skeleton
from supple.model.mesh import Skin

Floats = NDArray[np.float64]
MOST = 4  # bones of a vertex
SOLE = 0.075  # height below which the foot alone holds more and more, from half of it on all [m]

# How thick the body is around each bone, and over what width it melts into the next.
THICK = {"pelvis": 0.11, "spine": 0.12, "chest": 0.12, "neck": 0.05, "head": 0.1, "clavicle": 0.07,
         "upperarm": 0.055, "forearm": 0.045, "hand": 0.027, "fingers": 0.02, "thumb": 0.014,
         "thigh": 0.085, "shin": 0.06, "foot": 0.045, "toe": 0.04}  # fmt: skip
MELT = {"pelvis": 0.07, "spine": 0.08, "chest": 0.08, "neck": 0.04, "head": 0.035, "clavicle": 0.06,
        "upperarm": 0.05, "forearm": 0.035, "hand": 0.025, "fingers": 0.02, "thumb": 0.015,
        "thigh": 0.06, "shin": 0.045, "foot": 0.035, "toe": 0.03}  # fmt: skip


def bones(skeleton: Skeleton) -> dict[str, tuple[Floats, Floats]]:
    """The line of each bone that holds something: from its joint to the next, or to its tip."""
    rest = skeleton.rest
    onward = {"pelvis": "spine", "spine": "chest", "chest": "neck", "neck": "head", "head": "crown"}
    found = {}
    for name in skeleton.joint_names:
        base = name.partition(".")[0]
        after = onward.get(base)
        if after is None and base != "root":
            below = [one for one in skeleton.children(name) if not one.startswith("thumb.")]
            after = below[0]
        if base in THICK:
            found[name] = rest.position(name), rest.position(str(after))
    return found


def influences(skeleton: Skeleton, points: Floats) -> tuple[list[str], Floats]:
    """The bones, and the weight of each at points (V, 3): shape (V, bones), rows of sum one."""
    lines = bones(skeleton)
    names = list(lines)
    away = np.empty((len(points), len(names)))
    for k, name in enumerate(names):
        a, b = lines[name]
        base = name.partition(".")[0]
        axis = b - a
        t = np.clip((points - a) @ axis / (axis @ axis), 0.0, 1.0)
        away[:, k] = np.linalg.norm(points - a - t[:, None] * axis, axis=1) - THICK[base]
    # Arms do not hold legs, nor one leg the other: only what hangs together melts.
    nearest = away.argmin(axis=1)
    index = {name: k for k, name in enumerate(names)}
    linked = np.eye(len(names), dtype=bool)
    for name in names:
        parent = skeleton.parent(name)
        if parent in index:
            linked[index[name], index[parent]] = linked[index[parent], index[name]] = True
    width = np.array([MELT[name.partition(".")[0]] for name in names])
    reach = np.maximum(width[nearest][:, None], width[None])
    share = 1.0 - (away - away.min(axis=1, keepdims=True)) / reach
    share = np.where(linked[nearest], np.clip(share, 0.0, 1.0), 0.0)
    share = share * share * (3.0 - 2.0 * share)
    # The sole belongs to the foot: what the shin holds of it passes over.
    below = np.clip((SOLE - points[:, 1]) / (0.5 * SOLE), 0.0, 1.0)
    for side in (".L", ".R"):
        shin, foot = index[f"shin{side}"], index[f"foot{side}"]
        share[:, foot] += below * share[:, shin]
        share[:, shin] *= 1.0 - below
    order = np.argsort(-share, axis=1)[:, MOST:]
    np.put_along_axis(share, order, 0.0, axis=1)
    share[share < 0.02] = 0.0
    return names, share / share.sum(axis=1, keepdims=True)


def skin(skeleton: Skeleton, points: Floats) -> Skin:
    """The skin of points bound in the rest pose."""
    names, share = influences(skeleton, points)
    binds = np.linalg.inv(skeleton.rest.frames[[skeleton.index(name) for name in names]])
    order = np.argsort(-share, axis=1)[:, :MOST]
    return Skin.from_table(names, binds, order, np.take_along_axis(share, order, axis=1))
