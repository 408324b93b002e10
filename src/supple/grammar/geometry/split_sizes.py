"""How a split shares out a length: absolute and relative sizes, floating ones, and repeats.

Absolute and relative sizes are kept, and cut off where the scope ends. What they leave is shared by
the floating sizes in proportion: every floating size is multiplied by one and the same factor.

How often a repeat comes, CGA's reference leaves open for more than one of them; what follows was
measured on CityEngine's own engine (PRT), on random splits of one to three repeats. With counts
n_i of the k repeats, the factor s of the floating sizes that results, and the parts' lengths at that
factor, the cost is

    |s - 1|  +  (k / 2) * (sum of |share_i - mean share| over repeats with n_i > 0) / m

where share_i is the part of the room for repeats and floating sizes that repeat i takes, the mean
is over all k, and m counts the parts of the split, without repeats that do not come at all. The
first term asks for floating sizes near what was written; the second for repeats that are about
equally long. The counts begin at what fits k-ths of the room, rounded down, and the repeat whose
next copy lowers the cost most gets it (of equals the first) until none does. For a single repeat
that is the count whose factor is nearest to 1.

Without any floating size there is nothing to adapt: each repeat fills a k-th of the room, and its
last copy is cut off. A repeat in a repeat shares out the room of the copy it is in, as a split of
its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supple.errors import SuppleError
from supple.grammar.evaluate.values import length as checked

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
    found: list[tuple[float, float, Any]] = []
    at, least = 0.0, LEAST * whole
    for size, piece in _laid_out(parts, whole, most):
        size = min(size, whole - at)
        if size > least:
            found.append((at, size, piece))
            at += size
    return found


def _laid_out(parts: list[Size | Repeat], whole: float, most: int) -> list[tuple[float, Any]]:
    """The length and the piece of every part, repeats written out; together at most about `whole`."""
    fixed, floating = _lengths(parts, repeats=False)
    repeats = [one.parts for one in parts if isinstance(one, Repeat)]
    each = [_lengths(one) for one in repeats]
    adaptive = floating + sum(adapts for _, adapts in each) > 0.0
    if adaptive:
        counts = _counts(each, fixed, floating, len(parts), whole, most)
        factor = _factor(counts, each, fixed, floating, whole)
        rooms = [kept + factor * adapts for kept, adapts in each]
    else:
        counts, factor = [0] * len(each), 0.0
        rooms = [max(whole - fixed, 0.0) / max(len(each), 1)] * len(each)
    out: list[tuple[float, Any]] = []
    number = 0
    for one in parts:
        if isinstance(one, Size):
            if one.length > 0.0:
                out.append((one.length * factor if one.floating else one.length, one.piece))
            continue
        once, room = each[number][0], rooms[number]
        if adaptive:
            inside = _laid_out(one.parts, room, most) if counts[number] else []
            _check(len(inside) * counts[number], most)
            out += inside * counts[number]
        elif once > 0.0:
            out += _filled(one.parts, once, room, most)
        number += 1
        _check(len(out), most)
    return out


def _filled(
    parts: list[Size | Repeat], once: float, room: float, most: int
) -> list[tuple[float, Any]]:
    """Copies of parts that do not adapt, as many as begin in a room; the last one is cut off."""
    copies = math.ceil(room / once - LEAST)
    _check(copies, most)
    inside = _laid_out(parts, once, most)
    _check(len(inside) * copies, most)
    out: list[tuple[float, Any]] = []
    left = room
    for size, piece in inside * copies:
        out.append((min(size, left), piece))
        left -= size
        if left <= LEAST * room:
            break
    return out


def _check(count: int, most: int) -> None:
    if count > most:
        raise SuppleError(f"split: expected at most {most:,} parts, got {count:,}")


def _lengths(parts: list[Size | Repeat], *, repeats: bool = True) -> tuple[float, float]:
    """How long the fixed and the floating sizes of some parts are; a repeat in them counts once."""
    fixed = floating = 0.0
    for one in parts:
        if isinstance(one, Repeat):
            kept, adapts = _lengths(one.parts) if repeats else (0.0, 0.0)
            fixed += kept
            floating += adapts
        elif one.floating:
            floating += max(one.length, 0.0)
        else:
            fixed += max(one.length, 0.0)
    return fixed, floating


def _factor(
    counts: list[int],
    each: list[tuple[float, float]],
    fixed: float,
    floating: float,
    whole: float,
) -> float:
    """What the floating sizes are multiplied by; 0 if nothing is left for them."""
    for count, (kept, adapts) in zip(counts, each, strict=True):
        fixed += count * kept
        floating += count * adapts
    return max(whole - fixed, 0.0) / floating if floating > 0.0 else 0.0


def _counts(
    each: list[tuple[float, float]],
    fixed: float,
    floating: float,
    parts: int,
    whole: float,
    most: int,
) -> list[int]:
    """How often each repeat comes; see the module's docstring."""
    room = max(whole - fixed - floating, 0.0) / max(len(each), 1)
    counts = []
    for once in map(sum, each):
        if once > 0.0 and room / once > most:
            raise SuppleError(
                f"split: expected at most {most:,} parts, got a repeat of {once:g} in {room:g}"
            )
        counts.append(int(room / once + LEAST) if once > 0.0 else 0)
    best = _cost(counts, each, fixed, floating, parts, whole)
    while sum(counts) <= most:
        more = []
        for k, once in enumerate(each):
            if sum(once) > 0.0:
                tried = [*counts[:k], counts[k] + 1, *counts[k + 1 :]]
                more.append((_cost(tried, each, fixed, floating, parts, whole), tried))
        cost, tried = min(more, key=lambda one: round(one[0], 9), default=(math.inf, counts))
        if not cost < best - LEAST:
            break
        best, counts = cost, tried
    return counts


def _cost(
    counts: list[int],
    each: list[tuple[float, float]],
    fixed: float,
    floating: float,
    parts: int,
    whole: float,
) -> float:
    """How far the floating sizes are from what they are to be, and the repeats from each other."""
    kept = fixed + sum(count * once[0] for count, once in zip(counts, each, strict=True))
    adapts = floating + sum(count * once[1] for count, once in zip(counts, each, strict=True))
    if adapts <= 0.0 or kept > whole:
        return math.inf
    factor = (whole - kept) / adapts
    taken = [n * (own + factor * flex) for n, (own, flex) in zip(counts, each, strict=True)]
    room = whole - fixed
    if room <= 0.0 or not any(counts):
        return abs(factor - 1.0)
    mean = sum(taken) / len(taken)
    apart = sum(abs(own - mean) for own, n in zip(taken, counts, strict=True) if n) / room
    return abs(factor - 1.0) + len(counts) / 2 * apart / (parts - counts.count(0))


def sized(mark: str, value: Any, whole: float, piece: Any) -> Size:
    """A part from its size as it was written."""
    number = checked(value)
    if mark == "'":
        return Size(False, number * whole, piece)
    return Size(mark == "~", number, piece)
