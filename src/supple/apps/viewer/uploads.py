"""Uploads: each in its own folder, which no path can leave."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator
from functools import cached_property
from pathlib import Path, PurePosixPath

from supple.apps.formats import foreign
from supple.apps.formats.registry import HEAD_BYTES, readable_extensions
from supple.errors import SuppleError

UPLOAD_LIMIT = 64 * 1024 * 1024  # size limit of all files of an upload [B]
STALL_TIMEOUT = 30.0  # an upload that sends nothing for this long is cancelled [s]
MOST_FILES = 2000
MOST_PARTS = 24  # of a path: folders, and the name of the file
LONGEST_NAME = 100  # characters of a file or folder
FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')  # characters that some system refuses in names
MAIN = (".cga", ".urdf", ".gltf", ".glb", ".vrm", ".character", ".json", ".bvh", ".smd")
"""Extensions of main files: of an upload, files of the first one found are the models."""


class Upload:
    """The files of an upload, in its own folder.

    Attributes:
        number: The id of the upload.
        folder: The folder of the files.
        size: Bytes received so far.
        receiving: Number of requests that are sending files of it now.
        removed: True once its folder was removed.
    """

    def __init__(self, number: str, folder: Path) -> None:
        self.number = number
        self.folder = folder
        self.size = 0
        self.receiving = 0
        self.removed = False
        self._files: set[Path] = set()

    def place(self, name: str) -> Path:
        """Create an empty file and the folders above it; return its path.

        Args:
            name: The path inside the upload, with slashes.

        Raises:
            SuppleError: The path leaves the folder or cannot be created, or there are too many files.
        """
        path = self.folder / safe_path(name)
        if path not in self._files and len(self._files) >= MOST_FILES:
            raise SuppleError(f"upload: more than {MOST_FILES:,} files at once are not accepted")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError as error:  # for example, a file in place of a folder
            raise SuppleError(f"upload: {name[:200]}: {error.strerror or error}") from error
        self._files.add(path)
        return path

    @property
    def files(self) -> list[Path]:
        """All files, sorted."""
        return sorted(self._files)

    @property
    def home(self) -> Path:
        """The innermost folder that contains all files."""
        home = self.folder
        while len(inside := list(home.iterdir())) == 1 and inside[0].is_dir():
            home = inside[0]
        return home

    @cached_property
    def models(self) -> list[Path]:
        """The files to open or choose from: main files that no other refers to. Call when complete.

        Raises:
            SuppleError: No file can be opened.
        """
        known = [path for path in self.files if path.suffix.lower() in endings()]
        if not known:
            given = [path.name for path in self.files]
            told = ", ".join(given[:6]) + (f" and {len(given) - 6} more" if len(given) > 6 else "")
            advice = "".join(f"; {one}" for one in _advice(self.files))
            raise SuppleError(
                f"expected a file ending in {', '.join(endings())}, got {told or 'nothing'}{advice}"
            )
        first = min(_rank(path) for path in known)
        best = [path for path in known if _rank(path) == first]
        if best[0].suffix.lower() == ".cga":
            return _not_imported(best)
        if best[0].suffix.lower() == ".smd":
            return [path for path in best if not is_motion(path)] or best[:1]
        return best

    def shown(self, path: Path) -> str:
        """The name of a file on the page: its path inside `home`."""
        return path.relative_to(self.home).as_posix()

    def put_in_place(self, main: Path) -> None:
        """Copy files to where the main file refers to them, if they were uploaded without folders."""
        if main.suffix.lower() not in (".urdf", ".gltf") or len({p.parent for p in self.files}) > 1:
            return
        given = {one.name: one for one in self.files}
        text = main.read_text("utf-8", "replace")
        for reference in re.findall(
            r'(?:filename|"uri")\s*[=:]\s*["\']([^"\'\0]{1,1000})["\']', text
        ):
            reference = re.sub(r"^package://[^/]*/|^file://|^\./", "", reference)
            found = given.get(re.split(r"[/\\]", reference)[-1])
            if found is None:
                continue
            wanted = (main.parent / reference).resolve()
            if wanted.is_relative_to(main.parent.resolve()) and not wanted.exists():
                with contextlib.suppress(OSError):  # the reader then reports the missing file
                    wanted.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(found, wanted)

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        self.removed = True
        shutil.rmtree(self.folder, ignore_errors=True)


async def flowing(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks of a body.

    Raises:
        TimeoutError: None came for a while.
    """
    while True:
        try:
            async with asyncio.timeout(STALL_TIMEOUT):
                chunk = await anext(chunks, None)
        except TimeoutError:
            raise TimeoutError(
                f"nothing more of it came for {STALL_TIMEOUT:.0f} s: the upload is cancelled"
            ) from None
        if chunk is None:
            return
        yield chunk


def safe_path(name: str) -> PurePosixPath:
    """A relative path with names that every system accepts.

    Raises:
        SuppleError: The path is empty or leaves the folder.
    """
    parts = re.split(r"[/\\]", name)
    plain = [FORBIDDEN.sub("_", part)[-LONGEST_NAME:].rstrip(". ") for part in parts]
    if ".." in parts or not all(plain) or len(parts) > MOST_PARTS:
        raise SuppleError(f"upload: expected the name of a file in a folder, got {name[:200]!r}")
    return PurePosixPath(*plain)


def without_folder(text: str, home: Path) -> str:
    """Remove the path of a folder from a message, to not show it to the page."""
    return text.replace(f"{home}/", "").replace(str(home), "the folder")


def endings() -> list[str]:
    """The extensions of files that can be opened."""
    return [*readable_extensions(), ".cga", ".json"]


def _advice(files: list[Path]) -> list[str]:
    """What to do with files of formats that are not read, each format once."""
    found = dict.fromkeys(foreign.recognized(path.suffix.lower(), _head(path)) for path in files)
    return [one.advice for one in found if one is not None]


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def is_motion(path: Path) -> bool:
    """True if an SMD file has no mesh, so is an animation."""
    return b"triangles" not in path.read_bytes()


def _rank(path: Path) -> int:
    ending = path.suffix.lower()
    return MAIN.index(ending) if ending in MAIN else len(MAIN)


def _not_imported(rules: list[Path]) -> list[Path]:
    """The rule files that no other imports; all of them if imports are circular."""
    named: set[str] = set()
    for path in rules:
        text = path.read_text(encoding="utf-8", errors="replace")
        imports = {
            imported.rpartition("/")[2] for imported in re.findall(r'"([^"\n]+\.cga)"', text)
        }
        named |= imports - {path.name}
    return [path for path in rules if path.name not in named] or rules
