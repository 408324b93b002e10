"""The start of a derivation: the start rule with its arguments, and the initial shape's size."""

from __future__ import annotations

from typing import Any

from supple.errors import SuppleError
from supple.grammar.evaluate.values import number, plain
from supple.grammar.language import syntax as s
from supple.grammar.language.definitions import RuleDefinition
from supple.grammar.language.errors import RuleError
from supple.grammar.language.parser import parse


def annotated_size(definition: RuleDefinition, path: str) -> tuple[float, ...]:
    """The size in a rule's annotation @Size(x, y, z); (1, 0, 1) without one."""
    for one in [] if isinstance(definition, list) else definition.annotations:
        if one.name.lower() == "size":
            try:
                x, y, z = (number(_constant(value)) for value in one.values)  # type: ignore[arg-type]
            except (SuppleError, ValueError):
                raise RuleError(path, one.at, "expected @Size(x, y, z), three numbers") from None
            return x, y, z
    return (1.0, 0.0, 1.0)


def rule_call(start: str) -> tuple[str, tuple[Any, ...]]:
    """Name and arguments of a start rule such as "Tower(3, true)"."""
    name, bracket, _ = start.partition("(")
    if not bracket:
        return start.strip(), ()
    try:
        operation = parse(f"start_ --> {start}", path="start").rules[0].body.operations[0]  # type: ignore[union-attr]
        values = tuple(_constant(one.value) for one in operation.args)  # type: ignore[union-attr]
    except (SuppleError, AttributeError, IndexError):
        raise SuppleError(
            f'start: expected a rule such as "Lot" or "Tower(3, true)", got {start!r}'
        ) from None
    return name.strip(), values


def _constant(node: s.Expression) -> Any:
    if isinstance(node, s.Array) and len(node.rows) == 1:
        return tuple(_constant(one) for one in node.rows[0])
    if isinstance(node, s.Constant):
        return plain(node.value)
    raise SuppleError("expected a constant")
