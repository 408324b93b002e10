"""Poses: the coordinates of every joint of a skeleton, for one pose or for a batch of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.coordinates import (
    common_batch,
    follow,
    from_angles,
    mix,
    read,
    slots,
    spread,
    to_angles,
)
from supple.errors import SuppleError, array
from supple.kernels import layout
from supple.kernels.limits import excess_batch, project_batch
from supple.kinematics import flat, frame, local_frames, world_frames
from supple.mismatch import another
from supple.rotations import (
    angle_between,
    slerp,
    to_matrix,
)

if TYPE_CHECKING:
    from supple.skeleton import Skeleton

FORMAT = "supple-pose"
VERSION = 1
Floats = NDArray[np.float64]


class Pose:
    """Where every joint of a skeleton stands.

    A pose stores coordinates: hinge, axes and slider values as numbers, so that turns beyond pi
    survive, balls and cones as quaternions wxyz; and, where it has them, offsets and scales of its
    own. Leading axes are a batch: `len(poses)`, `poses[i]` and iteration go along the first. Poses
    are immutable: they compare by content, hash, copy, pickle and go to and from JSON.

    Args:
        skeleton: What is posed.
        coordinates: Shape (..., Q), joint after joint; None for the rest pose. Quaternions are
            scaled to length one if they are within 1e-6 of it, and joints that mimic others follow.
        translations: Offsets of the joints in their parents' frames, in place of the skeleton's,
            shape (..., N, 3).
        scales: Factors along the axes of each joint's frame, inherited by what hangs on it, shape
            (..., N, 3).
    """

    __slots__ = ("_coordinates", "_frames", "_scales", "_skeleton", "_translations")

    _skeleton: "Skeleton"
    _coordinates: Floats
    _translations: Floats | None
    _scales: Floats | None
    _frames: tuple[Floats, Floats, Floats | None] | None

    def __init__(
        self,
        skeleton: "Skeleton",
        coordinates: ArrayLike | None = None,
        translations: ArrayLike | None = None,
        scales: ArrayLike | None = None,
    ) -> None:
        count = len(skeleton.joints)
        q = read(skeleton, skeleton.packed.rest if coordinates is None else coordinates)
        extras: list[Floats | None] = []
        for what, value in (("translations", translations), ("scales", scales)):
            extras.append(None if value is None else array(what, value, (..., count, 3)) + 0.0)
        batch = common_batch(q.shape[:-1], *(x.shape[:-2] for x in extras if x is not None))
        self._skeleton = skeleton
        self._coordinates = np.array(np.broadcast_to(q, (*batch, q.shape[-1])), order="C")
        self._translations, self._scales = (spread(x, batch) for x in extras)
        self._frames = None

    @classmethod
    def _wrap(
        cls,
        skeleton: "Skeleton",
        coordinates: Floats,
        translations: Floats | None = None,
        scales: Floats | None = None,
    ) -> "Pose":
        """A pose of arrays that are known to be right and that nobody else will write to.

        They are contiguous and writable; translations and scales have the batch axes of the
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
    def from_angles(cls, skeleton: "Skeleton", angles: ArrayLike) -> "Pose":
        """The pose with given freedoms, shape (..., D) in `skeleton.freedoms` order.

        Balls and cones take rotation vectors; frozen axes are at rest.
        """
        angles = array("angles", angles, (..., skeleton.packed.freedom_count))
        return cls._wrap(skeleton, from_angles(skeleton, angles))

    @classmethod
    def stack(cls, poses: Sequence["Pose"]) -> "Pose":
        """Poses of one skeleton and one batch shape, along a new first axis."""
        poses = list(poses)
        if not poses:
            raise SuppleError("stack: expected at least one pose, got none")
        first = poses[0]
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
    def skeleton(self) -> "Skeleton":
        """What is posed."""
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
        """The coordinates as kernels take them: writable, contiguous, and not to be written to."""
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
        """World positions, rotations and, with scales, linear parts; found once."""
        if self._frames is None:
            parts = (self._skeleton, self._coordinates, self._translations, self._scales)
            positions, rotations, linear = world_frames(*parts)
            self._frames = (_read_only(positions), _read_only(rotations), linear)
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

    def with_(self, values: Mapping[str, Any]) -> "Pose":
        """This pose with some joints moved; batch axes of the values broadcast with the pose's.

        Args:
            values: By joint: a number for a hinge or slider; wxyz or a rotation vector for a ball
                or cone; a number for each axis of an Axes or Planar joint, or a mapping such as
                {"x": 0.1}; x, y, z, w, x, y, z for a Free joint. By "joint.label" for one number,
                as in "arm.stretch" or "wrist.x".
        """
        skeleton, old = self._skeleton, self._coordinates
        moved = [slot for name, value in values.items() for slot in slots(skeleton, name, value)]
        batch = common_batch(self.batch_shape, *(value.shape[:-1] for _, value in moved))
        q = np.array(np.broadcast_to(old, (*batch, old.shape[-1])), order="C")
        for at, value in moved:
            q[..., at : at + value.shape[-1]] = value
        follow(skeleton, q)
        extras = (spread(x, batch) for x in (self._translations, self._scales))
        return Pose._wrap(skeleton, q, *extras)

    def interpolate(self, other: "Pose", t: ArrayLike) -> "Pose":
        """The poses at the fractions t of the way to another; t broadcasts with both batches.

        Quaternions go the short way at constant speed (slerp), everything else goes straight.
        """
        self._check_same("interpolate", other)
        t = array("t", t, (...,))
        packed = self._skeleton.packed
        a, b = self._coordinates, other._coordinates
        q = mix(a, b, t[..., None])
        if len(packed.turn_at):
            q[..., packed.turn_at] = slerp(
                a[..., packed.turn_at], b[..., packed.turn_at], t[..., None]
            )
        follow(self._skeleton, q)
        translations = scales = None
        if self._translations is not None or other._translations is not None:
            ends = self._full_translations(), other._full_translations()
            translations = mix(*ends, t[..., None, None])
        if self._scales is not None or other._scales is not None:
            scales = mix(self._full_scales(), other._full_scales(), t[..., None, None])
        return Pose._wrap(self._skeleton, q, translations, scales)

    def on(self, skeleton: "Skeleton", *, offsets: str = "animated") -> "Pose":
        """The same pose of another skeleton, joints matched by name.

        A joint that is the same in both (kind, axes, limits, rest rotation) keeps its coordinates.
        Of others the local rotation in the parent's frame is taken over as far as the joint can make
        it: a hinge takes the part about its axis, and limits are not applied (see `clamped`). What
        such a joint slides or shifts becomes its offset; its stretch stays at rest. Joints that this
        pose does not have stay at rest, and joints that `skeleton` does not have are left out.

        Args:
            skeleton: Whose pose it becomes.
            offsets: Which joints bring their offsets along: those whose offset is not the one of
                their own skeleton ("animated"), or "all". The others have those of `skeleton`.

        Raises:
            SuppleError: No joint has a name in common.
        """
        from supple.matching import matched_poses  # which imports this module

        if skeleton == self._skeleton:
            return Pose._wrap(skeleton, self._coordinates, self._translations, self._scales)
        batch, count = self.batch_shape, len(self._skeleton.joints)
        parts = (
            x if x is None or x.ndim == 2 else x.reshape(-1, count, 3)
            for x in (self._translations, self._scales)
        )
        rows = Pose._wrap(self._skeleton, flat(self._coordinates), *parts)
        found = matched_poses(rows, skeleton, offsets=offsets, along=False)
        extras = (
            x if x is None or x.ndim == 2 else x.reshape(*batch, -1, 3)
            for x in (found._translations, found._scales)
        )
        return Pose._wrap(skeleton, found._coordinates.reshape(*batch, -1), *extras)

    def clamped(self) -> "Pose":
        """This pose with every joint put into its limits: what is inside keeps its bits."""
        q = self._coordinates.copy()
        skeleton = self._skeleton
        project_batch(skeleton.packed_ints, skeleton.packed_floats, flat(q))
        return Pose._wrap(skeleton, q, self._translations, self._scales)

    # Measures -------------------------------------------------------------------------------------

    def violations(self) -> Floats:
        """By how much each joint is outside its limits, radians or length, shape (..., N).

        0 inside. A joint that mimics another and is not where that one puts it counts as outside by
        the difference.
        """
        skeleton = self._skeleton
        q = flat(self._coordinates)
        out = np.empty((len(q), len(skeleton.joints)))
        excess_batch(skeleton.packed_ints, skeleton.packed_floats, q, out)
        return out.reshape(*self.batch_shape, len(skeleton.joints))

    def turns(self, other: "Pose") -> Floats:
        """The angle by which each joint turns between this pose and another, shape (..., N).

        A hinge turns by the difference of its numbers, which may be more than pi; the others by the
        angle of the shortest turn. What slides or stretches does not turn.
        """
        self._check_same("turns", other)
        angles = angle_between(self.local_rotations, other.local_rotations)
        ints = self._skeleton.packed_ints
        for kind, shift in ((layout.HINGE, 0), (layout.PLANAR, 2)):
            joints = np.flatnonzero(ints[:, layout.KIND] == kind)
            at = ints[joints, layout.Q] + shift
            angles[..., joints] = np.abs(self._coordinates[..., at] - other._coordinates[..., at])
        return angles

    # A batch is a sequence of poses ---------------------------------------------------------------

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single pose has no length")
        return self.batch_shape[0]

    def __getitem__(self, key: Any) -> "Pose":
        """The poses at an index, slice or mask of the leading axes."""
        if not self.batch_shape:
            raise TypeError("a single pose cannot be indexed")
        np.broadcast_to(True, self.batch_shape)[key]  # an index too many must not reach deeper
        key = key if isinstance(key, tuple) else (key,)
        if any(k is Ellipsis for k in key):
            key = (*key, slice(None))
        extras = (
            x if x is None or x.ndim == 2 else np.ascontiguousarray(x[(*key, slice(None))])
            for x in (self._translations, self._scales)
        )
        return Pose._wrap(self._skeleton, np.ascontiguousarray(self._coordinates[key]), *extras)

    def __iter__(self) -> Iterator["Pose"]:
        return (self[i] for i in range(len(self)))

    # Comparing, keeping and showing ---------------------------------------------------------------

    def _check_same(self, what: str, other: "Pose") -> None:
        if not isinstance(other, Pose):
            raise SuppleError(f"{what}: expected a Pose, got {other!r}")
        if other._skeleton != self._skeleton:
            raise another(what, self._skeleton, other._skeleton, expected="poses of one skeleton")

    def _full_translations(self) -> Floats:
        own = self._skeleton.offsets if self._translations is None else self._translations
        return np.broadcast_to(own, (*self.batch_shape, *own.shape[-2:]))

    def _full_scales(self) -> Floats:
        shape = (*self.batch_shape, len(self._skeleton.joints), 3)
        return np.broadcast_to(1.0 if self._scales is None else self._scales, shape)

    def __eq__(self, other: object) -> bool:
        """Whether skeleton and numbers are the same; q and -q are not the same numbers."""
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

    def __copy__(self) -> "Pose":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Pose":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._skeleton, self._coordinates, self._translations, self._scales)
        return Pose._wrap, parts

    def to_json(self, *, skeleton: bool = True) -> dict[str, Any]:
        """Plain dictionaries and lists; `from_json` reads them back to the last bit.

        Args:
            skeleton: Whether the skeleton goes in too; if not, its fingerprint does.
        """
        own = self._skeleton
        return {
            "format": FORMAT,
            "version": VERSION,
            "skeleton": own.to_json() if skeleton else own.fingerprint,
            "coordinates": self._coordinates.tolist(),
            "translations": None if self._translations is None else self._translations.tolist(),
            "scales": None if self._scales is None else self._scales.tolist(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], skeleton: "Skeleton | None" = None) -> "Pose":
        """The pose that `to_json` described.

        Args:
            data: What `to_json` gave.
            skeleton: Whose pose it is; None if the data holds the skeleton.
        """
        from supple.skeleton import Skeleton  # which imports this module

        check_format(data, FORMAT, VERSION)
        held = data.get("skeleton")
        own = Skeleton.from_json(held) if isinstance(held, Mapping) else None
        if skeleton is None:
            if own is None:
                raise SuppleError("pose from JSON: expected skeleton=, since the data holds none")
            skeleton = own
        elif own is not None and own != skeleton:
            raise another("pose from JSON", skeleton, own)
        elif own is None and skeleton.fingerprint != held:
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
        from supple.sketch import pose_svg  # pictures: not before they are looked at

        return pose_svg(self)


def check_format(data: Any, name: str, version: int) -> None:
    """Whether JSON data is of a format and of a version that can be read."""
    if not isinstance(data, Mapping) or data.get("format") != name:
        given = data.get("format") if isinstance(data, Mapping) else data
        raise SuppleError(f"JSON: expected an object with format {name!r}, got {given!r}")
    if data.get("version") != version:
        raise SuppleError(f"{name}: expected version {version}, got {data.get('version')!r}")


def _read_only(values: Floats) -> Floats:
    view = values.view()
    view.flags.writeable = False
    return view


def _same(a: Floats | None, b: Floats | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))
