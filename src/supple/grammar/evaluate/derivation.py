"""The derivation: a queue of shapes, each of which its rule replaces by others, within limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import SuppleError, array, nearest, whole
from supple.grammar.evaluate.assets import Assets
from supple.grammar.evaluate.context import Surroundings, WantedError
from supple.grammar.evaluate.modules import MOST_AT_ONCE, MOST_CALLS, Attributes, Module
from supple.grammar.evaluate.productions import Production, made_ready
from supple.grammar.evaluate.recursion import deep
from supple.grammar.evaluate.shape import Shape, Store
from supple.grammar.evaluate.start import rule_call, said_size
from supple.grammar.evaluate.values import LARGEST, MASK, counted, mixed, written
from supple.grammar.geometry import rectangles, roofs  # noqa: F401 (they enter their operations)
from supple.grammar.geometry.mesh import BOX, GROUND, Geometry
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import RuleError
from supple.grammar.operations import (  # noqa: F401 (they enter their operations)
    align,
    comp,
    edit_geometry,
    extrude,
    material,
    scatter,
    setback,
    split,
    transform,
    uv,
)
from supple.grammar.operations.ik import Wish
from supple.grammar.operations.joints import JointRecord

OFTEN = 1024  # shapes between two looks at the clock


@dataclass(frozen=True)
class Limits:
    """How far a derivation may go; an error names the rule that goes further.

    Args:
        shapes: Shapes in all, those still to be derived included.
        depth: Rules in rules.
        parts: Parts of one split.
        calls: Function calls in all.
        seconds: Time; None for as long as it takes. What is derived never depends on it.
        lines: Printed lines that are kept.
        joints: Joints in all.
    """

    shapes: int = 2_000_000
    depth: int = 1_000
    parts: int = 200_000
    calls: int = 20_000_000
    seconds: float | None = 600.0
    lines: int = 10_000
    joints: int = 20_000

    def __post_init__(self) -> None:
        for name in ("shapes", "depth", "parts", "calls", "lines", "joints"):
            whole(f"limits: {name}", getattr(self, name), least=1)


class Derivation:
    """One derivation, from the first shape to the last leaf.

    Args:
        file: The parsed rules.
        folder: The rule file's folder; None for rules given as text.
        home: The folder that imports and assets must be in.
        seed: What all chance begins with.
        attributes: Values of attributes, by name.
        style: A style of the file, or "".
        size: The first scope's size; a ground rectangle if the height is 0, else a box. None: what
            the first rule's @Size(x, y, z) says, else (1, 0, 1).
        assets: Meshes by name.
        limits: How far to go.
        notes: Where to note the shapes that rules may ask about as neighbours; None for nowhere.
        known: The neighbours that an earlier derivation noted.
        began: When the clock began, if that was before this derivation.
        progress: Called with the number of shapes derived, now and then.
    """

    def __init__(
        self,
        file: s.RuleFile,
        *,
        folder: Path | None = None,
        home: Path | None = None,
        seed: int = 0,
        attributes: Mapping[str, Any] | None = None,
        style: str = "",
        size: Any = None,
        assets: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        notes: Surroundings | None = None,
        known: Surroundings | None = None,
        began: float = 0.0,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.seed = mixed(whole("seed", seed), 0)
        self.home = home
        self.assets = Assets(home, assets or {})
        self.attributes = Attributes(attributes or {})
        self.notes, self.known = notes, known
        self.store = Store()
        self.joints: list[JointRecord] = []
        self.wishes: list[Wish] = []
        self.reports: dict[str, list[Any]] = {}
        self.printed: list[str] = []
        self.born: list[Shape] = []
        self.imports = 0
        self.calls = self.calls_open = self.calls_before = self.parts = 0
        self.began = began
        self.progress = progress
        self._productions: dict[int, Production] = {}
        self._kept: list[Geometry] = []
        self.first = Shape("", self.seed)
        self.origin = self.first
        self._size = size
        self.module = Module(file, folder, "", self)
        self.attributes.check(self.module.attributes)
        if style:
            self.module.use_style(style)

    # Running --------------------------------------------------------------------------------------

    def run(self, start: str | None) -> None:
        """Derive everything from a rule, "Lot" or "Tower(3, true)"; None: the file's own."""
        first = self._started(start)
        store, limits = self.store, self.limits
        stack = [first]
        self.began = self.began or time.monotonic()
        depth_limit, shape_limit = limits.depth, limits.shapes
        ready = 0
        while stack:
            shape = stack.pop()
            rule = shape.rule
            shape.index = store.add(shape, leaf=rule is None)
            if rule is not None:
                if shape.depth > depth_limit:
                    self._stop(rule, f"more than {depth_limit:,} rules lie in one another")
                born = self.born = []
                self.calls_before = self.calls
                try:
                    rule.act(self, shape, shape.args)
                except RuleError:
                    raise
                except RecursionError:
                    self._stop(rule, "expressions are nested too deeply")
                except SuppleError as error:
                    self._stop(rule, str(error))
                store.end(shape, leaf=shape.made or not shape.emitted)
                born.reverse()
                stack += born
                if len(store) + len(stack) > shape_limit:
                    self._stop(rule, f"there are more than {shape_limit:,} shapes")
            if len(store) >= ready:
                ready = len(store) + OFTEN
                try:
                    self.look_at_the_clock()
                except SuppleError as error:
                    if rule is not None:
                        self._stop(rule, str(error))
                    raise
                if self.progress is not None:
                    self.progress(len(store))
        if self.progress is not None:
            self.progress(len(store))

    def look_at_the_clock(self) -> None:
        """Stop if the time is up."""
        seconds = self.limits.seconds
        if seconds is not None and time.monotonic() - self.began > seconds:
            raise SuppleError(f"the derivation took more than {seconds:g} s")

    def taken_apart(self, count: int) -> None:
        """Count the parts of a split, which may come to nothing and so never be shapes."""
        self.parts += count
        limit = self.limits.shapes
        if len(self.born) + len(self.store) > limit:
            raise SuppleError(f"there are more than {limit:,} shapes")
        if self.parts > 4 * limit:
            raise SuppleError(f"shapes are taken apart into more than {4 * limit:,} parts")
        self.look_at_the_clock()

    def _stop(self, rule: Production, message: str) -> None:
        raise RuleError(rule.path, rule.at, f"rule {rule.name}: {message}") from None

    def leave(self, shape: Shape) -> None:
        """Keep a shape as a leaf that comes from the current rule: of rule A, a leaf "A."."""
        name, parent = shape.name, shape.parent
        shape.name, shape.parent = f"{name}.", shape.index
        self.store.add(shape, leaf=True)
        shape.name, shape.parent = name, parent
        shape.emit()
        if len(self.store) > self.limits.shapes:
            raise SuppleError(f"there are more than {self.limits.shapes:,} shapes")

    def tell(self, value: Any) -> Any:
        """Add a line to what was printed, as long as there are not too many; gives the value."""
        if len(self.printed) < self.limits.lines:
            self.printed.append(written(value))
        elif len(self.printed) == self.limits.lines:
            self.printed.append(f"... more than {self.limits.lines:,} lines")
        return value

    def note(self, shape: Shape, label: str = "") -> None:
        """Note a shape as it is now as a neighbour, if rules ask about those.

        Both derivations mark the shape, so that what comes from it now is known as its own.
        """
        if self.notes is None and self.known is None:
            return
        shape.noted += 1
        shape.line = (mixed(~shape.seed & MASK, shape.noted), shape.line)
        if self.notes is not None:
            self.notes.add(shape, label)

    def keep(self, geometry: Geometry) -> None:
        """Hold a geometry as long as the derivation, so that its id stays its own."""
        self._kept.append(geometry)

    def called(self, function: s.Function, module: Module) -> None:
        """Count a call of a function, and stop one that calls itself without end."""
        self.calls += 1
        self.calls_open += 1
        at_once = self.calls - self.calls_before
        if self.calls_open > MOST_CALLS or at_once > MOST_AT_ONCE or self.calls > self.limits.calls:
            if self.calls_open > MOST_CALLS:
                said = f"more than {MOST_CALLS} functions call one another"
            elif at_once > MOST_AT_ONCE:
                said = f"functions are called more than {MOST_AT_ONCE:,} times for one shape"
            else:
                said = f"functions are called more than {self.limits.calls:,} times"
            self.calls_open = 0
            raise RuleError(module.path, function.at, f"function {function.name}: {said}")
        if self.calls % (64 * OFTEN) == 0:
            self.look_at_the_clock()

    # Rules ----------------------------------------------------------------------------------------

    def production(self, module: Module, definition: Any) -> Production:
        """A rule ready to be applied, made at its first use."""
        known = self._productions.get(id(definition))
        if known is None:
            known = self._productions[id(definition)] = made_ready(module, definition)
        return known

    def _started(self, start: str | None) -> Shape:
        """The first shape, with its rule and arguments."""
        module = self.module
        name, args = rule_call(start or module.start_rule())
        if not name:
            raise SuppleError(f"{module.path}: expected at least one rule, got none")
        found = module.rule(name, len(args))
        if found is None:
            counts = [count for own, count in module.rules if own == name]
            if counts:
                raise SuppleError(
                    f"{module.path}: rule {name!r} takes {counted(*counts)}, got {len(args)}: "
                    f'start="{name}(...)"'
                )
            hint = nearest(name, module.rule_names())
            raise SuppleError(f"{module.path}: unknown rule {name!r} to start with{hint}")
        first = self.first
        said = said_size(found[1], found[0].path) if self._size is None else self._size
        extent = array("size", said, (3,))
        if np.any(extent < 0) or np.any(extent > LARGEST):
            raise SuppleError(
                f"size: expected three numbers from 0 to {LARGEST:g}, got {extent.tolist()}"
            )
        first.s = tuple(extent.tolist())
        first.geometry = BOX if extent[1] > 0 else GROUND
        first.outer = (first.p, first.R, first.s)
        self.origin = first.child("")  # as it is before any rule: what attributes see
        first.born = 0
        first.name = name
        first.rule = self.production(*found)
        first.args = args
        return first


def derived(start: str | None, file: s.RuleFile, **options: Any) -> Derivation:
    """A derivation from the first shape to the last leaf, twice if rules ask about neighbours.

    Args:
        start: The rule to start with; None for the file's own.
        file: The parsed rules.
        options: As of `Derivation`.
    """
    with deep():
        first = Derivation(file, **options)
        try:
            first.run(start)
        except WantedError:
            notes = Surroundings()
            noting = Derivation(file, notes=notes, began=first.began, **options)
            noting.run(start)
            first = Derivation(file, known=notes, began=first.began, **options)
            first.run(start)
        return first
