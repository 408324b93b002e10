"""Plans: TOML files that say what to do with clips; the whole file is checked before anything runs."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.clips.clip_files import ClipFiles, find_clips, join_clips
from supple.apps.clips.journal import content_hash
from supple.apps.clips.keys import Table
from supple.apps.clips.reader import Reader
from supple.apps.clips.steps import STEPS, Retarget, Step
from supple.apps.motion.checks import Budgets
from supple.apps.motion.feet import UPS
from supple.errors import SuppleError, brief, one_of
from supple.toml import Document, placed, read

KEYS = ("include", "clips", "up", "loop", "motion", "reader", "budgets", "steps")
DEEPEST_INCLUDE = 16  # of plans; not tuned


@dataclass(frozen=True)
class Plan:
    """What to do with clips, in order.

    Attributes:
        steps: The steps, in order.
        budgets: How much of each kind of fault is allowed.
        clips: Files, patterns and folders that the plan names.
        up: The axis that points up; None for the file's own.
        loop: Whether clips are loops; None to take it from the files.
        motion: Which motion of a file: its name, or "all"; None for the first.
        reader: How clips are read.
        path: Of the TOML file; None without one.
        hashes: Of the plan and of all included plans.
    """

    steps: tuple[Step, ...] = ()
    budgets: Budgets = field(default_factory=Budgets)
    clips: ClipFiles = field(default_factory=ClipFiles)
    up: str | None = None
    loop: bool | None = None
    motion: str | None = None
    reader: Reader = field(default_factory=Reader)
    path: Path | None = None
    hashes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.up is not None:
            one_of("up axis", self.up, UPS)

    @property
    def digest(self) -> str:
        """A hash of everything that determines what the plan does."""
        own = [self.hashes, self.budgets.to_json(), self.up, self.loop, self.motion]
        own += [self.reader.digest]
        own += [step.digest for step in self.steps]
        return hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()

    @property
    def ending(self) -> str | None:
        """The extension of results; None for that of each clip."""
        onto = [step for step in self.steps if isinstance(step, Retarget)]
        return onto[-1].ending if onto else None

    def reads(self, file: Path) -> tuple[Path, ...]:
        """A clip, and other files that steps read for this clip only."""
        return (file, *(path for step in self.steps for path in step.reads(file)))

    def check_files(self) -> None:
        """Raise if a file that steps name is not valid, with the line of the plan."""
        for step in self.steps:
            with placed(step.where):
                step.check_files()

    def check_names(self, character: Character, motion: Motion) -> None:
        """Raise if a step names joints that a clip does not have.

        Raises:
            SuppleError: With the line of the plan and the nearest valid name.
        """
        for step in self.steps:
            if step.replaces:
                return  # later steps have another skeleton
            step.check_names(character, motion)


def load_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan, and the plans it includes.

    Raises:
        SuppleError: A file cannot be read, or a key, a step or a value is not valid. With file and line.
    """
    return _load(Path(path), ())


def _load(path: Path, above: tuple[Path, ...]) -> Plan:
    document = read(path)
    here = path.resolve()
    for key in document.data:
        document.one_of((key,), "key of a plan", key, KEYS)
    included = [_load_included(document, k, name, (*above, here))
                for k, name in enumerate(_names(document, "include"))]  # fmt: skip
    steps = [step for one in included for step in one.steps]
    clips = [one.clips for one in included]
    hashes = [text for one in included for text in one.hashes]
    settings: dict[str, Any] = {}
    for one in included:
        settings |= {key: value for key in ("up", "loop", "motion")
                     if (value := getattr(one, key)) is not None}  # fmt: skip
    budgets = next((one.budgets for one in reversed(included) if one.budgets != Budgets()), None)
    reader = next((one.reader for one in reversed(included) if one.reader != Reader()), None)
    settings |= _settings(document)
    if "reader" in document.data:
        keys = ("reader",)
        reader = Reader.read(document.table(keys), Table(document, keys))
    clips.append(_clips(document))
    if "budgets" in document.data:
        budgets = _budgets(document)
    given = document.data.get("steps", [])
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise document.error(("steps",), "expected tables, each under [[steps]]")
    steps += [_step(document, k) for k in range(len(given))]
    hashes.append(content_hash(path) or "")
    return Plan(tuple(steps), budgets or Budgets(), join_clips(clips), path=path,
                reader=reader or Reader(), hashes=tuple(hashes), **settings)  # fmt: skip


def _names(document: Document, key: str) -> Sequence[str]:
    given = document.data.get(key, [])
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise document.error((key,), f"expected names of files, got {brief(given)}")
    return given


def _load_included(document: Document, k: int, name: str, above: tuple[Path, ...]) -> Plan:
    keys = ("include", k)
    path = document.path.parent / name
    if path.resolve() in above:
        raise document.error(keys, f"expected another plan, got {name!r}, which includes this one")
    if len(above) >= DEEPEST_INCLUDE:
        raise document.error(
            keys, f"expected at most {DEEPEST_INCLUDE} plans that include each other"
        )
    if not os.path.isfile(path):
        raise document.error(keys, f"there is no file {str(path)!r}")
    return _load(path, above)


def _settings(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    data = document.data
    if "up" in data:
        found["up"] = document.one_of(("up",), "up axis", data["up"], UPS)
    if "loop" in data:
        if not isinstance(data["loop"], bool):
            raise document.error(("loop",), f"expected true or false, got {brief(data['loop'])}")
        found["loop"] = data["loop"]
    if "motion" in data:
        if not isinstance(data["motion"], str):
            raise document.error(("motion",), f"expected a name, got {brief(data['motion'])}")
        found["motion"] = data["motion"]
    return found


def _clips(document: Document) -> ClipFiles:
    parts: list[ClipFiles] = []
    for k, pattern in enumerate(_names(document, "clips")):
        with placed(document.where(("clips", k))):
            found = find_clips(Path(pattern), document.path.parent)
        if not all(file.is_file() for file in found) or not found:
            raise document.error(("clips", k), f"no file is called or matches {pattern!r}")
        parts.append(found)
    return join_clips(parts)


def _budgets(document: Document) -> Budgets:
    given = document.data["budgets"]
    if isinstance(given, str):
        path = document.path.parent / given
        if not os.path.isfile(path):
            raise document.error(("budgets",), f"there is no file {str(path)!r}")
        return Budgets.load(path)
    return Budgets.from_table(document, ("budgets",))


def _step(document: Document, k: int) -> Step:
    keys = ("steps", k)
    table = document.table(keys)
    if "do" not in table:
        raise document.error(keys, f"expected do = one of {', '.join(map(repr, STEPS))}, got none")
    if not isinstance(table["do"], str):
        raise document.error(
            (*keys, "do"), f"expected the name of a step, got {brief(table['do'])}"
        )
    kind = document.one_of((*keys, "do"), "step", table["do"], tuple(STEPS))
    try:
        given = {name: value for name, value in table.items() if name != "do"}
        return STEPS[kind].read(given, Table(document, keys))
    except SuppleError as error:
        if str(error).startswith(str(document.path)):
            raise
        raise SuppleError(f"{document.where(keys)}: {error}") from None
