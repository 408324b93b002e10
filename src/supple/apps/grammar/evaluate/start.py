"""The start of a derivation: the start rule with its arguments, and the initial shape's size."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.modules import Module
from supple.apps.grammar.evaluate.values import counted, number, plain
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.definitions import RuleDefinition
from supple.apps.grammar.language.errors import RuleError
from supple.apps.grammar.language.parser import parse
from supple.errors import SuppleError, brief, nearest


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
            f'start: expected a rule such as "Lot" or "Tower(3, true)", got {brief(start)}'
        ) from None
    return name.strip(), values


def no_rules(module: Module) -> SuppleError:
    """The error for a file without rules."""
    file = module.definitions.file
    values = [*file.attributes, *file.functions]
    if not values:
        return SuppleError(f"{module.path}: expected at least one rule, got none")
    return RuleError(
        module.path,
        values[0].at,
        "the file has attributes and functions but no rules: it is made to be imported; "
        "start with the file that imports it",
    )


def no_start(module: Module, name: str, count: int) -> SuppleError:
    """The error for a start rule that is not there, or takes another number of arguments."""
    definitions = module.definitions
    same = [rule for (own, _), rule in definitions.rules.items() if own == name]
    if not same:
        hint = nearest(name, definitions.rule_names())
        return RuleError(module.path, s.At(1, 1), f"unknown rule {brief(name)} to start with{hint}")
    one = same[0][0] if isinstance(same[0], list) else same[0]
    counts = definitions.parameter_counts(name)
    example = f"{name}({', '.join(one.parameters)})" if one.parameters else name
    message = (
        f"rule {name!r} takes {counted(*counts)}, got {count}: start with {example} with values "
    )
    message += f'for its arguments: start="{name}(...)", on the command line --start "{name}(...)"'
    if isinstance(one, s.Rule) and not one.start:
        others = [own for own, own_count in definitions.rules if own_count == 0][:6]
        if not any(rule.start for rule in definitions.file.rules):
            message += (
                "; no rule of this file is marked @StartRule, the start may be in another file"
            )
        if others:
            message += f"; rules without arguments: {', '.join(others)}"
    return RuleError(module.path, one.at, message)


def _constant(node: s.Expression) -> Any:
    if isinstance(node, s.Array) and len(node.rows) == 1:
        return tuple(_constant(one) for one in node.rows[0])
    if isinstance(node, s.Constant):
        return plain(node.value)
    raise SuppleError("expected a constant")
