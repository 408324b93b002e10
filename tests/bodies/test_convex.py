"""Gaps of convex shapes against all directions tried one by one."""

import numpy as np
import pytest

from supple import Geom
from supple.bodies.convex import Convex, convex, gaps
from supple.model.capsules import directions
from supple.rotations import rotate, to_matrix

WAYS = directions(5000)
CLOUD = np.random.default_rng(3).normal(size=(60, 3)) * (0.05, 0.1, 0.05)
GEOMS = {
    "sphere": Geom("sphere", "j", (0.15,), position=(0.05, 0, 0)),
    "capsule": Geom("capsule", "j", (0.08, 0.2)),
    "cylinder": Geom("cylinder", "j", (0.1, 0.2), rotation=(0.8, 0.6, 0, 0)),
    "box": Geom("box", "j", (0.1, 0.2, 0.15)),
    "ellipsoid": Geom("ellipsoid", "j", (0.1, 0.2, 0.15)),
    "mesh": Geom("mesh", "j", vertices=CLOUD),
}


def placements(count, rng):
    turns = rng.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return turns, way * rng.uniform(0.1, 0.6, (count, 1))


def tried(a, b, turn, place):
    """The gap by the best of many directions: no greater than the true one."""
    seen = (WAYS @ (rotate(turn, b.points) + place).T).min(axis=1) - (WAYS @ a.points.T).max(axis=1)
    return seen.max() - a.radius - b.radius


@pytest.mark.parametrize("one", GEOMS)
@pytest.mark.parametrize("other", ["box", "capsule", "mesh"])
def test_gaps_are_those_of_the_best_direction(one, other):
    a, b = convex(GEOMS[one]), convex(GEOMS[other])
    turns, places = placements(40, np.random.default_rng(1))
    expected = np.array([tried(a, b, *at) for at in zip(turns, places, strict=True)])
    found = gaps(a, b, turns, places)
    near = expected > -0.05
    assert near.sum() > 5
    assert np.allclose(found[near], expected[near], atol=0.01)
    assert np.all(found[expected > 0.0] > 0)
    assert np.all(found[~near] < -0.045)


def test_spheres_have_the_gap_of_their_middles():
    a, b = Convex(np.zeros((1, 3)), 0.5), Convex(np.ones((1, 3)), 0.25)
    turns, places = placements(40, np.random.default_rng(2))
    expected = np.linalg.norm(rotate(turns, np.ones(3)) + places, axis=1) - 0.75
    assert np.allclose(gaps(a, b, turns, places), expected)


def test_boxes_face_to_face_overlap_by_their_depth():
    box = convex(Geom("box", "j", (1, 1, 1)))
    places = np.array([(2.5, 0.1, 0.2), (1.75, 0.1, 0.2), (0.3, 1.9, 0.0), (0.0, 0.0, 1.5)])
    turns = np.repeat([(1.0, 0.0, 0.0, 0.0)], 4, axis=0)
    assert np.allclose(gaps(box, box, turns, places), (0.5, -0.25, -0.1, -0.5), atol=1e-3)


@pytest.mark.parametrize("kind", GEOMS)
def test_a_shape_holds_its_geom(kind):
    geom, rng = GEOMS[kind], np.random.default_rng(4)
    shape = convex(geom)
    way = rng.normal(size=(200, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    turned = way @ to_matrix(np.array(geom.rotation))
    s = np.array(geom.size)
    extent = {  # support functions in the geom's frame
        "sphere": lambda d: s[0] + 0 * d[:, 0],
        "capsule": lambda d: s[0] + s[1] * abs(d[:, 2]),
        "cylinder": lambda d: s[0] * np.hypot(d[:, 0], d[:, 1]) + s[1] * abs(d[:, 2]),
        "box": lambda d: abs(d) @ s,
        "ellipsoid": lambda d: np.linalg.norm(d * s, axis=1),
        "mesh": lambda d: (d @ CLOUD.T).max(axis=1),
    }[kind](turned) + way @ np.array(geom.position)
    reach = (way @ shape.points.T).max(axis=1) + shape.radius
    assert np.all(reach > extent - 2e-4) and np.all(reach < extent + 0.01)


def test_a_mesh_of_many_points_keeps_the_outermost():
    points = np.random.default_rng(5).uniform(-1, 1, (5000, 3))
    points = np.concatenate(
        [points, [(x, y, z) for x in (-2, 2) for y in (-2, 2) for z in (-2, 2)]]
    )
    shape = convex(Geom("mesh", "j", vertices=points))
    assert len(shape.points) == 8
    assert shape.radius == 0


def test_a_plane_has_no_shape():
    assert convex(Geom("plane", "j", (1, 1))) is None
