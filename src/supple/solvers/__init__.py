"""Every solver, one file each, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import plugins
from supple.errors import SuppleError, brief, one_of
from supple.kernels import layout
from supple.problem.lowering import Problem
from supple.solvers.base import EVERYTHING, GOAL_KINDS, JOINT_KINDS, Claim, Solver, Takes, check

if TYPE_CHECKING:
    from supple.solvers.ccd import CCD
    from supple.solvers.fabrik import FABRIK
    from supple.solvers.jacobian import Jacobian
    from supple.solvers.lm import LM
    from supple.solvers.optimize import Optimize
    from supple.solvers.target_triangle import TargetTriangle
    from supple.solvers.two_bone import TwoBone

    ALL: tuple[type[Solver], ...]

__all__ = [
    "ALL",
    "CCD",
    "EVERYTHING",
    "FABRIK",
    "GOAL_KINDS",
    "JOINT_KINDS",
    "LM",
    "Claim",
    "Jacobian",
    "Optimize",
    "Solver",
    "Takes",
    "TargetTriangle",
    "TwoBone",
    "choose",
    "named",
]

# Every solver and its file, in the order of the published matrix. A file is imported when its solver is
# first used, because it takes a while to make its kernels known to Numba.
SOLVERS: dict[str, str | type[Solver]] = {
    "TwoBone": "two_bone",
    "CCD": "ccd",
    "TargetTriangle": "target_triangle",
    "FABRIK": "fabrik",
    "Jacobian": "jacobian",
    "LM": "lm",
    "Optimize": "optimize",
}


def __getattr__(name: str) -> Any:
    if name == "ALL":
        value = tuple(_solver(one) for one in SOLVERS)
    elif name in SOLVERS:
        value = _solver(name)
    else:
        raise AttributeError(f"module 'supple.solvers' has no attribute {name!r}")
    globals()[name] = value
    return value


def _solver(name: str) -> type[Solver]:
    """The class of a solver."""
    found = SOLVERS[name]
    if isinstance(found, str):
        return getattr(import_module(f"supple.solvers.{found}"), name)
    return found


def all_solvers() -> tuple[type[Solver], ...]:
    """The value of `ALL`, for this file."""
    return globals().get("ALL") or __getattr__("ALL")


def named(name: str) -> Solver:
    """The solver of that name, whatever its case, with its default options.

    If none here has the name, entry points of other packages are searched.

    Raises:
        SuppleError: There is none, or that of another package cannot be loaded.
    """
    for known in SOLVERS:
        if isinstance(name, str) and known.casefold() == name.casefold():
            return _solver(known)()
    others = plugins.entries(plugins.SOLVERS)
    for known, entry in others.items():
        if isinstance(name, str) and known.casefold() == name.casefold():
            found = plugins.load(entry, Solver)
            return found() if isinstance(found, type) else found
    one_of("solver", name, ["auto", *SOLVERS, *others])
    raise AssertionError  # one_of has raised


def is_own(solver: Solver) -> bool:
    """True if a solver runs one of the kernels of this folder."""
    return solver.is_python or getattr(solver.kernel, "__module__", "").startswith(f"{__name__}.")


@dataclass(frozen=True)
class RestartRules:
    """How many restarts "auto" gives to LM.

    Measured on random skeletons of every kind (`benchmarks/reachable.py`): of 100,000 targets that can
    be reached some 38 need more than 20 restarts, 8 more than 40 and 2 more than 100. Arms of hinges with
    an orientation may need more, and are cheap. Targets that are proven to be out of reach take ten.

    Attributes:
        arm_freedoms: Freedoms of an arm of hinges, at most, for the two numbers below.
        arm_restarts: Restarts of such an arm.
        arm_iterations: Its iterations in all.
        joint_restarts: Restarts of any other problem for each joint that moves ...
        most_restarts: ... and in all, at most. Twice as many if all joints are hinges or sliders.
        restart_iterations: Iterations for each restart.
        many_freedoms: With more freedoms a full search is too expensive ...
        many_freedoms_restarts: ... and gets this many restarts.
    """

    arm_freedoms: int = 20
    arm_restarts: int = 400
    arm_iterations: int = 4000
    joint_restarts: int = 25
    most_restarts: int = 100
    restart_iterations: int = 20
    many_freedoms: int = 40
    many_freedoms_restarts: int = 30


RULES = RestartRules()


def _general(problem: Problem) -> LM:
    """The solver for problems without a closed form, with the restarts of `RULES`."""
    from supple.solvers.lm import LM

    kinds = problem.skeleton.packed_ints[problem.moving, layout.KIND]
    if 3 < len(kinds) and problem.freedoms <= RULES.arm_freedoms and np.all(kinds == layout.HINGE):
        return LM(
            max_iterations=RULES.arm_iterations, restarts=RULES.arm_restarts, closed_form=True
        )
    restarts = min(RULES.joint_restarts * len(kinds), RULES.most_restarts)
    if np.all((kinds == layout.HINGE) | (kinds == layout.SLIDER)):
        restarts *= 2  # each takes half the iterations
    if problem.freedoms > RULES.many_freedoms:
        restarts = RULES.many_freedoms_restarts
    return LM(max_iterations=RULES.restart_iterations * restarts, restarts=restarts)


def choose(solver: Solver | str, problem: Problem, *, restarts: bool = True) -> tuple[Solver, ...]:
    """The solvers to try in turn for a problem; with `restarts` False, their option `restarts` is 0.

    Raises:
        SuppleError: There is no such solver, or it cannot take the problem.
    """
    if isinstance(solver, str) and solver.casefold() == "auto":
        general = _general(problem)
        if not restarts:
            general = replace(general, restarts=0, closed_form=False)
        if len(problem.moving) != 2:
            return (general,)
        from supple.solvers.two_bone import TwoBone, fits

        return (TwoBone(), general) if fits(problem) else (general,)
    chosen = named(solver) if isinstance(solver, str) else solver
    if isinstance(chosen, type) and issubclass(chosen, Solver):
        name = chosen.__name__
        raise SuppleError(
            f"solver: expected a solver, got the class {name}; make one of it, {name}()"
        )
    if not isinstance(chosen, Solver):
        raise SuppleError(
            f'solver: expected a solver such as supple.CCD(), its name or "auto", got {brief(solver)}'
        )
    chosen.check_defined()
    check(chosen, problem, all_solvers)
    if not restarts and any(field.name == "restarts" for field in fields(chosen)):
        chosen = replace(chosen, **{"restarts": 0})
    return (chosen,)
