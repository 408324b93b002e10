"""Read and write long runs of decimal numbers with a compiled kernel, block by block."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.source import LARGEST_NUMBER, Source, shown
from supple.kernels.numbers import FULL, HARD, OK, POWERS, WORD, read_numbers, write_numbers

BLOCK_BYTES = 1 << 22  # block size [B]: kernels need writable arrays, so each block is copied
MOST_DIGITS = 15  # after the point, that the kernel can write
BLANKS = b" \t\r\n\x0b\x0c"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WORD = re.compile(rb"[^ \t\r\n\x0b\x0c]+")
_DECIMAL = re.compile(rb"(?<=\d),(?=\d)")
LISTED_NON_NUMBERS = 3  # different non-numbers that a note lists
# What programs write for NaN and infinity.
_NOT_NUMBERS = ("nan", "inf", "infinity", "1.#", "-1.#", "null")


def read_lines(
    data: bytes,
    start: int,
    stop: int,
    *,
    guess: int,
    line_guess: int,
    fail: Callable[[int, str], NoReturn],
) -> tuple[Floats, Ints, dict[str, int]]:
    """Read every number in a part of a text.

    Args:
        data: The text.
        start: First byte.
        stop: Byte after the last.
        guess: Approximate count of numbers, for the first allocation.
        line_guess: Approximate count of lines.
        fail: Called with a byte offset and a message; raises the error.

    Returns:
        The numbers; for each line with numbers, how many were read up to its end; and a count of each
        non-number that was read as NaN: the first few, and "..." for all others.

    Raises:
        SuppleError: There is something other than numbers; with the line.
    """
    most = (stop - start) // 2 + 2  # a number takes two bytes at least
    out = np.empty(max(16, min(guess, most)))
    rows = np.empty(max(16, min(line_guess, most)), np.int64)
    state = np.zeros(4, np.int64)
    missing: dict[str, int] = {}
    buffer = np.empty(min(BLOCK_BYTES, stop - start), np.uint8)
    at = start
    while at < stop:
        size = min(BLOCK_BYTES, stop - at)
        if at + size < stop:
            size = _cut(data, at, size)
            if size == 0:
                fail(at, f"expected a number, got {shown(data[at : at + 99])}")
        text = buffer[:size]
        text[:] = np.frombuffer(data, np.uint8, size, at)
        place = 0
        while True:
            read_numbers(text, place, size, POWERS, out, int(state[2]), rows, state)
            ended, place = int(state[0]), int(state[1])
            if ended == OK:
                break
            if ended == FULL:
                # Extrapolate from what has been read so far, but at least double.
                share = (stop - start) / max(1, at + place - start)
                out = _longer(out, int(state[2]), most, share)
                rows = _longer(rows, int(state[3]), most, share)
                continue
            value, length = _by_hand(data, at + place, ended, fail)
            if math.isnan(value):
                word = data[at + place : at + place + length].decode("latin-1")
                word = word if word in missing or len(missing) < LISTED_NON_NUMBERS else "..."
                missing[word] = missing.get(word, 0) + 1
            if state[2] == len(out):
                out = _longer(out, len(out), most, 2.0)
            out[state[2]] = value
            state[2] += 1
            place += length
        at += size
    count, lines = int(state[2]), int(state[3])
    # fmax and fmin ignore NaN and copy nothing.
    if count and max(np.fmax.reduce(out[:count]), -np.fmin.reduce(out[:count])) > LARGEST_NUMBER:
        which = int(np.argmax(np.abs(out[:count]) > LARGEST_NUMBER))
        word = next(itertools.islice(_WORD.finditer(data, start, stop), which, None))
        fail(
            word.start(),
            f"expected a number of at most {LARGEST_NUMBER:g}, got {shown(word.group())}",
        )
    ends = rows[:lines]
    if count and (lines == 0 or ends[-1] != count):
        ends = np.append(ends, count)
    return out[:count], ends, missing


def without_commas(data: bytes, start: int, warn: Callable[[str], None]) -> bytes:
    """Replace commas in numbers by points or blanks.

    A comma between digits is a decimal point, as in some locales, unless the text has points too; any
    other comma separates numbers.

    Args:
        data: The text; its length does not change.
        start: Offset of the first number.
        warn: Called with a note on what was assumed.
    """
    if data.find(b",", start) < 0:
        return data
    tail = data[start:]
    decimal = b"." not in tail and _DECIMAL.search(tail) is not None
    if decimal:
        warn("commas in numbers: read as decimal points")
        tail = _DECIMAL.sub(b".", tail)
    return data[:start] + tail.replace(b",", b" ")


def _cut(data: bytes, at: int, size: int) -> int:
    """Size of a block cut after its last blank; 0 if it has none."""
    piece = data[at : at + size]
    return 1 + max(piece.rfind(blank) for blank in (b"\n", b" ", b"\t", b"\r"))


def _longer(values: NDArray, used: int, most: int, share: float) -> NDArray:
    if used < len(values):
        return values
    room = min(most, max(2 * len(values), int(1.05 * share * len(values)) + 16))
    longer = np.empty(room, values.dtype)
    longer[:used] = values[:used]
    return longer


def _by_hand(
    data: bytes, at: int, ended: int, fail: Callable[[int, str], NoReturn]
) -> tuple[float, int]:
    """Read a word that the kernel could not: its value, NaN for a known spelling of it, and its length."""
    stop = at
    while stop < len(data) and data[stop : stop + 1] not in BLANKS and stop - at < 1000:
        stop += 1
    word = data[at:stop].decode("latin-1")
    if ended == HARD:
        value = float(word)
        if math.isfinite(value):
            return value, stop - at
    elif ended == WORD and word.lower().lstrip("+-").startswith(_NOT_NUMBERS):
        return math.nan, stop - at
    fail(at, f"expected a number, got {shown(word)}")


def split(
    source: Source,
    numbers: Floats,
    ends: Ints,
    *,
    width: int,
    declared: int | None,
    line_of: Callable[[int], int],
) -> Floats:
    """Arrange numbers in rows, also if frames do not coincide with lines; shape (rows, width).

    Args:
        source: The file, for errors and notes.
        numbers: All numbers.
        ends: How many numbers there are up to the end of each line.
        width: Numbers per row.
        declared: The number of rows that the file states, if it does.
        line_of: Maps the index of a line with numbers to its line number in the file.
    """
    sizes = np.diff(ends, prepend=0)
    odd = np.flatnonzero(sizes != width)
    if not len(odd):
        return numbers.reshape(-1, width)
    if declared is not None and len(numbers) == declared * width:
        source.warn(f"frames are not one to a line: read as {declared} frames of {width} numbers",
                    line=line_of(int(odd[0])))  # fmt: skip
        return numbers.reshape(-1, width)
    if np.all(sizes == sizes[0]) and sizes[0] > width and (len(sizes) > 1 or declared == 1):
        source.warn(
            f"lines have {sizes[0]} numbers, but there are {width} channels: "
            f"the last {sizes[0] - width} are left out",
            line=line_of(0),
        )
        return np.ascontiguousarray(numbers.reshape(-1, sizes[0])[:, :width])
    last = len(sizes) - 1
    if odd[0] == last and sizes[last] < width:
        # Where the file states its frames, they are counted: one that is missing is damage, one too many is none.
        source.warn(
            f"the last frame has {sizes[last]} of {width} numbers: it is cut off, left out",
            line=line_of(last),
            damage="truncated" if declared is None else None,
            frames=(last, last + 1) if declared is None else None,
        )
        return numbers[: last * width].reshape(-1, width)
    k = int(odd[0])
    source.error(line_of(k), f"frame {k}: expected {width} numbers, got {sizes[k]}")


def written(values: Floats, digits: Ints, *, exact: NDArray[np.bool_] | None = None) -> bytes:
    """Write rows of numbers as lines of text.

    Args:
        values: The numbers, shape (F, C).
        digits: Digits after the point of each column, 0 to 15, shape (C,).
        exact: True for rows written with as many digits as reading the same float64 takes, shape (F,).
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.size == 0:
        return b"\n" * len(values)
    if exact is None:
        exact = np.zeros(len(values), dtype=bool)
    if np.abs(values).max() >= 1e15:  # more than the kernel can write
        exact = np.ones(len(values), dtype=bool)
    step = max(1, BLOCK_BYTES // (34 * values.shape[1]))
    room = np.empty(34 * values.shape[1] * min(step, len(values)), np.uint8)
    places = np.ascontiguousarray(digits, dtype=np.int64)
    cuts = np.flatnonzero(np.diff(exact)) + 1
    edges = np.union1d(np.arange(0, len(values), step), cuts).tolist()
    parts = []
    for first, stop in itertools.pairwise([*edges, len(values)]):
        piece = values[first:stop]
        if exact[first]:
            parts += [" ".join(map(repr, row)).encode() + b"\n" for row in piece.tolist()]
        else:
            size = write_numbers(piece, places, 32, room)
            parts.append(room[:size].tobytes())
    return b"".join(parts)


def as_written(values: Floats, digits: int) -> NDArray[np.bool_]:
    """True where a number is the same float64 after writing it with so many digits and reading it."""
    unit = 10.0**digits
    size = np.abs(values)
    whole = np.floor(size)
    # As the kernel rounds. A quotient of whole numbers below 2^53 is rounded as reading rounds.
    number = whole * unit + np.floor((size - whole) * unit + 0.5)
    return (number < 2.0**53) & (number / unit == size)


def digits_for(extent: float) -> int:
    """Digits after the point that resolve 1e-8 of an extent, 6 to 15."""
    if not extent > 0:
        return 6
    return int(np.clip(8 - math.floor(math.log10(extent)), 6, MOST_DIGITS))
