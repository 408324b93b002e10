"""The elements of a URDF as plain values: numbers, origins, joints, visuals, materials.

A joint that lacks a part or has a wrong one is an error with its line; a wrong visual or material is left out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supple.apps.formats.source import LARGEST_NUMBER, Source, shown
from supple.apps.formats.xml import children, tag
from supple.errors import SuppleError

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SHAPES = ("box", "cylinder", "sphere", "mesh")
ZERO_VECTOR = (0.0, 0.0, 0.0)
IDENTITY_ROTATION = (1.0, 0.0, 0.0, 0.0)  # wxyz

Vector = tuple[float, ...]


class JointElement(NamedTuple):
    """A joint of the file.

    Attributes:
        name: Its name.
        kind: One of `KINDS`.
        parent: The link that carries it.
        child: The link that it carries.
        position: Position of its frame in the parent's [m].
        rotation: Rotation of its frame in the parent's, wxyz.
        axis: Its axis, of any length.
        lower: Lower limit [rad, m]; None if not given.
        upper: Upper limit [rad, m]; None if not given.
        mimic: The joint that it copies, multiplier and offset; None if it copies none.
        line: Its line in the file.
    """

    name: str
    kind: str
    parent: str
    child: str
    position: Vector
    rotation: Vector
    axis: Vector
    lower: float | None
    upper: float | None
    mimic: tuple[str, float, float] | None
    line: int | None


class Look(NamedTuple):
    """A material: its name, None if it has none, and its color, RGBA from 0 to 1, None if not given."""

    name: str | None
    color: Vector | None


class Visual(NamedTuple):
    """A visual of a link.

    Attributes:
        name: Its name, None if it has none.
        shape: The element of its shape, one of `SHAPES`.
        position: Position of its frame in the link's [m].
        rotation: Rotation of its frame in the link's, wxyz.
        look: Its material, if any.
        line: Its line in the file.
    """

    name: str | None
    shape: Any
    position: Vector
    rotation: Vector
    look: Look | None
    line: int | None


def numbers(
    what: str, text: str | None, count: int, default: Vector, *, most: float = LARGEST_NUMBER
) -> Vector:
    """The numbers of an attribute; the default if it is missing.

    Args:
        what: The attribute, for messages.
        text: Its value.
        count: How many numbers it has.
        default: Its value if it is missing.
        most: Limit of their magnitude.

    Raises:
        SuppleError: It is anything but that many finite numbers.
    """
    if text is None:
        return default
    try:
        found = tuple(map(float, text.split()))
    except ValueError:
        found = ()
    if len(found) != count or not all(abs(one) <= most for one in found):
        many = f"finite numbers, {count} of them" if count > 1 else "a finite number"
        raise SuppleError(f"{what}: expected {many}, got {shown(text)}")
    return found


def needed(element: Any, key: str, count: int = 1) -> Vector:
    """The numbers of a required attribute.

    Raises:
        SuppleError: It is missing, or not that many finite numbers.
    """
    if element.get(key) is None:
        raise SuppleError(f"{key}: expected {count} numbers, got none")
    return numbers(key, element.get(key), count, ())


def first(element: Any, name: str) -> Any:
    """The first element of a name right below one, or None."""
    return next((one for one in element if tag(one) == name), None)


def placed(origin: Any) -> tuple[Vector, Vector]:
    """Position and rotation wxyz of an `origin` element; the identity for None.

    Raises:
        SuppleError: Its attributes are not numbers.
    """
    if origin is None:
        return ZERO_VECTOR, IDENTITY_ROTATION
    xyz = numbers("xyz", origin.get("xyz"), 3, ZERO_VECTOR)
    return xyz, from_rpy(numbers("rpy", origin.get("rpy"), 3, ZERO_VECTOR))


def from_rpy(rpy: Vector) -> Vector:
    """The quaternion wxyz, w >= 0, of rotations about the fixed axes x, y and z, in this order [rad].

    Diebel 2006, "Representing attitude", equation 290. In plain Python: robots have a few hundred of them,
    and arrays of four take longer.
    """
    if not any(rpy):
        return IDENTITY_ROTATION
    r, p, y = (0.5 * angle for angle in rpy)
    cr, sr, cp, sp = math.cos(r), math.sin(r), math.cos(p), math.sin(p)
    cy, sy = math.cos(y), math.sin(y)
    q = (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )
    return q if q[0] >= 0 else tuple(-one for one in q)


def read_joint(source: Source, joint: Any) -> JointElement:
    """The joint of an element.

    Raises:
        SuppleError: It lacks a required part, or its attributes are not numbers; with its line.
    """
    line, name = joint.sourceline, joint.get("name")
    if not name:
        source.error(line, "a joint has no name")
    kind = joint.get("type")
    if kind not in KINDS:
        source.error(
            line, f"joint {shown(name)}: expected a type of {', '.join(KINDS)}, got {shown(kind)}"
        )
    parts: dict[str | None, Any] = {}
    for one in joint:
        parts.setdefault(tag(one), one)
    for part in ("parent", "child"):
        if part not in parts or not parts[part].get("link"):
            source.error(line, f"joint {shown(name)}: expected a {part} link, got none")
    mimic = parts.get("mimic")
    if mimic is not None and not mimic.get("joint"):
        source.error(mimic.sourceline, f"joint {shown(name)}: mimic: expected a joint, got none")

    def of(
        part: str, key: str, count: int, default: Vector, most: float = LARGEST_NUMBER
    ) -> Vector:
        element = parts.get(part)
        if element is None:
            return default
        try:
            return numbers(key, element.get(key), count, default, most=most)
        except SuppleError as error:
            source.error(element.sourceline, f"joint {shown(name)}: {error}")

    def limit(key: str) -> float | None:
        found = of("limit", key, 1, (), most=math.inf)
        if found and math.isinf(found[0]):
            text = shown(parts["limit"].get(key))
            source.error(
                parts["limit"].sourceline,
                f"joint {shown(name)}: {key}: expected a finite number, got {text}",
            )
        return found[0] if found else None

    return JointElement(
        name,
        kind,
        parts["parent"].get("link"),
        parts["child"].get("link"),
        of("origin", "xyz", 3, ZERO_VECTOR),
        from_rpy(of("origin", "rpy", 3, ZERO_VECTOR)),
        of("axis", "xyz", 3, (1.0, 0.0, 0.0)),
        limit("lower"),
        limit("upper"),
        None
        if mimic is None
        else (
            mimic.get("joint"),
            of("mimic", "multiplier", 1, (1.0,))[0],
            of("mimic", "offset", 1, (0.0,))[0],
        ),
        line,
    )


def read_visuals(source: Source, link: Any) -> list[Visual]:
    """The visuals of a link; those that cannot be read are noted and left out."""
    found = []
    for visual in children(link, "visual"):
        geometry = first(visual, "geometry")
        shapes = [] if geometry is None else [one for one in geometry if tag(one) is not None]
        known = [one for one in shapes if tag(one) in SHAPES]
        if shapes and not known:
            what = (
                f"{shown(link.get('name'))} has a shape that is not known, {shown(tag(shapes[0]))}"
            )
            source.warn(f"{what}: left out", line=visual.sourceline)
            continue
        try:
            if not known:
                raise SuppleError("it has no shape")
            position, rotation = placed(first(visual, "origin"))
            material = first(visual, "material")
            look = None if material is None else read_look(material)
        except SuppleError as error:
            what = f"a visual of link {shown(link.get('name'))} is left out"
            source.warn(f"{what}: {error}", line=visual.sourceline)
            continue
        name = visual.get("name")
        found.append(Visual(name, known[0], position, rotation, look, visual.sourceline))
    return found


def read_look(material: Any) -> Look:
    """The material of an element.

    Raises:
        SuppleError: Its color is not four numbers.
    """
    color = first(material, "color")
    rgba = None if color is None else numbers("rgba", color.get("rgba"), 4, (1.0, 1.0, 1.0, 1.0))
    return Look(material.get("name"), rgba)
