"""IK: the shape that should touch a point, and how; `supple.apps.grammar.articulation.ik` solves it."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.expressions import compiled
from supple.apps.grammar.evaluate.joints import IKRule, ShapePoint
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import kind, length, number, point, text, truth, written
from supple.apps.grammar.geometry.frames import (
    minus,
    placed,
    product,
    quaternion,
    rotated_back,
    times,
    transposed,
)
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.joints import AXES, MOVING, current_joint, positive
from supple.errors import SuppleError

FAR_CORNER = (1.0, 1.0, 1.0)


# Checks ---------------------------------------------------------------------------------------


def _whole(value: Any) -> int:
    found = number(value)
    if found < 0 or found != int(found) or found > 1e6:
        raise SuppleError(f"expected a whole number from 0, got {written(value)}")
    return int(found)


def _counted(value: Any) -> int:
    found = _whole(value)
    if not 1 <= found <= 64:
        raise SuppleError(f"expected a whole number from 1 to 64, got {found}")
    return found


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(text(one) for one in value)
    return tuple(one.strip() for one in text(value).split(";") if one.strip())


# IK -----------------------------------------------------------------------------------------------

CHECKS = {
    "effector": point,
    "threshold": positive,
    "iterations": _whole,
    "depth": _whole,
    "root": text,
    "solver": text,
    "orientation": point,
    "steps": truth,
    "solution": _counted,
    "fix": _names,
    "weight": positive,
    **MOVING,
}
WORDS = {
    "aim": AXES,
    "space": ("world", "scope"),
    "prefer": ("nearest", "turns", "path"),
    "unreachable": ("approach", "keep"),
}


def inverse_kinematics(op: s.Operation, env: Environment) -> Act:
    """Move the joints above so that the shape's effector touches a point.

    IK(target, ...)
    """
    given = Arguments(op, env, named=[*CHECKS, *WORDS])
    if "root" in given.named and "depth" in given.named:
        raise env.problem(op.at, "IK: give root or depth, not both")
    count = given.count(1, 3)
    if count == 3:
        numbers = given.lengths()
        target: Compiled = lambda shape, args: tuple(numbers(shape, args))  # noqa: E731
    else:
        target = _shape_point(given.positional[0].value, env) or given.value(0)
    checked = located(env, given.positional[0].at, point)
    options = {key: given.option(key, check) for key, check in CHECKS.items() if key in given.named}
    words = {key: _signed(given, key) for key in WORDS if key in given.named}

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        record = current_joint(run, shape, op, env)
        found = {key: value(shape, args) for key, value in options.items() if value is not None}
        found.update(words)
        source = target(shape, args)
        goal = source if isinstance(source, ShapePoint) else checked(source)
        if found.get("space") == "scope" and not isinstance(goal, ShapePoint):
            goal, source = placed(shape.p, shape.R, goal), None
        corner = times(found.pop("effector", FAR_CORNER), shape.s)
        world = placed(shape.p, shape.R, corner)
        offset = rotated_back(record.R, minus(world, record.p))
        rotation = quaternion(product(transposed(record.R), shape.R))
        label = shape.label or shape.name
        run.ik_rules.append(
            IKRule(
                shape.joint,
                shape.index,
                label,
                offset,
                rotation,
                goal,
                source,
                found,
                (env.module.path, op.at),
            )
        )

    return act


def _signed(given: Arguments, key: str) -> str:
    """An option that is a keyword, perhaps with a minus sign."""
    node = given.named[key].value
    if isinstance(node, s.Unary) and node.sign == "-" and isinstance(node.value, s.Name):
        word = f"-{node.value.name}"
        if word in WORDS[key]:
            return word
    return given.named_word(key, WORDS[key]) or ""


def _shape_point(node: s.Expression, env: Environment) -> Compiled | None:
    """shapePoint("Lamp", x, y, z) as a target; None for another expression."""
    if not isinstance(node, s.Call) or node.name != "shapePoint":
        return None
    if len(node.args) not in (1, 4) or any(one.mark or one.name for one in node.args):
        raise env.problem(
            node.at, 'shapePoint takes a name and three numbers: ("Lamp", 0.5, 0, 0.5)'
        )
    name = compiled(node.args[0].value, env)
    where = [compiled(one.value, env) for one in node.args[1:]]

    def find(name: Any, values: list[Any]) -> ShapePoint:
        if not isinstance(name, str):
            raise SuppleError(f"shapePoint: expected the name of a shape, got {kind(name)}")
        at = tuple(length(value) for value in values) if values else (0.5, 0.5, 0.5)
        return ShapePoint(name, at)  # type: ignore[arg-type]

    checked = located(env, node.at, find)
    return lambda shape, args: checked(name(shape, args), [value(shape, args) for value in where])
