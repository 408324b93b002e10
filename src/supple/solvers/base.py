"""What all solvers have in common: options, a kernel, and which problems they can take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from supple.errors import SuppleError, flag, number, positive, whole
from supple.kernels import layout as at
from supple.model.joints import KINDS
from supple.problem.lowering import Problem

JOINT_KINDS = tuple(KINDS)
GOAL_KINDS = (
    "position", "orientation", "direction", "hold", "pole", "rest", "loop", "avoid", "balance",
    "moving target", "own",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Takes:
    """What a solver can take: one row of the published matrix.

    Attributes:
        joints: Joint kinds it can move, of JOINT_KINDS; all of these mean any kind, also one outside supple.
        goals: Goal kinds it can serve, of GOAL_KINDS; all of these mean any kind, also one outside supple.
        several: Whether it can serve several goals at once.
        stretch: Whether it can stretch joints.
        mimic: Whether it can move joints that copy others.
        remark: What else it needs, in a few words.
    """

    joints: frozenset[str]
    goals: frozenset[str]
    several: bool = False
    stretch: bool = False
    mimic: bool = False
    remark: str = ""


EVERYTHING = Takes(
    joints=frozenset(JOINT_KINDS),
    goals=frozenset(GOAL_KINDS),
    several=True,
    stretch=True,
    mimic=True,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in a solver's paper that it costs less than another solver. `supple compare` tests it.

    Attributes:
        source: The paper.
        measure: The cost, a field of `supple.apps.cli.commands.compare_measure.Row`.
        than: The name of the solver that costs more.
    """

    source: str
    measure: str
    than: str


def _solve_in_python(solver: Solver, *arguments: Any, problem: Problem) -> None:
    """The kernel of a solver in plain Python: problems first..last-1 of a batch, by `Solver.solve`.

    It takes the problem too, for what packed arrays do not tell: names, and joints that no goal touches.
    """
    from supple.solvers import own  # kernels, which only such a solver needs

    own.run(solver, *arguments, problem=problem)


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A solver: a frozen set of options, and the kernel that runs with them.

    A custom solver is a frozen dataclass with keyword-only options that derives from this class,
    sets `name` and `takes`, and either overrides `solve`, in plain Python, or sets `kernel` to a
    compiled `solve_range` (a staticmethod), as every file of `supple.solvers` does. If something is
    missing, using the solver is an error. See `supple.solvers.own`.

    Args:
        max_iterations: Sweeps or Newton steps in all, restarts included.

    Attributes:
        name: Its name in messages and in `Solution.asked.solver`.
        takes: What it can take, a `supple.solvers.Takes`.
        claims: The claims of its paper, each a `supple.solvers.Claim`.
        kernel: Solves problems first..last-1 of a batch; by default in plain Python, by `solve`.
    """

    name: ClassVar[str]
    takes: ClassVar[Takes]
    claims: ClassVar[tuple[Claim, ...]] = ()
    kernel: ClassVar[Callable[..., Any]] = _solve_in_python

    max_iterations: int = 100

    def __post_init__(self) -> None:
        """Check the options that all solvers share; a solver with more options overrides this."""
        self._whole("max_iterations")

    def solve(self, search: Any) -> None:
        """Solve one problem in plain Python.

        Args:
            search: The problem, a `supple.solvers.own.Search`. The answer is the best pose that it has evaluated.
        """
        raise SuppleError(
            f"solver {self._called}: expected a method solve(self, search), or a kernel"
        )

    @property
    def is_python(self) -> bool:
        """True if problems are solved by the method `solve`, False if by a compiled kernel."""
        return getattr(type(self), "kernel", None) is _solve_in_python

    def check_defined(self) -> None:
        """Check that the class is complete.

        Raises:
            SuppleError: Something is missing; the message says what, and how to define it.
        """
        name, cls = getattr(self, "name", None), type(self)
        missing = []
        if not isinstance(name, str) or not name.strip():
            missing.append('a name, as in name = "Mine"')
        if not isinstance(getattr(self, "takes", None), Takes):
            missing.append("what it takes, as in takes = supple.solvers.EVERYTHING")
        if not callable(getattr(self, "kernel", None)):
            missing.append("a kernel that can be called, as in kernel = staticmethod(solve_range)")
        elif self.is_python and cls.solve is Solver.solve:
            missing.append("a method solve(self, search), or a kernel")
        if missing:
            raise SuppleError(
                f"solver {cls.__name__}: expected {'; '.join(missing)} (see supple.Solver), "
                "or derive from a solver that has them, such as supple.LM"
            )

    @property
    def _called(self) -> str:
        """Its name, or that of its class if it has none yet."""
        return getattr(self, "name", type(self).__name__)

    def _whole(self, option: str, *, least: int = 0) -> None:
        """Check that an option is a whole number."""
        value = whole(f"{self._called}: {option}", getattr(self, option), least=least)
        object.__setattr__(self, option, value)

    def _positive(self, option: str) -> None:
        """Check that an option is a finite number above 0."""
        value = positive(f"{self._called}: {option}", getattr(self, option))
        object.__setattr__(self, option, value)

    def _fraction(self, option: str) -> None:
        """Check that an option is a number between 0 and 1, neither included."""
        expected = "a number between 0 and 1, neither included"
        value = number(
            f"{self._called}: {option}", getattr(self, option), expected, lambda x: 0.0 < x < 1.0
        )
        object.__setattr__(self, option, value)

    def _flag(self, option: str) -> None:
        """Check that an option is True or False."""
        object.__setattr__(self, option, flag(f"{self._called}: {option}", getattr(self, option)))

    @property
    def most_iterations(self) -> int:
        """At most how many iterations a solve reports."""
        return self.max_iterations

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them: the fields in order, None as infinity."""
        if self.is_python:
            return ()
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(math.inf if value is None else float(value) for value in values)

    def refusal(self, problem: Problem) -> str | None:
        """Why this solver cannot take a problem that the matrix allows; None if it can."""
        del problem
        return None

    def events_per_iteration(self, problem: Problem) -> int:
        """At most how many trace events one iteration records."""
        del problem
        return 0


def _moves(takes: Takes, kind: str) -> bool:
    """True if a solver can move joints of a kind, the name of their class."""
    return kind in takes.joints or takes.joints.issuperset(JOINT_KINDS)


def _serves(takes: Takes, kind: str) -> bool:
    """True if a solver can serve goals of a kind."""
    return kind in takes.goals or takes.goals.issuperset(GOAL_KINDS)


def _needs(problem: Problem) -> list[tuple[str, Callable[[Takes], bool]]]:
    """Everything a problem needs from a solver: in words, and as a test of a row of the matrix."""
    needs: list[tuple[str, Callable[[Takes], bool]]] = []
    ints = problem.skeleton.packed_ints
    names = problem.skeleton.joint_names
    for joint in problem.moving.tolist():
        kind = type(problem.skeleton.joints[joint]).__name__
        needs.append((f"{kind} joints ({names[joint]!r})", lambda t, k=kind: _moves(t, k)))
        if ints[joint, at.MIMIC] >= 0:
            needs.append((f"mimic joints ({names[joint]!r})", lambda t: t.mimic))
        if ints[joint, at.STRETCH_Q] >= 0:
            needs.append((f"stretch ({names[joint]!r})", lambda t: t.stretch))
    primary = 0
    for goal in problem.goals:
        primary += goal.counts
        for kind in goal.kinds:
            needs.append((f"{kind} goals", lambda t, k=kind: _serves(t, k)))
    if primary > 1:
        needs.append(("several goals at once", lambda t: t.several))
    return needs


def check(solver: Solver, problem: Problem, others: Callable[[], tuple[type[Solver], ...]]) -> None:
    """Raise a SuppleError that names the solvers that can, if this one cannot take the problem."""
    needs = _needs(problem)
    missing = next((what for what, test in needs if not test(solver.takes)), None)
    if missing is None:
        refusal = solver.refusal(problem)
        if refusal is None:
            return
        missing = refusal
    able = [
        o.name
        for o in others()
        if all(test(o.takes) for _, test in needs) and o.name != solver.name
    ]
    raise SuppleError(f"{solver.name} cannot take {missing}; {', '.join(able) or 'no solver'} can")
