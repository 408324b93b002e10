"""Materials: color, texture, and the material attributes that `set` changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.material import Material
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import number, text
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError


def hex_color(value: Any) -> tuple[float, float, float]:
    """The components of "#ff8000", "#f80" or "#ff8000cc" from 0 to 1, without the opacity."""
    digits = text(value).strip().removeprefix("#")
    if len(digits) == 8:
        digits = digits[:6]  # the last two digits are the opacity
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


def color(op: s.Operation, env: Environment) -> Act:
    """Set the colour, and the opacity if it is given.

    color("#rrggbb"), color("#rrggbb", opacity), color(r, g, b), color(r, g, b, opacity)
    """
    given = Arguments(op, env)
    count = given.count(1, 2, 3, 4)
    if count < 3:
        shade = given.checked(0, hex_color)
        opacity = given.checked(1, _share) if count == 2 else None

        change = with_last_result(_colored)

        def by_text(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            alpha = None if opacity is None else opacity(shape, args)
            shape.material = change(shape.material, shade(shape, args), alpha)

        node = given.positional[0].value
        plain = isinstance(node, s.Constant) and len(str(node.value).strip()) < 9
        if count == 1 and not plain:  # "#rrggbbaa" has an opacity
            value = given.value(0)
            change_by_digits = with_last_result(
                located(env, given.positional[0].at, _colored_by_digits)
            )

            def by_digits(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
                found = value(shape, args)
                shape.material = change_by_digits(shape.material, found, None)

            return by_digits

        return by_text
    parts = given.each(_share)
    change = with_last_result(_colored)

    def by_numbers(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        values = parts(shape, args)
        alpha = None if count == 3 else values[3]
        shape.material = change(shape.material, (values[0], values[1], values[2]), alpha)

    return by_numbers


def _colored(material: Material, shade: tuple[float, float, float], opacity: Any) -> Material:
    if opacity is None:
        return material._replace(color=shade)
    return material._replace(color=shade, opacity=opacity)


def _colored_by_digits(material: Material, value: Any, opacity: Any) -> Material:
    shade = hex_color(value)
    digits = str(value).strip().removeprefix("#")
    return _colored(material, shade, int(digits[6:], 16) / 255 if len(digits) == 8 else None)


Change = Callable[[Material, Any, Any], Material]


def with_last_result(change: Change) -> Change:
    """Cache the last result of a change of material: successive shapes mostly make the same change."""
    last: list[Any] = [None, None, None, None]

    def call(material: Material, value: Any, more: Any) -> Material:
        before, known, other, found = last
        if material is before and value == known and more == other and type(value) is type(known):
            return found
        found = change(material, value, more)
        last[:] = material, value, more, found
        return found

    return call


def texture(op: s.Operation, env: Environment) -> Act:
    """Set the colour image, a file inside the rule file's folder.

    texture("wall.png")
    """
    given = Arguments(op, env)
    given.count(1)
    return colour_image(given.text(0), op, env)


def colour_image(name: Compiled, op: s.Operation, env: Environment) -> Act:
    """Set the colour image to the path that an expression gives; "" for none."""
    find = located(env, op.at, lambda run, path: run.assets.image(path, env.module.folder))
    change = with_last_result(lambda before, path, _: before._replace(texture=path))

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        path = name(shape, args)
        if path:
            find(run, path)
        shape.material = change(shape.material, path, None)

    return act


# Material attributes -------------------------------------------------------------------------------

MATERIAL: dict[str, Callable[[Material, Any], Material]] = {
    "material.color.r": lambda m, v: m._replace(color=(_share(v), *m.color[1:])),
    "material.color.g": lambda m, v: m._replace(color=(m.color[0], _share(v), m.color[2])),
    "material.color.b": lambda m, v: m._replace(color=(*m.color[:2], _share(v))),
    "material.color.a": lambda m, v: m._replace(opacity=_share(v)),
    "material.color.rgb": lambda m, v: m._replace(color=hex_color(v)),
    "material.opacity": lambda m, v: m._replace(opacity=_share(v)),
    "material.roughness": lambda m, v: m._replace(roughness=_share(v)),
    "material.metallic": lambda m, v: m._replace(metallic=_share(v)),
    "material.name": lambda m, v: m._replace(name=text(v)),
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
"""Material attributes that are kept in the result but not drawn."""


def kept(name: str) -> Callable[[Material, Any], Material]:
    """The setter of a material attribute of `KEPT`."""
    key = name.removeprefix("material.")
    return lambda material, value: material._replace(
        more=(*(one for one in material.more if one[0] != key), (key, value))
    )
