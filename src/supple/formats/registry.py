"""`load` and `save`: which format a file is of, and what that format can hold.

A reader is a function `read(source, **options) -> Character`, a writer a function
`write(character, path, **options)` that replaces the file only when all of it is there and may give
notes of what it had to change. Their modules are imported when first used.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.character import Character, Note, report
from supple.errors import SuppleError, nearest, one_of
from supple.files import check_writable
from supple.formats.conventions import converted, prescribed
from supple.formats.holding import left_out
from supple.formats.one_motion import default_motion
from supple.formats.reading import Source
from supple.motion.motion import Motion
from supple.pose import Pose
from supple.skeleton import Skeleton

HEAD = 4096  # bytes of a file that are looked at to tell its format
BESIDE = {"textures": "textures", "shapes": "morphs"}  # options to write things in other files
OF_MESHES = ("shapes", "weights")  # options for a mesh, which those of motions do not get


@dataclass(frozen=True)
class Format:
    """A format that files can have.

    Attributes:
        name: What `format=` calls it.
        title: What people call it.
        extensions: With the dot, in lower case.
        reader: "module:function", or "" if it is only written.
        writer: "module:function", or "" if it is only read.
        looks: Tells by the first bytes of a file whether it is of this format.
        keeps: What it can hold, in the words of `supple.formats.holding`.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    reader: str
    writer: str
    looks: Callable[[bytes], bool]
    keeps: frozenset[str]


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    """Whether a text begins with a pattern, after blanks, comments and a byte order mark."""
    blanks = rb"^(?:\xef\xbb\xbf)?(?:\s|//[^\n]*(?:\n|\Z)|[#;][^\n]*(?:\n|\Z))*"
    compiled = re.compile(blanks + pattern, re.IGNORECASE)
    return lambda head: compiled.match(head) is not None


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "bvh",
            "Biovision BVH",
            (".bvh",),
            "supple.formats.bvh_read:read",
            "supple.formats.bvh_write:write",
            _begins(rb"HIERARCHY\b"),
            frozenset({"motion", "offsets", "tips"}),
        ),
        Format(
            "smd",
            "Valve SMD",
            (".smd",),
            "supple.formats.smd_read:read",
            "supple.formats.smd_write:write",
            _begins(rb"version\s+\d+\s"),
            frozenset({"motion", "offsets", "rotations", "meshes", "skins", "materials"}),
        ),
        Format(
            "gltf",
            "glTF 2.0",
            (".glb", ".gltf"),
            "supple.formats.gltf:read",
            "supple.formats.gltf:write",
            lambda head: (
                head.startswith(b"glTF")
                or (head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"asset"' in head)
            ),
            frozenset(
                {
                    "motion",
                    "motions",
                    "offsets",
                    "rotations",
                    "scales",
                    "tips",
                    "limits",
                    "meshes",
                    "skins",
                    "materials",
                    "textures",
                    "colors",
                    "morphs",
                    "tracks",
                    "loops",
                }
            ),
        ),
        Format(
            "character",
            ".character of Park 2004",
            (".character",),
            "supple.formats.character_file:read",
            "supple.formats.character_file:write",
            lambda head: head.startswith(b"G\x01\x00\x00"),
            frozenset({"motion", "motions", "offsets", "rotations", "limits", "meshes", "skins"}),
        ),
        Format(
            "urdf",
            "URDF",
            (".urdf", ".xml"),
            "supple.formats.urdf:read",
            "",
            lambda head: b"<robot" in head,
            frozenset(),
        ),
        Format(
            "obj",
            "Wavefront OBJ",
            (".obj",),
            "",
            "supple.formats.obj_write:write",
            lambda head: False,
            frozenset({"meshes", "materials"}),
        ),
    )
}


def load(
    path: str | os.PathLike[str],
    *,
    motions: Iterable[str | os.PathLike[str]] = (),
    format: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Character:
    """Read a character: its skeleton, meshes and motions.

    The format is told by the extension, or else by the content. Coordinates stay as the file has
    them. What had to be guessed is in `Character.notes`, and said through the "supple" logger.

    Args:
        path: A .bvh, .smd, .glb, .gltf, .character or .urdf file.
        motions: More files, whose motions join the character's; joints are matched by name.
        format: "bvh", "smd", "gltf", "character" or "urdf", whatever the file is called.
        folder: The folder that files it names (images, buffers, a robot's meshes) must be in, or
            below; by default the file's own.
        options: What the format's reader takes, such as position_mode= for BVH; the readers of
            `motions` get those of them that they take too.

    Raises:
        SuppleError: The file cannot be read; the message says why, with path and line.
    """
    if isinstance(motions, (str, os.PathLike)):
        motions = [motions]
    home = None if folder is None else Path(folder)
    try:
        return _loaded(path, list(motions), format, home, options)
    except MemoryError as error:
        raise SuppleError(f"{path}: there is not enough memory to read it") from error


def _loaded(
    path: str | os.PathLike[str],
    motions: list[str | os.PathLike[str]],
    format: str | None,
    home: Path | None,
    options: dict[str, Any],
) -> Character:
    """A character with the motions of other files."""
    character, source = _read(path, format, options, home=home)
    found = dict(character.motions)
    notes = list(character.notes)
    moving = {key: value for key, value in options.items() if key not in OF_MESHES}
    for one in motions:
        other, read = _read(one, None, moving, home=home, strict=False)
        read.size += source.size
        if not other.motions:
            raise SuppleError(f"{one}: expected a file with a motion, got none in it")
        notes += other.notes
        for name, motion in other.motions.items():
            # An SMD frame says where every bone is; of other formats only what moves counts.
            every = "all" if "smd" in other.extras else "animated"
            if len(character.skeleton) > len(motion.skeleton):
                width = len(character.skeleton.packed.rest) + 3 * len(character.skeleton)
                what = f"{len(motion)} frames of the character's {len(character.skeleton)} joints"
                read.charge(2 * 8 * len(motion) * width, what)
            matched = motion.on(character.skeleton, offsets=every)
            notes += _unmatched(motion, character.skeleton, str(one))
            key, number = name, 2
            while key in found:
                key, number = f"{name} {number}", number + 1
            found[key] = matched.with_(name=key)
    return character.with_(motions=found, notes=report(notes))


def save(
    thing: Character | Motion | Pose | Skeleton,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    up: str | None = None,
    unit: str | None = None,
    **options: Any,
) -> tuple[Note, ...]:
    """Write a character, a motion or a pose to a file.

    The file is replaced only by a whole one. What the format cannot hold is left out: it is given
    back, and said through the "supple" logger.

    Args:
        thing: A character; a motion, for its skeleton and that motion; a pose, for its skeleton
            standing so; or a skeleton.
        path: Where; the extension tells the format.
        format: "bvh", "smd", "gltf", "character" or "obj", whatever the file is called.
        up: The axis that points up in the file, such as "y": everything is turned so. None for the
            numbers as they are.
        unit: The unit of length in the file, such as "m": everything is scaled so. None for the
            numbers as they are.
        options: What the format's writer takes, such as motion= for BVH.

    Returns:
        What was left out.

    Raises:
        SuppleError: It cannot be written, or holds nothing of what it is given.
    """
    character = converted(as_character(thing), up=up, unit=unit)
    kind = writable(Path(path), format)
    path = check_writable(path, f"{kind.title} file")
    keeps = kind.keeps | {word for option, word in BESIDE.items() if options.get(option)}
    # Who names a motion asks for that motion, and misses nothing else.
    asked = options.get("motion")
    chosen = character.motion(asked) if isinstance(asked, str) else asked
    held = as_character(chosen or character)
    one = "motion" in keeps and "motions" not in keeps
    if one and default_motion(held, meshes="meshes" in keeps) is None:
        held = held.with_(motions={})  # the writer names those that it leaves out
    notes = [*left_out(held, keeps, kind.title, str(path))]
    notes += prescribed(character, kind.name, str(path))
    notes += _call(kind, kind.writer, character, path, options) or ()
    return report(notes)


def as_character(thing: Any) -> Character:
    """A character from one, or from a motion, a single pose or a skeleton."""
    if isinstance(thing, Character):
        return thing
    if isinstance(thing, Skeleton):
        return Character(thing)
    if isinstance(thing, Motion):
        return Character(thing.skeleton, motions={thing.name: thing})
    if isinstance(thing, Pose):
        if thing.batch_shape:
            raise SuppleError(
                "save: expected a single pose; make a supple.Motion of a batch, which has an fps"
            )
        return Character(thing.skeleton).posed(thing)
    hint = "; give its .pose" if hasattr(thing, "pose") else ""
    raise SuppleError(
        f"save: expected a Character, Motion, Pose or Skeleton, got a {type(thing).__name__}{hint}"
    )


def _read(
    path: str | os.PathLike[str],
    format: str | None,
    options: dict[str, Any],
    *,
    home: Path | None,
    strict: bool = True,
) -> tuple[Character, Source]:
    if not isinstance(path, (str, os.PathLike)):
        raise SuppleError(f"expected the path of a file, got {path!r}")
    source = Source.open(path, home=home)
    source.as_utf8()
    kind = _readable(source, format)
    character = _call(kind, kind.reader, source, None, options, strict=strict)
    notes = dict.fromkeys([*character.notes, *source.notes])  # each once, in order
    return character.with_(source=str(path), notes=tuple(notes)), source


def _call(
    kind: Format,
    where: str,
    subject: Any,
    path: Path | None,
    options: dict[str, Any],
    *,
    strict: bool = True,
) -> Any:
    """Call a reader or writer; an option it does not have is bad input, or left out."""
    module, _, name = where.partition(":")
    function = getattr(importlib.import_module(module), name)
    if options:
        taken = [
            key
            for key, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        if not strict:
            options = {key: value for key, value in options.items() if key in taken}
        for option in options:
            if option not in taken:
                one_of(f"option for {kind.title}", option, taken)
    return function(subject, **options) if path is None else function(subject, path, **options)


def _readable(source: Source, format: str | None) -> Format:
    """The format to read a file as: as told, else by extension if the content agrees."""
    can = {name: one for name, one in FORMATS.items() if one.reader}
    if format is not None:
        return can[one_of("format", format, list(can))]
    head = source.data[:HEAD]
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        source.error(None, "the file is empty" if not head else "the file holds nothing but blanks")
    suffix = source.path.suffix.lower()
    named = [one for one in can.values() if suffix in one.extensions]
    alike = [one for one in can.values() if one.looks(head)]
    for one in named:
        if one in alike:
            return one
    if alike:  # the content tells better than a wrong name
        if suffix and named:
            source.warn(f"called {suffix} but looks like {alike[0].title}: read as that")
        return alike[0]
    if named:
        return named[0]  # its reader says what is wrong
    known = [extension for one in can.values() for extension in one.extensions]
    source.error(
        None,
        f"cannot tell its format; expected one of {', '.join(known)}, "
        f"got {suffix or 'no extension'}{nearest(suffix, known) if suffix else ''}",
    )


def writable(path: Path, format: str | None = None) -> Format:
    """The format that a file is to be written in, by its name or as told.

    Raises:
        SuppleError: There is none.
    """
    can = {name: one for name, one in FORMATS.items() if one.writer}
    if format is not None:
        return can[one_of("format", format, list(can))]
    suffix = path.suffix.lower()
    for one in can.values():
        if suffix in one.extensions:
            return one
    known = [extension for one in can.values() for extension in one.extensions]
    raise SuppleError(
        f"{path}: cannot write {suffix or 'a file without extension'!r}; "
        f"expected one of {', '.join(known)}{nearest(suffix, known) if suffix else ''}"
    )


def _unmatched(motion: Motion, skeleton: Skeleton, path: str) -> list[Note]:
    """What a motion has that a skeleton does not, and the other way."""
    known = set(skeleton.joint_names)
    lost = [name for name in motion.skeleton.joint_names if name not in known]
    if not lost:
        return []
    few = ", ".join(map(repr, lost[:4])) + (", ..." if len(lost) > 4 else "")
    return [Note(f"{len(lost)} of its joints are not the character's: {few}", None, path)]
