"""Wavefront OBJ: characters are written only, as posed meshes; `read_obj` reads the polygons of props and ground."""

from supple.apps.formats.format import Format

FORMAT = Format(
    name="obj",
    title="Wavefront OBJ",
    extensions=(".obj",),
    reader="",
    writer="supple.apps.formats.obj.write:write",
    looks=lambda head: False,
    keeps=frozenset({"meshes", "materials"}),
)
