"""The free root of a model: the joints that place it in the world.

A free root is the run of topmost joints at one point that slide without limits along two or three
perpendicular directions, with the unlimited rotations that follow them. A `Free` or a `Planar` is one; so
are the two sliders and the hinge of a robot on wheels, and the slides and hinges that some MJCF files use
instead of a free joint. A single slider, or one with limits, is an axis of a machine, not a free root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from supple.kernels import layout
from supple.model.joint import Joint
from supple.model.packing import Packed
from supple.rotations import multiply, rotate

# Largest cosine of the angle between two directions that count as perpendicular.
PERPENDICULAR_COSINE = 1e-9
# Rotations that place a body, by the number of directions along which it slides.
ROTATIONS = {2: 1, 3: 3}


class FreeRoot(NamedTuple):
    """The free root of one tree of a skeleton.

    Attributes:
        joints: Skeleton indices of its joints, from the top.
        slides: Indices of its slides in a pose's coordinates. Their directions are perpendicular, so that the norm
            of their change is the distance that the root has moved.
    """

    joints: tuple[int, ...]
    slides: tuple[int, ...]


def free_roots(joints: Sequence[Joint], packed: Packed) -> tuple[FreeRoot, ...]:
    """The free roots of a skeleton, in the order of its joints; trees without one are left out.

    Args:
        joints: The joints in topological order.
        packed: The skeleton.
    """
    parents = packed.ints[:, layout.PARENT].tolist()
    moves = (packed.ints[:, layout.NQ] > 0).tolist()
    carried: list[bool] = []  # by a joint that moves
    for parent in parents:
        carried.append(parent >= 0 and (carried[parent] or moves[parent]))
    tops = (j for j in range(len(parents)) if moves[j] and not carried[j])
    return tuple(root for top in tops if (root := _root_from(joints, packed, top)) is not None)


def _root_from(joints: Sequence[Joint], packed: Packed, top: int) -> FreeRoot | None:
    """The free root that begins with a joint without a parent; None if that is no free root."""
    found: list[int] = []
    slides: list[int] = []
    directions: list[np.ndarray] = []  # unit, in the frame of the top joint's parent
    turns = 0
    frame = np.array((1.0, 0.0, 0.0, 0.0))
    for j in _only_children(packed, top):
        joint, floats = joints[j], packed.floats[j]
        apart = np.any(floats[layout.OFFSET : layout.OFFSET + 3])
        if not _is_open(joint) or (found and apart):
            break
        frame = multiply(frame, floats[layout.REST : layout.REST + 4])
        own = [rotate(frame, np.array(one.axis)) for one in joint.scalars if one.slides]
        if own and (
            turns or any(abs(a @ b) > PERPENDICULAR_COSINE for a in own for b in directions)
        ):
            break
        turning = 3 if joint.has_quaternion else len(joint.scalars) - len(own)
        if turns + turning > ROTATIONS.get(len(directions) + len(own), 0):
            break
        first = int(packed.ints[j, layout.Q])
        slides += range(first, first + len(own))
        directions += own
        turns += turning
        found.append(j)
    return FreeRoot(tuple(found), tuple(slides)) if len(directions) in ROTATIONS else None


def _only_children(packed: Packed, top: int) -> Iterator[int]:
    """A joint, its only child, and so on, down to a joint with no or several children."""
    below = [top]
    while len(below) == 1:
        yield below[0]
        below = np.flatnonzero(packed.ints[:, layout.PARENT] == below[0]).tolist()


def _is_open(joint: Joint) -> bool:
    """True if a joint moves by itself and has no limits; a stretch is ignored."""
    limited = joint.has_swing_limits or any(
        one.frozen or one.limits is not None for one in joint.scalars
    )
    moves = joint.has_quaternion or bool(joint.scalars)
    return moves and joint.mimic is None and not limited
