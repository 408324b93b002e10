"""qpos: a robot's motion as a table of numbers, NPZ or CSV, with names and rate.

Written from a motion; read as a motion of its robot, `supple.load("robot.xml", motions=["walk.npz"])`.
"""

from supple.apps.formats.format import Format

FORMAT = Format(
    name="qpos",
    title="qpos table",
    extensions=(".npz", ".csv"),
    reader="",
    writer="supple.apps.formats.qpos.write:write",
    looks=lambda head: False,
    keeps=frozenset(
        {
            "motion",
            "tips",
            "limits",
            "physics",
            "meshes",
            "skins",
            "materials",
            "textures",
            "colors",
            "morphs",
            "poses",
            "loops",
            "tracks",
        }
    ),
)
