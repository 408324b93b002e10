"""The parts of a skeleton: joints with their offsets and rest rotations, and tips on them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SuppleError, array, brief, listed
from supple.model.joints import Ball, Joint
from supple.rotations import IDENTITY_WXYZ, unit_quaternions

ORIGIN = (0.0, 0.0, 0.0)


class Node(NamedTuple):
    """A joint with its parent and its offset and rotation at rest.

    Args:
        name: Unique among joints and tips.
        parent: The name of its parent; None for a root.
        offset: Its origin in the parent's frame, xyz in the model's unit.
        joint: How it moves.
        rotation: Its rest rotation in the parent's frame, wxyz.
    """

    name: str
    parent: str | None = None
    offset: ArrayLike = ORIGIN
    joint: Joint = Ball()
    rotation: ArrayLike = IDENTITY_WXYZ


class Tip(NamedTuple):
    """A named frame on a joint: a fingertip, a tool, the end of a bone.

    Args:
        name: Unique among joints and tips.
        joint: The name of the joint that carries it.
        offset: Its origin in the joint's frame, xyz in the model's unit.
        rotation: Its rotation in the joint's frame, wxyz.
    """

    name: str
    joint: str
    offset: ArrayLike = ORIGIN
    rotation: ArrayLike = IDENTITY_WXYZ


Record = TypeVar("Record", Node, Tip)


def to_json(part: Node | Tip) -> dict[str, Any]:
    """A plain dictionary."""
    data = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in part._asdict().items()
    }
    return {
        key: value.to_json() if isinstance(value, Joint) else value for key, value in data.items()
    }


def from_json(kind: type[Record], data: Mapping[str, Any]) -> Record:
    """The part that `to_json` described."""
    try:
        values = {key: data[key] for key in kind._fields}
    except (KeyError, TypeError):
        fields = ", ".join(kind._fields)
        raise SuppleError(f"skeleton from JSON: expected {fields}, got {brief(data)}") from None
    if kind is Node:
        values["joint"] = Joint.from_json(values["joint"])
    return kind(**values)


def record(kind: type[Record], given: Any) -> Record:
    """A Node or Tip from itself or from a plain tuple of its fields."""
    if isinstance(given, kind):
        return given
    try:
        if isinstance(given, str):
            raise TypeError
        return kind(*given)
    except TypeError:
        fields = ", ".join(kind._fields)
        raise SuppleError(
            f"skeleton: expected {kind.__name__}({fields}) or a tuple of these, got {brief(given)}"
        ) from None


def read_nodes(given: Any) -> list[Node]:
    """Nodes, at least one, from themselves or from plain tuples."""
    nodes = [record(Node, one) for one in listed("nodes", given, "a list such as [Node('hip')]")]
    if not nodes:
        raise SuppleError("skeleton: expected at least one joint, got none")
    for node in nodes:
        if not isinstance(node.joint, Joint):
            raise SuppleError(
                f"joint {node.name!r}: expected a joint such as Ball() or Hinge('z'), "
                f"got {brief(node.joint)}"
            )
    return nodes


def read_tips(given: Any) -> list[Tip]:
    """Tips from themselves or from plain tuples."""
    return [
        record(Tip, one) for one in listed("tips", given, "a list such as [Tip('toe', 'foot')]")
    ]


def placements(
    what: str, records: Sequence[Node] | Sequence[Tip]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Offsets (K, 3) and unit rotations (K, 4), without -0.0, so that equal values have equal bits."""
    if not records:
        return np.zeros((0, 3)), np.zeros((0, 4))
    try:
        offsets = array("offsets", [r.offset for r in records], (None, 3)) + 0.0
        rotations = array("rotations", [r.rotation for r in records], (None, 4))
    except SuppleError:
        for r in records:  # to name the part
            array(f"offset of {what} {r.name!r}", r.offset, (3,))
            array(f"rotation of {what} {r.name!r}", r.rotation, (4,))
        raise
    names = [r.name for r in records]
    return offsets, unit_quaternions("rotation", rotations, names)
