"""The least angle that one joint leaves when it looks at a target, by a dense search."""

import math

import numpy as np

import supple
from supple import rotations as rot

# How many values of each coordinate the first round of a search has, by the number of coordinates.
GRID = {1: 721, 2: 61, 3: 25}


def poses_at(skeleton: supple.Skeleton, numbers: np.ndarray) -> supple.Pose:
    """Poses of a one-joint skeleton at chart coordinates (..., K): angles, or a cone's swing vector and twist."""
    joint = skeleton.joints[0]
    if isinstance(joint, (supple.Hinge, supple.Axes)):
        return supple.Pose(skeleton, numbers)
    axis = np.asarray(joint.axis if isinstance(joint, supple.Cone) else (0.0, 0.0, 1.0), float)
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    swing = numbers[..., :1] * side + numbers[..., 1:2] * np.cross(axis, side)
    size = np.linalg.norm(swing, axis=-1, keepdims=True)
    most = skeleton.packed_floats[0, 11] if isinstance(joint, supple.Cone) else math.pi
    swing *= np.minimum(1.0, most / np.maximum(size, 1e-300))
    turn = rot.multiply(rot.from_rotation_vector(swing), rot.from_axis_angle(axis, numbers[..., 2]))
    return supple.Pose(skeleton, turn)


def ranges_of(joint: supple.Joint) -> np.ndarray:
    """The range of each chart coordinate of `poses_at`, shape (K, 2); a cone is a round one."""
    if isinstance(joint, supple.Cone):
        return np.array([(-joint.swing, joint.swing)] * 2 + [joint.twist])
    if isinstance(joint, supple.Ball):
        return np.array([(-math.pi, math.pi)] * 3)
    rows = np.array(joint.limit_rows, float)
    below = np.where(np.isinf(rows[:, 1]), -math.pi, rows[:, 1] - 2 * math.pi)
    low = np.where(np.isinf(rows[:, 0]), below, rows[:, 0])
    return np.stack([low, np.where(np.isinf(rows[:, 1]), low + 2 * math.pi, rows[:, 1])], axis=1)


def best_look(skeleton: supple.Skeleton, goal: supple.LookAt, target: np.ndarray) -> float:
    """The least angle [rad] to a target that a dense search finds: a grid, then ever smaller ones round its best."""
    ranges = ranges_of(skeleton.joints[0])
    many = len(ranges)
    values = [np.linspace(*r, GRID[many] if r[1] > r[0] else 1) for r in ranges]
    grid = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1)
    numbers = grid.reshape(-1, many)
    span = np.ptp(ranges, axis=1) / GRID[many]
    best = math.inf
    angles = _angles(skeleton, goal, target, numbers)
    for first in numbers[np.argsort(angles)[:: max(1, len(numbers) // 2000)][:6]]:
        centre, width = first, 1.5 * span
        for _ in range(28):
            offsets = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * many, indexing="ij"), -1)
            around = np.clip(centre + offsets.reshape(-1, many) * width, ranges[:, 0], ranges[:, 1])
            angles = _angles(skeleton, goal, target, around)
            centre, width = around[np.argmin(angles)], 0.6 * width
            best = min(best, float(angles.min()))
    return best


def _angles(
    skeleton: supple.Skeleton, goal: supple.LookAt, target: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    pose = poses_at(skeleton, numbers)
    seen = rot.rotate(pose.rotation(goal.effector), goal.axis)
    way = target - pose.position(goal.effector)
    way /= np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-300)
    return 2.0 * np.arctan2(
        np.linalg.norm(seen - way, axis=-1), np.linalg.norm(seen + way, axis=-1)
    )
