"""Read the polygons of Wavefront OBJ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.errors import SuppleError


def read_obj(path: Path) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Points (V, 3) and polygons of an OBJ file; everything else is ignored.

    Raises:
        SuppleError: The file cannot be read, or a line is invalid: "path:line: ...".
    """
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SuppleError(f"{path}: cannot read it: {error.strerror or error}") from None
    for k, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        try:
            if words[0] == "v":
                x, y, z = (float(word) for word in words[1:4])
                points.append((x, y, z))
                continue
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            face = tuple(n - 1 if n > 0 else len(points) + n for n in numbers)
            if len(face) < 3 or 0 in numbers or min(face) < 0:
                raise ValueError
            faces.append(face)
        except ValueError:
            found = line.strip()[:60]
            raise SuppleError(f"{path}:{k}: expected a point or a face, got {found!r}") from None
    return np.array(points, dtype=np.float64).reshape(-1, 3), faces
