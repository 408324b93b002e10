"""Context queries: occlusion by other shapes, and counts, ranks and distances of labelled shapes.

The neighbours of a shape may be derived after it, and the answer may change them. So rules with
context queries are derived twice, as in CGA. The first derivation answers every query with its
default (false, 0, infinity) and records labelled shapes and every solid that comp splits; the second
one answers from these records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import occlusion
from supple.apps.grammar.geometry.occlusion import Body
from supple.apps.grammar.geometry.polygons import Floats
from supple.errors import SuppleError

TARGETS = ("intra", "inter", "all")
RANKS = {
    "world.northernmost": (2, 0, 1.0), "world.southernmost": (2, 1, -1.0),
    "world.easternmost": (0, 1, -1.0), "world.westernmost": (0, 0, 1.0),
    "world.highest": (1, 1, -1.0), "world.lowest": (1, 0, 1.0),
}  # fmt: skip
"""(axis, lowest (0) or highest (1) corner, sign): shapes are ranked by sign * coordinate, ascending."""
COMPARISONS = (*RANKS, "area.largest", "area.smallest")


class ContextNeededError(Exception):
    """A rule used a context query in a derivation that records no shapes."""


class Neighbour(Body):
    """A shape in the state in which it was recorded; `seed` identifies this record."""

    __slots__ = ("line", "seed")

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.geometry, shape.p, shape.R, shape.s)
        self.seed, above = shape.line
        self.line = (shape.seed, above)

    @cached_property
    def ancestors(self) -> set[int]:
        """Seeds of its ancestors."""
        return ancestors(self.line)


def ancestors(line: Any) -> set[int]:
    """The seeds in a linked list of ancestors; see `Shape.line`."""
    found = set()
    while line is not None:
        one, line = line
        found.add(one.seed if isinstance(one, Shape) else one)
    return found


class Context:
    """The shapes that a derivation recorded: labelled ones, and solids that comp split."""

    def __init__(self) -> None:
        self.solids: list[Neighbour] = []
        self.labelled: dict[str, list[Neighbour]] = {}
        self._found: dict[tuple[str, str], Floats] = {}

    def add(self, shape: Shape, label: str) -> None:
        """Record a shape in its current state under a label; without a label only if it is a solid."""
        if label:
            self.labelled.setdefault(label, []).append(Neighbour(shape))
        elif shape.geometry.closed and min(shape.s) > 0.0:
            self.solids.append(Neighbour(shape))

    def with_label(self, label: str) -> list[Neighbour]:
        """The shapes with a label; for "" all solids."""
        return self.labelled.get(label, []) if label else self.solids

    def bounds(self, label: str, which: str) -> Floats:
        """The "bounds" or "scope_bounds" of all shapes with a label, shape (N, 2, 3); cached."""
        return self._once((label, which), lambda one: getattr(one, which)).reshape(-1, 2, 3)

    def ranked(self, label: str, by: str) -> Floats:
        """The sorted rank keys of all shapes with a label, shape (N,); cached."""
        if (label, by) not in self._found:
            self._once((label, by), lambda one: _rank_key(one, by)).sort()
        return self._found[label, by]

    def _once(self, key: tuple[str, str], measure: Callable[[Neighbour], Any]) -> Floats:
        if key not in self._found:  # queried only after everything is recorded
            self._found[key] = np.array([measure(one) for one in self.with_label(key[0])])
        return self._found[key]


def _gaps(one: Floats, many: Floats) -> Floats:
    """Distances of axis-aligned boxes (N, 2, 3) from one box (2, 3), shape (N,)."""
    apart = np.maximum(many[:, 0] - one[1], one[0] - many[:, 1])
    return np.linalg.norm(np.maximum(apart, 0.0), axis=1)


def _unrelated(shape: Shape, above: set[int], one: Neighbour) -> bool:
    """True if neither shape is an ancestor of the other."""
    return one.seed not in above and shape.seed not in one.ancestors


def occludes(
    test: Callable[[Body, Body], bool], context: Context | None, shape: Shape, label: str
) -> bool:
    """True if a test holds for the shape and a recorded solid, of a label if one is given."""
    if context is None:
        return False
    body = _body(shape)
    if not body.faces:
        raise SuppleError("expected a shape with faces")
    every, above = context.with_label(label), ancestors(shape.line)
    gaps = _gaps(body.bounds, context.bounds(label, "bounds"))
    found = (every[k] for k in np.flatnonzero(gaps <= occlusion.ON_SURFACE_DISTANCE * body.extent))
    return any(one.closed and _unrelated(shape, above, one) and test(body, one) for one in found)


def _body(shape: Shape) -> Body:
    return Body(shape.geometry, shape.p, shape.R, shape.s)


def count(context: Context | None, label: str) -> float:
    """Number of shapes with a label."""
    return 0.0 if context is None else float(len(context.labelled.get(label, [])))


def rank(context: Context | None, shape: Shape, label: str, by: str) -> float:
    """Number of labelled shapes that rank before this one, by position or area."""
    if context is None or not label:
        return 0.0
    own = _rank_key(_body(shape), by)
    near = 1e-9 * (1.0 + abs(own))
    return float(np.searchsorted(context.ranked(label, by), own - near))


def _rank_key(body: Body, by: str) -> float:
    if by in RANKS:
        axis, end, sign = RANKS[by]
        return sign * float(body.bounds[end, axis])
    return -body.surface_area() if by == "area.largest" else body.surface_area()


def minimum_distance(context: Context | None, shape: Shape, label: str) -> float:
    """Distance to the nearest scope with a label; infinity if there is none."""
    if context is None:
        return math.inf
    body = _body(shape)
    every, above = context.with_label(label) if label else [], ancestors(shape.line)
    if not every:
        return math.inf
    gaps = _gaps(body.scope_bounds, context.bounds(label, "scope_bounds"))
    least = math.inf
    for k in np.argsort(gaps, kind="stable"):
        if gaps[k] >= least:
            break
        if _unrelated(shape, above, every[k]):
            least = min(least, occlusion.distance(body, every[k]))
    return least
