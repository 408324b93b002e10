"""Soles, and the support of a pose for `Balance`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.bodies.constraints import Bodies
from supple.bodies.convex import ROUND, surface_points
from supple.bodies.pairs import WORLD
from supple.errors import SuppleError
from supple.model.effector import find_effector
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import rotate

Floats = NDArray[np.float64]

SOLE_HEIGHT_PART = 0.15  # the sole is this part of a foot's height, from its lowest point up
MOST_SOLE_POINTS = 12  # a sole with more points is thinned out to about so many


def keep_balance(
    bodies: Bodies,
    skeleton: Skeleton,
    *,
    feet: Sequence[str] = (),
    margin: float = 0.0,
    support: Any = None,
    up: Any = None,
) -> None:
    """Add the masses of the bones and the soles, or the points, that support them.

    Args:
        bodies: The tables to add them to.
        skeleton: A skeleton with masses.
        feet: Joints or tips that stand.
        margin: The least distance of the centre of mass from the edge of the support, in model units.
        support: World points instead of feet, shape (S, 3).
        up: Unit vector away from the ground (3,); None to find it.

    Raises:
        SuppleError: Masses are not known, or the support has fewer than three corners.
    """
    rest = skeleton.rest
    center = rest.center_of_mass  # raises if masses are missing
    bodies.balance = margin
    for name, mass in (skeleton.masses or {}).items():
        if mass is not None and mass.mass > 0.0:
            bodies.point(skeleton.index(name), mass.center, mass.mass)
    given = None if support is None else np.array(support, float)
    middle = np.mean([rest.position(name) for name in feet] if given is None else given, axis=0)
    direction = center - middle
    if given is not None and len(given) > 2:  # the normal of the plane of the points
        normal = np.linalg.svd(given - middle)[2][2]
        direction = normal * np.sign(normal @ direction)
    up = _upwards(direction) if up is None else np.array(up)
    bodies.up = tuple(up.tolist())
    if given is None:
        joints = [find_effector(skeleton, name).joint for name in feet]
        standing = [sole for joint in joints for sole in soles(skeleton, joint, up)]
    else:
        standing = [(WORLD, given)]
    outline = np.concatenate(
        [_in_world(rest, joint, points) for joint, points in standing] or [np.zeros((0, 3))]
    )
    if len(corners(outline, up)) < 3:
        raise SuppleError(
            f"Balance: expected soles with three corners or more, got "
            f"{len(corners(outline, up))} seen from above; give support= points, or more feet"
        )
    bodies.soles = [bodies.point(joint, point) for joint, some in standing for point in some]


def support_of(pose: Pose, **asked: Any) -> Floats:
    """The corners of the support of a pose, in order around it, world, shape (K, 3).

    Args:
        pose: The pose.
        **asked: As for `keep_balance`: feet or support, and up.
    """
    bodies = Bodies()
    keep_balance(bodies, pose.skeleton, **asked)
    points = np.concatenate(
        [_in_world(pose, joint, np.array([point])) for joint, point, _ in
         (bodies.points[k] for k in bodies.soles)]
    )  # fmt: skip
    return points[corners(points, np.array(bodies.up))]


def _upwards(direction: Floats) -> Floats:
    """The axis nearest to a direction."""
    k = int(np.argmax(np.abs(direction)))
    return np.eye(3)[k] * np.sign(direction[k])


def _in_world(pose: Pose, joint: int, points: Floats) -> Floats:
    if joint == WORLD:
        return points
    return pose.positions[joint] + rotate(pose.rotations[joint], points)


def soles(skeleton: Skeleton, foot: int, up: Floats) -> list[tuple[int, Floats]]:
    """Points on the underside of a foot and all joints below it, at rest, each with its joint."""
    below = {foot}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in below:
            below.add(joint)
    candidates = [
        (joint, point) for joint in sorted(below) for point in _outermost(skeleton, joint, up)
    ]
    joints, points = (np.array(some) for some in zip(*candidates, strict=True))
    rest = skeleton.rest
    world = rest.positions[joints] + rotate(rest.rotations[joints], points)
    heights = world @ up
    low = heights <= heights.min() + SOLE_HEIGHT_PART * max(float(np.ptp(heights)), 0.0)
    if not _has_shape(skeleton, below):
        low[:] = True  # joints and tips alone: all of them are the sole
    kept = np.flatnonzero(low)
    kept = kept[corners(world[kept], up)]
    return [
        (candidates[k][0], candidates[k][1][None])
        for k in kept[:: max(1, len(kept) // MOST_SOLE_POINTS)]
    ]


def _has_shape(skeleton: Skeleton, joints: set[int]) -> bool:
    """True if some of the joints have geoms or given capsules."""
    names = {skeleton.joint_names[j] for j in joints}
    given = skeleton.physics.capsules if skeleton.physics else None
    return any(g.joint in names and g.collides for g in skeleton.geoms) or bool(
        names & set(given or ())
    )


def _outermost(skeleton: Skeleton, joint: int, up: Floats) -> list[Floats]:
    """Points of a joint's geoms, given capsules, or itself and its tips, in its frame."""
    name = skeleton.joint_names[joint]
    geoms = [g for g in skeleton.geoms if g.joint == name and g.collides and g.kind != "plane"]
    if geoms:
        return [point for geom in geoms for point in surface_points(geom)]
    given = skeleton.physics.capsules if skeleton.physics else None
    found: list[Floats] = []
    for one in (given or {}).get(name, ()):
        found += [
            np.array(end) + one.radius * direction for end in (one.a, one.b) for direction in ROUND
        ]
    if found:
        return found
    joints, offsets, _ = skeleton.packed_tips
    return [np.zeros(3), *(o for j, o in zip(joints.tolist(), offsets, strict=True) if j == joint)]


def corners(points: Floats, up: Floats) -> NDArray[np.int64]:
    """Indices of the points that are corners of the convex outline seen from above, counter-clockwise."""
    if not len(points):
        return np.zeros(0, np.int64)
    u = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    u /= np.linalg.norm(u)
    flat = np.stack([points @ u, points @ np.cross(up, u)], axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0])).tolist()
    slack = 1e-9 * max(float(np.ptp(flat)), 1e-300) ** 2

    def half(indices: Iterable[int]) -> list[int]:
        chain: list[int] = []
        for k in indices:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = flat[chain[-2]], flat[chain[-1]]
                turn = (x1 - x0) * (flat[k, 1] - y0) - (y1 - y0) * (flat[k, 0] - x0)
                if turn > slack:
                    break
                chain.pop()
            chain.append(k)
        return chain[:-1]

    return np.array(list(dict.fromkeys([*half(order), *half(order[::-1])])), np.int64)
