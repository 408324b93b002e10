"""Reading the arguments of an operation: values, marks, words and named arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError, one_of
from supple.grammar.evaluate.expressions import Compiled, compiled
from supple.grammar.evaluate.values import counted, length, text
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation
    from supple.grammar.evaluate.shape import Shape

Act = Callable[["Derivation", "Shape", tuple[Any, ...]], None]
"""What an operation does to the current shape, given the arguments of its rule."""
Check = Callable[[Any], Any]
"""What makes of a value the one that is wanted, or raises a SuppleError that says which is."""
Several = Callable[[Any, tuple[Any, ...]], list[Any]]


class Arguments:
    """The arguments of one operation.

    Args:
        operation: The operation.
        env: Where it stands.
        named: The names that it takes by `name = value`.
        marks: Which of "'" and "~" it takes.
    """

    def __init__(
        self,
        operation: s.Operation,
        env: Environment,
        *,
        named: Collection[str] = (),
        marks: str = "",
    ) -> None:
        self.operation = operation
        self.env = env
        self.at = operation.at
        self.positional: list[s.Argument] = []
        self.named: dict[str, s.Argument] = {}
        for one in operation.args or []:
            if one.name:
                try:
                    one_of(f"option of {operation.name}", one.name, list(named))
                except SuppleError as error:
                    raise env.problem(one.at, str(error)) from None
                if one.name in self.named:
                    raise env.problem(one.at, f"{operation.name}: {one.name} is given twice")
                self.named[one.name] = one
            else:
                if self.named:
                    raise env.problem(
                        one.at, f"{operation.name}: expected plain arguments before named ones"
                    )
                if one.mark and one.mark not in marks:
                    raise env.problem(one.at, f"{operation.name} takes no {one.mark!r} here")
                self.positional.append(one)

    def count(self, *allowed: int) -> int:
        """How many plain arguments there are, if as many are allowed."""
        found = len(self.positional)
        if found not in allowed:
            raise self.env.problem(
                self.at, f"{self.operation.name} takes {counted(*allowed)}, got {found}"
            )
        return found

    def word(self, index: int, choices: Collection[str]) -> str:
        """A plain argument that is one of some words."""
        return self._word(self.positional[index], choices)

    def named_word(self, name: str, choices: Collection[str]) -> str | None:
        """A named argument that is one of some words, bare or in quotes; None if not given."""
        return self._word(self.named[name], choices) if name in self.named else None

    def _word(self, one: s.Argument, choices: Collection[str]) -> str:
        node = one.value
        given = node.name if isinstance(node, s.Name) else getattr(node, "value", None)
        if isinstance(given, str) and given in choices:
            return given
        listed = ", ".join(choices)
        shown = given if isinstance(given, str) else "something else"
        raise self.env.problem(
            one.at, f"{self.operation.name}: expected one of {listed}, got {shown}"
        )

    def is_word(self, index: int) -> str | None:
        """A plain argument's name, if it is a bare one; None otherwise."""
        if index >= len(self.positional):
            return None
        node = self.positional[index].value
        return node.name if isinstance(node, s.Name) else None

    def value(self, index: int) -> Compiled:
        """A plain argument, whatever it is."""
        return compiled(self.positional[index].value, self.env)

    def checked(self, index: int, check: Check) -> Compiled:
        """A plain argument, passed through a check whose errors are located."""
        return self._checked(self.positional[index], check)

    def option(self, name: str, check: Check) -> Compiled | None:
        """A named argument, passed through a check; None if it is not given."""
        return self._checked(self.named[name], check) if name in self.named else None

    def text(self, index: int) -> Compiled:
        """A plain argument as a text."""
        return self.checked(index, text)

    def length(self, index: int) -> Compiled:
        """A plain argument as a number that a shape can be given."""
        return self.checked(index, length)

    def each(self, check: Check, first: int = 0, last: int | None = None) -> Several:
        """Plain arguments from the first up to the last, each passed through a check."""
        found = [self._checked(one, check) for one in self.positional[first:last]]
        return lambda shape, args: [one(shape, args) for one in found]

    def lengths(self, first: int = 0, last: int | None = None) -> Several:
        """Plain arguments as numbers that a shape can be given."""
        return self.each(length, first, last)

    def marks(self, first: int = 0, last: int | None = None) -> list[str]:
        """The marks of plain arguments: "'", "~" or nothing."""
        return [one.mark for one in self.positional[first:last]]

    def _checked(self, one: s.Argument, check: Check) -> Compiled:
        test = guarded(self.env, one.at, check)
        if isinstance(one.value, s.Constant):
            found = test(one.value.value)
            return lambda shape, args: found
        value = compiled(one.value, self.env)
        return lambda shape, args: test(value(shape, args))
