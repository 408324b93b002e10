"""The coordinates of a pose as plain arrays: checks and conversions of the user's values.

All functions take and return coordinates of shape (..., Q) in the order of the skeleton's joints,
with batch axes in front.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array, one_of
from supple.kernels import layout
from supple.kernels.joint import angles_batch, project_batch
from supple.model.joints import Mimic
from supple.model.packing import follow_sources
from supple.model.structure import Structure
from supple.rotations import from_rotation_vector, unit_quaternions

Floats = NDArray[np.float64]

FLOATS_PER_BLOCK = 1 << 14  # in a block of rows: its temporary arrays stay in the cache


def read(skeleton: Structure, values: Any) -> Floats:
    """Coordinates checked and copied: finite, quaternions unit, mimic joints updated."""
    packed = skeleton.packed
    q = array("coordinates", values, (..., len(packed.rest))) + 0.0  # a copy, without -0.0
    if len(packed.quaternion_at):
        rows = q.reshape(math.prod(q.shape[:-1]), q.shape[-1])
        for some in blocks(*rows.shape):
            turns = rows[some][:, packed.quaternion_at]
            try:
                rows[some, packed.quaternion_at] = unit_quaternions("coordinates", turns)
            except SuppleError:  # to name the joint
                names = [skeleton.names[int(j)] for j in packed.quaternion_joint]
                unit_quaternions("coordinates", turns, names)
                raise
    follow(skeleton, q)
    return q


def blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of rows of some width, each small enough that temporary arrays stay in the cache."""
    step = max(1, FLOATS_PER_BLOCK // max(1, width))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def follow(skeleton: Structure, q: Floats) -> None:
    """Update mimic joints from their sources, in place."""
    follow_sources(skeleton.packed, q)


def project(skeleton: Structure, q: Floats) -> Floats:
    """Coordinates (..., Q) projected to the limits of all joints, as a new array; mimic joints updated."""
    inside = q.copy()
    rows = inside[None] if q.ndim == 1 else inside.reshape(math.prod(q.shape[:-1]), q.shape[-1])
    project_batch(skeleton.packed_ints, skeleton.packed_floats, rows)
    return inside


def to_angles(skeleton: Structure, q: Floats) -> Floats:
    """The freedoms (..., D) of coordinates; balls as rotation vectors."""
    packed = skeleton.packed
    maps = (
        packed.additive_at,
        packed.additive_freedom,
        packed.quaternion_at,
        packed.quaternion_freedom,
    )
    angles = np.empty((*q.shape[:-1], packed.freedom_count))
    if q.ndim == 1:
        angles_batch(*maps, q[None], angles[None])
    else:
        size = math.prod(q.shape[:-1])
        angles_batch(*maps, q.reshape(size, q.shape[-1]), angles.reshape(size, angles.shape[-1]))
    return angles


def from_angles(skeleton: Structure, angles: Floats) -> Floats:
    """The coordinates of freedoms (..., D); frozen axes are at rest."""
    packed = skeleton.packed
    q = np.empty((*angles.shape[:-1], len(packed.rest)))
    q[...] = packed.rest
    q[..., packed.additive_at] = angles[..., packed.additive_freedom]
    q[..., packed.quaternion_at] = from_rotation_vector(angles[..., packed.quaternion_freedom])
    follow(skeleton, q)
    return q


def slots(skeleton: Structure, name: str, value: Any) -> list[tuple[int, Floats]]:
    """The first coordinate and the floats (..., k) of a value for "joint" or "joint.label"."""
    joint_name, label = name, None
    if isinstance(name, str) and name not in skeleton and "." in name:
        joint_name, label = name.rsplit(".", 1)
    if joint_name not in skeleton or skeleton.index(joint_name) >= len(skeleton.joints):
        one_of("joint", joint_name, skeleton.joint_names)
    j = skeleton.index(joint_name)
    joint, first = skeleton.joints[j], int(skeleton.packed_ints[j, layout.Q])
    what = f"pose of {name!r}"
    if isinstance(joint.mimic, Mimic) and label != "stretch":
        raise SuppleError(f"{what}: it copies {joint.mimic.joint!r}; expected a value for that")
    if label is not None:
        labels = joint.coordinate_labels
        one_of(f"coordinate of {joint_name!r}", label, [x for x in labels if x])
        return [(first + labels.index(label), array(what, value, (...,))[..., None])]
    if isinstance(value, Mapping):
        return [slot for x, v in value.items() for slot in slots(skeleton, f"{joint_name}.{x}", v)]
    if joint.single:
        return [(first, array(what, value, (...,))[..., None])]
    width = joint.coordinate_count - (joint.stretch is not None)
    if width == 0:
        raise SuppleError(f"{what}: a {type(joint).__name__} joint does not move")
    if joint.has_quaternion and width == 4 and np.shape(value)[-1:] == (3,):
        return [(first, from_rotation_vector(array(what, value, (..., 3))))]
    numbers = array(what, value, (..., width)) + 0.0
    if joint.has_quaternion:
        numbers[..., -4:] = unit_quaternions(what, numbers[..., -4:])
    return [(first, numbers)]


def common_batch(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The batch axes that all shapes broadcast to."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = " and ".join(str(shape) for shape in shapes)
        raise SuppleError(f"pose: expected batch axes that go together, got {shown}") from None


def spread(values: Floats | None, batch: tuple[int, ...]) -> Floats | None:
    """Translations or scales broadcast to all batch axes, unless they have none."""
    if values is None or values.ndim == 2:
        return values
    return whole(values, (*batch, *values.shape[-2:]))


def whole(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Values broadcast to a shape, contiguous; a fresh contiguous array of the shape is not copied."""
    if values.shape == shape and values.flags.c_contiguous:
        return values
    return np.array(np.broadcast_to(values, shape), order="C")


def mix(a: Floats, b: Floats, t: Floats) -> Floats:
    """The straight line from a at t = 0 to b at t = 1, exact at both ends."""
    common_batch(a.shape, b.shape, t.shape)
    return np.ascontiguousarray(np.where(t == 1.0, b, a + t * (b - a)))
