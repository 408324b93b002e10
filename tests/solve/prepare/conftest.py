"""The skeletons, targets and starts that prepared problems are tested on."""

import numpy as np
import pytest

import supple
from supple import Hinge, Pose


@pytest.fixture
def arm():
    return supple.chain([1, 1], joint=Hinge("z", limits=(-2.6, 2.6)))


@pytest.fixture
def snake():
    return supple.chain([1, 1, 1])


@pytest.fixture
def random_targets():
    """Makes points in a cube, shape (*shape, 3)."""

    def make(*shape, size=1.5, seed=0):
        return np.random.default_rng(seed).uniform(-size, size, (*shape, 3))

    return make


@pytest.fixture
def random_starts():
    """Makes a batch of poses of a skeleton."""

    def make(skeleton, *shape, seed=1):
        rng = np.random.default_rng(seed)
        return Pose.from_angles(skeleton, rng.uniform(-1, 1, (*shape, len(skeleton.freedoms))))

    return make
