"""The geometric Jacobian: velocities of points of a skeleton by its freedoms, for many poses at once.

A row of the table of freedoms rotates everything below its joint about a world axis, or slides it along one:

    dp / d(angle) = axis x (p - origin),    dp / d(slide) = axis,    dp / d(stretch) = R (offset of the child below).

A mimic joint moves with the freedom of its source: its columns, times its factor, are added to that freedom's. A frozen
axis has no column, but the axes after it turn with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.model.forward import world_frames
from supple.model.freedoms import Freedoms, Kind, Rows
from supple.model.structure import Structure
from supple.rotations import from_axis_angle, multiply, rotate, to_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CROSS_AXES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


@dataclass(frozen=True, eq=False)
class Tangent:
    """Poses, the frames of their joints and tips, and how the freedoms move these.

    Make it with `tangent`. Frames are joints and tips, by their index in `Skeleton.names`.

    Attributes:
        table: The freedoms of the skeleton.
        rows: The rows of the table that have a column here, R of them: those that some freedom moves.
        positions: World positions of joints and tips, (F, N + T, 3).
        rotations: World rotations of joints and tips, wxyz, (F, N + T, 4).
        axes: World axis of a unit of each row's freedom, (F, 3, R): for a mimic joint times its factor; zero for a
            stretch.
        origins: World points about which the rows rotate, (F, 3, R).
        offsets: Offsets of joints and tips in the frames of their parents, without stretch, (N + T, 3) or
            (F, N + T, 3).
    """

    table: Freedoms
    rows: Rows
    positions: Floats
    rotations: Floats
    axes: Floats
    origins: Floats
    offsets: Floats

    def points(self, frames: ArrayLike, offsets: ArrayLike | None = None) -> Floats:
        """World positions (F, 3, P) of points that are fixed in frames.

        Args:
            frames: Which joint or tip carries each point, (P,).
            offsets: The points in these frames, (P, 3); their origins if left out.
        """
        frames = np.asarray(frames, dtype=np.int64)
        places = self.positions[:, frames]
        if offsets is not None:
            places = places + rotate(self.rotations[:, frames], offsets)
        return np.ascontiguousarray(np.swapaxes(places, 1, 2))

    def jacobian(self, frames: ArrayLike, points: Floats | None = None) -> Floats:
        """Derivatives of points by the freedoms, (F, 3, P, D): world velocity per unit of the freedom.

        Args:
            frames: Which joint or tip carries each point, (P,).
            points: World, (F, 3, P), as `points` returns them; the origins of the frames if left out.
        """
        return self.to_freedoms(self.columns(frames, points))

    def columns(self, frames: ArrayLike, points: Floats | None = None) -> Floats:
        """The same by the rows of this tangent, (F, 3, P, R): mimic joints have separate columns."""
        frames = np.asarray(frames, dtype=np.int64)
        points = self.points(frames) if points is None else points
        below = self.table.frames_below(frames)[:, self.rows.joint]
        axes, origins = self.axes[:, :, None], self.origins[:, :, None]
        arms = points[..., None] - origins
        out = np.empty(arms.shape)
        for i, j, k in _CROSS_AXES:
            np.multiply(axes[:, j], arms[:, k], out=out[:, i])
            out[:, i] -= axes[:, k] * arms[:, j]
        slides = self.rows.is_slide
        if slides.any():
            out[..., slides] = axes[..., slides]
        out *= below >= 0
        for r in np.flatnonzero(self.rows.kind == Kind.STRETCH).tolist():
            out[..., r] = np.moveaxis(self._stretched(r, below[:, r]), 1, 2)
        return out

    def along(self, pose: Ints, frames: Ints, points: Floats, directions: Floats) -> Floats:
        """Derivatives (A, D) of single world points along directions, each in one of the poses.

        Args:
            pose: Index of the pose of each point, (A,).
            frames: Which joint or tip carries it, (A,).
            points: World, (A, 3).
            directions: World, (A, 3).
        """
        different, which = np.unique(frames, return_inverse=True)
        below = self.table.frames_below(different)[:, self.rows.joint]
        axes, origins = self.axes[pose], self.origins[pose]
        arms = [points[:, k, None] - origins[:, k] for k in range(3)]
        out = np.zeros(arms[0].shape)
        for i, j, k in _CROSS_AXES:  # d . (axis x arm) = axis . (arm x d)
            out += axes[:, i] * (
                arms[j] * directions[:, k, None] - arms[k] * directions[:, j, None]
            )
        slides = self.rows.is_slide
        if slides.any():
            out[:, slides] = (axes[:, :, slides] * directions[..., None]).sum(1)
        out *= (below >= 0)[which]
        for r in np.flatnonzero(self.rows.kind == Kind.STRETCH).tolist():
            moved = self._stretched(r, below[:, r])[pose, which]
            out[:, r] = (moved * directions).sum(1)
        return self.to_freedoms(out)

    def angular(self, frames: ArrayLike) -> Floats:
        """World angular velocities of frames per unit of each freedom, (F, 3, P, D).

        Args:
            frames: Which joints or tips, (P,).
        """
        frames = np.asarray(frames, dtype=np.int64)
        above = self.table.frames_below(frames)[:, self.rows.joint] >= 0
        return self.to_freedoms(self.axes[:, :, None] * (above & self.rows.turns))

    def to_freedoms(self, columns: Floats) -> Floats:
        """Columns by freedoms (..., D) from those by rows (..., R): mimic joints are added to their sources."""
        freedom, copies = self.rows.freedom, self.rows.is_copy
        if len(freedom) == len(self.table) and not copies.any():
            return columns
        out = np.zeros((*columns.shape[:-1], len(self.table)))
        out[..., freedom[~copies]] = columns[..., ~copies]
        for r in np.flatnonzero(copies).tolist():
            out[..., freedom[r]] += columns[..., r]
        return out

    def _stretched(self, r: int, below: Ints) -> Floats:
        """Derivatives of points by the stretch of row r, (F, P, 3), from the frames below its joint, (P,)."""
        j = int(self.rows.joint[r])
        moved = rotate(self.rotations[:, None, j], self.offsets[..., below, :])
        moved[:, (below < 0) | (below == j)] = 0.0
        return moved


def tangent(
    skeleton: Structure,
    q: Floats,
    *,
    placed: tuple[Floats, Floats] | None = None,
    translations: Floats | None = None,
    joints: Ints | None = None,
) -> Tangent:
    """The tangent of a skeleton in some poses.

    Args:
        skeleton: The skeleton.
        q: Coordinates, (F, Q).
        placed: World positions (F, N + T, 3) and rotations (F, N + T, 4) of these poses, if they are known already.
        translations: Offsets of joints in their parents' frames in place of the skeleton's, (N, 3) or (F, N, 3).
        joints: Only rows of these joints have columns; all by default.
    """
    table = skeleton.freedom_table
    positions, rotations = placed or world_frames(skeleton, q, translations, None)[:2]
    rows = table.moving
    if joints is not None:
        rows = rows.on(joints)
    tips = skeleton.packed_tips[1]
    own = skeleton.offsets if translations is None else translations
    if len(tips):
        own = np.concatenate([own, np.broadcast_to(tips, (*own.shape[:-2], *tips.shape))], axis=-2)
    axes = _world_axes(skeleton, rows, q, rotations)
    origins = np.ascontiguousarray(np.swapaxes(positions[:, rows.joint], 1, 2))
    return Tangent(table, rows, positions, rotations, axes, origins, own)


def _world_axes(skeleton: Structure, rows: Rows, q: Floats, rotations: Floats) -> Floats:
    """World axes (F, 3, R) of rows, times their factors."""
    table = skeleton.freedom_table
    axes = np.zeros((len(q), 3, len(rows)))
    # The axis of a joint's only slide or angle does not change with it.
    lone = (table.joints.scalars == 1) & (table.joints.quaternion < 0)
    simple = np.flatnonzero(lone[rows.joint] & rows.is_scalar)
    if len(simple):
        turned = rotate(rotations[:, rows.joint[simple]], rows.axis[simple])
        axes[:, :, simple] = np.swapaxes(turned, 1, 2)
    others = np.flatnonzero(~lone[rows.joint] & (rows.kind != Kind.STRETCH))
    if len(others):
        _turn_in_order(skeleton, rows, others, q, rotations, axes)
    if rows.is_copy.any():
        axes *= rows.factor
    return axes


def _turn_in_order(
    skeleton: Structure, rows: Rows, chosen: Ints, q: Floats, rotations: Floats, axes: Floats
) -> None:
    """Write the world axes of rows of joints of several slides and angles, or with a quaternion."""
    joints, which = np.unique(rows.joint[chosen], return_inverse=True)
    parents = skeleton.parents[joints]
    # Before the joint's own rotation.
    before = multiply(rotations[:, parents], skeleton.rotations[joints])
    before[:, parents < 0] = skeleton.rotations[joints[parents < 0]]
    every = skeleton.freedom_table.rows
    place = np.full(len(skeleton.joints), -1)
    place[joints] = np.arange(len(joints))
    for i in range(3):
        mine = chosen[rows.is_scalar[chosen] & (rows.part[chosen] == i)]
        if len(mine):
            turned = rotate(before[:, place[rows.joint[mine]]], rows.axis[mine])
            axes[:, :, mine] = np.swapaxes(turned, 1, 2)
        # Axes after an angle rotate with it, also if it is frozen.
        angles = np.flatnonzero(
            (every.kind == Kind.ANGLE) & (every.part == i) & (place[every.joint] >= 0)
        )
        if len(angles):
            at = place[every.joint[angles]]
            own = from_axis_angle(every.axis[angles], q[:, every.coordinate[angles]])
            before[:, at] = multiply(before[:, at], own)
    rotation = rows.kind[chosen] == Kind.ROTATION
    if rotation.any():
        matrices = to_matrix(before)[:, which[rotation]]
        part = rows.part[chosen[rotation]]
        axes[:, :, chosen[rotation]] = np.swapaxes(
            np.take_along_axis(matrices, part[None, :, None, None], axis=3)[..., 0], 1, 2
        )


def frame_jacobian(
    skeleton: Structure,
    frame: int,
    q: Floats,
    placed: tuple[Floats, Floats],
    translations: Floats | None,
) -> Floats:
    """The Jacobian of one frame, shape (..., 6, D); see `Pose.jacobian`.

    Args:
        skeleton: The skeleton.
        frame: The joint's or tip's index in `Skeleton.names`.
        q: Coordinates, (..., Q).
        placed: World positions (..., N + T, 3) and rotations (..., N + T, 4) of joints and tips.
        translations: Offsets of joints in place of the skeleton's, (N, 3) or (..., N, 3).
    """
    batch = q.shape[:-1]
    positions, rotations = (x.reshape(-1, *x.shape[-2:]) for x in placed)
    if translations is not None and translations.ndim > 2:
        translations = translations.reshape(-1, *translations.shape[-2:])
    above = np.flatnonzero(skeleton.freedom_table.frames_below(np.array([frame]))[0] >= 0)
    at = tangent(
        skeleton,
        q.reshape(-1, q.shape[-1]),
        placed=(positions, rotations),
        translations=translations,
        joints=above,
    )
    both = (at.jacobian([frame])[:, :, 0], at.angular([frame])[:, :, 0])
    return np.concatenate(both, axis=1).reshape(*batch, 6, len(at.table))
