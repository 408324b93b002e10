"""The attributes of rules, with what their annotations say: for sliders and forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.recursion import deep
from supple.grammar.language import syntax as s

if TYPE_CHECKING:
    from supple.grammar.evaluate.modules import Module


@dataclass(frozen=True)
class AttributeInfo:
    """An attribute of the rules.

    Attributes:
        name: Its name.
        value: What it was for this growth: a number, text, truth value or tuple; None if it
            depends on something that is not there.
        group: The headings it stands under, from @Group.
        description: From @Description.
        least: The least value of a slider, from @Range.
        greatest: The greatest value.
        step: From one value to the next, from @Range's stepsize.
        choices: The values to choose from, from @Enum or @Range("a", "b").
        color: Whether it is a colour, from @Color.
        hidden: Whether it is not meant to be shown, from @Hidden.
    """

    name: str
    value: Any
    group: tuple[str, ...] = ()
    description: str = ""
    least: float | None = None
    greatest: float | None = None
    step: float | None = None
    choices: tuple[Any, ...] = ()
    color: bool = False
    hidden: bool = False


def attributes_of(module: Module) -> tuple[AttributeInfo, ...]:
    """The attributes of a rule file with their values: those with an @Order first, by it."""
    found: list[tuple[float, AttributeInfo]] = []
    group: tuple[str, ...] = ()
    for one in module.file.attributes:
        notes = {note.name.lower(): note for note in one.notes}
        if "group" in notes:  # which holds for all that follow
            group = tuple(v for v in _constants(notes["group"]) if isinstance(v, str))
        least, greatest, step, choices = _range(notes.get("range"))
        if "enum" in notes:
            choices = tuple(_constants(notes["enum"]))
        description = _constants(notes["description"])[:1] if "description" in notes else []
        order = _constants(notes["order"])[:1] if "order" in notes else []
        info = AttributeInfo(
            one.name,
            _value(module, one),
            group,
            str(description[0]) if description else "",
            least,
            greatest,
            step,
            choices,
            "color" in notes,
            "hidden" in notes,
        )
        found.append((order[0] if order and isinstance(order[0], float) else math.inf, info))
    return tuple(info for _, info in sorted(found, key=lambda one: one[0]))


def _value(module: Module, one: s.Attribute) -> Any:
    try:
        with deep():
            return module._attribute(one)(module.derivation.origin, ())
    except (SuppleError, RecursionError):
        return None


def _range(
    note: s.Note | None,
) -> tuple[float | None, float | None, float | None, tuple[Any, ...]]:
    """What @Range(min=0, max=1, stepsize=0.1) or @Range(0, 1) says, or @Range("a", "b")."""
    if note is None:
        return None, None, None, ()
    named = {key: value.value for key, value in note.named.items() if isinstance(value, s.Constant)}
    plain = _constants(note)
    if any(isinstance(value, str) for value in plain):
        return None, None, None, tuple(plain)
    ends = [value for value in plain if isinstance(value, float)]
    least = named.get("min", ends[0] if ends else None)
    greatest = named.get("max", ends[1] if len(ends) > 1 else None)
    least, greatest, step = (
        value if isinstance(value, float) else None
        for value in (least, greatest, named.get("stepsize"))
    )
    return least, greatest, step if step is not None and step > 0 else None, ()


def _constants(note: s.Note) -> list[Any]:
    return [value.value for value in note.values if isinstance(value, s.Constant)]
