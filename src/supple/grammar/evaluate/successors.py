"""Successors: sequences of operations, forks, brackets and rule calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.errors import nearest
from supple.grammar.evaluate.arguments import Act
from supple.grammar.evaluate.expressions import (
    Compiled,
    bound,
    chosen,
    compiled,
    condition,
    numeric,
)
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.values import counted
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment
from supple.grammar.operations.table import BLOCKS, OPERATIONS, REFUSED

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


BARE = (
    "primitiveCube", "primitiveQuad", "primitiveDisk", "primitiveCylinder", "primitiveCone",
    "primitiveSphere", "alignScopeToAxes", "resetGeometry", "reverseNormals", "convexify",
    "innerRect",
)  # fmt: skip
"""Operations that may stand without parentheses."""


def successor(body: s.Body, env: Environment) -> Act:
    """What a body does to the current shape."""
    if isinstance(body, s.Sequence):
        return _sequence(body.operations, env)
    if isinstance(body, s.With):
        bind, inner = bound(body, env)
        inside = successor(body.body, inner)

        def with_names(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            inside(run, shape, bind(shape, args))

        return with_names
    otherwise = _lazily(body.otherwise, env)
    if body.chances:
        shares = [(numeric(share, env), _lazily(way, env)) for share, way in body.ways]

        def by_chance(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            chosen(shape, args, shares, otherwise)(run, shape, args)

        return by_chance
    ways = [(condition(test, env), _lazily(way, env)) for test, way in body.ways]

    def by_case(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        for holds, way in ways:
            if holds(shape, args):
                way(run, shape, args)
                return
        otherwise(run, shape, args)

    return by_case


def _lazily(body: s.Body, env: Environment) -> Act:
    """A way that is made ready when it is first taken: what is never taken is never refused."""
    ready: list[Act] = []

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        if not ready:
            ready.append(successor(body, env))
        ready[0](run, shape, args)

    return act


def _sequence(operations: list[s.Operation | s.Group], env: Environment) -> Act:
    acts = [_group(one, env) if isinstance(one, s.Group) else _act(one, env) for one in operations]
    if len(acts) == 1:
        return acts[0]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        for one in acts:
            one(run, shape, args)

    return act


def _group(group: s.Group, env: Environment) -> Act:
    """[ ... ]: afterwards the shape is as before; what was made inside and not passed on stays."""
    inside = successor(group.body, env)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        state = shape.saved()
        shape.emit()
        shape.outer = (shape.p, shape.R, shape.s)
        inside(run, shape, args)
        if shape.made:
            run.leave(shape)
        shape.restore(state)

    return act


def _act(op: s.Operation, env: Environment) -> Act:
    """An operation, or else the rule of that name."""
    if op.args is None:
        if op.name in BARE and env.module.rule(op.name, 0, env, op.at) is None:
            return OPERATIONS[op.name](op, env)
        return _nothing if op.name == "NIL" else _call(op, env)
    build = OPERATIONS.get(op.name)
    if build is None:
        return _call(op, env)
    if op.block is not None and op.name not in BLOCKS:
        raise env.problem(op.at, f"{op.name} takes no block in braces")
    return build(op, env)


def _nothing(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
    """NIL: the shape is gone."""
    shape.emit()


def _call(op: s.Operation, env: Environment) -> Act:
    """The name of a rule: a new shape; a name without a rule is a shape that stays as it is."""
    given = op.args or []
    found = None if op.block is not None else env.module.rule(op.name, len(given), env, op.at)
    if found is None:
        _refuse(op, env)
        name, rule = op.name, None
    else:
        module, definition = found
        name, rule = module.prefix + _rule_name(definition), (module, definition)
    values: list[Compiled] = []
    for argument in given:
        if argument.mark or argument.name:
            raise env.problem(argument.at, f"{op.name} is a rule: expected plain arguments")
        values.append(compiled(argument.value, env))
    production: list[Any] = []

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        new = shape.child(name)
        if rule is not None:
            if not production:
                production.append(run.production(*rule))
            new.rule = production[0]
            if values:
                new.args = tuple([value(shape, args) for value in values])
        run.born.append(new)
        shape.emit()

    return act


def _rule_name(definition: Any) -> str:
    return definition[0].name if isinstance(definition, list) else definition.name


def _refuse(op: s.Operation, env: Environment) -> None:
    """Say no to what is neither a rule nor a plain name for a shape."""
    name = op.name
    if op.args is not None and (name in REFUSED or op.block is not None):
        raise env.problem(op.at, f"the operation {name!r} is not supported")
    if name in OPERATIONS and op.args is None and (name, 0) not in env.module.rules:
        raise env.problem(op.at, f"the operation {name!r} needs its arguments in parentheses")
    counts = [count for own, count in env.module.rules if own == name]
    if counts:
        many = len(op.args or [])
        raise env.problem(op.at, f"rule {name!r} takes {counted(*counts)}, got {many}")
    first = name.split(".")[0]
    if op.args is not None or ("." in name.rstrip(".") and first not in env.module.imports):
        hint = nearest(name, [*env.module.rule_names(), *OPERATIONS])
        raise env.problem(op.at, f"unknown rule or operation {name!r}{hint}")
