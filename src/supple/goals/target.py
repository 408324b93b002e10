"""Targets: positions, orientations and transforms, read and checked; or left open."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, Final

import numpy as np

from supple.errors import SuppleError, array
from supple.kernels.frames import read_frame, split_frames


class _Open(Enum):
    OPEN = "OPEN"

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open.OPEN
"""Marks a target that is given later, to a prepared problem."""


def read_target(slot: str, effector: str, value: Any) -> Any:
    """A target as a read-only array of its own, checked; OPEN stays OPEN.

    Args:
        slot: "target" for a world position (..., 3), "orientation" for wxyz (..., 4), "pose" for a
            world transform (..., 4, 4).
        effector: Whose target it is.
        value: What was given.
    """
    return OPEN if value is OPEN else kept(check_target(slot, effector, value))


def check_target(slot: str, effector: str, value: Any) -> np.ndarray:
    """A target as an array, checked, which may share memory with the value; as in `read_target`."""
    what = f"{slot} of {effector!r}"
    if slot == "pose":
        return _rigid(what, array(what, value, (..., 4, 4)))
    if slot == "orientation":
        return _unit(what, array(f"{what} (wxyz)", value, (..., 4)))
    return array(what, value, (..., 3))


def split_pose(frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position (..., 3) and orientation wxyz (..., 4) of a world transform (..., 4, 4)."""
    rows = np.empty((*frame.shape[:-2], 7))
    split_frames(np.array(frame, order="C").reshape(-1, 4, 4), rows.reshape(-1, 7))
    return rows[..., :3], rows[..., 3:]


def _unit(what: str, q: np.ndarray) -> np.ndarray:
    """Quaternions scaled to length one, if they nearly are; exact ones keep their bits."""
    if q.ndim == 1 and abs(math.hypot(*q.tolist()) - 1.0) <= 1e-15:
        return q
    sizes = np.linalg.norm(q, axis=-1, keepdims=True)
    bad = np.abs(sizes - 1.0) > 1e-3
    if np.any(bad):
        raise SuppleError(
            f"{what}: expected a unit quaternion wxyz, got one of length {sizes[bad][0]:.6g}"
        )
    return np.where(np.abs(sizes - 1.0) <= 2e-15, q, q / sizes)


def _rigid(what: str, frame: np.ndarray) -> np.ndarray:
    if frame.ndim == 2 and read_frame(frame, np.empty((1, 7)), 0, 3):
        return frame
    turn = frame[..., :3, :3]
    square = turn @ np.swapaxes(turn, -1, -2)
    if not np.allclose(square, np.eye(3), rtol=0.0, atol=1e-4) or np.any(np.linalg.det(turn) < 0):
        raise SuppleError(
            f"{what}: expected a 4x4 rigid transform; its upper left 3x3 is no rotation"
        )
    if not np.allclose(frame[..., 3, :], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=1e-9):
        raise SuppleError(f"{what}: expected a 4x4 rigid transform with the last row 0, 0, 0, 1")
    return frame


def kept(value: np.ndarray) -> np.ndarray:
    """A copy that nobody can write to."""
    value = np.array(value)
    value.setflags(write=False)
    return value
