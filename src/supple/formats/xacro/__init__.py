"""Xacro, the macro language of URDF, read only.

`read` has a file expanded and hands the URDF on. In a process of its own, `worker` runs the xacro package, in which
`library` replaces evaluation by `expressions` (with `operators`, `functions` and `work`), and reading by `folders`
and `yaml_file`.
"""

from supple.formats.format import Format

FORMAT = Format(
    name="xacro",
    title="xacro",
    extensions=(".xacro",),
    reader="supple.formats.xacro.read:read",
    writer="",
    looks=None,  # a file that asks for evaluation must say so by its name
    keeps=frozenset(),
)
