"""The page's side of `messages`: the same types, in TypeScript.

`python -m supple.viewer.typescript FILE` writes them; a test holds the file that is there to it.
"""

from __future__ import annotations

import sys
import types
import typing
from typing import Any, Literal, Union

from supple.files import write
from supple.viewer import messages
from supple.viewer.messages import asked, packets, setup, told
from supple.viewer.reading import hints

HEAD = "// Written by `python -m supple.viewer.typescript`; change src/supple/viewer/messages/.\n"
ALIASES = ("GoalKind", "AttributeKind", "SaveFormat")
UNIONS = ("FromPage", "FromSession", "PacketHead")
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}


def typescript() -> str:
    """All messages as TypeScript interfaces."""
    named = {getattr(messages, alias): alias for alias in ALIASES}
    parts = [HEAD]
    for alias in ALIASES:
        parts.append(f"export type {alias} = {_type(getattr(messages, alias), {})};\n")
    for part in (setup, asked, told, packets):
        for cls in vars(part).values():
            if not isinstance(cls, type) or cls.__module__ != part.__name__:
                continue  # what it imports
            parts.append(_interface(cls, named))
    for union in UNIONS:
        members = " | ".join(one.__name__ for one in typing.get_args(getattr(messages, union)))
        parts.append(f"export type {union} = {members};\n")
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


if __name__ == "__main__":
    write(sys.argv[1], typescript(), "types")
