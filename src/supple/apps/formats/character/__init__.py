"""The binary .character file of Park 2004 (3.3.1), version 1; docs/character-file.md has every byte.

Bones with six angle limits, sequences of keyframes, and vertices as offsets in the frames of their
bones. The format stores no names: bones are numbered, and a text file can name them. `layout` has
the record types, `read` and `write` are the reader and the writer.
"""

from supple.apps.formats.format import Format

FORMAT = Format(
    name="character",
    title=".character of Park 2004",
    extensions=(".character",),
    reader="supple.apps.formats.character.read:read",
    writer="supple.apps.formats.character.write:write",
    looks=lambda head: head.startswith(b"G\x01\x00\x00"),
    keeps=frozenset({"motion", "motions", "offsets", "rotations", "limits", "meshes", "skins"}),
)
