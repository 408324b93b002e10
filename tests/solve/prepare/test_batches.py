"""Prepared problems solved for many targets and from many starts."""

import numpy as np
import pytest

import supple
from supple import (
    OPEN,
    Hinge,
    LookAt,
    Pose,
    Reach,
    Status,
    SuppleError,
    prepare,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))
FRAME = np.eye(4)
FRAME[:3, :3] = rotations.to_matrix(TURN)
FRAME[:3, 3] = (0.5, 1.2, 0.4)


def test_a_batch_of_targets(snake, random_targets):
    ik = prepare(snake, [Reach("tip")])
    targets = random_targets(150)
    s = ik.solve(targets)
    assert s.batch_shape == (150,)
    assert s.pose.batch_shape == (150,)
    for i in (0, 63, 64, 149):
        assert s[i] == ik(targets[i])
    assert ik(targets) == s


def test_a_batch_of_starts(snake, random_starts):
    ik = prepare(snake, [Reach("tip")])
    starts = random_starts(snake, 150)
    s = ik.solve((0.5, 1, 0.3), start=starts)
    assert s.batch_shape == (150,)
    for i in (0, 70, 149):
        assert s[i] == ik((0.5, 1, 0.3), start=starts[i])


def test_targets_and_starts_broadcast(snake, random_targets, random_starts):
    ik = prepare(snake, [Reach("tip"), LookAt("j1", OPEN)])
    targets, looks = random_targets(4, 1), random_targets(3, seed=5)
    starts = random_starts(snake, 3)
    s = ik.solve(targets, looks, start=starts)
    assert s.batch_shape == (4, 3)
    assert s.start.batch_shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        assert s[i, j] == ik(targets[i, 0], looks[j], start=starts[j])
        assert s[i][j] == s[i, j]
    column = ik.solve(targets[:, 0], looks[0], start=starts[:1])
    assert column.batch_shape == (4,)
    assert column[2] == ik(targets[2, 0], looks[0], start=starts[0])


def test_solvers_tried_in_turn_give_the_same_in_a_batch(arm):
    rng = np.random.default_rng(6)
    tight = supple.chain([1, 1], joint=[Hinge("z", limits=(-1, 1)), Hinge("z", limits=(0, 2))])
    for rig in (arm, tight):
        ik = prepare(rig, [Reach("tip")])
        targets = rng.uniform(-2.2, 2.2, (150, 3)) * (1, 1, 0)
        starts = Pose.from_angles(rig, rng.uniform(0, 1, (150, 2)))
        s = ik.solve(targets, start=starts)
        assert 0 < s.reached.sum() < 150
        assert ik.solve(targets, start=starts, threads=1) == s
        for i in range(0, 150, 7):
            assert s[i] == ik(targets[i], start=starts[i])


def test_batches_among_fixed_goals(snake, random_targets):
    looks = random_targets(4, seed=5)
    ik = prepare(snake, [Reach("tip"), LookAt("j1", looks)])
    s = ik((0.5, 1, 0.3))
    assert s.batch_shape == (4,)
    single = prepare(snake, [Reach("tip"), LookAt("j1")])
    for i in range(4):
        assert s[i] == single((0.5, 1, 0.3), looks[i])
    nested = ik(random_targets(5, 1))
    assert nested.batch_shape == (5, 4)


def test_batches_of_orientations_and_frames(snake):
    turns = rotations.normalize(np.random.default_rng(2).normal(size=(5, 4)))
    s = prepare(snake, [Reach("tip", orientation=OPEN)]).solve(turns)
    assert s.reached.all()
    assert (rotations.angle_between(s.pose.rotation("tip"), turns) <= 1e-4).all()
    frames = np.broadcast_to(FRAME, (2, 4, 4))
    s = prepare(snake, [Reach("tip", pose=OPEN)]).solve(frames)
    assert s[0] == s[1] == solve(snake, Reach("tip", pose=FRAME))


def test_poses_with_their_own_bones_in_a_batch(snake, random_targets, random_starts):
    offsets = snake.offsets * np.linspace(1, 2, 4)[:, None, None]
    scales = np.ones((4, 3, 3)) * np.linspace(1, 1.5, 4)[:, None, None]
    starts = Pose(snake, random_starts(snake, 4).coordinates, offsets, scales)
    ik = prepare(snake, [Reach("tip")])
    for start in (starts, Pose(snake, starts.coordinates, offsets[2]), Pose(snake, None, offsets)):
        s = ik.solve((0.5, 1.4, 0.3), start=start)
        assert s.reached.all()
        for i in range(4):
            assert s[i] == ik((0.5, 1.4, 0.3), start=start[i])
            np.testing.assert_allclose(s[i].position("tip"), (0.5, 1.4, 0.3), atol=1e-3)
    crossed = ik.solve(random_targets(3, 1), start=starts)
    assert crossed.batch_shape == (3, 4)
    assert crossed.pose.translations is not None
    assert crossed[1, 2] == ik(random_targets(3, 1)[1, 0], start=starts[2])


def test_batches_of_none_and_of_one(snake, random_starts):
    ik = prepare(snake, [Reach("tip")])
    none = ik.solve(np.zeros((0, 3)))
    assert none.batch_shape == (0,)
    assert none.reached.shape == none.status.shape == (0,)
    assert none.positions.shape == (0, 4, 3)
    assert none.reason == "0 of 0 reached"
    one = ik.solve(np.ones((1, 3)))
    assert one.batch_shape == (1,)
    assert one[0] == ik(np.ones(3))
    assert ik.solve(np.ones((2, 1, 3)), start=random_starts(snake, 0)).batch_shape == (2, 0)


def test_batches_that_do_not_fit_together_are_an_error(snake, random_targets, random_starts):
    ik = prepare(snake, [Reach("tip")])
    with pytest.raises(SuppleError, match=r"targets and start: .*got \(4,\) and \(3,\)"):
        ik.solve(random_targets(4), start=random_starts(snake, 3))


def test_status_is_an_int_array(arm):
    s = prepare(arm, [Reach("tip")]).solve([(1, 1, 0), (9, 0, 0)])
    assert s.status.dtype == np.int64
    assert s.status.tolist() == [Status.REACHED, Status.TOO_FAR]
    assert s.reached.tolist() == [True, False]
