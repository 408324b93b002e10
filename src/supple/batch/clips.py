"""One clip through a plan: read, every step, written. What workers run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.batch.done import DONE, NOT_REACHED, Done
from supple.batch.models import quiet
from supple.batch.plan import Plan
from supple.batch.steps import Work
from supple.errors import SuppleError
from supple.formats import load, save
from supple.formats.registry import format_for_writing
from supple.model.character import Character, Note
from supple.motion import Correction
from supple.toml import placed

SINGLE = ("bvh", "smd", "qpos")  # formats that hold one motion


@dataclass(frozen=True)
class PlanOnClip:
    """Runs a plan on a clip and writes the result.

    Attributes:
        plan: What to do.
        options: Of `load`, such as fps.
    """

    plan: Plan
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """A hash of what is done, whatever the clip."""
        return f"{self.plan.digest} {self.options!r}"

    def reads(self, file: Path) -> Iterable[Path]:
        """The clip, and what steps read for it alone."""
        return self.plan.reads(file)

    def __call__(self, file: Path, out: Path) -> Done:
        """Run the plan on a file, and write the result."""
        works = through(self.plan, file, self.options)
        written = write_works(works, out)
        reached = all(bool(np.all(one.reached)) for work in works for one in work.made)
        good = reached and all(work.ok for work in works)
        words = "; ".join(filter(None, (_words(work) for work in works))) or "nothing to do"
        warnings = [note for work in works for note in work.notes]
        warnings += [str(note) for note in written if note.level == "warning"]
        state = "done" if good else "faults" if reached else "not reached"
        data = {
            "state": state,
            "motions": [_data(work) for work in works],
            "notes": list(dict.fromkeys(warnings)),
        }
        return Done(DONE if good else NOT_REACHED, words, data)


def through(plan: Plan, file: Path, options: tuple[tuple[str, Any], ...]) -> list[Work]:
    """The motions of a file after a plan."""
    with quiet():
        character = load(file, **dict(options))
    if not character.motions:
        raise SuppleError(f"{file}: expected a motion, got none")
    names = list(character.motions)
    if plan.motion != "all":
        names = [plan.motion or names[0]]
    works = []
    warnings = [str(note) for note in character.notes if note.level == "warning"]
    for name in names:
        own = character.motion(name)
        work = Work(
            file, character, name, plan.up or character.up, plan.loop, plan.budgets, own, options,
            notes=list(warnings),
        )  # fmt: skip
        for step in plan.steps:
            step.check_names(work.character, work.motion)
            with placed(step.where):
                step.run(work)
        works.append(work)
    return works


def write_works(works: Sequence[Work], out: Path) -> Sequence[Note]:
    """Write motions of one file after a plan, with the character they are of; returns notes of the writer."""
    last = works[-1].character
    motions = {work.name: work.motion for work in works}
    return write(last.with_(motions={**last.motions, **motions}), list(motions), out)


def write(character: Character, chosen: Sequence[str], out: Path) -> Sequence[Note]:
    """Write a character; in a format of one motion, the chosen one. Returns notes of the writer.

    A glTF file plays the chosen motion instead of the pose of a character that is posed.
    """
    with quiet():
        name = format_for_writing(out).name
        if name not in SINGLE:
            plays = name == "gltf" and character.is_posed
            return save(character, out, **({"motion": chosen[0]} if plays else {}))
        if len(chosen) > 1:
            raise SuppleError(f"{out}: holds one motion, got {len(chosen)}; name one")
        (name,) = chosen
        return save(character.with_(motions={name: character.motions[name]}), out, motion=name)


def _words(work: Work) -> str:
    return "; ".join(one if isinstance(one, str) else _made(one) for one in work.said)


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
