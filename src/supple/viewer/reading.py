"""Reading messages: JSON into the dataclasses of `messages`, everything checked on the way."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from functools import cache
from typing import Any, Literal, Union

from supple.errors import SuppleError, one_of
from supple.viewer.messages import FromPage

MOST_ITEMS = 100_000  # of one list, so that a message cannot ask for more than it is worth


def read(text: str) -> FromPage:
    """The message that the page sent.

    Raises:
        SuppleError: It is none, or not as `messages` says.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuppleError(f"message: expected JSON, got {text[:60]!r}") from error
    kinds = _kinds()
    kind = data.get("type") if isinstance(data, dict) else None
    return build(kinds[one_of("message type", kind, kinds)], data, "message")


def write(message: Any) -> str:
    """A message as the page reads it."""
    return json.dumps(dataclasses.asdict(message), allow_nan=False, separators=(",", ":"))


@cache
def _kinds() -> dict[str, type]:
    return {hints(cls)["type"].__args__[0]: cls for cls in typing.get_args(FromPage)}


@cache
def hints(cls: type) -> dict[str, Any]:
    """The types of a message's fields."""
    return typing.get_type_hints(cls)


def build(cls: type, data: Any, where: str) -> Any:
    """One of the dataclasses, from what JSON holds."""
    if not isinstance(data, dict):
        raise SuppleError(f"{where}: expected an object, got {_brief(data)}")
    known = hints(cls)
    for key in data:
        one_of(f"{where} field", key, known)
    values = {}
    for field in dataclasses.fields(cls):
        if field.name in data:
            values[field.name] = _value(
                known[field.name], data[field.name], f"{where}.{field.name}"
            )
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise SuppleError(f"{where}: expected {field.name!r}, got none")
    return cls(**values)


def _value(hint: Any, data: Any, where: str) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _either(inner, data, where)
    if origin is Literal:
        return one_of(where, data, inner)
    if origin is list:
        if not isinstance(data, list) or len(data) > MOST_ITEMS:
            raise SuppleError(f"{where}: expected a list, got {_brief(data)}")
        return [_value(inner[0], one, f"{where}[{k}]") for k, one in enumerate(data)]
    if origin is tuple:
        if not isinstance(data, list) or len(data) != len(inner):
            raise SuppleError(f"{where}: expected {len(inner)} numbers, got {_brief(data)}")
        return tuple(_value(h, one, where) for h, one in zip(inner, data, strict=True))
    if origin is dict:
        if not isinstance(data, dict) or len(data) > MOST_ITEMS:
            raise SuppleError(f"{where}: expected an object, got {_brief(data)}")
        return {key: _value(inner[1], one, f"{where}.{key}") for key, one in data.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, data, where)
    return _plain(hint, data, where)


def _either(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and type(None) in choices:
        return None
    # A whole number stays one where that is a choice, and a flag is no number.
    for choice in (bool, int, str):
        if choice in choices and type(data) is choice:
            return data
    rest = [choice for choice in choices if choice not in (type(None), bool, int)]
    if isinstance(data, list):
        rest.sort(key=lambda choice: typing.get_origin(choice) not in (list, tuple))
    return _value(rest[0], data, where)


def _plain(hint: Any, data: Any, where: str) -> Any:
    number = isinstance(data, (int, float)) and not isinstance(data, bool)
    if hint is float and number and math.isfinite(data):
        return float(data)
    if hint is int and number and data == int(data) and abs(data) < 2**53:
        return int(data)
    if hint in (str, bool) and isinstance(data, hint):
        return data
    words = {float: "a finite number", int: "a whole number", str: "text", bool: "true or false"}
    raise SuppleError(f"{where}: expected {words[hint]}, got {_brief(data)}")


def _brief(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."
