"""`Smooth`: joints that move smoothly over the frames of a clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from supple.errors import SuppleError, number, one_of
from supple.goals.goal import Goal
from supple.model.skeleton import Pose, Skeleton

REFERENCE_RATE = 30.0  # the frame rate at which weights apply without scaling [1/s]
ORDERS = ("departure", "velocity", "acceleration")  # differences of order 0, 1 and 2


@dataclass(frozen=True, eq=False, repr=False)
class Smooth(Goal):
    """Make the joints of a clip move smoothly. Frees nothing; only for clips, see `Prepared.clip`.

    The cost is the weighted sum of squared differences of the freedoms between frames, in radians and characteristic
    lengths (the length of the longest chain of a goal). The distances of goals are in characteristic lengths, too.
    Weights of velocity and acceleration are given for 30 frames a second, and are scaled so that the same motion costs
    the same at any frame rate.

    Args:
        acceleration: Weight of second differences: a number for all joints, or {joint: number} with 0 for joints that
            are not named.
        velocity: Weight of first differences, in the same form.
        departure: Weight of the freedoms' distance from the reference, in the same form.
        reference: The animation, a batch of poses (F,), or a single pose: differences are taken of the clip minus
            the reference, so that the correction is smooth, not the clip. By default the clip itself is smooth, and
            `departure` is the distance from the posture of `Rest`, or from the skeleton's rest.
    """

    counts: ClassVar[bool] = False
    needs_clip: ClassVar[bool] = True

    acceleration: Any = 0.3
    _: KW_ONLY
    velocity: Any = 0.0
    departure: Any = 0.0
    reference: Pose | None = None

    def __post_init__(self) -> None:
        for name in ORDERS:
            self._set(name, _weights(name, getattr(self, name)))
        if self.reference is not None:
            if not isinstance(self.reference, Pose):
                raise SuppleError(
                    f"reference of Smooth: expected a supple.Pose, got {type(self.reference).__name__}"
                )
            if len(self.reference.batch_shape) > 1:
                raise SuppleError(
                    "reference of Smooth: expected a pose or a batch with one axis of frames, "
                    f"got axes {self.reference.batch_shape}"
                )

    def difference_weights(self, skeleton: Skeleton, joints: np.ndarray, fps: float) -> np.ndarray:
        """Weights of differences of the order 0, 1 and 2, shape (len(joints), 3).

        Args:
            skeleton: The skeleton.
            joints: The joint of every freedom, its index.
            fps: Frames a second.

        Raises:
            SuppleError: A joint is unknown.
        """
        rate = fps / REFERENCE_RATE
        out = np.empty((len(joints), len(ORDERS)))
        for order, name in enumerate(ORDERS):
            given = getattr(self, name)
            each = np.full(len(skeleton.joints), given if isinstance(given, float) else 0.0)
            for joint, weight in () if isinstance(given, float) else given:
                one_of(f"joint of Smooth {name}", joint, skeleton.joint_names)
                each[skeleton.index(joint)] = weight
            out[:, order] = each[joints] * rate ** (2 * order)
        return out


def _weights(name: str, given: Any) -> float | tuple[tuple[str, float], ...]:
    """A weight for all joints, or pairs of joint and weight, which can be hashed."""
    what = f"{name} of Smooth"
    expected = "a number from 0, or {joint: number}"
    if isinstance(given, tuple) and all(isinstance(one, tuple) and len(one) == 2 for one in given):
        given = dict(given)
    if isinstance(given, Mapping):
        return tuple((str(k), _weight(f"{what} for {k!r}", v, expected)) for k, v in given.items())
    return _weight(what, given, expected)


def _weight(what: str, given: Any, expected: str) -> float:
    return number(what, given, expected, lambda x: 0.0 <= x < np.inf)


def as_smooth(given: Any) -> Smooth:
    """A `Smooth` from itself, or from its weight of acceleration.

    Raises:
        SuppleError: It is neither.
    """
    if isinstance(given, Smooth):
        return given
    return Smooth(_weight("smooth", given, "a Smooth, or its weight of acceleration from 0"))
