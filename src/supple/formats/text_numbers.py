"""Long runs of numbers in the bytes of a file, read by the kernel piece by piece."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from supple.formats.source import GREATEST, Source, shown
from supple.kernels.numbers import FULL, HARD, OK, POWERS, WORD, read_numbers, write_numbers

PIECE = 1 << 22  # bytes at a time: kernels take writable arrays, and this is what is copied
MOST_DIGITS = 15  # after the point that the kernel writes
BLANKS = b" \t\r\n\x0b\x0c"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WORD = re.compile(rb"[^ \t\r\n\x0b\x0c]+")
_DECIMAL = re.compile(rb"(?<=\d),(?=\d)")
_FEW = 3  # words that are no numbers, as notes name them
# What programs have written for numbers that are none.
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
    """Every number between two places, and how many there are before the end of each line.

    Args:
        data: The text.
        start: Where to begin.
        stop: Where to end.
        guess: About how many numbers there are.
        line_guess: About how many lines.
        fail: Raises what is wrong, given the place in the text.

    Returns:
        The numbers, the ends of lines that have any, and the words that are no numbers (NaN there)
        with how often each comes: the first few of them, and "..." for all others.

    Raises:
        SuppleError: There is something else than numbers; with the line.
    """
    most = (stop - start) // 2 + 2  # a number takes two bytes at least
    out = np.empty(max(16, min(guess, most)))
    rows = np.empty(max(16, min(line_guess, most)), np.int64)
    state = np.zeros(4, np.int64)
    missing: dict[str, int] = {}
    buffer = np.empty(min(PIECE, stop - start), np.uint8)
    at = start
    while at < stop:
        size = min(PIECE, stop - at)
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
                # By what has been read so far, or twice the room if that says less.
                share = (stop - start) / max(1, at + place - start)
                out = _longer(out, int(state[2]), most, share)
                rows = _longer(rows, int(state[3]), most, share)
                continue
            value, length = _by_hand(data, at + place, ended, fail)
            if math.isnan(value):
                word = data[at + place : at + place + length].decode("latin-1")
                word = word if word in missing or len(missing) < _FEW else "..."
                missing[word] = missing.get(word, 0) + 1
            if state[2] == len(out):
                out = _longer(out, len(out), most, 2.0)
            out[state[2]] = value
            state[2] += 1
            place += length
        at += size
    count, lines = int(state[2]), int(state[3])
    # NaN does not count, and nothing is copied.
    if count and max(np.fmax.reduce(out[:count]), -np.fmin.reduce(out[:count])) > GREATEST:
        which = int(np.argmax(np.abs(out[:count]) > GREATEST))
        word = next(itertools.islice(_WORD.finditer(data, start, stop), which, None))
        fail(word.start(), f"expected a number of at most {GREATEST:g}, got {shown(word.group())}")
    ends = rows[:lines]
    if count and (lines == 0 or ends[-1] != count):
        ends = np.append(ends, count)
    return out[:count], ends, missing


def without_commas(data: bytes, start: int, warn: Callable[[str], None]) -> bytes:
    """Text whose numbers, from a place on, have points and blanks where there are commas.

    A comma between digits is a decimal point, as some locales write it, unless there are points
    too; any other stands between numbers.

    Args:
        data: The text; its length stays.
        start: Where the numbers begin.
        warn: Told what was assumed.
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
    """Where the last whole word of a piece ends; 0 if it has no blank."""
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
    """A word that the kernel has left: its value, NaN for a known way to say so, and its length."""
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
    """Numbers as rows of a width, however they stand in lines; shape (rows, width).

    Args:
        source: The file, for what is to be said.
        numbers: All of them.
        ends: How many there are before the end of each line.
        width: Of a row.
        declared: How many rows the file says it has, if it does.
        line_of: The line of the file that a line with numbers is.
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
        source.warn(f"the last frame has {sizes[last]} of {width} numbers: it is cut off, left out",
                    line=line_of(last))  # fmt: skip
        return numbers[: last * width].reshape(-1, width)
    k = int(odd[0])
    source.error(line_of(k), f"frame {k}: expected {width} numbers, got {sizes[k]}")


def written(values: Floats, digits: Ints, *, exact: NDArray[np.bool_] | None = None) -> bytes:
    """Rows of numbers as lines of text.

    Args:
        values: The numbers, shape (F, C).
        digits: So many after the point a column, 0 to 15, shape (C,).
        exact: Rows with as many digits as it takes to read the same numbers again, shape (F,).
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.size == 0:
        return b"\n" * len(values)
    if exact is None:
        exact = np.zeros(len(values), dtype=bool)
    if np.abs(values).max() >= 1e15:  # more than the kernel can write
        exact = np.ones(len(values), dtype=bool)
    step = max(1, PIECE // (34 * values.shape[1]))
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
    """Which numbers are the same when they are written with so many digits and read again."""
    unit = 10.0**digits
    size = np.abs(values)
    whole = np.floor(size)
    # As the kernel rounds. A quotient of whole numbers below 2^53 is rounded as reading rounds.
    number = whole * unit + np.floor((size - whole) * unit + 0.5)
    return (number < 2.0**53) & (number / unit == size)


def digits_for(extent: float) -> int:
    """Digits after the point that tell a hundred-millionth of an extent, 6 to 15."""
    if not extent > 0:
        return 6
    return int(np.clip(8 - math.floor(math.log10(extent)), 6, MOST_DIGITS))
