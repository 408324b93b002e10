"""Solving the IK rules of a derivation, with supple's own solvers.

Rules are solved in the order in which the derivation met them, each from the pose that those before
it left. Rules that share joints are solved together, so that all of them touch. Figures that do not
hang together are solved apart: a street of a thousand robots costs a thousand small solves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError, array, one_of
from supple.goals import Goal, LookAt, Reach
from supple.grammar.articulation.figure import Figure
from supple.grammar.geometry.frames import from_degrees, quaternion
from supple.grammar.language.errors import RuleError
from supple.grammar.operations.ik import PointOf, Wish
from supple.kernels import layout
from supple.outcome import Demand, Status, reason
from supple.pose import Pose
from supple.skeleton import Skeleton
from supple.solution import Solution
from supple.solve import solve
from supple.solvers import CCD, LM, Solver
from supple.solvers import named as solver_named

if TYPE_CHECKING:
    from supple.grammar.evaluate.shape import Store

THRESHOLD = 0.01  # of Kuehtreiber, section 4, as are the 50 iterations
ITERATIONS = 50


@dataclass(frozen=True)
class Touch:
    """How an IK rule ended.

    Attributes:
        shape: The shape that it was applied to, an index.
        effector: The tip of the skeleton that was to touch.
        target: Where, world, shape (3,).
        goal: The goal as `supple.solve` takes it.
        options: The other arguments of `supple.solve`.
        start: The pose that the solve started from, of `solution.skeleton`.
        solution: The answer; those of rules that were solved together are one.
        attribute: The attribute that the rule has its target from; "" if from something else.
        chain: The joints that the rule may move, from its own upwards.
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
    def _own(self) -> list[tuple[Demand, float]]:
        """What was asked of this rule's effector, and by how much it is missed."""
        solution = self.solution
        every = zip(solution.asked.demands, solution.errors.tolist(), strict=True)
        return [(demand, error) for demand, error in every if demand.effector == self.effector]

    @property
    def reached(self) -> bool:
        """Whether it touches, within its threshold."""
        return all(error <= demand.tolerance for demand, error in self._own)

    @property
    def error(self) -> float:
        """How far its effector is from its target, model units; of a rule that aims, radians."""
        return self._own[0][1]

    @property
    def reason(self) -> str:
        """Why it ended so, in words: of this rule alone, if several were solved together."""
        solution, own = self.solution, self._own
        if len(own) == len(solution.asked.demands):
            return solution.reason
        asked = replace(solution.asked, demands=tuple(demand for demand, _ in own))
        status = Status.REACHED if self.reached else solution.status
        limited = [name for name in solution.limited if name in self.chain]
        if status is Status.LIMITED and not limited:
            status = Status.STALLED  # the limits are in another rule's way
        beyond = None if self.reached else solution.out_of_reach
        others = beyond is not None and beyond.effector != self.effector
        said = reason(
            Status.REACHED if others else status,
            asked,
            [error for _, error in own],
            iterations=solution.iterations,
            limited=limited,
            beyond=None if others else beyond,
        )
        if beyond is not None and others:
            said += f"; it shares joints with {beyond.effector}, whose target is out of reach"
            said += "; the start pose is kept" if asked.kept else ""
        return said

    def __repr__(self) -> str:
        return f"Touch({self.effector!r}: {self.reason})"


def posed(
    figure: Figure,
    skeleton: Skeleton,
    store: Store,
    progress: Callable[[int, int], None] | None = None,
    *,
    elsewhere: Mapping[str, Any] | None = None,
    attributes: Mapping[int, str] | None = None,
) -> tuple[Pose, list[Touch], list[Pose]]:
    """The pose in which the IK rules are met.

    Args:
        figure: The joints and the IK rules.
        skeleton: Its skeleton.
        store: The shapes.
        progress: Called with (rules solved, of how many).
        elsewhere: Targets in place of those that the rules give, world, by the effector's name.
        attributes: Names of attributes by the id of their values.

    Returns:
        The pose, how each rule ended, and the poses on the way of the rules that keep their steps.
    """
    q = skeleton.packed.rest.copy()
    touches: dict[int, Touch] = {}
    way: list[Pose] = []
    trees: dict[int, list[int]] = {}
    for k in range(len(figure.joints)):
        trees.setdefault(figure.top(k), []).append(k)
    apart = len(trees) > 1
    small: dict[int, Skeleton] = {}
    groups = _groups(figure)
    nearby = Nearby(store)
    moved = {
        figure.tips.index(one_of("target", name, figure.tips)): array(f"target {name!r}", to, (3,))
        for name, to in (elsewhere or {}).items()
    }
    for done, group in enumerate(groups):
        if progress is not None:
            progress(done, len(groups))
        tree = figure.top(figure.wishes[group[0]].joint)
        if apart and tree not in small:
            small[tree] = figure.skeleton(trees[tree])
        own = small[tree] if apart else skeleton
        places = _places(own, skeleton) if apart else slice(None)
        start = Pose._wrap(own, np.array(q[places]))  # whose bits are to stay
        now = Pose._wrap(skeleton, q.copy())
        targets = {}
        for k in group:
            try:
                known = moved.get(k)
                targets[k] = (
                    _target(figure.wishes[k], figure, now, nearby) if known is None else known
                )
            except SuppleError as error:
                raise RuleError(*figure.wishes[k].said, f"IK: {error}") from None
        answers, steps = _solved(figure, group, targets, own, start)
        touches.update(answers)
        q[places] = answers[group[0]].solution.pose.coordinates
        for pose in steps:
            between = q.copy()
            between[places] = pose.coordinates
            way.append(Pose._wrap(skeleton, between))
    if progress is not None:
        progress(len(groups), len(groups))
    named = [
        replace(touches[k], attribute=(attributes or {}).get(id(wish.source), ""))
        for k, wish in enumerate(figure.wishes)
    ]
    return Pose._wrap(skeleton, q), named, way


def _groups(figure: Figure) -> list[list[int]]:
    """The rules that share joints, in the order of their first."""
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


def _places(own: Skeleton, whole: Skeleton) -> np.ndarray:
    """Where the coordinates of a part of a skeleton stand among those of the whole."""
    places: list[int] = []
    for name in own.joint_names:
        row = whole.packed_ints[whole.index(name)]
        first = int(row[layout.Q])
        places += range(first, first + int(row[layout.NQ]))
    return np.array(places, dtype=np.int64)


def _solved(
    figure: Figure,
    group: list[int],
    targets: dict[int, np.ndarray],
    skeleton: Skeleton,
    start: Pose,
) -> tuple[dict[int, Touch], list[Pose]]:
    wishes = [figure.wishes[k] for k in group]
    first = wishes[0]
    goals = [_goal(figure, k, targets[k]) for k in group]
    options: dict[str, Any] = {
        "solver": _solver(wishes, skeleton),
        "tolerance": min(wish.options.get("threshold", THRESHOLD) for wish in wishes),
        "lock": tuple(
            sorted({n for wish in wishes for j in figure.locked(wish) for n in figure.nodes_of(j)})
        ),
        "unreachable": first.options.get("unreachable", "approach"),
    }
    steps = any(wish.options.get("steps", False) for wish in wishes)
    wanted = max(wish.options.get("solution", 1) for wish in wishes)
    more: dict[str, Any] = {"trace": True} if steps else {}
    if wanted > 1 or "prefer" in first.options:
        more |= {"solutions": wanted, "prefer": first.options.get("prefer", "nearest")}
    try:
        answer = solve(skeleton, goals, start=start, **options, **more)
    except SuppleError as error:
        raise RuleError(*first.said, f"IK: {error}") from None
    way: list[Pose] = list(answer.trace.poses) if answer.trace is not None else []
    if wanted > 1:
        others = [answer, *answer.alternatives]
        if len(others) < wanted:
            raise RuleError(
                *first.said, f"IK: solution = {wanted}: there are only {len(others)} that touch"
            )
        answer = others[wanted - 1]
        if steps:
            way.append(answer.pose)
    made = {
        k: Touch(
            wish.shape,
            figure.tips[k],
            targets[k],
            goal,
            {**options, **more},
            start,
            answer,
            chain=tuple(name for joint in figure.chains[k] for name in figure.nodes_of(joint)),
        )
        for k, wish, goal in zip(group, wishes, goals, strict=True)
    }
    return made, way


def _solver(wishes: list[Wish], skeleton: Skeleton) -> Solver | str:
    """CCD as in the seed, unless a rule says otherwise or several effectors need another."""
    names = list(dict.fromkeys(w.options["solver"] for w in wishes if "solver" in w.options))
    iterations = max(wish.options.get("iterations", ITERATIONS) for wish in wishes)
    if len(names) > 1:
        raise RuleError(
            *wishes[0].said,
            f"IK: rules that share joints are solved together, by one solver; got {', '.join(names)}",
        )
    if not names:
        alone = len(wishes) == 1 and "aim" not in wishes[0].options
        return (CCD if alone else LM)(max_iterations=iterations)
    if names[0].casefold() == "auto":
        return "auto"
    try:
        kind = type(solver_named(names[0]))
    except SuppleError as error:
        raise RuleError(*wishes[0].said, f"IK: {error}") from None
    try:
        return kind(max_iterations=iterations)
    except TypeError:
        return kind()


def _goal(figure: Figure, k: int, target: np.ndarray) -> Goal:
    wish = figure.wishes[k]
    options = wish.options
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


class Nearby:
    """Finding, for a shape, the nearest one of a name or label in the tree of shapes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._named: dict[str, list[int]] = {}

    def find(self, name: str, shape: int) -> int:
        """The shape with the deepest common ancestor; of several such the first derived."""
        if name not in self._named:
            self._named[name] = self._all(name)
        found = self._named[name]
        if not found:
            raise SuppleError(f"shapePoint: there is no shape named or labelled {name!r}")
        parents = self.store.parents
        # Indices are in the order of derivation: what comes from a shape follows it at once, so the
        # nearest before and after are the only ones that can share the deepest ancestor.
        place = int(np.searchsorted(found, shape))
        near = [found[k] for k in (place - 1, place) if 0 <= k < len(found)]
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
        alike = [one for one in near if climb(one) == best]
        ancestor = next(k for k, height in above.items() if height == best)
        first = int(np.searchsorted(found, ancestor))
        if first < len(found) and climb(found[first]) == best:
            return found[first]
        return alike[0]

    def _all(self, name: str) -> list[int]:
        store = self.store
        found = {k for k, label in store.labels.items() if label == name}
        if name in store.name_list:
            which = store.name_list.index(name)
            found |= set(np.flatnonzero(store.integers("names") == which).tolist())
        return sorted(found)


def _target(wish: Wish, figure: Figure, pose: Pose, nearby: Nearby) -> np.ndarray:
    if not isinstance(wish.target, PointOf):
        return np.array(wish.target)
    store = nearby.store
    k = nearby.find(wish.target.shape, wish.shape)
    row = store.scope_array[k]
    world = row[:3] + row[6:].reshape(3, 3) @ (np.array(wish.target.at) * row[3:6])
    joint = store.joints[k]
    if joint < 0:
        return world
    record = figure.joints[joint]
    local = np.array(record.R).reshape(3, 3).T @ (world - np.array(record.p))
    frame = pose.frames[pose.skeleton.index(record.name)]
    return frame[:3, :3] @ local + frame[:3, 3]
