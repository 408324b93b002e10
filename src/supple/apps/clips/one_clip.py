"""Run a plan on one clip: read it, apply every step, write it. Workers run this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from supple.apps.character.character import Character, Note
from supple.apps.clips.done import Done
from supple.apps.clips.models import quiet
from supple.apps.clips.plan import Plan
from supple.apps.clips.report import done, warnings_of
from supple.apps.clips.steps import Work
from supple.apps.formats import save
from supple.apps.formats.registry import format_for_writing
from supple.errors import SuppleError
from supple.toml import placed

SINGLE = ("bvh", "smd", "qpos")  # formats that hold one motion


@dataclass(frozen=True)
class PlanOnClip:
    """Runs a plan on a clip and writes the result.

    Attributes:
        plan: The plan.
        full: Whether the result has data on each frame.
        progress: Called with (done, total) frames by steps that report progress; in this process only.
    """

    plan: Plan
    full: bool = False
    progress: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)

    @property
    def digest(self) -> str:
        """A hash of the work, independent of the clip."""
        return f"{self.plan.digest} {self.full}"

    def reads(self, file: Path) -> Iterable[Path]:
        """The clip, and other files that steps read for this clip only."""
        return self.plan.reads(file)

    def __call__(self, file: Path, out: Path) -> Done:
        """Run the plan on a file, and write the result."""
        works = run_plan(self.plan, file, self.progress)
        written = write_works(works, out)
        return done(works, warnings_of(written), self.full)


def run_plan(
    plan: Plan, file: Path, progress: Callable[[int, int], None] | None = None
) -> list[Work]:
    """Run a plan on the motions of a file.

    Args:
        plan: The plan.
        file: The clip.
        progress: Called with (done, total) frames by steps that report progress.
    """
    character = plan.reader.load(file)
    if not character.motions:
        raise SuppleError(f"{file}: expected a motion, got none; other files may add some: motions")
    names = list(character.motions)
    if plan.motion != "all":
        names = [plan.motion or names[0]]
    works = []
    warnings = warnings_of(character.notes)
    for name in names:
        own = character.motion(name)
        work = Work(
            file, character, name, plan.up or character.up, plan.loop, plan.budgets, own, plan.reader,
            progress, notes=list(warnings),
        )  # fmt: skip
        for step in plan.steps:
            step.check_names(work.character, work.motion)
            with placed(step.where):
                step.run(work)
        works.append(work)
    return works


def write_works(works: Sequence[Work], out: Path) -> Sequence[Note]:
    """Write the motions of one file after a plan, with their character; returns notes of the writer."""
    last = works[-1].character
    motions = {work.name: work.motion for work in works}
    return write(last.with_(motions={**last.motions, **motions}), list(motions), out)


def write(character: Character, chosen: Sequence[str], out: Path) -> Sequence[Note]:
    """Write a character; in a format of one motion, the chosen one. Returns notes of the writer.

    A glTF file of a posed character plays the chosen motion instead of the pose.
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
