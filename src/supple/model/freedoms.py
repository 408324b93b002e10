"""The freedoms of a skeleton as one table: what each one moves, along which axis, and its limits.

This is the only module outside kernels that reads how joints are packed. All others use this table, which a
skeleton builds once (`Skeleton.freedom_table`).

Terms: a *coordinate* is one float of a pose (`Pose.coordinates`, Q of them); a *freedom* is one independent direction
of motion (`Skeleton.freedoms`, D of them; the columns of a Jacobian and the components of a velocity). They differ: the
quaternion of a ball is four coordinates and three freedoms; a mimic joint and a frozen axis have coordinates but no
freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.model.packing import Packed, follow_sources
from supple.rotations import conjugate, from_rotation_vector, multiply, to_rotation_vector

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Kind(IntEnum):
    """How a joint moves along one of its axes."""

    SLIDE = 0  # along the axis, in model units
    ANGLE = 1  # about the axis [rad]
    ROTATION = 2  # a part of the rotation vector of a quaternion [rad]: q' = exp(v) q
    STRETCH = 3  # the factor of the offsets of the joint's children and tips


class _Table:
    """Read-only arrays with the same number of rows."""

    def __post_init__(self) -> None:
        for column in self._columns():
            column.flags.writeable = False

    def _columns(self) -> tuple[np.ndarray, ...]:
        return tuple(vars(self).values())  # in the order of the fields

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._columns()[0])

    def take(self, rows: Ints | Bools | slice) -> Self:
        """Some of the rows, by indices, flags or a slice."""
        return type(self)(*(column[rows] for column in self._columns()))


class _OfJoints(_Table):
    """Rows that belong to joints, in the order of the joints."""

    joint: Ints

    def on(self, joints: Ints | Sequence[int]) -> Self:
        """The rows of some joints, given by their indices."""
        if not len(self):
            return self
        chosen = np.zeros(int(self.joint[-1]) + 1, dtype=bool)
        chosen[[j for j in joints if j < len(chosen)]] = True
        mine = chosen[self.joint]
        return self if mine.all() else self.take(mine)


@dataclass(frozen=True, eq=False, repr=False)
class Rows(_OfJoints):
    """Rows of the table, one for each component of a joint's motion; arrays of R rows.

    Attributes:
        joint: The joint that moves, (R,).
        kind: `Kind`, (R,).
        part: Index among the joint's scalars, or among x, y, z of its rotation vector, (R,); 0 for a stretch.
        coordinate: Column in a pose's coordinates, (R,); for a rotation the first column of the quaternion wxyz.
        axis: Unit axis in the joint's rest frame, rotated by the joint's angles before it, (R, 3); zero for a
            stretch.
        low: Lower limit [rad, model units, factor], -inf if there is none, (R,). For a joint that others copy, the
            limit that keeps the copies inside theirs. A rotation has none: limits of swing and twist are in
            `Freedoms.cones`.
        high: Upper limit, inf if there is none, (R,).
        freedom: The freedom that moves it, (R,): its own, for a mimic joint that of its source, -1 if it is frozen.
        factor: Change of the coordinate per unit of that freedom, (R,): the multiplier of a mimic joint, else 1.
        offset: Coordinate = factor * (coordinate of the source) + offset, (R,); 0 unless it is a mimic joint's.
        source: The joint that is copied, (R,); -1 if it is not a mimic joint's.
        frozen: True if solves never change it, (R,).
    """

    joint: Ints
    kind: Ints
    part: Ints
    coordinate: Ints
    axis: Floats
    low: Floats
    high: Floats
    freedom: Ints
    factor: Floats
    offset: Floats
    source: Ints
    frozen: Bools

    @property
    def is_slide(self) -> Bools:
        """True for slides, whose coordinates are lengths in model units, (R,)."""
        return self.kind == Kind.SLIDE

    @property
    def is_scalar(self) -> Bools:
        """True for slides and angles, the scalars of a joint, (R,)."""
        return self.kind <= Kind.ANGLE

    @property
    def is_additive(self) -> Bools:
        """True for slides, angles and stretches, to whose coordinate a tangent step is added, (R,)."""
        return self.kind != Kind.ROTATION

    @property
    def turns(self) -> Bools:
        """True for angles and rotations [rad], (R,)."""
        return (self.kind == Kind.ANGLE) | (self.kind == Kind.ROTATION)

    @property
    def is_limited(self) -> Bools:
        """True for rows with a limit on either side, (R,)."""
        return np.isfinite(self.low) | np.isfinite(self.high)

    @property
    def is_copy(self) -> Bools:
        """True for rows of mimic joints, (R,)."""
        return self.source >= 0


@dataclass(frozen=True, eq=False, repr=False)
class JointRows(_Table):
    """The coordinates and freedoms of each joint; arrays of N rows.

    Attributes:
        coordinate: Its first column in a pose's coordinates.
        coordinates: Number of its columns, its stretch factor included.
        slides: Number of slides, which come first.
        angles: Number of angles, which come next.
        quaternion: The first column of its quaternion wxyz, -1 if it has none.
        stretch: The column of its stretch factor, -1 if it has none.
        freedom: Its first freedom, -1 if it has none.
        freedoms: Number of its freedoms, its stretch included.
        source: The joint at the end of its chain of mimic joints, -1 if it copies none.
        factor: Value = factor * (value of the source) + offset; 1 if it copies none.
        offset: See `factor`.
        is_hinge: True if its only coordinate, apart from a stretch, is an angle.
        is_slider: True if its only coordinate, apart from a stretch, is a slide.
        is_cone: True if its quaternion has limits of swing and twist.
    """

    coordinate: Ints
    coordinates: Ints
    slides: Ints
    angles: Ints
    quaternion: Ints
    stretch: Ints
    freedom: Ints
    freedoms: Ints
    source: Ints
    factor: Floats
    offset: Floats
    is_hinge: Bools
    is_slider: Bools
    is_cone: Bools

    @property
    def scalars(self) -> Ints:
        """The number of slides and angles of each joint, (N,)."""
        return self.slides + self.angles

    @property
    def moves(self) -> Bools:
        """True for joints that move, by themselves or as a copy; a stretch counts, (N,)."""
        return (self.freedoms > 0) | (self.source >= 0)


@dataclass(frozen=True, eq=False, repr=False)
class Quaternions(_OfJoints):
    """The quaternions of a skeleton; arrays of K rows.

    Attributes:
        joint: Their joints, (K,).
        coordinate: Columns of w, x, y, z in a pose's coordinates, (K, 4).
        freedom: The freedoms of the rotation vector, (K, 3).
    """

    joint: Ints
    coordinate: Ints
    freedom: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Cones(_OfJoints):
    """The joints with limits of swing and twist; arrays of C rows.

    Attributes:
        joint: The joints, (C,).
        coordinate: The first column of the quaternion wxyz, (C,).
        axis: Unit axis that swings, in the joint's rest frame, (C, 3).
        up: For cones with four half-angles the direction of up, perpendicular to the axis, (C, 3).
        swing: Greatest swing [rad], (C,); for four half-angles the largest.
        half_angles: Greatest tilt of the axis down, up, left and right [rad], (C, 4); zeros for a round cone.
        twist_low: Lower limit of the twist [rad], -inf if there is none, (C,).
        twist_high: Upper limit [rad], (C,).
    """

    joint: Ints
    coordinate: Ints
    axis: Floats
    up: Floats
    swing: Floats
    half_angles: Floats
    twist_low: Floats
    twist_high: Floats

    def of(self, joint: int) -> Cones:
        """The row of one joint, as arrays of one row; of no row if it is no cone."""
        return self.take(self.joint == joint)


class Freedoms:
    """The table of the freedoms of a skeleton. Immutable; take it from `Skeleton.freedom_table`.

    Attributes:
        rows: Every slide, angle, component of a rotation vector and stretch of every joint, also of mimic joints and
            frozen axes, in the order of joints and coordinates (R rows).
        free: The rows that are freedoms, in the order of `Skeleton.freedoms` (D rows).
        joints: The coordinates and freedoms of each joint (N rows).
        quaternions: The columns of the quaternions (K rows).
    """

    def __init__(self, packed: Packed, tip_joint: Ints) -> None:
        """Read the table from a packed skeleton and the joints of its tips."""
        self._packed = packed
        self._tip_joint = tip_joint
        self.joints = _joint_rows(packed)
        self.rows, self._first_row = _rows(packed, self.joints)
        self.free = self.rows.take((self.rows.freedom >= 0) & (self.rows.source < 0))
        turns = packed.quaternion_joint, packed.quaternion_at, packed.quaternion_freedom
        self.quaternions = Quaternions(*(column.copy() for column in turns))

    def __len__(self) -> int:
        """The number of freedoms, D."""
        return self._packed.freedom_count

    def __repr__(self) -> str:
        return f"Freedoms({len(self)} freedoms of {len(self.joints)} joints)"

    @property
    def coordinate_count(self) -> int:
        """The number of coordinates of a pose, Q."""
        return len(self._packed.rest)

    # Other views ----------------------------------------------------------------------------------

    @cached_property
    def moving(self) -> Rows:
        """The rows that some freedom moves: all but the frozen ones."""
        return self.rows.take(self.rows.freedom >= 0)

    @cached_property
    def copies(self) -> Rows:
        """The rows of mimic joints."""
        return self.rows.take(self.rows.is_copy)

    @cached_property
    def additive(self) -> Rows:
        """The freedoms to whose coordinate a tangent step is added: slides, angles and stretches."""
        return self.free.take(self.free.is_additive)

    @cached_property
    def scalars(self) -> Rows:
        """The freedoms that are slides or angles."""
        return self.free.take(self.free.is_scalar)

    @cached_property
    def _rated(self) -> Rows:
        """The rows with a limit of speed: all but stretches and copies that never move."""
        rows = self.moving
        return rows.take((rows.kind != Kind.STRETCH) & (rows.factor != 0.0))

    @cached_property
    def cones(self) -> Cones:
        """The joints with limits of swing and twist."""
        joint = np.flatnonzero(self.joints.is_cone)
        floats = self._packed.floats[joint]
        limits = floats[:, layout.LIMITS : layout.LIMITS + 4].T.copy()
        return Cones(
            joint,
            self.joints.quaternion[joint],
            floats[:, layout.AXIS : layout.AXIS + 3],
            floats[:, layout.AXIS + 3 : layout.AXIS + 6],
            limits[1],
            floats[:, layout.TILTS : layout.TILTS + 4],
            limits[2],
            limits[3],
        )

    def rows_of(self, joint: int) -> Rows:
        """The rows of one joint, by its index."""
        return self.rows.take(slice(self._first_row[joint], self._first_row[joint + 1]))

    def first_axis(self, joint: int) -> Floats:
        """The axis of the first row of a joint that has rows, in its rest frame, shape (3,)."""
        return self.rows.axis[self._first_row[joint]]

    def coordinates_of(self, joint: int, *, stretch: bool = True) -> slice:
        """The columns of one joint in a pose's coordinates, with or without its stretch factor, which is last."""
        first, count = int(self.joints.coordinate[joint]), int(self.joints.coordinates[joint])
        return slice(first, first + count - (not stretch and self.joints.stretch[joint] >= 0))

    def frames_below(self, frames: Ints) -> Ints:
        """For frames (P,) and joints: the first frame below the joint on the path down to the frame, (P, N).

        Its offset is scaled by the stretch of the joint. Frames are joints and tips, by their index in
        `Skeleton.names`. The joint itself if it is the frame; -1 if the joint does not carry the frame.
        """
        parents, count = self._packed.ints[:, layout.PARENT], len(self.joints)
        out = np.full((len(frames), count), -1, dtype=np.int64)
        which = np.arange(len(frames))
        before = np.asarray(frames, dtype=np.int64)
        joint = before.copy()
        joint[before >= count] = self._tip_joint[before[before >= count] - count]
        while len(which):
            out[which, joint] = before
            before, joint = joint, parents[joint]
            inner = joint >= 0
            which, before, joint = which[inner], before[inner], joint[inner]
        return out

    @cached_property
    def moves(self) -> Bools:
        """True where a freedom moves a joint or tip, also through mimic joints, (N + T, D).

        A stretch moves the frames below its joint, not the joint itself.
        """
        frames = np.arange(len(self.joints) + len(self._tip_joint))
        below = self.frames_below(frames)[:, self.moving.joint]
        stretch = self.moving.kind == Kind.STRETCH
        moved = (below >= 0) & ~(stretch & (below == self.moving.joint))
        out = np.zeros((len(frames), len(self)), dtype=bool)
        for r, d in enumerate(self.moving.freedom.tolist()):
            out[:, d] |= moved[:, r]
        return out

    # Moving along freedoms ------------------------------------------------------------------------

    def follow(self, q: Floats) -> None:
        """Update the coordinates (..., Q) of mimic joints from their sources, in place."""
        follow_sources(self._packed, q)

    def stepped(self, q: Floats, step: Floats) -> Floats:
        """Coordinates (..., Q) after a tangent step (..., D), with mimic joints updated; limits are ignored.

        The step is added to slides, angles and stretches; quaternions rotate in their joint's rest frame,
        q' = exp(v) q.
        """
        out = np.array(
            np.broadcast_to(q, (*np.broadcast_shapes(q.shape[:-1], step.shape[:-1]), q.shape[-1]))
        )
        additive, turns = self.additive, self.quaternions
        out[..., additive.coordinate] += step[..., additive.freedom]
        if len(turns):
            turn = from_rotation_vector(step[..., turns.freedom])
            out[..., turns.coordinate] = multiply(turn, out[..., turns.coordinate])
        self.follow(out)
        return out

    def difference(self, before: Floats, after: Floats) -> Floats:
        """The tangent step (..., D) from coordinates (..., Q) to others; by the shortest rotation of quaternions.

        The inverse of `stepped`. Divided by a time it is a velocity, as in `Solution.velocity`.
        """
        packed = self._packed
        at, turn_at = packed.additive_at, packed.quaternion_at
        if (
            before.ndim == after.ndim == 1
        ):  # without an ellipsis, which takes longer than the numbers
            out = np.empty(packed.freedom_count)
            out[packed.additive_freedom] = after[at] - before[at]
        else:
            change = after[..., at] - before[..., at]
            out = np.empty((*change.shape[:-1], packed.freedom_count))
            out[..., packed.additive_freedom] = change
        if len(turn_at):
            turned = multiply(after[..., turn_at], conjugate(before[..., turn_at]))
            out[..., packed.quaternion_freedom] = to_rotation_vector(turned)
        return out

    # Limits of speed ------------------------------------------------------------------------------

    def tightest(self, slide: Floats, turn: Floats) -> Floats:
        """The greatest rate of every freedom that keeps all joints within their own limits of rate, (D,).

        A mimic joint narrows the rate of its source by its factor. A stretch has no limit: inf.

        Args:
            slide: Limit for each joint's slides, such as a speed [model units/s], (N,); inf for none.
            turn: Limit for each joint's angles and rotations [rad/s], (N,).
        """
        rows, out = self._rated, np.full(len(self), np.inf)
        own = np.where(rows.is_slide, slide[rows.joint], turn[rows.joint])
        if len(self.copies):
            np.minimum.at(out, rows.freedom, own / np.abs(rows.factor))
        else:
            out[rows.freedom] = own
        return out


def _joint_rows(packed: Packed) -> JointRows:
    """The coordinates and freedoms of each joint, from its packed row."""
    ints, floats = packed.ints, packed.floats
    kind = ints[:, layout.KIND]
    slides, angles = kind & layout.SLIDES, kind // layout.ANGLE & 3
    first = ints[:, layout.Q]
    return JointRows(
        coordinate=first.copy(),
        coordinates=ints[:, layout.NQ].copy(),
        slides=slides,
        angles=angles,
        quaternion=np.where(kind & layout.QUATERNION, first + slides + angles, -1),
        stretch=ints[:, layout.STRETCH_Q].copy(),
        freedom=ints[:, layout.DOF].copy(),
        freedoms=ints[:, layout.NDOF].copy(),
        source=ints[:, layout.MIMIC].copy(),
        factor=floats[:, layout.MIMIC_MUL].copy(),
        offset=floats[:, layout.MIMIC_ADD].copy(),
        is_hinge=kind == layout.ANGLE,
        is_slider=kind == layout.SLIDE,
        is_cone=kind & layout.SWING_TWIST != 0,
    )


def _rows(packed: Packed, joints: JointRows) -> tuple[Rows, Ints]:
    """The rows of the table, and the index of the first row of each joint, shape (N + 1,)."""
    ints, floats = packed.ints, packed.floats
    scalars, turning = joints.scalars, 3 * (joints.quaternion >= 0)
    counts = scalars + turning + (joints.stretch >= 0)
    first = np.concatenate([[0], np.cumsum(counts)])
    joint = np.repeat(np.arange(len(ints)), counts)
    within = np.arange(len(joint)) - first[joint]  # index in its joint
    is_scalar = within < scalars[joint]
    is_rotation = ~is_scalar & (within < (scalars + turning)[joint])
    is_stretch = ~is_scalar & ~is_rotation
    kind = np.where(within < joints.slides[joint], Kind.SLIDE, Kind.ANGLE)
    kind = np.where(is_rotation, Kind.ROTATION, np.where(is_stretch, Kind.STRETCH, kind))
    part = np.where(is_scalar, within, np.where(is_rotation, within - scalars[joint], 0))
    number = np.where(is_scalar, within, 0)
    column = layout.AXIS + 3 * number[:, None] + np.arange(3)
    axis = np.where(is_scalar[:, None], floats[joint[:, None], column], 0.0)
    axis[is_rotation] = np.eye(3)[part[is_rotation]]
    limits = []
    for side, stretch in ((0, layout.STRETCH_LO), (1, layout.STRETCH_HI)):
        limit = floats[joint, layout.LIMITS + 2 * number + side]
        limit[is_rotation] = (-np.inf, np.inf)[side]
        limit[is_stretch] = floats[joint[is_stretch], stretch]
        limits.append(limit)
    frozen = is_scalar & ((ints[joint, layout.FROZEN] >> number & 1) == 1)
    source = np.where(is_scalar, joints.source[joint], -1)
    is_copy, is_own = source >= 0, (source < 0) & ~frozen
    freedom = np.full(len(joint), -1, dtype=np.int64)
    freedom[is_own] = np.arange(int(is_own.sum()))
    freedom[is_copy] = freedom[first[source[is_copy]]]
    coordinate = joints.coordinate[joint] + number
    coordinate = np.where(is_rotation, joints.quaternion[joint], coordinate)
    coordinate = np.where(is_stretch, joints.stretch[joint], coordinate)
    rows = Rows(
        joint=joint,
        kind=kind.astype(np.int64),
        part=part,
        coordinate=coordinate,
        axis=axis,
        low=limits[0],
        high=limits[1],
        freedom=freedom,
        factor=np.where(is_copy, joints.factor[joint], 1.0),
        offset=np.where(is_copy, joints.offset[joint], 0.0),
        source=source,
        frozen=frozen,
    )
    return rows, first
