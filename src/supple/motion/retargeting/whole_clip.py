"""Least squares over all frames of a clip at once: points of a skeleton, and joints that move smoothly.

Gauss-Newton on the coordinates of every frame. A frame's residuals are differences of points against targets;
frames are tied by the second differences of the coordinates. The normal equations are blocks, one a frame,
plus bands; they are solved by conjugate gradients with the blocks as preconditioner. Limits hold exactly: a
freedom at its limit that would leave it is left out of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.model.forward import world_frames
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import (
    conjugate,
    from_axis_angle,
    from_rotation_vector,
    multiply,
    rotate,
    to_matrix,
    to_rotation_vector,
)

Floats = NDArray[np.float64]

STEP = 0.6  # largest change of an angle in one iteration [rad]
TIGHT = 1e-9  # how near to a limit counts as at it
EXACT = 1e-6  # of the first, the squared residual at which conjugate gradients stop,
MOST = 24  # and after how many iterations they do at the latest
SETTLED = 2e-3  # change of an angle at which iterations end [rad]
CHUNK = 128  # frames whose derivatives are held at once


@dataclass(frozen=True)
class Rows:
    """Residuals weight * (sum of coefficients * points - target), three a row.

    Attributes:
        combine: Coefficients of the points, (R, P).
        target: World, (F, 3, R).
        weight: (F, 3, R), or what broadcasts to that with a first axis of 1 or F.
    """

    combine: Floats
    target: Floats
    weight: Floats

    def taken(self, frames: slice) -> Rows:
        """Those of some frames."""
        weight = self.weight if len(self.weight) == 1 else self.weight[frames]
        return Rows(self.combine, self.target[frames], weight)


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
        self.reaches = self._reaches()

    def _numbers_of(self, j: int) -> int:
        kind = int(self.skeleton.packed_ints[j, layout.KIND])
        return (kind & layout.SLIDES) + ((kind >> 2) & 3)

    def _reaches(self) -> NDArray[np.bool_]:
        """Which columns move each joint, (N, D)."""
        out = np.zeros((len(self.skeleton.joint_names), self.count), dtype=bool)
        for j in range(len(out)):
            out[j] = self.joints == j
            if (parent := int(self.skeleton.parents[j])) >= 0:
                out[j] |= out[parent]
        return out

    def axes(self, q: Floats, positions: Floats, rotations: Floats) -> tuple[Floats, Floats]:
        """World axes (F, 3, D) of the columns and the places (F, 3, D) they turn about."""
        skeleton = self.skeleton
        ints, floats = skeleton.packed_ints, skeleton.packed_floats
        axes = np.empty((len(q), 3, self.count))
        c = 0
        while c < self.count:
            j = self.columns[c][0]
            kind = int(ints[j, layout.KIND])
            numbers = self._numbers_of(j)
            slides, first = kind & layout.SLIDES, int(ints[j, layout.Q])
            local = floats[j, layout.AXIS : layout.AXIS + 9].reshape(3, 3)
            if kind in (layout.ANGLE, layout.SLIDE):  # done below, all at once
                c += 1
                continue
            after = None  # the joint's own turn
            if kind & layout.QUATERNION:
                after = q[:, first + numbers : first + numbers + 4]
            for i in reversed(range(slides, numbers)):
                step = from_axis_angle(local[i], q[:, first + i])
                after = step if after is None else multiply(step, after)
            frame = rotations[:, j]
            before = frame if after is None else multiply(frame, conjugate(after))
            matrix = to_matrix(before)
            axes[:, :, c : c + slides] = matrix @ local[:slides].T
            c += slides
            for i in range(slides, numbers):
                axes[:, :, c] = matrix @ local[i]
                before = multiply(before, from_axis_angle(local[i], q[:, first + i]))
                matrix = to_matrix(before)
                c += 1
            if kind & layout.QUATERNION:
                axes[:, :, c : c + 3] = matrix
                c += 3
        kinds = ints[self.joints, layout.KIND]
        single = np.flatnonzero((kinds == layout.ANGLE) | (kinds == layout.SLIDE))
        if len(single):
            joints = self.joints[single]
            local = floats[joints, layout.AXIS : layout.AXIS + 3]
            axes[:, :, single] = np.swapaxes(rotate(rotations[:, joints], local), 1, 2)
        return axes, np.ascontiguousarray(np.swapaxes(positions[:, self.joints], 1, 2))

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


@dataclass(frozen=True)
class Frame:
    """Where joints and columns are in some poses.

    Attributes:
        freedoms: Of the skeleton.
        positions: Of joints and tips, world, (F, N, 3).
        rotations: wxyz, (F, N, 4).
        axes: World axes of the columns, (F, 3, D).
        origins: Places that they turn about, (F, 3, D).
    """

    freedoms: Freedoms
    positions: Floats
    rotations: Floats
    axes: Floats
    origins: Floats

    def derivative(
        self, frame: NDArray[np.int64], joint: NDArray[np.int64], point: Floats, way: Floats
    ) -> Floats:
        """Derivatives by the columns (A, D) of world points along directions.

        Args:
            frame: Of which frame each point is, (A,).
            joint: Which joint carries it, (A,).
            point: World, (A, 3).
            way: Unit vectors, (A, 3).
        """
        a, o = self.axes[frame], self.origins[frame]
        arm = [point[:, k, None] - o[:, k] for k in range(3)]
        out = np.zeros(arm[0].shape)
        # way . (axis x arm) = axis . (arm x way)
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            out += a[:, i] * (arm[j] * way[:, k, None] - arm[k] * way[:, j, None])
        slides = ~self.freedoms.rotating
        if slides.any():
            out[:, slides] = (a[:, :, slides] * way[..., None]).sum(1)
        return out * self.freedoms.reaches[joint]


class Push(Protocol):
    """Residuals that exist only where something is broken."""

    def __call__(self, at: Frame, first: int) -> tuple[NDArray[np.int64], Floats, Floats] | None:
        """Residuals in some frames of a clip, counted from `first`.

        Returns:
            Frames (A,) of `at`, in order, derivatives (A, D) and residuals (A,), weighed; None if all is well.
        """
        ...


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
        pushes: What is kept only where it is broken, such as solids that stay apart.
    """

    skeleton: Skeleton
    joints: NDArray[np.int64]
    offsets: Floats
    rows: Rows
    smooth: Floats
    rest: Floats
    pull: Floats
    pushes: Sequence[Push] = ()

    def __post_init__(self) -> None:
        self.freedoms = Freedoms(self.skeleton)
        moving = self.freedoms.reaches[self.joints]
        # A row's derivative by a turn about an axis through o is axis x (sum of c p - o sum of c), over the
        # points p that the column moves, with coefficients c.
        shares = self.rows.combine[:, None] * moving.T
        self.share = shares.sum(-1)
        # Most columns move the same points of a row.
        different, self.which = np.unique(
            shares.reshape(-1, len(self.joints)), axis=0, return_inverse=True
        )
        self.sums = np.ascontiguousarray(different.T)

    def frame(self, q: Floats) -> Frame:
        """Joints and columns of coordinates (F, Q)."""
        positions, rotations, _ = world_frames(self.skeleton, q, None, None)
        axes, origins = self.freedoms.axes(q, positions, rotations)
        return Frame(self.freedoms, positions, rotations, axes, origins)

    def points(self, at: Frame) -> Floats:
        """Places (F, 3, P) of the points."""
        turned = rotate(at.rotations[:, self.joints], self.offsets)
        return np.ascontiguousarray(np.swapaxes(at.positions[:, self.joints] + turned, 1, 2))

    def solve(
        self,
        q: Floats,
        *,
        iterations: int,
        smoothness: float = 1.0,
        damping: float = 1e-3,
    ) -> Floats:
        """Coordinates (F, Q) after some iterations; fewer if they do not change any more.

        Args:
            q: Where to begin.
            iterations: How many at most.
            smoothness: Factor of the weights of second differences.
            damping: Added to the diagonal of the normal equations.
        """
        near: Floats | None = None
        for _ in range(iterations):
            q, change, inverse = self._iterate(q, smoothness, damping, near)
            near = inverse if change < STEP else None
            if change < SETTLED:
                break
        return q

    def _iterate(
        self, q: Floats, smoothness: float, damping: float, near: Floats | None
    ) -> tuple[Floats, float, Floats]:
        """Coordinates after one step, its largest change of an angle, and the preconditioner."""
        free = self.freedoms
        frames, count = len(q), free.count
        blocks, gradient = self._normal_equations(q)
        numbers = free.numbers
        value = q[:, free.place[numbers]]
        gradient[:, numbers] += self.pull[numbers] * (value - self.rest[free.place[numbers]])
        diagonal = np.arange(count)
        blocks[:, diagonal, diagonal] += self.pull + damping
        system = _Banded(blocks, self.smooth * smoothness, near)
        if frames > 2:
            gradient += system.smooth * _second_transposed(np.diff(free.differences(q), axis=0))
        room_low, room_high = np.full((2, frames, count), np.inf)
        room_low *= -1.0
        room_low[:, numbers] = free.low[numbers] - value
        room_high[:, numbers] = free.high[numbers] - value
        # Freedoms at a limit that would go beyond it stay.
        held = ((room_low >= -TIGHT) & (gradient > 0)) | ((room_high <= TIGHT) & (gradient < 0))
        step = system.solve(-gradient, held, np.zeros_like(gradient))
        # Those that would go beyond a limit go to it, and the others make up for that.
        beyond = (step < room_low) | (step > room_high)
        if beyond.any():
            step = system.solve(-gradient, held | beyond, np.clip(step, room_low, room_high))
        change = float(np.abs(step[:, free.rotating]).max(initial=0.0))
        step[:, free.rotating] = np.clip(step[:, free.rotating], -STEP, STEP)
        return free.stepped(q, step), change, system.inverse

    def _normal_equations(self, q: Floats) -> tuple[Floats, Floats]:
        """Blocks (F, D, D) and gradient (F, D) of what holds in each frame by itself."""
        frames, count = len(q), self.freedoms.count
        blocks, gradient = np.empty((frames, count, count)), np.empty((frames, count))
        for first in range(0, frames, CHUNK):
            part = slice(first, first + CHUNK)
            at, some = self.frame(q[part]), self.rows.taken(part)
            points = self.points(at)
            jacobian = self.jacobian(points, at)
            jacobian *= some.weight[..., None]
            residual = (points @ self.rows.combine.T - some.target) * some.weight
            flat = jacobian.reshape(len(residual), -1, count)
            transposed = np.swapaxes(flat, 1, 2)
            blocks[part] = transposed @ flat
            gradient[part] = (transposed @ residual.reshape(len(residual), -1, 1))[..., 0]
            for push in self.pushes:
                pushed = push(at, first)
                if pushed is not None:
                    frame, row, depth = pushed
                    # Frames come in order: sums of their rows.
                    start = np.flatnonzero(np.diff(frame, prepend=-1))
                    where = first + frame[start]
                    gradient[where] += np.add.reduceat(row * depth[:, None], start)
                    for a, b, f in zip(start, np.append(start[1:], len(frame)), where, strict=True):
                        blocks[f] += row[a:b].T @ row[a:b]
        return blocks, gradient

    def jacobian(self, points: Floats, at: Frame) -> Floats:
        """Derivatives (F, 3, R, D) of the rows, before they are weighed, by the columns."""
        free = self.freedoms
        arm = np.take(points @ self.sums, self.which, axis=2)
        arm = arm.reshape(*points.shape[:2], -1, free.count)
        arm -= self.share * at.origins[:, :, None]
        out, a = np.empty_like(arm), at.axes
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            np.multiply(a[:, j, None], arm[:, k], out=out[:, i])
            out[:, i] -= a[:, k, None] * arm[:, j]
        slides = ~free.rotating
        if slides.any():
            out[..., slides] = a[:, :, None, slides] * self.share[:, slides]
        return out


def _second_transposed(bend: Floats) -> Floats:
    """The transpose of second differences, applied to (F - 2, D)."""
    out = np.zeros((len(bend) + 2, bend.shape[1]))
    out[:-2] += bend
    out[1:-1] -= 2.0 * bend
    out[2:] += bend
    return out


class _Banded:
    """The matrix of blocks (F, D, D) plus weighted squares of second differences, solved by conjugate gradients.

    Args:
        blocks: One a frame.
        smooth: Weights of the second differences, (D,).
        inverse: A preconditioner, (F, D, D); None for the inverse of the blocks with what ties frames on its diagonal.
    """

    def __init__(self, blocks: Floats, smooth: Floats, inverse: Floats | None = None) -> None:
        self.blocks, self.smooth = blocks, smooth
        frames, count = blocks.shape[:2]
        self.tied = frames > 2
        if inverse is not None:
            self.inverse = inverse
            return
        near = blocks
        if self.tied:
            weights = np.full(frames, 6.0)
            ends = np.array((1.0, 5.0))[: frames // 2]
            weights[: len(ends)] = ends
            weights[frames - len(ends) :] = ends[::-1]
            near = blocks.copy()
            diagonal = np.arange(count)
            near[:, diagonal, diagonal] += smooth * weights[:, None]
        self.inverse: Floats = np.linalg.inv(near).astype(np.float64, copy=False)

    def product(self, x: Floats) -> Floats:
        out = (self.blocks @ x[..., None])[..., 0]
        if self.tied:
            bend = self.smooth * (x[:-2] - 2.0 * x[1:-1] + x[2:])
            out[:-2] += bend
            out[1:-1] -= 2.0 * bend
            out[2:] += bend
        return out

    def solve(self, right: Floats, held: NDArray[np.bool_], start: Floats) -> Floats:
        """The solution (F, D) with the held unknowns as they are at the start."""
        free = (~held).astype(np.float64)
        x = start.copy()
        r = right * free
        # The inverse of the blocks between free unknowns is positive definite: it serves although some are held.
        z = (self.inverse @ r[..., None])[..., 0] * free
        first = float(np.vdot(r, z))
        if start.any():
            r -= self.product(start) * free
            z = (self.inverse @ r[..., None])[..., 0] * free
        p = z
        rz = float(np.vdot(r, z))
        for _ in range(MOST):
            if rz <= EXACT * first or rz <= 0:
                break
            image = self.product(p) * free
            alpha = rz / float(np.vdot(p, image))
            x += alpha * p
            r -= alpha * image
            z = (self.inverse @ r[..., None])[..., 0] * free
            again = float(np.vdot(r, z))
            p = z + (again / rz) * p
            rz = again
        return x
