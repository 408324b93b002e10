"""Bones in a text: a line `name parent x y z` for each joint, offsets in metres, "-" for no parent."""

from supple import Character, Node, Skeleton, files
from supple.apps.formats import Format

HEAD = b"bones 1"


def read(source):
    """Read a skeleton of ball joints."""
    nodes = []
    for number, line in enumerate(source.data.decode("utf-8", "replace").splitlines()[1:], 2):
        if not line.strip():
            continue
        words = line.split()
        try:
            name, parent, *offset = words
            x, y, z = map(float, offset)
        except ValueError:
            source.error(number, f"expected NAME PARENT X Y Z, got {line.strip()!r}")
        nodes.append(Node(name, None if parent == "-" else parent, (x, y, z)))
    return Character(Skeleton(nodes), unit="m")


def write(character, path):
    """Write the joints at rest."""
    lines = [HEAD.decode()]
    for node in character.skeleton.nodes:
        lines.append(" ".join([node.name, node.parent or "-", *(f"{x:.17g}" for x in node.offset)]))
    files.write(path, "\n".join([*lines, ""]), "bones")


FORMAT = Format(
    name="bones",
    title="Bones",
    extensions=(".bones",),
    reader="supple_extra.bones:read",
    writer="supple_extra.bones:write",
    looks=lambda head: head.startswith(HEAD),
    keeps=frozenset(),
)
