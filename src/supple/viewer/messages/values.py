"""What messages are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar, dataclass_transform

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Range = tuple[float | None, float | None]
Option = bool | int | float | str | None

AttributeValue = bool | float | str | list[float]

GoalKind = Literal["reach", "pose", "look", "pole", "hold", "target"]
AttributeKind = Literal["number", "flag", "choice", "text", "color", "numbers"]
SaveFormat = Literal["glb", "bvh", "smd", "json", "trace"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def message(cls: type[T]) -> type[T]:
    """Make a class a message: a frozen dataclass, built by keywords."""
    return dataclass(frozen=True, kw_only=True)(cls)
