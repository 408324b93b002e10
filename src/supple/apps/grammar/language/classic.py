"""The classic form of Mueller et al. 2006, "Procedural Modeling of Buildings", as modern CGA.

    1: facade : height > 9 ~> Subdiv("Y", 3, 1r){ ground | upper } : 0.7

T, S, Rx, Ry, Rz, I, Subdiv, Repeat and Comp become t, s, r, i, split and comp; "1r" is a relative
size in S and T and a floating one in Subdiv. In this form every I leaves a shape behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from supple.apps.grammar.language import syntax as s

Word = TypeVar("Word")

AXES: dict[str, str] = {"X": "x", "Y": "y", "Z": "z"}
COMPONENTS = {
    "faces": ("f", "all"),
    "sidefaces": ("f", "side"),
    "topfaces": ("f", "top"),
    "bottomfaces": ("f", "bottom"),
    "edges": ("e", "all"),
    "vertices": ("v", "all"),
}
TURNS = {"Rx": 0, "Ry": 1, "Rz": 2}
PLAIN = {"T": "t", "S": "s"}
EPSILON = ("epsilon", "ε")


def modern_body(body: s.Body) -> s.Body:
    """A classic successor in modern CGA."""
    if isinstance(body, s.Fork):
        alternatives = [
            (condition, modern_body(alternative)) for condition, alternative in body.alternatives
        ]
        return s.Fork(body.chances, alternatives, modern_body(body.otherwise), body.at)
    if isinstance(body, s.With):
        return s.With(body.names, body.values, modern_body(body.body), body.at)
    return s.Sequence([_modern(one) for one in body.operations], body.at)


def _modern(operation: s.Operation | s.Group) -> s.Operation | s.Group:
    if isinstance(operation, s.Group):
        return s.Group(modern_body(operation.body), operation.at)
    name, args, at = operation.name, operation.args, operation.at
    if args is None:
        return s.Operation("NIL", None, None, at) if name in EPSILON else operation
    if name in PLAIN:
        return s.Operation(PLAIN[name], [_marked(one, "'") for one in args], None, at)
    if name in TURNS and len(args) == 1:
        zero = s.Argument(s.Constant(0.0, at), "", "", at)
        turned = [args[0] if k == TURNS[name] else zero for k in range(3)]
        return s.Operation("r", turned, None, at)
    if name == "I":
        inserted = s.Operation("i", args, None, at)
        # A group keeps the shape that was inserted in it.
        return s.Group(s.Sequence([inserted], at), at)
    if name in ("Subdiv", "Repeat") and args and operation.bodies:
        axis = _word(args[0], AXES)
        sizes = [_marked(one, "~") for one in args[1:]]
        if axis and (len(sizes) == len(operation.bodies)):
            pieces: list[s.Piece | s.Block] = [
                s.Piece(
                    size.mark or ("~" if name == "Repeat" else ""),
                    size.value,
                    False,
                    modern_body(body),
                    body.at,
                )
                for size, body in zip(sizes, operation.bodies, strict=True)
            ]
            block = s.Block(pieces, name == "Repeat", at)
            return s.Operation("split", [_name(axis, at)], block, at)
    if name == "Comp" and len(args) == 1 and len(operation.bodies) == 1:
        found = _word(args[0], COMPONENTS)
        if found:
            kind, selector = found
            body = operation.bodies[0]
            piece = s.Piece("", s.Name(selector, at), False, modern_body(body), at)
            return s.Operation("comp", [_name(kind, at)], s.Block([piece], False, at), at)
    return operation


def _marked(argument: s.Argument, mark: str) -> s.Argument:
    """The argument with the mark "r" replaced by the modern mark."""
    if argument.mark != "r":
        return argument
    return s.Argument(argument.value, mark, "", argument.at)


def _name(text: str, at: s.At) -> s.Argument:
    return s.Argument(s.Name(text, at), "", "", at)


def _word(argument: s.Argument, words: Mapping[str, Word]) -> Word | None:
    value = argument.value
    return words.get(str(value.value)) if isinstance(value, s.Constant) else None
