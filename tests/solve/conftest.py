"""The skeletons that solving is tested on."""

import numpy as np
import pytest

import supple
from supple import (
    Hinge,
    Node,
    Skeleton,
    Tip,
)


@pytest.fixture
def arm():
    return supple.chain([1, 1], joint=Hinge("z", limits=(-2.6, 2.6)))


@pytest.fixture
def snake():
    return supple.chain([9, 9, 9, 9, 4])


@pytest.fixture
def figure():
    """A spine with a head and two arms of two bones each."""
    return Skeleton(
        [
            Node("hips", None, (0, 1, 0)),
            Node("spine", "hips", (0, 0.3, 0)),
            Node("head", "spine", (0, 0.5, 0)),
            Node("arm.l", "spine", (0.2, 0.4, 0)),
            Node("elbow.l", "arm.l", (0.3, 0, 0), Hinge("y", limits=(-2.5, 0))),
            Node("arm.r", "spine", (-0.2, 0.4, 0)),
            Node("elbow.r", "arm.r", (-0.3, 0, 0), Hinge("y", limits=(0, 2.5))),
        ],
        [Tip("hand.l", "elbow.l", (0.3, 0, 0)), Tip("hand.r", "elbow.r", (-0.3, 0, 0))],
    )


@pytest.fixture
def moved():
    """What tells the joints that moved."""

    def names(start, answer):
        """Names of the joints that are not where they were, to the bit."""
        skeleton = start.skeleton
        found = []
        for name, row in zip(skeleton.joint_names, skeleton.packed_ints, strict=True):
            at = slice(row[2], row[2] + row[3])
            if not np.array_equal(start.coordinates[at], answer.coordinates[at]):
                found.append(name)
        return found

    return names
