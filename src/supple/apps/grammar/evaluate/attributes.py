"""The attributes of a rule file with their annotations, for user interfaces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from supple.apps.grammar.evaluate.expressions import named_value
from supple.apps.grammar.evaluate.modules import Module
from supple.apps.grammar.evaluate.recursion import deep_recursion
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError


@dataclass(frozen=True)
class AttributeInfo:
    """An attribute of the rules.

    Attributes:
        name: Its name.
        value: Its value in this derivation: a number, string, boolean or tuple; None if it cannot be
            evaluated.
        group: Headings from @Group, outermost first.
        description: From @Description.
        least: Lowest value of a slider, from @Range.
        greatest: Highest value of a slider.
        step: Step of a slider, from @Range's stepsize.
        choices: Allowed values, from @Enum or @Range("a", "b").
        color: True for a colour, from @Color.
        hidden: True if it should not be shown, from @Hidden.
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
    """The attributes of a rule file with their values, those with an @Order first."""
    found: list[tuple[float, AttributeInfo]] = []
    group: tuple[str, ...] = ()
    for one in module.definitions.file.attributes:
        annotations = {annotation.name.lower(): annotation for annotation in one.annotations}
        if "group" in annotations:  # applies to all following attributes
            group = tuple(v for v in _constants(annotations["group"]) if isinstance(v, str))
        least, greatest, step, choices = _range(annotations.get("range"))
        if "enum" in annotations:
            choices = tuple(_constants(annotations["enum"]))
        description = (
            _constants(annotations["description"])[:1] if "description" in annotations else []
        )
        order = _constants(annotations["order"])[:1] if "order" in annotations else []
        info = AttributeInfo(
            one.name,
            _value(module, one),
            group,
            str(description[0]) if description else "",
            least,
            greatest,
            step,
            choices,
            "color" in annotations,
            "hidden" in annotations,
        )
        found.append((order[0] if order and isinstance(order[0], float) else math.inf, info))
    return tuple(info for _, info in sorted(found, key=lambda one: one[0]))


def _value(module: Module, one: s.Attribute) -> Any:
    try:
        with deep_recursion():
            return named_value(module, one)(module.run.origin, ())
    except (SuppleError, RecursionError):
        return None


def _range(
    annotation: s.Annotation | None,
) -> tuple[float | None, float | None, float | None, tuple[Any, ...]]:
    """(least, greatest, step, choices) of @Range(min=0, max=1, stepsize=0.1), @Range(0, 1) or @Range("a", "b")."""
    if annotation is None:
        return None, None, None, ()
    named = {
        key: value.value for key, value in annotation.named.items() if isinstance(value, s.Constant)
    }
    plain = _constants(annotation)
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


def _constants(annotation: s.Annotation) -> list[Any]:
    return [value.value for value in annotation.values if isinstance(value, s.Constant)]


def arrays_by_id(module: Module) -> dict[int, str]:
    """Names of the attributes in use whose values are arrays, by the id of the value.

    Arrays are passed by reference, so this tells which attribute an IK rule's target comes from.
    """
    return {
        id(value): name
        for name, value in module.values.items()
        if name in module.definitions.attributes and isinstance(value, tuple)
    }
