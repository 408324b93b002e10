"""Write a robot's motion as a table of qpos."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from supple.apps.character.character import Character, Note
from supple.apps.character.motion import Motion
from supple.apps.formats.qpos.columns import columns, root_columns
from supple.apps.formats.single_motion import asked_motion, even_frames
from supple.apps.robot import qpos
from supple.errors import SuppleError
from supple.files import write as write_file

FORMAT, VERSION = "supple-qpos", 1
# The track with the frame of another motion that each frame was made from.
SOURCE = "source_frame"


def write(character: Character, path: Path, *, motion: str | Motion | None = None) -> list[Note]:
    """Write one motion as .npz or .csv.

    NPZ has `qpos` (F, nq) in MuJoCo's layout, `fps`, `joint_names` (those of the columns after the root's seven, or
    of all without a free root), `columns` (all of them), `name`, `format` and, of a retargeted motion, `source_index`
    (F,). CSV begins with a comment that has the format and the rate, then a row of names, then a row a frame.

    Args:
        character: The robot.
        path: The file.
        motion: The motion; the first by default.

    Raises:
        SuppleError: There is no motion, or the file cannot be written.
    """
    chosen = asked_motion(character, motion) or next(iter(character.motions.values()), None)
    if chosen is None:
        raise SuppleError(f"{path}: expected a motion, which a qpos table holds; got none")
    chosen, notes = even_frames(chosen, path)
    names, table = columns(chosen.skeleton), qpos(chosen.skeleton, chosen.poses)
    source = chosen.tracks.get(SOURCE)
    if path.suffix.lower() == ".csv":
        write_file(path, _csv(chosen, names, table, source), "qpos table")
        return notes
    more: dict[str, Any] = {}
    if source is not None:
        more["source_index"] = np.asarray(source, dtype=np.int64)
    out = io.BytesIO()
    np.savez(
        out, qpos=table, fps=np.float64(chosen.fps), joint_names=np.array(names[root_columns(names) :]),
        columns=np.array(names), name=np.array(chosen.name), format=np.array(f"{FORMAT} {VERSION}"), **more,
    )  # fmt: skip
    write_file(path, out.getvalue(), "qpos table")
    return notes


def _csv(motion: Motion, names: list[str], table: np.ndarray, source: np.ndarray | None) -> str:
    head = ["frame", "time", *([] if source is None else [SOURCE]), *names]
    lines = [
        f"# {FORMAT} {VERSION}, fps {motion.fps!r}, quaternions wxyz, angles in rad",
        ",".join(head),
    ]
    for k, row in enumerate(table.tolist()):
        first = [str(k), repr(k / motion.fps), *([] if source is None else [str(int(source[k]))])]
        lines.append(",".join([*first, *map(repr, row)]))
    return "\n".join(lines) + "\n"
