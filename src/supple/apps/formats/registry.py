"""The table of file formats, and how the format of a file is chosen.

To add a format: a folder beside this file whose `__init__.py` defines `FORMAT`, and a line in
`FORMATS`. Other packages add theirs through entry points (`supple.plugins`), which are loaded only for names
and extensions that no format here has.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from supple import plugins
from supple.apps.formats import bvh, character, foreign, gltf, mjcf, obj, qpos, smd, urdf, xacro
from supple.apps.formats.format import Format
from supple.apps.formats.source import Source
from supple.errors import SuppleError, nearest, one_of, text

FORMATS: dict[str, Format] = {
    "bvh": bvh.FORMAT,
    "smd": smd.FORMAT,
    "gltf": gltf.FORMAT,
    "character": character.FORMAT,
    "urdf": urdf.FORMAT,
    "xacro": xacro.FORMAT,
    "mjcf": mjcf.FORMAT,
    "obj": obj.FORMAT,
    "qpos": qpos.FORMAT,
}
HEAD_BYTES = 1 << 16  # bytes at the start of a file that are inspected to recognize its format


def format_for_reading(source: Source, name: str | None = None) -> Format:
    """The format to read a file in.

    Args:
        source: The file.
        name: The format's name; None to choose by extension and content. If they disagree, the
            content decides, with a note, unless the format is told by its extension alone.

    Raises:
        SuppleError: The name is unknown, the file is empty, or its format is not recognized.
    """
    suffix = source.path.suffix.lower()
    readable = {one.name: one for one in _formats(name, suffix) if one.reader}
    if name is not None:
        return readable[one_of("format", name, list(readable))]
    head = source.data[:HEAD_BYTES]
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        source.error(None, "the file is empty" if not head else "the file holds nothing but blanks")
    by_extension = [one for one in readable.values() if suffix in one.readable]
    by_content = [one for one in readable.values() if one.looks is not None and one.looks(head)]
    for one in by_extension:
        if one in by_content or one.looks is None:
            return one
    if by_content:
        if suffix and by_extension:
            source.warn(f"called {suffix} but looks like {by_content[0].title}: read as that")
        return by_content[0]
    found = foreign.by_content(head)
    if by_extension and found is None:
        return by_extension[0]  # its reader says what is wrong
    found = found or foreign.recognized(suffix, head)
    if found is not None:
        source.error(None, f"{'called ' + suffix + ', but ' if by_extension else ''}{found.advice}")
    known = readable_extensions(readable.values())
    source.error(
        None,
        f"cannot tell its format; expected one of {', '.join(known)}, "
        f"got {suffix or 'no extension'}{nearest(suffix, known) if suffix else ''}",
    )


def format_for_writing(path: Path, name: str | None = None) -> Format:
    """The format to write a file in.

    Args:
        path: The file, whose extension decides unless a name is given.
        name: The format's name, or None.

    Raises:
        SuppleError: No format that can be written has this name or extension.
    """
    suffix = path.suffix.lower()
    writable = {one.name: one for one in _formats(name, suffix) if one.writer}
    if name is not None:
        return writable[one_of("format", name, list(writable))]
    for one in writable.values():
        if suffix in one.writable:
            return one
    known = writable_extensions(writable.values())
    close = nearest(suffix, known) if suffix and foreign.recognized(suffix) is None else ""
    raise SuppleError(
        f"{path}: cannot write {suffix or 'a file without extension'!r}; "
        f"expected one of {', '.join(known)}{close}"
    )


def holds_motions(suffix: str) -> bool:
    """Whether files with an extension, in lower case with its dot, can be read and may hold motions."""
    return any(suffix in one.readable for one in _formats(None, suffix) if _has_motions(one))


def motion_extensions() -> tuple[str, ...]:
    """The extensions of the formats here that can be read and may hold motions."""
    return readable_extensions(one for one in FORMATS.values() if _has_motions(one))


def _has_motions(one: Format) -> bool:
    return "motion" in one.keeps


def readable_extensions(formats: Iterable[Format] = tuple(FORMATS.values())) -> tuple[str, ...]:
    """The extensions of the files that `load` reads."""
    return tuple(dict.fromkeys(ending for one in formats for ending in one.readable))


def writable_extensions(formats: Iterable[Format] = tuple(FORMATS.values())) -> tuple[str, ...]:
    """The extensions of the files that `save` writes."""
    return tuple(dict.fromkeys(ending for one in formats for ending in one.writable))


def _formats(name: str | None, suffix: str) -> list[Format]:
    """The formats; with those of other packages, if none here has the name, or the extension if there is no name."""
    own = list(FORMATS.values())
    if name is not None:
        text("format", name)
    known = (
        name in FORMATS
        if name is not None
        else suffix in {*readable_extensions(), *writable_extensions()}
    )
    if known:
        return own
    return own + [
        one for one in plugins.load_all(plugins.FORMATS, Format) if one.name not in FORMATS
    ]
