"""Xacro, the macro language of URDF, read only: `read` expands a file and hands the URDF on."""

from supple.formats.format import Format, xml_root

FORMAT = Format(
    name="xacro",
    title="xacro",
    extensions=(".xacro",),
    reader="supple.formats.xacro.read:read",
    writer="",
    looks=lambda head: xml_root(head) == "robot" and b"xacro" in head,
    keeps=frozenset(),
)
