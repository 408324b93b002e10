"""Describe the solvers for the page: their options, from their docstrings, and which can take a problem."""

from __future__ import annotations

import inspect
import re
import typing
from dataclasses import fields
from functools import cache

from supple.apps.viewer.messages import OptionInfo, SolverInfo, SolverUse
from supple.errors import SuppleError
from supple.problem.lowering import Problem
from supple.solvers import ALL, SOLVERS, Solver, ccd, choose, jacobian, optimize, two_bone

CHOICES = {
    ("TwoBone", "elbow"): two_bone.ELBOWS,
    ("CCD", "order"): ccd.ORDERS,
    ("Jacobian", "method"): jacobian.METHODS,
    ("Optimize", "method"): optimize.METHODS,
}

IN_PYTHON = ("Optimize",)  # solvers that supple.wasm does not have


@cache
def infos() -> list[SolverInfo]:
    """Every solver with its options, "auto" first."""
    about = "The closed form where it fits, Levenberg-Marquardt where it does not."
    return [SolverInfo(name="auto", about=about, options=[]), *(_info(one) for one in ALL)]


def _info(solver: type[Solver]) -> SolverInfo:
    module = inspect.getmodule(solver)
    about = ((module and module.__doc__) or "").strip().splitlines()[0]
    lines = _option_lines(solver.__doc__ or "")
    hints = typing.get_type_hints(solver)
    options = []
    for field in fields(solver):
        kinds = typing.get_args(hints[field.name]) or (hints[field.name],)
        kind = "number"
        for known, word in ((bool, "flag"), (str, "choice"), (int, "whole")):
            if known in kinds:
                kind = word
                break
        options.append(
            OptionInfo(
                name=field.name,
                kind=kind,  # type: ignore[arg-type]
                default=field.default,  # type: ignore[arg-type]
                optional=type(None) in kinds,
                choices=list(CHOICES.get((solver.name, field.name), ())),
                about=lines.get(field.name, ""),
            )
        )
    return SolverInfo(name=solver.name, about=about, options=options)


def _option_lines(text: str) -> dict[str, str]:
    """The descriptions of arguments in a Google docstring, each in one line."""
    found = re.findall(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", text, flags=re.MULTILINE)
    return {name: " ".join(about.split()) for name, about in found}


def uses(problem: Problem | None) -> list[SolverUse]:
    """The solvers, "auto" first, each with the reason why it cannot take a problem."""
    found = [SolverUse(name="auto", why="")]
    if problem is None:
        return found
    for name in SOLVERS:
        try:
            choose(name, problem)
        except SuppleError as error:
            found.append(SolverUse(name=name, why=str(error)))
        else:
            found.append(SolverUse(name=name, why=""))
    return found


def racing(problem: Problem) -> list[str]:
    """The solvers that can take a problem and run in the page."""
    names = [one.name for one in uses(problem) if not one.why]
    return [name for name in names if name not in ("auto", *IN_PYTHON)]
