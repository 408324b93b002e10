"""Rules ready to be applied, of the modern and of the classic form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from supple.grammar.evaluate.arguments import Act
from supple.grammar.evaluate.expressions import condition, numeric
from supple.grammar.evaluate.modules import Module
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.successors import successor
from supple.grammar.evaluate.values import fraction
from supple.grammar.language import syntax as s

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


@dataclass(slots=True)
class Production:
    """A rule ready to be applied."""

    name: str
    path: str
    at: s.At
    act: Act = field(repr=False)


def made_ready(module: Module, definition: Any) -> Production:
    """A rule of a file, or the classic rules of one predecessor, ready to be applied."""
    if isinstance(definition, list):
        return _classic(module, definition)
    owner = module.prefix + definition.name
    env = module.environment(f"rule {owner}", definition.parameters)
    try:
        act = successor(definition.body, env)
    except RecursionError:
        raise env.problem(definition.at, "expressions are nested too deeply") from None
    return Production(owner, module.path, definition.at, act)


def _classic(module: Module, rules: list[s.ClassicRule]) -> Production:
    """Classic rules of one predecessor: those whose condition holds, by their probabilities."""
    owner = module.prefix + rules[0].name
    ways = []
    for rule in rules:
        env = module.environment(f"rule {owner}", rule.parameters)
        ways.append(
            (
                None if rule.condition is None else condition(rule.condition, env),
                None if rule.probability is None else numeric(rule.probability, env),
                successor(rule.body, env),
            )
        )

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        open_ways = [
            (1.0 if weight is None else max(weight(shape, args), 0.0), way)
            for holds, weight, way in ways
            if holds is None or holds(shape, args)
        ]
        total = sum(weight for weight, _ in open_ways)
        if not open_ways or total <= 0.0:
            return None
        if len(open_ways) == 1:
            return open_ways[0][1](run, shape, args)
        shape.draws += 1
        left = fraction(shape.seed, shape.draws) * total
        for weight, way in open_ways[:-1]:
            left -= weight
            if left < 0.0:
                return way(run, shape, args)
        return open_ways[-1][1](run, shape, args)

    return Production(owner, module.path, rules[0].at, act)
