"""URDF robots, read through yourdfpy.

Every URDF joint becomes a joint of the same name, every link a tip of the link's name on the joint
that carries it; the root link is a fixed joint. The XML comes from strangers: a document type, and
with it every entity, is refused; broken XML is an error, not something to be guessed at; meshes are
read on request only, and only from the file's own folder or the one that `load` is given.
"""

from __future__ import annotations

import io
import logging
import re
from typing import Any

import numpy as np

from supple import rotations
from supple.character import Character
from supple.errors import SuppleError
from supple.formats.reading import GREATEST, Source, distinct, shown
from supple.joint import in_degrees
from supple.joints import Fixed, Free, Hinge, Joint, Mimic, Planar, Slider
from supple.skeleton import Node, Skeleton, Tip

LARGEST = 64 << 20  # bytes of a file [B]
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def read(source: Source, *, meshes: bool = False) -> Character:
    """Read a robot.

    Args:
        source: The file.
        meshes: Whether to read what the links look like, too.
    """
    root = _parsed(source)
    lines = {joint.get("name"): joint.sourceline for joint in root.iter("joint")}
    robot = _robot(source)
    carrier, nodes = _nodes(source, robot, lines)
    tips = _tips(source, robot, carrier, {node.name for node in nodes})
    try:
        skeleton = Skeleton(nodes, tips)
    except SuppleError as error:
        source.error(None, str(error))
    look: tuple[Any, ...] = ()
    if meshes:
        from supple.formats.urdf_meshes import read_meshes

        look = read_meshes(source, robot, carrier)
    source.guess("URDF lengths are metres and z is up, by custom")
    moving = tuple(
        joint.name
        for joint in robot.joints
        if joint.type != "fixed" and joint.name in skeleton.joint_names
    )
    extras = {"urdf": {"name": robot.name, "joints": moving}}
    return Character(skeleton, look, unit="m", up="z", extras=extras)


def _parsed(source: Source) -> Any:
    """The XML's root, if it is well-formed, declares nothing and is a robot."""
    if len(source.data) > LARGEST:
        source.error(
            None, f"expected a URDF of at most {LARGEST >> 20} MB, got {len(source.data) >> 20}"
        )
    try:
        from lxml import etree  # type: ignore[attr-defined]
    except ImportError:
        raise _missing() from None
    head = source.data.replace(b"\0", b"")  # as in UTF-16
    declared = re.search(rb"<!\s*(DOCTYPE|ENTITY)", head, re.IGNORECASE)
    if declared:
        line = 1 + head.count(b"\n", 0, declared.start())
        source.error(line, "a document type is not taken: it could define entities")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(source.data, parser)
    except etree.XMLSyntaxError as error:
        source.error(error.lineno, f"not well-formed XML: {error.msg}")
    if root.tag != "robot":
        found = shown(etree.QName(root).localname)
        source.error(root.sourceline, f"expected the element 'robot', got {found}")
    for joint in root.iter("joint"):
        if joint.getparent() is root:
            _check(source, joint)
    return root


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
        if joint.find(part) is None or not joint.find(part).get("link"):
            source.error(line, f"joint {shown(name)}: expected a {part} link, got none")
    for element in joint:
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


def _robot(source: Source) -> Any:
    """What yourdfpy makes of the file, with nothing else opened."""
    try:
        import yourdfpy
    except ImportError:
        raise _missing() from None
    logger = logging.getLogger("yourdfpy")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        # Numbers of visuals may be anything; what is not finite is refused where it is used.
        with np.errstate(all="ignore"):
            model = yourdfpy.URDF.load(
                io.BytesIO(source.data),
                load_meshes=False,
                build_scene_graph=False,
                filename_handler=lambda name: "",
            )
    except Exception as error:  # whatever a stranger's file makes of somebody else's parser
        source.error(None, f"not a robot that can be read: {type(error).__name__}: {error}")
    finally:
        logger.setLevel(level)
    if not model.robot.links:
        source.error(None, "the robot has no links")
    return model.robot


def _missing() -> SuppleError:
    return SuppleError("reading URDF needs yourdfpy: pip install 'supple[robot]'")


def _nodes(source: Source, robot: Any, lines: dict[str, int]) -> tuple[dict[str, str], list[Node]]:
    """The joint that carries each link, and the skeleton's nodes."""
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
    """How a URDF joint moves."""
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


def _tips(source: Source, robot: Any, carrier: dict[str, str], taken: set[str]) -> list[Tip]:
    """A tip for every link that a joint carries, called as the link."""
    tips = []
    for link in robot.links:
        name = link.name
        if carrier[name] == name:
            continue  # the root, which is there already
        if name in taken:
            name = f"{name} link"
            while name in taken:
                name += "'"
            source.warn(f"a joint is called {shown(link.name)} too: the link is {name!r}")
        taken.add(name)
        tips.append(Tip(name, carrier[link.name]))
    return tips
