"""URDF robots, read only: `read` builds the skeleton, `meshes` loads the visuals of the links."""

from supple.apps.formats.format import Format, xml_root

FORMAT = Format(
    name="urdf",
    title="URDF",
    extensions=(".urdf", ".xml"),
    reader="supple.apps.formats.urdf.read:read",
    writer="",
    looks=lambda head: xml_root(head) == "robot",  # its reader refuses xacro
    keeps=frozenset(),
)
