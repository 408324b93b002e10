"""Read the polygons of Wavefront OBJ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.errors import SuppleError
from supple.formats.source import GREATEST, Source


def read_obj(path: Path) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Points (V, 3) and polygons of an OBJ file; everything else is ignored.

    Raises:
        SuppleError: The file cannot be read, or a line is invalid: "path:line: ...".
    """
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    lines: list[int] = []  # of the faces
    text = Source.open(path).data.decode("utf-8", "replace")
    for k, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        try:
            if words[0] == "v":
                x, y, z = (float(word) for word in words[1:4])
                if not all(abs(one) <= GREATEST for one in (x, y, z)):  # NaN is refused too
                    raise ValueError
                points.append((x, y, z))
                continue
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            face = tuple(n - 1 if n > 0 else len(points) + n for n in numbers)
            if len(face) < 3 or 0 in numbers or min(face) < 0:
                raise ValueError
            faces.append(face)
            lines.append(k)
        except ValueError:
            found = line.strip()[:60]
            raise SuppleError(f"{path}:{k}: expected a point or a face, got {found!r}") from None
    for line, face in zip(lines, faces, strict=True):  # a face may come before its points
        if max(face) >= len(points):
            raise SuppleError(
                f"{path}:{line}: expected points 1 to {len(points)} for a face, got {max(face) + 1}"
            )
    return np.array(points, dtype=np.float64).reshape(-1, 3), faces
