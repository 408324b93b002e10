"""Random targets to compare solvers on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, one_of
from supple.model.freedoms import Cones, Kind
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import from_axis_angle, from_rotation_vector, multiply

Floats = NDArray[np.float64]

WITHIN = ("poses", "ball", "disc")
OPEN_TURN = math.pi  # an angle without limits is drawn from -OPEN_TURN to OPEN_TURN [rad]


def random_targets(
    skeleton: Skeleton,
    effector: str,
    moving: list[str],
    *,
    count: int,
    seed: int,
    within: str = "poses",
) -> Floats:
    """Draw random targets for an effector, in world, shape (count, 3).

    Args:
        skeleton: The skeleton.
        effector: A joint or tip.
        moving: The joints that may move.
        count: How many.
        seed: The same seed gives the same targets.
        within: "poses": where the effector is in random poses inside the limits, so all can be
            reached. "ball", "disc": uniform in the ball, or the XY disc, around the first moving
            joint that the chain fills when stretched; some may be out of reach.
    """
    one_of("--within", within, WITHIN)
    rng = np.random.default_rng(seed)
    if within == "poses":
        return random_poses(skeleton, moving, count=count, rng=rng).position(effector)
    way = [name for name in skeleton.path(None, effector) if name in moving]
    if not way:
        raise SuppleError(f"no joint that may move can move {effector!r}")
    radius = skeleton.length(effector, root=way[0])
    across = 3 if within == "ball" else 2
    directions = np.zeros((count, 3))
    directions[:, :across] = rng.normal(size=(count, across))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    sizes = radius * rng.random((count, 1)) ** (1 / across)
    return skeleton.rest.position(way[0]) + sizes * directions


def random_poses(
    skeleton: Skeleton, moving: list[str], *, count: int, rng: np.random.Generator
) -> Pose:
    """Draw random poses: moving joints uniform in their ranges, others at rest, shape (count,).

    Angles without limits are drawn from a whole turn; sliders without limits stay at rest.
    """
    table = skeleton.freedom_table
    q = np.tile(skeleton.rest.coordinates, (count, 1))
    for name in moving:
        rows = table.rows_of(skeleton.index(name))
        for r, (at, kind) in enumerate(zip(rows.coordinate.tolist(), rows.kind, strict=True)):
            if kind == Kind.ROTATION:
                if rows.part[r] == 0:
                    cone = table.cones.of(int(rows.joint[r]))
                    drawn = _in_cone(cone, count, rng) if len(cone) else _turns(count, rng)
                    q[:, at : at + 4] = drawn
            elif kind != Kind.SLIDE or rows.is_limited[r]:
                drawn = rng.uniform(*_range(kind, rows.low[r], rows.high[r]), count)
                q[:, at] = 0.0 if rows.frozen[r] else drawn
    return Pose(skeleton, q).clamped()


def _range(kind: int, low: float, high: float) -> tuple[float, float]:
    """A range with its open sides closed: angles at half a turn from zero, or a turn from the other side."""
    if kind == Kind.STRETCH:
        return low, min(high, 2 * max(low, 1.0))
    width = 0.0 if kind == Kind.SLIDE else OPEN_TURN
    if math.isinf(low):
        low = -width if math.isinf(high) else high - 2 * width
    return low, low + 2 * width if math.isinf(high) else high


def _turns(count: int, rng: np.random.Generator) -> Floats:
    q = rng.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _in_cone(cone: Cones, count: int, rng: np.random.Generator) -> Floats:
    """Swings uniform over the cap of one cone, twists uniform in their range."""
    axis, swing = cone.axis[0], float(cone.swing[0])
    low, high = cone.twist_low[0], cone.twist_high[0]
    if cone.half_angles.any():
        swing_vectors = _in_quadrants(cone, count, rng)
        twist = from_axis_angle(axis, rng.uniform(low, high, count))
        return multiply(from_rotation_vector(swing_vectors), twist)
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    around = rng.uniform(-math.pi, math.pi, count)
    across = np.cos(around)[:, None] * side + np.sin(around)[:, None] * np.cross(axis, side)
    tilt = np.arccos(np.clip(rng.uniform(math.cos(swing), 1.0, count), -1.0, 1.0))
    twist = from_axis_angle(axis, rng.uniform(low, high, count))
    return multiply(from_axis_angle(across, tilt), twist)


def _in_quadrants(cone: Cones, count: int, rng: np.random.Generator) -> Floats:
    """Rotation vectors of swings (count, 3), uniform over the four quarters of ellipses."""
    axis, up, tilts = cone.axis[0], cone.up[0], cone.half_angles[0]
    area = np.outer(tilts[:2], tilts[2:]).ravel()
    vertical, level = np.divmod(rng.choice(4, count, p=area / area.sum()), 2)
    size, around = np.sqrt(rng.uniform(size=count)), rng.uniform(0.0, 0.5 * math.pi, count)
    a = np.where(vertical == 0, -tilts[0], tilts[1]) * size * np.cos(around)
    b = np.where(level == 0, -tilts[2], tilts[3]) * size * np.sin(around)
    return a[:, None] * np.cross(axis, up) - b[:, None] * up
