"""Read URDF robots.

Every URDF joint becomes a joint of the same name, every link a tip of the link's name on the joint
that carries it; the root link becomes a fixed joint. The XML is untrusted: a document type, and with it
every entity, is refused; malformed XML is an error; meshes are read on request only, and only from the
file's own folder, the ROS package that holds it, or the folder given to `load`.
"""

from __future__ import annotations

import math
from typing import Any

from supple.apps.character.character import Character
from supple.apps.formats.source import Source, distinct, shown
from supple.apps.formats.urdf.elements import SHAPES, JointElement, first, read_joint
from supple.apps.formats.urdf.solids import read_solids
from supple.apps.formats.xml import children, parsed, tag
from supple.errors import SuppleError
from supple.model.joint import in_degrees
from supple.model.joints import Fixed, Free, Hinge, Joint, Mimic, Planar, Slider
from supple.model.mimics import with_fit_limits
from supple.model.skeleton import Node, Skeleton, Tip


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
    """Read a robot that xacro has expanded: text in it that looks like xacro is taken as it is.

    Args:
        source: The text.
        meshes: True to read the visuals of the links as meshes.
    """
    return _read(source, _parsed(source), meshes=meshes)


def _read(source: Source, root: Any, *, meshes: bool) -> Character:
    """Build the character of a parsed file."""
    source.packaged = True
    links = children(root, "link")
    for link in links:
        if not link.get("name"):
            source.error(link.sourceline, "a link has no name")
    joints = [read_joint(source, joint) for joint in children(root, "joint")]
    if not links:
        source.error(None, "the robot has no links")
    _say_unknown_collisions(source, links)
    name = root.get("name")
    if not name:
        name = source.name
        source.warn(f"the robot has no name: called {shown(name)}", line=root.sourceline)
    names = [link.get("name") for link in links]
    carrier, nodes = _nodes(source, names, joints)
    tips = _tips(source, names, carrier, {node.name for node in nodes})
    look: tuple[Any, ...] = ()
    collisions = None
    if meshes:
        from supple.apps.formats.urdf.meshes import collision_reader, read_meshes

        look = read_meshes(source, root, carrier)
        collisions = collision_reader(source)
    physics = read_solids(source, root, carrier, meshes=collisions)
    try:
        nodes, unfit = with_fit_limits(nodes, narrowing=True)
        skeleton = Skeleton(nodes, tips, physics=physics)
    except SuppleError as error:
        source.error(None, str(error))
    lines = {joint.name: joint.line for joint in joints}
    for name_of_copy, why in unfit.items():
        source.warn(why, line=lines.get(name_of_copy))
    source.guess("URDF lengths are metres and z is up, by convention")
    known = set(skeleton.joint_names)
    moving = tuple(one.name for one in joints if one.kind != "fixed" and one.name in known)
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
        found = next((value for value in element.attrib.values() if "${" in value), None)
        if element.prefix == "xacro":
            found = f"xacro:{element.tag.rpartition('}')[2]}"
        elif found is not None and element is not root and not _part_of_robot(element, root):
            continue
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


def _say_unknown_collisions(source: Source, links: list[Any]) -> None:
    """Warn of collision shapes that URDF does not have."""
    unknown: dict[str, list[int]] = {}
    for link in links:
        for collision in children(link, "collision"):
            for geometry in children(collision, "geometry"):
                for one in geometry:
                    if isinstance(one.tag, str) and tag(one) not in SHAPES:
                        unknown.setdefault(one.tag.rpartition("}")[2], []).append(one.sourceline)
    for shape, lines in unknown.items():
        often = f"{len(lines)} collisions have" if len(lines) > 1 else "a collision has"
        source.warn(
            f"{often} the shape {shown(shape)}, which URDF does not have: left out", line=lines[0]
        )


def _missing() -> SuppleError:
    return SuppleError("reading URDF needs lxml: pip install 'supple[robot]'")


def _nodes(
    source: Source, links: list[str], joints: list[JointElement]
) -> tuple[dict[str, str], list[Node]]:
    """The name of the joint that carries each link, and the skeleton's nodes."""
    names = distinct([joint.name for joint in joints], source)
    carrier: dict[str, str] = {}
    for joint, name in zip(joints, names, strict=True):
        if joint.child in carrier:
            source.error(
                joint.line,
                f"link {shown(joint.child)} is the child of two joints; "
                "expected a tree, and loops cannot be read",
            )
        carrier[joint.child] = name
    nodes: list[Node] = []
    taken = set(names)
    for link in links:
        if link not in carrier:
            root = link if link not in taken else f"{link} (root)"
            carrier[link] = root
            taken.add(root)
            nodes.append(Node(root, None, joint=Fixed()))
    for joint, name in zip(joints, names, strict=True):
        if joint.parent not in carrier:
            source.error(joint.line, f"joint {shown(name)}: there is no link {shown(joint.parent)}")
        kind = _joint(source, joint)
        nodes.append(Node(name, carrier[joint.parent], joint.position, kind, joint.rotation))
    return carrier, nodes


def _joint(source: Source, joint: JointElement) -> Joint:
    """The joint for a URDF joint."""
    if joint.kind in ("fixed", "floating"):
        return Fixed() if joint.kind == "fixed" else Free()
    length = math.hypot(*joint.axis)
    if not length > 0:
        source.error(
            joint.line, f"joint {shown(joint.name)}: expected an axis with a direction, got 0 0 0"
        )
    x, y, z = joint.axis
    axis = (x / length, y / length, z / length)
    if joint.kind == "planar":
        return Planar(axis)
    mimic = None if joint.mimic is None else Mimic(*joint.mimic)
    limits = _limits(source, joint) if joint.kind != "continuous" else None
    cls = Slider if joint.kind == "prismatic" else Hinge
    return cls(axis, limits, mimic=mimic)


def _limits(source: Source, joint: JointElement) -> tuple[float, float] | None:
    name = shown(joint.name)
    if joint.lower is None and joint.upper is None:
        source.warn(f"{joint.kind} joint {name} has no limits: taken as free", line=joint.line)
        return None
    low, high = joint.lower or 0.0, joint.upper or 0.0
    if low > high:
        source.warn(
            f"joint {name}: lower limit {low:g} is above upper {high:g}: exchanged",
            line=joint.line,
        )
        low, high = high, low
    if joint.kind == "revolute" and in_degrees((low, high)):
        source.warn(
            f"joint {name}: limits {low:g} to {high:g} look like degrees; URDF has radians: "
            "taken as radians",
            line=joint.line,
        )
    return low, high


def _speeds(source: Source, root: Any) -> dict[str, float]:
    """The greatest speed of each joint that has one [rad/s, m/s]."""
    speeds = {}
    for joint in children(root, "joint"):
        limit = first(joint, "limit")
        if limit is None or limit.get("velocity") is None:
            continue
        value = limit.get("velocity")
        try:
            speed = float(value)
        except ValueError:
            speed = math.nan
        if 0.0 < speed < math.inf:
            speeds[joint.get("name")] = speed
        elif speed != 0.0 and speed != math.inf:  # these mean that there is no limit
            source.warn(
                f"joint {shown(joint.get('name'))}: velocity: expected a number above 0, "
                f"got {shown(value)}: left out",
                line=limit.sourceline,
            )
    return speeds


def _tips(source: Source, links: list[str], carrier: dict[str, str], taken: set[str]) -> list[Tip]:
    """A tip for every link but the root, named after the link."""
    tips = []
    for link in links:
        name = link
        if carrier[link] == link:
            continue  # the root link, which is a joint
        if name in taken:
            name = f"{name} link"
            while name in taken:
                name += "'"
            source.warn(f"a joint is called {shown(link)} too: the link is {name!r}")
        taken.add(name)
        tips.append(Tip(name, carrier[link]))
    return tips
