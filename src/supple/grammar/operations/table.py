"""The table of operations, and how one is entered in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.grammar.evaluate.arguments import Act, Arguments, Check
from supple.grammar.evaluate.shape import Shape
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

Build = Callable[[s.Operation, Environment], Act]
Effect = Callable[..., None]
OPERATIONS: dict[str, Build] = {}
BLOCKS: set[str] = {"split", "comp"}
"""Operations that take parts in braces."""


def operation(*names: str) -> Callable[[Build], Build]:
    """Enter an operation under its names."""

    def enter(build: Build) -> Build:
        OPERATIONS.update(dict.fromkeys(names, build))
        return build

    return enter


def of_values(name: str, *checks: Check) -> Callable[[Effect], Effect]:
    """Enter an operation that does something with a shape and as many values as there are checks.

    The effect is called with the derivation, the shape and the values, each passed through its
    check; what it refuses is located.
    """

    def enter(effect: Effect) -> Effect:
        def build(op: s.Operation, env: Environment) -> Act:
            given = Arguments(op, env)
            given.count(len(checks))
            values = [given.checked(k, check) for k, check in enumerate(checks)]
            done = guarded(env, op.at, effect)

            def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
                done(run, shape, *[value(shape, args) for value in values])

            return act

        OPERATIONS[name] = build
        return effect

    return enter


REFUSED = frozenset(
    """deleteHoles deleteTags envelope footprint inline insertAlongUV intersect
    mirrorScope modify rectify reduceGeometry resetMaterial roofRidge setbackPerEdge
    setbackToArea setMaterial setNormals setPivot setTagsFromEdgeAttrs softenNormals
    splitAndSetbackPerimeter splitArea subtract tag taper trim
    union Roof Subdiv Repeat Comp""".split()  # noqa: SIM905 (a list this long is read as prose)
)
"""Operations of CGA that are not supported: refused by name."""
