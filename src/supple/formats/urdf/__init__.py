"""URDF robots, read only: `read` builds the skeleton, `meshes` loads what the links look like."""

from supple.formats.format import Format

FORMAT = Format(
    name="urdf",
    title="URDF",
    extensions=(".urdf", ".xml"),
    reader="supple.formats.urdf.read:read",
    writer="",
    looks=lambda head: b"<robot" in head,
    keeps=frozenset(),
)
