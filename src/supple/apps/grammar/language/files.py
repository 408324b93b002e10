"""Read rule files in UTF-8, UTF-16, UTF-32 or Windows-1252."""

from __future__ import annotations

import codecs
from pathlib import Path

from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.errors import RuleError
from supple.apps.grammar.language.parser import LONGEST_RULES_CHARS
from supple.errors import SuppleError

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the byte order mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_rules(path: Path, shown: str = "") -> str:
    """The text of a rule file, with Unix line ends.

    A byte order mark decides the encoding; without one the text is UTF-8, else UTF-16 if every other byte is
    zero, else Windows-1252 (Latin-1).

    Args:
        path: The file.
        shown: Its name in messages; by default its path.

    Raises:
        SuppleError: The file cannot be read, is too large, or does not match its byte order mark.
    """
    name = shown or str(path)
    try:
        size = path.stat().st_size
        if size > 4 * LONGEST_RULES_CHARS:
            raise SuppleError(f"{name}: expected a rule file, got one of {size:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise SuppleError(f"{name}: cannot read the rules: {error.strerror or error}") from error
    return decoded(data, name).replace("\r\n", "\n").replace("\r", "\n")


def decoded(data: bytes, name: str) -> str:
    """Bytes of a text file as a string.

    Raises:
        SuppleError: The bytes do not match their byte order mark.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise RuleError(
                    name,
                    s.At(1, 1),
                    f"expected {encoding.upper()} after its byte order mark ({error.reason})",
                ) from None
    if len(data) > 3 and len(data) % 2 == 0:
        for first, encoding in ((0, "utf-16-be"), (1, "utf-16-le")):
            if data[first::2].count(0) > 0.4 * len(data) / 2 and data[1 - first :: 2].count(0) == 0:
                try:
                    return data.decode(encoding)
                except UnicodeDecodeError:
                    break
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # Five bytes have no meaning in Windows-1252; Latin-1 gives every byte one.
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            return data.decode("latin-1")
