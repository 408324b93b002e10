"""What keeps a pose from its goals besides limits: bones that touch, obstacles, open loops, lost balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Polygon

from supple.apps.plot import marks, style
from supple.apps.plot.view import Floats, View
from supple.goals import Box, Goal, Plane
from supple.goals.mark import LoopMark, SolidMark, SupportMark
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose
from supple.rotations import between, rotate
from supple.solve.solution import Solution

CLOSED_LOOP_TOLERANCE = 1e-6  # of the pose's extent: a smaller gap is drawn as closed


@dataclass(frozen=True, eq=False)
class Machine:
    """The loops, collisions and balance of a pose, as they are drawn.

    Attributes:
        capsules: Of the bones, by joint; None to draw none.
        touching: Names of the two joints or obstacles that are too near to each other.
        obstacles: By name.
        center: The centre of mass, world, shape (3,); None to draw none.
        support: Corners of the support polygon, in order, world, shape (K, 3).
        balanced: Whether the centre of mass is over it.
        loops: World points that are held together, shape (L, 2, 3).
    """

    capsules: Mapping[str, Sequence[Capsule]] | None = None
    touching: tuple[str, ...] = ()
    obstacles: Mapping[str, Any] | None = None
    center: Floats | None = None
    support: Floats | None = None
    balanced: bool = True
    loops: Floats | None = None

    def points(self, pose: Pose) -> Floats:
        """Points that must be visible, world, shape (K, 3); planes have none."""
        found = [np.zeros((0, 3))]
        for one in (self.obstacles or {}).values():
            if isinstance(one, Box):
                found.append(_corners(one))
            elif isinstance(one, Capsule):
                ends = np.array([one.a, one.b])
                found += [ends + one.radius, ends - one.radius]
        found += [self.support] if self.support is not None else []
        found += [self.center[None]] if self.center is not None else []
        for ends, radius in marks.capsule_ends(pose, self.capsules or {}):
            found += [ends + radius, ends - radius]
        return np.concatenate(found)

    def draw(self, ax: Axes, view: View, pose: Pose) -> None:
        """Draw it all."""
        for name, one in (self.obstacles or {}).items():
            colour = style.PRESSED if name in self.touching else style.QUIET
            if isinstance(one, Capsule):
                marks.capsule(ax, view, np.array([one.a, one.b]), one.radius, colour)
            else:
                faces = _plane(one, pose) if isinstance(one, Plane) else _faces(one)
                _solid(ax, view, faces, colour)
        marks.capsules(ax, view, pose, self.capsules or {}, pressed=self.touching)
        if self.center is not None and self.support is not None:
            _balance(ax, view, self.center, self.support, self.balanced)
        for a, b in self.loops if self.loops is not None else ():
            extent = float(np.ptp(pose.positions, axis=0).max())
            gap = float(np.linalg.norm(b - a))
            colour = style.GOAL if gap <= CLOSED_LOOP_TOLERANCE * extent else style.PRESSED
            ax.plot(*view(np.stack([a, b])).T, "o-", color=colour, mfc="none", ms=7, mew=1.6,
                    zorder=marks.NAMES - 0.1)  # fmt: skip
            if gap > CLOSED_LOOP_TOLERANCE * extent:
                marks.write(
                    ax, f"{gap:.3g}", view(0.5 * (a + b)), np.array([0.0, 9.0]), colour=colour
                )


def machine_of(goals: Sequence[Goal], solution: Solution) -> Machine | None:
    """Loops, collisions and balance of a solution's goals; None if there are none."""
    pose = solution.pose
    parts: dict[str, Any] = {}
    loops: list[LoopMark] = []
    for mark in (one for goal in goals for one in goal.mark(solution.start, pose)):
        if isinstance(mark, LoopMark):
            loops.append(mark)
        elif isinstance(mark, SolidMark):
            hit = solution.collision
            parts["capsules"], parts["obstacles"] = mark
            parts["touching"] = (hit.a, hit.b) if hit is not None else ()
        elif isinstance(mark, SupportMark):
            parts["center"] = pose.center_of_mass
            parts["support"] = mark.outline(pose)
            parts["balanced"] = solution.off_balance == 0.0
    if not parts and not loops:
        return None
    return Machine(**parts, loops=np.array(loops).reshape(-1, 2, 3))


def _corners(box: Box) -> Floats:
    """The corners of a box in the world, shape (8, 3), counted in binary."""
    signs = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return np.array(box.center) + rotate(np.array(box.rotation), signs * np.array(box.size))


def _faces(box: Box) -> Floats:
    """The faces of a box in the world, shape (6, 4, 3)."""
    order = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    return _corners(box)[np.array(order)]


def _plane(plane: Plane, pose: Pose) -> Floats:
    """A square of a plane next to a pose, shape (1, 4, 3)."""
    at = pose.positions
    normal, point = np.array(plane.normal), np.array(plane.point)
    middle = 0.5 * (at.min(axis=0) + at.max(axis=0))
    middle = middle - ((middle - point) @ normal) * normal
    half = 0.6 * float(np.ptp(at, axis=0).max())
    turn = between((0.0, 0.0, 1.0), plane.normal)
    square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * half
    return (middle + rotate(turn, square))[None]


def _solid(ax: Axes, view: View, faces: Floats, colour: str) -> None:
    flat = list(view(faces))
    look: dict[str, Any] = {"edgecolors": colour, "linewidths": 0.9, "zorder": marks.SHADOW + 0.6}
    ax.add_collection(PolyCollection(flat, facecolors="none", alpha=0.8, **look))
    ax.add_collection(
        PolyCollection(flat, facecolors=colour, alpha=0.08, zorder=marks.SHADOW + 0.6)
    )


def _balance(ax: Axes, view: View, center: Floats, support: Floats, good: bool) -> None:
    """The support from above, the centre of mass, and a line straight down from it."""
    colour = style.STATUS[good]
    area: dict[str, Any] = {"closed": True, "zorder": marks.SHADOW + 0.8}
    ax.add_patch(Polygon(view(support), fc=colour, ec="none", alpha=0.25, **area))
    ax.add_patch(Polygon(view(support), fill=False, ec=colour, lw=1.2, **area))
    normal = np.linalg.svd(support - support.mean(axis=0))[2][2]
    k = int(np.argmax(np.abs(normal)))
    up = np.eye(3)[k]
    foot = center - ((center - support.mean(axis=0)) @ up) * up
    ax.plot(*view(np.stack([center, foot])).T, color=colour, lw=1.0, ls=(0, (2, 2)),
            zorder=marks.FRAMES)  # fmt: skip
    ax.plot(*view(foot), "x", color=colour, ms=6, mew=1.6, zorder=marks.FRAMES)
    x, y = view(center)
    ax.plot(x, y, "o", ms=11, mfc="white", mec=style.BONE, mew=1.6, zorder=marks.NAMES - 0.2)
    ax.plot(x, y, "P", ms=7, color=colour, mew=0.0, zorder=marks.NAMES - 0.1)
