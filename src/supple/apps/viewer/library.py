"""The files that were opened in the playground, and the uploads they came from."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supple import files
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.formats import load
from supple.apps.formats.xacro.arguments import reader_options
from supple.apps.viewer.grammar_rules import Rules
from supple.apps.viewer.messages import Grown
from supple.apps.viewer.subject import Subject, character_subject, grown_subject, skeleton_subject
from supple.apps.viewer.uploads import Upload, is_motion, without_folder
from supple.errors import SuppleError, brief, one_of
from supple.model.skeleton import Pose, Skeleton
from supple.solve.solution import Solution
from supple.solve.trace import Trace

MOST_AT_ONCE = 4  # files of an upload that are received at the same time
MOST_SUBJECTS = 24  # the oldest is dropped first
MOST_UPLOADS = 8  # unfinished ones; the oldest that receives nothing is dropped first


class Library:
    """Subjects by id, and the folders of uploads. Thread-safe."""

    def __init__(self) -> None:
        self._subjects: OrderedDict[str, Subject] = OrderedDict()
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._uploads: OrderedDict[str, Upload] = OrderedDict()

    def add(self, make: Callable[[str], Subject]) -> str:
        """Make a subject for a new id and keep it; return the id."""
        number = secrets.token_hex(6)
        subject = make(number)
        with self._lock:
            self._subjects[number] = subject
            while len(self._subjects) > MOST_SUBJECTS:
                _, oldest = self._subjects.popitem(last=False)
                self._forget(oldest)
        return number

    def _forget(self, subject: Subject) -> None:
        """Remove the upload folder of a subject's rules; other folders are not touched."""
        folder = self._folder
        home = subject.rules.home if subject.rules is not None else None
        if folder is not None and home is not None and home.is_relative_to(folder):
            shutil.rmtree(folder / home.relative_to(folder).parts[0], ignore_errors=True)

    def subject(self, number: str) -> Subject:
        """The subject of an id."""
        with self._lock:
            if number in self._subjects:
                return self._subjects[number]
        raise SuppleError("this file is no longer open here; drop it on the page once more")

    # Uploads --------------------------------------------------------------------------------------

    def upload(self, number: str | None = None) -> Upload:
        """A new upload, or the one of an id.

        Raises:
            SuppleError: There is no upload of that id, or files of too many are being received.
        """
        with self._lock:
            if number is not None:
                if number not in self._uploads:
                    raise SuppleError("upload: expected the number of an upload")
                return self._uploads[number]
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="supple-")).resolve()
                # In case `close` is not called, as at the end of a script.
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            while len(self._uploads) >= MOST_UPLOADS:
                idle = next((one for one in self._uploads.values() if not one.receiving), None)
                if idle is None:
                    raise SuppleError(
                        f"upload: files of {MOST_UPLOADS} uploads are being received, and no more are "
                        "accepted at once; try again when one of them has ended"
                    )
                self._uploads.pop(idle.number).remove()
            number = secrets.token_hex(6)
            upload = self._uploads[number] = Upload(number, self._folder / number)
            upload.folder.mkdir()
        return upload

    @contextmanager
    def receiving(self, upload: Upload) -> Iterator[None]:
        """While a file of an upload is being received: it is not dropped in favor of others.

        Raises:
            SuppleError: The upload was dropped, or `MOST_AT_ONCE` of its files are being received.
        """
        with self._lock:
            if upload.number not in self._uploads:
                raise SuppleError("upload: expected the number of an upload")
            if upload.receiving >= MOST_AT_ONCE:
                raise SuppleError(
                    f"upload: {MOST_AT_ONCE} of its files are being received, and no more are "
                    "accepted at once"
                )
            upload.receiving += 1
        try:
            yield
        finally:
            with self._lock:
                upload.receiving -= 1

    def drop(self, upload: Upload) -> None:
        """Remove an upload and its files."""
        with self._lock:
            self._uploads.pop(upload.number, None)
        upload.remove()

    def open(self, upload: Upload, model: str = "") -> str:
        """Open a model of an upload and end the upload; return the id of the subject.

        Args:
            upload: The upload.
            model: Which of `upload.models` to open, as named by `upload.shown`; "" for the first.

        Raises:
            SuppleError: It cannot be read; the message is that of the reader.
        """
        kept = False
        home = upload.home
        try:
            names = {upload.shown(path): path for path in upload.models}
            main = names[one_of("file", model, names)] if model else upload.models[0]
            upload.put_in_place(main)
            beside = [p for p in upload.files if p.is_relative_to(main.parent) and p != main]
            motions = [p for p in beside if p.suffix.lower() == ".smd" and is_motion(p)]
            number = self.open_file(main, motions=motions, home=home)
            kept = main.suffix.lower() == ".cga"  # grown again, with what lies beside it
            return number
        except SuppleError as error:
            raise SuppleError(without_folder(str(error), home)) from error
        finally:
            with self._lock:
                self._uploads.pop(upload.number, None)
            if not kept:
                upload.remove()

    def open_file(
        self,
        path: Path,
        *,
        motions: list[Path] | None = None,
        home: Path | None = None,
        folder: Path | None = None,
        xacro_arguments: Sequence[str] = (),
    ) -> str:
        """Open a file; return the id of the subject.

        Args:
            path: The file.
            motions: More files whose motions are added.
            home: The folder of an upload: contains the files it refers to, and is not shown to the page.
            folder: The folder that must contain the files it refers to, otherwise; as `load` has it.
            xacro_arguments: Of a .xacro file, NAME:=VALUE each.

        Raises:
            SuppleError: It cannot be read, or there are motions for what has none: rules, or a JSON file.
        """
        ending = path.suffix.lower()
        arguments = reader_options(path, xacro_arguments)
        if motions and ending in (".json", ".cga"):
            raise SuppleError(
                f"{path}: expected a character or robot for the motion {motions[0]}, got a {ending} file"
            )
        if ending == ".json":
            value = read_json(path)
        elif ending == ".cga":
            rules = Rules(path, path.name, home or path.parent)
            return self.add(lambda number: grown_subject(rules, Grown(), name=f"file:{number}"))
        else:
            is_robot = ending in (".urdf", ".xacro", ".xml")
            options: dict[str, Any] = (
                {"meshes": True} if is_robot and find_spec("trimesh") is not None else {}
            )
            value = load(path, motions=motions or [], folder=home or folder, **options, **arguments)
        if home is not None and isinstance(
            value, Character
        ):  # do not show server paths to the page
            notes = [replace(note, text=without_folder(note.text, home)) for note in value.notes]
            value = value.with_(notes=tuple(notes))
        return self.open_object(value, title=path.name)

    def open_object(self, value: Any, *, title: str | None = None) -> str:
        """Keep a character, skeleton, pose, solution, motion, trace or growth; return its id."""
        return self.add(lambda number: subject_of(value, key=f"file:{number}", title=title))

    def close(self) -> None:
        """Remove the folders of all uploads."""
        with self._lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def subject_of(value: Any, *, key: str, title: str | None = None) -> Subject:
    """The subject that shows a character, skeleton, pose, solution, motion, trace or growth."""
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
        value = make()  # a Growth; checked by attribute, so that the grammar is not imported
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
    """Read a JSON file of supple: a trace, solution, pose, skeleton or motion."""
    data = files.read_json(path)
    readers = {
        "supple-trace": Trace.from_json,
        "supple-solution": Solution.from_json,
        "supple-pose": Pose.from_json,
        "supple-skeleton": Skeleton.from_json,
        "supple-motion": Motion.from_json,
    }
    kind = data.get("format") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in readers:
        expected = ", ".join(readers)
        raise SuppleError(f"{path}: expected a file of {expected}, got format {brief(kind)}")
    try:
        return readers[kind](data)
    except SuppleError as error:
        raise SuppleError(f"{path}: {error}") from error
