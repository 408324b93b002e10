"""Read VTA, the shapes of an SMD mesh, as morph targets.

The first time lists all vertices that shapes move, at their base; every other time is a shape, and lists
the vertices it moves, with positions and normals in model space. Vertex numbers are those of the VTA
file: its vertices are matched to those of the mesh by position. Names are in comments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.smd.text import Section, sections, timed_rows
from supple.apps.formats.source import Source, decoded, distinct, shown
from supple.model.mesh import Morph

MATCH_DISTANCE = 1e-3  # largest distance of matching vertices, per extent of the shapes; not tuned
NORMAL_WEIGHT = 1e-5  # length that a unit difference of normals counts as, per extent; not tuned
MOST_SHAPES = 10_000  # in a file; not tuned
MORPH_BYTES = 48  # memory of a vertex of a morph target: change of position and normal [B]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Shapes:
    """The shapes of a VTA file.

    Attributes:
        source: The file.
        base: Position and normal of each vertex at the first time, shape (N, 6).
        names: Names of the shapes.
        moved: The vertices of each shape, as indices into `base`.
        changes: What each shape adds to their positions and normals, each of shape (M, 6).
    """

    source: Source
    base: Floats
    names: tuple[str, ...]
    moved: tuple[Ints, ...]
    changes: tuple[Floats, ...]

    def places(self, corners: Floats) -> Ints:
        """Match each corner (C, 6) of a mesh to a vertex, by position and normal; -1 for none."""
        extent = float(np.linalg.norm(np.ptp(self.base[:, :3], axis=0)))
        near = MATCH_DISTANCE * extent if extent > 0 else MATCH_DISTANCE
        apart = np.abs(corners - self.base) if corners.shape == self.base.shape else None
        if apart is not None and apart[:, :3].max(initial=0.0) <= near:
            return np.arange(len(corners))  # one for each corner, as most programs write them
        weigh = np.array([1.0] * 3 + [NORMAL_WEIGHT * (extent or 1.0)] * 3)
        found = _nearest(self.base, corners, near, weigh)
        if np.all(found < 0):
            self.source.warn("no vertex is where one of the mesh is: its shapes move nothing")
        return found

    def alike(self) -> Ints:
        """A group number for each vertex, equal where all shapes move them alike; the last is for none."""
        kinds = np.zeros(len(self.base) + 1, dtype=np.int64)
        highest = 0
        for moved, changes in zip(self.moved, self.changes, strict=True):
            some = np.any(changes != 0.0, axis=1)
            at = moved[some]
            rows = np.column_stack([kinds[at], changes[some]])
            _, inverse = np.unique(rows, axis=0, return_inverse=True)
            kinds[at] = highest + 1 + inverse.reshape(-1)
            highest += len(at)
        return kinds

    def morphs(self, places: Ints) -> tuple[Morph, ...]:
        """The shapes that move any of a mesh's vertices, as morph targets.

        Args:
            places: The index into `base` of each vertex of the mesh, -1 for none, shape (V,).

        Raises:
            SuppleError: They exceed the memory limit of the file.
        """
        order = np.argsort(places, kind="stable")
        ranked = places[order]
        found = []
        for name, moved, changes in zip(self.names, self.moved, self.changes, strict=True):
            low, high = (np.searchsorted(ranked, moved, side=side) for side in ("left", "right"))
            used = np.flatnonzero((high > low) & np.any(changes != 0.0, axis=1))
            if not len(used):
                continue
            what = f"{len(self.names)} shapes of {len(places)} vertices"
            self.source.charge(MORPH_BYTES * len(places), what)
            mine = np.zeros((len(places), 6))
            count = (high - low)[used]
            row = np.repeat(used, count)
            number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
            mine[order[low[row] + number]] = changes[row]
            found.append(Morph(name, mine[:, :3], mine[:, 3:] if np.any(mine[:, 3:]) else None))
        return tuple(found)


def _nearest(base: Floats, corners: Floats, near: float, weigh: Floats) -> Ints:
    """The vertex nearest to each corner, of those whose position is within `near`; -1 for none.

    Vertices are sorted into cells of the size `near`; a corner looks at its own cell and the 26 around.

    Args:
        base: Position and normal of the vertices, shape (N, 6).
        corners: The same of the corners, shape (C, 6).
        near: Largest distance between positions.
        weigh: Weight of each component in a distance, shape (6,).
    """
    unique, first = np.unique(base, axis=0, return_index=True)
    low = np.minimum(unique[:, :3].min(axis=0), corners[:, :3].min(axis=0, initial=np.inf))
    cells, wanted = (np.floor((x[:, :3] - low) / near) + 1.0 for x in (unique, corners))
    size = np.maximum(cells.max(axis=0), wanted.max(axis=0, initial=0.0)) + 2.0
    stride = np.array([size[1] * size[2], size[2], 1.0])  # exact in float64 for any real extent
    keys = cells @ stride
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    best = np.full(len(corners), np.inf)
    found = np.full(len(corners), -1, np.int64)
    for shift in np.ndindex(3, 3, 3):
        key = (wanted + (np.array(shift) - 1.0)) @ stride
        left = np.searchsorted(ranked, key, side="left")
        right = np.searchsorted(ranked, key, side="right")
        while np.any(left < right):  # one candidate of each corner at a time
            some = np.flatnonzero(left < right)
            vertex = order[left[some]]
            apart = unique[vertex] - corners[some]
            distance = np.linalg.norm(apart * weigh, axis=1)
            closer = (np.linalg.norm(apart[:, :3], axis=1) <= near) & (distance < best[some])
            best[some[closer]] = distance[closer]
            found[some[closer]] = first[vertex[closer]]
            left[some] += 1
    return found


def read_shapes(source: Source) -> Shapes:
    """Read a VTA file."""
    source.as_utf8()
    _, listed = sections(source)
    found = {section.name: section for section in listed}
    section = found.get("vertexanimation")
    if section is None or not section.lines:
        source.error(
            section and section.line, "expected a vertexanimation section with vertices, got none"
        )
    times, frame, rows, lines = timed_rows(
        source, section, what="a vertex, a position and a normal", width=7
    )
    numbers = rows[:, 0]
    for wrong, what in (
        (~((numbers >= 0) & (numbers == np.floor(numbers))), "the number of a vertex"),
        (np.isnan(rows[:, 1:4]).any(axis=1), "a position"),
    ):
        if wrong.any():
            k = int(np.argmax(wrong))
            text = section.lines[section.numbers.index(lines[k])]
            source.error(lines[k], f"expected {what}, got {shown(text)}")
    values = np.nan_to_num(rows[:, 1:], nan=0.0)
    if not np.array_equal(values, rows[:, 1:]):
        source.warn("some normals are no numbers: left as they are", line=section.line)
    order = np.argsort(times, kind="stable")
    # Rows are sorted by time: the first row of each time.
    edges: list[int] = np.searchsorted(frame, np.arange(len(times) + 1)).tolist()
    basis = int(order[0])
    first = np.arange(edges[basis], edges[basis + 1])
    if not len(first):
        source.error(section.line, "expected the vertices at the first time, got none")
    moving = [k for k in order[1:].tolist() if edges[k + 1] > edges[k]]
    if len(moving) > MOST_SHAPES:
        source.error(section.line, f"expected at most {MOST_SHAPES:,} shapes, got {len(moving):,}")
    known, at = np.unique(numbers[first], return_index=True)
    base = values[first[at]]
    names = _names(source, found, times)
    shapes = [
        _shape(source, np.arange(edges[k], edges[k + 1]), numbers, values, known, base, lines)
        for k in moving
    ]
    given = distinct([names[k] for k in moving], source, what="shape")
    return Shapes(
        source, base, tuple(given), tuple(one for one, _ in shapes), tuple(one for _, one in shapes)
    )


def _shape(
    source: Source,
    mine: Ints,
    numbers: Floats,
    values: Floats,
    known: Floats,
    base: Floats,
    lines: list[int],
) -> tuple[Ints, Floats]:
    """The vertices of a shape, as indices into the base, and what it adds to them."""
    at = np.minimum(np.searchsorted(known, numbers[mine]), len(known) - 1)
    there = known[at] == numbers[mine]
    if not there.all():
        k = int(np.argmin(there))
        source.warn(
            f"vertex {numbers[mine[k]]:g} is not among those of the first time: left out",
            line=lines[int(mine[k])],
        )
    at, mine = at[there], mine[there]
    places, last = np.unique(at[::-1], return_index=True)  # the last row of each vertex counts
    changes = values[mine[::-1][last]] - base[places]
    absent = ~np.any(values[mine[::-1][last], 3:], axis=1)
    changes[absent, 3:] = 0.0  # a zero normal means: keep that of the mesh
    return places, changes


def _names(source: Source, found: dict[str, Section], times: Floats) -> list[str]:
    """The names of the shapes, from the comments after their times."""
    text = source.data.removeprefix(b"\xef\xbb\xbf").splitlines()
    said: dict[float, str] = {}
    for section in (found.get("skeleton"), found["vertexanimation"]):
        if section is None:
            continue
        for line, number in zip(section.lines, section.numbers, strict=True):
            words = line.split()
            if len(words) < 2 or words[0].lower() != b"time":
                continue
            marks = [at for mark in (b"#", b"//", b";") if (at := text[number - 1].find(mark)) >= 0]
            name = text[number - 1][min(marks) :].lstrip(b"#/;").strip() if marks else b""
            try:
                if name:
                    said[float(words[1])] = decoded(name)
            except ValueError:
                continue  # a malformed time in the skeleton section, which is not used
    return [said.get(time, f"shape {time:g}") for time in times.tolist()]
