"""Calm when unreachable: a small move of a target out of reach is a small move of the pose."""

import numpy as np
import pytest
import random_chains

import supple

STEP = 0.01  # how far the target moves, in chain lengths
MOST = 10.0  # how much more than the target, seen from the root, a joint may turn


def walk(group, *, chains, steps):
    """Turns of the busiest joint, as multiples of the angle by which the target moves."""
    rng = np.random.default_rng([3, random_chains.GROUPS.index(group)])
    ratios = []
    for _ in range(chains):
        skeleton = random_chains.random_chain(group, rng)
        length = skeleton.length("tip", root="j0")
        ik = supple.prepare(skeleton, [supple.Reach("tip")])
        direction = rng.normal(size=3)
        target = length * rng.uniform(1.05, 2.5) * direction / np.linalg.norm(direction)
        pose = ik(target, start=ik(target).pose).pose
        for _ in range(steps):
            step = rng.normal(size=3)
            moved = target + STEP * length * step / np.linalg.norm(step)
            answer = ik(moved, start=pose)
            assert not answer.reached
            angle = STEP * length / np.linalg.norm(target)
            ratios.append(answer.pose.turns(pose).max() / angle)
            target, pose = moved, answer.pose
    return np.array(ratios)


@pytest.mark.parametrize("group", ["free", "cone"])
def test_a_small_move_of_the_target_is_a_small_move_of_the_pose(group):
    assert walk(group, chains=20, steps=20).max() <= MOST


@pytest.mark.parametrize("group", random_chains.GROUPS)
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
            assert again.pose.turns(pose).max() < 0.02
            pose = again.pose
