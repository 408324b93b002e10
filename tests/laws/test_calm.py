"""Calm when unreachable: a small move of a target out of reach is a small move of the pose."""

import numpy as np
import pytest
from tests.support import calm, random_chains

import supple

every_group = pytest.mark.parametrize("group", random_chains.GROUPS)


@every_group
@pytest.mark.parametrize("solver", ["auto", "FABRIK"])
def test_a_small_move_of_the_target_is_a_small_move_of_the_pose(group, solver):
    """No joint turns by more than ten times the angle by which the target moves, seen from the root.

    But for points equally far from two answers, and these have neighbourhoods: where a target is
    behind a cone at whose rim the root stands, or two hinges are almost parallel, the nearest pose
    itself moves faster than that, through poses that are all about as near. So a larger turn is
    allowed where its calm part would do as well, to within 0.05% of the chain's length.
    """
    steps = list(calm.walk(group, solver, chains=20, steps=20))
    assert all(s.ratio <= calm.CALM_RATIO or calm.price(s) <= calm.EQUAL_DISTANCE for s in steps)
    assert sum(s.ratio > calm.CALM_RATIO for s in steps) <= 0.05 * len(steps)


@every_group
def test_a_target_that_stays_leaves_the_pose(group):
    """No flicker: from the answer, the answer."""
    rng = np.random.default_rng([5, random_chains.GROUPS.index(group)])
    for _ in range(10):
        skeleton = random_chains.random_chain(group, rng)
        length = skeleton.length("tip", root="j0")
        ik = supple.prepare(skeleton, [supple.Reach("tip")])
        direction = rng.normal(size=3)
        target = length * rng.uniform(1.05, 2.5) * direction / np.linalg.norm(direction)
        pose = ik(target).pose
        for _ in range(3):
            again = ik(target, start=pose)
            assert again.pose.turns(pose).max() < 0.005
            pose = again.pose
