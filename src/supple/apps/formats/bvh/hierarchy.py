"""The HIERARCHY of a BVH file: joints, offsets, channels, End Sites.

Read word by word. A name is the rest of its line up to a brace, so it may hold spaces, colons, "End" or
"ROOT".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn

from supple.apps.formats.source import LARGEST_NUMBER, Source, decoded, shown

LONGEST_NAME_BYTES = 1000  # names and words; not tuned [B]
FOLLOWING = (b"JOINT", b"END", b"ENDSITE", b"OFFSET", b"}")  # what may come after channels
CHANNELS = {
    "xposition": ("position", 0),
    "yposition": ("position", 1),
    "zposition": ("position", 2),
    "xrotation": ("rotation", 0),
    "yrotation": ("rotation", 1),
    "zrotation": ("rotation", 2),
}

_BLANKS = re.compile(rb"(?:[\s\x00]++|(?://|#)[^\r\n]*+)*+")  # and comments, which a few files have
_WORD = re.compile(rb"[^\s{}]{1,%d}|[{}]" % (LONGEST_NAME_BYTES + 1))
_NAME = re.compile(rb"[^\r\n{]{0,%d}" % (LONGEST_NAME_BYTES + 1))
_DIGITS = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(_DIGITS.replace(rb"\.", b"[.,]"))  # a comma where the locale has one
_THREE = re.compile(rb"\s*(%b)\s+(%b)\s+(%b)(?=\s)" % ((_DIGITS,) * 3))
_CHANNELS = re.compile(rb"\s*(\d+)((?:\s+[XYZ](?:position|rotation))*)(?=\s)", re.IGNORECASE)


@dataclass
class BvhJoint:
    """A joint of the file.

    Attributes:
        name: Its name.
        parent: The number of its parent among the joints, -1 for a root.
        at: The byte of the file where it begins.
        offset: Its OFFSET.
        channels: Names of its CHANNELS in order: "Zrotation", ...
        turning: Axis (0 to 2) and column of each rotation channel.
        moving: Axis and column of each position channel.
        ends: The OFFSETs of its End Sites.
    """

    name: str
    parent: int
    at: int
    offset: tuple[float, float, float] | None = None
    channels: tuple[str, ...] = ()
    turning: list[tuple[int, int]] = field(default_factory=list)
    moving: list[tuple[int, int]] = field(default_factory=list)
    ends: list[tuple[float, float, float]] = field(default_factory=list)


class Scanner:
    """Reads the text of a source word by word."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.at = 3 if source.data.startswith(b"\xef\xbb\xbf") else 0
        self.began = self.at

    @property
    def line(self) -> int:
        """The line of the word last read."""
        return self.source.line(self.began)

    def fail(self, message: str) -> NoReturn:
        """Raise a SuppleError with the line of the word last read."""
        self.source.error(self.line, message)

    def word(self) -> bytes:
        """The next word or brace; b"" at the end."""
        data = self.source.data
        self.at = _BLANKS.match(data, self.at).end()  # type: ignore[union-attr]
        self.began = self.at
        found = _WORD.match(data, self.at)
        if found is None:
            return b""
        self.at = found.end()
        if self.at - self.began > LONGEST_NAME_BYTES:
            self.fail(f"expected a word, got one of more than {LONGEST_NAME_BYTES} letters")
        return found.group()

    def peek(self) -> bytes:
        """The next word, without advancing."""
        at, began = self.at, self.began
        word = self.word()
        self.at, self.began = at, began
        return word

    def name(self) -> str:
        """The rest of the line up to a brace."""
        found = _NAME.match(self.source.data, self.at)
        assert found is not None  # it matches the empty text too
        if found.end() - found.start() > LONGEST_NAME_BYTES:
            self.fail(f"expected a name, got one of more than {LONGEST_NAME_BYTES} letters")
        self.at = found.end()
        return decoded(found.group().strip())

    def number(self, what: str, whom: str) -> float:
        """The next word as a number."""
        word = self.word()
        value = float(word.replace(b",", b".")) if _NUMBER.fullmatch(word) else math.nan
        if not abs(value) <= LARGEST_NUMBER:
            got = f"got {shown(word)}" if word else "but the file ends"
            self.fail(f"{what} of {shown(whom)}: expected a number, {got}")
        return value

    def vector(self, what: str, whom: str) -> tuple[float, float, float]:
        """The next three words as numbers."""
        found = _THREE.match(self.source.data, self.at)
        if found is not None:
            x, y, z = map(float, found.groups())
            if max(abs(x), abs(y), abs(z)) <= LARGEST_NUMBER:
                self.began, self.at = found.start(3), found.end(3)
                return x, y, z
        return self.number(what, whom), self.number(what, whom), self.number(what, whom)


def read_hierarchy(scanner: Scanner) -> list[BvhJoint]:
    """Read the joints in the order of the file, up to MOTION or the end."""
    source = scanner.source
    first = scanner.word()
    if first.upper() != b"HIERARCHY":
        scanner.fail(f"not a BVH file: expected HIERARCHY, got {shown(first)}")
    joints: list[BvhJoint] = []
    open_: list[int] = []  # joints whose brace is not closed yet; -1: an End Site
    column = 0
    while True:
        word = scanner.word()
        keyword = word.upper()
        inside = open_[-1] if open_ else None
        if not word:
            if inside is not None:
                whom = joints[inside if inside >= 0 else open_[-2]].name
                scanner.fail(f"the file ends inside joint {shown(whom)}: it is cut off")
            return joints
        if keyword == b"MOTION":
            if inside is not None:
                source.warn(
                    f"{len(open_)} braces are not closed before MOTION: closed here",
                    line=scanner.line,
                )
            scanner.at = scanner.began
            return joints
        if keyword in (b"ROOT", b"JOINT"):
            if inside == -1:
                scanner.fail("expected the OFFSET of an End Site, got a joint in it")
            if keyword == b"JOINT" and inside is None:
                source.warn("JOINT outside of a ROOT: taken as a root", line=scanner.line)
            parent, began = -1 if inside is None else inside, scanner.began
            joints.append(BvhJoint(scanner.name(), parent, began))
            _open(scanner, joints[-1].name)
            open_.append(len(joints) - 1)
        elif keyword in (b"END", b"ENDSITE") and inside is not None and inside >= 0:
            scanner.name()  # "Site", or what else is there
            _open(scanner, "End Site")
            joints[inside].ends.append((0.0, 0.0, 0.0))
            open_.append(-1)
        elif keyword == b"OFFSET" and inside is not None:
            whom = joints[inside if inside >= 0 else open_[-2]]
            offset = scanner.vector("OFFSET", whom.name)
            if inside == -1:
                whom.ends[-1] = offset
            else:
                whom.offset = offset
        elif keyword == b"CHANNELS" and inside is not None and inside >= 0:
            column = _channels(scanner, joints[inside], column)
        elif keyword == b"CHANNELS" and inside == -1:
            if _channel_names(scanner, "End Site"):
                scanner.fail("expected an End Site without channels, got some")
        elif word == b"}" and inside is None and joints:
            source.warn("a brace too many is closed: disregarded", line=scanner.line)
        elif word == b"}" and inside is not None:
            if inside >= 0 and joints[inside].offset is None:
                joint = joints[inside]
                source.warn(
                    f"joint {shown(joint.name)} has no OFFSET: (0, 0, 0) taken",
                    line=source.line(joint.at),
                )
            open_.pop()
        else:
            expected = "ROOT or MOTION" if inside is None else "OFFSET, CHANNELS, JOINT or }"
            scanner.fail(f"expected {expected}, got {shown(word)}")


def _open(scanner: Scanner, name: str) -> None:
    if scanner.word() != b"{":
        scanner.fail(f"expected {{ after {shown(name)}")


def _channels(scanner: Scanner, joint: BvhJoint, column: int) -> int:
    """Read a joint's CHANNELS; return the column after them."""
    what = f"CHANNELS of {shown(joint.name)}"
    if joint.channels:
        scanner.fail(f"{what}: expected them once, got them twice")
    found = _CHANNELS.match(scanner.source.data, scanner.at)
    names = _spelt(found.group(2)) if found else ()
    if found and len(names) == int(found.group(1)):
        scanner.at = found.end()
    else:
        names = _channel_names(scanner, joint.name)
    joint.channels = names
    for k, name in enumerate(names):
        kind, axis = CHANNELS[name.lower()]
        (joint.turning if kind == "rotation" else joint.moving).append((axis, column + k))
    if len(joint.turning) > 3 or len({axis for axis, _ in joint.moving}) < len(joint.moving):
        scanner.fail(f"{what}: expected each at most once, got {', '.join(names)}")
    return column + len(names)


def _channel_names(scanner: Scanner, whom: str) -> tuple[str, ...]:
    """Read a joint's channel names, also over several lines and if their count is wrong."""
    what = f"CHANNELS of {shown(whom)}"
    count = scanner.number("CHANNELS", whom)
    if count != int(count) or not 0 <= count <= 64:
        scanner.fail(f"{what}: expected a count from 0 to 64, got {count:g}")
    words: list[bytes] = []
    while (word := scanner.peek()).decode("latin-1").lower() in CHANNELS:
        words.append(scanner.word())
    if len(words) != count:
        if word.upper() not in FOLLOWING:
            scanner.word()
            one = f"expected {int(count)} of {', '.join(sorted(map(str.capitalize, CHANNELS)))}"
            scanner.fail(f"{what}: {one}, got {shown(word) if word else 'the end of the file'}")
        scanner.source.warn(
            f"{what}: {int(count)} are declared, {len(words)} named: those named taken",
            line=scanner.line,
        )
    return _spelt(b" ".join(words))


@lru_cache(maxsize=256)
def _spelt(channels: bytes) -> tuple[str, ...]:
    """Channel names as most files spell them: "Xrotation"."""
    return tuple(word.decode().capitalize() for word in channels.split())
