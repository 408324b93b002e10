"""Biovision BVH: a skeleton and one motion, as text.

`hierarchy` parses the HIERARCHY section, `channels` keeps the channel values as they were read, `read`
and `write` are the reader and the writer.
"""

from supple.apps.formats.format import Format, begins_with

FORMAT = Format(
    name="bvh",
    title="Biovision BVH",
    extensions=(".bvh",),
    reader="supple.apps.formats.bvh.read:read",
    writer="supple.apps.formats.bvh.write:write",
    looks=begins_with(rb"HIERARCHY\b"),
    keeps=frozenset({"motion", "offsets", "tips"}),
)
