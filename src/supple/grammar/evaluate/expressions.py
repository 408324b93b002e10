"""Expressions as functions: each node becomes a closure of (shape, arguments).

Nothing is evaluated as Python; what a name means is found once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError, nearest
from supple.grammar.evaluate.functions import FUNCTIONS, REFUSED, with_a_value
from supple.grammar.evaluate.operators import FAST, SLOW
from supple.grammar.evaluate.queries import QUESTIONS
from supple.grammar.evaluate.shape_attributes import PROPERTIES
from supple.grammar.evaluate.values import counted, fraction, kind, number, truth, written
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded

if TYPE_CHECKING:
    pass

Compiled = Callable[[Any, tuple[Any, ...]], Any]


def compiled(node: s.Expression, env: Environment) -> Compiled:
    """An expression as a function of the shape and the arguments of the rule it stands in."""
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
    if isinstance(node, s.With):
        bind, inner = bound(node, env)
        body = compiled(node.body, inner)
        return lambda shape, args: body(shape, bind(shape, args))
    return _item(node, env)


def bound(node: s.With, env: Environment) -> tuple[Compiled, Environment]:
    """The arguments with those that `with` adds, and where these have their names."""
    values: list[Compiled] = []
    names = env.parameters
    for name, value in zip(node.names, node.values, strict=True):
        values.append(compiled(value, env._replace(parameters=names)))
        # A name that is there already is hidden.
        names = (*("" if old == name else old for old in names), name)

    def bind(shape: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        for value in values:
            args = (*args, value(shape, args))
        return args

    return bind, env._replace(parameters=names)


def condition(node: s.Expression, env: Environment) -> Compiled:
    """An expression as a function that says whether it holds."""
    value = compiled(node, env)
    checked = guarded(env, node.at, truth)

    def holds(shape: Any, args: tuple[Any, ...]) -> bool:
        found = value(shape, args)
        return found if found is True or found is False else checked(found)

    return holds


def numeric(node: s.Expression, env: Environment) -> Compiled:
    """An expression as a function that gives a number."""
    value = compiled(node, env)
    checked = guarded(env, node.at, number)

    def found(shape: Any, args: tuple[Any, ...]) -> float:
        result = value(shape, args)
        return result if type(result) is float else checked(result)

    return found


# Names --------------------------------------------------------------------------------------------

FAMILIES = ("scope", "geometry", "material", "pivot", "trim", "initialShape", "split", "comp")


def _name(node: s.Name, env: Environment) -> Compiled:
    name = node.name
    if name in env.parameters:
        place = env.parameters.index(name)
        return lambda shape, args: args[place]
    found = env.module.value(name, 0, env, node.at)
    if found is not None:
        return found
    if name in PROPERTIES:
        get = PROPERTIES[name]
        return lambda shape, args: get(shape)
    if name in FUNCTIONS and FUNCTIONS[name][0] == 0:
        compute = FUNCTIONS[name][2]
        return lambda shape, args: compute(shape)
    raise env.problem(node.at, _unknown(name, env))


def _unknown(name: str, env: Environment) -> str:
    family = name.split(".")[0]
    if name in REFUSED or family in FAMILIES:
        return f"{name!r} is not supported"
    if name in FUNCTIONS or name in QUESTIONS:
        return f"{name!r} is a function: expected its arguments"
    choices = [*env.parameters, *env.module.names(), *PROPERTIES]
    return f"unknown name {name!r}{nearest(name, choices)}"


def _call(node: s.Call, env: Environment) -> Compiled:
    name, at = node.name, node.at
    if name in ("point", "shapePoint"):
        raise env.problem(at, f"{name!r} names a point of a shape only as the target of IK")
    for argument in node.args:
        if argument.mark or argument.name:
            given = argument.mark or f"{argument.name} ="
            raise env.problem(argument.at, f"expected a plain value for {name!r}, got {given!r}")
    own = env.module.value(name, len(node.args), env, at)
    if own is None and name == "print" and len(node.args) == 1:
        value, tell = compiled(node.args[0].value, env), env.module.derivation.tell
        return lambda shape, args: tell(value(shape, args))
    if own is None and name in QUESTIONS:
        return _question(node, env)
    if own is None and name in PROPERTIES and not name.startswith("geometry."):
        raise env.problem(at, f"{name!r} takes no arguments")
    if own is None and name in PROPERTIES and not node.args:
        get = PROPERTIES[name]
        return lambda shape, args: get(shape)
    if own is not None:
        values = [compiled(argument.value, env) for argument in node.args]
        function: Compiled = own
        if len(values) == 1:
            only = values[0]
            return lambda shape, args: function(shape, (only(shape, args),))
        return lambda shape, args: function(shape, tuple([v(shape, args) for v in values]))
    if name in FUNCTIONS:
        least, most, compute = FUNCTIONS[name]
        _count(node, least, most, env)
        values = [compiled(argument.value, env) for argument in node.args]
        checked = guarded(env, at, with_a_value(name, compute))
        return lambda shape, args: checked(shape, *[v(shape, args) for v in values])
    if name in REFUSED or name.split(".")[0] in FAMILIES:
        raise env.problem(at, f"the function {name!r} is not supported")
    choices = [*env.module.names(), *FUNCTIONS, *QUESTIONS]
    count = len(node.args)
    plural = f"{count} argument{'s' * (count != 1)}"
    raise env.problem(at, f"unknown function {name!r} with {plural}{nearest(name, choices)}")


def _count(node: s.Call, least: int, most: int, env: Environment) -> None:
    given = len(node.args)
    if not least <= given <= most:
        allowed = counted(*range(least, most + 1))
        raise env.problem(node.at, f"{node.name!r} takes {allowed}, got {given}")


def _question(node: s.Call, env: Environment) -> Compiled:
    """A function that asks about the shape and where it stands, some of whose arguments are words."""
    asked = QUESTIONS[node.name]
    _count(node, asked.least, len(asked.takes), env)
    values: list[Compiled] = []
    for argument, takes in zip(node.args, asked.takes, strict=False):
        if callable(takes):
            value, check = compiled(argument.value, env), guarded(env, argument.at, takes)
            values.append(lambda shape, args, value=value, check=check: check(value(shape, args)))
            continue
        given = argument.value
        word = given.name if isinstance(given, s.Name) else getattr(given, "value", None)
        if word not in takes:
            said = "something else" if word is None else written(word)
            listed = ", ".join(takes)
            raise env.problem(argument.at, f"{node.name}: expected one of {listed}, got {said}")
        values.append(lambda shape, args, word=word: word)
    answer = guarded(env, node.at, asked.answer)
    module = env.module
    return lambda shape, args: answer(module, shape, *[value(shape, args) for value in values])


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
        raise env.problem(at, f"the operator {sign!r} of arrays is not supported")
    if sign in ("&&", "||"):
        left, right = condition(node.left, env), condition(node.right, env)
        if sign == "&&":
            return lambda shape, args: left(shape, args) and right(shape, args)
        return lambda shape, args: left(shape, args) or right(shape, args)
    first, second = compiled(node.left, env), compiled(node.right, env)
    fast = FAST[sign]
    slow = guarded(env, at, SLOW[sign])

    def both(shape: Any, args: tuple[Any, ...]) -> Any:
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


def chosen(shape: Any, args: tuple[Any, ...], shares: list[tuple[Compiled, Any]], rest: Any) -> Any:
    """One of several by its percentage, with one random number of the shape."""
    shape.draws += 1
    left = fraction(shape.seed, shape.draws) * 100.0
    for share, way in shares:
        left -= share(shape, args)
        if left < 0.0:
            return way
    return rest


def _lazily(node: s.Expression, env: Environment) -> Compiled:
    """A way that is made ready when it is first taken: what is never taken is never refused."""
    if isinstance(node, s.Constant):
        return compiled(node, env)
    ready: list[Compiled] = []

    def value(shape: Any, args: tuple[Any, ...]) -> Any:
        if not ready:
            ready.append(compiled(node, env))
        return ready[0](shape, args)

    return value


def _choice(node: s.Choice, env: Environment) -> Compiled:
    otherwise = _lazily(node.otherwise, env)
    if node.chances:
        shares = [(numeric(share, env), _lazily(way, env)) for share, way in node.ways]
        return lambda shape, args: chosen(shape, args, shares, otherwise)(shape, args)
    ways = [(condition(test, env), _lazily(way, env)) for test, way in node.ways]

    def value(shape: Any, args: tuple[Any, ...]) -> Any:
        for holds, way in ways:
            if holds(shape, args):
                return way(shape, args)
        return otherwise(shape, args)

    return value


def _array(node: s.Array, env: Environment) -> Compiled:
    if len(node.rows) > 1:
        raise env.problem(node.at, "arrays of several rows are not supported")
    values = [compiled(value, env) for value in (node.rows[0] if node.rows else [])]
    return lambda shape, args: tuple([value(shape, args) for value in values])


def _item(node: s.Item, env: Environment) -> Compiled:
    if len(node.indices) != 1 or isinstance(node.indices[0], tuple):
        raise env.problem(node.at, "an array takes one index; rows and ranges are not supported")
    which: Any = node.indices[0]
    value, index = compiled(node.value, env), numeric(which, env)

    def take(array: Any, k: float) -> Any:
        if not isinstance(array, tuple):
            raise SuppleError(f"expected an array before '[', got {kind(array)}")
        if not (0 <= k < len(array) and k == int(k)):
            raise SuppleError(f"expected an index from 0 to {len(array) - 1}, got {written(k)}")
        return array[int(k)]

    checked = guarded(env, node.at, take)
    return lambda shape, args: checked(value(shape, args), index(shape, args))
