"""Rule files as they are used: what a name means, attributes and their values, and imports.

A file that is imported is read when something of it is used: a street rule whose library is not
there still derives what does not need the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError, nearest, one_of
from supple.grammar.evaluate.expressions import Compiled, compiled
from supple.grammar.evaluate.values import plain, seed_of
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, RuleError
from supple.grammar.language.parser import LONGEST, parsed

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

MOST_IMPORTS = 100
MOST_CALLS = 500  # functions in functions
MOST_AT_ONCE = 400_000  # calls of functions for one shape


class Attributes:
    """Values that were given from outside, by the name that the rules have for them."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = {}
        if not isinstance(given, Mapping):
            raise SuppleError(f"attributes: expected values by name, got {given!r}")
        for name, value in given.items():
            try:
                self.values[name] = plain(value)
            except SuppleError as error:
                raise SuppleError(f"attribute {name!r}: {error}") from None

    def check(self, known: Iterable[str]) -> None:
        """Refuse what the main rule file does not have; what is imported is checked when used."""
        choices = list(known)
        for name in self.values:
            if "." not in name:
                one_of("attribute", name, choices)


class Module:
    """One rule file in use.

    Args:
        file: What it says.
        folder: Where it lies; imports and assets are looked for there.
        prefix: What it was imported as; "" for the main file, "A.B." for an import of an import.
        derivation: What it is used in.
        outer: The module that imports it, and the import.
    """

    def __init__(
        self,
        file: s.RuleFile,
        folder: Path | None,
        prefix: str,
        derivation: Derivation,
        outer: tuple[Module, s.Import] | None = None,
    ) -> None:
        self.file = file
        self.path = file.path
        self.folder = folder
        self.prefix = prefix
        self.derivation = derivation
        self.outer = outer
        self._told_apart([*file.attributes, *file.functions], "value")
        self._told_apart(file.imports, "import")
        self.attributes = {one.name: one for one in file.attributes}
        self.functions = {(one.name, len(one.parameters)): one for one in file.functions}
        self.rules: dict[tuple[str, int], Any] = {}
        for one in file.classic:  # several of one predecessor are alternatives
            self.rules.setdefault((one.name, len(one.parameters)), []).append(one)
        self._told_apart([*file.rules, *(several[0] for several in self.rules.values())], "rule")
        self.rules.update({(one.name, len(one.parameters)): one for one in file.rules})
        self.imports = {one.name: one for one in file.imports}
        self.modules: dict[str, Module] = {}
        self.style: dict[str, s.Expression] = {}
        self._values: dict[tuple[str, int], Compiled] = {}
        self._found: dict[str, Any] = {}
        self._finding: list[str] = []

    def _told_apart(self, definitions: Iterable[Any], what: str) -> None:
        """Refuse two definitions of one name with as many parameters."""
        known: dict[tuple[str, int], s.At] = {}
        for one in definitions:
            key = (one.name, len(getattr(one, "parameters", ())))
            if key in known:
                line = known[key].line
                raise RuleError(
                    self.path, one.at, f"{what} {one.name!r} is defined twice, first in line {line}"
                )
            known[key] = one.at

    def names(self) -> list[str]:
        """The values it defines."""
        return [*self.attributes, *(name for name, _ in self.functions), *self.imports]

    def rule_names(self) -> list[str]:
        """The rules it defines."""
        return list(dict.fromkeys(name for name, _ in self.rules))

    def environment(self, owner: str, parameters: Iterable[str] = ()) -> Environment:
        """Where something of this file stands."""
        return Environment(self, tuple(parameters), owner)

    def use_style(self, name: str) -> None:
        """Have the attributes of a style stand in for the file's own."""
        styles = {style.name: style for style in self.file.styles}
        one_of("style", name, list(styles))
        order: list[s.Style] = []
        while name and name.lower() != "default":
            style = styles.get(name)
            if style is None or style in order:
                raise SuppleError(f"{self.path}: style {name!r} is not there, or rests on itself")
            order.append(style)
            name = style.base
        for style in reversed(order):
            self.style.update(style.values)

    # Values ---------------------------------------------------------------------------------------

    def value(self, name: str, count: int, env: Environment, at: s.At) -> Compiled | None:
        """An attribute, constant or function with that many arguments; None if it has none."""
        if name in self.attributes and count == 0:
            return self._attribute(self.attributes[name])
        if (name, count) in self.functions:
            return self._function(self.functions[name, count])
        first, dot, rest = name.partition(".")
        if dot and first in self.imports:
            module = self.module(first, env, at)
            found = module.value(rest, count, env, at)
            if found is None:
                raise env.problem(
                    at, f"{module.path} has no {rest!r}{nearest(rest, module.names())}"
                )
            return found
        return None

    def _attribute(self, one: s.Attribute) -> Compiled:
        key = (self.prefix, one.name)
        known = self._values.get((one.name, 0))
        if known is not None:
            return known
        full = self.prefix + one.name

        def get(shape: Any, args: tuple[Any, ...]) -> Any:
            changed = shape.attrs
            if changed is not None and key in changed:
                return changed[key]
            found = self._found.get(full, self)
            return found if found is not self else self._first_value(one, full)

        self._values[one.name, 0] = get
        return get

    def _first_value(self, one: s.Attribute, full: str) -> Any:
        """What an attribute is before any rule sets it, found once."""
        given = self.derivation.attributes
        if full in given.values:
            self._found[full] = given.values[full]
            return given.values[full]
        module, node = self, self.style.get(one.name, one.value)
        if self.outer is not None and one.name in self.outer[1].values:
            module, node = self.outer[0], self.outer[1].values[one.name]
        return self._find_once(full, one.at, lambda: module._evaluate(full, node))

    def _find_once(self, full: str, at: s.At, find: Callable[[], Any]) -> Any:
        if full in self._finding:
            way = " -> ".join([*self._finding[self._finding.index(full) :], full])
            raise RuleError(self.path, at, f"{full!r} depends on itself: {way}")
        self._finding.append(full)
        try:
            found = find()
        finally:
            self._finding.pop()
        self._found[full] = found
        return found

    def _evaluate(self, full: str, node: s.Expression) -> Any:
        env = self.environment(f"attribute {full}")
        shape = self.derivation.origin.child(full)
        shape.seed = seed_of(full, self.derivation.seed)
        return compiled(node, env)(shape, ())

    def _function(self, one: s.Function) -> Compiled:
        key = (one.name, len(one.parameters))
        known = self._values.get(key)
        if known is not None:
            return known
        full = self.prefix + one.name
        if one.constant:

            def constant(shape: Any, args: tuple[Any, ...]) -> Any:
                found = self._found.get(full, self)
                if found is not self:
                    return found
                return self._find_once(full, one.at, lambda: self._evaluate(full, one.value))

            self._values[key] = constant
            return constant
        body: list[Compiled] = []
        derivation = self.derivation

        def call(shape: Any, args: tuple[Any, ...]) -> Any:
            if not body:
                env = self.environment(f"function {one.name}", one.parameters)
                body.append(compiled(one.value, env))
            derivation.called(one, self)
            try:
                return body[0](shape, args)
            finally:
                derivation.calls_open -= 1

        self._values[key] = call
        return call

    def values_by_id(self) -> dict[int, str]:
        """The arrays among the attributes that were used, by the identity of their values.

        Arrays are passed on as they are, so that an IK rule's target can be known for an attribute.
        """
        return {
            id(value): name
            for name, value in self._found.items()
            if name in self.attributes and isinstance(value, tuple)
        }

    # Imports --------------------------------------------------------------------------------------

    def module(self, name: str, env: Environment, at: s.At) -> Module:
        """The module that was imported under a name, read at its first use."""
        known = self.modules.get(name)
        if known is not None:
            return known
        one = self.imports[name]
        said = f"import {name} of line {one.at.line}"
        path = self._imported_path(one, said, env, at)
        above: Module | None = self
        while above is not None:
            if above.folder is not None and Path(above.path).resolve() == path.resolve():
                raise env.problem(at, f"{said} goes round in a circle: {path} imports itself")
            above = above.outer[0] if above.outer is not None else None
        self.derivation.imports += 1
        if self.derivation.imports > MOST_IMPORTS:
            raise env.problem(at, f"{said}: more than {MOST_IMPORTS} files are imported")
        file = parsed(read(path), str(path))
        found = Module(file, path.parent, f"{self.prefix}{name}.", self.derivation, (self, one))
        self.modules[name] = found
        return found

    def _imported_path(self, one: s.Import, said: str, env: Environment, at: s.At) -> Path:
        home = self.derivation.home
        if self.folder is None or home is None:
            raise env.problem(at, f"{said}: rules given as text cannot import {one.path!r}")
        if Path(one.path).is_absolute() or "\\" in one.path:
            raise env.problem(at, f"{said}: {one.path!r} is outside the rule file's folder")
        for folder in (self.folder, home):
            path = (folder / one.path).resolve()
            if not path.is_relative_to(home.resolve()):
                raise env.problem(at, f"{said}: {one.path!r} is outside the rule file's folder")
            if path.is_file():
                return path
        raise env.problem(at, f"{said}: there is no file {one.path!r} below {home}")

    # Rules ----------------------------------------------------------------------------------------

    def rule(
        self, name: str, count: int, env: Environment | None = None, at: s.At | None = None
    ) -> tuple[Module, Any] | None:
        """The rule of that name with that many parameters, and its module; None if it has none."""
        if self.outer is not None and name in self.outer[1].rules and count == 0:
            found = self.outer[0].rule(self.outer[1].rules[name], 0, env, at)
            if found is not None:
                return found
        if (name, count) in self.rules:
            return self, self.rules[name, count]
        if name == "start" and count == 0:
            first = self.start_rule()
            return (self, self.rules[first, 0]) if first and (first, 0) in self.rules else None
        first, dot, rest = name.partition(".")
        if dot and rest and first in self.imports and env is not None and at is not None:
            module = self.module(first, env, at)
            found = module.rule(rest, count, env, at)
            if found is None:
                hint = nearest(rest, module.rule_names())
                raise env.problem(at, f"{module.path} has no rule {rest!r}{hint}")
            return found
        return None

    def start_rule(self) -> str:
        """The rule that the file says it starts with, else its first."""
        marked = [one.name for one in self.file.rules if one.start]
        every = [one.name for one in [*self.file.rules, *self.file.classic]]
        return next(iter([*marked, *every]), "")


def read(path: Path) -> str:
    """The text of a rule file.

    Raises:
        SuppleError: It cannot be read, is too long or is no text.
    """
    try:
        if path.stat().st_size > 4 * LONGEST:
            raise SuppleError(
                f"{path}: expected a rule file, got one of {path.stat().st_size:,} bytes"
            )
        data = path.read_bytes()
    except OSError as error:
        raise SuppleError(f"{path}: cannot read the rules: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        at = s.At(before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        found = "UTF-16" if wide else f"the byte 0x{data[error.start]:02x}"
        raise RuleError(str(path), at, f"expected UTF-8 text, got {found}") from error
