"""How a solve ended: its status, the goals it was given, and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError, brief
from supple.kernels import layout as at


class Status(IntEnum):
    """Why a solve ended."""

    REACHED = at.REACHED
    """Every counted goal is within its tolerance."""
    TOO_FAR = at.TOO_FAR
    """A target is farther away than the chain is long, with stretches and slides at their limits.

    Measured from the last point of the chain that no free joint moves. No pose reaches the target.
    """
    TOO_NEAR = at.TOO_NEAR
    """A target is nearer than the chain can fold. No pose reaches it."""
    LIMITED = at.LIMITED
    """Joint limits are in the way; `Solution.limited` names them.

    The pose is a local minimum inside the limits, and would not be one without them: no freedom that
    can still move brings the goals closer, while every named joint is at a limit, and moving past that
    limit would bring them closer. A freedom brings the goals closer if a change of at most 0.1 (rad, or
    characteristic lengths) lowers the sum of squared errors by a thousandth, by the linear model. As
    with any local minimum, another pose inside the limits may reach the goals.
    """
    STALLED = at.STALLED
    """The solver found no change of the free joints that brings the goals closer, and limits are not the cause.

    Avoid or Balance is in the way (`Solution.blocked_by` and the reason name the bones that must keep apart), goals
    contradict each other, a mechanism cannot get there, or the pose is a local minimum: another pose may reach
    the goals.
    """
    BUDGET = at.BUDGET
    """The iterations were used up while the free joints could still bring the goals closer."""
    OPEN_LOOP = at.OPEN_LOOP
    """A loop could not be closed: of the model, of a Connect or of a Weld."""
    COLLIDES = at.COLLIDES
    """Bones, or a bone and an obstacle, are nearer than the margin of Avoid; `Solution.collision`."""
    UNBALANCED = at.UNBALANCED
    """The centre of mass is not over its support, or too near to its edge; `Solution.off_balance`."""

    @property
    def words(self) -> str:
        """The status in words, such as "too far"."""
        return self.name.lower().replace("_", " ")

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


@dataclass(frozen=True, slots=True)
class BlockInfo:
    """One residual block of a problem, as a solution reports it.

    Attributes:
        goal: Index in the list of goals.
        kind: "position", "orientation", "direction" or "pole"; "meeting" (a distance) or "alignment" (an
            angle) for the ends of a loop; "span"; "own" for a custom goal.
        effector: Name of the joint or tip.
        tolerance: Model units, or radians.
        block: Index among the errors that a kernel reports.
        reason: The words of a custom goal, with {error}.
    """

    goal: int
    kind: str
    effector: str
    tolerance: float
    block: int
    reason: str = ""

    def miss(self, error: float) -> str:
        """The error in words."""
        if self.reason:
            return self.reason.format(error=f"{error:.3g}")
        return _say(self.kind, effector=self.effector, error=error)


@dataclass(frozen=True, slots=True)
class CarriedRoot:
    """A free root that may move although no goal names it.

    Attributes:
        name: Name of its topmost joint.
        slides: Indices of its slides in a pose's coordinates.
    """

    name: str
    slides: tuple[int, ...]

    def distance(self, start: np.ndarray, answer: np.ndarray) -> np.ndarray:
        """The distance that it moved between coordinates of shape (..., Q), in model units, shape (...)."""
        slides = list(self.slides)
        return np.linalg.norm(answer[..., slides] - start[..., slides], axis=-1)


@dataclass(frozen=True, slots=True)
class ProblemInfo:
    """What a solution reports about its problem.

    Attributes:
        demands: The residual blocks, in the order of the goals.
        moving: Names of the joints that were free.
        solver: The name of the solver that gave the answer; for a batch the names of all its solvers, in the
            order they are tried, with "then" between them. Not compared.
        kept: True if the start is returned where the goals were not reached.
        pairs: Names of the bones, or of a bone and an obstacle, that Avoid keeps apart.
        still_roots: Names of the free roots that stay, although `free_root=True` would let them move.
        carried_roots: The free roots that may move although no goal names them.
    """

    demands: tuple[BlockInfo, ...]
    moving: tuple[str, ...]
    solver: str = field(compare=False)
    kept: bool
    pairs: tuple[tuple[str, str], ...] = ()
    still_roots: tuple[str, ...] = ()
    carried_roots: tuple[CarriedRoot, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> ProblemInfo:
        """The problem that `to_json` described.

        Raises:
            SuppleError: The data is something else.
        """
        try:
            return cls(
                tuple(BlockInfo(**demand) for demand in data["demands"]),
                tuple(map(str, data["moving"])),
                str(data["solver"]),
                bool(data["kept"]),
                tuple((str(a), str(b)) for a, b in data.get("pairs", ())),
                tuple(map(str, data.get("still_roots", ()))),
                tuple(
                    CarriedRoot(str(root["name"]), tuple(map(int, root["slides"])))
                    for root in data.get("carried_roots", ())
                ),
            )
        except (KeyError, TypeError, ValueError) as error:
            fields = ", ".join(cls.__slots__)
            raise SuppleError(
                f"asked: expected an object with {fields}, got {brief(data)}"
            ) from error


class Collision(NamedTuple):
    """Two bones, or a bone and an obstacle, that are nearer than their margin.

    Attributes:
        a: Name of a joint.
        b: Name of another, or of an obstacle.
        depth: By how much they are nearer than the margin, model units.
    """

    a: str
    b: str
    depth: float


class OutOfReach(NamedTuple):
    """A target that no pose of its chain can reach, whatever its limits.

    Attributes:
        effector: Name of the effector.
        distance: Distance of the target from the start of the effector's chain, model units: the last
            point on the path to the effector that no free joint moves.
        reach: The greatest distance that the chain can reach; for a target that is too near the least.
    """

    effector: str
    distance: float
    reach: float


def summary(status: np.ndarray) -> str:
    """How many solves of a batch ended with each status."""
    counts: Mapping[Status, int] = {kind: int(np.sum(status == kind)) for kind in Status}
    parts = [f"{counts[Status.REACHED]} of {status.size} reached"]
    parts += [
        f"{count} {kind.words}"
        for kind, count in counts.items()
        if count and kind is not Status.REACHED
    ]
    return ", ".join(parts)


def counted(number: int, thing: str) -> str:
    """A number of things in words: "1 iteration", "2 iterations"."""
    return f"{number} {thing}{'s' * (number != 1)}"


# The words of a reason, for `reason` here and for the page's (see `supple.apps.viewer.typescript_kernels`).
# Numbers have three significant digits.
REASONS = {
    "position": "{effector} is {error} from its target",
    "orientation": "{effector} is {error} rad from its orientation",
    "direction": "{effector} looks {error} rad past its target",
    "meeting": "{effector} are {error} apart",
    "alignment": "{effector} are turned {error} rad from each other",
    "unasked": "nothing is asked for",
    "span": "{effector} is {error} from its vector",
    "open_loop": "a loop is open: {opening}; {miss}",
    "collides": "{a} and {b} are {depth} nearer than they may be; {miss}",
    "unbalanced": "the centre of mass is {topple} outside its support; {miss}",
    "kept": "{miss}; the start pose is kept",
    "unmoved": "no free joint moves {effector}; {miss}",
    "too_far": "the target of {effector} is {distance} from where its chain begins, "
    "which reaches no farther than {reach}; {miss}",
    "too_near": "the target of {effector} is {distance} from where its chain begins, "
    "which reaches no nearer than {reach}; {miss}",
    "limited": "the limits of {joints} are in the way; {miss}",
    "held": "{a} and {b} must keep apart, which is in the way; {miss}",
    "held_by_balance": "balance is in the way; {miss}",
    "hurried": "the speed and acceleration limits of {joints} are in the way; {miss}",
    "stalled": "no small change of the free joints helps; {miss}",
    "budget_of_one": "1 iteration was not enough for a tolerance of {tolerance}; {miss}",
    "budget": "{iterations} iterations were not enough for a tolerance of {tolerance}; {miss}",
    "root_still": "{reason}; the root {root} is kept still, and free_root=True lets it move",
    "root_moved": "{reason}; the root {root} moved by {distance}",
}


def reason(
    status: Status,
    asked: ProblemInfo,
    errors: Sequence[float],
    *,
    iterations: int,
    limited: Sequence[str],
    beyond: OutOfReach | None,
    hurried: bool = False,
    held: tuple[str, ...] | None = None,
    collision: Collision | None = None,
    imbalance: float = 0.0,
) -> str:
    """One sentence on why a single solve ended.

    Args:
        status: How it ended.
        asked: The problem.
        errors: The error of every block, NaN for one that the frame of a clip leaves out.
        iterations: Number of iterations.
        limited: Joints whose limits are in the way.
        beyond: The target that is out of reach.
        hurried: True if the limits in the way are those of speed and acceleration.
        held: The names of the pair that must keep apart and is in the way, () for balance, None for neither.
        collision: The pair that is deepest inside its margin.
        imbalance: Distance of the centre of mass outside its support, model units.
    """
    missed = [
        (error / demand.tolerance, demand, error)
        for demand, error in zip(asked.demands, errors, strict=True)
        if demand.kind != "pole" and error == error  # NaN: a clip does not ask for it in this frame
    ]
    if not missed:
        return REASONS["unasked"]
    _, worst, error = max(missed, key=lambda one: one[0])
    miss = worst.miss(error)
    if status is Status.REACHED:
        return miss
    if asked.kept:
        miss = _say("kept", miss=miss)
    if status is Status.OPEN_LOOP:
        loops = [one for one in missed if one[1].kind in ("meeting", "alignment")]
        _, loop, gap = max(loops or missed, key=lambda one: one[0])
        return _say("open_loop", opening=loop.miss(gap), miss=miss)
    if status is Status.COLLIDES and collision is not None:
        return _say("collides", **collision._asdict(), miss=miss)
    if status is Status.UNBALANCED:
        return _say("unbalanced", topple=imbalance, miss=miss)
    if beyond is not None:
        key = "unmoved" if beyond.reach == 0.0 else status.name.lower()
        return _say(key, **beyond._asdict(), miss=miss)
    if status is Status.LIMITED and hurried:
        return _say("hurried", joints=", ".join(limited), miss=miss)
    if status is Status.LIMITED:
        return _say("limited", joints=", ".join(limited), miss=miss)
    if status is Status.STALLED and held is not None:
        if not held:
            return _say("held_by_balance", miss=miss)
        return _say("held", a=held[0], b=held[1], miss=miss)
    if status is Status.STALLED:
        return _say("stalled", miss=miss)
    key = "budget_of_one" if iterations == 1 else "budget"
    return _say(key, iterations=iterations, tolerance=worst.tolerance, miss=miss)


# Statuses for which a free root that stays may be the reason that the goals are not met.
ROOT_MAY_HELP = (Status.TOO_FAR, Status.TOO_NEAR, Status.LIMITED, Status.STALLED)


def with_roots(said: str, statuses: Set[int], asked: ProblemInfo, moved: Sequence[float]) -> str:
    """A reason, with a note on free roots that stayed or moved.

    Args:
        said: The reason without the note.
        statuses: The status of the solve, or those of a batch.
        asked: The problem.
        moved: How far each of `asked.carried_roots` moved, model units; less than a tolerance is not mentioned.
    """
    if asked.still_roots and not statuses.isdisjoint(ROOT_MAY_HELP):
        said = _say("root_still", reason=said, root=", ".join(asked.still_roots))
    least = min((demand.tolerance for demand in asked.demands), default=0.0)
    for root, distance in zip(asked.carried_roots, moved, strict=True):
        if distance > least:
            said = _say("root_moved", reason=said, root=root.name, distance=distance)
    return said


def _say(key: str, **values: str | float) -> str:
    shown = {k: f"{v:.3g}" if isinstance(v, float) else v for k, v in values.items()}
    return REASONS[key].format(**shown)
