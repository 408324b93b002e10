"""`check`: find the faults of a motion."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from supple.apps.character.character import DAMAGE, Character, Note
from supple.apps.character.motion import Motion
from supple.apps.motion.checks import collisions, frozen, ground, joints, pops, seam, sides
from supple.apps.motion.checks.budgets import Budgets
from supple.apps.motion.checks.clip import Clip
from supple.apps.motion.checks.measure import AGAINST_TIME, KINDS, Fault, Measure
from supple.apps.motion.ground import GroundLike
from supple.errors import SuppleError, flag, instance, text
from supple.model.capsules import Capsule, by_joint
from supple.model.skeleton import Skeleton
from supple.solve.outcome import counted

FORMAT = "supple-check"
FORMAT_VERSION = 1

_CHECKS: dict[str, Callable[[Clip, Budgets], Measure]] = {
    "skate": lambda clip, b: ground.skate(clip, b.skate or 0.0, b.times),
    "penetration": lambda clip, b: ground.penetration(
        clip, b.penetration or 0.0, b.lower_ground, b.recurs
    ),
    "floating": lambda clip, b: ground.floating(clip, b.floating or 0.0),
    "speed": lambda clip, b: pops.speed(clip, b.speed or 0.0, b.times, b.pop_reach),
    "acceleration": lambda clip, b: pops.acceleration(
        clip, b.acceleration or 0.0, b.times, b.pop_reach
    ),
    "jerk": lambda clip, b: pops.jerk(clip, b.jerk or 0.0, b.times, b.pop_reach),
    "limits": lambda clip, b: joints.limits(clip, b.limits or 0.0),
    "bones": lambda clip, b: joints.bones(clip, b.bones or 0.0),
    "collision": lambda clip, b: collisions.collision(clip, b.collision or 0.0, b.recurs),
    "seam": lambda clip, b: seam.seam(clip, b.seam or 0.0, b.times),
    "swap": lambda clip, b: sides.swap(clip, b.swap or 0.0),
    "frozen": lambda clip, b: frozen.frozen(clip, b.frozen or 0.0),
}


@dataclass(frozen=True, eq=False)
class Checked:
    """The result of `check`.

    Attributes:
        motion: The motion that was checked.
        measures: The measure of each kind of fault, or the reason why it could not be measured.
        budgets: How much was allowed.
        accepted: Faults known from a baseline: they do not count.
        remarks: Other notes on the check.
        faults: Damage of the file, and measures above their budgets, by kind, each in the order of frames; without
            those that are accepted.
    """

    motion: Motion
    measures: Mapping[str, Measure]
    budgets: Budgets
    clip: Clip
    accepted: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Damage of the file, and measures above their budgets, by kind, in the order of frames."""
        found = [fault for one in self.measures.values() for fault in one.faults()]
        return tuple(fault for fault in (*self.damage, *found) if fault not in self.accepted)

    @cached_property
    def damage(self) -> tuple[Fault, ...]:
        """Damage of the file that the motion was read from: always a fault, whatever the budgets."""
        notes = self.clip.notes
        return tuple(Fault.of_file(one, len(self.motion)) for one in notes if one.damage)

    @property
    def skipped(self) -> dict[str, str]:
        """The kinds that could not be checked, and why."""
        return {kind: one.reason for kind, one in self.measures.items() if one.reason}

    @property
    def ok(self) -> bool:
        """True if something could be checked, and there are no faults."""
        return not self.faults and len(self.skipped) < len(self.measures)

    @property
    def reason(self) -> str:
        """The number of faults and checks, in words."""
        words = ", ".join(f"{len(self.of(kind))} {kind}" for kind in self.kinds)
        if self.accepted:
            words = f"{words or 'no new faults'}; {counted(len(self.accepted), 'known fault')}"
        if len(self.skipped) == len(self.measures):
            why = "; ".join(dict.fromkeys(self.skipped.values())) or "no kind of fault has a budget"
            return f"{words}{'; ' if words else ''}nothing could be checked: {why}"
        done = f"{len(self.measures) - len(self.skipped)} of {len(self.measures)} checks"
        return words or (f"no faults in {done}" if self.skipped else "no faults")

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings of the reader, and frames that were not checked."""
        warnings = [str(note) for note in self.clip.notes if note.level == "warning"]
        if self.clip.leads_with_t_pose:
            warnings.append("frame 0 is a T-pose before the motion, and was not checked")
        return (*warnings, *self.remarks)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fault that were found."""
        found = {fault.kind for fault in self.faults}
        return tuple(kind for kind in (*DAMAGE, *KINDS) if kind in found)

    def of(self, kind: str) -> tuple[Fault, ...]:
        """The faults of a kind."""
        return tuple(fault for fault in self.faults if fault.kind == kind)

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        rows = {}
        for kind, one in self.measures.items():
            worst = one.worst
            rows[kind] = (
                {"reason": one.reason}
                if worst is None
                else {
                    "worst": worst[0],
                    "budget": worst[1],
                    "unit": one.unit,
                    "joint": worst[2],
                    "frame": worst[3],
                    "faults": len(self.of(kind)),
                }
            )
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "motion": self.motion.name,
            "frames": len(self.motion),
            "fps": self.motion.fps,
            "ok": self.ok,
            "reason": self.reason,
            "notes": list(self.notes),
            "measures": rows,
            "skipped": self.skipped,
            "budgets": self.budgets.to_json(),
            "faults": [fault.to_json() for fault in self.faults],
            "known": [fault.to_json() for fault in self.accepted],
        }

    def __repr__(self) -> str:
        return f"Checked({self.motion.name!r}: {self.reason})"


def check(
    subject: Motion | Character,
    *,
    motion: str | None = None,
    budgets: Budgets | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    profile: str | None = None,
    kinds: Sequence[str] | None = None,
    up: str | None = None,
    ground: GroundLike | None = None,
    loop: bool | None = None,
    limits: Skeleton | None = None,
    capsules: Mapping[str, Sequence[Capsule]] | None = None,
    against: Motion | Character | None = None,
) -> Checked:
    """Find the faults of a motion: skate, pops, joints in the ground or in the body, and more.

    Skate, pops and the seam of a loop must also exceed several times what is typical in the clip, because captured
    motion always contains some; other kinds are judged by budgets alone. A damaged file, with a truncated motion or
    values that are not numbers, is a fault too.

    Args:
        subject: A motion, or a character with one.
        motion: Which motion of the character; by default the first.
        budgets: How much is allowed: `Budgets`, some of them by name, or the path of a TOML file.
        profile: The budgets that are not given: "authored", the default, or "captured", for clips as they were
            captured: only what a person would repair is a fault.
        kinds: Which kinds to check; by default all that have a budget.
        up: The axis that points up: "y", "z", "-x", ...; by default the character's, or "y".
        ground: The ground, as `plant_feet` takes it: a height, a plane, a function or a mesh; by default level, at
            the height where the feet stand most.
        loop: Whether it is a loop, whose seam is checked; by default as the motion says.
        limits: A skeleton with the same joints, whose limits are checked; such as one from `learn_limits`.
        capsules: The capsules of the bones for collisions, by joint; by default the character's, or along
            the bones.
        against: The same clip before it was changed. Then only what became worse is a fault, compared with the
            values of the original.

    Raises:
        SuppleError: The character has no motion; budgets, profile or kinds are unknown.
    """
    clip = _motion_of(subject, motion, "check")
    notes: tuple[Note, ...] = ()
    if isinstance(subject, Character):
        up = up or subject.up
        notes = subject.notes
        if capsules is None and subject.capsules is not subject.skeleton.capsules:
            capsules = subject.capsules  # of its skin
    if up is not None:
        text("up", up)
    if capsules is not None:
        capsules = by_joint("capsules", capsules)
    allowed = Budgets.of(budgets, profile)
    if kinds is not None:
        allowed = allowed.only(kinds)
    common: dict[str, Any] = {"up": up or "y", "ground": ground, "capsules": capsules}
    if limits is not None:
        clip = clip.on(instance("limits", limits, Skeleton))
    looped = clip.loop if loop is None else flag("loop", loop)
    before = None
    if against is not None:
        # Files of one motion call it by their own names.
        known = isinstance(against, Character) and motion in against.motions
        old = _motion_of(against, motion if known else None, "against")
        if limits is not None:
            old = old.on(limits)
        before = Clip(old, loop=looped, **common)
    return checked(Clip(clip, loop=looped, before=before, notes=notes, **common), allowed)


def _motion_of(subject: Any, name: str | None, what: str) -> Motion:
    if isinstance(subject, Character):
        if not subject.motions:
            raise SuppleError(f"{what}: expected a motion, got a character without any")
        return subject.motion(name or next(iter(subject.motions)))
    if isinstance(subject, Motion):
        return subject
    raise SuppleError(
        f"{what}: expected a supple.Motion or a supple.Character, got a {type(subject).__name__}"
    )


def checked(clip: Clip, budgets: Budgets) -> Checked:
    """Check a clip by budgets."""
    measures = {}
    moving = clip.moving
    for kind, run in _CHECKS.items():
        if getattr(budgets, kind) is not None:
            found = run(moving, budgets)
            if moving.before is not None:
                found = found.beside(run(moving.before, budgets), clip.frames(AGAINST_TIME))
            measures[kind] = found.later(len(clip.motion) - len(moving.motion))
    return Checked(clip.motion, measures, budgets, clip)
