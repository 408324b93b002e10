"""Productions: rules compiled to functions, with their successors.

A successor is a sequence of operations, rule calls and brackets, or a choice between successors by
conditions or percentages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from supple.apps.grammar.evaluate.expressions import bound, chosen, compiled, condition, numeric
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, Module
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import counted
from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.definitions import RuleDefinition, rule_name
from supple.errors import nearest

OnPart = Callable[[Run, Shape, tuple[int, int], Vector, Vector], None]
"""Creates the child of a part, given the split shape, index and total, position and size of the part."""


@dataclass(slots=True)
class Production:
    """A compiled rule: its name, its place, and its effect on a shape."""

    name: str
    path: str
    at: s.At
    act: Act = field(repr=False)


def production(run: Run, module: Module, definition: RuleDefinition) -> Production:
    """The compiled form of a rule, compiled at its first use."""
    known = run.productions.get(id(definition))
    if known is None:
        make = _classic if isinstance(definition, list) else _modern
        known = run.productions[id(definition)] = make(module, definition)  # type: ignore[arg-type]
    return known


def _modern(module: Module, rule: s.Rule) -> Production:
    name = module.prefix + rule.name
    env = module.environment(f"rule {name}", rule.parameters)
    try:
        act = successor(rule.body, env)
    except RecursionError:
        raise env.problem(rule.at, "expressions are nested too deeply") from None
    return Production(name, module.path, rule.at, act)


def _classic(module: Module, rules: list[s.ClassicRule]) -> Production:
    """Classic rules of one predecessor: one of those whose condition holds, by probability."""
    name = module.prefix + rules[0].name
    alternatives = []
    for rule in rules:
        env = module.environment(f"rule {name}", rule.parameters)
        alternatives.append(
            (
                None if rule.condition is None else condition(rule.condition, env),
                None if rule.probability is None else numeric(rule.probability, env),
                successor(rule.body, env),
            )
        )

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        open_alternatives = [
            (1.0 if weight is None else max(weight(shape, args), 0.0), alternative)
            for holds, weight, alternative in alternatives
            if holds is None or holds(shape, args)
        ]
        total = sum(weight for weight, _ in open_alternatives)
        if not open_alternatives or total <= 0.0:
            return None
        if len(open_alternatives) == 1:
            return open_alternatives[0][1](run, shape, args)
        left = shape.draw() * total
        for weight, alternative in open_alternatives[:-1]:
            left -= weight
            if left < 0.0:
                return alternative(run, shape, args)
        return open_alternatives[-1][1](run, shape, args)

    return Production(name, module.path, rules[0].at, act)


# Successors ---------------------------------------------------------------------------------------


def successor(body: s.Body, env: Environment) -> Act:
    """Compile a successor."""
    if isinstance(body, s.Sequence):
        return _sequence(body.operations, env)
    if isinstance(body, s.With):
        bind, inner = bound(body, env)
        inside = successor(body.body, inner)

        def with_names(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            inside(run, shape, bind(shape, args))

        return with_names
    otherwise = _lazily(body.otherwise, env)
    if body.chances:
        shares = [
            (numeric(share, env), _lazily(alternative, env))
            for share, alternative in body.alternatives
        ]

        def by_chance(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            chosen(shape, args, shares, otherwise)(run, shape, args)

        return by_chance
    alternatives = [
        (condition(test, env), _lazily(alternative, env)) for test, alternative in body.alternatives
    ]

    def by_case(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        for holds, alternative in alternatives:
            if holds(shape, args):
                alternative(run, shape, args)
                return
        otherwise(run, shape, args)

    return by_case


def _lazily(body: s.Body, env: Environment) -> Act:
    """Compile an alternative when it is first chosen, so that unused ones raise no errors."""
    ready: list[Act] = []

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if not ready:
            ready.append(successor(body, env))
        ready[0](run, shape, args)

    return act


def _sequence(operations: list[s.Operation | s.Group], env: Environment) -> Act:
    acts = [
        _group(one, env) if isinstance(one, s.Group) else _operation(one, env) for one in operations
    ]
    if len(acts) == 1:
        return acts[0]

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        for one in acts:
            one(run, shape, args)

    return act


def _group(group: s.Group, env: Environment) -> Act:
    """[ ... ]: keeps a geometry made inside as a leaf, and restores the shape's state."""
    inside = successor(group.body, env)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        state = shape.saved()
        shape.emit()
        shape.outer = (shape.p, shape.R, shape.s)
        inside(run, shape, args)
        if shape.made:
            run.keep_leaf(shape)
        shape.restore(state)

    return act


def _operation(op: s.Operation, env: Environment) -> Act:
    """An operation of the table, or else a rule call."""
    entry = env.module.operations.entries.get(op.name)
    if op.args is None:
        bare = entry is not None and entry.bare
        if entry is not None and bare and env.module.find_rule(op.name, 0, env, op.at) is None:
            return entry.build(op, env)
        return _nil if op.name == "NIL" else _rule_call(op, env)
    if entry is None:
        return _rule_call(op, env)
    if op.block is not None and not entry.block:
        raise env.problem(op.at, f"{op.name} takes no block in braces")
    return entry.build(op, env)


def _nil(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
    """NIL: remove the shape."""
    shape.emit()


def _rule_call(op: s.Operation, env: Environment) -> Act:
    """Create a child shape with the rule of that name; without a rule it is a terminal shape."""
    given = op.args or []
    found = None if op.block is not None else env.module.find_rule(op.name, len(given), env, op.at)
    if found is None:
        missing = env.module.missing_file(op.name, env, op.at)
        if missing and op.block is None:
            env.module.run.note_incomplete(
                f"rule {env.module.prefix}{op.name} of {missing!r} leaves its shapes as they are"
            )
        else:
            _check_terminal(op, env)
        name = op.name
    else:
        name = found[0].prefix + rule_name(found[1])
    values: list[Compiled] = []
    for argument in given:
        if argument.mark or argument.name:
            raise env.problem(argument.at, f"{op.name} is a rule: expected plain arguments")
        values.append(compiled(argument.value, env))
    if found is None:
        return _terminal(name)
    module, definition = found
    rule: list[Production] = []

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry not in run.geometries:
            run.count_geometry(shape.geometry)
        child = shape.child(name)
        if not rule:
            rule.append(production(run, module, definition))
        child.rule = rule[0]
        if values:
            child.args = tuple([value(shape, args) for value in values])
        run.children.append(child)
        if shape.settled is None:
            shape.settled = (shape.p, shape.R, shape.s, shape.joint)
        shape.made = False
        shape.emitted = True

    def act_on_part(run: Run, shape: Shape, split: tuple[int, int], p: Vector, s: Vector) -> None:
        child = shape.child_of_part(name, split, p, s)
        if not rule:
            rule.append(production(run, module, definition))
        child.rule = rule[0]
        run.children.append(child)

    if not values:
        act.on_part = act_on_part  # type: ignore[attr-defined]
    return act


def _terminal(name: str) -> Act:
    """Create a terminal shape, which is stored as it is."""

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry not in run.geometries:
            run.count_geometry(shape.geometry)
        shape.born += 1
        run.children.append(
            (shape.index, name, True, shape.p, shape.s, shape.R, shape.geometry, shape.material, shape.joint)
        )  # fmt: skip
        if shape.settled is None:
            shape.settled = (shape.p, shape.R, shape.s, shape.joint)
        shape.made = False
        shape.emitted = True

    def act_on_part(run: Run, shape: Shape, split: tuple[int, int], p: Vector, s: Vector) -> None:
        shape.born += 1
        run.children.append(
            (shape.index, name, True, p, s, shape.R, shape.geometry, shape.material, shape.joint)
        )

    act.on_part = act_on_part  # type: ignore[attr-defined]
    return act


def on_part(act: Act) -> OnPart | None:
    """The short form of a successor that is one rule call without arguments; None for any other.

    It creates the child of a split's part without a shape for the part itself.
    """
    return getattr(act, "on_part", None)


def _check_terminal(op: s.Operation, env: Environment) -> None:
    """Raise if a name without a rule cannot be that of a terminal shape."""
    name = op.name
    operations, definitions = env.module.operations, env.module.definitions
    if op.args is not None and (name in operations.unsupported or op.block is not None):
        raise env.problem(op.at, f"the operation {name!r} is not supported")
    if name in operations.entries and op.args is None and (name, 0) not in definitions.rules:
        raise env.problem(op.at, f"the operation {name!r} needs its arguments in parentheses")
    counts = definitions.parameter_counts(name)
    if counts:
        count = len(op.args or [])
        raise env.problem(op.at, f"rule {name!r} takes {counted(*counts)}, got {count}")
    first = name.split(".")[0]
    if op.args is not None or ("." in name.rstrip(".") and first not in definitions.imports):
        hint = nearest(name, [*definitions.rule_names(), *operations.entries])
        raise env.problem(op.at, f"unknown rule or operation {name!r}{hint}")
