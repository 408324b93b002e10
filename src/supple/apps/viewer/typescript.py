"""Write the messages as TypeScript types, with schemas of setups.

Types do not exist at run time; the page checks stored and loaded setups against the schemas.
`python -m supple.apps.viewer.typescript FILE` writes the file; a test checks that it is up to date.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from typing import Annotated, Any, Literal, Union

from supple.apps.viewer import messages
from supple.apps.viewer.messages import (
    GoalPlace,
    Setup,
    Within,
    bodies,
    from_page,
    from_session,
    motions,
    packets,
    setup,
)
from supple.apps.viewer.messages.json_codec import ANY_SIZE, EXACT, FINITE, bounded_hints, hints
from supple.files import write

HEAD = "// Written by `python -m supple.apps.viewer.typescript`; change src/supple/apps/viewer/messages/.\n"
ALIASES = ("GoalKind", "LoopKind", "AttributeKind", "SaveFormat")
UNIONS = ("FromPage", "FromSession", "PacketHead")
SHAPE = """/** What a value has to be like. */
export type Shape =
  | { kind: "flag" | "null" }
  | { kind: "number"; whole: boolean; least: number; greatest: number }
  | { kind: "text"; most: number }
  | { kind: "choice"; of: string[] }
  | { kind: "list"; of: Shape; least: number; most: number }
  | { kind: "tuple"; of: Shape[] }
  | { kind: "record"; of: Shape; most: number }
  | { kind: "either"; of: Shape[] }
  | ObjectShape;

/** An object; a field without a default must be there. */
export interface ObjectShape {
  kind: "object";
  fields: Record<string, Shape>;
  defaults: Record<string, unknown>;
}
"""
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}


def typescript() -> str:
    """All messages as TypeScript interfaces."""
    named = {getattr(messages, alias): alias for alias in ALIASES}
    parts = [HEAD]
    for alias in ALIASES:
        parts.append(f"export type {alias} = {_type(getattr(messages, alias), {})};\n")
    for part in (bodies, setup, motions, from_page, from_session, packets):
        for cls in vars(part).values():
            if not isinstance(cls, type) or cls.__module__ != part.__name__:
                continue  # imported
            parts.append(_interface(cls, named))
    for union in UNIONS:
        members = " | ".join(one.__name__ for one in typing.get_args(getattr(messages, union)))
        parts.append(f"export type {union} = {members};\n")
    parts.append(SHAPE)
    for name, cls in (("SETUP", Setup), ("PLACE", GoalPlace)):
        parts.append(f"export const {name}: ObjectShape = {_shape_text(cls)};\n")
    return "\n".join(parts)


def _interface(cls: type, named: dict[Any, str]) -> str:
    lines = [f"/** {(cls.__doc__ or '').strip().splitlines()[0]} */"]
    lines.append(f"export interface {cls.__name__} {{")
    lines += [f"  {name}: {_type(hint, named)};" for name, hint in hints(cls).items()]
    return "\n".join([*lines, "}", ""])


def _type(hint: Any, named: dict[Any, str]) -> str:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return named.get(hint) or " | ".join(f'"{choice}"' for choice in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(_type(one, named) for one in inner))
    if origin is list:
        item = _type(inner[0], named)
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(_type(one, named) for one in inner)}]"
    if origin is dict:
        return f"Record<string, {_type(inner[1], named)}>"
    return PLAIN.get(hint) or hint.__name__


def _shape_text(cls: type) -> str:
    shape = _shape(cls)
    fields = "".join(f"    {name}: {json.dumps(one)},\n" for name, one in shape["fields"].items())
    defaults = json.dumps(shape["defaults"])
    return f'{{\n  kind: "object",\n  fields: {{\n{fields}  }},\n  defaults: {defaults},\n}}'


def _shape(hint: Any, within: Within | None = None) -> dict[str, Any]:
    """The schema of a type, as JSON."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    size = within or ANY_SIZE
    if origin is Annotated:
        return _shape(inner[0], inner[1])
    if origin is Literal:
        return {"kind": "choice", "of": list(inner)}
    if origin in (Union, types.UnionType):
        return {"kind": "either", "of": [_shape(one) for one in inner]}
    if origin is list:
        of = _shape(inner[0])
        return {"kind": "list", "of": of, "least": size.least, "most": size.greatest}
    if origin is tuple:
        return {"kind": "tuple", "of": [_shape(one) for one in inner]}
    if origin is dict:
        return {"kind": "record", "of": _shape(inner[1]), "most": size.greatest}
    if hint in (int, float):
        bounds = within or (EXACT if hint is int else FINITE)
        ends = {"least": bounds.least, "greatest": bounds.greatest}
        return {"kind": "number", "whole": hint is int, **ends}
    if hint is str:
        return {"kind": "text", "most": size.greatest}
    if hint in (bool, type(None)):
        return {"kind": "flag" if hint is bool else "null"}
    fields = {name: _shape(one) for name, one in bounded_hints(hint).items()}
    return {"kind": "object", "fields": fields, "defaults": _defaults(hint)}


def _defaults(cls: type) -> dict[str, Any]:
    """The defaults of a message's fields, as JSON."""
    out = {}
    for field in dataclasses.fields(cls):
        if field.default is not dataclasses.MISSING:
            out[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            made = field.default_factory()
            if dataclasses.is_dataclass(made) and not isinstance(made, type):
                made = dataclasses.asdict(made)
            out[field.name] = made
    return out


if __name__ == "__main__":
    write(sys.argv[1], typescript(), "types")
