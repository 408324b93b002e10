"""Feet on ground that is not level."""

import numpy as np
import pytest

import supple
from supple import Mesh, SuppleError
from supple.apps.motion.ground import Ground
from supple.model.skeleton import Pose
from supple.rotations import conjugate, rotate

UP = np.array([0.0, 1.0, 0.0])
SLOPE = 0.15


def hill(points):
    return SLOPE * points[:, 2] + 0.05 * points[:, 0]


def mesh():
    flat = 9.0 * np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]])
    flat[:, 1] = hill(flat)
    return Mesh("hill", flat, np.array([[0, 1, 2], [0, 2, 3]]))


@pytest.fixture(scope="module")
def standing():
    """Somebody who stands and waves, on feet that slide a little."""
    wave = supple.humanoid().motion("wave")
    joints = {name: supple.Ball() for name in wave.skeleton.joint_names[1:]}
    wave = wave.on(wave.skeleton.with_joints(joints))
    places = np.array(wave.poses._full_translations())
    t = np.arange(len(wave)) / wave.fps
    places[:, 0, 0] += 0.02 * np.sin(2 * t)
    return wave.with_(poses=Pose(wave.skeleton, wave.poses.coordinates, places))


def test_a_mesh_has_the_heights_and_normals_of_its_surface():
    points = np.random.default_rng(0).uniform(-8, 8, size=(50, 3))
    by_mesh, by_function = Ground(mesh(), UP, 1.0), Ground(hill, UP, 1.0)
    assert np.allclose(by_mesh.heights(points), hill(points))
    expected = np.array([-0.05, 1.0, -SLOPE]) / np.linalg.norm([0.05, 1.0, SLOPE])
    assert np.allclose(by_mesh.normal(points[0]), expected)
    assert np.allclose(by_function.normal(points[0]), expected)
    assert np.isclose(by_mesh.heights(np.array([[50.0, 0, 0]]))[0], mesh().positions[:, 1].min())


@pytest.mark.parametrize("ground", [hill, mesh()], ids=["function", "mesh"])
def test_soles_lie_along_a_slope_and_stay_where_they_stand(standing, ground):
    made = supple.plant_feet(standing, ground=ground)
    assert np.all(made.reached)
    normal = Ground(hill, UP, 1.0).normal(np.zeros(3))
    clear = []
    for foot, slide in zip(made.feet, made.slides, strict=True):
        flat = slide.heel & slide.toe
        assert flat.mean() > 0.9
        for name in (foot.ankle, foot.toe):
            at = made.motion.poses.position(name)[flat]
            assert np.ptp(at, axis=0).max() < 1e-6 * foot.length
        sole = rotate(conjugate(standing.skeleton.rest.rotation(foot.ankle)), UP)
        up = rotate(made.motion.poses.rotation(foot.ankle)[flat], sole)
        assert np.allclose(up, normal, atol=1e-6)
        ankle = made.motion.poses.position(foot.ankle)[flat]
        clear.append(ankle @ UP - hill(ankle))
    assert np.ptp(np.concatenate(clear)) < 0.02  # both on the ground, not on one level


def test_level_ground_given_changes_no_more_than_level_ground(standing):
    plain = supple.plant_feet(standing)
    given = supple.plant_feet(standing, ground=lambda points: np.zeros(len(points)))
    for foot in plain.feet:
        a, b = (one.motion.poses.position(foot.ankle) for one in (plain, given))
        assert np.abs(a - b).max() < 0.01


def test_a_level_and_a_plane_are_ground():
    points = np.random.default_rng(1).uniform(-8, 8, size=(20, 3))
    assert np.all(Ground(0.3, UP, 1.0).heights(points) == 0.3)
    plane = Ground([-0.05, 1.0, -SLOPE, 0.2], UP, 1.0)
    assert np.allclose(plane.heights(points), hill(points) + 0.2)
    upside_down = Ground([-0.05, 1.0, -SLOPE, 0.2], -UP, 1.0)
    assert np.allclose(upside_down.heights(points), -hill(points) - 0.2)


def test_of_a_large_mesh_every_triangle_is_found():
    rng = np.random.default_rng(2)
    at = np.stack(np.meshgrid(np.linspace(-4, 4, 41), np.linspace(-3, 3, 31)), axis=-1)
    bumps = rng.uniform(0, 1, size=at.shape[:2])
    corners = np.stack([at[..., 0], bumps, at[..., 1]], axis=-1).reshape(-1, 3)
    k = np.arange(31 * 41).reshape(31, 41)
    quads = [k[:-1, :-1], k[:-1, 1:], k[1:, 1:], k[1:, :-1]]
    faces = np.concatenate([np.stack([quads[a].ravel() for a in one], axis=1)
                            for one in ((0, 1, 2), (0, 2, 3))])  # fmt: skip
    big = np.array([[-20, -1, -20], [20, -1, -20], [0, -1, 20.0]])  # one below all of it
    ground = Ground(
        Mesh("bumps", np.concatenate([corners, big]), np.concatenate([faces, [[1271, 1272, 1273]]])),
        UP, 1.0,
    )  # fmt: skip
    # On corners the height is the corner's; in the middle of a triangle, the mean of its corners.
    assert np.allclose(ground.heights(corners), corners[:, 1])
    middles = corners[faces].mean(axis=1)
    assert np.allclose(ground.heights(middles), middles[:, 1])
    assert np.allclose(ground.heights(np.array([[0, 5.0, 5.0], [0, 0, 50]])), -1.0)


def test_bad_ground_is_said(standing):
    with pytest.raises(SuppleError, match="expected a height, a plane"):
        supple.plant_feet(standing, ground="hill.obj")
    with pytest.raises(SuppleError, match="a plane that is not upright"):
        supple.plant_feet(standing, ground=[1, 0, 0, 0])
    with pytest.raises(SuppleError, match="heights of the ground"):
        supple.plant_feet(standing, ground=lambda points: points)
