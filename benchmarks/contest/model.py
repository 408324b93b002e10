"""Mechanisms as small tables of numbers, and forward kinematics in plain NumPy.

Nothing here uses the rest of supple: the answers of every solver, supple's among them, are judged
by these formulas alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

Vector = tuple[float, float, float]
BALL, FREE = "ball", "free"
AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Part:
    """A body of a mechanism and how it moves against its parent.

    Attributes:
        name: Its name.
        parent: The part it hangs on; "" for the ground.
        offset: Its origin in the parent's frame [m].
        rpy: Its rest rotation: about the parent's X, then Y, then Z [rad].
        motion: Letters of the axes it turns about, one after the other, such as "z" or "xyz"; "ball"
            (a quaternion wxyz), "free" (a position, then a quaternion wxyz); "" if it is fixed.
        limits: (lo, hi) for each letter [rad]; empty without limits.
    """

    name: str
    parent: str
    offset: Vector
    rpy: Vector = (0.0, 0.0, 0.0)
    motion: str = ""
    limits: tuple[tuple[float, float], ...] = ()

    @property
    def width(self) -> int:
        """How many coordinates it has."""
        return {BALL: 4, FREE: 7}.get(self.motion, len(self.motion))


@dataclass(frozen=True)
class Model:
    """A tree of parts, parents first and depth first, and the frames that goals speak of.

    Attributes:
        parts: The bodies.
        tips: Frames fixed to parts: parts that do not move.
    """

    parts: tuple[Part, ...]
    tips: tuple[Part, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Parts, then tips: the order of `forward`."""
        return tuple(part.name for part in (*self.parts, *self.tips))

    @cached_property
    def width(self) -> int:
        """How many coordinates the model has, Q."""
        return sum(part.width for part in self.parts)

    @cached_property
    def limits(self) -> np.ndarray:
        """Limits (lo, hi) of each coordinate, shape (Q, 2); infinite where there is none."""
        rows: list[tuple[float, float]] = []
        for part in self.parts:
            rows += part.limits or [(-np.inf, np.inf)] * part.width
        return np.array(rows)

    @cached_property
    def angles(self) -> np.ndarray:
        """Which coordinates are angles of hinges, shape (Q,)."""
        flags = [part.motion not in (BALL, FREE) for part in self.parts for _ in range(part.width)]
        return np.array(flags)

    def hinged(self) -> Model:
        """The same mechanism with two hinges, about Z and then Y, in place of each ball.

        For solvers that know only hinges. A roll about a bone moves no point on it.
        """
        parts = [
            Part(part.name, part.parent, part.offset, part.rpy, "zy")
            if part.motion == BALL
            else part
            for part in self.parts
        ]
        return Model(tuple(parts), self.tips)

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Model:
        """The model that `to_json` described."""
        return cls(*(tuple(_part(one) for one in data[key]) for key in ("parts", "tips")))


def _part(data: Mapping[str, Any]) -> Part:
    limits = tuple((lo, hi) for lo, hi in data["limits"])
    offset, rpy = (tuple(data[key]) for key in ("offset", "rpy"))
    return Part(data["name"], data["parent"], offset, rpy, data["motion"], limits)


def forward(model: Model, q: np.ndarray) -> np.ndarray:
    """The world frames of parts and tips, shape (B, P, 4, 4).

    Args:
        model: The mechanism.
        q: The coordinates of B poses, shape (B, Q); a row that is not finite gives frames that are not
            finite.
    """
    frames = np.empty((len(q), len(model.names), 4, 4))
    index = {name: k for k, name in enumerate(model.names)}
    column = 0
    for k, part in enumerate((*model.parts, *model.tips)):
        above = frames[:, index[part.parent]] if part.parent else np.eye(4)
        moved = _motion(part, q[:, column : column + part.width])
        frames[:, k] = above @ placed(part.offset, part.rpy) @ moved
        column += part.width
    return frames


def placed(offset: Sequence[float], rpy: Sequence[float]) -> np.ndarray:
    """A transform (4, 4) from an offset and rotations about X, then Y, then Z."""
    frame = np.eye(4)
    x, y, z = (_about(axis, np.array([angle]))[0] for axis, angle in zip("xyz", rpy, strict=True))
    frame[:3, :3] = z @ y @ x
    frame[:3, 3] = offset
    return frame


def _motion(part: Part, q: np.ndarray) -> np.ndarray:
    frames = np.broadcast_to(np.eye(4), (len(q), 4, 4)).copy()
    if part.motion in (BALL, FREE):
        frames[:, :3, :3] = _turned(q[:, -4:])
        if part.motion == FREE:
            frames[:, :3, 3] = q[:, :3]
        return frames
    for k, axis in enumerate(part.motion):
        frames[:, :3, :3] = frames[:, :3, :3] @ _about(axis, q[:, k])
    return frames


def _about(axis: str, angle: np.ndarray) -> np.ndarray:
    """Rotations (B, 3, 3) about a coordinate axis."""
    i = AXES[axis]
    j, k = (i + 1) % 3, (i + 2) % 3
    turn = np.zeros((len(angle), 3, 3))
    turn[:, i, i] = 1.0
    turn[:, j, j] = turn[:, k, k] = np.cos(angle)
    turn[:, k, j] = np.sin(angle)
    turn[:, j, k] = -turn[:, k, j]
    return turn


def _turned(q: np.ndarray) -> np.ndarray:
    """Rotations (B, 3, 3) of quaternions wxyz; one that is not of length one is no answer."""
    with np.errstate(invalid="ignore"):
        length = np.linalg.norm(q, axis=1, keepdims=True)
        q = np.where(np.abs(length - 1.0) < 1e-6, q / length, np.nan)
    w, x, y, z = q.T
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=1).reshape(-1, 3, 3)
