"""Masses and the centre of mass."""

import math

import numpy as np
import pytest

import supple
from supple import Capsule, Mass, SuppleError


def weighed():
    skeleton = supple.chain([1.0, 1.0], joint=supple.Hinge("z"))
    masses = {"j0": Mass(1.0, (0.5, 0, 0)), "j1": Mass(3.0, (0.5, 0, 0))}
    return skeleton.with_physics(masses=masses)


def test_the_center_is_weighed_by_mass():
    skeleton = weighed()
    assert skeleton.rest.center_of_mass == pytest.approx([(0.5 + 3 * 1.5) / 4, 0, 0])
    bent = skeleton.pose({"j1": math.pi / 2})
    assert bent.center_of_mass == pytest.approx([(0.5 + 3 * 1.0) / 4, 3 * 0.5 / 4, 0])


def test_a_batch_is_the_same_as_each():
    skeleton = weighed()
    angles = np.random.default_rng(0).normal(size=(2, 3, 2))
    poses = supple.Pose.from_angles(skeleton, angles)
    centers = poses.center_of_mass
    assert centers.shape == (2, 3, 3)
    for k in np.ndindex(2, 3):
        assert np.allclose(centers[k], poses[k].center_of_mass, atol=1e-15)


def test_scales_and_offsets_of_the_pose_count():
    skeleton = weighed()
    scaled = supple.Pose(skeleton, scales=np.full((2, 3), (2.0, 1.0, 1.0)))
    # The first bone is twice as long, the second four times, and so are the ways to their centres.
    assert scaled.center_of_mass == pytest.approx([(1 * 1.0 + 3 * (2.0 + 2.0)) / 4, 0, 0])


def test_missing_masses_are_said():
    with pytest.raises(SuppleError, match=r"with_physics\(masses=.*with_masses\(\)"):
        _ = supple.chain([1.0]).rest.center_of_mass
    skeleton = weighed()
    with pytest.raises(SuppleError, match="none for 'j1'"):
        _ = skeleton.with_physics(masses={"j0": Mass(1.0), "j1": None}).rest.center_of_mass
    with pytest.raises(SuppleError, match="got 0 kg"):
        _ = skeleton.with_physics(masses={"j0": Mass(0.0)}).rest.center_of_mass
    with pytest.raises(SuppleError, match="mass: expected a finite number"):
        Mass(-1.0)
    with pytest.raises(SuppleError, match="expected a Mass"):
        skeleton.with_physics(masses={"j0": 1.0})


def test_masses_of_a_character_are_those_of_its_capsules():
    skeleton = supple.chain([100.0])
    character = supple.Character(skeleton, unit="cm").with_physics(
        capsules={"j0": Capsule((0, 0, 0), (100, 0, 0), 10)}
    )
    weighed = character.with_masses()
    volume = math.pi * 0.1**2 * (1 + 4 / 3 * 0.1)  # m^3
    assert weighed.skeleton.masses["j0"].mass == pytest.approx(1000 * volume)
    assert weighed.pose.center_of_mass == pytest.approx([50, 0, 0])
    assert character.with_masses(density=500).skeleton.masses["j0"].mass == pytest.approx(
        500 * volume
    )


def test_a_humanoid_has_its_center_at_the_hips():
    hero = supple.humanoid().with_masses()
    low, high = (f(hero.skeleton.rest.positions[:, 1]) for f in (np.min, np.max))
    height = (hero.pose.center_of_mass[1] - low) / (high - low)
    assert 0.45 < height < 0.65
    assert abs(hero.pose.center_of_mass[0]) < 0.05
