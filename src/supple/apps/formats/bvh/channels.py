"""The channels of a BVH file as they were read.

Different angles give the same rotation: 360 degrees more or less, the second solution of three angles,
a whole family at gimbal lock. A motion that was read from a file therefore keeps the file's channels beside its
poses, so that what has not changed is written with the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supple.kernels.channels import AT, AXES, COUNT, PLAN, TURNS, coordinates_of_channels
from supple.model.joints import Ball
from supple.model.skeleton import Pose, Skeleton

ROTATIONS_PER_BLOCK = 1 << 18  # joints times frames compared at a time, to bound memory; not tuned

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BvhChannels:
    """Channels frame by frame, and which joints they rotate and move.

    Attributes:
        skeleton: As read, with the joints of the file.
        values: Degrees and model units, shape (F, C).
        turning: By joint of the file, axis (0 to 2) and column of each rotation channel.
        moving: The same for position channels.
        frame_time: Frame Time as the file has it [s]; "" if it has none that can be used.
    """

    skeleton: Skeleton
    values: Floats
    turning: dict[str, tuple[tuple[int, int], ...]]
    moving: dict[str, tuple[tuple[int, int], ...]]
    frame_time: str = ""

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, frames: slice) -> BvhChannels:
        """The channels of some frames."""
        return replace(self, values=self.values[frames])

    def names(self) -> dict[str, tuple[str, ...]]:
        """The names of each joint's channels in the order of the file: "Zrotation", ..."""
        found = {}
        for joint, turning in self.turning.items():
            all_ = [(column, f"{'XYZ'[axis]}rotation") for axis, column in turning]
            all_ += [(column, f"{'XYZ'[axis]}position") for axis, column in self.moving[joint]]
            found[joint] = tuple(name for _, name in sorted(all_))
        return found

    def letters(self, name: str) -> str:
        """The rotation order of a joint, such as "zxy"; "" if the file has no such joint."""
        return "".join("xyz"[axis] for axis, _ in self.turning.get(name, ()))

    def coordinates(self) -> Floats:
        """The skeleton's coordinates that the rotation channels give, shape (F, Q)."""
        table = self.skeleton.freedom_table
        plan: list[list[int]] = []
        for name, turning in self.turning.items():
            if turning:
                j = self.skeleton.index(name)
                row = [0] * PLAN
                row[AT] = int(table.joints.coordinate[j])
                row[TURNS] = int(isinstance(self.skeleton.joints[j], Ball))
                row[COUNT] = len(turning)
                row[AXES : AXES + 2 * len(turning)] = [x for pair in turning for x in pair]
                plan.append(row)
        q = np.empty((len(self), table.coordinate_count))
        rows = np.array(plan, dtype=np.int64).reshape(-1, PLAN)
        coordinates_of_channels(np.ascontiguousarray(self.values), math.pi / 180.0, rows, q)
        return q

    def turned(self, skeleton: Skeleton, turns: Floats) -> Flags:
        """True where rotations are those of the channels to the last bit, shape (F, N).

        Args:
            skeleton: The skeleton that is rotated; its joints are matched by name.
            turns: Rotations of joints in their parents' frames, wxyz, shape (F, N, 4).
        """
        same = np.zeros(turns.shape[:2], dtype=bool)
        index = {name: i for i, name in enumerate(self.skeleton.joint_names)}
        pairs = [(j, index[name]) for j, name in enumerate(skeleton.joint_names) if name in index]
        if not pairs:
            return same
        ours, theirs = (np.array(column) for column in zip(*pairs, strict=True))
        for frames in self._blocks():
            read = Pose._wrap(self.skeleton, self[frames].coordinates()).local_rotations
            same[frames, ours] = np.all(turns[frames][:, ours] == read[:, theirs], axis=2)
        return same

    def _blocks(self) -> Iterator[slice]:
        step = max(1, ROTATIONS_PER_BLOCK // len(self.skeleton))
        for first in range(0, len(self), step):
            yield slice(first, first + step)
