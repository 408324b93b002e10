"""The definitions of a rule file by name: attributes, functions, rules, imports and styles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.errors import RuleError
from supple.errors import SuppleError, one_of

RuleDefinition = s.Rule | list[s.ClassicRule]
"""A rule, or the classic rules that share a predecessor."""


def rule_name(definition: RuleDefinition) -> str:
    """The name of a rule's predecessor."""
    return definition[0].name if isinstance(definition, list) else definition.name


class Definitions:
    """What one rule file defines.

    Args:
        file: The parsed file.

    Attributes:
        attributes: By name.
        functions: Functions and constants, by (name, number of parameters).
        rules: By (name, number of parameters).
        imports: By prefix.

    Raises:
        SuppleError: A name is defined twice.
    """

    def __init__(self, file: s.RuleFile) -> None:
        self.file = file
        self._check_unique([*file.attributes, *file.functions], "value")
        self._check_unique(file.imports, "import")
        self.attributes = {one.name: one for one in file.attributes}
        self.functions = {(one.name, len(one.parameters)): one for one in file.functions}
        classic: dict[tuple[str, int], list[s.ClassicRule]] = {}
        for one in file.classic:  # several with one predecessor are alternatives
            classic.setdefault((one.name, len(one.parameters)), []).append(one)
        self._check_unique([*file.rules, *(several[0] for several in classic.values())], "rule")
        self.rules: dict[tuple[str, int], RuleDefinition] = {**classic}
        self.rules.update({(one.name, len(one.parameters)): one for one in file.rules})
        self.imports = {one.name: one for one in file.imports}

    def _check_unique(self, definitions: Iterable[Any], what: str) -> None:
        """Refuse two definitions of one name with the same number of parameters."""
        known: dict[tuple[str, int], s.At] = {}
        for one in definitions:
            key = (one.name, len(getattr(one, "parameters", ())))
            if key in known:
                line = known[key].line
                message = f"{what} {one.name!r} is defined twice, first in line {line}"
                raise RuleError(self.file.path, one.at, message)
            known[key] = one.at

    def value_names(self) -> list[str]:
        """Names of attributes, functions, constants and imports."""
        return [*self.attributes, *(name for name, _ in self.functions), *self.imports]

    def rule_names(self) -> list[str]:
        """Names of rules."""
        return list(dict.fromkeys(name for name, _ in self.rules))

    def parameter_counts(self, name: str) -> list[int]:
        """The numbers of parameters for which a rule of that name is defined."""
        return [count for own, count in self.rules if own == name]

    def start_rule(self) -> str:
        """The rule marked as the start rule, else the first one; "" if there are no rules."""
        marked = [one.name for one in self.file.rules if one.start]
        every = [one.name for one in [*self.file.rules, *self.file.classic]]
        return next(iter([*marked, *every]), "")

    def called_rules(self) -> set[str]:
        """Names of operations and rules that the rules of this file call."""
        return {one.name for one in s.nodes(self.file) if isinstance(one, s.Operation)}

    def style_values(self, name: str) -> dict[str, s.Expression]:
        """The attributes that a style sets, those of the styles it extends included.

        Raises:
            SuppleError: There is no such style, or a style extends itself.
        """
        styles = {style.name: style for style in self.file.styles}
        one_of("style", name, list(styles))
        order: list[s.Style] = []
        while name and name.lower() != "default":
            style = styles.get(name)
            if style is None or style in order:
                raise SuppleError(
                    f"{self.file.path}: style {name!r} is not defined, or extends itself"
                )
            order.append(style)
            name = style.base
        values: dict[str, s.Expression] = {}
        for style in reversed(order):
            values.update(style.values)
        return values
