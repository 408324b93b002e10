"""The table of file formats, and which of them a file is in.

To add a format: a folder beside this file whose `__init__.py` defines `FORMAT`, and a line in
`FORMATS`.
"""

from __future__ import annotations

from pathlib import Path

from supple.errors import SuppleError, nearest, one_of
from supple.formats import bvh, character, gltf, mjcf, obj, qpos, smd, urdf, xacro
from supple.formats.format import Format
from supple.formats.source import Source

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
HEAD = 1 << 16  # bytes at the start of a file that are inspected to recognize its format


def format_for_reading(source: Source, name: str | None = None) -> Format:
    """The format to read a file in.

    Args:
        source: The file.
        name: The format's name; None to choose by extension and content. If they disagree, the
            content decides, with a note.

    Raises:
        SuppleError: The name is unknown, the file is empty, or its format is not recognized.
    """
    readable = {one.name: one for one in FORMATS.values() if one.reader}
    if name is not None:
        return readable[one_of("format", name, list(readable))]
    head = source.data[:HEAD]
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        source.error(None, "the file is empty" if not head else "the file holds nothing but blanks")
    suffix = source.path.suffix.lower()
    by_extension = [one for one in readable.values() if suffix in one.extensions]
    by_content = [one for one in readable.values() if one.looks(head)]
    for one in by_extension:
        if one in by_content:
            return one
    if by_content:
        if suffix and by_extension:
            source.warn(f"called {suffix} but looks like {by_content[0].title}: read as that")
        return by_content[0]
    if by_extension:
        return by_extension[0]  # its reader says what is wrong
    known = _extensions(readable)
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
    writable = {one.name: one for one in FORMATS.values() if one.writer}
    if name is not None:
        return writable[one_of("format", name, list(writable))]
    suffix = path.suffix.lower()
    for one in writable.values():
        if suffix in one.extensions:
            return one
    known = _extensions(writable)
    raise SuppleError(
        f"{path}: cannot write {suffix or 'a file without extension'!r}; "
        f"expected one of {', '.join(known)}{nearest(suffix, known) if suffix else ''}"
    )


def _extensions(formats: dict[str, Format]) -> list[str]:
    return [extension for one in formats.values() for extension in one.extensions]
