"""Valve SMD, with the morph targets of VTA files: a skinned mesh, or one motion, as text.

`text` splits a file into sections, `mesh` reads triangles and skin weights, `read` and `write` are
the reader and the writer; `vta_read` and `vta_write` do the same for VTA. `posed_mesh` skins a mesh in
the pose that is written.
"""

from supple.apps.formats.format import Format, begins_with

FORMAT = Format(
    name="smd",
    title="Valve SMD",
    extensions=(".smd",),
    reader="supple.apps.formats.smd.read:read",
    writer="supple.apps.formats.smd.write:write",
    looks=begins_with(rb"version\s+\d+\s"),
    keeps=frozenset({"motion", "offsets", "rotations", "meshes", "skins", "materials"}),
)
