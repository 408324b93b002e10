"""What rules ask about the shapes around one: touches, inside, overlaps, counts, ranks, distances.

The neighbours of a shape may come after it, and what it learns may change them. So rules that ask are
derived twice, as CGA does it: at first every question has its plain answer (no, none, infinitely
far), and what has a label and every solid that comp takes apart is noted; then everything is derived
again, and the questions are answered from the notes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.geometry import occlusion as meeting
from supple.grammar.geometry.mesh import Floats
from supple.grammar.geometry.occlusion import Body

if TYPE_CHECKING:
    from supple.grammar.evaluate.modules import Module
    from supple.grammar.evaluate.shape import Shape

TARGETS = ("intra", "inter", "all")
RANKS = {
    "world.northernmost": (2, 0, 1.0), "world.southernmost": (2, 1, -1.0),
    "world.easternmost": (0, 1, -1.0), "world.westernmost": (0, 0, 1.0),
    "world.highest": (1, 1, -1.0), "world.lowest": (1, 0, 1.0),
}  # fmt: skip
"""Which coordinate, of the least (0) or the greatest (1) corner, and its sign: the least is first."""
COMPARISONS = (*RANKS, "area.largest", "area.smallest")


class WantedError(Exception):
    """A rule has asked about neighbours, and nothing was noted: derive again, and note it."""


class Neighbour(Body):
    """A shape as it was when it was noted; `seed` is of that, not of the shape."""

    __slots__ = ("line", "seed")

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.geometry, shape.p, shape.R, shape.s)
        self.seed, above = shape.line
        self.line = (shape.seed, above)

    @cached_property
    def ancestors(self) -> set[int]:
        """The seeds of the shapes it came from."""
        return ancestors(self.line)


def ancestors(line: Any) -> set[int]:
    """The seeds of a line of shapes, each (its seed, the line above)."""
    found = set()
    while line is not None:
        seed, line = line
        found.add(seed)
    return found


class Surroundings:
    """The shapes that a derivation has noted: solids that comp took apart, and those with labels."""

    def __init__(self) -> None:
        self.solids: list[Neighbour] = []
        self.labelled: dict[str, list[Neighbour]] = {}
        self._found: dict[tuple[str, str], Floats] = {}

    def add(self, shape: Shape, label: str) -> None:
        """Note a shape as it is now, under its label; without one, if it is a solid."""
        if label:
            self.labelled.setdefault(label, []).append(Neighbour(shape))
        elif shape.geometry.closed and min(shape.s) > 0.0:
            self.solids.append(Neighbour(shape))

    def with_label(self, label: str) -> list[Neighbour]:
        """Those of a label; all solids for ""."""
        return self.labelled.get(label, []) if label else self.solids

    def bounds(self, label: str, which: str) -> Floats:
        """The "bounds" or "scope_bounds" of all of a label, found once: shape (N, 2, 3)."""
        return self._once((label, which), lambda one: getattr(one, which)).reshape(-1, 2, 3)

    def ranked(self, label: str, by: str) -> Floats:
        """What all of a label are ranked by, the first first, shape (N,)."""
        if (label, by) not in self._found:
            self._once((label, by), lambda one: _measure(one, by)).sort()
        return self._found[label, by]

    def _once(self, key: tuple[str, str], measure: Callable[[Neighbour], Any]) -> Floats:
        if key not in self._found:  # asked when everything is noted
            self._found[key] = np.array([measure(one) for one in self.with_label(key[0])])
        return self._found[key]


def _gaps(one: Floats, many: Floats) -> Floats:
    """How far boxes (N, 2, 3) are from one (2, 3), in the world's axes, shape (N,)."""
    apart = np.maximum(many[:, 0] - one[1], one[0] - many[:, 1])
    return np.linalg.norm(np.maximum(apart, 0.0), axis=1)


def _apart(shape: Shape, above: set[int], one: Neighbour) -> bool:
    """Whether neither comes from the other."""
    return one.seed not in above and shape.seed not in one.ancestors


def _noted(module: Module, target: str) -> Surroundings | None:
    """What an earlier derivation noted; None if there is nothing to answer from."""
    run = module.derivation
    if run.notes is None and run.known is None:
        raise WantedError
    # There is one first shape, so that nothing comes from another.
    return None if target == "inter" else run.known


def occluded(test: Any) -> Any:
    """A question whether a shape meets a solid among its neighbours, one that has a label."""

    def answer(module: Module, shape: Shape, target: str = "all", label: str = "") -> bool:
        known = _noted(module, target)
        if known is None:
            return False
        body = Body(shape.geometry, shape.p, shape.R, shape.s)
        if not body.faces:
            raise SuppleError("expected a shape with faces")
        every, above = known.with_label(label), ancestors(shape.line)
        gaps = _gaps(body.bounds, known.bounds(label, "bounds"))
        found = (every[k] for k in np.flatnonzero(gaps <= meeting.NEAR * body.extent))
        return any(one.closed and _apart(shape, above, one) and test(body, one) for one in found)

    return answer


def count(module: Module, shape: Shape, target: str, label: str) -> float:
    """How many shapes have a label."""
    known = _noted(module, target)
    return 0.0 if known is None else float(len(known.labelled.get(label, [])))


def rank(module: Module, shape: Shape, target: str, label: str, by: str) -> float:
    """How many shapes with a label come before this one, by place or by area."""
    known = _noted(module, target)
    if known is None or not label:
        return 0.0
    own = _measure(Body(shape.geometry, shape.p, shape.R, shape.s), by)
    near = 1e-9 * (1.0 + abs(own))
    return float(np.searchsorted(known.ranked(label, by), own - near))


def _measure(body: Body, by: str) -> float:
    if by in RANKS:
        axis, end, sign = RANKS[by]
        return sign * float(body.bounds[end, axis])
    return -body.area() if by == "area.largest" else body.area()


def least_distance(module: Module, shape: Shape, target: str, label: str) -> float:
    """How far the nearest scope with a label is; infinitely far if there is none."""
    known = _noted(module, target)
    if known is None:
        return math.inf
    body = Body(shape.geometry, shape.p, shape.R, shape.s)
    every, above = known.with_label(label) if label else [], ancestors(shape.line)
    if not every:
        return math.inf
    gaps = _gaps(body.scope_bounds, known.bounds(label, "scope_bounds"))
    least = math.inf
    for k in np.argsort(gaps, kind="stable"):
        if gaps[k] >= least:
            break
        if _apart(shape, above, every[k]):
            least = min(least, meeting.distance(body, every[k]))
    return least
