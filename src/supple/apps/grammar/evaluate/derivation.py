"""The derivation: rules replace shapes by others, from the initial shape down to the leaves."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NoReturn

from supple.apps.grammar.evaluate.context import Context, ContextNeededError
from supple.apps.grammar.evaluate.lots import Lot, placed_lot
from supple.apps.grammar.evaluate.material import Layer
from supple.apps.grammar.evaluate.modules import Module, OperationTable
from supple.apps.grammar.evaluate.productions import Production, production
from supple.apps.grammar.evaluate.recursion import deep_recursion, no_cyclic_collection
from supple.apps.grammar.evaluate.run import SHAPES_PER_CLOCK_CHECK, STAND_IN, Options, Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.start import annotated_size, no_rules, no_start, rule_call
from supple.apps.grammar.evaluate.store import Row
from supple.apps.grammar.evaluate.texture import whole_image
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.errors import RuleError
from supple.errors import SuppleError, one_of

STREET_LAYERS = (1, 2)


def derive(
    file: s.RuleFile,
    rule_path: Path | None,
    *,
    operations: OperationTable,
    start: str | None,
    options: Options,
) -> tuple[Run, Module]:
    """Derive a rule file; twice if rules use context queries.

    Args:
        file: The parsed rules.
        rule_path: The rule file; None for rules given as text.
        operations: The operations of the language.
        start: The start rule, "Lot" or "Tower(3, true)"; None for the file's own.
        options: The other inputs.

    Returns:
        The state at the end, with all results, and the main module.
    """
    with deep_recursion(), no_cyclic_collection():
        run = Run(options)
        try:
            return run, _derived(run, file, rule_path, operations, start)
        except ContextNeededError:
            recording = [Context() for _ in options.lots or (0,)]
            first = Run(options, recording=recording, began=run.began)
            _derived(first, file, rule_path, operations, start)
            run = Run(options, recorded=recording, began=run.began)
            return run, _derived(run, file, rule_path, operations, start)


def _derived(
    run: Run,
    file: s.RuleFile,
    rule_path: Path | None,
    operations: OperationTable,
    start: str | None,
) -> Module:
    folder = rule_path.parent if rule_path is not None else run.options.folders.home
    module = Module(file, folder, run=run, operations=operations, rule_path=rule_path)
    if run.options.style:
        module.style = module.definitions.style_values(run.options.style)
    lots = (Lot(),) if run.options.lots is None else run.options.lots
    name, args = rule_call(start) if start else (_default_start(run, module), ())
    found = module.find_rule(name, len(args))
    if found is None:
        raise no_start(module, name, len(args))
    size = run.options.size
    if size is None:
        size = annotated_size(found[1], found[0].path)
    run.began = run.began or time.monotonic()
    checked: set[str] = set()
    for index, lot in enumerate(lots):
        try:
            run.begin_lot(index, lot)
            for key in run.given:
                if (
                    "." not in key and key not in checked
                ):  # those of imports are not known before use
                    one_of("attribute", key, list(module.definitions.attributes))
                    checked.add(key)
            _set_up_first(run, lot, size)
            first = run.first
            first.name, first.args = name, args
            first.rule = production(run, *found)
            _apply_rules(run)
        except SuppleError as error:
            if len(lots) == 1:
                raise
            raise SuppleError(f"{error} (lot {index})") from None
    run.store.flush()
    if run.options.progress is not None:
        run.options.progress(len(run.store))
    return module


def _apply_rules(run: Run) -> None:
    """Apply rules depth first until no shape has one."""
    store, limits, progress = run.store, run.limits, run.options.progress
    stack: list[Shape | Row] = [run.first]
    depth_limit, shape_limit = limits.depth, limits.shapes
    next_check = 0
    rows = store.rows
    while stack:
        shape = stack.pop()
        if isinstance(shape, tuple):  # a terminal shape
            rows.append(shape)
            continue
        rule = shape.rule
        if shape.depth > depth_limit:
            _stop(rule, f"rules are nested more than {depth_limit:,} deep")
        shape.index = store.base + len(rows)
        rows.append(None)
        children = run.children = []
        run.calls_before = run.calls
        try:
            rule.act(run, shape, shape.args)
            if shape.geometry not in run.geometries:
                run.count_geometry(shape.geometry)
        except RuleError:
            raise
        except RecursionError:
            _stop(rule, "expressions are nested too deeply")
        except SuppleError as error:
            _stop(rule, str(error))
        store.end(shape)
        children.reverse()
        stack += children
        count = store.base + len(rows)
        if count + len(stack) > shape_limit:
            _stop(rule, f"there are more than {shape_limit:,} shapes")
        if count >= next_check:
            next_check = count + SHAPES_PER_CLOCK_CHECK
            store.flush_some()
            try:
                run.check_time()
            except SuppleError as error:
                _stop(rule, str(error))
            if progress is not None:
                progress(count)


def _stop(rule: Production, message: str) -> NoReturn:
    raise RuleError(rule.path, rule.at, f"rule {rule.name}: {message}") from None


def _default_start(run: Run, module: Module) -> str:
    """The start rule of a file: the one it marks, its first, or the first without parameters that no rule calls."""
    definitions = module.definitions
    name = definitions.start_rule()
    if not name:
        raise no_rules(module)
    if (name, 0) in definitions.rules or any(one.start for one in definitions.file.rules):
        return name
    called = definitions.called_rules()
    for other, count in definitions.rules:
        if count == 0 and other not in called:
            run.note(
                f"{module.path}: no rule is marked @StartRule and the first, {name!r}, takes arguments; "
                f"started with {other!r}, which no other rule calls"
            )
            return other
    return name


def _set_up_first(run: Run, lot: Lot, size: Any) -> None:
    """Give the initial shape of a lot its scope and geometry."""
    first = run.first
    first.p, first.R, first.s, first.geometry = placed_lot(lot, size)
    first.outer = (first.p, first.R, first.s)
    if run.options.missing == STAND_IN and first.geometry.flat is not None:
        # The shape of a street has texture coordinates on layers 1 and 2 too; these stand in for them.
        image = whole_image(first)
        first.material = first.material._replace(
            layers=tuple(Layer(number, None, image) for number in STREET_LAYERS)
        )
    run.origin = first.child("")
    first.born = 0
