"""One clip through a plan: read, every step, written. What workers run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.batch.plan import Plan
from supple.batch.steps import Work, quiet
from supple.errors import SuppleError
from supple.formats import load, save
from supple.formats.registry import format_for_writing
from supple.model.character import Character
from supple.motion import Correction
from supple.toml import placed

DONE, NOT_REACHED, BAD_INPUT = 0, 1, 2


@dataclass(frozen=True)
class Done:
    """What became of a clip: small, and to be sent between processes.

    Attributes:
        code: 0 done, 1 not reached or with faults, 2 failed.
        text: One line about it.
        data: The same as plain data.
    """

    code: int
    text: str
    data: dict[str, Any]


@dataclass(frozen=True)
class PlanOnClip:
    """Runs a plan on a clip and writes the result.

    Attributes:
        plan: What to do.
        options: Of `load`, such as fps.
        write: Whether a result is written.
    """

    plan: Plan
    options: tuple[tuple[str, Any], ...] = ()
    write: bool = True

    @property
    def digest(self) -> str:
        """A hash of what is done, whatever the clip."""
        return f"{self.plan.digest} {self.options!r} {self.write}"

    def __call__(self, file: Path, out: Path) -> Done:
        """Run the plan on a file, and write the result."""
        with quiet():
            character = load(file, **dict(self.options))
        works = through(self.plan, character, file)
        if self.write:
            last = works[-1].character
            chosen = [work.name for work in works]
            motions = {work.name: work.motion for work in works}
            with quiet():
                write(last.with_(motions={**last.motions, **motions}), chosen, out)
        reached = all(bool(np.all(one.reached)) for work in works for one in work.made)
        good = reached and all(work.ok for work in works)
        words = "; ".join(filter(None, (_words(work) for work in works))) or "nothing to do"
        data = {"motions": [_data(work) for work in works]}
        return Done(DONE if good else NOT_REACHED, words, data)


def through(plan: Plan, character: Character, file: Path) -> list[Work]:
    """The motions of a character after a plan."""
    if not character.motions:
        raise SuppleError(f"{file}: expected a motion, got none")
    names = list(character.motions)
    if plan.motion != "all":
        names = [plan.motion or names[0]]
    works = []
    for name in names:
        own = character.motion(name)
        work = Work(character, name, plan.up or character.up, plan.loop, plan.budgets, own)
        for step in plan.steps:
            step.check_names(work.character, work.motion)
            with placed(step.where):
                step.run(work)
        works.append(work)
    return works


def write(character: Character, chosen: Sequence[str], out: Path) -> None:
    """Write a character; in a format of one motion, the chosen one."""
    if format_for_writing(out).name not in ("bvh", "smd"):
        save(character, out)
        return
    if len(chosen) > 1:
        raise SuppleError(f"{out}: holds one motion, got {len(chosen)}; name one")
    (name,) = chosen
    save(character.with_(motions={name: character.motions[name]}), out, motion=name)


def _words(work: Work) -> str:
    words = [_made(one) for one in work.made]
    for one in work.data:
        if one["do"] == "check":
            kinds: dict[str, int] = {}
            for fault in one["faults"]:
                kinds[fault["kind"]] = kinds.get(fault["kind"], 0) + 1
            words.append(", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "no faults")
            words += one.get("repairs", [])
    return "; ".join(words)


def _made(one: Correction) -> str:
    slides = getattr(one, "slides", None)
    if not slides:
        return one.reason
    before, after = (np.mean([getattr(s, w) for s in slides]) for w in ("before", "after"))
    return f"feet slid {before:.3g} a second, now {after:.3g}"


def _data(work: Work) -> dict[str, Any]:
    made = [{"reason": one.reason, "reached": bool(np.all(one.reached))} for one in work.made]
    return {"motion": work.name, "frames": len(work.motion), "corrections": made,
            "steps": work.data}  # fmt: skip
