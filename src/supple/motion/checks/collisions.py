"""Parts of the body inside each other: distances between the capsules of bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from supple.bodies.distances import segment_distances
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose, Skeleton
from supple.motion.checks.clip import Clip
from supple.motion.checks.measure import AGAIN, Measure, nothing, recurring
from supple.rotations import rotate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEIGHBOURS = 2  # joints between two bones, up to which they touch as they are made
THIN = 0.012  # capsules of a lesser radius are fingers and ornaments [leg lengths]
OFTEN = 0.5  # of the frames: parts that are inside each other for longer are so by their shape
PIECE = 200_000  # distances at a time


def collision(clip: Clip, budget: float, again: float | None = None) -> Measure:
    """How deep parts of the body are inside each other, as a share of both radii: 1 if their axes cross.

    Args:
        clip: Whose.
        budget: How much is allowed.
        again: So many times what is as deep again elsewhere in the clip is allowed; None: the budget alone.
    """
    skeleton = clip.motion.skeleton
    capsules = clip.capsules if clip.capsules is not None else body(skeleton, clip)
    owners, ends, radii = _packed(skeleton, capsules)
    thick = radii > THIN * clip.leg
    owners, ends, radii = owners[thick], ends[thick], radii[thick]
    pairs = _pairs(skeleton, owners)
    if not len(pairs):
        return nothing("collision", "there are no two bones apart from each other")
    both = radii[pairs].sum(axis=1)
    rest = _depths(skeleton.rest, owners, ends, radii, pairs)[0]
    depth = _depths(clip.motion.poses, owners, ends, radii, pairs)
    usual = np.maximum(np.maximum(rest, 0.0), np.quantile(depth, 1.0 - OFTEN, axis=0))
    values = np.maximum(depth - np.maximum(usual, 0.0), 0.0) / both
    names = skeleton.joint_names
    columns: dict[str, Floats] = {}
    for k in np.flatnonzero(values.max(axis=0) > 0):
        a, b = (names[owners[j]] for j in pairs[k])
        key = f"{a} in {b}"
        columns[key] = np.maximum(columns.get(key, 0.0), values[:, k])
    if not columns:
        columns = {f"{names[owners[pairs[0, 0]]]} in {names[owners[pairs[0, 1]]]}":
                   np.zeros(len(values))}  # fmt: skip
    table = np.stack(list(columns.values()), axis=1)
    gap = clip.frames(AGAIN)
    allowed = np.array([recurring(column, budget, gap, again) for column in table.T])
    return Measure("collision", "of radii", tuple(columns), table, allowed, near=clip.frames(0.1))


def body(skeleton: Skeleton, clip: Clip) -> Mapping[str, Sequence[Capsule]]:
    """Capsules of the skeleton; where they are only its bones, those of the trunk as thick as hips."""
    own = skeleton.capsules
    physics = skeleton.physics
    if (physics is not None and physics.capsules is not None) or skeleton.geoms or not clip.feet:
        return own
    rest = skeleton.rest
    hips = [rest.position(foot.leg) for foot in clip.feet[:2]]
    wide = 0.5 * float(np.linalg.norm(hips[0] - hips[-1]))
    middle = {name for name in _trunk(skeleton)}
    if not wide > 0:
        return own
    return {
        name: tuple(Capsule(one.a, one.b, max(one.radius, wide) if name in middle
                            else min(one.radius, wide)) for one in some)
        for name, some in own.items()
    }  # fmt: skip


def _trunk(skeleton: Skeleton) -> set[str]:
    """Joints above two or more limbs that end apart: pelvis, spine, chest."""
    below = {name: 0 for name in skeleton.joint_names}
    leaves = [name for name in skeleton.joint_names
              if not any(child in below for child in skeleton.children(name))]  # fmt: skip
    for leaf in leaves:
        path = skeleton.path(None, leaf)
        if skeleton.length(leaf, root=path[0]) > 0:
            for name in path:
                below[name] += 1
    # Hands have many ends too: the trunk is what holds more than half of all limbs' roots.
    tops = [name for name in skeleton.joint_names if skeleton.parent(name) is None]
    trunk: set[str] = set(tops)
    for name in skeleton.joint_names:
        parent = skeleton.parent(name)
        if parent in trunk and below[name] > 1 and _splits(skeleton, name, below):
            trunk.add(name)
    return trunk


def _splits(skeleton: Skeleton, name: str, below: Mapping[str, int]) -> bool:
    """Whether two long limbs part at a joint or below it."""
    stack = [name]
    while stack:
        joint = stack.pop()
        children = [child for child in skeleton.children(joint) if child in below]
        long = [child for child in children if _reach(skeleton, child) >= 3]
        if len(long) > 1:
            return True
        stack += children
    return False


def _reach(skeleton: Skeleton, name: str) -> int:
    """How many joints follow each other below a joint before one has several, itself included."""
    count = 1
    while len(below := [child for child in skeleton.children(name)
                        if child in skeleton.joint_names]) == 1:  # fmt: skip
        name = below[0]
        count += 1
    return count


def _packed(
    skeleton: Skeleton, capsules: Mapping[str, Sequence[Capsule]]
) -> tuple[Ints, Floats, Floats]:
    rows = [(skeleton.index(name), one.a, one.b, one.radius)
            for name, some in capsules.items() for one in some]  # fmt: skip
    owners = np.array([row[0] for row in rows], dtype=np.int64)
    ends = np.array([[row[1], row[2]] for row in rows], dtype=np.float64).reshape(-1, 2, 3)
    return owners, ends, np.array([row[3] for row in rows], dtype=np.float64)


def _pairs(skeleton: Skeleton, owners: Ints) -> Ints:
    """Pairs of capsules whose joints are not next to each other, shape (P, 2)."""
    above: list[list[int]] = []
    parents = skeleton.parents
    for j in range(len(parents)):
        above.append([j, *(above[parents[j]] if parents[j] >= 0 else [])])

    def apart(a: int, b: int) -> int:
        shared = set(above[b])
        up = next((k for k, j in enumerate(above[a]) if j in shared), len(above[a]) + 99)
        return up + (above[b].index(above[a][up]) if up < len(above[a]) else 99)

    count = len(owners)
    found = [(i, j) for i in range(count) for j in range(i + 1, count)
             if apart(int(owners[i]), int(owners[j])) > NEIGHBOURS]  # fmt: skip
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _depths(poses: Pose, owners: Ints, ends: Floats, radii: Floats, pairs: Ints) -> Floats:
    """How deep pairs of capsules are inside each other, below 0 if apart, shape (F, P)."""
    single = poses.batch_shape == ()
    positions = poses.positions[None] if single else poses.positions
    rotations = poses.rotations[None] if single else poses.rotations
    at = positions[:, owners, None] + rotate(rotations[:, owners, None], ends)
    middle, half = at.mean(axis=2), 0.5 * np.linalg.norm(at[:, :, 1] - at[:, :, 0], axis=-1)
    i, j = pairs.T
    reach = radii[i] + radii[j]
    # A bound first: most pairs are far apart in most frames.
    depth = reach - (np.linalg.norm(middle[:, i] - middle[:, j], axis=-1) - half[:, i] - half[:, j])
    frames, which = np.nonzero(depth > 0)
    for first in range(0, len(frames), PIECE):
        f, p = frames[first : first + PIECE], which[first : first + PIECE]
        a, b = at[f, i[p]], at[f, j[p]]
        depth[f, p] = reach[p] - segment_distances(a[:, 0], a[:, 1], b[:, 0], b[:, 1])
    return depth
