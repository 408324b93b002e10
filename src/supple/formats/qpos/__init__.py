"""qpos: a robot's motion as a table of numbers, NPZ or CSV, with names and rate.

Written from a motion; read onto the robot it is of, `supple.load("robot.xml", motions=["walk.npz"])`.
"""

from supple.formats.format import Format

FORMAT = Format(
    name="qpos",
    title="qpos table",
    extensions=(".npz", ".csv"),
    reader="",
    writer="supple.formats.qpos.write:write",
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
