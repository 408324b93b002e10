"""Find clips from files, patterns and folders, and the paths of their results.

Results keep the paths of the clips below their common folder.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from supple.apps.formats.registry import format_for_writing, holds_motions, motion_extensions
from supple.errors import SuppleError
from supple.files import as_path


@dataclass(frozen=True)
class _Entry:
    """A file, the folder of the search, and whether the file was found there or was given by name."""

    file: Path
    base: Path
    found: bool


@dataclass(frozen=True)
class ClipFiles:
    """Clips in order, each once.

    Attributes:
        entries: The clips.
        passed: Files in folders whose format has no motions.
    """

    entries: tuple[_Entry, ...] = ()
    passed: tuple[_Entry, ...] = ()

    def __iter__(self) -> Iterator[Path]:
        return (one.file for one in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def skipped(self) -> int:
        """The number of files in folders whose format has no motions."""
        return len(self.passed)

    @cached_property
    def root(self) -> str:
        """The common folder of all clips, absolute; a single given folder itself."""
        return common_folder([one.base for one in self.entries])

    def name(self, file: Path) -> Path:
        """The path of a clip below the common folder."""
        return Path(os.path.relpath(os.path.abspath(file), self.root))

    def outside(self, folder: Path | None) -> ClipFiles:
        """The clips without those found in an output folder that lies in a folder of clips.

        Raises:
            SuppleError: No clips are left.
        """
        if folder is None:
            return self
        real = cache(lambda path: Path(os.path.realpath(path)))
        results = real(folder)

        def stays(one: _Entry) -> bool:
            base = real(one.base)
            inside = results != base and results.is_relative_to(base)
            return not (one.found and inside and real(one.file.parent).is_relative_to(results))

        kept = ClipFiles(tuple(filter(stays, self.entries)), tuple(filter(stays, self.passed)))
        if self.entries and not kept.entries:
            raise SuppleError(f"{folder}: expected clips outside the folder for results, got none")
        return kept


def common_folder(folders: Sequence[Path]) -> str:
    """The deepest common parent of some folders, absolute."""
    absolute = {os.path.abspath(folder) for folder in folders}
    try:
        return os.path.commonpath(absolute)
    except ValueError:  # Windows
        drives = ", ".join(sorted({os.path.splitdrive(one)[0] for one in absolute}))
        raise SuppleError(f"expected clips on one drive, got clips on {drives}") from None


def same_clip(folder: Path, file: Path) -> Path:
    """The file in a folder with the name of a clip, in the same subfolders if they exist.

    The subfolders distinguish clips of one name. If there is no such file, the path is the clip's name in the folder.
    The clip itself, which may lie in the folder, does not count.
    """
    parts, own = file.absolute().parts[1:], os.path.realpath(file)
    for first in range(len(parts)):
        path = folder.joinpath(*parts[first:])
        if path.is_file() and os.path.realpath(path) != own:
            return path
    return folder / file.name


def join_clips(parts: Iterable[ClipFiles]) -> ClipFiles:
    """Clips of several searches, each once."""
    entries: dict[str, _Entry] = {}
    passed: dict[str, _Entry] = {}
    for part in parts:
        for into, many in ((entries, part.entries), (passed, part.passed)):
            for one in many:
                into.setdefault(os.path.abspath(one.file), one)
    return ClipFiles(tuple(entries.values()), tuple(passed.values()))


def find_clips(given: Path, folder: Path = Path()) -> ClipFiles:
    """The clips named by a file, a pattern such as clips/**/*.bvh, or a folder with its subfolders.

    Folders give the files whose formats hold motions; hidden files and folders are skipped. A pattern that
    matches nothing gives no clips, and a file need not exist.

    Args:
        given: A path or pattern.
        folder: The folder it is relative to; brackets in its name have no special meaning.

    Raises:
        SuppleError: A folder holds no clips, or cannot be read.
    """
    path = as_path("clips", folder / given)
    if path.is_dir():
        return _in_folder(path, path)
    if not glob.has_magic(str(given)) or path.exists():
        return ClipFiles((_Entry(path, path.parent, False),))
    base = folder.joinpath(*_before_magic(given.parts))
    found = glob.glob(str(given), root_dir=folder, recursive=True)
    matching = (folder / one for one in sorted(found))
    return join_clips(
        _in_folder(one, base, must=False) if one.is_dir() else ClipFiles((_Entry(one, base, True),))
        for one in matching
    )


def _before_magic(parts: tuple[str, ...]) -> list[str]:
    """The folders of a pattern before the first part with a wildcard."""
    first = next(k for k, part in enumerate(parts) if glob.has_magic(part))
    return list(parts[:first])


def _in_folder(folder: Path, base: Path, *, must: bool = True) -> ClipFiles:
    """The clips in a folder and below it, in order of their paths.

    Args:
        folder: Where to look.
        base: What the clips' names are relative to.
        must: True to raise an error if there are none.
    """
    clips: list[_Entry] = []
    passed: list[_Entry] = []
    taken = cache(holds_motions)  # looking for plug-ins takes 10 ms
    for file in sorted(_files_below(folder)):
        (clips if taken(file.suffix.lower()) else passed).append(_Entry(file, base, True))
    if must and not clips:
        known = ", ".join(motion_extensions())
        got = f"{len(passed)} others" if passed else "none"
        raise SuppleError(f"{folder}: expected clips in this folder ({known}), got {got}")
    return ClipFiles(tuple(clips), tuple(passed))


def _files_below(folder: Path) -> Iterator[Path]:
    """All visible files below a folder; links to folders are followed, and each folder is read once."""
    read: set[str] = set()

    def refuse(error: OSError) -> None:
        raise SuppleError(f"{error.filename}: cannot read this folder: {error.strerror}") from error

    for here, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        real = os.path.realpath(here)
        if real in read:
            folders.clear()
            continue
        read.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here, name) for name in names if not name.startswith("."))


def expanded(files: Sequence[Path], folder: Path | None = None) -> ClipFiles:
    """The files, those in folders, and those of patterns such as clips/*.bvh that the shell did not expand.

    Args:
        files: Files, folders and patterns.
        folder: The output folder; clips found in it are left out.
    """
    parts = []
    for file in files:
        found = find_clips(file)
        if not found:
            raise SuppleError(f"{file}: expected a pattern of some files, got none that match")
        parts.append(found)
    return join_clips(parts).outside(folder)


def result_paths(
    files: ClipFiles,
    folder: Path,
    *,
    ending: str | None = None,
    naming: Callable[[Path], str] | None = None,
) -> list[tuple[Path, Path]]:
    """Pair each file with its output path; creates the folders.

    The output path is the file's path below the common folder of all files, in the output folder.

    Args:
        files: The input files.
        folder: The output folder.
        ending: Extension of the results, such as ".glb"; None for that of each file.
        naming: Maps a file to the name of its result; by default the file's own name.

    Raises:
        SuppleError: Two files have the same output path, or one would overwrite its input.
    """
    as_path("--out-dir", folder)
    if folder.exists() and not folder.is_dir():
        raise SuppleError(f"{folder}: expected a folder, got a file")
    pairs: dict[Path, Path] = {}
    for file in files:
        inside = folder / files.name(file).parent
        if naming is not None:
            path = inside / naming(file)
        else:
            path = inside / (file.name if ending is None else file.stem + ending)
            format_for_writing(path)
        if file.resolve() == path.resolve():
            raise SuppleError(f"--out-dir: expected another folder than that of {file}")
        if path in pairs:
            raise SuppleError(f"--out-dir: expected files of different names, got {pairs[path]} "
                              f"and {file}, which both go to {path.relative_to(folder)}")  # fmt: skip
        pairs[path] = file
    for inside in dict.fromkeys([folder, *(path.parent for path in pairs)]):
        try:
            inside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SuppleError(f"{inside}: cannot make this folder: {error.strerror}") from error
    return [(file, path) for path, file in pairs.items()]
