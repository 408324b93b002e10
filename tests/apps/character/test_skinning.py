"""Skinning against the sum written out, and against what skinning must do whatever the numbers."""

import numpy as np
import pytest

import supple
from supple.apps.character.skinning import dual_quaternions, skin
from supple.errors import SuppleError
from supple.model.mesh import Mesh, Morph, Skin


def figure(seed=0, *, vertices=700, most=5):
    """A bent chain with a mesh around it, of any number of influences a vertex."""
    rng = np.random.default_rng(seed)
    skeleton = supple.chain([1.0, 0.7, 0.5, 0.9])
    count = len(skeleton)
    binds = np.linalg.inv(skeleton.rest.frames[:count])
    size = rng.integers(1, most + 1, vertices)
    first = np.concatenate([[0], np.cumsum(size)])
    joint = rng.integers(0, count, first[-1])
    weight = rng.random(first[-1]) + 0.05
    own = Skin(skeleton.joint_names, binds, first, joint, weight)
    normals = rng.normal(size=(vertices, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh = Mesh("body", rng.normal(size=(vertices, 3)), np.zeros((0, 3), int), normals, skin=own)
    return skeleton, mesh


def bent(skeleton, batch=(), seed=1):
    rng = np.random.default_rng(seed)
    return supple.Pose.from_angles(skeleton, rng.normal(size=(*batch, len(skeleton.freedoms))))


def written_out(mesh, pose):
    """Park 2004, eq. 11: the sum over joints of w_i M_i d_i."""
    own, skeleton = mesh.skin, pose.skeleton
    frames = pose.frames[[skeleton.index(name) for name in own.joints]]
    out = np.zeros((len(mesh.positions), 3))
    for v, point in enumerate(mesh.positions):
        for k in range(own.first[v], own.first[v + 1]):
            j = own.joint[k]
            out[v] += own.weight[k] * (frames[j] @ own.T_joint_model[j] @ [*point, 1.0])[:3]
    return out


def test_linear_is_the_sum_written_out():
    skeleton, mesh = figure()
    pose = bent(skeleton)
    assert np.abs(skin(mesh, pose) - written_out(mesh, pose)).max() < 1e-12


def test_nothing_moves_at_the_bind_pose():
    skeleton, mesh = figure()
    for method in ("linear", "dual"):
        points, normals = skin(mesh, skeleton.rest, method=method, normals=True)
        assert np.abs(points - mesh.positions).max() < 1e-12
        assert np.abs(normals - mesh.normals).max() < 1e-12


def test_batches_are_leading_axes():
    skeleton, mesh = figure()
    poses = bent(skeleton, (2, 3))
    together = skin(mesh, poses)
    assert together.shape == (2, 3, len(mesh.positions), 3)
    assert np.array_equal(together[1, 2], skin(mesh, poses[1, 2]))


def test_same_bits_whatever_the_threads():
    skeleton, mesh = figure(vertices=5000)
    poses = bent(skeleton, (40,))
    for method in ("linear", "dual"):
        one = skin(mesh, poses, method=method, normals=True, threads=1)
        two = skin(mesh, poses, method=method, normals=True, threads=2)
        assert np.array_equal(one[0], two[0])
        assert np.array_equal(one[1], two[1])


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_moving_the_root_moves_everything_with_it(method):
    skeleton, mesh = figure()
    pose = bent(skeleton)
    turn = supple.rotations.from_rotation_vector([0.3, -1.0, 0.5])
    offsets = skeleton.offsets.copy()
    offsets[0] = (4.0, -2.0, 1.0)
    q = pose.coordinates.copy()
    q[:4] = supple.rotations.multiply(turn, q[:4])
    moved = supple.Pose(skeleton, q, offsets)
    points, normals = skin(mesh, pose, method=method, normals=True)
    after, after_normals = skin(mesh, moved, method=method, normals=True)
    expected = supple.rotations.rotate(turn, points) + offsets[0]
    assert np.abs(after - expected).max() < 1e-12
    assert np.abs(after_normals - supple.rotations.rotate(turn, normals)).max() < 1e-12


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_normals_stay_square_to_the_surface_under_scales(method):
    """One joint, scaled and mirrored: tangents go with the points, normals stay square to them."""
    skeleton = supple.chain([1.0])
    rng = np.random.default_rng(3)
    normal = rng.normal(size=(50, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    tangent = np.cross(normal, rng.normal(size=(50, 3)))
    own = Skin.from_table(["j0"], np.eye(4)[None], np.zeros((100, 1), int), np.ones((100, 1)))
    points = np.concatenate([np.zeros((50, 3)), tangent])
    mesh = Mesh("m", points, np.zeros((0, 3), int), np.tile(normal, (2, 1)), skin=own)
    for scale in ([2.0, 0.5, 1.5], [-1.0, 2.0, 0.7]):
        turned = bent(skeleton)
        pose = supple.Pose(skeleton, turned.coordinates, None, [scale])
        after, normals = skin(mesh, pose, method=method, normals=True)
        along = after[50:] - after[:50]
        assert np.abs(np.sum(along * normals[:50], axis=1)).max() < 1e-12
        assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < 1e-12
        linear = pose.frames[0][:3, :3]
        outward = np.sum(normals[:50] * (normal @ np.linalg.inv(linear)), axis=1)
        assert np.all(outward > 0)  # a mirror turns no surface inside out


def test_dual_quaternions_keep_the_volume_of_a_twist():
    """Halfway between two joints, one twisted by nearly pi: linear collapses, dual does not."""
    skeleton = supple.chain([1.0, 1.0])
    binds = np.linalg.inv(skeleton.rest.frames[:2])
    own = Skin.from_table(["j0", "j1"], binds, [[0, 1]], [[0.5, 0.5]])
    mesh = Mesh("m", [[1.0, 1.0, 0.0]], np.zeros((0, 3), int), skin=own)
    pose = skeleton.pose({"j1": [np.pi - 0.2, 0.0, 0.0]})
    radius = [np.hypot(*skin(mesh, pose, method=m)[0, 1:]) for m in ("linear", "dual")]
    assert radius[0] < 0.15
    assert radius[1] == pytest.approx(1.0)


def test_dual_takes_the_short_way_round():
    """A quaternion and its negative are one rotation."""
    skeleton, mesh = figure()
    pose = bent(skeleton)
    q = pose.coordinates.copy()
    q[4:8] *= -1.0
    flipped = supple.Pose(skeleton, q)
    assert np.allclose(skin(mesh, pose, method="dual"), skin(mesh, flipped, method="dual"))


def test_polar_parts_give_the_matrix_back():
    rng = np.random.default_rng(5)
    matrices = np.tile(np.eye(4), (1, 20, 1, 1))
    matrices[..., :3, :] = rng.normal(size=(1, 20, 3, 4))
    duals, stretches = dual_quaternions(matrices)
    real, dual = duals[..., :4], duals[..., 4:]
    linear = supple.rotations.to_matrix(real) @ stretches.reshape(1, 20, 3, 3)
    shift = 2.0 * supple.rotations.multiply(dual, supple.rotations.conjugate(real))[..., 1:]
    assert np.allclose(linear, matrices[..., :3, :3])
    assert np.allclose(shift, matrices[..., :3, 3])


def test_weights_that_do_not_sum_to_one_are_normalised_and_counted():
    own = Skin.from_table(["a", "b"], np.tile(np.eye(4), (2, 1, 1)), [[0, 1], [0, 1]],
                          [[0.5, 0.25], [0.5, 0.5]])  # fmt: skip
    assert own.corrected == 1
    assert own.weight.tolist() == [2 / 3, 1 / 3, 0.5, 0.5]


def test_a_mesh_on_a_joint_goes_with_it_and_a_bare_one_stays():
    skeleton = supple.chain([1.0, 1.0])
    pose = skeleton.pose({"j0": [0.0, 0.0, np.pi / 2]})
    points = [[0.5, 0.0, 0.0]]
    faces = np.zeros((0, 3), int)
    on = Mesh("m", points, faces, joint="j1")
    assert np.allclose(skin(on, pose), [[0.0, 1.5, 0.0]])
    assert np.allclose(skin(Mesh("m", points, faces), pose), points)


def test_morphs_count_with_their_weights():
    morphs = (
        Morph("up", [[0.0, 1.0, 0.0]], weight=0.5),
        Morph("off", [[9.0, 9.0, 9.0]], weight=0.0),
    )
    mesh = Mesh("m", [[1.0, 0.0, 0.0]], np.zeros((0, 3), int), morphs=morphs)
    assert np.allclose(skin(mesh, supple.chain([1.0]).rest), [[1.0, 0.5, 0.0]])


def test_bad_input_is_said():
    skeleton, mesh = figure(vertices=3)
    with pytest.raises(SuppleError, match="method of skinning.*'linear', 'dual'"):
        skin(mesh, skeleton.rest, method="cubic")
    other = supple.chain([1.0], names=["hand"])
    with pytest.raises(SuppleError, match="j0"):
        skin(mesh, other.rest)
    bare = Mesh("m", [[0.0, 0.0, 0.0]], np.zeros((0, 3), int))
    with pytest.raises(SuppleError, match="'m'.*normals"):
        skin(bare, skeleton.rest, normals=True)
