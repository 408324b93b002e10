"""MJCF models of MuJoCo, read only.

`document` reduces the XML and the files that it names to what is read, `compiling` compiles that with MuJoCo
in a separate process (`worker`), `read` makes a character of the compiled model, `couplings` makes mimic
joints of its equalities.
"""

from supple.apps.formats.format import Format, xml_root

FORMAT = Format(
    name="mjcf",
    title="MJCF",
    extensions=(".xml", ".mjcf"),
    reader="supple.apps.formats.mjcf.read:read",
    writer="",
    looks=lambda head: xml_root(head) in ("mujoco", "mujocoinclude"),
    keeps=frozenset(),
)
