"""Budgets: how much of each kind of fault is allowed, and their TOML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
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
        times: How many times what is usual in the clip is allowed.
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
    times: float = 4.0

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
    def of(cls, given: Budgets | Mapping[str, Any] | str | os.PathLike[str] | None) -> Budgets:
        """Budgets as given: themselves, some of them by name, or the path of a TOML file."""
        if given is None:
            return cls()
        if isinstance(given, Budgets):
            return given
        if isinstance(given, Mapping):
            return cls._from(given, "budgets")
        if isinstance(given, (str, os.PathLike)):
            return cls.load(given)
        raise SuppleError(
            "budgets: expected supple.Budgets, numbers by name or a TOML file, "
            f"got a {type(given).__name__}"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Budgets:
        """The budgets of a TOML file: `skate = 0.1`, or `skate = false` for what is not checked.

        They stand at the top of the file or in a table [budgets].

        Raises:
            SuppleError: The file cannot be read, a name is unknown or a value is no number; with its line.
        """
        document = read(path)
        if "budgets" in document.data:
            for name in document.data:
                document.one_of((name,), "table", name, ("budgets",))
            return cls.from_table(document, ("budgets",))
        return cls.from_table(document, ())

    @classmethod
    def from_table(cls, document: Document, path: tuple[str | int, ...]) -> Budgets:
        """The budgets in a table of a TOML document."""
        data = document.table(path)
        known = [one.name for one in fields(cls)]
        for name in data:
            document.one_of((*path, name), "budget", name, known)
            try:
                cls._from({name: data[name]}, "budgets")
            except SuppleError as error:
                raise SuppleError(f"{document.where((*path, name))}: {error}") from None
        return cls._from(data, str(document.path))

    @classmethod
    def _from(cls, data: Mapping[str, Any], what: str) -> Budgets:
        values: dict[str, Any] = {}
        for name, value in data.items():
            one_of(f"{what}: budget", name, [one.name for one in fields(cls)])
            if isinstance(value, bool):
                if value or name == "times":
                    raise SuppleError(
                        f"budget {name!r}: expected a number or false, got {brief(value)}"
                    )
                value = None
            values[name] = value
        return cls(**values)

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
