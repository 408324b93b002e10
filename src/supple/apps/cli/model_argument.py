"""Parse the MODEL argument (a chain or a file) and the options --joint and --limits.

Angles on the command line are in degrees; everywhere else they are in radians.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from supple.apps.character.character import Character
from supple.apps.formats import foreign, load
from supple.apps.formats.registry import readable_extensions
from supple.apps.formats.xacro.arguments import reader_options
from supple.errors import SuppleError, one_of
from supple.files import read_json
from supple.model.joints import Axes, Ball, Cone, Fixed, Free, Hinge, Joint, Planar, Slider
from supple.model.mismatch import another
from supple.model.skeleton import Pose, Skeleton, chain
from supple.solve.solution import Solution
from supple.texts import number

EXPECTED = (
    "expected chain:LENGTHS, such as chain:9,9,9,9,4, a character file "
    "(.bvh, .smd, .glb, .gltf, .character, .urdf, .xacro, .xml), or a .json file of Skeleton.to_json"
)
MOST_LINKS = 100_000  # of LENGTHxCOUNT; not tuned
PAIR = tuple[float | None, float | None]
T = TypeVar("T")


def read_character(
    text: str,
    *,
    joints: Sequence[str] = (),
    limits: Sequence[str] = (),
    folder: Path | None = None,
    xacro_arguments: Sequence[str] = (),
) -> Character:
    """The character of MODEL, --joint, --limits, --folder and --arg; a chain has no meshes."""
    scheme, colon, rest = text.partition(":")
    suffix = Path(text).suffix.lower()
    if scheme == "chain" and colon:
        character = Character(_chain(rest))
    elif suffix == ".json":
        character = Character(_from_file(Path(text)))
    elif os.path.isfile(text) or suffix in readable_extensions():
        character = load(text, folder=folder, **reader_options(text, xacro_arguments))
    elif colon and re.fullmatch(r"\w{2,}", scheme):
        one_of("kind of model", scheme, ("chain",))
        raise AssertionError  # one_of has raised
    elif suffix and (found := foreign.recognized(suffix)) is not None:
        raise SuppleError(f"{text}: {found.advice}; {EXPECTED}")
    elif suffix:
        raise SuppleError(f"{text}: cannot read {suffix!r} files; {EXPECTED}")
    else:
        raise SuppleError(f"model {text!r}: {EXPECTED}")
    skeleton = character.skeleton
    for change in joints:
        skeleton = _with_joint(skeleton, change)
    for change in [one for group in limits for one in group.split(",")]:
        skeleton = _with_limits(skeleton, change)
    if skeleton == character.skeleton:
        return character
    motions = {name: motion.on(skeleton) for name, motion in character.motions.items()}
    poses = {name: pose.on(skeleton) for name, pose in character.poses.items()}
    pose = character.pose.on(skeleton)
    return character.with_(skeleton=skeleton, motions=motions, pose=pose, poses=poses)


def _chain(text: str) -> Skeleton:
    """Parse a chain: "9,9,9,9,4", "9x4,4" or "1,1@hinge:z"."""
    lengths: list[float] = []
    sizes, at, spec = text.partition("@")
    for part in sizes.split(","):
        size, times, count = part.partition("x")
        if times and not (count.isdecimal() and 0 < int(count) <= MOST_LINKS):
            raise SuppleError(
                f"chain: expected LENGTHxCOUNT with a count from 1 to {MOST_LINKS}, got {part!r}"
            )
        lengths += [number("chain length", size)] * (int(count) if times else 1)
    return chain(lengths, joint=read_joint(spec) if at else Ball())


def _from_file(path: Path) -> Skeleton:
    """Read a skeleton from a JSON file of a skeleton, pose, solution or trace."""
    data: Any = read_json(path)
    kind = data.get("format") if isinstance(data, Mapping) else None
    if kind in ("supple-pose", "supple-solution", "supple-trace"):
        held: Any = data.get("skeleton")
        return _understood(path, lambda: Skeleton.from_json(held))
    return _understood(path, lambda: Skeleton.from_json(data))


def read_start(text: str, character: Character) -> Pose:
    """A pose of a character by its name, or from a pose or solution file."""
    path, skeleton = Path(text), character.skeleton
    if text in character.poses:
        return character.poses[text]
    if character.poses and not path.suffix and not os.path.exists(path):
        one_of("pose to start from", text, tuple(character.poses))
    data = read_json(path)

    def read() -> Pose:
        if isinstance(data, Mapping) and data.get("format") == "supple-solution":
            pose = Solution.from_json(data).pose
        else:
            pose = Pose.from_json(data, skeleton)
        if pose.skeleton != skeleton:
            raise another("start", skeleton, pose.skeleton)
        if pose.batch_shape:
            raise SuppleError(f"expected a single pose, got a batch of shape {pose.batch_shape}")
        return pose

    return _understood(path, read)


def _understood(path: Path, read: Callable[[], T]) -> T:
    """Call `read`, and put the path in front of its errors."""
    try:
        return read()
    except SuppleError as error:
        raise SuppleError(f"{path}: {error}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise SuppleError(f"{path}: malformed: {error}") from error


# Joints -------------------------------------------------------------------------------------------


def read_joint(text: str) -> Joint:
    """Parse a joint: "ball", "hinge:z:-150:150", "cone:120", "cone:20,90,40,60", "axes:xyz:90", "slider:x:0:2"."""
    kind, *parts = text.split(":")
    one_of("joint", kind, tuple(_KINDS))
    return _KINDS[kind](parts)


def _bare(cls: type[Joint]) -> Callable[[list[str]], Joint]:
    def read(parts: list[str]) -> Joint:
        if parts:
            raise SuppleError(f"joint {cls.__name__.lower()}: takes nothing more, got {parts[0]!r}")
        return cls()

    return read


def _with_axis(cls: Any, default: str) -> Callable[[list[str]], Joint]:
    def read(parts: list[str]) -> Joint:
        axis, rest = _axis(parts, default)
        if rest:
            name = cls.__name__.lower()
            raise SuppleError(f"joint {name}: takes its axis and nothing more, got {rest[0]!r}")
        return cls(axis)

    return read


def _hinge(parts: list[str]) -> Joint:
    axis, rest = _axis(parts, "z")
    return Hinge(axis, _pair("hinge", rest) if rest else None)


def _slider(parts: list[str]) -> Joint:
    axis, rest = _axis(parts, "x")
    return Slider(axis, _pair("slider", rest, unit=1.0) if rest else None)


def _cone(parts: list[str]) -> Joint:
    if not parts:
        raise SuppleError("joint cone: expected its greatest bend in degrees, such as cone:60")
    swing = _swing("cone", parts[0])
    return Cone(swing, _pair("cone twist", parts[1:])) if len(parts) > 1 else Cone(swing)


def _axes(parts: list[str]) -> Joint:
    order, *rest = parts or ["xyz"]
    if len(rest) == 2 * len(order) > 2:
        limits = [_pair("axes", rest[2 * k : 2 * k + 2]) for k in range(len(order))]
    else:
        limits = [_pair("axes", rest)] * len(order) if rest else None
    return Axes(order, limits)


_KINDS: dict[str, Callable[[list[str]], Joint]] = {
    "ball": _bare(Ball),
    "hinge": _hinge,
    "cone": _cone,
    "axes": _axes,
    "slider": _slider,
    "planar": _with_axis(Planar, "z"),
    "free": _bare(Free),
    "fixed": _bare(Fixed),
}


def _axis(parts: list[str], default: str) -> tuple[Any, list[str]]:
    """The axis, if the first part is one, and the remaining parts."""
    if parts and re.fullmatch(r"[+-]?[xyzXYZ]", parts[0]):
        return parts[0].lower().removeprefix("+"), parts[1:]
    if parts and "," in parts[0]:
        return tuple(number("axis", part) for part in parts[0].split(",")), parts[1:]
    return default, parts


def _pair(what: str, parts: Sequence[str], *, unit: float = math.pi / 180) -> PAIR:
    """Parse limits: one number for both sides, or lower and upper, "" for open."""
    if len(parts) == 1:
        reach = number(f"{what} limit", parts[0]) * unit
        if reach < 0:
            raise SuppleError(f"{what} limit: expected 0 or more, or LO:HI, got {parts[0]}")
        return (-reach, reach)
    if len(parts) != 2:
        given = ":".join(parts)
        raise SuppleError(f"{what} limits: expected one number or LO:HI, got {given!r}")
    low, high = (number(f"{what} limit", part) * unit if part else None for part in parts)
    return (low, high)


def _swing(what: str, text: str) -> float | tuple[float, ...]:
    """Parse how far a cone bends, in degrees: one angle, or four with commas."""
    parts = text.split(",")
    if len(parts) not in (1, 4):
        raise SuppleError(
            f"{what} bend: expected one angle, or four, DOWN,UP,LEFT,RIGHT, got {text!r}"
        )
    found = tuple(_bend(what, part) for part in parts)
    return found if len(found) == 4 else found[0]


def _bend(what: str, text: str) -> float:
    degrees = number(f"{what} bend", text)
    if not 0 <= degrees <= 180:
        raise SuppleError(f"{what} bend: expected 0 to 180 degrees, got {text}")
    return math.radians(degrees)


# Changes ------------------------------------------------------------------------------------------


def _chosen(skeleton: Skeleton, text: str, what: str) -> tuple[Iterable[str], str, bool]:
    """The joints of "[NAME=]VALUE", its value, and True if it has a name."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return skeleton.joint_names, value, False
    one_of(f"joint of {what}", name, skeleton.joint_names)
    return (name,), value, True


def _with_joint(skeleton: Skeleton, text: str) -> Skeleton:
    names, value, _ = _chosen(skeleton, text, "--joint")
    joint = read_joint(value)
    return skeleton.with_joints(dict.fromkeys(names, joint))


def _with_limits(skeleton: Skeleton, text: str) -> Skeleton:
    names, value, by_name = _chosen(skeleton, text, "--limits")
    changed: dict[str, Joint] = {}
    for name in names:
        joint = skeleton.joints[skeleton.index(name)]
        limited = _limited(joint, value.split(":"))
        if limited is not None:
            changed[name] = limited
        elif by_name:
            kind = type(joint).__name__.lower()
            raise SuppleError(f"--limits {text}: {name!r} is a {kind} joint, which has none")
    return skeleton.with_joints(changed)


def _limited(joint: Joint, parts: Sequence[str]) -> Joint | None:
    """The joint with limits; a ball becomes a cone. None if its kind has no angular limits."""
    if joint.has_quaternion and not joint.scalars:
        if len(parts) != 1:
            raise SuppleError(
                "--limits: a ball or cone takes one angle, its greatest bend in degrees, or four with commas, "
                f"got {':'.join(parts)!r}"
            )
        swing = _swing("--limits", parts[0])
        if isinstance(joint, Cone):
            return replace(joint, swing=swing)
        return Cone(swing, damping=joint.damping, stiffness=joint.stiffness, stretch=joint.stretch)
    if joint.scalars and not joint.slide_count:
        return joint.with_limits([_pair("--limits", parts)] * len(joint.scalars))
    return None
