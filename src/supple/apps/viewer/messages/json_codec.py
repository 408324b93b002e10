"""Read and write messages as JSON; every value is checked against the type of its field."""

from __future__ import annotations

import dataclasses
import json
import reprlib
import sys
import types
import typing
from functools import cache
from typing import Annotated, Any, Literal, Union

from supple.apps.viewer.messages import FromPage, Within
from supple.errors import SuppleError, one_of

MOST_ITEMS = 100_000  # most items of a list, and characters of a text
FINITE = Within(-sys.float_info.max, sys.float_info.max)
ANY_SIZE = Within(0, MOST_ITEMS)
EXACT = Within(1 - 2**53, 2**53 - 1)  # integers that a float represents exactly


class MessageError(SuppleError):
    """An invalid message.

    Attributes:
        seq: Its number, if it is a setup that has one; else 0.
    """

    def __init__(self, text: str, seq: int = 0) -> None:
        super().__init__(text)
        self.seq = seq


def read(text: str) -> FromPage:
    """Read a message of the page.

    Raises:
        MessageError: It is not JSON, of unknown type, or a field is missing, unknown or invalid.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"message: expected JSON, got {text[:60]!r}") from error
    kinds = _kinds()
    kind = data.get("type") if isinstance(data, dict) else None
    try:
        return build(kinds[one_of("message type", kind, kinds)], data, "message")
    except SuppleError as error:
        raise MessageError(str(error), _seq(data) if kind == "setup" else 0) from error


def _seq(data: dict[str, Any]) -> int:
    try:
        return _value(bounded_hints(_kinds()["setup"])["seq"], data.get("seq"), "seq")
    except SuppleError:
        return 0


def write(message: Any) -> str:
    """A message as JSON text."""
    return json.dumps(dataclasses.asdict(message), allow_nan=False, separators=(",", ":"))


@cache
def _kinds() -> dict[str, type]:
    return {hints(cls)["type"].__args__[0]: cls for cls in typing.get_args(FromPage)}


@cache
def hints(cls: type) -> dict[str, Any]:
    """The types of a message's fields."""
    return typing.get_type_hints(cls)


@cache
def bounded_hints(cls: type) -> dict[str, Any]:
    """The types of a message's fields, with their bounds."""
    return typing.get_type_hints(cls, include_extras=True)


def build(cls: type, data: Any, where: str) -> Any:
    """Build a message dataclass from parsed JSON."""
    if not isinstance(data, dict):
        raise SuppleError(f"{where}: expected an object, got {_brief(data)}")
    known = bounded_hints(cls)
    for key in data:
        if key not in known:  # shortened: searching for a similar name is slow for long ones
            one_of(f"{where} field", key[:60], known)
    values = {}
    for field in dataclasses.fields(cls):
        if field.name in data:
            values[field.name] = _value(
                known[field.name], data[field.name], f"{where}.{field.name}"
            )
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise SuppleError(f"{where}: expected {field.name!r}, got none")
    return cls(**values)


def _value(hint: Any, data: Any, where: str, within: Within | None = None) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _value(inner[0], data, where, inner[1])
    if origin in (Union, types.UnionType):
        return _either(inner, data, where)
    if origin is Literal:
        return one_of(where, data[:60] if isinstance(data, str) else data, inner)
    if origin is list:
        _check_size(data, list, where, within)
        return [_value(inner[0], one, f"{where}[{k}]") for k, one in enumerate(data)]
    if origin is tuple:
        if not isinstance(data, list) or len(data) != len(inner):
            raise SuppleError(f"{where}: expected {len(inner)} numbers, got {_brief(data)}")
        return tuple(_value(h, one, where) for h, one in zip(inner, data, strict=True))
    if origin is dict:
        _check_size(data, dict, where, within)
        return {
            _value(inner[0], key, f"{where}: a name"): _value(inner[1], one, f"{where}.{key}")
            for key, one in data.items()
        }
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, data, where)
    return _plain(hint, data, where, within)


def _check_size(data: Any, kind: type, where: str, within: Within | None) -> None:
    word = {list: "a list", dict: "an object"}[kind]
    if not isinstance(data, kind):
        raise SuppleError(f"{where}: expected {word}, got {_brief(data)}")
    bounds = within or ANY_SIZE
    if not bounds.least <= len(data) <= bounds.greatest:
        raise SuppleError(
            f"{where}: expected {word} of {bounds.least} to {bounds.greatest:,}, got {len(data):,}"
        )


def _either(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and type(None) in choices:
        return None
    kinds = {_bare(choice): choice for choice in choices}
    # Prefer int over float for whole numbers, and do not read a bool as a number.
    for kind in (bool, int, str):
        if kind in kinds and type(data) is kind:
            return _value(kinds[kind], data, where)
    rest = [choice for kind, choice in kinds.items() if kind not in (type(None), bool, int)]
    if isinstance(data, list):
        rest.sort(key=lambda choice: typing.get_origin(_bare(choice)) not in (list, tuple))
    return _value(rest[0], data, where)


def _bare(hint: Any) -> Any:
    """A type without its bounds."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _plain(hint: Any, data: Any, where: str, within: Within | None) -> Any:
    if hint is bool and isinstance(data, bool):
        return data
    if hint is str and isinstance(data, str):
        bounds = within or ANY_SIZE
        if len(data) <= bounds.greatest:
            return data
        raise SuppleError(
            f"{where}: expected at most {bounds.greatest:,} characters, got {len(data):,}"
        )
    number = isinstance(data, (int, float)) and not isinstance(data, bool)
    if number and hint in (int, float):
        bounds = within or (FINITE if hint is float else EXACT)
        whole = isinstance(data, int) or data.is_integer()
        if bounds.least <= data <= bounds.greatest and (whole or hint is float):
            return hint(data)
    words = {float: "a finite number", int: "a whole number", str: "text", bool: "true or false"}
    span = f" from {within.least:.10g} to {within.greatest:.10g}" if within and number else ""
    raise SuppleError(f"{where}: expected {words[hint]}{span}, got {_brief(data)}")


_REPR = reprlib.Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxlong, _REPR.maxother = 2, 57, 40, 57


def _brief(data: Any) -> str:
    return _REPR.repr(data)
