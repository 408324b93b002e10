"""The error for a pose of another skeleton than expected: how the two differ, in words."""

import numpy as np

from supple.errors import SuppleError
from supple.model.structure import Structure


def another(what: str, skeleton: Structure, given: Structure, *, expected: str = "") -> SuppleError:
    """The error that a pose is of another skeleton: how they differ, and what to do.

    Args:
        what: Name of the pose for errors, such as "start".
        skeleton: The expected skeleton.
        given: The skeleton of the pose.
        expected: What was expected, if it is not just a pose of the skeleton.
    """
    count = f"{len(given)} joint{'s' * (len(given) != 1)}"
    related = any(name in skeleton.joint_names for name in given.joint_names)
    hint = "; pose.on(skeleton) takes a pose over, joints matched by name" if related else ""
    return SuppleError(
        f"{what}: expected {expected or f'a pose of {skeleton}'}, got one of a skeleton of {count} "
        f"{_difference(skeleton, given)}{hint}"
    )


def _difference(skeleton: Structure, given: Structure) -> str:
    """The first difference of a skeleton from the expected one: names, parents, joints, offsets, rotations."""
    for what, here, there in (
        ("joint", skeleton.joint_names, given.joint_names),
        ("tip", skeleton.tip_names, given.tip_names),
    ):
        lacking = [name for name in here if name not in there]
        if lacking:
            return f"that has no {what} {_some(lacking)}"
        besides = [name for name in there if name not in here]
        if besides:
            return f"that has the {what} {_some(besides)} besides"
    if skeleton.names != given.names:
        return "in which the same joints and tips come in another order"
    for what, parts, others in (
        ("joint", skeleton.nodes, given.nodes),
        ("tip", skeleton.tips, given.tips),
    ):
        by_name = {other.name: other for other in others}
        different = [
            (part.name, field, getattr(by_name[part.name], field), getattr(part, field))
            for part in parts
            for field in part._fields
            if not np.array_equal(getattr(by_name[part.name], field), getattr(part, field))
        ]
        if different:
            name, field, one, other = different[0]
            names = {first for first, *_ in different}
            more = f" (and {len(names) - 1} more differ)" if len(names) > 1 else ""
            if what == "joint" and field == "joint":
                return f"whose joint {name!r} is {one!r}, not {other!r}{more}"
            shown = (_plain(one), _plain(other))
            return f"whose {what} {name!r} has the {field} {shown[0]}, not {shown[1]}{more}"
    return "that differs in its order"


def _some(names: list[str]) -> str:
    """A name, and how many more there are."""
    return repr(names[0]) + (f" (and {len(names) - 1} more)" if len(names) > 1 else "")


def _plain(value: object) -> str:
    """A field of a part of a skeleton in words."""
    if isinstance(value, tuple):
        return f"({', '.join(f'{x:g}' for x in value)})"
    return repr(value)
