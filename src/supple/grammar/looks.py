"""The operations that give a shape a look, set its values and tell about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar import syntax as s
from supple.grammar.arguments import Act, Arguments
from supple.grammar.expressions import Environment, guarded
from supple.grammar.operations import OPERATIONS, Build, operation
from supple.grammar.shape import Look, Projection, Shape
from supple.grammar.values import number, text, written

if TYPE_CHECKING:
    from supple.grammar.derive import Derivation


# Looks --------------------------------------------------------------------------------------------


def hex_color(value: Any) -> tuple[float, float, float]:
    """The numbers of "#ff8000", from 0 to 1."""
    digits = text(value).strip().removeprefix("#")
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
        shade = given.checked(given.positional[0], hex_color)
        opacity = given.checked(given.positional[1], _share) if count == 2 else None

        def by_text(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            look = shape.look._replace(color=shade(shape, args))
            shape.look = look if opacity is None else look._replace(opacity=opacity(shape, args))

        return by_text
    parts = [given.checked(one, _share) for one in given.positional]

    def by_numbers(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        values = [part(shape, args) for part in parts]
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
    name = given.checked(given.positional[0], text)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        path = name(shape, args)
        if path:
            guarded(env, op.at, run.assets.image)(path, env.module)
        shape.look = shape.look._replace(texture=path)

    return act


PLANES = {
    "scope.xy": (0, 1), "scope.yx": (1, 0), "scope.xz": (0, 2), "scope.zx": (2, 0),
    "scope.yz": (1, 2), "scope.zy": (2, 1),
}  # fmt: skip


@operation("setupProjection")
def setup_projection(op: s.Operation, env: Environment) -> Act:
    """Say how much an image covers: setupProjection(0, scope.xy, width, height, [u, v, factor])."""
    given = Arguments(op, env, marks="'~")
    count = given.count(4, 6, 7)
    layer = given.length(0)
    axes = PLANES[given.word(1, list(PLANES))]
    values = [given.length(k) for k in range(2, min(count, 6))]
    marks = [given.mark(k) for k in (2, 3)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        sizes = [value(shape, args) for value in values]
        for k in range(2):
            whole = shape.s[axes[k]]
            if marks[k] == "'":
                sizes[k] *= whole
            elif marks[k] == "~" and sizes[k] > 0 and whole > 0:
                sizes[k] = whole / max(round(whole / sizes[k]), 1)
            if sizes[k] <= 0:
                raise env.problem(op.at, "setupProjection: expected sizes above 0")
        offset = (sizes[2], sizes[3]) if len(sizes) > 2 else (0.0, 0.0)
        setup = Projection(axes, (sizes[0], sizes[1]), offset)
        shape.look = shape.look._replace(pending=setup)

    return act


def _only_layer(value: float, op: s.Operation, env: Environment) -> None:
    if value != 0.0:
        raise env.problem(op.at, f"{op.name}: only texture layer 0 is supported, got {value:g}")


@operation("projectUV")
def project_uv(op: s.Operation, env: Environment) -> Act:
    """Use the projection that was set up: projectUV(0)."""
    given = Arguments(op, env)
    given.count(1)
    layer = given.length(0)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        if shape.look.pending is None:
            raise env.problem(op.at, "projectUV: expected a setupProjection before it")
        shape.look = shape.look._replace(projection=shape.look.pending)

    return act


def _adjusting(change: Callable[[Projection, list[float]], Projection], count: int) -> Build:
    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        given.count(count + 1)
        layer = given.length(0)
        values = [given.length(1 + k) for k in range(count)]

        def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            _only_layer(layer(shape, args), op, env)
            plain = Projection((0, 1), (shape.s[0] or 1.0, shape.s[1] or 1.0))
            old = shape.look.projection or plain
            new = change(old, [value(shape, args) for value in values])
            shape.look = shape.look._replace(projection=new)

        return act

    return build


OPERATIONS["scaleUV"] = _adjusting(
    lambda old, v: old._replace(scale=(old.scale[0] * v[0], old.scale[1] * v[1])), 2
)
OPERATIONS["translateUV"] = _adjusting(
    lambda old, v: old._replace(offset=(old.offset[0] + v[0], old.offset[1] + v[1])), 2
)
OPERATIONS["rotateUV"] = _adjusting(lambda old, v: old._replace(turn=old.turn + v[0]), 1)


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


@operation("set")
def set_value(op: s.Operation, env: Environment) -> Act:
    """Change a value: set(attribute, value), set(material.color.r, value)."""
    given = Arguments(op, env)
    given.count(2)
    name = given.is_word(0)
    if name is None:
        raise env.problem(op.at, "set: expected the name of an attribute")
    value = given.value(1)
    if name in _MATERIAL:
        change = guarded(env, op.at, _MATERIAL[name])

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


@operation("label")
def label(op: s.Operation, env: Environment) -> Act:
    """A name by which IK and the result find the shape.

    label("lamp")
    """
    given = Arguments(op, env)
    given.count(1)
    value = given.checked(given.positional[0], text)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        shape.label = value(shape, args)

    return act


@operation("report")
def report(op: s.Operation, env: Environment) -> Act:
    """A value collected under a name.

    report("windows", 1)
    """
    given = Arguments(op, env)
    given.count(2)
    key, value = given.checked(given.positional[0], text), given.value(1)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        run.reports.setdefault(key(shape, args), []).append(value(shape, args))

    return act


@operation("print")
def print_value(op: s.Operation, env: Environment) -> Act:
    """Add a line to the result's `printed`: print(value)."""
    given = Arguments(op, env)
    given.count(1)
    value = given.value(0)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        if len(run.printed) < run.limits.lines:
            run.printed.append(written(value(shape, args)))
        elif len(run.printed) == run.limits.lines:
            run.printed.append(f"... more than {run.limits.lines:,} lines")

    return act
