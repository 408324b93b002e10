"""set, label, report and print."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.shape_attributes import TRIM
from supple.apps.grammar.evaluate.values import truth
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations import material


def set_value(op: s.Operation, env: Environment) -> Act:
    """Change an attribute of the shape and its descendants.

    set(attribute, value), set(material.color.r, value), set(trim.vertical, false)
    """
    given = Arguments(op, env)
    given.count(2)
    name = given.is_word(0)
    if name is None:
        raise env.problem(op.at, "set: expected the name of an attribute")
    if name == "material.colormap":
        return material.colour_image(given.text(1), op, env)
    value = given.value(1)
    if name in material.MATERIAL or name in material.KEPT:
        check = located(env, op.at, material.MATERIAL.get(name) or material.kept(name))
        change = material.with_last_result(lambda before, given, _: check(before, given))

        def set_material(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            shape.material = change(shape.material, value(shape, args), None)

        return set_material
    if name in TRIM:
        switch, checked = ("", name), located(env, op.at, truth)

        def set_trim(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            shape.attrs = {**(shape.attrs or {}), switch: checked(value(shape, args))}

        return set_trim
    module, own = env.module, name
    while "." in own and own.split(".")[0] in module.definitions.imports:
        first, _, own = own.partition(".")
        module = module.imported(first, env, op.at)
    attributes = module.definitions.attributes
    if own not in attributes and not module.missing:
        if own.split(".")[0] in ("material", "trim", "pivot", "scope", "comp", "split"):
            raise env.problem(op.at, f"set: {name!r} is not supported")
        choices = ", ".join([*attributes, *material.MATERIAL][:12])
        raise env.problem(op.at, f"set: {name!r} is not an attribute; there are {choices}")
    key = (module.prefix, own)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        shape.attrs = {**(shape.attrs or {}), key: value(shape, args)}

    return act


def anything(value: Any) -> Any:
    """The check of an argument of any type."""
    return value


def label(run: Run, shape: Shape, name: str) -> None:
    """Give the shape a name for IK rules, context queries and the result.

    label("lamp")
    """
    shape.label = name
    if name:
        run.record(shape, name)


def report(run: Run, shape: Shape, key: str, value: Any) -> None:
    """Collect a value under a name.

    report("windows", 1)
    """
    run.reports.setdefault(key, []).append(value)


def print_value(run: Run, shape: Shape, value: Any) -> None:
    """Add a line to the result's `printed`.

    print(value)
    """
    run.print_value(value)
