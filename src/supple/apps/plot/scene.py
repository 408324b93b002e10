"""A scene: poses and goals in one view, on a ground, ready to be drawn on one or more axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from supple.apps.plot import ground, marks, style
from supple.apps.plot.machine import Machine
from supple.apps.plot.view import Floats, View, choose
from supple.errors import SuppleError
from supple.goals import Goal, as_goals
from supple.goals.mark import PlaceMark
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose
from supple.solve.solution import Solution, Status

Goals = Mapping[str, Any] | Sequence[Goal] | Goal | None
MOST_NAMES = 24  # joints; with more, only effectors are named
NAME_SPACING = 0.03  # between points that are named, of the page's diagonal
MOST_DETAILED = 80  # joints; with more, frames would only be clutter


def marks_of(goals: Goals, start: Pose, end: Pose | None = None) -> list[PlaceMark]:
    """Marks of the targets of goals.

    A held joint is marked where `start` has it, a target on a bone where `end` (by default `start`) has that.
    """
    asked = as_goals(goals) if goals is not None else ()
    marked = [mark for goal in asked for mark in goal.mark(start, start if end is None else end)]
    found = [mark for mark in marked if isinstance(mark, PlaceMark)]
    for one in found:
        if np.ndim(one.point) != 1:
            raise SuppleError(
                f"goals: expected one target for {one.effector!r}, got a batch of them"
            )
    return found


Capsules = Mapping[str, Sequence[Capsule]] | None


@dataclass(frozen=True, eq=False)
class Detail:
    """How much of a pose is drawn.

    Attributes:
        frames: Whether to draw the axes of the joints' frames.
        limits: Whether to draw the joints' limits.
        names: Whether to write the names, or which; True leaves out most if there are many.
        scale: Factor of the size of lines and marks.
        capsules: What stands for each bone in collisions, by joint; None to draw none.
        machine: Loops, collisions and balance; None to draw none.
    """

    frames: bool = True
    limits: bool = True
    names: bool | Sequence[str] = True
    scale: float = 1.0
    capsules: Capsules = None
    machine: Machine | None = None


class Scene:
    """What is drawn, its view, and its extent on the page.

    Args:
        poses: Poses, or batches of poses, that must be visible.
        goals: Goals that must be visible.
        view: "flat", "space" or "auto".
        up: The world axis that points up in space.
        limits: Poses whose limits must be visible too.
        discs: Circles or spheres, (centre, radius), that must be visible.
        solids: More of these, which do not influence the choice of the view.
        beside: World points (K, 3) that must be visible and do not influence it either.
    """

    def __init__(
        self,
        poses: Iterable[Pose],
        goals: Sequence[PlaceMark] = (),
        *,
        view: str = "auto",
        up: str = "y",
        limits: Iterable[Pose] = (),
        discs: Sequence[tuple[Floats, float]] = (),
        solids: Sequence[tuple[Floats, float]] = (),
        beside: Floats | None = None,
    ) -> None:
        parts = [pose.positions.reshape(-1, 3) for pose in poses]
        self.goals = tuple(goals)
        self.points: Floats = np.concatenate([*parts, *(mark.point[None] for mark in goals)])
        across = None
        if discs and goals:  # a target out of reach must be seen to be outside
            across = goals[0].point - discs[0][0]
        self.view: View = choose(self.points, view=view, up=up, across=across)
        edges = [edge for pose in limits for _, edge, _ in marks.limit_regions(self.view, pose)]
        seen = np.concatenate([self.points, *edges, *([] if beside is None else [beside])])
        self.floor = None if self.view.flat else ground.floor_under(self.view, seen)
        if self.floor is not None:
            seen = np.concatenate([seen, self.floor.corners(self.view.axes[2])])
        self.low, self.high = ground.bounds(self.view, seen, (*discs, *solids))

    @property
    def slope(self) -> float:
        """Height of the page over its width."""
        width, height = self.high - self.low
        return float(height / width)

    def draw(
        self, ax: Axes, pose: Pose, *, detail: Detail | None = None, pressed: Sequence[str] = ()
    ) -> None:
        """Draw one pose, its goals and the ground.

        Args:
            ax: Where.
            pose: A single pose.
            detail: How much of it.
            pressed: Joints to mark because their limits are in the way.
        """
        view, detail = self.view, detail or Detail()
        if self.floor is None:
            ground.rulers(ax, view)
        else:
            ground.draw_floor(ax, view, self.floor)
            level = float(self.floor.box[0, view.axes[2]])
            marks.shadow(ax, view, pose, level, scale=detail.scale)
            for one in self.goals:
                marks.drop(ax, view, one.point, level)
        ax.set_xlim(self.low[0], self.high[0])
        ax.set_ylim(self.low[1], self.high[1])
        if detail.capsules is not None:
            marks.capsules(ax, view, pose, detail.capsules)
        if detail.machine is not None:
            detail.machine.draw(ax, view, pose)
        if detail.limits:
            marks.limits(ax, view, pose, pressed=pressed)
        marks.bones(ax, view, pose, pressed=pressed, scale=detail.scale)
        size = self._frame_size(pose)
        if detail.frames and len(pose.skeleton.joints) <= MOST_DETAILED:
            marks.frames(ax, view, pose, size)
        for one in self.goals:
            if one.sight:
                ends = view(np.stack([pose.position(one.effector), one.point]))
                ax.plot(*ends.T, color=style.GOAL, lw=0.9, ls=(0, (1, 2)), zorder=marks.GOALS - 0.1)
            marks.goal(ax, view, one.point, shape=one.shape, scale=detail.scale)
            if one.orientation is not None:
                marks.triad(ax, view, one.point, one.orientation, 1.6 * size)
        # A goal apart from its effector takes room beside the effector's name.
        far = 0.01 * float(np.linalg.norm(self.high - self.low))
        busy = {
            one.effector: one.point
            for one in self.goals
            if np.linalg.norm(view(one.point - pose.position(one.effector))) > far
        }
        marks.names(ax, view, pose, self._names(pose, detail.names), busy)

    def _names(self, pose: Pose, names: bool | Sequence[str]) -> list[str]:
        """The names asked for; of all names, those with room on the page, effectors first."""
        if names is not True:
            return list(dict.fromkeys(() if names is False else names))
        effectors = [one.effector for one in self.goals]
        joints = zip(pose.skeleton.joint_names, pose.skeleton.joints, strict=True)
        moving = [name for name, joint in joints if joint.freedom_count]
        every = dict.fromkeys([*effectors, *moving, *pose.skeleton.names])
        close = NAME_SPACING * float(np.linalg.norm(self.high - self.low))
        kept: dict[str, Floats] = {}
        for name in every if len(pose.skeleton.joints) <= MOST_NAMES else effectors:
            at = self.view(pose.position(name))
            if all(np.linalg.norm(at - other) > close for other in kept.values()):
                kept[name] = at
        return list(kept)

    def _frame_size(self, pose: Pose) -> float:
        """Length of the axes of joint frames [model units]."""
        at = pose.positions
        lengths = [float(np.linalg.norm(at[k] - at[a])) for k, a in marks.links(pose.skeleton)]
        extent = float(np.ptp(self.points, axis=0).max()) or 1.0
        usual = [x for x in lengths if x > 1e-9 * extent]
        return min(0.3 * float(np.median(usual)) if usual else extent, 0.06 * extent)

    def draw_around(
        self, ax: Axes, solution: Solution, *, start: bool = True, scale: float = 1.0
    ) -> None:
        """Draw the start of a solution, its other answers, its reach and its gaps."""
        if start and not np.array_equal(solution.start.coordinates, solution.pose.coordinates):
            marks.ghost(ax, self.view, solution.start, scale=scale)
            reached = [one.effector for one in self.goals if one.shape == "disc"]
            if reached:
                at = self.view(solution.start.position(reached[0]))
                marks.write(ax, "start", at, np.array([0.0, 11.0]), colour=style.GHOST)
        for k, other in enumerate(solution.alternatives):
            fade = min(0.1 * k, 0.6)
            marks.ghost(ax, self.view, other.pose, colour=style.OTHER, fade=fade, scale=scale)
        for centre, radius in reach_of(solution):
            marks.reach(ax, self.view, centre, radius)
        for demand, error in zip(solution.asked.demands, solution.errors.tolist(), strict=True):
            if demand.kind != "position" or error <= demand.tolerance:
                continue
            for one in self.goals:
                if one.shape == "disc" and one.effector == demand.effector:
                    tip = solution.position(one.effector)
                    marks.gap(ax, self.view, tip, one.point, f"{error:.3g}")


def reach_of(solution: Solution) -> list[tuple[Floats, float]]:
    """Where the chain of the goal that is out of reach begins, and how far or near it reaches."""
    beyond = solution.out_of_reach
    if beyond is None:
        return []
    above = solution.skeleton.path(None, beyond.effector)
    roots = [n for n in above if n in solution.asked.moving]
    radius = beyond.reach
    extent = float(np.ptp(solution.positions, axis=0).max())
    if not roots or radius > 50 * max(extent, 1e-300):
        return []  # a circle that would make everything else too small to see
    return [(solution.position(roots[0]), radius)]


def balls_of(pose: Pose, capsules: Capsules) -> list[tuple[Floats, float]]:
    """The ends of a pose's capsules in the world, as spheres (centre, radius)."""
    return [
        (end, radius) for ends, radius in marks.capsule_ends(pose, capsules or {}) for end in ends
    ]


def pressed_of(solution: Solution) -> tuple[str, ...]:
    """The joints whose limits are in the way."""
    return solution.limited if solution.status is Status.LIMITED else ()
