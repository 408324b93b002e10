"""Split an SMD file into sections, without comments and blank lines.

`//` starts a comment except inside a quoted name or a word. `#` and `;` do at the start of a line and
after a blank, except in material lines, which may contain anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.source import Source, shown
from supple.apps.formats.text_numbers import read_lines, without_commas

SECTIONS = ("nodes", "skeleton", "triangles", "vertexanimation")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SLASHES = re.compile(rb"(?:^|(?<=[\s\"\d]))//.*", re.DOTALL)
_MARKS = re.compile(rb"(?:^|(?<=\s))[#;].*", re.DOTALL)


@dataclass
class Section:
    """The lines of a section, stripped, with their line numbers.

    Attributes:
        name: "nodes", "skeleton", ...
        line: Line number of its keyword, from 1.
        lines: The lines that are not empty.
        numbers: The line number of each, from 1.
    """

    name: str
    line: int
    lines: list[bytes] = field(default_factory=list)
    numbers: Sequence[int] = field(default_factory=list)


def sections(source: Source) -> tuple[int, list[Section]]:
    """The version of the file (0 if it states none) and its sections."""
    lines = source.data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x00\x1a").splitlines()
    version, found = 0, []
    k = 0
    while k < len(lines):
        words = _uncommented(lines[k]).split()
        k += 1
        if not words:
            continue
        keyword = words[0].lower()
        if keyword == b"version":
            version = _version(source, words, k)
        elif keyword in (b"end", b"eof"):
            source.warn(f"{keyword.decode()} outside of a section: disregarded", line=k)
        elif keyword.decode("latin-1") in SECTIONS:
            section = Section(keyword.decode(), k)
            k = _fill(source, section, lines, k)
            found.append(section)
        elif found and len(words) == 1 and any(map(_is_end, lines[k:])):
            source.warn(f"section {shown(words[0])} is not known: left out", line=k)
            k = _fill(source, Section("unknown", k), lines, k)
        else:
            what = "not an SMD file: " if not found and not version else ""
            source.error(
                k,
                f"{what}expected version, nodes, skeleton or triangles, got {shown(lines[k - 1])}",
            )
    return version, found


def _version(source: Source, words: list[bytes], line: int) -> int:
    if len(words) < 2 or not words[1].isdigit() or len(words[1]) > 9:
        source.error(line, f"version: expected a number, got {shown(b' '.join(words[1:]))}")
    version = int(words[1])
    if version != 1:
        source.warn(f"version {version}: read as version 1", line=line)
    return version


def _fill(source: Source, section: Section, lines: list[bytes], first: int) -> int:
    """Put the lines up to "end" into a section; return the index of the line after it."""
    stop = first
    for stop in range(first, len(lines)):
        if lines[stop][:5].strip().lower() == b"end" or _is_end(lines[stop]):
            break
    else:
        stop = len(lines)
        source.warn(f"{section.name} is not closed by end: closed by the end of the file",
                    line=section.line, damage="truncated" if section.name == "skeleton" else None)  # fmt: skip
    inside = lines[first:stop]
    plain = section.name == "triangles" and not any(b"//" in line for line in inside)
    plain = plain and not any(line.lstrip()[:1] in (b"#", b";", b"") for line in inside)
    if plain:
        section.lines, section.numbers = inside, range(first + 1, stop + 1)
        return stop + 1
    clean = _slashes_off if section.name == "triangles" else _uncommented
    kept = [(text, k) for k, line in enumerate(inside, first + 1) if (text := clean(line))]
    section.lines, section.numbers = [text for text, _ in kept], [k for _, k in kept]
    return stop + 1


def _is_end(line: bytes) -> bool:
    return line.strip()[:3].lower() == b"end" and _uncommented(line).lower() == b"end"


def _slashes_off(line: bytes) -> bytes:
    return _SLASHES.sub(b"", line).strip() if b"//" in line else line.strip()


def _uncommented(line: bytes) -> bytes:
    """Strip comments and outer blanks from a line; quoted text stays."""
    quote = line.rfind(b'"')
    head, tail = line[: quote + 1], line[quote + 1 :]
    if quote >= 0 and re.match(rb"\s*(?://|[#;])", head):
        return b""
    if b"//" in tail:
        tail = _SLASHES.sub(b"", tail)
    if b"#" in tail or b";" in tail:
        tail = _MARKS.sub(b"", tail if head else b" " + tail)
    return (head + tail).strip()


def numbers_of(
    source: Source, lines: Sequence[bytes], numbers: Sequence[int], *, width: int
) -> tuple[Floats, Ints]:
    """All numbers of some lines, with NaN for spellings of it, and how many each line has.

    Args:
        source: The file, for messages.
        lines: Lines of numbers.
        numbers: Their line numbers in the file.
        width: Approximate count of numbers per line.
    """
    text = b"\n".join(lines) + b"\n"
    if b"," in text:
        at = numbers[text.count(b"\n", 0, text.index(b","))]
        text = without_commas(text, 0, lambda words: source.warn(words, line=at))

    def fail(at: int, message: str) -> NoReturn:
        source.error(numbers[text.count(b"\n", 0, at)], message)

    values, ends, _ = read_lines(
        text, 0, len(text), guess=len(lines) * width, line_guess=len(lines) + 1, fail=fail
    )
    return values, np.diff(ends, prepend=0)


def timed_rows(
    source: Source, section: Section, *, what: str, width: int
) -> tuple[Floats, Ints, Floats, list[int]]:
    """Read a section of "time" lines, each followed by rows of numbers.

    Args:
        source: The file, for messages.
        section: The lines.
        what: What a row consists of, for messages.
        width: Numbers per row.

    Returns:
        The times (T,), the index of each row's time (R,), the rows (R, width), and the line numbers
        of the rows.
    """
    lines = section.lines
    marks = [k for k, text in enumerate(lines) if text[:1] in b"tT" or b"ime" in text[:12]]
    times = [_time(source, section, k) for k in marks]
    if not marks or marks[0] != 0:
        source.error(section.numbers[0], f"expected time, got {shown(lines[0])}")
    marked = set(marks)
    rows = [k for k in range(len(lines)) if k not in marked]
    at = [section.numbers[k] for k in rows]
    if not rows:
        return np.array(times), np.zeros(0, np.int64), np.zeros((0, width)), at
    numbers, sizes = numbers_of(source, [lines[k] for k in rows], at, width=width)
    short = np.flatnonzero(sizes < width)
    if len(short):
        k = int(short[0])
        source.error(at[k], f"expected {what}, got {sizes[k]} numbers")
    begins = np.cumsum(sizes) - sizes
    frame = np.searchsorted(np.array(marks), np.array(rows), side="right") - 1
    return np.array(times), frame, numbers[begins[:, None] + np.arange(width)], at


def _time(source: Source, section: Section, k: int) -> float:
    words = section.lines[k].split()
    if words[0].lower() == b"time" and len(words) >= 2:
        try:
            value = float(words[1])
        except ValueError:
            value = np.nan
        if np.isfinite(value) and abs(value) < 1e12:
            return value
    source.error(section.numbers[k], f"expected time and a number, got {shown(section.lines[k])}")
