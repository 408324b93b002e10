"""Skeletons and their poses.

A skeleton is an immutable tree of joints and tips with names. A pose holds the coordinates of every joint
of a skeleton, or of a batch of such poses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SuppleError, array, brief, flag, instance, listed, mapping, one_of
from supple.kernels import layout
from supple.kernels.joint import excess_batch
from supple.model.chains import chain_parts
from supple.model.coordinates import (
    common_batch,
    follow,
    from_angles,
    mix,
    project,
    read,
    slots,
    spread,
    to_angles,
    whole,
)
from supple.model.forward import flat, frame, local_frames, world_frames
from supple.model.joints import Ball, Joint
from supple.model.matching import matched
from supple.model.mimics import warn, with_fit_limits
from supple.model.mismatch import another
from supple.model.packing import Packed, check_names, pack, topological_order
from supple.model.parts import Node, Tip, placements, read_nodes, read_tips
from supple.model.parts import from_json as part_from_json
from supple.model.parts import to_json as part_to_json
from supple.model.resting import rested_parts
from supple.rotations import angle_between, slerp, to_matrix

if TYPE_CHECKING:
    from supple.model.capsules import Capsule
    from supple.model.free_root import FreeRoot
    from supple.model.freedoms import Freedoms
    from supple.model.geoms import Geom
    from supple.model.loops import Loop
    from supple.model.masses import Mass
    from supple.model.physics import Physics

FORMAT = "supple-skeleton"
FORMAT_VERSION = 1
POSE_FORMAT = "supple-pose"
POSE_FORMAT_VERSION = 1
Floats = NDArray[np.float64]


class Pose:
    """The coordinates of every joint of a skeleton.

    Hinge, axes and slider coordinates are scalars, so that turns beyond pi survive; those of balls and
    cones are quaternions wxyz. A pose may also have its own offsets and scales. Leading axes are a
    batch: `len(poses)`, `poses[i]` and iteration use the first axis. Poses are immutable: they compare
    by content, hash, copy, pickle and go to and from JSON.

    Args:
        skeleton: The skeleton.
        coordinates: Shape (..., Q), joint after joint; None for the rest pose. Quaternions are
            scaled to length one if they are within 1e-6 of it, and joints that mimic others follow.
        translations: Offsets of the joints in their parents' frames, in place of the skeleton's,
            shape (..., N, 3).
        scales: Factors along the axes of each joint's frame, inherited by everything below it, shape
            (..., N, 3).
    """

    __slots__ = ("_coordinates", "_frames", "_scales", "_skeleton", "_translations")

    _skeleton: Skeleton
    _coordinates: Floats
    _translations: Floats | None
    _scales: Floats | None
    _frames: tuple[Floats, Floats, Floats | None] | None

    def __init__(
        self,
        skeleton: Skeleton,
        coordinates: ArrayLike | None = None,
        translations: ArrayLike | None = None,
        scales: ArrayLike | None = None,
    ) -> None:
        count = len(instance("skeleton", skeleton, Skeleton).joints)
        q = read(skeleton, skeleton.packed.rest if coordinates is None else coordinates)
        extras: list[Floats | None] = []
        for what, value in (("translations", translations), ("scales", scales)):
            extras.append(None if value is None else array(what, value, (..., count, 3)) + 0.0)
        batch = common_batch(q.shape[:-1], *(x.shape[:-2] for x in extras if x is not None))
        self._skeleton = skeleton
        self._coordinates = whole(q, (*batch, q.shape[-1]))
        self._translations, self._scales = (spread(x, batch) for x in extras)
        self._frames = None

    @classmethod
    def _wrap(
        cls,
        skeleton: Skeleton,
        coordinates: Floats,
        translations: Floats | None = None,
        scales: Floats | None = None,
    ) -> Pose:
        """A pose of arrays that are valid and that nobody else will write to.

        They must be contiguous and writable; translations and scales have the batch axes of the
        coordinates, or none.
        """
        pose = cls.__new__(cls)
        pose._skeleton = skeleton
        pose._coordinates = coordinates
        pose._translations = translations
        pose._scales = scales
        pose._frames = None
        return pose

    @classmethod
    def from_angles(cls, skeleton: Skeleton, angles: ArrayLike) -> Pose:
        """The pose of values of the freedoms, shape (..., D) in `skeleton.freedoms` order.

        Balls and cones take rotation vectors; frozen axes are at rest.
        """
        skeleton = instance("skeleton", skeleton, Skeleton)
        angles = array("angles", angles, (..., skeleton.packed.freedom_count))
        return cls._wrap(skeleton, from_angles(skeleton, angles))

    @classmethod
    def stack(cls, poses: Sequence[Pose]) -> Pose:
        """Poses of one skeleton and one batch shape, along a new first axis."""
        poses = listed("stack", poses, "a list of poses")
        if not poses:
            raise SuppleError("stack: expected at least one pose, got none")
        first = instance("stack", poses[0], Pose)
        for pose in poses:
            first._check_same("stack", pose)
            if pose.batch_shape != first.batch_shape:
                raise SuppleError(
                    f"stack: expected poses of one batch shape {first.batch_shape}, "
                    f"got {pose.batch_shape}"
                )
        has_t = any(pose._translations is not None for pose in poses)
        has_s = any(pose._scales is not None for pose in poses)
        return cls._wrap(
            first._skeleton,
            np.stack([pose._coordinates for pose in poses]),
            np.stack([pose._full_translations() for pose in poses]) if has_t else None,
            np.stack([pose._full_scales() for pose in poses]) if has_s else None,
        )

    # What it holds --------------------------------------------------------------------------------

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton."""
        return self._skeleton

    @property
    def coordinates(self) -> Floats:
        """Every joint's coordinates, shape (..., Q)."""
        return _read_only(self._coordinates)

    @property
    def translations(self) -> Floats | None:
        """The joints' offsets in their parents' frames, (..., N, 3); None: the skeleton's."""
        return None if self._translations is None else _read_only(self._translations)

    @property
    def scales(self) -> Floats | None:
        """The joints' scales, shape (..., N, 3); None: there are none."""
        return None if self._scales is None else _read_only(self._scales)

    @property
    def packed_coordinates(self) -> Floats:
        """The coordinates as kernels take them: a writable, contiguous array that must not be written to."""
        return self._coordinates

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The leading axes; () for a single pose."""
        return self._coordinates.shape[:-1]

    @property
    def angles(self) -> Floats:
        """The freedoms, shape (..., D) in `skeleton.freedoms` order; balls as rotation vectors."""
        return to_angles(self._skeleton, self._coordinates)

    # World frames ---------------------------------------------------------------------------------

    def _forward(self) -> tuple[Floats, Floats, Floats | None]:
        """World positions, rotations and, with scales, linear parts; computed once."""
        if self._frames is None:
            parts = (self._skeleton, self._coordinates, self._translations, self._scales)
            positions, rotations, linear = world_frames(*parts)
            positions.setflags(write=False)
            rotations.setflags(write=False)
            self._frames = (positions, rotations, linear)
        return self._frames

    @property
    def positions(self) -> Floats:
        """World positions of joints and tips, shape (..., N + T, 3), in `skeleton.names` order."""
        return self._forward()[0]

    @property
    def rotations(self) -> Floats:
        """World rotations of joints and tips, wxyz, shape (..., N + T, 4), without scales."""
        return self._forward()[1]

    @property
    def frames(self) -> Floats:
        """T_world_joint and T_world_tip, scales included, shape (..., N + T, 4, 4)."""
        positions, rotations, linear = self._forward()
        return frame(positions, to_matrix(rotations) if linear is None else linear)

    def position(self, name: str) -> Floats:
        """World position of a joint or tip, shape (..., 3)."""
        return self.positions[..., self._skeleton.index(name), :]

    def rotation(self, name: str) -> Floats:
        """World rotation of a joint or tip, wxyz, shape (..., 4)."""
        return self.rotations[..., self._skeleton.index(name), :]

    def jacobian(self, name: str) -> Floats:
        """The Jacobian of a joint's or tip's frame by the freedoms, shape (..., 6, D).

        Rows 0 to 2: world velocity of its origin, model units per unit of the freedom; rows 3 to 5: its world
        angular velocity, rad per unit. Columns: the freedoms in `skeleton.freedoms` order; a unit is a radian for
        angles, a model unit for slides and 1 for stretch factors. The three columns of a ball are for its angular
        velocity in the joint's rest frame (q' = exp(v dt) q), as in `Solution.velocity`, not for the derivatives of
        the rotation vector in `angles`. So `pose.jacobian(name) @ s.velocity` is the frame's velocity. A mimic joint
        is part of its source's column; joints that do not move the frame have zeros.

        Args:
            name: A joint or tip.

        Raises:
            SuppleError: There is no such joint or tip, or the pose has scales.
        """
        from supple.model.jacobian import frame_jacobian  # not needed to solve

        frame = self._skeleton.index(name)
        if self._scales is not None:
            raise SuppleError(
                "jacobian: expected a pose without scales, in which all parts are rigid"
            )
        placed = (self.positions, self.rotations)
        return frame_jacobian(self._skeleton, frame, self._coordinates, placed, self._translations)

    @property
    def center_of_mass(self) -> Floats:
        """The centre of mass in the world, shape (..., 3), in the model's unit.

        That of all bones with a mass in `skeleton.masses`.

        Raises:
            SuppleError: The skeleton has no masses, or not all are known.
        """
        from supple.model.masses import center_of_mass  # not needed to solve

        own = self._skeleton
        return center_of_mass(own.masses, own._index, *self._forward())

    # Local frames ---------------------------------------------------------------------------------

    def _locals(self) -> tuple[Floats, Floats]:
        return local_frames(self._skeleton, self._coordinates, self._translations)

    @property
    def local_translations(self) -> Floats:
        """Each joint's origin in its parent's frame as posed, shape (..., N, 3)."""
        return self._locals()[0]

    @property
    def local_rotations(self) -> Floats:
        """Each joint's rotation in its parent's frame, rest * q, wxyz, shape (..., N, 4)."""
        return self._locals()[1]

    def local(self, name: str) -> Floats:
        """T_parent_joint of a joint, or T_joint_tip of a tip, scale included, shape (..., 4, 4)."""
        skeleton = self._skeleton
        k, count = skeleton.index(name), len(skeleton.joints)
        if k < count:
            positions, rotations = self._locals()
            linear = to_matrix(rotations[..., k, :])
            if self._scales is not None:
                linear = linear * self._scales[..., k, None, :]
            return frame(positions[..., k, :], linear)
        joint, offset, rotation = (part[k - count] for part in skeleton.packed_tips)
        at = skeleton.packed_ints[joint, layout.STRETCH_Q]
        stretch = self._coordinates[..., at, None] if at >= 0 else np.ones((*self.batch_shape, 1))
        return frame(offset * stretch, to_matrix(rotation))

    # Other poses from this one --------------------------------------------------------------------

    def with_(self, values: Mapping[str, Any]) -> Pose:
        """This pose with other values for some joints; batch axes of the values broadcast with the pose's.

        Args:
            values: By joint: a number for a hinge or slider; wxyz or a rotation vector for a ball
                or cone; a number for each label of a joint that has several, or a mapping such as
                {"x": 0.1}; x, y, z, w, x, y, z for a Free joint. By "joint.label" for one coordinate,
                as in "arm.stretch" or "wrist.x".
        """
        skeleton, old = self._skeleton, self._coordinates
        values = mapping("pose", values, '{joint: value}, such as {"elbow": 1.2}')
        moved = [slot for name, value in values.items() for slot in slots(skeleton, name, value)]
        batch = common_batch(self.batch_shape, *(value.shape[:-1] for _, value in moved))
        q = np.array(np.broadcast_to(old, (*batch, old.shape[-1])), order="C")
        for at, value in moved:
            q[..., at : at + value.shape[-1]] = value
        follow(skeleton, q)
        extras = (spread(x, batch) for x in (self._translations, self._scales))
        return Pose._wrap(skeleton, q, *extras)

    def interpolate(self, other: Pose, t: ArrayLike) -> Pose:
        """Poses interpolated from this one (t = 0) to another (t = 1); t broadcasts with both batches.

        Quaternions by slerp along the shortest rotation, everything else linearly.
        """
        self._check_same("interpolate", other)
        t = array("t", t, (...,))
        packed = self._skeleton.packed
        a, b = self._coordinates, other._coordinates
        q = mix(a, b, t[..., None])
        if len(packed.quaternion_at):
            q[..., packed.quaternion_at] = slerp(
                a[..., packed.quaternion_at], b[..., packed.quaternion_at], t[..., None]
            )
        follow(self._skeleton, q)
        translations = scales = None
        if self._translations is not None or other._translations is not None:
            ends = self._full_translations(), other._full_translations()
            translations = mix(*ends, t[..., None, None])
        if self._scales is not None or other._scales is not None:
            scales = mix(self._full_scales(), other._full_scales(), t[..., None, None])
        return Pose._wrap(self._skeleton, q, translations, scales)

    def on(self, skeleton: Skeleton, *, offsets: str = "animated") -> Pose:
        """The same pose of another skeleton, joints matched by name.

        A joint that is the same in both (kind, axes, limits, rest rotation) keeps its coordinates.
        Other joints take the local rotation in the parent's frame, as far as they can make it: a hinge
        takes the twist about its axis, and limits are not applied (see `clamped`). Slides and shifts of
        such a joint become its offset; its stretch stays at rest. Joints that this pose does not have
        stay at rest, and joints that `skeleton` does not have are left out.

        Args:
            skeleton: The other skeleton.
            offsets: Which joints keep their offsets from this pose: those whose offset differs from
                that of their own skeleton ("animated"), or "all". The others have those of `skeleton`.

        Raises:
            SuppleError: No joint has a name in common.
        """
        if instance("skeleton", skeleton, Skeleton) == self._skeleton:
            return Pose._wrap(skeleton, self._coordinates, self._translations, self._scales)
        batch, count = self.batch_shape, len(self._skeleton.joints)
        parts = (
            x if x is None or x.ndim == 2 else x.reshape(-1, count, 3)
            for x in (self._translations, self._scales)
        )
        rows = Pose._wrap(self._skeleton, flat(self._coordinates), *parts)
        found = Pose(skeleton, *matched(rows, skeleton, offsets=offsets, along=False))
        extras = (
            x if x is None or x.ndim == 2 else x.reshape(*batch, -1, 3)
            for x in (found._translations, found._scales)
        )
        return Pose._wrap(skeleton, found._coordinates.reshape(*batch, -1), *extras)

    def clamped(self) -> Pose:
        """This pose with every joint projected to its limits; coordinates inside keep their bits."""
        q = project(self._skeleton, self._coordinates)
        return Pose._wrap(self._skeleton, q, self._translations, self._scales)

    # Measures -------------------------------------------------------------------------------------

    def violations(self) -> Floats:
        """The distance of each joint outside its limits, radians or length, shape (..., N); 0 inside.

        A mimic joint that does not follow its source counts as outside by the difference.
        """
        skeleton = self._skeleton
        q = flat(self._coordinates)
        out = np.empty((len(q), len(skeleton.joints)))
        excess_batch(skeleton.packed_ints, skeleton.packed_floats, q, out)
        return out.reshape(*self.batch_shape, len(skeleton.joints))

    def turns(self, other: Pose) -> Floats:
        """The angle by which each joint turns between this pose and another [rad], shape (..., N).

        A joint with one angle turns by the difference, which may be more than pi; the others by the
        angle of the shortest rotation. Slides and stretches do not count.
        """
        self._check_same("turns", other)
        angles = angle_between(self.local_rotations, other.local_rotations)
        ints = self._skeleton.packed_ints
        for slides in range(layout.SLIDES + 1):
            joints = np.flatnonzero(ints[:, layout.KIND] == slides * layout.SLIDE + layout.ANGLE)
            at = ints[joints, layout.Q] + slides
            angles[..., joints] = np.abs(self._coordinates[..., at] - other._coordinates[..., at])
        return angles

    # A batch is a sequence of poses ---------------------------------------------------------------

    def __bool__(self) -> bool:
        """A pose is always true, as in `start or rest`: a batch too, even of none."""
        return True

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single pose has no length")
        return self.batch_shape[0]

    def __getitem__(self, key: Any) -> Pose:
        """The poses at an index, slice or mask of the leading axes."""
        if not self.batch_shape:
            raise TypeError("a single pose cannot be indexed")
        np.broadcast_to(True, self.batch_shape)[
            key
        ]  # an extra index must not reach the coordinates
        key = key if isinstance(key, tuple) else (key,)
        if any(k is Ellipsis for k in key):
            key = (*key, slice(None))
        extras = (
            x if x is None or x.ndim == 2 else np.ascontiguousarray(x[(*key, slice(None))])
            for x in (self._translations, self._scales)
        )
        return Pose._wrap(self._skeleton, np.ascontiguousarray(self._coordinates[key]), *extras)

    def __iter__(self) -> Iterator[Pose]:
        return (self[i] for i in range(len(self)))

    # Comparing, storing and showing ---------------------------------------------------------------

    def _check_same(self, what: str, other: Pose) -> None:
        if instance(what, other, Pose)._skeleton != self._skeleton:
            raise another(what, self._skeleton, other._skeleton, expected="poses of one skeleton")

    def _full_translations(self) -> Floats:
        own = self._skeleton.offsets if self._translations is None else self._translations
        return np.broadcast_to(own, (*self.batch_shape, *own.shape[-2:]))

    def _full_scales(self) -> Floats:
        shape = (*self.batch_shape, len(self._skeleton.joints), 3)
        return np.broadcast_to(1.0 if self._scales is None else self._scales, shape)

    def __eq__(self, other: object) -> bool:
        """True if skeleton and arrays are equal; quaternions q and -q are not equal."""
        if not isinstance(other, Pose):
            return NotImplemented
        return (
            np.array_equal(self._coordinates, other._coordinates)
            and _same(self._translations, other._translations)
            and _same(self._scales, other._scales)
            and self._skeleton == other._skeleton
        )

    def __hash__(self) -> int:
        return hash((self._skeleton, (self._coordinates + 0.0).tobytes()))  # -0.0 equals 0.0

    def __copy__(self) -> Pose:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Pose:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._skeleton, self._coordinates, self._translations, self._scales)
        return Pose._wrap, parts

    def to_json(self, *, skeleton: bool = True) -> dict[str, Any]:
        """Plain dictionaries and lists; `from_json` reads them back to the last bit.

        Args:
            skeleton: Whether to include the skeleton; if not, its fingerprint is included.
        """
        own = self._skeleton
        return {
            "format": POSE_FORMAT,
            "version": POSE_FORMAT_VERSION,
            "skeleton": own.to_json() if flag("skeleton", skeleton) else own.fingerprint,
            "coordinates": self._coordinates.tolist(),
            "translations": None if self._translations is None else self._translations.tolist(),
            "scales": None if self._scales is None else self._scales.tolist(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], skeleton: Skeleton | None = None) -> Pose:
        """The pose that `to_json` described.

        Args:
            data: The result of `to_json`.
            skeleton: The skeleton; None if the data holds it.
        """
        check_format(data, POSE_FORMAT, POSE_FORMAT_VERSION)
        held = data.get("skeleton")
        own = Skeleton.from_json(held) if isinstance(held, Mapping) else None
        if skeleton is None:
            if own is None:
                raise SuppleError("pose from JSON: expected skeleton=, since the data holds none")
            skeleton = own
        elif own is not None and own != instance("skeleton", skeleton, Skeleton):
            raise another("pose from JSON", skeleton, own)
        elif own is None and instance("skeleton", skeleton, Skeleton).fingerprint != held:
            raise SuppleError(
                f"pose from JSON: expected a pose of {skeleton}, got another's: its fingerprint differs"
            )
        if data.get("coordinates") is None:
            raise SuppleError("pose from JSON: expected coordinates, got none")
        q, translations, scales = (data.get(k) for k in ("coordinates", "translations", "scales"))
        return cls(skeleton, q, translations, scales)

    def __repr__(self) -> str:
        skeleton = self._skeleton
        count = len(skeleton.joints)
        joints = f"{count} joint{'s' * (count != 1)}"
        if self.batch_shape:
            return f"Pose(batch {'x'.join(map(str, self.batch_shape))}, {joints})"
        shown = skeleton.tip_names or skeleton.joint_names[-1:]
        places = [
            f"{name} at ({', '.join(f'{x + 0.0:.4g}' for x in self.position(name))})"
            for name in shown[:3]
        ]
        return f"Pose({joints}; {', '.join(places)}{', ...' * (len(shown) > 3)})"

    def _repr_svg_(self) -> str:
        from supple.model.sketch import pose_svg  # pictures: not before they are looked at

        return pose_svg(self)


def check_format(data: Any, name: str, version: int) -> None:
    """Raise unless JSON data has a format and a version."""
    given = data.get("format") if isinstance(data, Mapping) else None
    if not isinstance(given, str) or given != name:
        given = data.get("format") if isinstance(data, Mapping) else data
        raise SuppleError(f"JSON: expected an object with format {name!r}, got {brief(given)}")
    if type(data.get("version")) is not int or data["version"] != version:
        raise SuppleError(f"{name}: expected version {version}, got {brief(data.get('version'))}")


def _same(a: Floats | None, b: Floats | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


class Skeleton:
    """A tree of joints with any number of roots, and tips.

    Example::

        Skeleton(
            [Node("hip"), Node("knee", "hip", (0, -4, 0), Hinge("x", limits=(0, 2.5)))],
            [Tip("foot", "knee", (0, -4, 0))],
        )

    Joints come in topological order, which is the order given wherever parents precede their
    children; then the tips. A local rotation is rest * q. Skeletons are immutable: they compare by
    content, hash, copy, pickle and go to and from JSON. Plain tuples serve as nodes and tips.

    Args:
        nodes: The joints.
        tips: Named frames on them.
        physics: Geoms, capsules, masses and loops.

    Raises:
        SuppleError: Names are blank, duplicate or unknown, parents form a cycle, numbers are not
            finite, quaternions not unit (within 1e-6), a Cone lacks an axis or a mimic its joint.
    """

    __slots__ = (
        "_capsules",
        "_children",
        "_file_order",
        "_fingerprint",
        "_free_roots",
        "_freedom_table",
        "_freedoms",
        "_index",
        "_joints",
        "_names",
        "_packed",
        "_packed_tips",
        "_physics",
        "_problems",
        "_rest",
    )

    def __init__(
        self,
        nodes: Iterable[Node | tuple[Any, ...]],
        tips: Iterable[Tip | tuple[Any, ...]] = (),
        *,
        physics: Physics | None = None,
    ) -> None:
        given, tips = read_nodes(nodes), read_tips(tips)
        check_names([node.name for node in given], [tip.name for tip in tips])
        order = topological_order([node.name for node in given], [node.parent for node in given])
        sorted_nodes, unfit = with_fit_limits([given[k] for k in order])
        for why in unfit.values():
            warn(why)
        names = tuple(node.name for node in sorted_nodes)
        index = {name: j for j, name in enumerate(names)}
        for tip in tips:
            if not isinstance(tip.joint, str) or tip.joint not in index:
                one_of(f"joint of tip {tip.name!r}", tip.joint, names)
        offsets, rotations = placements("joint", sorted_nodes)
        tip_offset, tip_rotation = placements("tip", tips)
        parents = [-1 if node.parent is None else index[node.parent] for node in sorted_nodes]
        tip_joint = np.array([index[tip.joint] for tip in tips], dtype=np.int64)
        joints = tuple(node.joint for node in sorted_nodes)
        self._packed = pack(
            names, np.array(parents), joints, offsets, rotations, tip_joint, tip_offset
        )
        self._packed_tips = (tip_joint, tip_offset, tip_rotation)
        self._joints = joints
        self._names = names + tuple(tip.name for tip in tips)
        self._index = {name: k for k, name in enumerate(self._names)}
        self._file_order = _read_only(np.argsort(np.array(order)))
        self._physics = physics
        if physics is not None:
            from supple.model.physics import Physics  # not needed to solve

            instance("physics", physics, Physics).check(names)
        self._capsules: Mapping[str, tuple[Capsule, ...]] | None = None
        self._rest: Pose | None = None
        self._children: list[list[int]] | None = None
        self._freedoms: tuple[str, ...] | None = None
        self._freedom_table: Freedoms | None = None
        self._fingerprint: str | None = None
        self._free_roots: tuple[FreeRoot, ...] | None = None
        self._problems: Any = None  # the cache of prepared problems of `supple.solve`

    # What it holds --------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Joints in topological order, then tips: the order of a pose's positions."""
        return self._names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints in topological order."""
        return self._names[: len(self._joints)]

    @property
    def tip_names(self) -> tuple[str, ...]:
        """The tips in the order given."""
        return self._names[len(self._joints) :]

    @property
    def joints(self) -> tuple[Joint, ...]:
        """How each joint moves, in topological order."""
        return self._joints

    @property
    def freedoms(self) -> tuple[str, ...]:
        """A name for each freedom, as in `Pose.angles`: "j0" if it is the joint's only one, "j0.x", "j0.stretch"."""
        if self._freedoms is None:
            self._freedoms = tuple(
                f"{name}.{label}" if label else name
                for name, joint in zip(self.joint_names, self._joints, strict=True)
                for label in joint.freedom_labels
            )
        return self._freedoms

    @property
    def freedom_table(self) -> Freedoms:
        """The table of freedoms: what each one moves, its axis and its limits; see `Freedoms`."""
        if self._freedom_table is None:
            from supple.model.freedoms import Freedoms  # not needed to solve

            self._freedom_table = Freedoms(self._packed, self._packed_tips[0])
        return self._freedom_table

    @property
    def parents(self) -> NDArray[np.int64]:
        """The index of each joint's parent, shape (N,); -1 for a root. Parents come first."""
        return _read_only(self._packed.ints[:, layout.PARENT])

    @property
    def offsets(self) -> NDArray[np.float64]:
        """Each joint's origin in its parent's frame at rest, shape (N, 3)."""
        return _read_only(self._packed.floats[:, layout.OFFSET : layout.OFFSET + 3])

    @property
    def rotations(self) -> NDArray[np.float64]:
        """Each joint's rest rotation in its parent's frame, wxyz, shape (N, 4)."""
        return _read_only(self._packed.floats[:, layout.REST : layout.REST + 4])

    @property
    def free_roots(self) -> tuple[FreeRoot, ...]:
        """The joints that place the model in the world, such as a robot's floating base; see `FreeRoot`."""
        if self._free_roots is None:
            found: tuple[FreeRoot, ...] = ()
            if (self._packed.ints[:, layout.KIND] & layout.SLIDES).any():
                from supple.model.free_root import free_roots  # few skeletons have one

                found = free_roots(self._joints, self._packed)
            self._free_roots = found
        return self._free_roots

    @property
    def file_order(self) -> NDArray[np.int64]:
        """For each joint in the order it was given, its index in `joint_names`, shape (N,)."""
        return self._file_order

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The joints in the order given: `Skeleton(s.nodes, s.tips) == s`."""
        names, parents = self._names, self.parents.tolist()
        offsets, rotations = self.offsets.tolist(), self.rotations.tolist()
        return tuple(
            Node(
                names[j],
                None if parents[j] < 0 else names[parents[j]],
                tuple(offsets[j]),
                self._joints[j],
                tuple(rotations[j]),
            )
            for j in self._file_order.tolist()
        )

    @property
    def tips(self) -> tuple[Tip, ...]:
        """The tips in the order given."""
        joints, offsets, rotations = (part.tolist() for part in self._packed_tips)
        return tuple(
            Tip(name, self._names[j], tuple(offset), tuple(rotation))
            for name, j, offset, rotation in zip(
                self.tip_names, joints, offsets, rotations, strict=True
            )
        )

    # Physics ---------------------------------------------------------------------------------------

    @property
    def physics(self) -> Physics | None:
        """Geoms, capsules, masses, loops and excluded pairs; None if the model has none."""
        return self._physics

    @property
    def geoms(self) -> tuple[Geom, ...]:
        """Collision shapes on the bones, as in the file."""
        return () if self._physics is None else self._physics.geoms

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Loops that close the tree to a mechanism."""
        return () if self._physics is None else self._physics.loops

    @property
    def masses(self) -> Mapping[str, Mass | None] | None:
        """Masses by joint, None for an unknown mass; None if there are no masses at all."""
        return None if self._physics is None else self._physics.masses

    @property
    def capsules(self) -> Mapping[str, tuple[Capsule, ...]]:
        """The capsules of each bone for collisions, by joint, in the joint's frame.

        Those given (`with_physics(capsules=...)`); else one around each geom that may touch something,
        and one along each bone of rigid bodies without geoms (of all bones if no geom touches anything),
        with a tenth of the bone's length as radius.
        """
        from supple.model.capsules import of_skeleton  # not needed to solve

        if self._physics is not None and self._physics.capsules is not None:
            return self._physics.capsules
        if self._capsules is None:
            contactless = () if self._physics is None else self._physics.contactless
            found = of_skeleton(self, self.geoms, self.masses or {}, contactless)
            self._capsules = MappingProxyType(found)
        return self._capsules

    def with_physics(self, **changes: Any) -> Skeleton:
        """The same skeleton with other geoms=, capsules=, masses=, loops= or excludes=.

        Capsules and masses are mappings by joint. Poses of the one skeleton are not poses of the other;
        `Pose.on` transfers them.
        """
        from dataclasses import replace

        from supple.model.physics import Physics

        for what in changes:
            one_of("part of physics", what, tuple(Physics.__dataclass_fields__))
        physics = replace(self._physics or Physics(), **changes)
        return Skeleton(self.nodes, self.tips, physics=physics)

    # For kernels: writable and contiguous, because Numba compiles anew for anything else. Nobody
    # writes to them.
    @property
    def packed(self) -> Packed:
        """The packed skeleton, with the maps between coordinates and freedoms."""
        return self._packed

    @property
    def packed_ints(self) -> NDArray[np.int64]:
        """A row of integers for each joint, by the columns of `kernels.layout`."""
        return self._packed.ints

    @property
    def packed_floats(self) -> NDArray[np.float64]:
        """A row of floats for each joint, by the columns of `kernels.layout`."""
        return self._packed.floats

    @property
    def packed_tips(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The joint (T,), offset (T, 3) and rotation wxyz (T, 4) of each tip."""
        return self._packed_tips

    # Navigating the tree --------------------------------------------------------------------------

    def index(self, name: str, *, what: str = "joint or tip") -> int:
        """The index of a joint or tip in `names`; the error for an unknown name suggests the nearest.

        Args:
            name: The name.
            what: What the name is called in the error.
        """
        found = self._index.get(name) if isinstance(name, str) else None
        if found is None:
            one_of(what, name, self._names)
            raise AssertionError  # one_of has raised
        return found

    def children(self, name: str) -> tuple[str, ...]:
        """The child joints and then the tips of a joint; a tip has none."""
        if self._children is None:
            below: list[list[int]] = [[] for _ in self._names]
            links = [*self.parents.tolist(), *self._packed_tips[0].tolist()]
            for k, parent in enumerate(links):
                if parent >= 0:
                    below[parent].append(k)
            self._children = below
        return tuple(self._names[k] for k in self._children[self.index(name)])

    def parent(self, name: str) -> str | None:
        """The parent joint of a joint or tip; None for a root."""
        j = self._above(self.index(name))
        return None if j < 0 else self._names[j]

    def _above(self, k: int) -> int:
        count = len(self._joints)
        if k >= count:
            return int(self._packed_tips[0][k - count])
        return int(self._packed.ints[k, layout.PARENT])

    def path(self, root: str | None, tip: str) -> tuple[str, ...]:
        """The names from `root` (None: the root of the tree) down to `tip`, both included.

        Raises:
            SuppleError: `tip` does not hang below `root`.
        """
        first = -1 if root is None else self.index(root)
        k = self.index(tip)
        path = [k]
        while k != first and (k := self._above(k)) >= 0:
            path.append(k)
        if root is not None and path[-1] != first:
            raise SuppleError(
                f"path: expected a root above {tip!r} (one of "
                f"{', '.join(repr(self._names[i]) for i in reversed(path))}), got {root!r}"
            )
        return tuple(self._names[i] for i in reversed(path))

    def length(self, name: str, *, root: str | None = None) -> float:
        """The distance of a joint or tip from its parent at rest, in the model's unit.

        With `root`, the sum along the path from there down to `name`.
        """
        path = [name] if root is None else self.path(root, name)[1:]
        count = len(self._joints)
        total = 0.0
        for k in map(self.index, path):
            offset = self._packed_tips[1][k - count] if k >= count else self.offsets[k]
            total += float(np.linalg.norm(offset))
        return total

    # Poses ----------------------------------------------------------------------------------------

    @property
    def rest(self) -> Pose:
        """The pose with every joint at rest."""
        if self._rest is None:
            self._rest = Pose._wrap(self, self._packed.rest.copy())
        return self._rest

    def pose(self, values: Mapping[str, Any] | None = None) -> Pose:
        """The rest pose with other values for some joints, as in `Pose.with_`.

        {"elbow": 1.2, "wrist": (1, 0, 0, 0), "hand.stretch": 1.5}.
        """
        return self.rest.with_({} if values is None else values)

    def with_joints(self, joints: Mapping[str, Joint]) -> Skeleton:
        """The same skeleton with other joints: {name: joint}."""
        for name in mapping("with_joints", joints, "{name: joint}"):
            if name not in self._index or self._index[name] >= len(self._joints):
                one_of("joint", name, self.joint_names)
        nodes = [node._replace(joint=joints.get(node.name, node.joint)) for node in self.nodes]
        return Skeleton(nodes, self.tips, physics=self._physics)

    def with_rest(self, pose: Pose) -> Skeleton:
        """The same skeleton with a pose as its rest.

        Its rest pose has the world frames of `pose`. Limits keep their values, which are now relative
        to the new rest; mimic joints keep following their sources. Scales of the pose are multiplied
        into the offsets.
        """
        if instance("with_rest", pose, Pose).skeleton != self:
            raise another("with_rest", self, pose.skeleton, expected="a pose of this skeleton")
        if pose.batch_shape:
            raise SuppleError(
                f"with_rest: expected a single pose, got a batch of shape {pose.batch_shape}"
            )
        return Skeleton(*rested_parts(pose), physics=self._physics)

    # Comparing, storing and showing ---------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists, joints in the order given; `from_json` reads them back."""
        data = self._parts_json()
        if self._physics is not None:
            data["physics"] = self._physics.to_json()
        return data

    def _parts_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "joints": [part_to_json(node) for node in self.nodes],
            "tips": [part_to_json(tip) for tip in self.tips],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Skeleton:
        """The skeleton that `to_json` described."""
        check_format(data, FORMAT, FORMAT_VERSION)
        nodes = [part_from_json(Node, node) for node in data.get("joints", ())]
        tips = [part_from_json(Tip, tip) for tip in data.get("tips", ())]
        physics = None
        if data.get("physics") is not None:
            from supple.model.physics import Physics  # not needed to solve

            physics = Physics.from_json(data["physics"])
        return cls(nodes, tips, physics=physics)

    @property
    def fingerprint(self) -> str:
        """A hash of the content, 32 hexadecimal digits: equal for equal skeletons, in every process."""
        if self._fingerprint is None:
            text = json.dumps(self._parts_json(), sort_keys=True)
            if self._physics is not None:
                text += self._physics.digest
            self._fingerprint = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return self._fingerprint

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return self is other or (
            self._names == other._names and self.fingerprint == other.fingerprint
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> Skeleton:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Skeleton:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.nodes, self.tips, self._physics)

    def __len__(self) -> int:
        return len(self._joints)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._index

    def __repr__(self) -> str:
        def some(names: tuple[str, ...]) -> str:
            shown = names if len(names) <= 6 else (*names[:4], "...", names[-1])
            # Names of files may have any length; errors show this text.
            return ", ".join(one if len(one) <= 60 else f"{one[:57]}..." for one in shown)

        tips = f"; tips: {some(self.tip_names)}" if self.tip_names else ""
        return f"Skeleton({len(self)} joints: {some(self.joint_names)}{tips})"

    def tree(self, *, limit: int = 200) -> str:
        """The joints and tips as an indented tree, at most `limit` lines of it."""
        from supple.model.sketch import skeleton_tree  # pictures: not before they are looked at

        return skeleton_tree(self, limit=limit)

    def _repr_html_(self) -> str:
        from supple.model.sketch import skeleton_html  # pictures: not before they are looked at

        return skeleton_html(self)


def _rebuilt(nodes: tuple[Node, ...], tips: tuple[Tip, ...], physics: Physics | None) -> Skeleton:
    return Skeleton(nodes, tips, physics=physics)


def chain(
    lengths: ArrayLike,
    *,
    joint: Joint | Sequence[Joint] = Ball(),  # noqa: B008 (frozen)
    names: Sequence[str] | None = None,
) -> Skeleton:
    """A chain of links, straight along +X at rest, with its first joint at the origin.

    Args:
        lengths: The length of each link, in the model's unit; zero is allowed.
        joint: How every joint moves, or one for each link.
        names: A name for each joint; "j0", "j1", ... by default. The end is called "tip".
    """
    return Skeleton(*chain_parts(lengths, joint, names))


Kind = TypeVar("Kind", np.int64, np.float64)


def _read_only(values: NDArray[Kind]) -> NDArray[Kind]:
    view = values.view()
    view.flags.writeable = False
    return view
