"""Xacro, the macro language of URDF, read only.

`read` expands a file and reads the URDF. In a separate process, `worker` runs the xacro package, in which `library`
replaces evaluation by `expressions` (with `operators`, `functions` and `work`), and file access by `folders` and
`yaml_file`.
"""

from supple.apps.formats.format import Format

FORMAT = Format(
    name="xacro",
    title="xacro",
    extensions=(".xacro",),
    reader="supple.apps.formats.xacro.read:read",
    writer="",
    looks=None,  # a file that asks for evaluation must say so by its name
    keeps=frozenset(),
)
