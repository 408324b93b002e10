"""Describe the solvers and their options for the page, from their dataclasses and docstrings."""

from __future__ import annotations

import inspect
import re
import typing
from dataclasses import fields
from functools import cache

from supple.solvers import ALL, Solver, ccd, jacobian, optimize, two_bone
from supple.viewer.messages import OptionInfo, SolverInfo

CHOICES = {
    ("TwoBone", "elbow"): two_bone.ELBOWS,
    ("CCD", "order"): ccd.ORDERS,
    ("Jacobian", "method"): jacobian.METHODS,
    ("Optimize", "method"): optimize.METHODS,
}


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
