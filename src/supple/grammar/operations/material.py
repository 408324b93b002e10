"""The operations that give a shape a look, set its values and tell about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Look, Shape
from supple.grammar.evaluate.values import number, text
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import of_values, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


# Looks --------------------------------------------------------------------------------------------


def hex_color(value: Any) -> tuple[float, float, float]:
    """The numbers of "#ff8000", from 0 to 1."""
    digits = text(value).strip().removeprefix("#")
    if len(digits) == 8:
        digits = digits[:6]  # the rest says how opaque it is
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    try:
        if len(digits) != 6:
            raise ValueError
        parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    except ValueError:
        raise SuppleError(f'color: expected "#rrggbb", got {value!r}') from None
    return parts[0], parts[1], parts[2]


def _share(value: Any) -> float:
    return min(max(number(value), 0.0), 1.0)


@operation("color")
def color(op: s.Operation, env: Environment) -> Act:
    """A colour, and how opaque it is.

    color("#rrggbb"), color("#rrggbb", opacity), color(r, g, b), color(r, g, b, opacity)
    """
    given = Arguments(op, env)
    count = given.count(1, 2, 3, 4)
    if count < 3:
        shade = given.checked(0, hex_color)
        opacity = given.checked(1, _share) if count == 2 else None

        def by_text(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            look = shape.look._replace(color=shade(shape, args))
            shape.look = look if opacity is None else look._replace(opacity=opacity(shape, args))

        said = given.positional[0].value
        plain = isinstance(said, s.Constant) and len(str(said.value).strip()) < 9
        if count == 1 and not plain:  # its last two digits may say how opaque it is
            value = given.value(0)

            def by_digits(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
                by_text(run, shape, args)
                digits = str(value(shape, args)).strip().removeprefix("#")
                if len(digits) == 8:
                    shape.look = shape.look._replace(opacity=int(digits[6:], 16) / 255)

            return by_digits

        return by_text
    parts = given.each(_share)

    def by_numbers(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        values = parts(shape, args)
        look = shape.look._replace(color=(values[0], values[1], values[2]))
        shape.look = look if count == 3 else look._replace(opacity=values[3])

    return by_numbers


@operation("texture")
def texture(op: s.Operation, env: Environment) -> Act:
    """An image inside the rule file's folder.

    texture("wall.png")
    """
    given = Arguments(op, env)
    given.count(1)
    name = given.text(0)
    find = guarded(env, op.at, lambda run, path: run.assets.image(path, env.module))

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        path = name(shape, args)
        if path:
            find(run, path)
        shape.look = shape.look._replace(texture=path)

    return act


# Values and reports -------------------------------------------------------------------------------

_MATERIAL: dict[str, Callable[[Look, Any], Look]] = {
    "material.color.r": lambda k, v: k._replace(color=(_share(v), *k.color[1:])),
    "material.color.g": lambda k, v: k._replace(color=(k.color[0], _share(v), k.color[2])),
    "material.color.b": lambda k, v: k._replace(color=(*k.color[:2], _share(v))),
    "material.color.a": lambda k, v: k._replace(opacity=_share(v)),
    "material.color.rgb": lambda k, v: k._replace(color=hex_color(v)),
    "material.opacity": lambda k, v: k._replace(opacity=_share(v)),
    "material.roughness": lambda k, v: k._replace(roughness=_share(v)),
    "material.metallic": lambda k, v: k._replace(metallic=_share(v)),
    "material.name": lambda k, v: k._replace(name=text(v)),
}


KEPT = tuple(
    f"material.{name}"
    for name in (
        *(f"{kind}.{c}" for kind in ("ambient", "specular", "emissive") for c in "rgb"),
        "shininess", "reflectivity", "bumpmap", "bumpValue", "specularmap", "dirtmap",
        "opacitymap", "normalmap", "emissivemap", "occlusionmap", "roughnessmap", "metallicmap",
        "materialmap", "shader",
    )
)  # fmt: skip
"""What rules say of materials that is kept for whoever reads the result, and not drawn."""


def _keeping(name: str) -> Callable[[Look, Any], Look]:
    key = name.removeprefix("material.")
    return lambda look, value: look._replace(
        more=(*(one for one in look.more if one[0] != key), (key, value))
    )


@operation("set")
def set_value(op: s.Operation, env: Environment) -> Act:
    """Change a value: set(attribute, value), set(material.color.r, value)."""
    given = Arguments(op, env)
    given.count(2)
    name = given.is_word(0)
    if name is None:
        raise env.problem(op.at, "set: expected the name of an attribute")
    value = given.value(1)
    if name in _MATERIAL or name in KEPT:
        change = guarded(env, op.at, _MATERIAL.get(name) or _keeping(name))

        def look(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            shape.look = change(shape.look, value(shape, args))

        return look
    module, own = env.module, name
    while "." in own and own.split(".")[0] in module.imports:
        first, _, own = own.partition(".")
        module = module.module(first, env, op.at)
    if own not in module.attributes:
        if own.split(".")[0] in ("material", "trim", "pivot", "scope", "comp", "split"):
            raise env.problem(op.at, f"set: {name!r} is not supported")
        choices = ", ".join([*module.attributes, *_MATERIAL][:12])
        raise env.problem(op.at, f"set: {name!r} is no attribute; there are {choices}")
    key = (module.prefix, own)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        shape.attrs = {**(shape.attrs or {}), key: value(shape, args)}

    return act


def _anything(value: Any) -> Any:
    return value


@of_values("label", text)
def label(run: Derivation, shape: Shape, name: str) -> None:
    """A name by which IK and the result find the shape.

    label("lamp")
    """
    shape.label = name
    if name:
        run.note(shape, name)


@of_values("report", text, _anything)
def report(run: Derivation, shape: Shape, key: str, value: Any) -> None:
    """A value collected under a name.

    report("windows", 1)
    """
    run.reports.setdefault(key, []).append(value)


@of_values("print", _anything)
def print_value(run: Derivation, shape: Shape, value: Any) -> None:
    """Add a line to the result's `printed`: print(value)."""
    run.tell(value)
