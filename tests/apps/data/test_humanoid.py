"""The figure that comes with supple: whole, sound, small, and good to solve with."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import SuppleError

FOLDER = files("supple.data") / "humanoid"


@pytest.fixture(scope="module")
def hero():
    return supple.humanoid()


def test_it_is_a_whole_character(hero):
    assert len(hero.skeleton) == 26
    assert list(hero.motions) == ["walk", "wave", "reach-ready"]
    assert (hero.unit, hero.up) == ("m", "y")
    (mesh,) = hero.meshes
    assert mesh.material.texture.data.startswith(b"\x89PNG")
    assert mesh.material.normal_map.data.startswith(b"\x89PNG")
    assert hero.notes == ()
    assert 1.7 < np.ptp(mesh.positions[:, 1]) < 1.8
    assert not np.any(hero.skeleton.rest.violations())


def test_it_is_small():
    size = sum(len(one.read_bytes()) for one in FOLDER.iterdir())
    assert size < 600_000


def test_the_surface_is_closed_and_faces_outward(hero):
    """Seams cut the texture, not the surface: every edge is there once each way."""
    mesh = hero.meshes[0]
    _, point = np.unique(np.round(mesh.positions, 7), axis=0, return_inverse=True)
    faces = point.reshape(-1)[mesh.faces]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert np.array_equal(np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0))
    a, b, c = np.moveaxis(mesh.positions[mesh.faces], 1, 0)
    volume = np.sum(a * np.cross(b, c)) / 6
    assert 0.04 < volume < 0.12  # cubic metres
    square = np.sum(np.cross(b - a, c - a) * mesh.normals[mesh.faces[:, 0]], axis=1)
    assert np.mean(square > 0) > 0.99


def test_left_and_right_are_alike(hero):
    rest = hero.skeleton.rest
    for name in hero.skeleton.names:
        if name.endswith(".L"):
            mirrored = rest.position(name[:-2] + ".R") * (-1, 1, 1)
            assert np.allclose(rest.position(name), mirrored, atol=1e-9)


@pytest.mark.parametrize("name", ["walk", "wave", "reach-ready"])
def test_motions_keep_the_limits_and_do_not_jump(hero, name):
    motion = hero.motions[name]
    assert motion.poses.violations().max() < 1e-4  # kept as float32
    assert motion.poses[1:].turns(motion.poses[:-1]).max() < 0.35


def test_the_walk_is_a_loop_with_feet_on_the_ground(hero):
    walk = hero.motions["walk"]
    assert walk.loop
    assert walk.poses[-1].turns(walk.poses[0]).max() < 0.3
    lowest = supple.skin(hero.meshes[0], walk.poses)[..., 1].min(axis=1)
    assert np.all(np.abs(lowest) < 0.01)


def test_standing_feet_go_back_with_the_ground(hero):
    """On the spot, the ground goes back at one speed: what stands on it does too."""
    walk = hero.motions["walk"]
    mesh = hero.meshes[0]
    sole = np.flatnonzero((mesh.positions[:, 1] < 0.12) & (mesh.positions[:, 0] > 0))
    points = supple.skin(mesh, walk.poses)[:, sole]
    steps = np.diff(points, axis=0)[5:11] * walk.fps  # flat on the ground
    low = points[5:12, :, 1].max(axis=0) < 0.012
    assert low.sum() > 20
    along = steps[:, low, 2]
    assert np.ptp(along) < 0.01 * abs(along.mean())
    assert np.abs(steps[:, low, 0]).max() < 0.001


def test_weights_of_the_smd_sum_to_one():
    character = supple.load(FOLDER / "humanoid.smd")
    for line in (FOLDER / "humanoid.smd").read_text().splitlines():
        words = line.split()
        if len(words) > 10:
            assert sum(round(1000 * float(word)) for word in words[11::2]) == 1000
    assert character.meshes[0].skin.corrected == 0


def test_it_reaches_within_its_limits(hero):
    start = hero.motions["reach-ready"][-1].clamped()  # float32 is a hair beyond
    goal = np.array((-0.2, 1.25, 0.4))
    answer = supple.solve(hero.skeleton, {"hand.R": goal}, start=start)
    assert answer.reached
    assert not np.any(answer.pose.violations() > 1e-9)
    still = answer.pose.position("foot.L") - start.position("foot.L")
    assert np.allclose(still, 0, atol=1e-12)  # solving moves no pelvis


def test_a_posed_copy_can_be_saved_and_posed_further(hero, tmp_path):
    answer = supple.solve(hero.skeleton, {"hand.L": (0.3, 1.4, 0.3)})
    supple.save(hero.posed(answer.pose), tmp_path / "posed.glb")
    again = supple.load(tmp_path / "posed.glb")
    assert again.skeleton.joints == hero.skeleton.joints
    assert np.allclose(again.pose.positions, answer.pose.positions, atol=1e-9)
    with pytest.raises(SuppleError):
        again.skeleton.pose({"shin.Q": 1.0})


def test_the_smd_is_the_same_figure():
    with_walk = supple.load(Path(str(FOLDER / "humanoid.smd")), motions=[str(FOLDER / "walk.smd")])
    hero = supple.humanoid()
    assert set(with_walk.skeleton.joint_names) == set(hero.skeleton.joint_names)
    for name in hero.skeleton.joint_names:
        there, here = with_walk.skeleton.rest.position(name), hero.skeleton.rest.position(name)
        assert np.allclose(there, here, atol=1e-4)
    walk = with_walk.motions["walk"]
    assert len(walk) == len(hero.motions["walk"])
    for name in ("hand.L", "foot.R", "head"):
        there, here = walk[7].position(name), hero.motions["walk"][7].position(name)
        assert np.allclose(there, here, atol=2e-3)
