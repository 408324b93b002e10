"""Files that people opened: received into a folder of their own, read, kept for the session's life."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supple.character import Character
from supple.errors import SuppleError
from supple.formats import FORMATS, load
from supple.motion import Motion
from supple.pose import Pose
from supple.skeleton import Skeleton
from supple.solution import Solution
from supple.trace import Trace
from supple.viewer.growing import Rules
from supple.viewer.messages import Grown
from supple.viewer.scenes import Subject, character_subject, grown_subject, skeleton_subject

UPLOAD_LIMIT = 64 * 1024 * 1024
KEPT = 24  # subjects; the oldest goes first
MAIN = (".cga", ".gltf", ".glb", ".urdf", ".character", ".json", ".bvh", ".smd")
"""Of several files dropped together, the one whose ending comes first holds the others."""


class Library:
    """Subjects by number, and the folders of uploads. Safe to use from several threads."""

    def __init__(self) -> None:
        self._subjects: OrderedDict[str, Subject] = OrderedDict()
        self._lock = threading.Lock()
        self._folder: Path | None = None

    def add(self, make: Callable[[str], Subject]) -> str:
        """Keep what `make` gives for a number; gives the number."""
        number = secrets.token_hex(6)
        subject = make(number)
        with self._lock:
            self._subjects[number] = subject
            while len(self._subjects) > KEPT:
                _, oldest = self._subjects.popitem(last=False)
                self._forget(oldest)
        return number

    def _forget(self, subject: Subject) -> None:
        """Remove the folder of rules that were received; those of others are not ours."""
        folder = subject.rules.path.parent if subject.rules is not None else None
        if folder is not None and self._folder is not None and folder.parent == self._folder:
            shutil.rmtree(folder, ignore_errors=True)

    def subject(self, number: str) -> Subject:
        """What was kept under a number."""
        with self._lock:
            if number in self._subjects:
                return self._subjects[number]
        raise SuppleError("this file is no longer open here; drop it on the page once more")

    # Uploads --------------------------------------------------------------------------------------

    def folder(self, number: str | None = None) -> tuple[str, Path]:
        """A folder for the files of one upload: a new one, or that of a number."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="supple-"))
        number = number or secrets.token_hex(6)
        if not re.fullmatch("[0-9a-f]{12}", number):
            raise SuppleError("upload: expected the number of an upload")
        folder = self._folder / number
        folder.mkdir(exist_ok=True)
        return number, folder

    def open(self, folder: Path) -> str:
        """Read the files of an upload; gives the number of the subject.

        Raises:
            SuppleError: They cannot be read; the message is the reader's.
        """
        files = sorted(folder.iterdir())
        try:
            main = _main_file(files)
            _put_in_place(main, files)
            others = [path for path in files if path.suffix == ".smd" and path != main]
            number = self.open_file(main, motions=others)
            if main.suffix.lower() != ".cga":  # rules are grown again, with what lies beside them
                shutil.rmtree(folder, ignore_errors=True)
            return number
        except SuppleError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise SuppleError(str(error).replace(f"{folder}/", "")) from error

    def open_file(self, path: Path, *, motions: list[Path] | None = None) -> str:
        """Read a file of the machine; gives the number of the subject."""
        ending = path.suffix.lower()
        if ending == ".json":
            value = read_json(path)
        elif ending == ".cga":
            rules = Rules(path, path.name)
            return self.add(lambda number: grown_subject(rules, Grown(), name=f"file:{number}"))
        elif ending == ".urdf" and find_spec("trimesh") is not None:
            value = load(path, meshes=True)  # only those in its own folder
        else:
            value = load(path, motions=motions or [])
        return self.open_object(value, title=path.name)

    def open_object(self, value: Any, *, title: str | None = None) -> str:
        """Put a character, skeleton, pose, solution, motion, trace or growth on the stage."""
        return self.add(lambda number: subject_of(value, key=f"file:{number}", title=title))

    def close(self) -> None:
        """Remove the folders."""
        with self._lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def safe_name(name: str) -> str:
    """The last part of a path, with plain letters only, so that it stays in its folder."""
    last = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^\w.\- ]", "_", last).lstrip(".")[-100:]
    if not plain:
        raise SuppleError(f"upload: expected the name of a file, got {name[:60]!r}")
    return plain


def subject_of(value: Any, *, key: str, title: str | None = None) -> Subject:
    """What to put on the stage for an object of supple's."""
    if isinstance(value, Subject):
        return value
    if isinstance(value, Trace):
        name = title or f"Trace of {value.solver}"
        return skeleton_subject(
            value.skeleton, key=key, title=name, start=value.poses[0], trace=value
        )
    if isinstance(value, Solution):
        trace, pose = value.trace, value.pose
        return skeleton_subject(
            value.skeleton, key=key, title=title or "Solution", start=pose, trace=trace
        )
    if isinstance(value, Pose):
        pose = value[(0,) * len(value.batch_shape)] if value.batch_shape else value
        return skeleton_subject(pose.skeleton, key=key, title=title or "Pose", start=pose)
    if isinstance(value, Skeleton):
        return skeleton_subject(value, key=key, title=title or "Skeleton")
    if callable(make := getattr(value, "character", None)):
        value = make()  # what a grammar grew; its module is not loaded for anything else
    if isinstance(value, Character):
        return character_subject(value, key=key, title=title or "Character")
    if isinstance(value, Motion):
        subject = skeleton_subject(
            value.skeleton, key=key, title=title or value.name, start=value.poses[0]
        )
        return replace(subject, motions={value.name: value})
    raise SuppleError(
        "view: expected a Character, Skeleton, Pose, Solution, Motion, Trace or Growth, "
        f"got a {type(value).__name__}"
    )


def read_json(path: Path) -> Any:
    """A trace, solution, pose or skeleton that supple wrote."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SuppleError(f"{path}: cannot read it as JSON: {error}") from error
    readers = {
        "supple-trace": Trace.from_json,
        "supple-solution": Solution.from_json,
        "supple-pose": Pose.from_json,
        "supple-skeleton": Skeleton.from_json,
        "supple-motion": Motion.from_json,
    }
    kind = data.get("format") if isinstance(data, Mapping) else None
    if kind not in readers:
        raise SuppleError(f"{path}: expected a file of {', '.join(readers)}, got format {kind!r}")
    try:
        return readers[kind](data)
    except SuppleError as error:
        raise SuppleError(f"{path}: {error}") from error


def endings() -> list[str]:
    """How the names of files end that can be opened."""
    readable = [ending for one in FORMATS.values() if one.reader for ending in one.extensions]
    return [*dict.fromkeys([*readable, ".cga", ".json"])]


def _put_in_place(main: Path, files: list[Path]) -> None:
    """Give a file what it names in folders below its own: names came without their folders."""
    if main.suffix.lower() not in (".urdf", ".gltf"):
        return
    given = {one.name: one for one in files}
    text = main.read_text("utf-8", "replace")
    for way in re.findall(r'(?:filename|"uri")\s*[=:]\s*["\']([^"\'\0]{1,1000})["\']', text):
        way = re.sub(r"^package://[^/]*/|^file://|^\./", "", way)
        found = given.get(re.split(r"[/\\]", way)[-1])
        if found is None:
            continue
        wanted = (main.parent / way).resolve()
        if wanted.is_relative_to(main.parent.resolve()) and not wanted.exists():
            with contextlib.suppress(OSError):  # then the reader says what it misses
                wanted.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(found, wanted)


def _rank(ending: str) -> int:
    return MAIN.index(ending) if ending in MAIN else len(MAIN)


def _main_file(files: list[Path]) -> Path:
    """The file that the others belong to.

    Of several SMD files it is the one with triangles, of several rule files one that none imports.
    """
    known = [path for path in files if path.suffix.lower() in endings()]
    if not known:
        given = ", ".join(path.name for path in files) or "nothing"
        raise SuppleError(f"expected a file ending in {', '.join(endings())}, got {given}")
    known.sort(key=lambda path: _rank(path.suffix.lower()))
    rules = [path for path in known if path.suffix.lower() == ".cga"]
    if len(rules) > 1:
        texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in rules}
        named = [
            one for one in rules if any(one.name in texts[other] for other in rules if other != one)
        ]
        return next((path for path in rules if path not in named), rules[0])
    meshes = [p for p in known if p.suffix.lower() == ".smd" and b"triangles" in p.read_bytes()]
    return meshes[0] if meshes and known[0].suffix.lower() == ".smd" else known[0]
