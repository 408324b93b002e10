"""Least squares over all frames of a clip at once: points of a skeleton, and joints that move smoothly.

Gauss-Newton on the coordinates of every frame. A frame's residuals are differences of points against targets;
frames are tied by the second differences of the coordinates. The normal equations are blocks, one a frame,
plus bands; they are solved by conjugate gradients with the blocks as preconditioner. Limits hold exactly: a
freedom at its limit that would leave it is left out of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.model.forward import world_frames
from supple.model.skeleton import Pose, Skeleton
from supple.motion.retargeting.apart import Overlaps, Solids
from supple.rotations import (
    conjugate,
    from_axis_angle,
    from_rotation_vector,
    multiply,
    rotate,
    to_rotation_vector,
)

Floats = NDArray[np.float64]

STEP = 0.6  # largest change of an angle in one iteration [rad]
TIGHT = 1e-9  # how near to a limit counts as at it
EXACT = 1e-6  # of the first, the squared residual at which conjugate gradients stop


@dataclass(frozen=True)
class Rows:
    """Residuals weight * (sum of coefficients * points - target), three a row.

    Attributes:
        combine: Coefficients of the points, (R, P).
        target: World, (F, R, 3).
        weight: (F, R) or (R,).
    """

    combine: Floats
    target: Floats
    weight: Floats


class Freedoms:
    """The freedoms of a skeleton as tangent columns, and how a step changes coordinates.

    Joints that copy others follow, and have no columns of their own.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        ints, floats = skeleton.packed_ints, skeleton.packed_floats
        self.columns: list[tuple[int, int, str]] = []  # joint, number, kind
        for j in range(len(ints)):
            kind = int(ints[j, layout.KIND])
            if ints[j, layout.MIMIC] >= 0:
                continue
            slides, angles = kind & layout.SLIDES, (kind >> 2) & 3
            self.columns += [(j, i, "slide") for i in range(slides)]
            self.columns += [(j, slides + i, "angle") for i in range(angles)]
            if kind & layout.QUATERNION:
                self.columns += [(j, i, "turn") for i in range(3)]
        self.count = len(self.columns)
        self.low = np.full(self.count, -np.inf)
        self.high = np.full(self.count, np.inf)
        self.place = np.full(self.count, -1)
        for c, (j, i, kind) in enumerate(self.columns):
            if kind != "turn":
                self.place[c] = ints[j, layout.Q] + i
                self.low[c] = floats[j, layout.LIMITS + 2 * i]
                self.high[c] = floats[j, layout.LIMITS + 2 * i + 1]
        self.numbers = np.flatnonzero(self.place >= 0)
        self.rotating = np.array([kind != "slide" for _, _, kind in self.columns])
        self.turns = [(c, int(ints[j, layout.Q]) + self._numbers_of(j)) for c, (j, i, kind) in enumerate(self.columns)
                      if kind == "turn" and i == 0]  # fmt: skip
        self.joints = np.array([j for j, _, _ in self.columns], dtype=np.int64)

    def _numbers_of(self, j: int) -> int:
        kind = int(self.skeleton.packed_ints[j, layout.KIND])
        return (kind & layout.SLIDES) + ((kind >> 2) & 3)

    def moves(self, joints: Sequence[int]) -> NDArray[np.bool_]:
        """Which columns move each of some joints, (P, D)."""
        parents = self.skeleton.parents
        out = np.zeros((len(joints), self.count), dtype=bool)
        for p, joint in enumerate(joints):
            j = int(joint)
            while j >= 0:
                out[p] |= self.joints == j
                j = int(parents[j])
        return out

    def axes(self, q: Floats, positions: Floats, rotations: Floats) -> tuple[Floats, Floats]:
        """World axes (F, D, 3) of the columns and the places (F, D, 3) they turn about."""
        skeleton = self.skeleton
        ints, floats = skeleton.packed_ints, skeleton.packed_floats
        axes = np.empty((len(q), self.count, 3))
        c = 0
        while c < self.count:
            j = self.columns[c][0]
            kind = int(ints[j, layout.KIND])
            numbers = self._numbers_of(j)
            slides, first = kind & layout.SLIDES, int(ints[j, layout.Q])
            mine = rotations[:, j]
            local = floats[j, layout.AXIS : layout.AXIS + 9].reshape(3, 3)
            if kind in (layout.ANGLE, layout.SLIDE):  # done below, all at once
                c += 1
                continue
            if kind & layout.QUATERNION:
                pre = multiply(mine, conjugate(q[:, first + numbers : first + numbers + 4]))
            else:
                turn = None
                for i in range(slides, numbers):
                    step = from_axis_angle(local[i], q[:, first + i])
                    turn = step if turn is None else multiply(turn, step)
                pre = mine if turn is None else multiply(mine, conjugate(turn))
            for i in range(slides):
                axes[:, c] = rotate(pre, local[i])
                c += 1
            frame = pre
            for i in range(slides, numbers):
                axes[:, c] = rotate(frame, local[i])
                frame = multiply(frame, from_axis_angle(local[i], q[:, first + i]))
                c += 1
            if kind & layout.QUATERNION:
                for axis in np.eye(3):
                    axes[:, c] = rotate(pre, axis)
                    c += 1
        kinds = ints[self.joints, layout.KIND]
        single = np.flatnonzero((kinds == layout.ANGLE) | (kinds == layout.SLIDE))
        if len(single):
            joints = self.joints[single]
            local = floats[joints, layout.AXIS : layout.AXIS + 3]
            axes[:, single] = rotate(rotations[:, joints], local)
        return axes, positions[:, self.joints]

    def stepped(self, q: Floats, step: Floats) -> Floats:
        """Coordinates after a tangent step (F, D), within limits."""
        out = q.copy()
        places = self.place[self.numbers]
        out[:, places] = np.clip(
            q[:, places] + step[:, self.numbers], self.low[self.numbers], self.high[self.numbers]
        )
        for c, at in self.turns:
            out[:, at : at + 4] = multiply(
                from_rotation_vector(step[:, c : c + 3]), q[:, at : at + 4]
            )
        return (
            np.asarray(Pose(self.skeleton, out).clamped().coordinates)
            if self._projects
            else np.asarray(Pose(self.skeleton, out).coordinates)
        )

    @property
    def _projects(self) -> bool:
        return bool(np.any(self.skeleton.packed_ints[:, layout.KIND] & layout.SWING_TWIST))

    def differences(self, q: Floats) -> Floats:
        """Tangent steps (F - 1, D) from each frame to the next."""
        out = np.empty((len(q) - 1, self.count))
        places = self.place[self.numbers]
        out[:, self.numbers] = np.diff(q[:, places], axis=0)
        for c, at in self.turns:
            out[:, c : c + 3] = to_rotation_vector(
                multiply(q[1:, at : at + 4], conjugate(q[:-1, at : at + 4]))
            )
        return out


@dataclass
class Clip:
    """Coordinates of all frames, and what holds for them.

    Attributes:
        skeleton: What moves.
        joints: The joint of each point, (P,).
        offsets: The points in their joints' frames, (P, 3).
        rows: Residuals.
        smooth: Weight of the second differences of each column, (D,).
        rest: Coordinates that the numbers are drawn to, (Q,).
        pull: How strongly, for each column, (D,).
        solids: What must stay apart; None if nothing does.
        apart: Weight of a length by which solids are too near.
    """

    skeleton: Skeleton
    joints: NDArray[np.int64]
    offsets: Floats
    rows: Sequence[Rows]
    smooth: Floats
    rest: Floats
    pull: Floats
    solids: Solids | None = None
    apart: float = 0.0

    def __post_init__(self) -> None:
        self.freedoms = Freedoms(self.skeleton)
        self.moving = self.freedoms.moves(self.joints.tolist())
        self.reaches = self.freedoms.moves(range(len(self.skeleton.joint_names)))
        self.combine = np.concatenate([rows.combine for rows in self.rows])
        self.target = np.concatenate([rows.target for rows in self.rows], axis=1)
        frames = len(self.target)
        self.weight = np.concatenate(
            [np.broadcast_to(rows.weight, (frames, len(rows.combine))) for rows in self.rows],
            axis=1,
        )

    def points(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Places (F, P, 3) of the points, and frames of all joints."""
        positions, rotations, _ = world_frames(self.skeleton, q, None, None)
        return (
            positions[:, self.joints] + rotate(rotations[:, self.joints], self.offsets),
            positions,
            rotations,
        )

    def solve(
        self, q: Floats, *, iterations: int, smoothness: float = 1.0, damping: float = 1e-3
    ) -> Floats:
        """Coordinates (F, Q) after some iterations."""
        for _ in range(iterations):
            q = self._iterate(q, smoothness, damping)
        return q

    def _iterate(self, q: Floats, smoothness: float, damping: float) -> Floats:
        free = self.freedoms
        points, positions, rotations = self.points(q)
        axes, origins = free.axes(q, positions, rotations)
        jacobian = self._jacobian(points, axes, origins)
        frames, count = len(q), free.count
        residual = (self.combine @ points - self.target) * self.weight[..., None]
        rows = (self.combine @ jacobian.reshape(frames, len(self.joints), -1)).reshape(
            frames, -1, 3, count
        )
        rows = rows * self.weight[..., None, None]
        flat, residual = rows.reshape(frames, -1, count), residual.reshape(frames, -1)
        blocks = np.swapaxes(flat, 1, 2) @ flat
        gradient = (np.swapaxes(flat, 1, 2) @ residual[..., None])[..., 0]
        if (
            self.solids is not None
            and (overlaps := self.solids.overlaps(positions, rotations)) is not None
        ):
            self._push(overlaps, axes, origins, blocks, gradient)
        numbers = free.numbers
        away = np.zeros((frames, count))
        away[:, numbers] = q[:, free.place[numbers]] - self.rest[free.place[numbers]]
        gradient += self.pull * away
        diagonal = np.arange(count)
        blocks[:, diagonal, diagonal] += self.pull + damping
        smooth = self.smooth * smoothness
        if frames > 2:
            gradient += smooth * _second_transposed(np.diff(free.differences(q), axis=0), frames)
        # Freedoms at a limit that would go beyond it stay.
        held = np.zeros((frames, count), dtype=bool)
        value = q[:, free.place[numbers]]
        held[:, numbers] = ((value <= free.low[numbers] + TIGHT) & (gradient[:, numbers] > 0)) | (
            (value >= free.high[numbers] - TIGHT) & (gradient[:, numbers] < 0)
        )
        step = _conjugate_gradients(blocks, smooth, -gradient, held, np.zeros_like(gradient))
        # Those that would go beyond a limit go to it, and the others make up for that.
        room_low, room_high = np.full(away.shape, -np.inf), np.full(away.shape, np.inf)
        room_low[:, numbers] = free.low[numbers] - value
        room_high[:, numbers] = free.high[numbers] - value
        beyond = (step < room_low) | (step > room_high)
        if beyond.any():
            fixed = np.where(beyond, np.clip(step, room_low, room_high), 0.0)
            step = _conjugate_gradients(blocks, smooth, -gradient, held | beyond, fixed)
        largest = np.abs(step[:, free.rotating]).max(axis=1, initial=0.0)
        step *= np.minimum(1.0, STEP / np.maximum(largest, 1e-12))[:, None]
        return free.stepped(q, step)

    def _push(
        self, overlaps: Overlaps, axes: Floats, origins: Floats, blocks: Floats, gradient: Floats
    ) -> None:
        """Add residuals apart * depth to the normal equations."""
        free, frame, normal = self.freedoms, overlaps.frame, overlaps.normal
        row = np.zeros((len(frame), free.count))
        for k, sign in ((0, -1.0), (1, 1.0)):
            arm = overlaps.points[:, k, None] - origins[frame]
            # normal . (axis x arm) = axis . (arm x normal)
            lever = np.where(free.rotating[:, None], cross(arm, normal[:, None]), normal[:, None])
            row += sign * (axes[frame] * lever).sum(-1) * self.reaches[overlaps.joints[:, k]]
        row *= self.apart
        # Frames come in order: sums of their rows.
        first = np.flatnonzero(np.diff(frame, prepend=-1))
        where = frame[first]
        gradient[where] += np.add.reduceat(row * (self.apart * overlaps.depth)[:, None], first)
        blocks[where] += np.add.reduceat(row[:, :, None] * row[:, None, :], first)

    def _jacobian(self, points: Floats, axes: Floats, origins: Floats) -> Floats:
        """Derivatives (F, P, 3, D) of the points by the columns."""
        free = self.freedoms
        arm = points[:, :, None] - origins[:, None]
        a = axes[:, None]
        out = np.empty((*arm.shape[:2], 3, free.count))
        out[:, :, 0] = a[..., 1] * arm[..., 2] - a[..., 2] * arm[..., 1]
        out[:, :, 1] = a[..., 2] * arm[..., 0] - a[..., 0] * arm[..., 2]
        out[:, :, 2] = a[..., 0] * arm[..., 1] - a[..., 1] * arm[..., 0]
        slides = ~free.rotating
        if slides.any():
            out[..., slides] = np.swapaxes(axes[:, slides], 1, 2)[:, None]
        out *= self.moving[None, :, None, :]
        return out


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of vectors (..., 3), without the overhead of NumPy's."""
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    return np.stack([x, y, a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], axis=-1)


def _second_transposed(bend: Floats, frames: int) -> Floats:
    """The transpose of second differences, applied to (F - 2, D)."""
    out = np.zeros((frames, bend.shape[1]))
    out[:-2] += bend
    out[1:-1] -= 2.0 * bend
    out[2:] += bend
    return out


def _conjugate_gradients(
    blocks: Floats,
    smooth: Floats,
    right: Floats,
    held: NDArray[np.bool_],
    fixed: Floats,
    most: int = 40,
) -> Floats:
    """Solve (blocks + bands) x = right with the held unknowns fixed."""
    frames, count = right.shape
    diagonal = np.arange(count)
    weights = np.full(frames, 6.0)
    if frames > 2:
        ends = np.array((1.0, 5.0))[: frames // 2]
        weights[: len(ends)] = ends
        weights[frames - len(ends) :] = ends[::-1]
    else:
        weights[:] = 0.0
    free = ~held

    def product(x: Floats) -> Floats:
        out = (blocks @ x[..., None])[..., 0]
        if frames > 2:
            out += smooth * _second_transposed(x[:-2] - 2.0 * x[1:-1] + x[2:], frames)
        return out * free

    near = blocks.copy()
    near[:, diagonal, diagonal] += smooth * weights[:, None]
    row, column = np.nonzero(held)
    near[row, column, :] = 0.0
    near[row, :, column] = 0.0
    near[row, column, column] = 1.0
    inverse = np.linalg.inv(near)
    x = fixed.copy()
    r = right * free
    if fixed.any():
        r = r - product(fixed)
    z = (inverse @ r[..., None])[..., 0] * free
    p = z
    rz = float((r * z).sum())
    first = rz
    for _ in range(most):
        if rz <= EXACT * first or rz <= 0:
            break
        image = product(p)
        alpha = rz / float((p * image).sum())
        x += alpha * p
        r = r - alpha * image
        z = (inverse @ r[..., None])[..., 0] * free
        again = float((r * z).sum())
        p = z + (again / rz) * p
        rz = again
    return x
