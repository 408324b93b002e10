"""How a split divides a length: absolute, relative and floating sizes, and repeats.

Absolute and relative sizes are kept, and truncated at the end of the scope. Floating sizes share the
remaining length in proportion: all of them are multiplied by the same factor.

For more than one repeat the CGA reference leaves the counts open. The following reproduces CityEngine's
engine (PRT) on all of 3,944 random splits of one to four repeats; on exact ties it takes sometimes more and
sometimes fewer copies. With k repeats, the room R that absolute, relative and floating sizes as written leave, and
counts n_i:

1. Counts start at what fits into R / k, rounded down.
2. Each repeat is tried with one more copy. For counts n let s be the factor of the floating sizes, and
   l_i the length of all copies of repeat i at that factor. The cost is

       |s - 1|  +  (k / 2) * sum |l_i - R / k| / (R * m)

   The sum is over the repeats that have copies before the step, for the old and the new counts alike,
   and m is the number of those repeats, plus the number of absolute and relative parts, plus 1.5 times
   the number of floating parts. The first term prefers floating sizes close to the written ones, the
   second repeats of about equal length.
3. The copy with the lowest cost (the first of equals) is added if it lowers the cost, or keeps it while
   s > 1. Then step 2 again.

For a single repeat this is the count with the factor closest to 1. If no part is absolute, relative or
floating and no repeat fits once, the last part takes the whole length. The same holds where step 3
would not end.

Without floating sizes nothing adapts: each repeat fills 1/k of the length, and its last copy is
truncated. A nested repeat divides the length of the copy it is in, as a separate split. There the
engine differs: it finds the count of a nested repeat in the length of the whole split, so that
{ ~1 : A | { ~1 : B }* }* cuts 12.3 into 144 parts of 0.085.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supple.errors import SuppleError

ROUNDING_MARGIN = 1e-9  # of a length, a count of copies or a cost: smaller differences are rounding
MOST_ADDED_COPIES = 1000  # beyond it the cost falls without end; not tuned


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
    at, least = 0.0, ROUNDING_MARGIN * whole
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
        counts = _counts(each, fixed, floating, parts, whole, most)
        if counts is None:
            return [(whole, _last(parts))]
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


def _last(parts: list[Size | Repeat]) -> Any:
    """The payload of the last part."""
    one = parts[-1]
    return one.piece if isinstance(one, Size) else _last(one.parts)


def _filled(
    parts: list[Size | Repeat], once: float, room: float, most: int
) -> list[tuple[float, Any]]:
    """Copies of parts without floating sizes that fill a room; the last copy is truncated."""
    copies = math.ceil(room / once - ROUNDING_MARGIN)
    _check(copies, most)
    inside = _laid_out(parts, once, most)
    _check(len(inside) * copies, most)
    out: list[tuple[float, Any]] = []
    left = room
    for size, piece in inside * copies:
        out.append((min(size, left), piece))
        left -= size
        if left <= ROUNDING_MARGIN * room:
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
    parts: list[Size | Repeat],
    whole: float,
    most: int,
) -> list[int] | None:
    """The count of each repeat, None if the last part takes all; see the module's docstring."""
    if not each:
        return []
    room = max(whole - fixed - floating, 0.0)
    target = room / len(each)
    counts = []
    for once in map(sum, each):
        if once > 0.0 and target / once > most:
            raise SuppleError(
                f"split: expected at most {most:,} parts, got a repeat of {once:g} in {target:g}"
            )
        counts.append(int(target / once + ROUNDING_MARGIN) if once > 0.0 else 0)
    others = sum(1.5 if one.floating else 1.0 for one in parts if isinstance(one, Size))
    if not others and len(each) > 1 and not any(counts):
        return None
    alone = not others and len(each) == 1 and each[0][0] == 0.0
    growing = [k for k, once in enumerate(each) if sum(once) > 0.0]
    for _ in range(MOST_ADDED_COPIES):
        active = [k for k, count in enumerate(counts) if count]
        weight = len(each) / 2 / (room * (others + len(active))) if active and room > 0.0 else 0.0

        def cost(counts: list[int], active: list[int] = active, weight: float = weight) -> Any:
            kept, adapts = fixed, floating
            for count, once in zip(counts, each, strict=True):
                kept += count * once[0]
                adapts += count * once[1]
            if adapts <= 0.0 or kept > whole:
                return math.inf, math.inf
            factor = (whole - kept) / adapts
            apart = 0.0
            for k in active:
                apart += abs(counts[k] * (each[k][0] + factor * each[k][1]) - target)
            return abs(factor - 1.0) + weight * apart, factor

        best, factor = cost(counts)
        tie = ROUNDING_MARGIN if factor > 1.0 and not alone else -ROUNDING_MARGIN
        chosen, least = counts, math.inf
        for k in growing:
            tried = [*counts[:k], counts[k] + 1, *counts[k + 1 :]]
            found = cost(tried)[0]
            if found < least - ROUNDING_MARGIN:
                chosen, least = tried, found
        if least == math.inf or not least <= best + tie:
            return counts
        counts = chosen
    return None
