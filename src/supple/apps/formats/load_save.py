"""`load` and `save`: read and write a character in any format of the registry."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from supple.apps.character.character import Character, Note, report
from supple.apps.character.motion import Motion
from supple.apps.formats.conventions import converted, prescribed
from supple.apps.formats.features import left_out
from supple.apps.formats.format import Format
from supple.apps.formats.qpos.read import read as read_table
from supple.apps.formats.registry import FORMATS, format_for_reading, format_for_writing
from supple.apps.formats.single_motion import default_motion
from supple.apps.formats.source import Source
from supple.errors import SuppleError, listed, one_of
from supple.files import as_path, check_writable
from supple.model.skeleton import Pose, Skeleton

BESIDE = {"textures": "textures", "shapes": "morphs"}
"""Writer options that store a feature in files beside, and that feature."""

OF_MESHES = ("shapes", "weights")  # reader options for meshes: not passed on to `motions=` files
OF_TABLES = ("fps", "layout")  # reader options for qpos tables: not passed on to the robot's reader


def load(
    path: str | os.PathLike[str],
    *,
    motions: Iterable[str | os.PathLike[str]] = (),
    format: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Character:
    """Read a character: its skeleton, meshes and motions.

    The format follows from the extension, or else from the content. Coordinates are not turned or
    scaled. Guesses and oddities are listed in `Character.notes` and go to the "supple" logger.

    Args:
        path: A .bvh, .smd, .glb, .gltf, .vrm, .character, .urdf, .xacro or .xml (MJCF, URDF) file.
        motions: More files whose motions are added to the character; joints are matched by name. For a
            robot also .npz and .csv tables of qpos, with fps= if the table has no rate, and
            layout="wxyz" or "xyzw" for the quaternions of one without column names.
        format: "bvh", "smd", "gltf", "character", "urdf", "xacro" or "mjcf", regardless of the
            extension.
        folder: The folder that must contain, at any depth, the files it refers to (images, buffers, a
            robot's meshes); by default the file's own folder, for URDF and xacro the ROS package that
            holds the file.
        options: Options of the format's reader, such as position_mode= for BVH; the readers of
            `motions` get those that they have too.

    Raises:
        SuppleError: The file cannot be read; the message has the reason, path and line.
    """
    if isinstance(motions, (str, os.PathLike)):
        motions = [motions]
    files: list[str | os.PathLike[str]] = [
        as_path("motions", one) for one in listed("motions", motions, "a list of files")
    ]
    home = None if folder is None else as_path("folder", folder)
    try:
        return _loaded(as_path("path", path), files, format, home, options)
    except MemoryError as error:
        raise SuppleError(f"{path}: there is not enough memory to read it") from error


def _loaded(
    path: str | os.PathLike[str],
    motions: list[str | os.PathLike[str]],
    format: str | None,
    home: Path | None,
    options: dict[str, Any],
) -> Character:
    """Read a character and add the motions of other files."""
    tables = [Path(one).suffix.lower() in FORMATS["qpos"].extensions for one in motions]
    own = {key: value for key, value in options.items() if key not in OF_TABLES or not any(tables)}
    character, source = _read(path, format, own, home=home)
    found = dict(character.motions)
    notes = list(character.notes)
    moving = {key: value for key, value in options.items() if key not in OF_MESHES}
    for one, is_table in zip(motions, tables, strict=True):
        if is_table:
            table = Source.open(one, home=home)
            asked = {key: value for key, value in options.items() if key in OF_TABLES}
            motion = read_table(table, character.skeleton, up=character.up, **asked)
            notes += table.notes
            found[_unused(motion.name, found)] = motion
            continue
        other, read = _read(one, None, moving, home=home, strict=False)
        read.size += source.size
        if not other.motions:
            raise SuppleError(f"{one}: expected a file with a motion, got none in it")
        notes += other.notes
        for name, motion in other.motions.items():
            # An SMD frame states the offset of every bone; other formats only animated ones.
            every = "all" if "smd" in other.extras else "animated"
            if len(character.skeleton) > len(motion.skeleton):
                width = character.skeleton.freedom_table.coordinate_count + 3 * len(
                    character.skeleton
                )
                what = f"{len(motion)} frames of the character's {len(character.skeleton)} joints"
                read.charge(2 * 8 * len(motion) * width, what)
            matched = motion.on(character.skeleton, offsets=every)
            notes += _unmatched(motion, character.skeleton, str(one))
            key = _unused(name, found)
            found[key] = matched.with_(name=key)
    return character.with_(motions=found, notes=report(notes))


def _unused(name: str, found: dict[str, Motion]) -> str:
    """A name that no motion has yet."""
    key, number = name, 2
    while key in found:
        key, number = f"{name} {number}", number + 1
    return key


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

    An existing file is replaced only once the new one is complete. What the format cannot store is
    left out; notes on that are returned and go to the "supple" logger.

    Args:
        thing: A character; a motion, written with its skeleton; a pose, written as its skeleton in
            that pose; or a skeleton.
        path: The file; its extension decides the format.
        format: "bvh", "smd", "gltf", "character", "obj" or "qpos", regardless of the extension.
        up: The up axis of the file, such as "y": everything is rotated to it. None to leave the
            numbers as they are.
        unit: The unit of length of the file, such as "m": everything is scaled to it. None to leave
            the numbers as they are.
        options: Options of the format's writer, such as motion= for BVH.

    Returns:
        Notes on what was left out or changed.

    Raises:
        SuppleError: The file cannot be written, or the format can store nothing of it.
    """
    character = converted(as_character(thing), up=up, unit=unit)
    kind = format_for_writing(as_path("path", path), format)
    path = check_writable(path, f"{kind.title} file")
    keeps = kind.keeps | {word for option, word in BESIDE.items() if options.get(option)}
    # With motion= the other motions were not asked for: do not report them as left out.
    asked = options.get("motion")
    chosen = character.motion(asked) if isinstance(asked, str) else asked
    one = "motion" in keeps and "motions" not in keeps
    held = as_character(chosen) if one and chosen is not None else character
    if one and default_motion(held, meshes="meshes" in keeps) is None:
        held = held.with_(motions={})  # the writer itself reports these motions
    notes = [*left_out(held, keeps, kind.title, str(path))]
    notes += prescribed(character, kind.name, str(path))
    notes += _call(kind, kind.writer, character, path, options) or ()
    return report(notes)


def as_character(thing: Any) -> Character:
    """Make a character of a motion, a single pose or a skeleton; a character is returned as is."""
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
    source = Source.open(path, home=home)
    source.as_utf8()
    kind = format_for_reading(source, format)
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
    """Call a reader or writer; an option it does not have is an error if strict, else dropped."""
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


def _unmatched(motion: Motion, skeleton: Skeleton, path: str) -> list[Note]:
    """A note on the joints of a motion that a skeleton does not have."""
    known = set(skeleton.joint_names)
    lost = [name for name in motion.skeleton.joint_names if name not in known]
    if not lost:
        return []
    few = ", ".join(map(repr, lost[:4])) + (", ..." if len(lost) > 4 else "")
    return [Note(f"{len(lost)} of its joints are not the character's: {few}", None, path)]
