"""Rule files in use: name resolution across imports, and the environment of an expression.

An imported file is read at its first use: rules that do not need a missing library still derive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from supple.apps.grammar.evaluate.run import STAND_IN, Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.definitions import Definitions, RuleDefinition
from supple.apps.grammar.language.errors import RuleError
from supple.apps.grammar.language.files import read_rules
from supple.apps.grammar.language.parser import parsed
from supple.apps.grammar.language.stubs import stub_file
from supple.errors import SuppleError, nearest

MOST_IMPORTS = 100  # files; not tuned

Compiled = Callable[[Shape, tuple[Any, ...]], Any]
"""A compiled expression: a function of the shape and the arguments of the rule."""
Act = Callable[[Run, Shape, tuple[Any, ...]], None]
"""A compiled operation or successor: changes the shape, given the arguments of the rule."""


class Operation(NamedTuple):
    """An operation of the language.

    Attributes:
        build: Compiles one use of the operation.
        block: True if parts in braces follow the arguments.
        bare: True if the operation may be written without parentheses.
    """

    build: Callable[[s.Operation, Environment], Act]
    block: bool = False
    bare: bool = False


class OperationTable(NamedTuple):
    """The operations of the language by name, and the names of unsupported ones."""

    entries: Mapping[str, Operation]
    unsupported: frozenset[str]


class Environment(NamedTuple):
    """Where an expression stands: its file, the parameters in scope, and the owning definition.

    Attributes:
        module: The rule file.
        parameters: Names of the arguments, in order.
        owner: The rule, function or attribute, for messages.
    """

    module: Module
    parameters: tuple[str, ...]
    owner: str

    def defines(self, name: str) -> bool:
        """True if the name is a parameter or a value of the file."""
        return name in self.parameters or name in self.module.definitions.value_names()

    def problem(self, at: s.At, message: str) -> RuleError:
        """An error at a place of this file."""
        return RuleError(self.module.path, at, f"{self.owner}: {message}")


def located(env: Environment, at: s.At, compute: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that its errors name a position in the rule file."""

    def call(*values: Any) -> Any:
        try:
            return compute(*values)
        except RuleError:
            raise
        except SuppleError as error:
            raise env.problem(at, str(error)) from None
        except (OverflowError, ValueError) as error:
            raise env.problem(at, f"invalid numbers ({error})") from None

    return call


class Module:
    """A rule file in use by one derivation.

    Args:
        file: The parsed file.
        folder: Its folder; None for rules given as text.
        run: The derivation.
        operations: The operations of the language.
        prefix: "" for the main file, "A.B." for an import of an import.
        importer: The importing module and the import; None for the main file.
        rule_path: The file itself; None for rules given as text.
        missing: The path of a file that is missing and of which only stubs are known; "" for none.

    Attributes:
        style: Attribute values of the style in use, by name.
        compiled: Compiled attributes and functions, by (name, number of parameters).
        values: Values of attributes and constants evaluated so far, by name with prefix.
        evaluating: Names of the values being evaluated, to detect cycles.
    """

    def __init__(
        self,
        file: s.RuleFile,
        folder: Path | None,
        *,
        run: Run,
        operations: OperationTable,
        prefix: str = "",
        importer: tuple[Module, s.Import] | None = None,
        rule_path: Path | None = None,
        missing: str = "",
    ) -> None:
        self.path = file.path
        self.folder = folder
        self.run = run
        self.operations = operations
        self.prefix = prefix
        self.importer = importer
        self.rule_path = rule_path
        self.missing = missing
        self.definitions = Definitions(file)
        self.style: dict[str, s.Expression] = {}
        self.compiled: dict[tuple[str, int], Compiled] = {}
        self.values: dict[str, Any] = {}
        run.value_stores.append(self.values)
        self.evaluating: list[str] = []
        self._imported: dict[str, Module] = {}

    def environment(self, owner: str, parameters: Iterable[str] = ()) -> Environment:
        """The environment of a definition of this file."""
        return Environment(self, tuple(parameters), owner)

    def find_value(
        self, name: str, count: int, env: Environment, at: s.At
    ) -> tuple[Module, s.Attribute | s.Function] | None:
        """The attribute, constant or function of a name with that many arguments, and its module.

        Args:
            name: The name, perhaps with prefixes of imports.
            count: The number of arguments.
            env: Where the name is used.
            at: The position of its use.
        """
        own = self.definitions
        if name in own.attributes and count == 0:
            return self, own.attributes[name]
        if (name, count) in own.functions:
            return self, own.functions[name, count]
        first, dot, rest = name.partition(".")
        if dot and first in own.imports:
            module = self.imported(first, env, at)
            found = module.find_value(rest, count, env, at)
            if found is None and module.missing:
                name = f"{module.prefix}{rest}"
                option = "" if count else f"--set {name}=VALUE, or by "
                raise env.problem(
                    at,
                    f"{name!r} is not known: {module.missing!r} is missing; give its value by {option}a file "
                    "that --stubs FILE writes for you to fill",
                )
            if found is None:
                hint = nearest(rest, module.definitions.value_names())
                raise env.problem(at, f"{module.path} has no {rest!r}{hint}")
            return found
        return None

    def find_rule(
        self, name: str, count: int, env: Environment | None = None, at: s.At | None = None
    ) -> tuple[Module, RuleDefinition] | None:
        """The rule of a name with that many parameters, and its module; None if there is none."""
        if self.importer is not None and name in self.importer[1].rules and count == 0:
            above, one = self.importer
            found = above.find_rule(one.rules[name], 0, env, at)
            if found is not None:
                return found
        own = self.definitions
        if (name, count) in own.rules:
            return self, own.rules[name, count]
        if name == "start" and count == 0:
            first = own.start_rule()
            return (self, own.rules[first, 0]) if first and (first, 0) in own.rules else None
        first, dot, rest = name.partition(".")
        if dot and rest and first in own.imports and env is not None and at is not None:
            module = self.imported(first, env, at)
            found = module.find_rule(rest, count, env, at)
            if found is None and module.missing:
                return None
            if found is None:
                hint = nearest(rest, module.definitions.rule_names())
                raise env.problem(at, f"{module.path} has no rule {rest!r}{hint}")
            return found
        return None

    def imported(self, name: str, env: Environment, at: s.At) -> Module:
        """The module imported under a prefix, read at its first use.

        Args:
            name: The prefix.
            env: Where the import is used.
            at: The position of its use.
        """
        known = self._imported.get(name)
        if known is not None:
            return known
        one = self.definitions.imports[name]
        what = f"import {name} of line {one.at.line}"
        folders = self.run.options.folders
        if self.folder is None and self.run.options.missing != STAND_IN:
            raise env.problem(at, f"{what}: rules given as text cannot import {one.path!r}")
        try:
            path = folders.find(one.path, self.folder, "file")
        except SuppleError as error:
            if self.run.options.missing != STAND_IN:
                raise env.problem(at, f"{what}: {error}") from None
            self._imported[name] = found = self._missing(name, one)
            return found
        above: Module | None = self
        while above is not None:
            if above.rule_path is not None and above.rule_path.resolve() == path:
                shown = folders.shown(path)
                raise env.problem(at, f"{what} is circular: {shown} imports itself")
            above = above.importer[0] if above.importer is not None else None
        self.run.imports += 1
        if self.run.imports > MOST_IMPORTS:
            raise env.problem(at, f"{what}: more than {MOST_IMPORTS} files are imported")
        shown = folders.shown(path)
        found = Module(
            parsed(read_rules(path, shown), shown),
            path.parent,
            run=self.run,
            operations=self.operations,
            prefix=f"{self.prefix}{name}.",
            importer=(self, one),
            rule_path=path,
        )
        self._imported[name] = found
        return found

    def _missing(self, name: str, one: s.Import) -> Module:
        """A module for a missing file: the values of stubs, of the import and of the caller."""
        prefix = f"{self.prefix}{name}."
        file = stub_file(self.run.options.stubs, (prefix, f"{name}."), one.path)
        known = {(a.name, 0) for a in file.attributes}
        known |= {(f.name, len(f.parameters)) for f in file.functions}
        given = [key.removeprefix(prefix) for key in self.run.given if key.startswith(prefix)]
        for key in dict.fromkeys([*one.values, *given]):
            if (key, 0) not in known:
                # `_initial_value` takes the caller's value or the import's; this one is never read.
                unread = s.Constant("", one.at)
                file.attributes.append(s.Attribute(key, unread, [], one.at))
        self.run.note_incomplete(
            f"{self.path}:{one.at.line}: import {name}: {one.path!r} is missing"
        )
        return Module(
            file,
            None,
            run=self.run,
            operations=self.operations,
            prefix=prefix,
            importer=(self, one),
            missing=one.path,
        )

    def missing_file(self, name: str, env: Environment, at: s.At) -> str:
        """The missing file that a name with prefixes of imports belongs to; "" if there is none."""
        first, dot, rest = name.partition(".")
        if not dot or not rest or first not in self.definitions.imports:
            return ""
        module = self.imported(first, env, at)
        return module.missing or module.missing_file(rest, env, at)
