"""The steps of a plan: one class each, with its keys, their checks and what it does to a clip."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from supple.errors import SuppleError, one_of
from supple.formats import load
from supple.goals import Goal, Hold, LookAt, Reach
from supple.goals.constraints import OBSTACLES, Constraints, obstacle
from supple.model.character import Character
from supple.motion import BodyMap, Correction, Motion, Window, plant_feet, retarget
from supple.motion.checks import KINDS, Budgets, check, fix
from supple.motion.constrained import correct_constrained
from supple.motion.planting import HEIGHT, SPEED, Planted
from supple.toml import Document, Keys, placed


@dataclass
class Work:
    """A clip on its way through a plan.

    Attributes:
        character: With the motion as it is now.
        name: Of the motion.
        up: The axis that points up; None if it is not known.
        loop: Whether it is a loop; None for what the motion says.
        budgets: Of the plan.
        original: The motion as it was read.
        made: Corrections, in order.
        data: What steps have to say, by step.
    """

    character: Character
    name: str
    up: str | None
    loop: bool | None
    budgets: Budgets
    original: Motion
    made: list[Correction] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    ok: bool = True

    @property
    def motion(self) -> Motion:
        """The motion as it is now."""
        return self.character.motion(self.name)

    def put(self, motion: Motion) -> None:
        """Go on with another motion."""
        self.character = self.character.with_(motions={**self.character.motions, self.name: motion})


def key(kind: Callable[[Any], Any], expected: str, default: Any = None) -> Any:
    """A key of a step: how its value is read, what is expected, and what it is if not given."""
    given = {} if default is MISSING else {"default": default}
    return field(metadata={"read": kind, "expected": expected}, **given)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, [value] if isinstance(value, str) else list(value)))


def _number(value: Any) -> float:
    if isinstance(value, (bool, str)) or not np.isfinite(value):
        raise ValueError
    return float(value)


def _positive(value: Any) -> float:
    if not _number(value) > 0:
        raise ValueError
    return float(value)


def _not_negative(value: Any) -> float:
    if not _number(value) >= 0:
        raise ValueError
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _point(value: Any) -> tuple[float, float, float]:
    x, y, z = map(_number, value)
    return x, y, z


def _point_or_name(value: Any) -> tuple[float, float, float] | str:
    return _text(value) if isinstance(value, str) else _point(value)


def _axis(value: Any) -> tuple[float, float, float] | str:
    return _text(value) if isinstance(value, str) else _point(value)


def _obstacles(value: Any) -> tuple[str, ...]:
    given = _texts(value)
    for one in given:
        obstacle(one)
    return given


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((_text(a), _text(b)) for a, b in dict(value).items())


NAMES, NAME = "names of joints", "the name of a joint"
PAIRS = 'pairs of joints, "A,B"'
SECONDS = "0 or more seconds"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a plan.

    Attributes:
        where: File and line, for messages.
        sources: The bytes of files that it reads, besides the clip.
    """

    called: ClassVar[str] = ""
    replaces: ClassVar[bool] = False  # whether clips have another skeleton afterwards

    where: str = field(default="", repr=False)
    sources: tuple[bytes, ...] = field(default=(), repr=False)

    @classmethod
    def read(cls, document: Document, keys: Keys) -> Self:
        """The step of a table, its keys checked."""
        table = document.table(keys)
        known = {one.name.rstrip("_"): one for one in fields(cls) if "read" in one.metadata}
        values: dict[str, Any] = {}
        for name, value in table.items():
            if name == "do":
                continue
            document.one_of((*keys, name), f"key of {cls.called!r}", name, tuple(known))
            values[known[name].name] = _value(document, (*keys, name), known[name], value)
        for name, one in known.items():
            if one.default is MISSING and name not in table:
                expected = one.metadata["expected"]
                raise document.error(keys, f"{cls.called!r} expected {name} = {expected}, got none")
        step = cls(where=document.where(keys), **values)
        return step.resolved(document, keys)

    def resolved(self, document: Document, keys: Keys) -> Self:
        """The step with its files found beside the plan, and checks of several keys together."""
        del document, keys
        return self

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

    def run(self, work: Work) -> None:
        """Do it to a clip."""
        raise NotImplementedError


def _value(document: Document, keys: Keys, one: Field[Any], value: Any) -> Any:
    try:
        return one.metadata["read"](value)
    except (TypeError, ValueError):
        expected = one.metadata["expected"]
        raise document.error(keys, f"expected {expected}, got {value!r}") from None


@dataclass(frozen=True, kw_only=True)
class Plant(Step):
    """Feet stand still while they stand: `plant_feet`."""

    called: ClassVar[str] = "plant"

    feet: tuple[str, ...] | None = key(_texts, NAMES)
    legs: tuple[tuple[str, str], ...] | None = key(_pairs, "a table {ankle = joint}")
    speed: float = key(_positive, "leg lengths a second, above 0", SPEED)
    height: float = key(_positive, "leg lengths, above 0", HEIGHT)
    blend: float = key(_not_negative, SECONDS, 0.5)
    lower: bool = key(_flag, "true or false", True)

    @property
    def joints(self) -> tuple[str, ...]:
        """The feet, and their legs."""
        return (*(self.feet or ()), *(name for pair in self.legs or () for name in pair))

    def run(self, work: Work) -> None:
        """Plant the feet."""
        if work.up is None:
            raise SuppleError(
                "the file does not tell which axis points up; the plan must: up = 'y'"
            )
        made = plant_feet(
            work.motion, feet=self.feet, legs=dict(self.legs) if self.legs else None, up=work.up,
            speed=self.speed, height=self.height, blend=self.blend, lower=self.lower, threads=1,
        )  # fmt: skip
        _take(work, made)


def _take(work: Work, made: Correction) -> None:
    # Feet are reported as they are in the motion that is written.
    work.made = [one.after(made.motion) if isinstance(one, Planted) else one for one in work.made]
    work.made.append(made)
    work.put(made.motion)


@dataclass(frozen=True, kw_only=True)
class _Goals(Step):
    """A step that corrects a clip so that it meets a goal."""

    effector: str = key(_text, NAME, MISSING)
    root: str | None = key(_text, NAME)
    depth: int | None = key(_count, "how many joints may move")
    from_: float | None = key(_number, "seconds")
    until: float | None = key(_number, "seconds")
    blend: float = key(_not_negative, SECONDS, 0.25)
    hold: tuple[str, ...] = key(_texts, NAMES, ())
    lock: tuple[str, ...] = key(_texts, NAMES, ())
    tolerance: float | None = key(_positive, "a length above 0")
    unreachable: str = key(
        lambda value: one_of("policy", value, ("approach", "keep")),
        '"approach" or "keep"',
        "approach",
    )
    avoid: float | None = key(_not_negative, "a distance, 0 or more")
    obstacles: tuple[str, ...] = key(_obstacles, OBSTACLES, ())
    balance: tuple[str, ...] = key(_texts, NAMES, ())
    balance_margin: float = key(_not_negative, "a distance, 0 or more", 0.0)
    connect: tuple[str, ...] = key(_texts, PAIRS, ())
    weld: tuple[str, ...] = key(_texts, PAIRS, ())

    @property
    def _constraints(self) -> Constraints:
        return Constraints(
            self.avoid, self.obstacles, self.balance, self.balance_margin, self.connect, self.weld
        )

    def check_names(self, character: Character, motion: Motion) -> None:
        """Raise if it names joints that a clip does not have."""
        super().check_names(character, motion)
        with placed(self.where):
            self._constraints.names(motion.skeleton.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """The effector and what else is named."""
        return tuple(filter(None, (self.effector, self.root, *self.hold, *self.lock)))

    def _goal(self, motion: Motion) -> Goal:
        raise NotImplementedError

    def run(self, work: Work) -> None:
        """Correct the clip."""
        goals = [self._goal(work.motion), *(Hold(name) for name in self.hold)]
        made = correct_constrained(
            work.character, work.motion, goals, self._constraints,
            window=Window(self.from_, self.until), blend=self.blend, lock=self.lock,
            tolerance=self.tolerance, unreachable=self.unreachable, threads=1,
        )  # fmt: skip
        _take(work, made)


@dataclass(frozen=True, kw_only=True)
class ReachStep(_Goals):
    """A joint or tip goes to a place: to a point, to another joint, or by so much."""

    called: ClassVar[str] = "reach"

    to: Any = key(_point_or_name, "a point [x, y, z] or the name of a joint")
    by: Any = key(_point, "a way [dx, dy, dz]")

    def resolved(self, document: Document, keys: Keys) -> Self:
        """Check that there is a target, and one only."""
        if (self.to is None) == (self.by is None):
            raise document.error(keys, "'reach' expected either to = or by =")
        return self

    @property
    def joints(self) -> tuple[str, ...]:
        """The effector, the target and what else is named."""
        return (*_Goals.joints.__get__(self), *([self.to] if isinstance(self.to, str) else []))

    def _goal(self, motion: Motion) -> Goal:
        if self.by is not None:
            place: Any = motion.poses.position(self.effector) + np.array(self.by)
        else:
            place = _place(motion, self.to)
        return Reach(self.effector, place, root=self.root, depth=self.depth or 0)


@dataclass(frozen=True, kw_only=True)
class LookStep(_Goals):
    """A joint turns so that one of its axes points at a place."""

    called: ClassVar[str] = "look_at"

    at: Any = key(_point_or_name, "a point [x, y, z] or the name of a joint", MISSING)
    axis: Any = key(_axis, '"x", "-z", ... or a vector', "x")

    @property
    def joints(self) -> tuple[str, ...]:
        """The effector, the target and what else is named."""
        return (*_Goals.joints.__get__(self), *([self.at] if isinstance(self.at, str) else []))

    def _goal(self, motion: Motion) -> Goal:
        return LookAt(
            self.effector, _place(motion, self.at), axis=self.axis, root=self.root, depth=self.depth
        )


def _place(motion: Motion, given: Any) -> Any:
    return motion.poses.position(given) if isinstance(given, str) else np.array(given)


@dataclass(frozen=True, kw_only=True)
class Limit(Step):
    """Joints are put into their limits: the clip's own, or those of a file with the same joints."""

    called: ClassVar[str] = "limit"

    limits: str | None = key(_text, "a file with joints that have limits")

    def resolved(self, document: Document, keys: Keys) -> Self:
        """Find the file beside the plan."""
        return _with_file(self, document, keys, "limits")

    def run(self, work: Work) -> None:
        """Clamp the joints."""
        motion = work.motion
        if self.limits is not None:
            limited = _character(self.limits).skeleton
            clamped = motion.on(limited).poses.clamped()
            motion = motion.with_(poses=clamped.on(motion.skeleton, offsets="animated"))
        else:
            motion = motion.with_(poses=motion.poses.clamped())
        before = work.motion.poses.turns(motion.poses)
        work.data.append({"do": self.called, "largest": float(before.max(initial=0.0))})
        work.put(motion)


@dataclass(frozen=True, kw_only=True)
class Retarget(Step):
    """The motion goes onto another body: `supple.retarget`."""

    called: ClassVar[str] = "retarget"
    replaces: ClassVar[bool] = True

    onto: str = key(_text, "the file of a character or robot", MISSING)
    mapping: str | None = key(_text, "a file that maps joints")

    def resolved(self, document: Document, keys: Keys) -> Self:
        """Find the files beside the plan."""
        step = _with_file(self, document, keys, "onto")
        return _with_file(step, document, keys, "mapping")

    def run(self, work: Work) -> None:
        """Retarget the clip."""
        target = _character(self.onto)
        body = None if self.mapping is None else BodyMap.load(self.mapping)
        motion = retarget(work.motion, onto=target, target_map=body).motion
        work.character = target.with_(motions={work.name: motion.with_(name=work.name)})
        work.up = target.up or work.up


@dataclass(frozen=True, kw_only=True)
class CheckStep(Step):
    """The motion is checked, and repaired if asked for."""

    called: ClassVar[str] = "check"

    kinds: tuple[str, ...] | None = key(_texts, "kinds of fault")
    fix: bool = key(_flag, "true or false", False)
    against: bool = key(_flag, "true or false", False)
    ground: float | None = key(_number, "a height")

    def resolved(self, document: Document, keys: Keys) -> Self:
        """Check the kinds."""
        for kind in self.kinds or ():
            document.one_of((*keys, "kinds"), "kind of fault", kind, KINDS)
        return self

    def run(self, work: Work) -> None:
        """Check the clip."""
        against = None
        if self.against and work.original.skeleton == work.motion.skeleton:
            against = work.original
        report = check(
            work.character, motion=work.name, budgets=work.budgets, kinds=self.kinds, up=work.up,
            loop=work.loop, ground=self.ground, against=against,
        )  # fmt: skip
        data: dict[str, Any] = {"do": self.called}
        if self.fix and not report.ok:
            repaired = fix(report)
            data["repairs"] = [str(one) for one in repaired.repairs]
            work.put(repaired.motion)
            report = repaired.report
        data |= report.to_json()
        work.ok &= report.ok
        work.data.append(data)


STEPS: dict[str, type[Step]] = {
    one.called: one for one in (Plant, ReachStep, LookStep, Limit, Retarget, CheckStep)
}
"""The steps there are, by what a plan calls them."""


def _with_file(step: Any, document: Document, keys: Keys, name: str) -> Any:
    given = getattr(step, name)
    if given is None:
        return step
    path = document.path.parent / given
    try:
        content = path.read_bytes()
    except OSError as error:
        raise document.error(
            (*keys, name), f"cannot read {str(path)!r}: {error.strerror}"
        ) from None
    changes: Mapping[str, Any] = {name: str(path), "sources": (*step.sources, content)}
    return type(step)(**{**{one.name: getattr(step, one.name) for one in fields(step)}, **changes})


@lru_cache(maxsize=8)
def _character(path: str) -> Character:
    with quiet():
        return load(Path(path))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the "supple" logger: thousands of clips say the same."""
    log = logging.getLogger("supple")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
