"""Every solver, one file each, and the choice among them."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError, one_of
from supple.kernels import layout
from supple.problem import Problem
from supple.solvers.base import EVERYTHING, GOAL_KINDS, JOINT_KINDS, Solver, Takes, check

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
    "Jacobian",
    "Optimize",
    "Solver",
    "Takes",
    "TargetTriangle",
    "TwoBone",
    "choose",
    "named",
]

# In the order of tables. A solver's file is read when it is first asked for: each holds kernels, and
# it takes a while to make them known to Numba.
_FILES = {
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
        value = tuple(_solver(one) for one in _FILES)
    elif name in _FILES:
        value = _solver(name)
    else:
        raise AttributeError(f"module 'supple.solvers' has no attribute {name!r}")
    globals()[name] = value
    return value


def _all() -> tuple[type[Solver], ...]:
    """What `ALL` is, for this file."""
    return globals().get("ALL") or __getattr__("ALL")


def _solver(name: str) -> type[Solver]:
    """The class of a solver."""
    return getattr(import_module(f"supple.solvers.{_FILES[name]}"), name)


def named(name: str) -> Solver:
    """The solver of that name (case is disregarded) with its default options."""
    for solver in _all():
        if isinstance(name, str) and solver.name.casefold() == name.casefold():
            return solver()
    one_of("solver", name, ["auto", *(solver.name for solver in _all())])
    raise AssertionError  # one_of has raised


FEW = 20  # freedoms


def _general(problem: Problem) -> LM:
    """The solver for what has no closed form.

    An arm of few joints has few ways to its target, and it may take many beginnings to find one:
    it gets as many as are cheap.
    """
    from supple.solvers.lm import LM

    kinds = problem.skeleton.packed_ints[problem.moving, layout.KIND]
    if problem.freedoms <= FEW and np.all(kinds == layout.HINGE):
        return LM(max_iterations=4000, restarts=400, closed_form=True)
    if problem.freedoms <= FEW and np.all((kinds == layout.HINGE) | (kinds == layout.SLIDER)):
        return LM(max_iterations=1000, restarts=60)
    return LM()


def choose(solver: Solver | str, problem: Problem, *, restarts: bool = True) -> tuple[Solver, ...]:
    """The solvers to try in turn for a problem; without restarts, those that have them have none.

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
            f'solver: expected a solver such as supple.CCD(), its name or "auto", got {solver!r}'
        )
    chosen.check_defined()
    check(chosen, problem, _all())
    if not restarts and any(field.name == "restarts" for field in fields(chosen)):
        chosen = replace(chosen, **{"restarts": 0})
    return (chosen,)
