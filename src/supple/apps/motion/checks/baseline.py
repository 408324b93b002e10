"""Baselines: stored reports of `supple check --json`, whose faults are known and no longer count."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from supple.apps.motion.checks.budgets import Budgets
from supple.apps.motion.checks.check import FORMAT, FORMAT_VERSION, Checked
from supple.apps.motion.checks.measure import KINDS, WORSE_TIMES, Fault
from supple.errors import SuppleError
from supple.files import as_path
from supple.model.skeleton import check_format

# A fault nearer to a known one than this is the same fault, and may last this much longer [s]; not tuned.
MOVED_TIME = 0.1


@dataclass(frozen=True)
class _Known:
    """The part of a report about one motion."""

    file: str
    motion: str
    frames: int
    budgets: Mapping[str, Any] | None
    faults: tuple[Fault, ...]


class Baseline:
    """The faults in a stored report.

    Args:
        path: A JSON file: what `supple check --json` prints, or a file of `supple check --out-dir`.

    Raises:
        SuppleError: The file cannot be read, is not such a report, or is one of another version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path("report", path)
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise SuppleError(f"{self.path}: cannot read the report: {error}") from None
        try:
            self._known = list(_motions(data))
        except SuppleError as error:
            raise SuppleError(f"{self.path}: {error}") from None

    def check_clips(self, files: Iterable[Path]) -> None:
        """Raise if the report covers none of these clips."""
        given = list(files)
        if not any(self._of(file) for file in given):
            raise SuppleError(
                f"{self.path}: expected a report on some of the clips, {_listed(given)}, got one on "
                f"{_listed(dict.fromkeys(one.file for one in self._known))}"
            )

    def applied(self, report: Checked, file: Path) -> Checked:
        """The report on a motion of a clip, with faults that are known, and not worse, accepted.

        A clip that is not in the baseline, or has another number of frames there, has no known faults; a note says so.

        Raises:
            SuppleError: The baseline was made with other budgets.
        """
        ours = self._of(file)
        name = report.motion.name
        same = [one for one in ours if one.motion == name] or (ours if len(ours) == 1 else [])
        if not same:
            why = f"{file.name}: not in {self.path.name}: all its faults count"
            return replace(report, accepted=(), remarks=(*report.remarks, why))
        (old,) = same[:1]
        if old.frames != len(report.motion):
            why = (
                f"{file.name}: {len(report.motion)} frames, {old.frames} in {self.path.name}: "
                "all its faults count"
            )
            return replace(report, accepted=(), remarks=(*report.remarks, why))
        self._check_budgets(old, report.budgets)
        slack = report.clip.frames(MOVED_TIME)
        known = tuple(fault for fault in report.faults if _is_known(fault, old.faults, slack))
        return replace(report, accepted=known)

    def _of(self, file: Path) -> list[_Known]:
        """The known motions of a clip: those of the file with the longest common end of the path.

        Raises:
            SuppleError: Several files share it.
        """
        named = {one.file: _alike(PurePath(one.file), file) for one in self._known}
        most = max(named.values(), default=0)
        best = [name for name, count in named.items() if count == most]
        if most == 0:
            return []
        if len(best) > 1:
            raise SuppleError(
                f"{self.path}: {file}: expected one clip of that name, got {_listed(best)}"
            )
        return [one for one in self._known if one.file == best[0]]

    def _check_budgets(self, old: _Known, budgets: Budgets) -> None:
        if old.budgets is None:
            return
        now = budgets.to_json()
        unchecked = {kind for kind in KINDS if now[kind] is None}
        for name, value in now.items():
            if name not in unchecked and old.budgets.get(name) != value:
                raise SuppleError(
                    f"{self.path}: expected a report with the same budgets, {name} = {value}, "
                    f"got {name} = {old.budgets.get(name)}; make it anew"
                )


def _motions(data: Any) -> Iterable[_Known]:
    """The part of a report about each motion of each clip."""
    rows = data["files"] if isinstance(data, Mapping) and "files" in data else [data]
    expected = "expected what supple check --json prints"
    if not isinstance(rows, list) or not rows:
        raise SuppleError(f"{expected}, got {_short(rows)}")
    for row in rows:
        if not isinstance(row, Mapping) or "file" not in row:
            raise SuppleError(f"{expected}, with a file for each clip, got {_short(row)}")
        if "failed" in row:
            continue
        if not isinstance(row.get("motions"), list):
            raise SuppleError(f"{expected}, with the motions of {row['file']!r}, got none")
        for one in row["motions"]:
            check_format(one, FORMAT, FORMAT_VERSION)
            try:
                faults = [Fault.from_json(each) for each in (*one["faults"], *one.get("known", ()))]
                budgets = one.get("budgets")
                yield _Known(str(row["file"]), str(one["motion"]), int(one["frames"]), budgets,
                             tuple(faults))  # fmt: skip
            except (KeyError, TypeError, ValueError) as error:
                raise SuppleError(f"{expected}, got a report without {error}") from None


def _is_known(fault: Fault, old: Sequence[Fault], slack: int) -> bool:
    """True if a fault is known: same kind and joint, same frames, and not worse."""
    same = [
        one
        for one in old
        if one.kind == fault.kind
        and (fault.joint in one.joints or fault.joint == one.joint)
        and fault.start < one.stop + slack
        and fault.stop > one.start - slack
    ]
    if not same:
        return False
    long = sum(one.stop - one.start for one in same)
    return (
        fault.value <= WORSE_TIMES * max(one.value for one in same)
        and fault.stop - fault.start <= WORSE_TIMES * long + slack
    )


def _alike(one: PurePath, other: PurePath) -> int:
    """The number of parts at the end that two paths have in common."""
    count = 0
    for a, b in zip(reversed(one.parts), reversed(other.parts), strict=False):
        if a != b:
            break
        count += 1
    return count


def _listed(names: Iterable[Any], most: int = 3) -> str:
    given = [str(name) for name in names]
    return ", ".join(given[:most]) + (f", ... ({len(given)} in all)" if len(given) > most else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
