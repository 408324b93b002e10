"""The steps of a plan: one class each, with its keys, their checks and its work on a clip.

Commands build the same steps from their options, so a plan can do everything a command can.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from supple.apps.character.character import Character
from supple.apps.clips import models, values
from supple.apps.clips.clip_files import same_clip
from supple.apps.clips.keys import Keyed, Source, key
from supple.apps.clips.reader import Reader
from supple.apps.clips.targets import EXPECTED, Target, TargetLike, read_displacements, read_targets
from supple.apps.formats.registry import format_for_writing
from supple.apps.goals_from_text import (
    OBSTACLES,
    Constraints,
    effector_or_only_tip,
    look_at_goal,
    obstacle,
    same_pose,
)
from supple.apps.motion import BodyMap, Correction, Motion, Window, correct, plant_feet, retarget
from supple.apps.motion.checks import Baseline, Budgets, Checked, check, fix
from supple.apps.motion.planting import PLANTING, Planted
from supple.apps.motion.retargeting.t_pose import leading_frames, said_of_leading_frame
from supple.errors import SuppleError, one_of
from supple.goals import Goal, Hold, LookAt, On, Reach
from supple.solve.prepare import POLICIES
from supple.toml import placed

NAMES, NAME = "names of joints", "the name of a joint"
PAIRS = 'pairs of joints, "A,B"'
SECONDS = "0 or more seconds"
LEFT = "left as it is"
GROUND = "a height, a plane [a, b, c, d] or a file with a mesh"


@dataclass
class Work:
    """The state of a clip while a plan runs.

    Attributes:
        file: The file of the clip.
        character: With the current motion.
        name: Of the motion.
        up: The axis that points up; None if it is not known.
        loop: Whether it is a loop; None to take it from the motion.
        budgets: Of the plan.
        original: The motion as it was read.
        reader: The options with which it was read.
        progress: Called with (done, total) frames by steps that report progress.
        checked: Reports of checks, in order; for a repair, those before and after it.
        said: The reports of steps, in order: words, or corrections, which are put into words at the end.
        data: The results of steps as plain data.
        notes: Warnings of the reader and of steps.
        ok: True if checks left no faults.
    """

    file: Path
    character: Character
    name: str
    up: str | None
    loop: bool | None
    budgets: Budgets
    original: Motion
    reader: Reader = field(default_factory=Reader)
    progress: Callable[[int, int], None] | None = None
    checked: list[Checked] = field(default_factory=list)
    said: list[str | Correction] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ok: bool = True

    @property
    def made(self) -> list[Correction]:
        """Corrections, in order."""
        return [one for one in self.said if isinstance(one, Correction)]

    @property
    def motion(self) -> Motion:
        """The current motion."""
        return self.character.motion(self.name)

    def begin(self) -> int:
        """The frame at which the motion begins; adds a note if a frame before it is left as it is."""
        first = leading_frames(self.motion, self.up)
        if first:
            self.notes.append(said_of_leading_frame(self.motion, LEFT))
        return first

    def put(self, motion: Motion) -> None:
        """Replace the current motion."""
        self.character = self.character.with_(motions={**self.character.motions, self.name: motion})


def _obstacles(value: Any) -> tuple[str, ...]:
    given = values.texts(value)
    for one in given:
        obstacle(one)
    return given


@dataclass(frozen=True, kw_only=True)
class Step(Keyed, ABC):
    """One step of a plan."""

    replaces: ClassVar[bool] = False  # whether clips have another skeleton afterwards

    def reads(self, file: Path) -> Iterable[Path]:
        """Files that it reads for one clip only, beside the clip."""
        del file
        return ()

    def check_files(self) -> None:
        """Raise if one of its files is not valid; by default it has none."""
        return

    def check_names(self, character: Character, motion: Motion) -> None:
        """Raise if it names joints that a clip does not have."""
        del character
        with placed(self.where):
            for name in self.joints:
                one_of("joint", name, motion.skeleton.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that it names."""
        return ()

    def option(self, name: str) -> str:
        """The user's name for a key, in messages about a clip."""
        return name if self.where else f"--{name.replace('_', '-')}"

    @abstractmethod
    def run(self, work: Work) -> None:
        """Apply the step to a clip."""


@dataclass(frozen=True, kw_only=True)
class Plant(Step):
    """Feet stay in place while in contact: `plant_feet`."""

    called: ClassVar[str] = "plant"
    files: ClassVar[tuple[str, ...]] = ("ground",)

    feet: tuple[str, ...] | None = key(values.texts, NAMES)
    legs: tuple[tuple[str, str], ...] | None = key(values.pairs, "a table {ankle = joint}")
    speed: float = key(values.positive, "leg lengths a second, above 0", PLANTING.speed)
    height: float = key(values.positive, "leg lengths, above 0", PLANTING.height)
    blend: float = key(values.not_negative, SECONDS, 0.5)
    lower: bool = key(values.flag, "true or false", True)
    ground: Any = key(values.ground, GROUND)

    def check_files(self) -> None:
        """Read the ground."""
        models.ground(self.ground)

    @property
    def joints(self) -> tuple[str, ...]:
        """The feet, and their legs."""
        return (*(self.feet or ()), *(name for pair in self.legs or () for name in pair))

    def run(self, work: Work) -> None:
        """Plant the feet."""
        if work.up is None:
            raise SuppleError(
                "the file does not tell which axis points up: give --up AXIS, or up = 'y' in a plan"
            )
        made = plant_feet(
            work.motion, feet=self.feet, legs=dict(self.legs) if self.legs else None, up=work.up,
            speed=self.speed, height=self.height, blend=self.blend, lower=self.lower,
            ground=models.ground(self.ground), first=work.begin(),
        )  # fmt: skip
        _take(work, made)


def _take(work: Work, made: Correction) -> None:
    # Feet are reported for the motion that is written.
    work.said = [one.after(made.motion) if isinstance(one, Planted) else one for one in work.said]
    work.said.append(made)
    work.put(made.motion)


@dataclass(frozen=True, kw_only=True)
class _Goals(Step):
    """A step that corrects a clip so that it meets goals."""

    root: str | None = key(values.text, NAME)
    from_: float | None = key(values.number, "seconds")
    until: float | None = key(values.number, "seconds")
    blend: float = key(values.not_negative, SECONDS, 0.25)
    speed: float = key(values.not_negative, "radians a second, 0 for no bound", 12.0)
    hold: tuple[str, ...] = key(values.texts, NAMES, ())
    lock: tuple[str, ...] = key(values.texts, NAMES, ())
    free_root: bool = key(values.flag, "true or false", False)
    coherent: bool = key(values.flag, "true or false", False)
    tolerance: float | None = key(values.positive, "a length above 0")
    unreachable: str = key(
        lambda value: one_of("policy", value, POLICIES), '"approach" or "keep"', "approach"
    )
    avoid: float | None = key(values.not_negative, "a distance, 0 or more")
    obstacles: tuple[str, ...] = key(_obstacles, OBSTACLES, ())
    balance: tuple[str, ...] = key(values.texts, NAMES, ())
    balance_margin: float = key(values.not_negative, "a distance, 0 or more", 0.0)
    connect: tuple[str, ...] = key(values.texts, PAIRS, ())
    weld: tuple[str, ...] = key(values.texts, PAIRS, ())

    @property
    def constraints(self) -> Constraints:
        """The constraints, which come before all goals."""
        return Constraints(
            self.avoid, self.obstacles, self.balance, self.balance_margin, self.connect, self.weld
        )

    def check_keys(self, source: Source) -> None:
        """Check the window and the constraints."""
        with placed(source.where):
            self.constraints.check(source.option)
            Window(self.from_, self.until)

    def check_names(self, character: Character, motion: Motion) -> None:
        """Raise if it names joints that a clip does not have."""
        super().check_names(character, motion)
        with placed(self.where):
            self.constraints.names(motion.skeleton.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that it names."""
        return tuple(filter(None, (self.root, *self.hold, *self.lock)))

    @abstractmethod
    def goals(self, motion: Motion) -> Sequence[Goal]:
        """The goals of a motion, beside those of `hold` and the constraints."""

    def run(self, work: Work) -> None:
        """Correct the clip."""
        motion, constraints = work.motion, self.constraints
        # Masses added for balance are removed again.
        weighed = constraints.weighed(work.character)
        asked = [*self.goals(motion), *map(Hold, self.hold), *constraints.goals(weighed)]
        made = correct(
            motion.with_(poses=same_pose(motion.poses, weighed.skeleton)), asked,
            window=Window(self.from_, self.until), blend=self.blend, speed=self.speed or None,
            unreachable=self.unreachable, coherent=self.coherent, tolerance=self.tolerance,
            lock=self.lock, free_root=self.free_root, first=work.begin(), progress=work.progress,
        )  # fmt: skip
        poses = same_pose(made.motion.poses, motion.skeleton)
        _take(work, replace(made, motion=made.motion.with_(poses=poses)))


@dataclass(frozen=True, kw_only=True)
class Correct(_Goals):
    """All goals of `supple correct`, met at once: effectors with their targets, looks, loops."""

    called: ClassVar[str] = "correct"

    effector: tuple[str, ...] = key(values.texts, NAMES, ())
    to: tuple[TargetLike, ...] = key(read_targets, f"{EXPECTED}; or a list of these", ())
    by: tuple[values.Point, ...] = key(
        read_displacements, "a displacement [dx, dy, dz], or a list of these", ()
    )
    look_at: tuple[str, ...] = key(values.texts, '"NAME=X,Y,Z" or "NAME=BONE"', ())
    depth: int = key(values.count, "how many joints may move", 0)

    def check_keys(self, source: Source) -> None:
        """Check that there is something to reach, and as many targets as effectors."""
        super().check_keys(source)
        looks_or_loops = self.look_at or self.constraints.frees
        if bool(self.to) == bool(self.by) and (self.to or self.effector or not looks_or_loops):
            to, by, look_at, connect = map(source.option, ("to", "by", "look_at", "connect"))
            raise source.error(
                "", f"nothing to reach: give {to} X,Y,Z or FILE, {by} DX,DY,DZ, {look_at} NAME=X,Y,Z or "
                f"{connect} A,B; or plant feet",
            )  # fmt: skip
        given, count = self.to or self.by, len(self.effector) or 1
        if given and len(given) != count:
            expected = f"one for each {source.option('effector')}, {count}"
            raise source.error("to" if self.to else "by", f"expected {expected}, got {len(given)}")

    def found(self, source: Source) -> Self:
        """The same with the files of its targets found, and hashed."""
        made = super().found(source)
        to = tuple(one.found(source.folder) if isinstance(one, Target) else one for one in made.to)
        hashes = (one.hash for one in to if isinstance(one, Target))
        return replace(made, to=to, hashes=(*made.hashes, *hashes))

    def check_names(self, character: Character, motion: Motion) -> None:
        """Raise if it names joints that a clip does not have."""
        super().check_names(character, motion)
        with placed(self.where):
            for one in self.to:
                if isinstance(one, Target):
                    one.check(motion.skeleton.names, self.option("to"))
            for one in self._looks(motion):
                one_of("joint", one.effector, motion.skeleton.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """The effectors and what else is named."""
        return (*self.effector, *super().joints)

    def _looks(self, motion: Motion) -> list[LookAt]:
        what = self.option("look_at")
        return [look_at_goal(motion.skeleton, text, what=what) for text in self.look_at]

    def goals(self, motion: Motion) -> Sequence[Goal]:
        """Reach the targets, and look where asked."""
        names = self.effector
        if (self.to or self.by) and not names:
            names = (effector_or_only_tip(motion.skeleton, None, what=self.option("effector")),)
        targets = [_position(motion, one, self.option("to")) for one in self.to]
        targets += [motion.poses.position(name) + np.array(way)
                    for name, way in zip(names, self.by, strict=False)]  # fmt: skip
        reaches = [Reach(name, target, root=self.root, depth=self.depth)
                   for name, target in zip(names, targets, strict=True)]  # fmt: skip
        return [*reaches, *self._looks(motion)]


@dataclass(frozen=True, kw_only=True)
class ReachStep(Correct):
    """`correct` with effectors that reach points or other joints, or move by a displacement."""

    called: ClassVar[str] = "reach"

    def check_keys(self, source: Source) -> None:
        """Check that there are effectors and targets."""
        if not self.effector:
            raise source.error("", f"{self.called!r} expected effector = {NAME}, got none")
        if bool(self.to) == bool(self.by):
            raise source.error("", f"{self.called!r} expected either to = or by =")
        super().check_keys(source)


@dataclass(frozen=True, kw_only=True)
class LookStep(_Goals):
    """A joint rotates so that one of its axes points at a target."""

    called: ClassVar[str] = "look_at"

    effector: str = key(values.text, NAME, MISSING)
    at: Any = key(values.point_or_text, "a point [x, y, z] or the name of a joint", MISSING)
    axis: Any = key(values.point_or_text, '"x", "-z", ... or a vector', "x")
    depth: int | None = key(values.count, "how many joints may move")

    @property
    def joints(self) -> tuple[str, ...]:
        """The effector, the target and what else is named."""
        at = [self.at] if isinstance(self.at, str) else []
        return (self.effector, *at, *super().joints)

    def goals(self, motion: Motion) -> Sequence[Goal]:
        """Look at the target, which may be another joint."""
        target = On(self.at) if isinstance(self.at, str) else self.at
        return [LookAt(self.effector, target, axis=self.axis, root=self.root, depth=self.depth)]


def _position(motion: Motion, given: TargetLike, what: str) -> Any:
    return given.position(motion, what) if isinstance(given, Target) else np.array(given)


@dataclass(frozen=True, kw_only=True)
class Limit(Step):
    """Joints are clamped to their limits: the clip's own, or those of a file with the same joints."""

    called: ClassVar[str] = "limit"
    files: ClassVar[tuple[str, ...]] = ("limits",)

    limits: str | None = key(values.text, "a file with joints that have limits")

    def check_files(self) -> None:
        """Read the limits."""
        if self.limits is not None:
            models.skeleton(self.limits)

    def run(self, work: Work) -> None:
        """Clamp the joints."""
        before = work.motion
        if self.limits is not None:
            clamped = before.on(models.skeleton(self.limits)).poses.clamped()
            motion = before.with_(poses=clamped.on(before.skeleton, offsets="animated"))
        else:
            motion = before.with_(poses=before.poses.clamped())
        largest = float(before.poses.turns(motion.poses).max(initial=0.0))
        work.said.append(f"joints turned by {np.degrees(largest):.3g} degrees into their limits")
        work.data.append({"do": self.called, "largest": largest})
        work.put(motion)


@dataclass(frozen=True, kw_only=True)
class Retarget(Step):
    """The motion is transferred to another body: `supple.retarget`.

    Attributes:
        keep_maps: Whether its data includes the maps that were used.
    """

    called: ClassVar[str] = "retarget"
    replaces: ClassVar[bool] = True
    files: ClassVar[tuple[str, ...]] = ("onto", "onto_folder", "source_map", "target_map")

    onto: str = key(values.text, "the file of a character or robot", MISSING)
    onto_folder: str | None = key(values.text, "the folder of the files that the target refers to")
    onto_arguments: tuple[str, ...] = key(values.texts, 'arguments of xacro, "NAME:=VALUE"', ())
    source_map: str | None = key(values.text, "a file that maps the clips' joints")
    target_map: str | None = key(values.text, "a file that maps the target's joints")
    onto_up: str | None = key(values.text, 'an axis, such as "z"')
    fps: float | None = key(values.positive, "frames a second, above 0")
    to: str | None = key(values.text, 'the format of results, such as "npz"')
    balance: bool = key(values.flag, "true or false", True)
    keep_maps: bool = False

    def check_keys(self, source: Source) -> None:
        """Check the format of results."""
        if self.to is not None:
            with placed(source.location("to")):
                format_for_writing(Path(f"clip{self.ending}"))

    def _target(self) -> Character:
        return models.character(self.onto, self.onto_folder, self.onto_arguments)

    def _target_map(self) -> BodyMap:
        return models.target_map(
            self.onto, self.target_map, self.onto_up, self.onto_folder, self.onto_arguments
        )

    def check_files(self) -> None:
        """Read the target and the maps."""
        self._target_map()
        if self.source_map is not None:
            models.body_map(self.source_map)

    @property
    def ending(self) -> str:
        """The extension of results: as given, tables of qpos for a robot, or the target's own format."""
        if self.to is not None:
            return "." + self.to.lower().removeprefix(".")
        joints = self._target().skeleton.freedom_table.joints
        turning = joints.quaternion >= 0
        hinges = (joints.scalars == 1) & (joints.angles == 1) & ~turning
        # A character may have hinges for knees; most joints of a robot are hinges.
        if 2 * np.sum(hinges) > np.sum((joints.scalars > 0) | turning):
            return ".npz"
        try:
            format_for_writing(Path(self.onto))
        except SuppleError:
            return ".glb"
        return Path(self.onto).suffix

    def run(self, work: Work) -> None:
        """Retarget the clip."""
        target = self._target()
        found = retarget(
            work.character.with_(motions={work.name: work.motion}), target, fps=self.fps, up=work.up,
            onto_up=self.onto_up, balance=self.balance,
            source_map=None if self.source_map is None else models.body_map(self.source_map),
            target_map=self._target_map(),
        )  # fmt: skip
        motion = found.motion.with_(name=work.name)
        work.character = target.with_(motions={work.name: motion}, notes=())
        work.up = self.onto_up or target.up or work.up
        stands = sum(len(found.contacts[name]) for name in found.contacts.joints)
        work.said.append(f"{len(motion)} frames at {motion.fps:g} fps, {stands} contacts")
        work.said += [note.text for note in found.notes if "T-pose" in note.text]
        work.notes += [note.text for note in found.notes if note.level == "warning"]
        row: dict[str, Any] = {
            "do": self.called,
            "frames": len(motion),
            "fps": motion.fps,
            "scale": found.scale,
            "contacts": {
                name: [list(run) for run in found.contacts[name]] for name in found.contacts.joints
            },
            "balance": None if found.balance is None else asdict(found.balance),
            "notes": [note.text for note in found.notes],
        }
        if self.keep_maps:
            row["maps"] = {
                "source": found.source_map.to_toml(),
                "target": found.target_map.to_toml(),
            }
        work.data.append(row)


@dataclass(frozen=True, kw_only=True)
class CheckStep(Step):
    """The motion is checked, and repaired if asked for."""

    called: ClassVar[str] = "check"
    files: ClassVar[tuple[str, ...]] = ("ground", "limits", "against")

    kinds: tuple[str, ...] | None = key(values.texts, "kinds of fault")
    fix: bool = key(values.flag, "true or false", False)
    against: bool | str = key(
        values.flag_or_text, "true, false, or a clip, folder or report", False
    )
    ground: Any = key(values.ground, GROUND)
    limits: str | None = key(values.text, "a file with joints that have limits")

    def check_keys(self, source: Source) -> None:
        """Check the kinds."""
        with placed(source.location("kinds")):
            Budgets().only(self.kinds or ())

    def check_files(self) -> None:
        """Read the ground and the limits."""
        models.ground(self.ground)
        if self.limits is not None:
            models.skeleton(self.limits)
        if self.baseline is not None and self.fix:
            raise SuppleError(
                f"{self.against}: expected the clip before it was changed to repair against, got a report"
            )

    @property
    def baseline(self) -> Baseline | None:
        """The stored report that is checked against, if it is a .json file and no clip."""
        if isinstance(self.against, str) and Path(self.against).suffix.lower() == ".json":
            return models.baseline(self.against)
        return None

    def reads(self, file: Path) -> Iterable[Path]:
        """The clip before it was changed, if it is in a folder of such clips."""
        if not isinstance(self.against, str):
            return ()
        path = Path(self.against)
        return (same_clip(path, file) if os.path.isdir(path) else path,)

    def _before(self, work: Work) -> Motion | None:
        if self.baseline is not None:
            return None
        if isinstance(self.against, bool):
            same = self.against and work.original.skeleton == work.motion.skeleton
            return work.original if same else None
        (path,) = self.reads(work.file)
        before = replace(work.reader, motions=()).load(path)
        if not before.motions:
            raise SuppleError(f"{path}: expected a motion to check against, got none")
        # Files of one motion call it by their own names.
        return before.motions.get(work.name) or next(iter(before.motions.values()))

    def run(self, work: Work) -> None:
        """Check the clip."""
        limits = None if self.limits is None else models.skeleton(self.limits)
        report = check(
            work.character, motion=work.name, budgets=work.budgets, kinds=self.kinds, up=work.up,
            loop=work.loop, ground=models.ground(self.ground), limits=limits, against=self._before(work),
        )  # fmt: skip
        if self.baseline is not None:
            report = self.baseline.applied(report, work.file)
        work.checked.append(report)
        repairs: list[str] = []
        if self.fix and not report.ok:
            repaired = fix(report)
            repairs = [str(one) for one in repaired.repairs]
            motion, skeleton = repaired.motion, work.motion.skeleton
            work.put(motion if motion.skeleton == skeleton else motion.on(skeleton))
            report = repaired.report
            work.checked.append(report)
        work.said += [report.reason, *repairs]
        work.ok &= report.ok
        more = {"repairs": repairs} if self.fix else {}
        work.data.append({"do": self.called, **report.to_json(), **more})


STEPS: dict[str, type[Step]] = {
    one.called: one for one in (Plant, Correct, ReachStep, LookStep, Limit, Retarget, CheckStep)
}
"""All steps by their names in a plan."""
