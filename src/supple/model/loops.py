"""Loops: constraints that close a tree of joints to a mechanism, such as MJCF's `connect` and `weld`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from supple.errors import SuppleError, array, brief, one_of, text
from supple.rotations import unit_quaternions

LOOPS = ("connect", "weld")


@dataclass(frozen=True)
class Loop:
    """Two bones that are held together at a point ("connect"), or rigidly ("weld").

    The loop is closed if `point_a` on `a` and `point_b` on `b` have the same world position, and for a
    weld if R_world_b = R_world_a * `rotation`, too.

    Attributes:
        kind: "connect" or "weld".
        a: A joint.
        b: Another joint.
        point_a: In the frame of `a`, xyz in the model's unit.
        point_b: In the frame of `b`, xyz in the model's unit.
        rotation: Rotation of `b` in the frame of `a`, wxyz; for a weld.
        name: Its name in the file; "" for none.
    """

    kind: str
    a: str
    b: str
    point_a: Any = (0.0, 0.0, 0.0)
    point_b: Any = (0.0, 0.0, 0.0)
    rotation: Any = (1.0, 0.0, 0.0, 0.0)
    name: str = ""

    def __post_init__(self) -> None:
        who = (
            f"loop {self.name!r}"
            if text("name of a loop", self.name)
            else f"a loop of {self.a!r} and {self.b!r}"
        )
        one_of(f"kind of {who}", self.kind, LOOPS)
        for what in ("point_a", "point_b"):
            point = array(f"{what} of {who}", getattr(self, what), (3,)) + 0.0
            object.__setattr__(self, what, tuple(point.tolist()))
        turn = unit_quaternions(f"rotation of {who}", array("rotation", self.rotation, (4,)))
        object.__setattr__(self, "rotation", tuple(turn.tolist()))

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        data = {key: getattr(self, key) for key in self.__dataclass_fields__}
        return {key: list(one) if isinstance(one, tuple) else one for key, one in data.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Loop:
        """The loop that `to_json` described."""
        try:
            return cls(**data)
        except TypeError:
            raise SuppleError(f"loop from JSON: expected its fields, got {brief(data)}") from None
