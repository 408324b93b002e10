"""Budgets: how much of each kind of fault is allowed, and their TOML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.apps.motion.checks.measure import KINDS
from supple.errors import SuppleError, brief, listed, number, one_of
from supple.toml import Document, read


@dataclass(frozen=True)
class Budgets:
    """How much of each kind of fault is allowed; None for a kind that is not checked.

    Lengths are in leg lengths, so that the same budgets fit files in any unit. For a kind marked with an asterisk, a
    fault must exceed both the budget and `times` the clip's own typical value.

    Attributes:
        skate: * Sliding speed of a foot in contact [leg lengths a second].
        penetration: Depth of a joint in the ground [leg lengths].
        floating: Height of the lowest point above the ground in a body that does not fall [leg lengths].
        speed: * How far a joint moves its children in one frame [leg lengths].
        acceleration: * Change of that speed in one frame [leg lengths a second].
        jerk: * Shaking of a joint: the third difference of that motion, its median over 0.2 s [leg lengths].
        limits: How far a joint is outside its limits [rad].
        bones: Change of a bone's length [share of it].
        collision: How deep parts of the body overlap [share of the sum of their radii]; at 1 their axes cross.
        seam: * Jump of a joint from the end of a loop to its beginning [rad; leg lengths].
        swap: How many times nearer left and right are to each other's last position than to their own; above 1.
        frozen: Speed of a figure that stops from one frame to the next [leg lengths a second].
        times: The allowed multiple of what is typical in the clip.
        pop_reach: Joints whose children reach less far, such as fingers, are not checked for speed, acceleration and
            jerk [leg lengths]. None: all are.
        lower_ground: A joint deeper in the ground than this stands on lower ground, such as beside a step
            [leg lengths]. None: the ground is level.
        recurs: The allowed multiple of a penetration or collision depth that occurs again elsewhere in the clip: feet
            that reach a level twice stand on ground there. None: the budgets alone.
    """

    skate: float | None = 0.4
    penetration: float | None = 0.05
    floating: float | None = 0.06
    speed: float | None = 0.15
    acceleration: float | None = 5.0
    jerk: float | None = 0.08
    limits: float | None = 0.01
    bones: float | None = 0.03
    collision: float | None = 0.45
    seam: float | None = 0.08
    swap: float | None = 1.8
    frozen: float | None = 0.1
    times: float = 4.0
    pop_reach: float | None = None
    lower_ground: float | None = None
    recurs: float | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None or one.name == "times":
                least = 1.0 if one.name in ("times", "swap") else 0.0
                expected = f"a number above {least:g}"
                value = number(f"budget {one.name!r}", value, expected,
                               lambda x, least=least: least < x < np.inf)  # fmt: skip
                object.__setattr__(self, one.name, value)

    @classmethod
    def of(
        cls,
        given: Budgets | Mapping[str, Any] | str | os.PathLike[str] | None,
        profile: str | None = None,
    ) -> Budgets:
        """Budgets as given: themselves, some of them by name, or the path of a TOML file.

        Args:
            given: Budgets that are not given come from the profile.
            profile: One of `PROFILES`; by default "authored", or the one that the file names.

        Raises:
            SuppleError: There is no such profile, a budget is wrong, or a profile is given beside a `Budgets`.
        """
        if profile is not None:
            one_of("profile", profile, PROFILES)
        if given is None:
            return PROFILES[profile or AUTHORED]
        if isinstance(given, Budgets):
            if profile is not None:
                raise SuppleError(
                    "profile: expected some budgets by name or a TOML file beside it, got all of them"
                )
            return given
        if isinstance(given, Mapping):
            return cls._from(given, "budgets", profile)
        if isinstance(given, (str, os.PathLike)):
            return cls.load(given, profile)
        raise SuppleError(
            "budgets: expected supple.Budgets, numbers by name or a TOML file, "
            f"got a {type(given).__name__}"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], profile: str | None = None) -> Budgets:
        """The budgets of a TOML file: `skate = 0.1`, or `skate = false` for a kind that is not checked.

        They are at the top of the file or in a table [budgets]. `profile = "captured"` sets the others; the argument
        `profile` overrides it.

        Raises:
            SuppleError: The file cannot be read, a name is unknown or a value is no number; with its line.
        """
        document = read(path)
        if "budgets" in document.data:
            for name in document.data:
                document.one_of((name,), "table", name, ("budgets",))
            return cls.from_table(document, ("budgets",), profile)
        return cls.from_table(document, (), profile)

    @classmethod
    def from_table(
        cls, document: Document, path: tuple[str | int, ...], profile: str | None = None
    ) -> Budgets:
        """The budgets in a table of a TOML document."""
        data = document.table(path)
        known = ["profile", *(one.name for one in fields(cls))]
        for name in data:
            document.one_of((*path, name), "budget", name, known)
            try:
                cls._from({name: data[name]}, "budgets")
            except SuppleError as error:
                raise SuppleError(f"{document.where((*path, name))}: {error}") from None
        return cls._from(data, str(document.path), profile)

    @classmethod
    def _from(cls, data: Mapping[str, Any], what: str, profile: str | None = None) -> Budgets:
        values: dict[str, Any] = {}
        own = one_of("profile", data.get("profile", AUTHORED), PROFILES)
        for name, value in data.items():
            if name == "profile":
                continue
            one_of(f"{what}: budget", name, [one.name for one in fields(cls)])
            if isinstance(value, bool):
                if value or name == "times":
                    raise SuppleError(
                        f"budget {name!r}: expected a number or false, got {brief(value)}"
                    )
                value = None
            values[name] = value
        return replace(PROFILES[profile or own], **values)

    def only(self, kinds: Iterable[str]) -> Budgets:
        """The same for some kinds; the others are not checked."""
        chosen = {
            one_of("kind of fault", kind, KINDS)
            for kind in listed("kinds", kinds, "a list of kinds")
        }
        return replace(self, **{kind: None for kind in KINDS if kind not in chosen})

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


AUTHORED = "authored"
PROFILES: Mapping[str, Budgets] = MappingProxyType(
    {
        AUTHORED: Budgets(),
        # Chosen on 35 captured files, so that few have faults while most seeded ones are found: docs/checking.md.
        "captured": Budgets(
            skate=0.45,
            penetration=0.07,
            speed=0.2,
            acceleration=20.0,
            jerk=0.4,
            collision=0.65,
            times=5.0,
            pop_reach=0.25,
            lower_ground=0.15,
            recurs=1.5,
        ),
    }
)
"""Budgets by name: "authored" for motion without faults, "captured" for clips as they were captured, with noise that
nobody repairs."""
