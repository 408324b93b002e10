"""How a split divides a length: absolute, relative and floating sizes, and repeats.

Absolute and relative sizes are kept, and truncated at the end of the scope. Floating sizes share the
remaining length in proportion: all of them are multiplied by the same factor.

For more than one repeat the CGA reference leaves the counts open. The following was fitted to
CityEngine's engine (PRT) on random splits of one to three repeats. With counts n_i of the k repeats,
the resulting factor s of the floating sizes, and the lengths at that factor, the cost is

    |s - 1|  +  (k / 2) * (sum of |share_i - mean share| over repeats with n_i > 0) / m

where share_i is the fraction that repeat i takes of the length left for repeats and floating sizes,
the mean is over all k repeats, and m is the number of parts of the split without repeats of count 0.
The first term prefers floating sizes close to the written ones, the second repeats of about equal
length. Counts start at what fits into 1/k of that length, rounded down. Then the repeat whose next
copy lowers the cost most (the first of equals) gets one more, until no copy lowers the cost. For a
single repeat this is the count with the factor closest to 1.

Without floating sizes nothing adapts: each repeat fills 1/k of the length, and its last copy is
truncated. A nested repeat divides the length of the copy it is in, as a split of its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supple.errors import SuppleError

LEAST = 1e-9  # of the whole length: thinner parts are dropped


class Size(NamedTuple):
    """One part: floating or not, its length, and its payload (the successor of the part)."""

    floating: bool
    length: float
    piece: Any


class Repeat(NamedTuple):
    """Parts repeated as a group."""

    parts: list[Size | Repeat]


def shared(parts: list[Size | Repeat], whole: float, most: int) -> list[tuple[float, float, Any]]:
    """Divide a length: (start, length, payload) of each part, in order.

    Args:
        parts: The parts as written; lengths in the shape's unit.
        whole: The length to divide.
        most: The maximum number of parts.

    Raises:
        SuppleError: There are more than `most` parts.
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
    """Length and payload of every part with repeats expanded; together about `whole` at most."""
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
    """Copies of parts without floating sizes that fill a room; the last copy is truncated."""
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
    """Total length of the fixed and of the floating sizes; a nested repeat counts once."""
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
    """The factor of the floating sizes; 0 if no length is left for them."""
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
    """The count of each repeat; see the module's docstring."""
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
    """The cost of some counts; see the module's docstring."""
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
