"""Where something of a rule file stands: what its names mean, and errors that say the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.errors import SuppleError
from supple.grammar.language import syntax as s

if TYPE_CHECKING:
    from supple.grammar.evaluate.modules import Module


class RuleError(SuppleError):
    """Something that a rule file asks for and cannot have; it knows where."""

    def __init__(self, path: str, at: s.At, message: str) -> None:
        super().__init__(f"{path}:{at.line}:{at.column}: {message}")
        self.located = True


class Environment(NamedTuple):
    """Where an expression stands: its module, the parameters, and the rule or function."""

    module: Module
    parameters: tuple[str, ...]
    owner: str

    def names(self, name: str) -> bool:
        """Whether this is a parameter or a value of the file."""
        return name in self.parameters or name in self.module.names()

    def problem(self, at: s.At, message: str) -> RuleError:
        """An error at a place of this file, in this rule."""
        return RuleError(self.module.path, at, f"{self.owner}: {message}")


def guarded(env: Environment, at: s.At, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with its errors located."""

    def call(*values: Any) -> Any:
        try:
            return compute(*values)
        except RuleError:
            raise
        except SuppleError as error:
            raise env.problem(at, str(error)) from None
        except (OverflowError, ValueError) as error:
            raise env.problem(at, f"the numbers do not work out ({error})") from None

    return call
