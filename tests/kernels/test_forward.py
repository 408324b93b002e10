"""Forward kinematics against a plain product of 4x4 matrices."""

import math

import numpy as np
import pytest

from supple import rotations as rot
from supple.model.joints import Axes, Ball, Cone, Fixed, Free, Hinge, Planar, Slider
from supple.model.skeleton import Node, Pose, Skeleton, Tip, chain


def random_joint(rng):
    stretch = (0.5, 2.0) if rng.random() < 0.4 else None
    axis = rng.normal(size=3)
    orders = ["xyz", "zxz", "yx", "z", "zyx"]
    return [
        lambda: Fixed(stretch=stretch),
        lambda: Ball(stretch=stretch),
        lambda: Hinge(axis, stretch=stretch),
        lambda: Slider(axis, stretch=stretch),
        lambda: Cone(1.0, axis=axis, stretch=stretch),
        lambda: Axes(orders[rng.integers(len(orders))], stretch=stretch),
        lambda: Free(stretch=stretch),
        lambda: Planar(axis, stretch=stretch),
    ][rng.integers(8)]()


def random_skeleton(rng, count=12):
    nodes = []
    for k in range(count):
        parent = None if k == 0 or rng.random() < 0.1 else f"n{rng.integers(k)}"
        turn = rot.normalize(rng.normal(size=4))
        nodes.append(Node(f"n{k}", parent, rng.normal(size=3), random_joint(rng), turn))
    tips = [
        Tip(
            f"t{k}",
            f"n{rng.integers(count)}",
            rng.normal(size=3),
            rot.normalize(rng.normal(size=4)),
        )
        for k in range(4)
    ]
    return Skeleton(nodes, tips)


def random_pose(skeleton, rng, *shape):
    angles = rng.normal(size=(*shape, len(skeleton.freedoms)))
    for k, name in enumerate(skeleton.freedoms):
        if name.endswith("stretch"):
            angles[..., k] = rng.uniform(0.5, 2, shape)
    return Pose.from_angles(skeleton, angles)


def matrix(linear=None, origin=None):
    result = np.eye(4)
    if linear is not None:
        result[:3, :3] = linear
    if origin is not None:
        result[:3, 3] = origin
    return result


def turn_matrix(axis, angle):
    """Rodrigues' formula, so that no code is shared with what is tested."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def quaternion_matrix(q):
    w, v = q[0], np.asarray(q[1:])
    size = np.linalg.norm(v)
    return turn_matrix(v / size, 2 * math.atan2(size, w)) if size > 0 else np.eye(3)


def motion(joint, q):
    """What a joint does to what hangs on it."""
    if isinstance(joint, (Ball, Cone)):
        return matrix(quaternion_matrix(q[:4]))
    if isinstance(joint, Hinge):
        return matrix(turn_matrix(joint.axis, q[0]))
    if isinstance(joint, Slider):
        return matrix(None, q[0] * np.array(joint.axis))
    if isinstance(joint, Axes):
        result = np.eye(3)
        for letter, angle in zip(joint.order, q, strict=False):
            result = result @ turn_matrix(np.eye(3)["xyz".index(letter)], angle)
        return matrix(result)
    if isinstance(joint, Free):
        return matrix(quaternion_matrix(q[3:7]), q[:3])
    if isinstance(joint, Planar):
        u = np.array(joint.u_axis)
        origin = q[0] * u + q[1] * np.cross(joint.normal, u)
        return matrix(turn_matrix(joint.normal, q[2]), origin)
    return np.eye(4)


def plain_frames(pose):
    """World frames and rotations of a single pose by multiplying matrices from the root."""
    skeleton = pose.skeleton
    offsets = skeleton.offsets if pose.translations is None else pose.translations
    frames, turns, stretches = [], [], []
    at = 0
    for j, joint in enumerate(skeleton.joints):
        q = pose.coordinates[at : at + joint.coordinate_count]
        at += joint.coordinate_count
        parent = skeleton.parents[j]
        above, turn, stretch = np.eye(4), np.eye(3), 1.0
        if parent >= 0:
            above, turn, stretch = frames[parent], turns[parent], stretches[parent]
        rest = matrix(quaternion_matrix(skeleton.rotations[j]))
        moved = motion(joint, q)
        scale = np.eye(3) if pose.scales is None else np.diag(pose.scales[j])
        frames.append(above @ matrix(None, offsets[j] * stretch) @ rest @ moved @ matrix(scale))
        turns.append(turn @ rest[:3, :3] @ moved[:3, :3])
        stretches.append(q[-1] if joint.stretch else 1.0)
    for tip in skeleton.tips:
        j = skeleton.index(tip.joint)
        own = matrix(quaternion_matrix(tip.rotation), np.array(tip.offset) * stretches[j])
        frames.append(frames[j] @ own)
        turns.append(turns[j] @ own[:3, :3])
    return np.array(frames), np.array(turns)


def check(pose):
    frames, turns = plain_frames(pose)
    size = 1 + np.abs(frames).max()
    np.testing.assert_allclose(pose.frames, frames, atol=1e-12 * size)
    np.testing.assert_allclose(pose.positions, frames[:, :3, 3], atol=1e-12 * size)
    np.testing.assert_allclose(rot.to_matrix(pose.rotations), turns, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_forward_equals_the_matrix_product(seed):
    rng = np.random.default_rng(seed)
    check(random_pose(random_skeleton(rng), rng))


@pytest.mark.parametrize("seed", range(6))
def test_forward_with_translations_and_scales_of_the_pose(seed):
    rng = np.random.default_rng(100 + seed)
    skeleton = random_skeleton(rng)
    pose = random_pose(skeleton, rng)
    translations = rng.normal(size=(len(skeleton), 3))
    scales = rng.uniform(0.5, 2, size=(len(skeleton), 3))
    check(Pose(skeleton, pose.coordinates, translations))
    check(Pose(skeleton, pose.coordinates, None, scales))
    check(Pose(skeleton, pose.coordinates, translations, scales))


def test_mirroring_scales_are_exact_too():
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng)
    scales = np.ones((len(skeleton), 3))
    scales[0] = (-1, 1, 1)
    check(Pose(skeleton, random_pose(skeleton, rng).coordinates, None, scales))


def test_every_pose_of_a_batch_is_as_if_alone():
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng)
    poses = random_pose(skeleton, rng, 2, 3)
    assert poses.positions.shape == (2, 3, len(skeleton.names), 3)
    shared = rng.uniform(0.5, 2, size=(len(skeleton), 3))
    own = rng.normal(size=(2, 3, len(skeleton), 3))
    for batch in (
        poses,
        Pose(skeleton, poses.coordinates, own),
        Pose(skeleton, poses.coordinates, shared),
        Pose(skeleton, poses.coordinates, own, shared),
    ):
        for i in range(2):
            for k in range(3):
                single = batch[i, k]
                assert np.array_equal(single.positions, batch.positions[i, k])
                assert np.array_equal(single.rotations, batch.rotations[i, k])
                assert np.array_equal(single.frames, batch.frames[i, k])
        check(batch[1, 2])


def test_empty_batch_and_skeleton_without_coordinates():
    snake = chain([1, 1])
    assert Pose(snake, np.zeros((0, 8))).positions.shape == (0, 3, 3)
    stiff = chain([1, 2], joint=Fixed())
    assert stiff.rest.positions[-1].tolist() == [3, 0, 0]
    assert Pose(stiff, np.zeros((4, 0))).positions.shape == (4, 3, 3)


def test_mimic_joints_follow():
    arm = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge("z")),
            Node("b", "a", (1, 0, 0), Hinge("z", mimic=("a", 2.0, 0.5))),
        ],
        [Tip("t", "b", (1, 0, 0))],
    )
    tip = arm.pose({"a": 0.3}).position("t")
    np.testing.assert_allclose(
        tip, (math.cos(0.3) + math.cos(1.4), math.sin(0.3) + math.sin(1.4), 0), atol=1e-15
    )


def test_hinges_count_whole_turns_but_stand_where_they_stand():
    arm = chain([1, 1], joint=Hinge("z"))
    once = arm.pose({"j0": 0.3, "j1": 0.4})
    more = arm.pose({"j0": 0.3 + 4 * math.pi, "j1": 0.4 - 2 * math.pi})
    np.testing.assert_allclose(once.positions, more.positions, atol=1e-14)
    assert more.coordinates[0] == 0.3 + 4 * math.pi


def test_long_chains_do_not_drift():
    count = 20_000
    arm = chain(np.full(count, 1.0), joint=Ball())
    turn = rot.from_rotation_vector((0, 0, 2 * math.pi / count))
    coordinates = np.tile(turn, count)
    pose = Pose(arm, coordinates)
    assert np.abs(np.linalg.norm(pose.rotations, axis=-1) - 1).max() < 1e-15
    # A closed polygon comes back to where it began.
    assert np.linalg.norm(pose.position("tip")) < 1e-6


def test_local_frames_compose_to_world_frames():
    rng = np.random.default_rng(11)
    skeleton = random_skeleton(rng)
    scales = rng.uniform(0.5, 2, size=(len(skeleton), 3))
    pose = Pose(skeleton, random_pose(skeleton, rng).coordinates, None, scales)
    frames = dict(zip(skeleton.names, pose.frames, strict=True))
    for name in skeleton.names:
        parent = skeleton.parent(name)
        above = np.eye(4) if parent is None else frames[parent]
        np.testing.assert_allclose(above @ pose.local(name), frames[name], atol=1e-11)
