"""Read URDF robots through yourdfpy.

Every URDF joint becomes a joint of the same name, every link a tip of the link's name on the joint
that carries it; the root link becomes a fixed joint. The XML is untrusted: a document type, and with it
every entity, is refused; malformed XML is an error; meshes are read on request only, and only from the
file's own folder or the one given to `load`.

yourdfpy raises at the first element that it does not know. So it gets a reduced document: joints and
links, and with meshes the visuals that it can parse.
"""

from __future__ import annotations

import io
import logging
import math
from typing import Any

import numpy as np

from supple import rotations
from supple.errors import SuppleError
from supple.formats.source import GREATEST, Source, distinct, shown
from supple.formats.urdf.solids import read_solids
from supple.formats.xml import children, parsed, tag
from supple.model.character import Character
from supple.model.joint import in_degrees
from supple.model.joints import Fixed, Free, Hinge, Joint, Mimic, Planar, Slider
from supple.model.mimics import with_fit_limits
from supple.model.skeleton import Node, Skeleton, Tip

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def read(source: Source, *, meshes: bool = False) -> Character:
    """Read a robot.

    Args:
        source: The file.
        meshes: True to read the visuals of the links as meshes.
    """
    root = _parsed(source)
    _refuse_xacro(source, root)
    return _read(source, root, meshes=meshes)


def read_expanded(source: Source, *, meshes: bool = False) -> Character:
    """Read a robot that xacro has written: what looks like xacro in it is meant so.

    Args:
        source: The text.
        meshes: True to read the visuals of the links as meshes.
    """
    return _read(source, _parsed(source), meshes=meshes)


def _read(source: Source, root: Any, *, meshes: bool) -> Character:
    """Build the character of a parsed file."""
    _check_parts(source, root)
    lines = {joint.get("name"): joint.sourceline for joint in children(root, "joint")}
    robot = _robot(source, _essentials(source, root, meshes=meshes))
    name = root.get("name")
    if not name:
        name = source.name
        source.warn(f"the robot has no name: called {shown(name)}", line=root.sourceline)
    carrier, nodes = _nodes(source, robot, lines)
    tips = _tips(source, robot, carrier, {node.name for node in nodes})
    look: tuple[Any, ...] = ()
    collisions = None
    if meshes:
        from supple.formats.urdf.meshes import collision_reader, read_meshes

        look = read_meshes(source, robot, carrier)
        collisions = collision_reader(source)
    physics = read_solids(source, root, carrier, meshes=collisions)
    try:
        nodes, unfit = with_fit_limits(nodes, narrowing=True)
        skeleton = Skeleton(nodes, tips, physics=physics)
    except SuppleError as error:
        source.error(None, str(error))
    for joint, why in unfit.items():
        source.warn(why, line=lines.get(joint))
    source.guess("URDF lengths are metres and z is up, by custom")
    moving = tuple(
        joint.name
        for joint in robot.joints
        if joint.type != "fixed" and joint.name in skeleton.joint_names
    )
    speeds = {k: v for k, v in _speeds(source, root).items() if k in moving}
    extras = {"urdf": {"name": name, "joints": moving, "max_speed": speeds}}
    return Character(skeleton, look, unit="m", up="z", extras=extras)


def _parsed(source: Source) -> Any:
    """Parse the XML; return its root element."""
    root = parsed(source, what="a URDF", needs=_missing)
    if tag(root) != "robot":
        found = shown(root.tag.rpartition("}")[2])
        source.error(root.sourceline, f"expected the element 'robot', got {found}")
    return root


def _refuse_xacro(source: Source, root: Any) -> None:
    """Refuse xacro that is not expanded: reading it evaluates expressions, which must be asked for."""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        found = None
        if element.prefix == "xacro":
            found = f"xacro:{element.tag.rpartition('}')[2]}"
        elif element is root or _part_of_robot(element, root):
            found = next((value for value in element.attrib.values() if "${" in value), None)
        if found is not None:
            source.error(
                element.sourceline,
                f"expected a URDF, got {shown(found)}: this is xacro that is not expanded; if that is meant, "
                'give the file a name that ends in .xacro, or pass format="xacro"',
            )


def _part_of_robot(element: Any, root: Any) -> bool:
    """True for links and joints and what is in them; other parts hold text of other programs."""
    while element.getparent() is not root:
        element = element.getparent()
    return tag(element) in ("link", "joint")


def _check_parts(source: Source, root: Any) -> None:
    """See that links and joints have what is taken for granted."""
    for link in children(root, "link"):
        if not link.get("name"):
            source.error(link.sourceline, "a link has no name")
    for joint in children(root, "joint"):
        _check(source, joint)


def _first(element: Any, name: str) -> Any:
    """The first element of a name right below one, or None."""
    return next(iter(children(element, name)), None)


def _check(source: Source, joint: Any) -> None:
    """See that a joint has what yourdfpy takes for granted."""
    line, name = joint.sourceline, joint.get("name")
    if not name:
        source.error(line, "a joint has no name")
    kind = joint.get("type")
    if kind not in KINDS:
        source.error(
            line, f"joint {shown(name)}: expected a type of {', '.join(KINDS)}, got {shown(kind)}"
        )
    for part in ("parent", "child"):
        if _first(joint, part) is None or not _first(joint, part).get("link"):
            source.error(line, f"joint {shown(name)}: expected a {part} link, got none")
    mimic = _first(joint, "mimic")
    if mimic is not None and not mimic.get("joint"):
        source.error(mimic.sourceline, f"joint {shown(name)}: mimic: expected a joint, got none")
    for element in children(joint, "origin", "axis", "limit", "mimic"):
        for key in ("xyz", "rpy", "lower", "upper", "multiplier", "offset"):
            value = element.get(key)
            if value is None:
                continue
            try:
                numbers = [float(part) for part in value.split()]
            except ValueError:
                numbers = []
            count = 3 if key in ("xyz", "rpy") else 1
            most = np.finfo(float).max if key in ("lower", "upper") else GREATEST
            if len(numbers) != count or not np.all(np.abs(numbers) <= most):
                source.error(
                    element.sourceline,
                    f"joint {shown(name)}: {key}: expected finite numbers, got {shown(value)}",
                )


SHAPES = ("box", "cylinder", "sphere", "mesh")
PARTS = {  # elements of a joint that are read, and their attributes
    "parent": ("link",),
    "child": ("link",),
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper"),
    "mimic": ("joint", "multiplier", "offset"),
}


def _essentials(source: Source, root: Any, *, meshes: bool) -> bytes:
    """The reduced XML for yourdfpy: only what is read."""
    from lxml import etree  # type: ignore[attr-defined]

    robot = etree.Element("robot", name="robot")  # a name that yourdfpy accepts
    for link in children(root, "link"):
        made = etree.SubElement(robot, "link", name=link.get("name"))
        if meshes:
            made.extend(_visuals(source, link))
    for joint in children(root, "joint"):
        made = etree.SubElement(robot, "joint", name=joint.get("name"), type=joint.get("type"))
        for part, keys in PARTS.items():
            element = _first(joint, part)
            if element is not None:
                given = {key: element.get(key) for key in keys if element.get(key) is not None}
                etree.SubElement(made, part, given)
    if meshes:
        materials = [_plain(one) for one in children(root, "material")]
        robot.extend(one for one in materials if _loads(one, in_link=False) is None)
    _say_unknown_collisions(source, root)
    return etree.tostring(robot)


def _say_unknown_collisions(source: Source, root: Any) -> None:
    """Warn of collision shapes that URDF does not have."""
    unknown: dict[str, list[int]] = {}
    for link in children(root, "link"):
        for collision in children(link, "collision"):
            for geometry in children(collision, "geometry"):
                for one in geometry:
                    if isinstance(one.tag, str) and tag(one) not in SHAPES:
                        unknown.setdefault(one.tag.rpartition("}")[2], []).append(one.sourceline)
    for shape, lines in unknown.items():
        often = f"{len(lines)} collisions have" if len(lines) > 1 else "a collision has"
        source.warn(
            f"{often} the shape {shown(shape)}, which URDF has not: left out", line=lines[0]
        )


def _visuals(source: Source, link: Any) -> list[Any]:
    """The visuals of a link that yourdfpy can parse; the others are noted."""
    found = []
    for visual in children(link, "visual"):
        made = _plain(visual)
        geometry = made.find("geometry")
        shapes = [] if geometry is None else [one for one in geometry if one.tag in SHAPES]
        if geometry is not None and shapes:
            geometry[:] = shapes[:1]
        elif geometry is not None and len(geometry):
            what = (
                f"{shown(link.get('name'))} has a shape that is not known, {shown(geometry[0].tag)}"
            )
            source.warn(f"{what}: left out", line=visual.sourceline)
            continue
        wrong = _loads(made, in_link=True) if shapes else "it has no shape"
        if wrong is None:
            found.append(made)
        else:
            what = f"a visual of link {shown(link.get('name'))} is left out"
            source.warn(f"{what}: {wrong}", line=visual.sourceline)
    return found


def _plain(element: Any) -> Any:
    """A copy of an element without namespaces, comments and prefixed elements."""
    from lxml import etree  # type: ignore[attr-defined]

    made = etree.Element(tag(element), {k: v for k, v in element.attrib.items() if "}" not in k})
    made.extend(_plain(one) for one in element if tag(one) is not None)
    return made


def _loads(element: Any, *, in_link: bool) -> str | None:
    """Why yourdfpy cannot parse a visual or a material; None if it can."""
    from lxml import etree  # type: ignore[attr-defined]

    robot = etree.Element("robot", name="robot")
    home = etree.SubElement(robot, "link", name="link") if in_link else robot
    home.append(_plain(element))
    try:
        _model(etree.tostring(robot))
    except Exception as error:  # yourdfpy raises many kinds for bad files
        return f"{type(error).__name__}: {error}"
    return None


def _robot(source: Source, data: bytes) -> Any:
    """Parse the reduced XML with yourdfpy, which opens no other file."""
    try:
        robot = _model(data)
    except ImportError:
        raise _missing() from None
    except Exception as error:  # as above
        source.error(None, f"not a robot that can be read: {type(error).__name__}: {error}")
    if not robot.links:
        source.error(None, "the robot has no links")
    return robot


def _model(data: bytes) -> Any:
    import yourdfpy

    logger = logging.getLogger("yourdfpy")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        # Numbers of visuals may overflow; non-finite ones are refused where they are used.
        with np.errstate(all="ignore"):
            model = yourdfpy.URDF.load(
                io.BytesIO(data),
                load_meshes=False,
                build_scene_graph=False,
                filename_handler=lambda name: "",
            )
    finally:
        logger.setLevel(level)
    return model.robot


def _missing() -> SuppleError:
    return SuppleError("reading URDF needs yourdfpy: pip install 'supple[robot]'")


def _nodes(source: Source, robot: Any, lines: dict[str, int]) -> tuple[dict[str, str], list[Node]]:
    """The name of the joint that carries each link, and the skeleton's nodes."""
    names = distinct([joint.name for joint in robot.joints], source)
    carrier: dict[str, str] = {}
    for joint, name in zip(robot.joints, names, strict=True):
        if joint.child in carrier:
            source.error(
                lines.get(joint.name),
                f"link {shown(joint.child)} is the child of two joints; "
                "expected a tree, and loops cannot be read",
            )
        carrier[joint.child] = name
    nodes: list[Node] = []
    taken = set(names)
    for link in robot.links:
        if link.name not in carrier:
            root = link.name if link.name not in taken else f"{link.name} (root)"
            carrier[link.name] = root
            taken.add(root)
            nodes.append(Node(root, None, joint=Fixed()))
    for joint, name in zip(robot.joints, names, strict=True):
        line = lines.get(joint.name)
        if joint.parent not in carrier:
            source.error(line, f"joint {shown(name)}: there is no link {shown(joint.parent)}")
        T = np.eye(4) if joint.origin is None else np.asarray(joint.origin, float)
        turn = rotations.from_matrix(T[:3, :3])
        kind = _joint(source, joint, line)
        nodes.append(Node(name, carrier[joint.parent], tuple(T[:3, 3]), kind, tuple(turn)))
    return carrier, nodes


def _joint(source: Source, joint: Any, line: int | None) -> Joint:
    """The joint for a URDF joint."""
    axis = np.asarray(joint.axis if joint.axis is not None else (1.0, 0.0, 0.0), float)
    name, kind = joint.name, joint.type
    if kind in ("fixed", "floating"):
        return Fixed() if kind == "fixed" else Free()
    if not np.linalg.norm(axis) > 0:
        source.error(line, f"joint {shown(name)}: expected an axis with a direction, got 0 0 0")
    axis = tuple(axis / np.linalg.norm(axis))
    if kind == "planar":
        return Planar(axis)
    mimic = None
    if joint.mimic is not None:
        factor, offset = joint.mimic.multiplier, joint.mimic.offset
        mimic = Mimic(
            joint.mimic.joint,
            1.0 if factor is None else float(factor),
            0.0 if offset is None else float(offset),
        )
    limits = _limits(source, joint, line) if kind != "continuous" else None
    cls = Slider if kind == "prismatic" else Hinge
    return cls(axis, limits, mimic=mimic)


def _limits(source: Source, joint: Any, line: int | None) -> tuple[float, float] | None:
    name, limit = joint.name, joint.limit
    if limit is None or (limit.lower is None and limit.upper is None):
        source.warn(f"{joint.type} joint {shown(name)} has no limits: taken as free", line=line)
        return None
    low = 0.0 if limit.lower is None else float(limit.lower)
    high = 0.0 if limit.upper is None else float(limit.upper)
    if low > high:
        source.warn(
            f"joint {shown(name)}: lower limit {low:g} is above upper {high:g}: exchanged",
            line=line,
        )
        low, high = high, low
    if joint.type == "revolute" and in_degrees((low, high)):
        source.warn(
            f"joint {shown(name)}: limits {low:g} to {high:g} look like degrees; URDF has radians: "
            "taken as radians",
            line=line,
        )
    return low, high


def _speeds(source: Source, root: Any) -> dict[str, float]:
    """The greatest speed of each joint that has one [rad/s, m/s]."""
    speeds = {}
    for joint in children(root, "joint"):
        limit = _first(joint, "limit")
        if limit is None or limit.get("velocity") is None:
            continue
        value = limit.get("velocity")
        try:
            speed = float(value)
        except ValueError:
            speed = math.nan
        if 0.0 < speed < math.inf:
            speeds[joint.get("name")] = speed
        elif speed != 0.0 and speed != math.inf:  # which say that there is none
            source.warn(
                f"joint {shown(joint.get('name'))}: velocity: expected a number above 0, "
                f"got {shown(value)}: left out",
                line=limit.sourceline,
            )
    return speeds


def _tips(source: Source, robot: Any, carrier: dict[str, str], taken: set[str]) -> list[Tip]:
    """A tip for every link but the root, named after the link."""
    tips = []
    for link in robot.links:
        name = link.name
        if carrier[name] == name:
            continue  # the root link, which is a joint
        if name in taken:
            name = f"{name} link"
            while name in taken:
                name += "'"
            source.warn(f"a joint is called {shown(link.name)} too: the link is {name!r}")
        taken.add(name)
        tips.append(Tip(name, carrier[link.name]))
    return tips
