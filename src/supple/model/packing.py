"""From the parts of a skeleton to the flat arrays that kernels read.

Errors of a skeleton as a whole are found here: names, parents, cycles, cones without an axis, joints
that copy each other. Everything is linear in the number of joints and nothing recurses, so chains may
have any length.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, brief, nearest, text
from supple.kernels import layout
from supple.model.joint import Vector, rows
from supple.model.joints import Joint
from supple.model.mimics import followed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Packed(NamedTuple):
    """A skeleton as kernels take it; the columns are named in `supple.kernels.layout`."""

    ints: Ints  # (N, JOINT_INTS)
    floats: Floats  # (N, JOINT_FLOATS)
    rest: Floats  # (Q,) coordinates at rest
    additive_at: Ints  # coordinates to which a tangent step is added ...
    additive_freedom: Ints  # ... and their freedoms
    quaternion_at: Ints  # (K, 4) coordinates of each quaternion ...
    quaternion_freedom: Ints  # (K, 3) ... and the freedoms of its rotation vector
    quaternion_joint: Ints  # (K,) their joints
    freedom_count: int


def follow_sources(packed: Packed, q: Floats) -> None:
    """Update the coordinates (..., Q) of mimic joints from their sources, in place."""
    ints, floats = packed.ints, packed.floats
    joints = np.flatnonzero(ints[:, layout.MIMIC] >= 0)
    if len(joints):
        source = ints[ints[joints, layout.MIMIC], layout.Q]
        multiplier, offset = floats[joints, layout.MIMIC_MUL], floats[joints, layout.MIMIC_ADD]
        q[..., ints[joints, layout.Q]] = multiplier * q[..., source] + offset


def check_names(names: Sequence[str], tips: Sequence[str]) -> None:
    """Joints and tips share one namespace: every name a string, not blank, and no two alike."""
    seen: dict[str, str] = {}
    for what, group in (("joint", names), ("tip", tips)):
        for k, name in enumerate(group):
            if not isinstance(name, str) or not name.strip():
                raise SuppleError(
                    f"{what} {k}: expected a name that is not blank, got {brief(name)}"
                )
            text(f"name of {what} {k}", name)
            if name in seen:
                raise SuppleError(
                    f"{what} {name!r}: expected names that differ, "
                    f"but there is a {seen[name]} of that name already"
                )
            seen[name] = what


def topological_order(names: Sequence[str], parents: Sequence[str | None]) -> list[int]:
    """The indices with every parent before its children, otherwise in the order given."""
    index = {name: k for k, name in enumerate(names)}
    above: list[int] = []
    for name, parent in zip(names, parents, strict=True):
        if parent is not None and not (isinstance(parent, str) and parent in index):
            hint = nearest(parent, names) if isinstance(parent, str) else ""
            raise SuppleError(
                f"joint {name!r}: expected a parent among the joints, or None, got {brief(parent)}{hint}"
            )
        above.append(-1 if parent is None else index[parent])
    order: list[int] = []
    placed = [False] * len(names)
    climbing = [False] * len(names)
    for k in range(len(names)):
        climb: list[int] = []
        j = k
        while j >= 0 and not placed[j]:
            if climbing[j]:
                cycle = [names[i] for i in climb[climb.index(j) :]]
                shown = cycle if len(cycle) <= 12 else [*cycle[:6], "...", *cycle[-5:]]
                raise SuppleError(
                    f"joint {names[j]!r}: expected a tree, got a cycle of parents: "
                    f"{' -> '.join([*shown, names[j]])}"
                )
            climbing[j] = True
            climb.append(j)
            j = above[j]
        for j in reversed(climb):
            placed[j] = True
            order.append(j)
    return order


class _Kind(NamedTuple):
    """The packed description of a joint, shared by equal joints."""

    kind: int
    coordinates: int  # with the stretch factor, which is last
    freedoms: int
    stretches: bool
    order: int
    frozen: int
    rest: tuple[float, ...]
    floats: list[float]
    additive: tuple[tuple[int, int], ...]  # (coordinate, freedom), counted from the joint's first
    quaternion: tuple[int, int] | None  # first coordinate and first freedom of its quaternion


def _check_scalars(joint: Joint) -> None:
    """Raise if kernels cannot take a kind's scalars: three at most, slides before angles."""
    slides = [one.slides for one in joint.scalars]
    good = len(slides) <= 3 and slides == sorted(slides, reverse=True)
    if joint.has_quaternion:
        good = good and all(slides) and not (slides and joint.has_swing_limits)
    if not good:
        shown = ", ".join("slide" if one else "angle" for one in slides)
        raise SuppleError(
            f"{type(joint).__name__} joint: expected up to three scalars, slides before angles, no "
            f"angles beside a quaternion, and none beside limits of swing; got {shown}"
        )


def _describe(joint: Joint) -> _Kind:
    _check_scalars(joint)
    floats = [0.0] * layout.JOINT_FLOATS
    floats[layout.REST] = floats[layout.AXIS] = 1.0
    floats[layout.LIMITS : layout.LIMITS + 6] = [-math.inf, math.inf] * 3
    for k, pair in enumerate(joint.limit_rows):
        floats[layout.LIMITS + 2 * k : layout.LIMITS + 2 * k + 2] = pair
    floats[layout.DAMPING] = math.inf if joint.damping is None else joint.damping
    floats[layout.WEIGHT] = 1.0 - joint.stiffness
    floats[layout.STRETCH_LO], floats[layout.STRETCH_HI] = rows([joint.stretch or (1.0, 1.0)])[0]
    floats[layout.MIMIC_MUL] = 1.0
    if joint.has_swing_limits and getattr(joint, "axis", None) is not None:
        floats[layout.AXIS : layout.AXIS + 3] = joint.axis  # type: ignore[attr-defined]
    if joint.half_angles is not None:
        floats[layout.TILTS : layout.TILTS + 4] = joint.half_angles
    order = frozen = 0
    for k, one in enumerate(joint.scalars):
        floats[layout.AXIS + 3 * k : layout.AXIS + 3 * k + 3] = one.axis
        if one.frozen:
            frozen |= 1 << k
            floats[layout.LIMITS + 2 * k : layout.LIMITS + 2 * k + 2] = -math.inf, math.inf
    if joint.traits & layout.LETTERS:
        codes = [one.axis.index(1.0) for one in joint.scalars] + [3, 3]
        order = codes[0] + 4 * codes[1] + 16 * codes[2]
    labels = joint.coordinate_labels
    freedoms = joint.freedom_labels
    additive = tuple(
        (k, freedoms.index(label))
        for k, label in enumerate(labels)
        if label is not None and label in freedoms
    )
    quaternion = (labels.index(None), freedoms.index("x")) if None in labels else None
    stretches = joint.stretch is not None
    return _Kind(
        kind=joint.kind,
        coordinates=len(labels),
        freedoms=len(freedoms),
        stretches=stretches,
        order=order,
        frozen=frozen,
        rest=joint.rest_coordinates,
        floats=floats,
        additive=additive,
        quaternion=quaternion,
    )


def pack(
    names: Sequence[str],
    parents: Ints,
    joints: Sequence[Joint],
    offsets: Floats,
    rotations: Floats,
    tip_joint: Ints,
    tip_offset: Floats,
) -> Packed:
    """The arrays of a skeleton whose joints are in topological order."""
    kinds: dict[int, _Kind] = {}
    each: list[_Kind] = []
    for joint in joints:
        kind = kinds.get(id(joint))
        if kind is None:
            kind = kinds[id(joint)] = _describe(joint)
        each.append(kind)
    columns = np.array([k[:6] for k in each], dtype=np.int64)
    kind, nq, nd, stretches, order, frozen = columns.T
    first_q = np.concatenate([[0], np.cumsum(nq)])
    first_d = np.concatenate([[0], np.cumsum(nd)])
    ints = np.full((len(joints), layout.JOINT_INTS), -1, dtype=np.int64)
    ints[:, layout.PARENT] = parents
    ints[:, layout.KIND] = kind
    ints[:, layout.Q] = first_q[:-1]
    ints[:, layout.NQ] = nq
    ints[:, layout.ORDER] = order
    ints[:, layout.FROZEN] = frozen
    ints[:, layout.STRETCH_Q] = np.where(stretches == 1, first_q[1:] - 1, -1)
    ints[:, layout.DOF] = np.where(nd > 0, first_d[:-1], -1)
    ints[:, layout.NDOF] = nd
    ints[:, layout.STRETCH_DOF] = np.where(stretches == 1, first_d[1:] - 1, -1)
    floats = np.array([k.floats for k in each])
    floats[:, layout.REST : layout.REST + 4] = rotations
    floats[:, layout.OFFSET : layout.OFFSET + 3] = offsets
    floats[:, layout.WINDOW] = math.pi
    rest = np.array([x for k in each for x in k.rest], dtype=np.float64)
    _point_cones(names, parents, joints, offsets, tip_joint, tip_offset, floats)
    for j in np.flatnonzero(kind & layout.QUADRANTS).tolist():
        axis = floats[j, layout.AXIS : layout.AXIS + 3]
        floats[j, layout.AXIS + 3 : layout.AXIS + 6] = up_of(
            names[j], getattr(joints[j], "up", None), axis
        )
    _resolve_mimics(names, joints, ints, floats)
    for j in np.flatnonzero(ints[:, layout.MIMIC] >= 0):
        rest[ints[j, layout.Q]] = floats[j, layout.MIMIC_ADD]
    additive = [
        (q + a, d + b)
        for k, q, d in zip(each, first_q.tolist(), first_d.tolist(), strict=False)
        for a, b in k.additive
    ]
    quaternions = [
        (j, q + k.quaternion[0], d + k.quaternion[1])
        for j, (k, q, d) in enumerate(zip(each, first_q.tolist(), first_d.tolist(), strict=False))
        if k.quaternion is not None
    ]
    additive_at, additive_freedom = np.array(additive, dtype=np.int64).reshape(-1, 2).T.copy()
    quaternion_joint, quaternion_at, quaternion_freedom = (
        np.array(quaternions, dtype=np.int64).reshape(-1, 3).T
    )
    return Packed(
        ints=ints,
        floats=floats,
        rest=rest,
        additive_at=additive_at,
        additive_freedom=additive_freedom,
        quaternion_at=quaternion_at[:, None] + np.arange(4),
        quaternion_freedom=quaternion_freedom[:, None] + np.arange(3),
        quaternion_joint=quaternion_joint,
        freedom_count=int(first_d[-1]),
    )


def _point_cones(
    names: Sequence[str],
    parents: Ints,
    joints: Sequence[Joint],
    offsets: Floats,
    tip_joint: Ints,
    tip_offset: Floats,
    floats: Floats,
) -> None:
    """Give every cone without an axis the direction of its only child or tip."""
    wanting = [
        j for j, x in enumerate(joints) if x.has_swing_limits and getattr(x, "axis", None) is None
    ]
    if not wanting:
        return
    links = np.concatenate([parents, tip_joint])
    carried = np.concatenate([offsets, tip_offset])
    inner = links >= 0
    count = np.bincount(links[inner], minlength=len(joints))
    child = np.full(len(joints), -1)
    child[links[inner]] = np.flatnonzero(inner)
    for j in wanting:
        if count[j] != 1:
            has = "no child and no tip" if count[j] == 0 else f"{count[j]} children and tips"
            raise SuppleError(
                f"joint {names[j]!r}: a Cone takes its axis from its only child or tip, "
                f"but this one has {has}; give axis=, as in Cone(swing, axis='x')"
            )
        direction = carried[child[j]]
        size = math.hypot(*direction)
        if size == 0:
            raise SuppleError(
                f"joint {names[j]!r}: a Cone takes its axis from its only child or tip, but that "
                "is at the same place; give axis=, as in Cone(swing, axis='x')"
            )
        floats[j, layout.AXIS : layout.AXIS + 3] = direction / size


def up_of(name: str, given: Vector | None, axis: Floats) -> Floats:
    """The up direction (3,), perpendicular to the axis (3,), of a joint with four half-angles.

    The perpendicular component of the given direction; without one of y, or of z if the axis is near y.
    """
    up = np.array(np.eye(3)[2 if abs(axis[1]) > math.sqrt(0.5) else 1] if given is None else given)
    for _ in range(2):  # once more for rounding, if up is almost along the axis
        up = up - (up @ axis) * axis
        size = float(np.linalg.norm(up))
        if size < 1e-6:
            raise SuppleError(
                f"joint {name!r}: expected an up of its Cone that is not along its axis, "
                f"got {given} and {tuple(axis.tolist())}"
            )
        up /= size
    return up


def _resolve_mimics(
    names: Sequence[str], joints: Sequence[Joint], ints: Ints, floats: Floats
) -> None:
    """Resolve every mimic joint to the source at the end of its chain, and narrow the source's limits."""
    for j, one in followed(names, joints).items():
        ints[j, layout.MIMIC] = one.source
        floats[j, layout.MIMIC_MUL] = one.multiplier
        floats[j, layout.MIMIC_ADD] = one.offset
        limits = slice(layout.LIMITS, layout.LIMITS + 2)
        left = one.range_left(tuple(floats[one.source, limits]), tuple(floats[j, limits]))
        assert left is not None, "unfit limits have been taken away"
        floats[one.source, limits] = left
        if joints[j].kind == joints[one.source].kind == layout.HINGE:
            _widen_window(floats, one.source, one.multiplier)


MOST_TURNS = 12  # longest period after which a joint and its copies repeat [half turns]


def _widen_window(floats: Floats, source: int, multiplier: float) -> None:
    """Widen the window of a joint's open range until a joint that copies it repeats."""
    window = floats[source, layout.WINDOW]
    turns = round(abs(window) / math.pi)
    for more in range(turns, MOST_TURNS + 1, turns):
        if window > 0.0 and abs(more * multiplier - round(more * multiplier)) < 1e-9:
            floats[source, layout.WINDOW] = more * math.pi
            return
    floats[source, layout.WINDOW] = -max(2.0 * math.pi, abs(window))
