"""`Format`: what the registry knows about a file format before any of its code is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_ELEMENT = re.compile(rb"<([\w:.-]+)")
_BEFORE_ROOT = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!", b">"))
"""What may stand before the root of XML, by how it begins and ends: instructions, comments, declarations."""


@dataclass(frozen=True)
class Format:
    """A file format.

    A reader is a function `read(source, **options) -> Character`. A writer is a function
    `write(character, path, **options)` that replaces the file only when all of it is written, and
    may return notes on what it changed. Their modules are imported on first use.

    Attributes:
        name: The value of `format=`, such as "gltf".
        title: The name for people, such as "glTF 2.0".
        extensions: File extensions in lower case, with the dot.
        reader: "module:function", or "" if the format is only written.
        writer: "module:function", or "" if the format is only read.
        looks: True if the first bytes of a file look like this format; None if content does not count, so
            that only files with its extension are read, and those for which `format=` names it.
        keeps: The features it can store, see `supple.apps.formats.features`.
        also_reads: More extensions, of files that are read as this format but not written.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    reader: str
    writer: str
    looks: Callable[[bytes], bool] | None
    keeps: frozenset[str]
    also_reads: tuple[str, ...] = ()

    @property
    def readable(self) -> tuple[str, ...]:
        """The extensions of files that are read in this format."""
        return (*self.extensions, *self.also_reads) if self.reader else ()

    @property
    def writable(self) -> tuple[str, ...]:
        """The extensions of files that are written in this format."""
        return self.extensions if self.writer else ()


def begins_with(pattern: bytes) -> Callable[[bytes], bool]:
    """A test whether text begins with a pattern, after a byte order mark, blanks and comments."""
    blanks = rb"^(?:\xef\xbb\xbf)?(?:\s|//[^\n]*(?:\n|\Z)|[#;][^\n]*(?:\n|\Z))*"
    compiled = re.compile(blanks + pattern, re.IGNORECASE)
    return lambda head: compiled.match(head) is not None


def xml_root(head: bytes) -> str | None:
    """The name of the root element of XML, from its first bytes; None if it is not there."""
    text = head.replace(b"\0", b"")  # as in UTF-16
    at = text.find(b"<")
    while at >= 0:
        skipped = next((pair for pair in _BEFORE_ROOT if text.startswith(pair[0], at)), None)
        if skipped is None:
            found = _ELEMENT.match(text, at)
            return found[1].decode("latin-1").rpartition(":")[2] if found else None
        opening, closing = skipped
        end = text.find(closing, at + len(opening))
        at = text.find(b"<", end) if end >= 0 else -1
    return None
