"""The arguments of an operation: positional values, marks, keywords and named options."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from supple.apps.grammar.evaluate.expressions import compiled
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import counted, length, text
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError, one_of

Check = Callable[[Any], Any]
"""Converts a value to the wanted type, or raises a SuppleError that says what was expected."""
Several = Callable[[Shape, tuple[Any, ...]], list[Any]]
"""A compiled list of expressions."""

_NO_SHAPE = Shape("", 0)  # constants do not depend on the shape


class Arguments:
    """The arguments of one operation.

    Args:
        operation: The operation.
        env: Its environment.
        named: Options that it takes as `name = value`.
        marks: Those of "'" and "~" that it allows.
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
        """The number of positional arguments, which must be one of those allowed."""
        found = len(self.positional)
        if found not in allowed:
            raise self.env.problem(
                self.at, f"{self.operation.name} takes {counted(*allowed)}, got {found}"
            )
        return found

    def word(self, index: int, choices: Collection[str]) -> str:
        """A positional argument that must be one of some keywords."""
        return self._word(self.positional[index], choices)

    def named_word(self, name: str, choices: Collection[str]) -> str | None:
        """An option that must be one of some keywords, bare or quoted; None if it is not given."""
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
        """A positional argument that is a bare name; None for anything else."""
        if index >= len(self.positional):
            return None
        node = self.positional[index].value
        return node.name if isinstance(node, s.Name) else None

    def value(self, index: int) -> Compiled:
        """A positional argument, unchecked."""
        return compiled(self.positional[index].value, self.env)

    def checked(self, index: int, check: Check) -> Compiled:
        """A positional argument, converted by a check; errors name its position."""
        return self._checked(self.positional[index], check)

    def option(self, name: str, check: Check) -> Compiled | None:
        """An option, converted by a check; None if it is not given."""
        return self._checked(self.named[name], check) if name in self.named else None

    def text(self, index: int) -> Compiled:
        """A positional argument as a string."""
        return self.checked(index, text)

    def length(self, index: int) -> Compiled:
        """A positional argument as a length or an angle."""
        return self.checked(index, length)

    def each(self, check: Check, first: int = 0, last: int | None = None) -> Several:
        """Positional arguments first to last (exclusive), each converted by a check."""
        given = self.positional[first:last]
        found = [self._checked(one, check) for one in given]
        if all(isinstance(one.value, s.Constant) for one in given):
            constants = [one(_NO_SHAPE, ()) for one in found]
            return lambda shape, args: constants.copy()
        return lambda shape, args: [one(shape, args) for one in found]

    def lengths(self, first: int = 0, last: int | None = None) -> Several:
        """Positional arguments as lengths or angles."""
        return self.each(length, first, last)

    def marks(self, first: int = 0, last: int | None = None) -> list[str]:
        """The marks of positional arguments: "'", "~" or ""."""
        return [one.mark for one in self.positional[first:last]]

    def _checked(self, one: s.Argument, check: Check) -> Compiled:
        test = located(self.env, one.at, check)
        if isinstance(one.value, s.Constant):
            found = test(one.value.value)
            return lambda shape, args: found
        value = compiled(one.value, self.env)
        return lambda shape, args: test(value(shape, args))


def with_values(
    effect: Callable[..., None], *checks: Check
) -> Callable[[s.Operation, Environment], Act]:
    """Build an operation from a function of the derivation, the shape and checked values.

    Args:
        effect: Called with the derivation, the shape and one value per check; its errors name the
            position of the operation.
        checks: One per positional argument.
    """

    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        given.count(len(checks))
        values = [given.checked(k, check) for k, check in enumerate(checks)]
        apply = located(env, op.at, effect)

        def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            apply(run, shape, *[value(shape, args) for value in values])

        return act

    build.__doc__ = effect.__doc__
    return build
