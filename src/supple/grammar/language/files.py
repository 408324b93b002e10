"""Reading rule files, and finding imported ones without leaving the folder."""

from __future__ import annotations

from pathlib import Path

from supple.errors import SuppleError
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import RuleError
from supple.grammar.language.parser import LONGEST


def read_rules(path: Path) -> str:
    """The text of a rule file, with Unix line ends.

    Raises:
        SuppleError: The file cannot be read, is too large or is not UTF-8.
    """
    try:
        if path.stat().st_size > 4 * LONGEST:
            raise SuppleError(
                f"{path}: expected a rule file, got one of {path.stat().st_size:,} bytes"
            )
        data = path.read_bytes()
    except OSError as error:
        raise SuppleError(f"{path}: cannot read the rules: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        at = s.At(before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        found = "UTF-16" if wide else f"the byte 0x{data[error.start]:02x}"
        raise RuleError(str(path), at, f"expected UTF-8 text, got {found}") from error


def imported_path(name: str, folder: Path | None, home: Path | None) -> Path:
    """The file that an import names.

    Args:
        name: The path as written in the import.
        folder: The importing file's folder; None for rules given as text.
        home: The folder that all files must be in; searched after `folder`.

    Raises:
        SuppleError: The path leads outside `home`, or there is no such file.
    """
    if folder is None or home is None:
        raise SuppleError(f"rules given as text cannot import {name!r}")
    if Path(name).is_absolute() or "\\" in name:
        raise SuppleError(f"{name!r} is outside the rule file's folder")
    for start in (folder, home):
        path = (start / name).resolve()
        if not path.is_relative_to(home.resolve()):
            raise SuppleError(f"{name!r} is outside the rule file's folder")
        if path.is_file():
            return path
    raise SuppleError(f"there is no file {name!r} below {home}")
