"""Rule packages (.rpk): 7z or zip archives with rules, assets and compiled rules.

The rules and assets are unpacked to a temporary folder that is deleted with the package; the compiled rules
(`bin/*.cgb`) are not used. An archive is refused if a name in it leads outside, or a size or count is beyond the
limits.
"""

from __future__ import annotations

import io
import shutil
import tempfile
import weakref
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from supple.apps.grammar.language import seven_zip
from supple.errors import SuppleError

SUFFIX = ".rpk"
LARGEST_PACKAGE_BYTES = 256 << 20  # not tuned
LONGEST_NAME_CHARS = 500  # not tuned
RULES = ".cga"
COMPILED = ".cgb"
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError,
)  # fmt: skip
"""Errors of `zipfile` about an archive's bytes."""


class Package:
    """An unpacked rule package.

    Args:
        path: The .rpk file.

    Attributes:
        name: The file's name.
        folder: The folder with its files; deleted with this object.
        rules: The main rule file in that folder.

    Raises:
        SuppleError: The archive is damaged, too large, has names that lead outside it, or no rules.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            files = _files(path)
        except SuppleError as error:
            raise SuppleError(f"{path}: {error}") from None
        main = _main(files, path)
        self.folder = Path(tempfile.mkdtemp(prefix="supple-")).resolve()
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        for name, content in files.items():
            if name.suffix.lower() != COMPILED:
                target = self.folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        self.rules = self.folder / main


def _files(path: Path) -> dict[PurePosixPath, bytes]:
    try:
        size = path.stat().st_size
        if size > LARGEST_PACKAGE_BYTES:
            raise SuppleError(
                f"expected a package of at most {LARGEST_PACKAGE_BYTES:,} bytes, got {size:,}"
            )
        data = path.read_bytes()
    except OSError as error:
        raise SuppleError(f"cannot read the package: {error.strerror or error}") from error
    if data[:6] == seven_zip.SIGNATURE:
        found = seven_zip.unpacked(data)
    elif data[:4] == b"PK\x03\x04":
        found = _from_zip(data)
    else:
        raise SuppleError("expected a rule package, a 7z or zip archive, got other bytes")
    files: dict[PurePosixPath, bytes] = {}
    for name, content in found.items():
        inside = _checked(name)
        if inside in files:
            raise SuppleError(f"the archive has two files {name!r}")
        files[inside] = content
    for one in files:
        if any(above in files for above in one.parents):
            raise SuppleError(f"{str(one)!r} lies in a file of the archive, not in a folder")
    return files


def _checked(name: str) -> PurePosixPath:
    """A name in the archive as a path that stays inside it."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    bad = (
        not parts
        or len(name) > LONGEST_NAME_CHARS
        or path.is_absolute()
        or ".." in parts
        or any(ord(c) < 32 or c in ':*?"<>|' for c in str(path))
    )
    if bad:
        shown = name if len(name) < 80 else name[:77] + "..."
        raise SuppleError(f"the archive has a file {shown!r}, which is not a name inside it")
    return path


def _from_zip(data: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            if len(entries) > seven_zip.MOST_FILES:
                raise SuppleError(
                    f"expected at most {seven_zip.MOST_FILES:,} files, got {len(entries):,}"
                )
            left = seven_zip.LARGEST_TOTAL
            for entry in entries:
                with archive.open(entry) as stream:
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise SuppleError(
                        f"expected at most {seven_zip.LARGEST_TOTAL:,} bytes unpacked"
                    )
                if entry.filename in found:
                    raise SuppleError(f"the archive has two files {entry.filename!r}")
                found[entry.filename] = content
    except DAMAGED as error:
        raise SuppleError(f"the archive is damaged or encrypted ({error})") from None
    return found


def _main(files: dict[PurePosixPath, bytes], path: Path) -> PurePosixPath:
    """The rule file that the package was made for: the one compiled under its own name."""
    rules = sorted(one for one in files if one.suffix.lower() == RULES)
    if not rules:
        what = "only compiled rules" if any(one.suffix == COMPILED for one in files) else "none"
        raise SuppleError(f"{path}: expected rules (.cga) in the package, got {what}")
    compiled = {one.with_suffix("").parts[1:] for one in files if one.suffix == COMPILED}
    own = [one for one in rules if one.with_suffix("").parts[1:] in compiled] or rules
    marked = [one for one in own if b"@startrule" in files[one].lower()] or own
    return marked[0]
