"""What a rule file says: the nodes that the parser builds and the derivation reads.

Every node knows the line and column it began at, for messages. Nodes are made once and then only
read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class At(NamedTuple):
    """A place in a rule file, counted from 1."""

    line: int
    column: int


# Expressions ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Constant:
    """A number, a text or a truth value."""

    value: float | str | bool
    at: At


@dataclass(slots=True)
class Name:
    """A parameter, attribute, constant or function without arguments; dots are part of it."""

    name: str
    at: At


@dataclass(slots=True)
class Call:
    """A function with its arguments."""

    name: str
    args: list[Argument]
    at: At


@dataclass(slots=True)
class Unary:
    """Minus, plus or not."""

    sign: str
    value: Expression
    at: At


@dataclass(slots=True)
class Binary:
    """Two values and what stands between them."""

    sign: str
    left: Expression
    right: Expression
    at: At


@dataclass(slots=True)
class Array:
    """Values in brackets, row by row."""

    rows: list[list[Expression]]
    at: At


@dataclass(slots=True)
class Item:
    """An element of an array; a range is (first, last), either of which may be missing."""

    value: Expression
    indices: list[Expression | tuple[Expression | None, Expression | None]]
    at: At


@dataclass(slots=True)
class Choice:
    """The first value whose condition holds, or, if `chances`, one by its percentage."""

    chances: bool
    ways: list[tuple[Expression, Expression]]
    otherwise: Expression
    at: At


@dataclass(slots=True)
class With:
    """with( name := value, ... ) before an expression or a successor, which may use the names."""

    names: list[str]
    values: list[Expression]
    body: Any
    at: At


Expression = Constant | Name | Call | Unary | Binary | Array | Item | Choice | With


@dataclass(slots=True)
class Argument:
    """An argument: `mark` is "'" for relative, "~" for floating; `name` if it was named."""

    value: Expression
    mark: str
    name: str
    at: At


# Successors ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Operation:
    """An operation or the name of a rule, with its arguments and its block."""

    name: str
    args: list[Argument] | None
    block: Block | None
    at: At
    bodies: list[Body] = field(default_factory=list)  # of a classic Subdiv, Repeat or Comp


@dataclass(slots=True)
class Group:
    """A successor between brackets: afterwards the shape is as it was before."""

    body: Body
    at: At


@dataclass(slots=True)
class Piece:
    """One part of a split or of a comp: what it takes, and what becomes of it."""

    mark: str
    selector: Expression
    merged: bool
    body: Body
    at: At


@dataclass(slots=True)
class Block:
    """What a split or a comp makes; a block in a block is repeated by itself."""

    pieces: list[Piece | Block]
    repeated: bool
    at: At


@dataclass(slots=True)
class Sequence:
    """Operations one after the other."""

    operations: list[Operation | Group]
    at: At


@dataclass(slots=True)
class Fork:
    """The first successor whose condition holds, or, if `chances`, one by its percentage."""

    chances: bool
    ways: list[tuple[Expression, Body]]
    otherwise: Body
    at: At


Body = Sequence | Fork | With


# Definitions --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Note:
    """An annotation, such as @Range(min=0, max=1): kept for those who show attributes."""

    name: str
    values: list[Expression | list[Expression]]
    named: dict[str, Expression | list[Expression]]
    at: At


@dataclass(slots=True)
class Import:
    """Another rule file under a prefix, with values and rules that it is to use instead."""

    name: str
    path: str
    values: dict[str, Expression]
    rules: dict[str, str]
    at: At


@dataclass(slots=True)
class Style:
    """A named set of attributes, possibly on top of another."""

    name: str
    base: str
    at: At
    values: dict[str, Expression] = field(default_factory=dict)


@dataclass(slots=True)
class Attribute:
    """A value that can be set from outside."""

    name: str
    value: Expression
    notes: list[Note]
    at: At


@dataclass(slots=True)
class Function:
    """A value that depends on parameters; a constant is found once and kept."""

    name: str
    parameters: list[str]
    value: Expression
    constant: bool
    at: At


@dataclass(slots=True)
class Rule:
    """What becomes of a shape of this name with that many parameters."""

    name: str
    parameters: list[str]
    body: Body
    notes: list[Note]
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
    """Everything that one rule file defines, in its order."""

    path: str
    version: str
    imports: list[Import]
    styles: list[Style]
    attributes: list[Attribute]
    functions: list[Function]
    rules: list[Rule]
    classic: list[ClassicRule]
