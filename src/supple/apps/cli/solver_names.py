"""Parse solvers: "CCD", or with options "CCD:damping=0.2:max_iterations=50"."""

from __future__ import annotations

import types
from dataclasses import fields, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

from supple.errors import SuppleError, one_of
from supple.solvers import Solver, named

AUTO = "auto"
_EXPECTED = {bool: "yes or no", int: "a whole number", float: "a number", type(None): "none"}
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_solver(text: str) -> Solver | str:
    """Parse a solver with its options; "auto" stays a string."""
    name, *given = text.split(":")
    if name.casefold() == AUTO and not given:
        return AUTO
    if name.casefold() == AUTO:
        raise SuppleError(f"solver auto: takes no options, got {given[0]!r}")
    solver = named(name)
    hints = get_type_hints(type(solver))
    options: dict[str, Any] = {}
    for one in given:
        key, equals, value = one.partition("=")
        one_of(f"option of {solver.name}", key, [field.name for field in fields(solver)])
        if not equals:
            raise SuppleError(f"solver {solver.name}: expected {key}=VALUE, got {one!r}")
        options[key] = _value(f"{solver.name} {key}", value, hints.get(key, str))
    return replace(solver, **options)


def solver_name(text: str) -> str:
    """A solver's name in its own spelling, with the options as given."""
    solver = read_solver(text)
    name, colon, options = text.partition(":")
    return (name.lower() if isinstance(solver, str) else solver.name) + colon + options


def _value(what: str, text: str, hint: Any) -> Any:
    """Parse a value of type int, float, bool or str, or one of these or None."""
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if type(None) in kinds and text.lower() in ("none", ""):
        return None
    for kind in (bool, int, float):
        if kind not in kinds:
            continue
        if kind is bool:
            if text.lower() in _TRUTHS:
                return _TRUTHS[text.lower()]
            continue
        try:
            return kind(text)
        except ValueError:
            continue
    if str in kinds or not {bool, int, float} & set(kinds):
        return text
    expected = " or ".join(words for kind, words in _EXPECTED.items() if kind in kinds)
    raise SuppleError(f"{what}: expected {expected}, got {text!r}")
