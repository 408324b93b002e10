"""Read a table of qpos onto the robot that it is of."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.formats.qpos.columns import columns, root_columns
from supple.formats.qpos.write import SOURCE
from supple.formats.source import Source
from supple.model.motion import Motion
from supple.model.skeleton import Skeleton
from supple.robot import from_qpos, qpos

_FPS = re.compile(r"\bfps[ =:]+([-+.0-9eE]+)")


def read(source: Source, skeleton: Skeleton, *, fps: float | None = None) -> Motion:
    """Read a motion from .npz or .csv.

    Columns are matched by name where there are names; joints that the table does not have stay at rest.

    Args:
        source: The file.
        skeleton: Of the robot.
        fps: Frames a second, if the table does not say.

    Raises:
        SuppleError: The table is not one, has no rate, or has columns that the robot does not.
    """
    binary = source.path.suffix.lower() == ".npz"
    table, names, rate, rows = _npz(source) if binary else _csv(source)
    rate = rate if fps is None else float(fps)
    if rate is None or not np.isfinite(rate) or rate <= 0:
        source.error(
            None,
            f"expected frames a second above 0, got {'none' if rate is None else f'{rate:g}'}; give fps=",
        )
    if table.ndim != 2 or not len(table):
        source.error(None, f"expected qpos of shape (frames, numbers), got {table.shape}")
    if not np.isfinite(table).all():
        frame = int(np.argmax(~np.isfinite(table).all(axis=1)))
        source.error(
            None,
            f"expected finite numbers, got {table[frame][~np.isfinite(table[frame])][0]} in frame {frame}",
        )
    own = columns(skeleton)
    full = np.tile(qpos(skeleton, skeleton.rest), (len(table), 1))
    if names is None:
        if table.shape[1] != len(own):
            source.error(
                None,
                f"expected {len(own)} numbers a frame ({', '.join(own[:8])}, ...), got {table.shape[1]}",
            )
        full = table
    else:
        lead = root_columns(own) if table.shape[1] == len(names) + root_columns(own) else 0
        if table.shape[1] != len(names) + lead:
            source.error(
                None, f"expected a number for each of {len(names)} names, got {table.shape[1]}"
            )
        full[:, :lead] = table[:, :lead]
        known = {name: k for k, name in enumerate(own)}
        for k, name in enumerate(names):
            if name not in known:
                source.error(
                    None,
                    f"expected columns of the robot's joints, got {name!r}; it has {', '.join(own)}",
                )
            full[:, known[name]] = table[:, lead + k]
    try:
        poses = from_qpos(skeleton, full)
    except SuppleError as error:
        source.error(None, str(error))
    tracks: dict[str, Any] = {} if rows is None else {SOURCE: rows}
    return Motion(source.path.stem, poses, fps=rate, tracks=tracks)


def _npz(source: Source) -> tuple[np.ndarray, list[str] | None, float | None, np.ndarray | None]:
    try:
        with np.load(io.BytesIO(source.data), allow_pickle=False) as data:
            if "qpos" not in data:
                source.error(
                    None, f"expected an array 'qpos', got {', '.join(data.files) or 'nothing'}"
                )
            table = np.asarray(data["qpos"], dtype=np.float64)
            names = None
            for key in ("columns", "joint_names"):
                if key in data:
                    names = [str(name) for name in data[key]]
                    break
            rate = float(data["fps"]) if "fps" in data else None
            rows = (
                np.asarray(data["source_index"], dtype=np.float64)
                if "source_index" in data
                else None
            )
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        source.error(None, f"expected an .npz file of NumPy, got an error: {error}")
    return table, names, rate, rows if rows is not None and rows.shape == table.shape[:1] else None


def _csv(source: Source) -> tuple[np.ndarray, list[str] | None, float | None, np.ndarray | None]:
    text = source.data.decode("utf-8", errors="replace")
    rate, names, rows = None, None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line:
            continue
        if line.startswith("#"):
            found = _FPS.search(line)
            rate = float(found[1]) if found else rate
            continue
        cells = [cell.strip() for cell in line.split(",")]
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            if names is None and not rows:
                names = cells
                continue
            bad = next(cell for cell in cells if not _number(cell))
            source.error(number, f"expected numbers, got {bad!r}")
        width = len(names) if names is not None else len(rows[0]) if rows else len(row)
        if len(row) != width:
            source.error(number, f"expected {width} numbers, got {len(row)}")
        rows.append(row)
    if not rows:
        source.error(None, "expected rows of numbers, got none")
    table = np.array(rows)
    frames = None
    if names is not None:
        if rate is None and "time" in names and len(table) > 1:
            rate = float(1.0 / np.diff(table[:, names.index("time")]).mean())
        if SOURCE in names:
            frames = table[:, names.index(SOURCE)]
        keep = [k for k, name in enumerate(names) if name not in ("frame", "time", SOURCE)]
        table, names = table[:, keep], [names[k] for k in keep]
    return table, names, rate, frames


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
