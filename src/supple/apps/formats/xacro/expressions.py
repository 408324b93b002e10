"""Evaluate the expressions of xacro, `${...}` and `$(eval ...)`, which are Python, without running Python.

Python parses the text to a syntax tree, and the tree is walked here. Each kind of node that is allowed has a
method; every other is refused. Values are numbers, strings, lists, tuples, dictionaries and ranges only
(`work.VALUES`), names are looked up in xacro's tables, functions and methods in ours (`functions`). No attribute of
a Python object is ever read, so an expression cannot reach Python's internals. Its cost is limited (`work`).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from supple.apps.formats.xacro.functions import METHODS, PYTHON, Function, call
from supple.apps.formats.xacro.operators import added, multiplied, raised, remainder, shifted
from supple.apps.formats.xacro.work import (
    DICTIONARIES,
    NUMBERS,
    SEQUENCES,
    VALUES,
    Dotted,
    ExpressionError,
    Work,
    check_length,
    named,
)

LONGEST_EXPRESSION = 20_000  # characters; not tuned
DEEPEST_EXPRESSION = 200  # levels; not tuned

ALLOWED = (
    "expected numbers, strings, lists, dictionaries, arithmetic, comparisons, conditions, look-ups, "
    "comprehensions and calls of the functions of xacro"
)


class Namespace(dict):
    """Names that are written after a dot, such as those of `math`."""


def evaluate(
    text: str,
    symbols: Mapping[str, Any],
    *,
    work: Work,
    spaces: tuple[type, ...] = (Namespace,),
) -> Any:
    """The value of an expression.

    Args:
        text: The expression.
        symbols: Values, functions and namespaces by name.
        work: Counts the steps.
        spaces: Types of namespaces.

    Returns:
        A value, of `work.VALUES`.

    Raises:
        ExpressionError: It asks for something that is not allowed, or for too much.
        SyntaxError: It is not Python.
        Exception: As in Python, such as ZeroDivisionError.
    """
    text = text.strip()
    if len(text) > LONGEST_EXPRESSION:
        raise ExpressionError(
            f"an expression is too long: expected at most {LONGEST_EXPRESSION:,} characters"
        )
    work.charge(1 + (len(text) >> 4))
    try:
        tree = ast.parse(text, mode="eval")
    except (RecursionError, MemoryError):  # raised by the parser
        raise _too_deep() from None
    found = _Walk(symbols, work, spaces).value(tree.body)
    return work.weighed(found)


def _too_deep() -> ExpressionError:
    return ExpressionError(
        f"an expression is too deep: expected at most {DEEPEST_EXPRESSION} levels"
    )


def _numbers(python: Callable[[Any, Any], Any]) -> Callable[[Work, Any, Any], Any]:
    def applied(work: Work, a: Any, b: Any) -> Any:
        if type(a) not in NUMBERS or type(b) not in NUMBERS:
            raise ExpressionError(f"expected numbers, got {named(a)} and {named(b)}")
        return python(a, b)

    return applied


BINARY: dict[type, Callable[[Work, Any, Any], Any]] = {
    ast.Add: added,
    ast.Sub: _numbers(operator.sub),
    ast.Mult: multiplied,
    ast.Div: _numbers(operator.truediv),
    ast.FloorDiv: _numbers(operator.floordiv),
    ast.Mod: remainder,
    ast.Pow: raised,
    ast.LShift: shifted,
    ast.RShift: _numbers(operator.rshift),
    ast.BitAnd: _numbers(operator.and_),
    ast.BitOr: _numbers(operator.or_),
    ast.BitXor: _numbers(operator.xor),
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


class _Walk:
    """A walk over the tree of one expression."""

    def __init__(self, symbols: Mapping[str, Any], work: Work, spaces: tuple[type, ...]) -> None:
        self.symbols, self.work, self.spaces = symbols, work, spaces
        self.depth = 0
        self.local: dict[str, Any] = {}  # names of comprehensions

    def found(self, node: ast.AST) -> Any:
        """The value, function or namespace of a node."""
        self.work.charge()
        self.depth += 1
        if self.depth > DEEPEST_EXPRESSION:
            raise _too_deep()
        visit = self.VISITS.get(type(node))
        if visit is None:
            raise ExpressionError(f"{_told(node)} is not allowed; {ALLOWED}")
        found = visit(self, node)
        self.depth -= 1
        return found

    def value(self, node: ast.AST) -> Any:
        """The value of a node."""
        found = self.found(node)
        if type(found) not in VALUES:
            what = f"the {found!r}" if type(found) is Function else "a namespace"
            raise ExpressionError(f"expected a value, got {what}")
        return found

    def constant(self, node: ast.Constant) -> Any:
        if type(node.value) not in VALUES:
            raise ExpressionError(f"{_told(node)} is not allowed; {ALLOWED}")
        return self.work.weighed(node.value)

    def name(self, node: ast.Name) -> Any:
        if node.id in self.local:
            return self.local[node.id]
        if node.id.startswith("__"):
            raise ExpressionError(
                f"the name {node.id!r} is not allowed: it begins with underscores"
            )
        return self.symbol(self.symbols, node.id)

    def symbol(self, table: Mapping[str, Any], name: str) -> Any:
        """The value, function or namespace of a name in one of xacro's tables."""
        try:
            found = table[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None
        kind = type(found)
        if kind is str or kind is int:  # may come from the text of a property, and be long
            return self.work.weighed(found)
        if kind in VALUES or kind is Function or kind in self.spaces:
            return found
        raise ExpressionError(f"{name!r} has no value: it is {named(found)}")

    def binary(self, node: ast.BinOp) -> Any:
        apply = BINARY.get(type(node.op))
        if apply is None:
            raise ExpressionError(f"the operator {_told(node.op)} is not allowed; {ALLOWED}")
        return self.work.weighed(apply(self.work, self.value(node.left), self.value(node.right)))

    def unary(self, node: ast.UnaryOp) -> Any:
        found = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not found
        if type(found) not in NUMBERS:
            raise ExpressionError(f"expected a number, got {named(found)}")
        return UNARY[type(node.op)](found)

    def boolean(self, node: ast.BoolOp) -> Any:
        found = None
        for one in node.values:
            found = self.value(one)
            if bool(found) is isinstance(node.op, ast.Or):
                break
        return found

    def condition(self, node: ast.IfExp) -> Any:
        return self.found(node.body if self.value(node.test) else node.orelse)

    def comparison(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        found = True
        for kind, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            self.work.weighed(left)
            self.work.weighed(right)
            found = COMPARISONS[type(kind)](left, right)
            if not found:
                break
            left = right
        return found

    def items(self, nodes: list[ast.expr], *, functions: bool = False) -> list[Any]:
        """The values of nodes; those after a star are unpacked."""
        found: list[Any] = []
        for one in nodes:
            if isinstance(one, ast.Starred):
                found.extend(self.each(one.value))
            else:
                found.append(self.found(one) if functions else self.value(one))
        return found

    def each(self, node: ast.AST) -> Any:
        """The value of a node to iterate over: a string, list, tuple, range, or the keys of a dictionary."""
        found = self.value(node)
        if type(found) in (str, range, *SEQUENCES, *DICTIONARIES):
            return self.work.weighed(found)
        raise ExpressionError(f"expected a list to go through, got {named(found)}")

    def listed(self, node: ast.List) -> Any:
        return self.work.weighed(self.items(node.elts))

    def tupled(self, node: ast.Tuple) -> Any:
        # Types may stand in it, as in isinstance(x, (int, float)).
        found = tuple(self.items(node.elts, functions=True))
        if found and all(type(one) is Function for one in found):
            return found
        return self.work.weighed(found)

    def dictionary(self, node: ast.Dict) -> Any:
        made = {}
        for key, one in zip(node.keys, node.values, strict=True):
            if key is None:
                raise ExpressionError(f"** in a dictionary is not allowed; {ALLOWED}")
            made[self.work.weighed(self.value(key))] = self.value(one)
        return self.work.weighed(made)

    def subscript(self, node: ast.Subscript) -> Any:
        found = self.value(node.value)
        if type(found) in DICTIONARIES:
            return self.entry(found, self.value(node.slice))
        if type(found) not in (str, range, *SEQUENCES):
            raise ExpressionError(f"expected a list or a dictionary before [, got {named(found)}")
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            cut = slice(*(None if one is None else self.value(one) for one in parts))
            return self.work.weighed(found[cut])
        return found[self.value(node.slice)]

    def entry(self, found: dict[Any, Any], key: Any) -> Any:
        self.work.weighed(key)
        if key in found:
            return found[key]
        keys = ", ".join(str(one)[:40] for one in list(found)[:10])
        raise ExpressionError(
            f"there is no key {str(key)[:40]!r}; expected one of {keys or 'none'}"
        )

    def attribute(self, node: ast.Attribute) -> Any:
        found = self.found(node.value)
        _check_attribute(node.attr)
        if type(found) in self.spaces:
            return self.symbol(found, node.attr)
        if type(found) is Dotted:
            return self.entry(found, node.attr)
        raise ExpressionError(
            f"{named(found)} has no {node.attr!r}: expected a namespace or a dictionary of YAML before it"
        )

    def called(self, node: ast.Call) -> Any:
        function, first = self.function(node.func)
        given = (*first, *self.items(node.args, functions=True))
        by_name = {}
        for one in node.keywords:
            if one.arg is None or one.arg.startswith("_"):
                raise ExpressionError(f"** in a call is not allowed; {ALLOWED}")
            by_name[one.arg] = self.found(one.value)
        return call(self.work, function, given, by_name)

    def function(self, node: ast.expr) -> tuple[Any, tuple[Any, ...]]:
        """The function that a call names, and the value before the dot if it is a method."""
        if isinstance(node, ast.Name):
            try:
                return self.name(node), ()
            except NameError:
                known = ", ".join(sorted(PYTHON))
                raise ExpressionError(
                    f"there is no function {node.id!r}; expected one of math, of xacro, or of {known}"
                ) from None
        if not isinstance(node, ast.Attribute):
            return self.found(node), ()
        found = self.found(node.value)
        _check_attribute(node.attr)
        if type(found) in self.spaces:
            return self.symbol(found, node.attr), ()
        methods = METHODS.get(type(found), {})
        if node.attr not in methods:
            expected = ", ".join(sorted(methods)) or "none"
            raise ExpressionError(
                f"{named(found)} has no method {node.attr!r} here; expected one of: {expected}"
            )
        return methods[node.attr], (found,)

    def comprehension(self, node: Any) -> Any:
        made: list[Any] = []
        pair = isinstance(node, ast.DictComp)

        def fill(level: int) -> None:
            if level == len(node.generators):
                check_length(len(made), "a list")
                made.append(
                    (self.value(node.key), self.value(node.value)) if pair else self.value(node.elt)
                )
                return
            one = node.generators[level]
            for item in self.each(one.iter):
                self.work.charge()
                self.bind(one.target, item)
                if all(self.value(test) for test in one.ifs):
                    fill(level + 1)

        before = dict(self.local)
        fill(0)
        self.local = before
        return self.work.weighed(dict(made) if pair else made)

    def bind(self, target: ast.expr, item: Any) -> None:
        """Give the names of a comprehension their values."""
        if isinstance(target, ast.Name):
            self.local[target.id] = item
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise ExpressionError("expected names after 'for'")
        if type(item) not in (str, *SEQUENCES) or len(item) != len(target.elts):
            raise ExpressionError(f"for: expected {len(target.elts)} values, got {named(item)}")
        for one, part in zip(target.elts, item, strict=True):
            self.bind(one, part)

    VISITS: Mapping[type, Callable[..., Any]] = {
        ast.Constant: constant,
        ast.Name: name,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.BoolOp: boolean,
        ast.IfExp: condition,
        ast.Compare: comparison,
        ast.List: listed,
        ast.Tuple: tupled,
        ast.Dict: dictionary,
        ast.Subscript: subscript,
        ast.Attribute: attribute,
        ast.Call: called,
        ast.ListComp: comprehension,
        ast.GeneratorExp: comprehension,
        ast.DictComp: comprehension,
    }


def _check_attribute(name: str) -> None:
    if name.startswith("_"):
        raise ExpressionError(
            f"the attribute {name!r} is not allowed: it begins with an underscore"
        )


TOLD = {
    ast.Lambda: "lambda",
    ast.NamedExpr: "an assignment (:=)",
    ast.JoinedStr: "an f-string",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.Starred: "a star here",
    ast.Slice: "a slice here",
    ast.MatMult: "@",
}


def _told(node: ast.AST) -> str:
    """A kind of node for a message."""
    if isinstance(node, ast.Constant):
        return f"the value {str(node.value)[:40]!r}"
    return TOLD.get(type(node), type(node).__name__.lower())
