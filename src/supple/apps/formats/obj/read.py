"""Read the polygons of Wavefront OBJ files."""

from __future__ import annotations

import io
import math
from array import array
from pathlib import Path

import numpy as np

from supple.apps.formats.source import LARGEST_NUMBER, opened
from supple.errors import SuppleError


class TooManyTrianglesError(SuppleError):
    """A file has more triangles than its reader may take."""


def read_obj(
    path: Path, *, most_triangles: int | None = None
) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Points (V, 3) and polygons of an OBJ file; everything else is ignored.

    Args:
        path: The file.
        most_triangles: Reading stops at more triangles (a polygon of n corners counts as n - 2), or at more points
            than so many separate triangles have; None for no limit.

    Raises:
        SuppleError: The file cannot be read, or a line is invalid: "path:line: ...".
        TooManyTrianglesError: It has more than `most_triangles`.
    """
    points = array("d")
    faces: list[tuple[int, ...]] = []
    lines = array("q")  # of the faces
    triangles = 0
    most = math.inf if most_triangles is None else most_triangles
    number, line = 0, ""
    try:
        with (
            opened(path) as file,
            io.TextIOWrapper(file, "utf-8", "replace", newline="\n") as text,
        ):
            for line in text:
                number += 1
                words = line.split()
                if not words or words[0] not in ("v", "f"):
                    continue
                if words[0] == "v":
                    x, y, z = (float(word) for word in words[1:4])
                    if not all(
                        abs(one) <= LARGEST_NUMBER for one in (x, y, z)
                    ):  # NaN is refused too
                        raise ValueError
                    points.extend((x, y, z))
                    if len(points) > 9 * most:
                        raise TooManyTrianglesError(f"{path} has more than {3 * most:,} points")
                    continue
                numbers = [int(word.split("/")[0]) for word in words[1:]]
                count = len(points) // 3
                face = tuple(n - 1 if n > 0 else count + n for n in numbers)
                if len(face) < 3 or 0 in numbers or min(face) < 0:
                    raise ValueError
                faces.append(face)
                lines.append(number)
                triangles += len(face) - 2
                if triangles > most:
                    raise TooManyTrianglesError(f"{path} has more than {most:,} triangles")
    except SuppleError:
        raise
    except ValueError:
        found = line.strip()[:60]
        raise SuppleError(f"{path}:{number}: expected a point or a face, got {found!r}") from None
    count = len(points) // 3
    for number, face in zip(lines, faces, strict=True):  # a face may come before its points
        if max(face) >= count:
            raise SuppleError(
                f"{path}:{number}: expected points 1 to {count} for a face, got {max(face) + 1}"
            )
    return np.array(points, dtype=np.float64).reshape(-1, 3), faces
