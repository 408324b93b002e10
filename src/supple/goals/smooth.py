"""`Smooth`: joints that move smoothly over the frames of a clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from supple.errors import SuppleError, number, one_of
from supple.goals.goal import Goal
from supple.model.skeleton import Pose, Skeleton

USUAL_RATE = 30.0  # the frame rate at which weights count as they are given [1/s]
ORDERS = ("departure", "velocity", "acceleration")  # of the differences that are weighed


@dataclass(frozen=True, eq=False, repr=False)
class Smooth(Goal):
    """Have the joints of a clip move smoothly. Frees nothing; only for clips, see `Prepared.clip`.

    Weighs the squares of what the freedoms do from frame to frame, in radians and characteristic lengths (that of the
    longest chain of a goal), beside goals whose distances count in characteristic lengths, too. A weight of a velocity
    or an acceleration is meant at 30 frames a second, and is scaled with the frame rate so that the same motion costs
    the same at any.

    Args:
        acceleration: Weight of second differences: a number for all joints, or {joint: number}, those that are not
            named having none.
        velocity: Weight of first differences, the same.
        departure: Weight of the freedoms' distance from the reference, the same.
        reference: The animation, a batch of poses (F,), or a single pose: differences are those between the clip and
            this, so that a correction is smooth and not the clip. By default the clip itself is, and `departure` is the
            distance from the posture of `Rest`, or from the skeleton's rest.
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
        rate = fps / USUAL_RATE
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
