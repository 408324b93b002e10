"""Compile expressions: each node becomes a closure of (shape, arguments).

Nothing is evaluated as Python code. Names are resolved once, when the expression is compiled. The value
of an attribute or constant is an expression too: it is compiled and evaluated at its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from supple.apps.grammar.evaluate.arrays import joined, sequence, taken, taken_2d
from supple.apps.grammar.evaluate.functions import FUNCTIONS, UNSUPPORTED, finite
from supple.apps.grammar.evaluate.modules import Compiled, Environment, Module, located
from supple.apps.grammar.evaluate.operators import FAST, SLOW
from supple.apps.grammar.evaluate.queries import QUERIES
from supple.apps.grammar.evaluate.randomness import seed_of
from supple.apps.grammar.evaluate.selectors import KINDS, selector
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.shape_attributes import LOT_ATTRIBUTES, SHAPE_ATTRIBUTES, STREET
from supple.apps.grammar.evaluate.values import counted, number, truth, written
from supple.apps.grammar.geometry.frames import placed, product
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.errors import RuleError
from supple.errors import nearest


def compiled(node: s.Expression, env: Environment) -> Compiled:
    """Compile an expression to a function of the shape and the arguments of its rule."""
    if isinstance(node, s.Constant):
        value = node.value
        return lambda shape, args: value
    if isinstance(node, s.Name):
        return _name(node, env)
    if isinstance(node, s.Call):
        return _call(node, env)
    if isinstance(node, s.Unary):
        return _unary(node, env)
    if isinstance(node, s.Binary):
        return _binary(node, env)
    if isinstance(node, s.Choice):
        return _choice(node, env)
    if isinstance(node, s.Array):
        return _array(node, env)
    if isinstance(node, s.Components):
        return _components(node, env)
    if isinstance(node, s.With):
        bind, inner = bound(node, env)
        body = compiled(node.body, inner)
        return lambda shape, args: body(shape, bind(shape, args))
    return _element(node, env) if isinstance(node, s.Range) else _item(node, env)


def bound(node: s.With, env: Environment) -> tuple[Compiled, Environment]:
    """Compile the bindings of `with`: a function that extends the arguments, and the environment."""
    values: list[Compiled] = []
    names = env.parameters
    for name, value in zip(node.names, node.values, strict=True):
        values.append(compiled(value, env._replace(parameters=names)))
        # An outer name that is bound again is hidden.
        names = (*("" if old == name else old for old in names), name)

    def bind(shape: Shape, args: tuple[Any, ...]) -> tuple[Any, ...]:
        for value in values:
            args = (*args, value(shape, args))
        return args

    return bind, env._replace(parameters=names)


def condition(node: s.Expression, env: Environment) -> Compiled:
    """Compile an expression whose value must be a boolean."""
    value = compiled(node, env)
    checked = located(env, node.at, truth)

    def holds(shape: Shape, args: tuple[Any, ...]) -> bool:
        found = value(shape, args)
        return found if found is True or found is False else checked(found)

    return holds


def numeric(node: s.Expression, env: Environment) -> Compiled:
    """Compile an expression whose value must be a number."""
    value = compiled(node, env)
    checked = located(env, node.at, number)

    def found(shape: Shape, args: tuple[Any, ...]) -> float:
        result = value(shape, args)
        return result if type(result) is float else checked(result)

    return found


# Names --------------------------------------------------------------------------------------------

FAMILIES = ("scope", "geometry", "material", "pivot", "trim", "initialShape", "split", "comp")


def _name(node: s.Name, env: Environment) -> Compiled:
    name = node.name
    if name in env.parameters:
        index = env.parameters.index(name)
        return lambda shape, args: args[index]
    found = env.module.find_value(name, 0, env, node.at)
    if found is not None:
        return named_value(*found)
    if name in LOT_ATTRIBUTES:
        of_lot, run = LOT_ATTRIBUTES[name], env.module.run
        return lambda shape, args: of_lot(run.origin)
    if name in SHAPE_ATTRIBUTES:
        get = SHAPE_ATTRIBUTES[name]
        return lambda shape, args: get(shape)
    if name in FUNCTIONS and FUNCTIONS[name][0] == 0:
        compute = FUNCTIONS[name][2]
        return lambda shape, args: compute(shape)
    if name in QUERIES and QUERIES[name].least == 0 and name.startswith("geometry."):
        return _query(s.Call(name, [], node.at), env)
    raise env.problem(node.at, _unknown(name, env))


def _unknown(name: str, env: Environment) -> str:
    family = name.split(".")[0]
    if name in UNSUPPORTED or family in FAMILIES:
        return f"{name!r} is not supported"
    if name in FUNCTIONS or name in QUERIES:
        return f"{name!r} is a function: expected its arguments"
    choices = [*env.parameters, *env.module.definitions.value_names(), *SHAPE_ATTRIBUTES]
    return f"unknown name {name!r}{nearest(name, choices)}"


def _call(node: s.Call, env: Environment) -> Compiled:
    name, at = node.name, node.at
    if name in ("point", "shapePoint"):
        raise env.problem(at, f"{name!r} can only be used as the target of IK")
    for argument in node.args:
        if argument.mark or argument.name:
            given = argument.mark or f"{argument.name} ="
            raise env.problem(argument.at, f"expected a plain value for {name!r}, got {given!r}")
    own = env.module.find_value(name, len(node.args), env, at)
    if own is None and name == "print" and len(node.args) == 1:
        value, write = compiled(node.args[0].value, env), env.module.run.print_value
        return lambda shape, args: write(value(shape, args))
    if own is None and name in QUERIES:
        return _query(node, env)
    alone = own is None and len(node.args) == 1
    indexed = env.module.find_value(name, 0, env, at) if alone else None
    if indexed is not None and isinstance(indexed[1], s.Attribute):
        return _indexed(indexed, node, env)
    if alone and name in STREET:
        stand_in = STREET[name]
        return lambda shape, args: stand_in
    if own is None and name in SHAPE_ATTRIBUTES and not name.startswith("geometry."):
        raise env.problem(at, f"{name!r} takes no arguments")
    if own is None and name in SHAPE_ATTRIBUTES and not node.args:
        get = SHAPE_ATTRIBUTES[name]
        return lambda shape, args: get(shape)
    if own is not None:
        values = [compiled(argument.value, env) for argument in node.args]
        function = named_value(*own)
        if len(values) == 1:
            only = values[0]
            return lambda shape, args: function(shape, (only(shape, args),))
        return lambda shape, args: function(shape, tuple([v(shape, args) for v in values]))
    if name in FUNCTIONS:
        least, most, compute = FUNCTIONS[name]
        _count(node, least, most, env)
        values = [compiled(argument.value, env) for argument in node.args]
        checked = located(env, at, finite(name, compute))
        return lambda shape, args: checked(shape, *[v(shape, args) for v in values])
    if name in UNSUPPORTED or name.split(".")[0] in FAMILIES:
        raise env.problem(at, f"the function {name!r} is not supported")
    choices = [*env.module.definitions.value_names(), *FUNCTIONS, *QUERIES]
    count = len(node.args)
    plural = f"{count} argument{'s' * (count != 1)}"
    raise env.problem(at, f"unknown function {name!r} with {plural}{nearest(name, choices)}")


def _indexed(
    found: tuple[Module, s.Attribute | s.Function], node: s.Call, env: Environment
) -> Compiled:
    """attribute(k): the element k of an array, such as streetWidth(comp.index); one value for every k."""
    value, index = named_value(*found), compiled(node.args[0].value, env)
    take = located(env, node.at, taken)

    def element(shape: Shape, args: tuple[Any, ...]) -> Any:
        whole = value(shape, args)
        return take(whole, index(shape, args)) if isinstance(whole, tuple) else whole

    return element


def _count(node: s.Call, least: int, most: int, env: Environment) -> None:
    given = len(node.args)
    if not least <= given <= most:
        allowed = counted(*range(least, most + 1))
        raise env.problem(node.at, f"{node.name!r} takes {allowed}, got {given}")


def _query(node: s.Call, env: Environment) -> Compiled:
    """Compile a call of a function of `queries`, some of whose arguments are keywords."""
    query = QUERIES[node.name]
    _count(node, query.least, len(query.takes), env)
    values: list[Compiled] = []
    for argument, takes in zip(node.args, query.takes, strict=False):
        if callable(takes):
            value, check = compiled(argument.value, env), located(env, argument.at, takes)
            values.append(lambda shape, args, value=value, check=check: check(value(shape, args)))
            continue
        value_node = argument.value
        word = (
            value_node.name
            if isinstance(value_node, s.Name)
            else getattr(value_node, "value", None)
        )
        if word not in takes:
            given = "something else" if word is None else written(word)
            listed = ", ".join(takes)
            raise env.problem(argument.at, f"{node.name}: expected one of {listed}, got {given}")
        values.append(lambda shape, args, word=word: word)
    answer = located(env, node.at, query.answer)
    module = env.module
    return lambda shape, args: answer(module, shape, *[value(shape, args) for value in values])


# Attributes, constants and functions ----------------------------------------------------------------


def named_value(module: Module, definition: s.Attribute | s.Function) -> Compiled:
    """Compile an attribute, constant or function of a module, once."""
    attribute = isinstance(definition, s.Attribute)
    key = (definition.name, 0 if attribute else len(definition.parameters))
    known = module.compiled.get(key)
    if known is None:
        if isinstance(definition, s.Attribute):
            known = _attribute(module, definition)
        else:
            known = (_constant if definition.constant else _function)(module, definition)
        module.compiled[key] = known
    return known


def _attribute(module: Module, one: s.Attribute) -> Compiled:
    """The value set by `set` for this shape, else the initial value."""
    key, full = (module.prefix, one.name), module.prefix + one.name
    values = module.values

    def get(shape: Shape, args: tuple[Any, ...]) -> Any:
        changed = shape.attrs
        if changed is not None and key in changed:
            return changed[key]
        found = values.get(full, module)
        return found if found is not module else _initial_value(module, one, full)

    return get


def _initial_value(module: Module, one: s.Attribute, full: str) -> Any:
    """The value of an attribute before any `set`: the caller's, the importer's, or the file's own."""
    given = module.run.given
    if full in given:
        module.values[full] = given[full]
        return given[full]
    home, node = module, module.style.get(one.name, one.value)
    if module.importer is not None and one.name in module.importer[1].values:
        home, node = module.importer[0], module.importer[1].values[one.name]
    return _once(module, full, one.at, lambda: _evaluated(home, full, node))


def _once(module: Module, full: str, at: s.At, evaluate: Callable[[], Any]) -> Any:
    """Evaluate a value and keep it; a value that depends on itself is an error."""
    if full in module.evaluating:
        path = " -> ".join([*module.evaluating[module.evaluating.index(full) :], full])
        raise RuleError(module.path, at, f"{full!r} depends on itself: {path}")
    module.evaluating.append(full)
    try:
        found = evaluate()
    finally:
        module.evaluating.pop()
    module.values[full] = found
    return found


def _evaluated(module: Module, full: str, node: s.Expression) -> Any:
    """The value of an expression on the initial shape, with random numbers seeded by its name."""
    env = module.environment(f"attribute {full}")
    shape = module.run.origin.child(full)
    shape.seed = seed_of(full, module.run.seed)
    return compiled(node, env)(shape, ())


def _constant(module: Module, one: s.Function) -> Compiled:
    full = module.prefix + one.name
    values = module.values

    def get(shape: Shape, args: tuple[Any, ...]) -> Any:
        found = values.get(full, module)
        if found is not module:
            return found
        return _once(module, full, one.at, lambda: _evaluated(module, full, one.value))

    return get


def _function(module: Module, one: s.Function) -> Compiled:
    body: list[Compiled] = []
    run, path = module.run, module.path

    def call(shape: Shape, args: tuple[Any, ...]) -> Any:
        if not body:
            env = module.environment(f"function {one.name}", one.parameters)
            body.append(compiled(one.value, env))
        run.count_call(one, path)
        try:
            return body[0](shape, args)
        finally:
            run.calls_open -= 1

    return call


# Operators ----------------------------------------------------------------------------------------


def _unary(node: s.Unary, env: Environment) -> Compiled:
    if node.sign == "!":
        holds = condition(node.value, env)
        return lambda shape, args: not holds(shape, args)
    value = numeric(node.value, env)
    if node.sign == "+":
        return value
    return lambda shape, args: -value(shape, args)


def _binary(node: s.Binary, env: Environment) -> Compiled:
    sign, at = node.sign, node.at
    if sign.startswith("."):
        one, other, each = (
            compiled(node.left, env),
            compiled(node.right, env),
            located(env, at, SLOW[sign]),
        )
        return lambda shape, args: each(one(shape, args), other(shape, args))
    if sign in ("&&", "||"):
        left, right = condition(node.left, env), condition(node.right, env)
        if sign == "&&":
            return lambda shape, args: left(shape, args) and right(shape, args)
        return lambda shape, args: left(shape, args) or right(shape, args)
    first, second = compiled(node.left, env), compiled(node.right, env)
    fast = FAST[sign]
    slow = located(env, at, SLOW[sign])

    def both(shape: Shape, args: tuple[Any, ...]) -> Any:
        a, b = first(shape, args), second(shape, args)
        if type(a) is float and type(b) is float:
            try:
                return fast(a, b)
            except ZeroDivisionError:
                raise env.problem(at, f"division by zero: {written(a)} {sign} 0") from None
            except OverflowError:
                raise env.problem(at, f"{written(a)} {sign} {written(b)} is too large") from None
        return slow(a, b)

    return both


# Choices and arrays -------------------------------------------------------------------------------


def chosen(
    shape: Shape, args: tuple[Any, ...], shares: list[tuple[Compiled, Any]], rest: Any
) -> Any:
    """Choose one of several by percentage, with one random number of the shape."""
    left = shape.draw() * 100.0
    for share, alternative in shares:
        left -= share(shape, args)
        if left < 0.0:
            return alternative
    return rest


def _lazily(node: s.Expression, env: Environment) -> Compiled:
    """Compile an alternative when it is first chosen, so that unused ones raise no errors."""
    if isinstance(node, s.Constant):
        return compiled(node, env)
    ready: list[Compiled] = []

    def value(shape: Shape, args: tuple[Any, ...]) -> Any:
        if not ready:
            ready.append(compiled(node, env))
        return ready[0](shape, args)

    return value


def _choice(node: s.Choice, env: Environment) -> Compiled:
    otherwise = _lazily(node.otherwise, env)
    if node.chances:
        shares = [
            (numeric(share, env), _lazily(alternative, env))
            for share, alternative in node.alternatives
        ]
        return lambda shape, args: chosen(shape, args, shares, otherwise)(shape, args)
    alternatives = [
        (condition(test, env), _lazily(alternative, env)) for test, alternative in node.alternatives
    ]

    def value(shape: Shape, args: tuple[Any, ...]) -> Any:
        for holds, alternative in alternatives:
            if holds(shape, args):
                return alternative(shape, args)
        return otherwise(shape, args)

    return value


def _array(node: s.Array, env: Environment) -> Compiled:
    rows = [[_element(one, env) for one in row] for row in node.rows]
    make = located(env, node.at, joined)
    if len(rows) <= 1:
        values = rows[0] if rows else []

        def row(shape: Shape, args: tuple[Any, ...]) -> Any:
            found = tuple([value(shape, args) for value in values])
            return make([found]) if any(isinstance(one, tuple) for one in found) else found

        return row
    return lambda shape, args: make([[value(shape, args) for value in row] for row in rows])


def _element(node: s.Expression, env: Environment) -> Compiled:
    """An element of an array or an index; a range is an array."""
    if not isinstance(node, s.Range):
        return compiled(node, env)
    first, last = compiled(node.first, env), compiled(node.last, env)
    step = compiled(node.step, env) if node.step is not None else None
    make = located(env, node.at, sequence)
    if step is None:
        return lambda shape, args: make(first(shape, args), 1.0, last(shape, args))
    return lambda shape, args: make(first(shape, args), step(shape, args), last(shape, args))


def _item(node: s.Item, env: Environment) -> Compiled:
    if len(node.indices) > 2:
        raise env.problem(node.at, f"an array takes 1 or 2 indices, got {len(node.indices)}")
    value = compiled(node.value, env)
    indices = [_element(one, env) for one in node.indices]
    if len(indices) == 1:
        (index,) = indices
        take = located(env, node.at, taken)
        return lambda shape, args: take(value(shape, args), index(shape, args))
    row, column = indices
    take_2d = located(env, node.at, taken_2d)
    return lambda shape, args: take_2d(value(shape, args), row(shape, args), column(shape, args))


def _components(node: s.Components, env: Environment) -> Compiled:
    """comp(fe){ front : 2 | all : 1 }: one value per component, in the order of the components.

    Each component takes the value of the first selector that takes it; components without one are left
    out. Values are computed in the component's scope.
    """
    given = [one.value for one in node.args]
    kind = given[0].name if len(given) == 1 and isinstance(given[0], s.Name) else ""
    if node.name != "comp" or kind not in KINDS:
        listed = ", ".join(f"comp({one})" for one in KINDS)
        raise env.problem(node.at, f"expected one of {listed} before '{{'")
    find = KINDS[kind]
    pieces = [(selector(test, env, numeric), compiled(value, env)) for test, value in node.pieces]

    def act(shape: Shape, args: tuple[Any, ...]) -> tuple[Any, ...]:
        parts = find(shape.geometry, shape.s)
        tests = [(test(shape, args), value) for test, value in pieces]
        found = []
        for k, part in enumerate(parts):
            value = next((value for takes, value in tests if takes(k, part)), None)
            if value is None:
                continue
            own = copy(shape)
            own.p = placed(shape.p, shape.R, part.offset)
            own.R = shape.R if part.rotation is None else product(shape.R, part.rotation)
            own.s, own.geometry, own.comp = part.size, part.geometry, (k, len(parts))
            found.append(value(own, args))
        return tuple(found)

    return act
