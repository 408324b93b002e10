"""Wavefront OBJ, written only: posed meshes without skeleton and skin."""

from supple.formats.format import Format

FORMAT = Format(
    name="obj",
    title="Wavefront OBJ",
    extensions=(".obj",),
    reader="",
    writer="supple.formats.obj.write:write",
    looks=lambda head: False,
    keeps=frozenset({"meshes", "materials"}),
)
