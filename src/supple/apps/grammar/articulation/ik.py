"""Solve the IK rules of a derivation with supple's solvers.

Rules are solved in the order of derivation, each starting from the pose left by those before. Rules
that share joints are solved together, so that all of them are met. Figures without common joints are
solved separately: a street of a thousand robots costs a thousand small solves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.apps.grammar.articulation.figure import Figure
from supple.apps.grammar.evaluate.joints import IKRule, ShapePoint
from supple.apps.grammar.evaluate.store import Store
from supple.apps.grammar.geometry.frames import from_degrees, quaternion
from supple.apps.grammar.language.errors import RuleError
from supple.errors import SuppleError, array, one_of
from supple.goals import Goal, LookAt, Reach
from supple.model.skeleton import Pose, Skeleton
from supple.solve.outcome import BlockInfo, Status, reason
from supple.solve.solution import Solution
from supple.solve.solve import solve
from supple.solvers import CCD, LM, Solver
from supple.solvers import named as solver_named

# Defaults of Kuehtreiber, "Inverse Kinematics for Shape Grammars", section 4
DEFAULT_THRESHOLD = 0.01  # [model units]
DEFAULT_ITERATIONS = 50  # of CCD, each a sweep over the joints


@dataclass(frozen=True)
class Touch:
    """The result of an IK rule.

    Attributes:
        shape: Index of the shape that the rule was applied to.
        effector: Name of the skeleton's tip that should touch the target.
        target: The target in world, shape (3,).
        goal: The goal as `supple.solve` takes it.
        options: The other arguments of `supple.solve`.
        start: The start pose of the solve, of `solution.skeleton`.
        solution: The solution; rules that were solved together share one.
        attribute: The attribute that gave the target; "" if it came from something else.
        chain: Names of the nodes that the rule may move, from its own joint upwards.
    """

    shape: int
    effector: str
    target: np.ndarray
    goal: Goal
    options: dict[str, Any]
    start: Pose
    solution: Solution
    attribute: str = ""
    chain: tuple[str, ...] = ()

    @property
    def _own(self) -> list[tuple[BlockInfo, float]]:
        """The demands on this rule's effector with their errors."""
        solution = self.solution
        every = zip(solution.asked.demands, solution.errors.tolist(), strict=True)
        return [(demand, error) for demand, error in every if demand.effector == self.effector]

    @property
    def reached(self) -> bool:
        """True if the effector is within the threshold of its target."""
        return all(error <= demand.tolerance for demand, error in self._own)

    @property
    def error(self) -> float:
        """Distance of the effector from its target, model units; radians for a rule with `aim`."""
        return self._own[0][1]

    @property
    def reason(self) -> str:
        """Why the solve ended, in words; for this rule alone if several were solved together."""
        solution, own = self.solution, self._own
        if len(own) == len(solution.asked.demands):
            return solution.reason
        asked = replace(solution.asked, demands=tuple(demand for demand, _ in own))
        status = Status.REACHED if self.reached else solution.status
        limited = [name for name in solution.limited if name in self.chain]
        if status is Status.LIMITED and not limited:
            status = Status.STALLED  # only joints of other rules are at their limits
        beyond = None if self.reached else solution.out_of_reach
        others = beyond is not None and beyond.effector != self.effector
        text = reason(
            Status.REACHED if others else status,
            asked,
            [error for _, error in own],
            iterations=solution.iterations,
            limited=limited,
            beyond=None if others else beyond,
        )
        if beyond is not None and others:
            text += f"; it shares joints with {beyond.effector}, whose target is out of reach"
            text += "; the start pose is kept" if asked.kept else ""
        return text

    def __repr__(self) -> str:
        return f"Touch({self.effector!r}: {self.reason})"


def solve_rules(
    figure: Figure,
    skeleton: Skeleton,
    store: Store,
    progress: Callable[[int, int], None] | None = None,
    *,
    targets: Mapping[str, Any] | None = None,
    attributes: Mapping[int, str] | None = None,
) -> tuple[Pose, list[Touch], list[Pose]]:
    """Solve all IK rules.

    Args:
        figure: The joints and the IK rules.
        skeleton: Its skeleton.
        store: The shapes.
        progress: Called with (groups of rules solved, number of groups).
        targets: Targets that replace those of the rules, in world, by the effector's name.
        attributes: Names of attributes by the id of their values.

    Returns:
        The pose, the result of each rule, and the iteration poses of rules with `steps = true`.
    """
    q = np.array(skeleton.rest.coordinates)
    touches: dict[int, Touch] = {}
    steps: list[Pose] = []
    trees: dict[int, list[int]] = {}
    for k in range(len(figure.joints)):
        trees.setdefault(figure.top(k), []).append(k)
    several = len(trees) > 1
    small: dict[int, Skeleton] = {}
    groups = _groups(figure)
    finder = ShapeFinder(store)
    moved = {
        figure.tips.index(one_of("target", name, figure.tips)): array(f"target {name!r}", to, (3,))
        for name, to in (targets or {}).items()
    }
    for done, group in enumerate(groups):
        if progress is not None:
            progress(done, len(groups))
        tree = figure.top(figure.rules[group[0]].joint)
        if several and tree not in small:
            small[tree] = figure.skeleton(trees[tree])
        own = small[tree] if several else skeleton
        indices = _coordinates(own, skeleton) if several else slice(None)
        start = Pose._wrap(own, np.array(q[indices]))  # a copy with exactly these bits
        now = Pose._wrap(skeleton, q.copy())
        group_targets = {}
        for k in group:
            try:
                known = moved.get(k)
                group_targets[k] = (
                    _target(figure.rules[k], figure, now, finder) if known is None else known
                )
            except SuppleError as error:
                raise RuleError(*figure.rules[k].defined_at, f"IK: {error}") from None
        answers, own_steps = _solved(figure, group, group_targets, own, start)
        touches.update(answers)
        q[indices] = answers[group[0]].solution.pose.coordinates
        for pose in own_steps:
            between = q.copy()
            between[indices] = pose.coordinates
            steps.append(Pose._wrap(skeleton, between))
    if progress is not None:
        progress(len(groups), len(groups))
    named = [
        replace(touches[k], attribute=(attributes or {}).get(id(rule.source), ""))
        for k, rule in enumerate(figure.rules)
    ]
    return Pose._wrap(skeleton, q), named, steps


def _groups(figure: Figure) -> list[list[int]]:
    """Groups of rules that share joints, ordered by their first rule."""
    leader: dict[int, int] = {}  # joint: group
    groups: dict[int, list[int]] = {}
    for k, chain in enumerate(figure.chains):
        merged = sorted({leader[j] for j in chain if j in leader})
        home = merged[0] if merged else k
        members = [one for group in merged for one in groups.pop(group)] + [k]
        groups[home] = sorted(members)
        for one in members:
            for joint in figure.chains[one]:
                leader[joint] = home
    return [groups[k] for k in sorted(groups)]


def _coordinates(own: Skeleton, whole: Skeleton) -> np.ndarray:
    """Indices of the coordinates of a part of a skeleton in those of the whole."""
    every = np.arange(whole.freedom_table.coordinate_count)
    parts = [every[whole.freedom_table.coordinates_of(whole.index(n))] for n in own.joint_names]
    return np.concatenate([every[:0], *parts])


def _solved(
    figure: Figure,
    group: list[int],
    targets: dict[int, np.ndarray],
    skeleton: Skeleton,
    start: Pose,
) -> tuple[dict[int, Touch], list[Pose]]:
    rules = [figure.rules[k] for k in group]
    first = rules[0]
    goals = [_goal(figure, k, targets[k]) for k in group]
    options: dict[str, Any] = {
        "solver": _solver(rules, skeleton),
        "tolerance": min(rule.options.get("threshold", DEFAULT_THRESHOLD) for rule in rules),
        "lock": tuple(
            sorted({n for rule in rules for j in figure.locked(rule) for n in figure.nodes_of(j)})
        ),
        "free_root": True,  # the rules say which joints' positions are free
        "unreachable": first.options.get("unreachable", "approach"),
    }
    steps = any(rule.options.get("steps", False) for rule in rules)
    wanted = max(rule.options.get("solution", 1) for rule in rules)
    more: dict[str, Any] = {"trace": True} if steps else {}
    if wanted > 1 or "prefer" in first.options:
        more |= {"solutions": wanted, "prefer": first.options.get("prefer", "nearest")}
    try:
        answer = solve(skeleton, goals, start=start, **options, **more)
    except SuppleError as error:
        raise RuleError(*first.defined_at, f"IK: {error}") from None
    poses: list[Pose] = list(answer.trace.poses) if answer.trace is not None else []
    if wanted > 1:
        others = [answer, *answer.alternatives]
        if len(others) < wanted:
            raise RuleError(
                *first.defined_at,
                f"IK: solution = {wanted}: there are only {len(others)} solutions",
            )
        answer = others[wanted - 1]
        if steps:
            poses.append(answer.pose)
    made = {
        k: Touch(
            rule.shape,
            figure.tips[k],
            targets[k],
            goal,
            {**options, **more},
            start,
            answer,
            chain=tuple(name for joint in figure.chains[k] for name in figure.nodes_of(joint)),
        )
        for k, rule, goal in zip(group, rules, goals, strict=True)
    }
    return made, poses


def _solver(rules: list[IKRule], skeleton: Skeleton) -> Solver | str:
    """CCD for one effector and LM for several or an aim, unless a rule names a solver."""
    names = list(
        dict.fromkeys(rule.options["solver"] for rule in rules if "solver" in rule.options)
    )
    iterations = max(rule.options.get("iterations", DEFAULT_ITERATIONS) for rule in rules)
    if len(names) > 1:
        raise RuleError(
            *rules[0].defined_at,
            f"IK: rules that share joints are solved together, by one solver; got {', '.join(names)}",
        )
    if not names:
        alone = len(rules) == 1 and "aim" not in rules[0].options
        return (CCD if alone else LM)(max_iterations=iterations)
    if names[0].casefold() == "auto":
        return "auto"
    try:
        kind = type(solver_named(names[0]))
    except SuppleError as error:
        raise RuleError(*rules[0].defined_at, f"IK: {error}") from None
    try:
        return kind(max_iterations=iterations)
    except TypeError:
        return kind()


def _goal(figure: Figure, k: int, target: np.ndarray) -> Goal:
    rule = figure.rules[k]
    options = rule.options
    reach: dict[str, Any] = {"weight": options.get("weight", 1.0)}
    sliding = any("position" in figure.joints[j].freedoms for j in figure.chains[k])
    if sliding and figure.chains[k]:
        reach["root"] = figure.nodes_of(figure.chains[k][-1])[0]
    elif "root" in options:
        reach["root"] = figure.joints[figure.chains[k][-1]].name if figure.chains[k] else None
    else:
        reach["depth"] = options.get("depth", 0)
    if "aim" in options:
        if "depth" in reach and "depth" not in options:
            reach["depth"] = 1
        return LookAt(figure.tips[k], target, axis=options["aim"], **reach)
    if "orientation" in options:
        turn = quaternion(from_degrees(*options["orientation"]))
        return Reach(figure.tips[k], target, orientation=turn, **reach)
    return Reach(figure.tips[k], target, **reach)


# Points of other shapes ---------------------------------------------------------------------------


class ShapeFinder:
    """Finds the nearest shape of a name or label in the tree of shapes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._named: dict[str, list[int]] = {}

    def find(self, name: str, shape: int) -> int:
        """The shape that shares the deepest ancestor with a shape; the first derived of several."""
        if name not in self._named:
            self._named[name] = self.store.named(name)
        found = self._named[name]
        if not found:
            raise SuppleError(f"shapePoint: there is no shape named or labelled {name!r}")
        parents = self.store.parents
        # Indices are in depth-first order: a shape's descendants follow it directly, so only the
        # nearest candidates before and after can share the deepest ancestor.
        after = int(np.searchsorted(found, shape))
        near = [found[k] for k in (after - 1, after) if 0 <= k < len(found)]
        above = {}
        k, height = shape, 0
        while k >= 0:
            above[k] = height
            k, height = parents[k], height + 1

        def climb(other: int) -> int:
            while other not in above:
                other = parents[other]
            return above[other]

        best = min(climb(one) for one in near)
        closest = [one for one in near if climb(one) == best]
        ancestor = next(k for k, height in above.items() if height == best)
        first = int(np.searchsorted(found, ancestor))
        if first < len(found) and climb(found[first]) == best:
            return found[first]
        return closest[0]


def _target(rule: IKRule, figure: Figure, pose: Pose, finder: ShapeFinder) -> np.ndarray:
    if not isinstance(rule.target, ShapePoint):
        return np.array(rule.target)
    store = finder.store
    k = finder.find(rule.target.shape, rule.shape)
    row = store.scope_array[k]
    world = row[:3] + row[6:].reshape(3, 3) @ (np.array(rule.target.at) * row[3:6])
    joint = store.joints[k]
    if joint < 0:
        return world
    record = figure.joints[joint]
    local = np.array(record.R).reshape(3, 3).T @ (world - np.array(record.p))
    frame = pose.frames[pose.skeleton.index(record.name)]
    return frame[:3, :3] @ local + frame[:3, 3]
