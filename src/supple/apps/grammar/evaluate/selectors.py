"""Selectors of components: faces, edges and vertices by direction, adjacency or index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.modules import Compiled, Environment
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import components
from supple.apps.grammar.geometry.frames import product, rotated, transposed
from supple.apps.grammar.language import syntax as s
from supple.errors import nearest

KINDS: dict[str, Callable[..., list[components.Part]]] = {
    "f": components.faces,
    "e": components.edges,
    "fe": components.face_edges,
    "v": components.corners,
}
"""What `comp` splits a geometry into."""

Selects = Callable[[int, components.Part], bool]
"""The test of a selector: takes the index of a component, and the component."""

Selector = Callable[[Shape, tuple[Any, ...]], Selects]


def selector(
    node: s.Expression, env: Environment, numeric: Callable[[s.Expression, Environment], Compiled]
) -> Selector:
    """Compile a selector: a name, names combined by && || and !, or an index.

    Args:
        node: The selector.
        env: Its environment.
        numeric: Compiles an expression to a number.
    """
    found = _by_word(node, env)
    if found is not None:
        return found
    if isinstance(node, s.Name) and "." in node.name:
        raise env.problem(node.at, f"the selector {node.name!r} is not supported")
    if isinstance(node, s.Name) and not env.defines(node.name):
        hint = nearest(node.name, [*components.SELECTORS, *components.ADJACENCY])
        raise env.problem(node.at, f"unknown selector {node.name!r}{hint}")
    index = numeric(node, env)

    def by_index(shape: Shape, args: tuple[Any, ...]) -> Selects:
        wanted = index(shape, args)
        if wanted != round(wanted, 0):
            raise env.problem(node.at, f"expected a selector or a whole number, got {wanted:g}")
        return lambda k, part: k == wanted

    return by_index


def _by_word(node: s.Expression, env: Environment) -> Selector | None:
    """A selector by name, or several combined by && || and !; None for anything else."""
    if isinstance(node, s.Name):
        known = components.selector(node.name)
        if known is None:
            return None
        name, in_world = known
        of_lot = in_world and not node.name.startswith(
            "world."
        )  # object.front faces where the lot's front does
        run = env.module.run

        def by_name(shape: Shape, args: tuple[Any, ...]) -> Selects:
            R = product(transposed(run.origin.R), shape.R) if of_lot else shape.R
            if in_world:
                return lambda k, part: components.selects(name, rotated(R, part.normal))
            if name in components.ADJACENCY:
                return lambda k, part: name in part.kinds
            return lambda k, part: components.selects(name, part.normal)

        return by_name
    if isinstance(node, s.Unary) and node.sign == "!":
        other = _by_word(node.value, env)
        if other is None:
            return None

        def by_none(shape: Shape, args: tuple[Any, ...]) -> Selects:
            taken = other(shape, args)
            return lambda k, part: not taken(k, part)

        return by_none
    if isinstance(node, s.Binary) and node.sign in ("&&", "||"):
        first, second = _by_word(node.left, env), _by_word(node.right, env)
        if first is None or second is None:
            return None
        joined = all if node.sign == "&&" else any

        def by_both(shape: Shape, args: tuple[Any, ...]) -> Selects:
            tests = (first(shape, args), second(shape, args))
            return lambda k, part: joined(test(k, part) for test in tests)

        return by_both
    return None
