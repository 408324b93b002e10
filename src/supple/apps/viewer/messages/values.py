"""Bounded value types of messages, and the `message` decorator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar, dataclass_transform

MOST_LINKS = 200
MOST_GOALS = 1000
MOST_SLOTS = 16  # solvers side by side
MOST_STEPS = 100_000  # limit of integer solver options, so that every solve ends
LARGEST_NUMBER = 1e9  # of lengths, angles and coordinates: products stay finite
LONGEST_TEXT = 1000  # characters of a name or text


@dataclass(frozen=True)
class Within:
    """Inclusive bounds of a number, or of the length of a text, list or object."""

    least: float
    greatest: float


Number = Annotated[float, Within(-LARGEST_NUMBER, LARGEST_NUMBER)]
Amount = Annotated[float, Within(0.0, LARGEST_NUMBER)]
Length = Annotated[float, Within(1 / LARGEST_NUMBER, LARGEST_NUMBER)]
Seconds = Annotated[float, Within(0.0, 1e6)]
KeyTime = Annotated[float, Within(0.0, 3600.0)]
Text = Annotated[str, Within(0, LONGEST_TEXT)]
Serial = Annotated[int, Within(0, 2**32 - 1)]
"""An unsigned 32-bit number, as in the header of pose frames."""

Vector = tuple[Number, Number, Number]
Quaternion = tuple[Number, Number, Number, Number]
Range = tuple[Number | None, Number | None]
Option = bool | Annotated[int, Within(-MOST_STEPS, MOST_STEPS)] | Number | Text | None

AttributeValue = bool | Number | Text | Annotated[list[Number], Within(0, LONGEST_TEXT)]

AxisName = Literal["x", "y", "z", "-x", "-y", "-z"]
GoalKind = Literal["reach", "pose", "look", "pole", "hold", "target"]
AttributeKind = Literal["number", "flag", "choice", "text", "color", "numbers"]
SaveFormat = Literal["glb", "bvh", "smd", "json", "trace", "page"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def message(cls: type[T]) -> type[T]:
    """Make a class a message: a frozen dataclass, built by keywords."""
    return dataclass(frozen=True, kw_only=True)(cls)
