"""Read a table of qpos as a motion of its robot."""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from supple.apps.character.motion import Motion
from supple.apps.formats.qpos.columns import columns, root_columns
from supple.apps.formats.qpos.quaternion_order import ORDERS, infer_order, to_wxyz
from supple.apps.formats.qpos.write import SOURCE
from supple.apps.formats.source import Source, shown
from supple.apps.robot import from_qpos, qpos
from supple.errors import SuppleError, nearest, one_of
from supple.model.skeleton import Skeleton

_FPS = re.compile(r"\bfps[ =:]+([^\s,;]+)")
# Copies of a table in memory at the peak of reading it (measured: 7.3 GB for 1.08 GB).
TABLE_COPIES = 8
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class _Table(NamedTuple):
    """A table: numbers (frames, columns), names of columns, the frame rate [1/s] and the source's frames."""

    numbers: np.ndarray
    names: list[str] | None
    fps: float | None
    source_frames: np.ndarray | None


def read(
    source: Source,
    skeleton: Skeleton,
    *,
    fps: float | None = None,
    layout: str | None = None,
    up: str | None = None,
) -> Motion:
    """Read a motion from .npz or .csv.

    Columns are matched by name if they have names; joints that the table lacks stay at rest.
    The columns of a CSV without names are those of qpos, with quaternions as `layout` says.

    Args:
        source: The file.
        skeleton: The skeleton of the robot.
        fps: Frame rate, in place of the table's [1/s].
        layout: The order of quaternions in columns without names, "wxyz" (MuJoCo) or "xyzw" (LAFAN1 of
            Unitree, BeyondMimic). By default wxyz in NPZ, whose array is MuJoCo's qpos; for a CSV the
            order in which the robot stands upright, with a note.
        up: The axis that points up, such as "z", the default.

    Raises:
        SuppleError: It is not such a table, states no rate, has columns that the robot has not, or does
            not show the order of its quaternions.
    """
    if layout is not None:
        one_of("layout", layout, ORDERS)
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
    lead = root_columns(own)
    if names is None:
        if table.shape[1] != len(own):
            source.error(
                None,
                f"expected {len(own)} numbers a frame ({', '.join(own[:8])}, ...), got {table.shape[1]}",
            )
        unnamed, full = len(own), np.array(table)
    else:
        lead = lead if table.shape[1] == len(names) + lead else 0
        if table.shape[1] != len(names) + lead:
            source.error(
                None, f"expected a number for each of {len(names)} names, got {table.shape[1]}"
            )
        unnamed, full = lead, np.tile(qpos(skeleton, skeleton.rest), (len(table), 1))
        full[:, :lead] = table[:, :lead]
        known = {name: k for k, name in enumerate(own)}
        given: set[str] = set()
        for k, name in enumerate(names):
            if name not in known:
                source.error(
                    None,
                    f"expected columns of the robot's joints, got {shown(name)}{nearest(name, own)}; "
                    f"it has {', '.join(own)}",
                )
            if name in given:
                source.error(None, f"expected every column once, got {shown(name)} twice")
            given.add(name)
            full[:, known[name]] = table[:, lead + k]
    if layout is None:
        layout = "wxyz"
        if not binary and lead and unnamed:
            rest = qpos(skeleton, skeleton.rest)[3:7]
            layout = infer_order(full[:, 3:7], full[:, :3], rest, up or "z", source)
    to_wxyz(full[:, :unnamed], own[:unnamed], layout)
    try:
        # Columns that are left out are usually those of coupled joints, which follow.
        poses = from_qpos(
            skeleton, full, project=names is not None and len(names) + lead < len(own)
        )
    except SuppleError as error:
        source.error(None, str(error))
    tracks: dict[str, Any] = {} if rows is None else {SOURCE: rows}
    return Motion(source.name, poses, fps=rate, tracks=tracks)


def _npz(source: Source) -> _Table:
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            members = {name.removesuffix(".npy"): name for name in archive.namelist()}
            if "qpos" not in members:
                found = ", ".join(members) or "nothing"
                source.error(None, f"expected an array 'qpos', got {found}")
            arrays = {
                key: _member(source, archive, key, members[key])
                for key in ("qpos", "columns", "joint_names", "fps", "source_index")
                if key in members
            }
    except SuppleError:
        raise
    except (
        OSError, ValueError, TypeError, KeyError, EOFError, RuntimeError, NotImplementedError, SyntaxError, zlib.error,
        zipfile.BadZipFile,
    ) as error:  # fmt: skip
        source.error(None, f"expected an .npz file of NumPy, got an error: {error}")
    table = _real(source, "qpos", arrays["qpos"])
    names = arrays.get("columns", arrays.get("joint_names"))
    if names is not None and (names.ndim != 1 or names.dtype.kind not in "US"):
        what = "columns" if "columns" in arrays else "joint_names"
        source.error(
            None, f"{what}: expected a list of names, got {names.dtype} of shape {names.shape}"
        )
    rate = None
    if "fps" in arrays:
        one = _real(source, "fps", arrays["fps"])
        if one.size != 1:
            source.error(None, f"fps: expected one number, got {one.size}")
        rate = float(one.reshape(-1)[0])
    rows = (
        _real(source, "source_index", arrays["source_index"]) if "source_index" in arrays else None
    )
    if rows is not None and rows.shape != table.shape[:1]:
        rows = None
    return _Table(table, None if names is None else [_text(name) for name in names], rate, rows)


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _real(source: Source, key: str, values: np.ndarray) -> np.ndarray:
    """An array as float64, if it is of real numbers."""
    if values.dtype.kind not in "fiu":
        source.error(None, f"{key}: expected real numbers, got {values.dtype}")
    return values.astype(np.float64)


def _member(source: Source, archive: zipfile.ZipFile, key: str, name: str) -> np.ndarray:
    """Read one array, once its header agrees with the size of the member and the memory limit."""
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        source.error(None, f"{key}: expected a stored or deflated array, got another compression")
    with archive.open(info) as file:
        version = npy.read_magic(file)
        if version not in _HEADERS:
            source.error(
                None, f"{key}: expected version 1.0 or 2.0 of NumPy's format, got {version}"
            )
        shape, _, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            source.error(None, f"{key}: expected numbers, got Python objects, which are not read")
        size, held = math.prod(shape) * dtype.itemsize, info.file_size - file.tell()
        if min(shape, default=0) < 0 or size != held:
            source.error(
                None,
                f"{key}: expected {size:,} bytes for {dtype} of shape {shape}, got {held:,}",
            )
        frames = f"{key}, {dtype} of shape {shape}"
        source.charge(TABLE_COPIES * max(size, 8 * math.prod(shape)), frames)
    with archive.open(info) as file:
        return npy.read_array(file, allow_pickle=False)


def _csv(source: Source) -> _Table:
    text = source.data.decode("utf-8", errors="replace")
    rate, names, rows = None, None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line:
            continue
        if line.startswith("#"):
            found = _FPS.search(line)
            if found:
                if not _number(found[1]):
                    source.error(number, f"fps: expected a number, got {shown(found[1])}")
                rate = float(found[1])
            continue
        cells = [cell.strip() for cell in line.split(",")]
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            if names is None and not rows:
                names = cells
                continue
            bad = next(cell for cell in cells if not _number(cell))
            source.error(number, f"expected numbers, got {shown(bad)}")
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
            at = names.index("time")
            # Python numbers, which overflow without a warning; the rate is checked as any other.
            step = (rows[-1][at] - rows[0][at]) / (len(rows) - 1)
            rate = 1.0 / step if step else None
        if SOURCE in names:
            frames = table[:, names.index(SOURCE)]
        keep = [k for k, name in enumerate(names) if name not in ("frame", "time", SOURCE)]
        table, names = table[:, keep], [names[k] for k in keep]
    return _Table(table, names, rate, frames)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
