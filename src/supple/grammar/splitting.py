"""How a split shares out a length: absolute and relative sizes, floating ones, and repeats.

Absolute and relative sizes are kept, and cut off where the scope ends. What they leave is shared by
the floating sizes in proportion. A repeat comes as often as makes its floating sizes differ least
from what was asked for; without floating sizes it fills what is left, and the last one is cut off.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supple.errors import SuppleError
from supple.grammar.values import length as checked

LEAST = 1e-9  # of the whole length: what is thinner is left out


class Size(NamedTuple):
    """One part: `floating` or not, how long it is, and what becomes of it."""

    floating: bool
    length: float
    piece: Any


class Repeat(NamedTuple):
    """Parts that are repeated together."""

    parts: list[Size | Repeat]


def shared(parts: list[Size | Repeat], whole: float, most: int) -> list[tuple[float, float, Any]]:
    """Where each part begins, how long it is, and its piece, in order.

    Args:
        parts: What to lay out; lengths in the shape's unit.
        whole: How much there is.
        most: The greatest number of parts.

    Raises:
        SuppleError: There would be more than `most`.
    """
    flat = _expanded(parts, whole, most)
    fixed = sum(one.length for one in flat if not one.floating)
    floating = sum(one.length for one in flat if one.floating)
    factor = max(whole - fixed, 0.0) / floating if floating > 0 else 0.0
    found: list[tuple[float, float, Any]] = []
    at, least = 0.0, LEAST * whole
    for one in flat:
        size = one.length * factor if one.floating else one.length
        size = min(size, whole - at)
        if size > least:
            found.append((at, size, one.piece))
            at += size
    return found


def _expanded(parts: list[Size | Repeat], whole: float, most: int) -> list[Size]:
    """The parts with every repeat written out."""
    repeats = [one for one in parts if isinstance(one, Repeat)]
    if not repeats:
        return [one for one in parts if isinstance(one, Size) and one.length > 0]
    taken = sum(_nominal(one) for one in parts if isinstance(one, Size))
    room = max(whole - taken, 0.0) / len(repeats)
    out: list[Size] = []
    for one in parts:
        if isinstance(one, Size):
            if one.length > 0:
                out.append(one)
        else:
            out += _repeated(one, room, most - len(out))
        if len(out) > most:
            raise SuppleError(f"split: expected at most {most:,} parts, got more")
    return out


def _repeated(repeat: Repeat, room: float, most: int) -> list[Size]:
    fixed = sum(_fixed(one) for one in repeat.parts)
    floating = sum(_nominal(one) for one in repeat.parts) - fixed
    once = fixed + floating
    if once <= 0.0 or room <= 0.0:
        return []
    if room / once > most:
        raise SuppleError(
            f"split: expected at most {most:,} parts, got a repeat of {once:g} in {room:g}"
        )
    filling = math.ceil(room / once - LEAST)
    count = _best_count(fixed, floating, room) if floating > 0.0 else filling
    inside = _expanded(repeat.parts, room / count, most)
    if len(inside) * count > most:
        raise SuppleError(f"split: expected at most {most:,} parts, got {len(inside) * count:,}")
    return inside * count


def _best_count(fixed: float, floating: float, room: float) -> int:
    """How often the pattern comes if its floating sizes are to differ least from what they are."""
    few = max(int(room / (fixed + floating)), 1)

    def strain(count: int) -> float:
        left = room / count - fixed
        return abs(math.log(left / floating)) if left > 0.0 else math.inf

    return few if strain(few) <= strain(few + 1) else few + 1


def _nominal(one: Size | Repeat) -> float:
    if isinstance(one, Size):
        return max(one.length, 0.0)
    return sum(_nominal(part) for part in one.parts)


def _fixed(one: Size | Repeat) -> float:
    if isinstance(one, Size):
        return 0.0 if one.floating else max(one.length, 0.0)
    return 0.0  # a repeat in a repeat adapts itself


def sized(mark: str, value: Any, whole: float, piece: Any) -> Size:
    """A part from its size as it was written."""
    number = checked(value)
    if mark == "'":
        return Size(False, number * whole, piece)
    return Size(mark == "~", number, piece)
