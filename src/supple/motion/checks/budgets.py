"""Budgets: how much of each kind of fault is allowed, and their TOML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.errors import SuppleError, brief, listed, number, one_of
from supple.motion.checks.measure import KINDS
from supple.toml import Document, read


@dataclass(frozen=True)
class Budgets:
    """How much of each kind of fault is allowed; None for a kind that is not checked.

    Lengths are in leg lengths, so that the same budgets fit files in any unit. A kind marked with * is
    measured beside the clip's own: the budget is the least that counts, and what is usual in the clip,
    `times` over, is allowed.

    Attributes:
        skate: * How fast a foot that stands may slide [leg lengths a second].
        penetration: How far a joint may be in the ground [leg lengths].
        floating: How far the lowest point may be above the ground in a body that does not
            fall [leg lengths].
        speed: * How far a joint may throw what hangs on it in one frame [leg lengths].
        acceleration: * By how much the speed of that may change in one frame [leg lengths a second].
        jerk: * How much a joint may shake: the third difference of that, its median over 0.2 s [leg lengths].
        limits: How far a joint may be outside its limits [rad].
        bones: By what share of its length a bone may change.
        collision: How deep parts of the body may be inside each other, as a share of both radii; at 1 their
            axes cross.
        seam: * How far a joint may jump from the end of a loop to its beginning [rad; leg lengths].
        swap: How much nearer left and right may be to each other's last place than to their own; above 1.
        frozen: How fast a figure may be that stands still from one frame to the next [leg lengths a second].
        times: How many times what is usual in the clip is allowed.
        pop_reach: Joints that carry less than that far, such as fingers, are not checked for speed, acceleration and
            jerk [leg lengths]. None: all are.
        lower_ground: What is deeper in the ground stands on lower ground, such as beside a step [leg lengths].
            None: the ground is level.
        recurs: How many times what penetration and collision reach again elsewhere in the clip is allowed: ground that
            feet come down to twice is ground. None: the budgets alone.
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
            given: Those that are not given are those of the profile.
            profile: One of `PROFILES`; by default "authored", or the one that the file names.

        Raises:
            SuppleError: There is no such profile, or a budget is wrong; or a profile is asked for beside all budgets.
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
        """The budgets of a TOML file: `skate = 0.1`, or `skate = false` for what is not checked.

        They stand at the top of the file or in a table [budgets]. `profile = "captured"` says what the others are;
        a profile that is asked for takes its place.

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
"""Budgets by name: "authored" for motion that is to be without faults, "captured" for clips as they were captured,
whose noise nobody mends."""
