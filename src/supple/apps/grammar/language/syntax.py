"""The syntax tree of a rule file.

Every node has the line and column where it begins, for messages. Nodes are never changed after
parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple


class At(NamedTuple):
    """A line and column of a rule file, counted from 1."""

    line: int
    column: int


# Expressions ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Constant:
    """A number, string or boolean."""

    value: float | str | bool
    at: At


@dataclass(slots=True)
class Name:
    """A name without arguments: parameter, attribute, constant or function; it may contain dots."""

    name: str
    at: At


@dataclass(slots=True)
class Call:
    """A function call."""

    name: str
    args: list[Argument]
    at: At


@dataclass(slots=True)
class Unary:
    """A unary operator: - + or !."""

    sign: str
    value: Expression
    at: At


@dataclass(slots=True)
class Binary:
    """A binary operator."""

    sign: str
    left: Expression
    right: Expression
    at: At


@dataclass(slots=True)
class Array:
    """An array, row by row."""

    rows: list[list[Expression]]
    at: At


@dataclass(slots=True)
class Range:
    """first:last or first:step:last as an element of an array or an index."""

    first: Expression
    step: Expression | None
    last: Expression
    at: At


@dataclass(slots=True)
class Item:
    """An element of an array, or several."""

    value: Expression
    indices: list[Expression]
    at: At


@dataclass(slots=True)
class Components:
    """comp(fe){ front : 2 | all : 1 }: the values of an expression at components, as an array."""

    name: str
    args: list[Argument]
    pieces: list[tuple[Expression, Expression]]
    at: At


@dataclass(slots=True)
class Choice:
    """case ... else: the first value whose condition holds; if `chances`, one by its percentage."""

    chances: bool
    alternatives: list[tuple[Expression, Expression]]
    otherwise: Expression
    at: At


@dataclass(slots=True)
class With:
    """with( name := value, ... ) before an expression or a successor that may use the names."""

    names: list[str]
    values: list[Expression]
    body: Any
    at: At


Expression = (
    Constant | Name | Call | Unary | Binary | Array | Range | Item | Components | Choice | With
)


@dataclass(slots=True)
class Argument:
    """An argument: `mark` is "'" for relative, "~" for floating; `name` is "" unless it is named."""

    value: Expression
    mark: str
    name: str
    at: At


# Successors ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Operation:
    """An operation or a rule call, with its arguments and its block."""

    name: str
    args: list[Argument] | None
    block: Block | None
    at: At
    bodies: list[Body] = field(default_factory=list)  # of a classic Subdiv, Repeat or Comp


@dataclass(slots=True)
class Group:
    """A successor in brackets, after which the shape's state is restored."""

    body: Body
    at: At


@dataclass(slots=True)
class Piece:
    """One part of a split or comp: its size or selector, and its successor."""

    mark: str
    selector: Expression
    merged: bool
    body: Body
    at: At


@dataclass(slots=True)
class Block:
    """The parts of a split or comp; a nested block is repeated on its own."""

    pieces: list[Piece | Block]
    repeated: bool
    at: At


@dataclass(slots=True)
class Sequence:
    """Operations in order."""

    operations: list[Operation | Group]
    at: At


@dataclass(slots=True)
class Fork:
    """case ... else: the first successor whose condition holds; if `chances`, one by its percentage."""

    chances: bool
    alternatives: list[tuple[Expression, Body]]
    otherwise: Body
    at: At


Body = Sequence | Fork | With


# Definitions --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Annotation:
    """An annotation, such as @Range(min=0, max=1)."""

    name: str
    values: list[Expression | list[Expression]]
    named: dict[str, Expression | list[Expression]]
    at: At


@dataclass(slots=True)
class Import:
    """An imported rule file with its prefix, and the values and rules that override its own."""

    name: str
    path: str
    values: dict[str, Expression]
    rules: dict[str, str]
    at: At


@dataclass(slots=True)
class Style:
    """A named set of attribute values; `base` is the style it extends, or ""."""

    name: str
    base: str
    at: At
    values: dict[str, Expression] = field(default_factory=dict)


@dataclass(slots=True)
class Attribute:
    """An attribute: a value that the caller can set."""

    name: str
    value: Expression
    annotations: list[Annotation]
    at: At


@dataclass(slots=True)
class Function:
    """A function; a constant is evaluated once."""

    name: str
    parameters: list[str]
    value: Expression
    constant: bool
    at: At


@dataclass(slots=True)
class Rule:
    """A rule: the successor of shapes of this name with that many parameters."""

    name: str
    parameters: list[str]
    body: Body
    annotations: list[Annotation]
    start: bool
    at: At


@dataclass(slots=True)
class ClassicRule:
    """`id: predecessor : condition ~> successor : probability`; several may share a predecessor."""

    number: str
    name: str
    parameters: list[str]
    condition: Expression | None
    body: Body
    probability: Expression | None
    at: At


@dataclass(slots=True)
class RuleFile:
    """The definitions of one rule file, in their order."""

    path: str
    version: str
    imports: list[Import]
    styles: list[Style]
    attributes: list[Attribute]
    functions: list[Function]
    rules: list[Rule]
    classic: list[ClassicRule]


def nodes(file: RuleFile, skip: Callable[[Any], list[Any]] = lambda node: []) -> Iterator[Any]:
    """All nodes of a rule file except annotations, found without recursion.

    Args:
        file: The file.
        skip: Gives the direct parts of a node to leave out.
    """
    todo: list[Any] = [file]
    left_out: set[int] = set()
    while todo:
        one = todo.pop()
        if isinstance(one, Annotation) or id(one) in left_out:
            continue
        if is_dataclass(one):
            yield one
            left_out.update(id(part) for part in skip(one))
            todo += [getattr(one, part.name) for part in reversed(fields(one))]
        elif isinstance(one, At):
            continue
        elif isinstance(one, (list, tuple)):
            todo += reversed(one)
        elif isinstance(one, dict):
            todo += reversed(one.values())
