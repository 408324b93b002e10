"""Targets of single solves: every way to give one, and what is left to the general checks."""

import threading

import numpy as np
import pytest

import supple
from supple import OPEN, LookAt, Pole, Pose, Reach, SuppleError

TURN = np.array([0.6, 0.0, 0.8, 0.0])


@pytest.fixture
def snake():
    return supple.chain([1.0, 1.0, 1.0])


def frame(snake):
    return snake.pose({"j1": (0.3, 0.2, 0.1)}).frames[snake.index("tip")].copy()


def is_plain(prepared, targets):
    """True if the targets of a call need no general checks."""
    row = prepared._targets.plain_rows(targets)
    if row is None:
        return False
    prepared._targets.give_back(row)
    return True


@pytest.mark.parametrize(
    ("goals", "targets"),
    [
        ([Reach("tip")], (np.array([1.0, 2.0, 0.5]),)),
        ([Reach("tip")], ((1.0, 2.0, 0.5),)),
        ([Reach("tip")], ((np.float64(1.0), 2.0, 0.5),)),
        ([Reach("tip"), LookAt("j1")], ((1.0, 1.0, 0.5), np.array([4.0, 5.0, 6.0]))),
        ([Reach("tip", OPEN, orientation=OPEN)], (np.array([1.0, 1.0, 0.5]), TURN)),
        ([Reach("tip", OPEN, orientation=OPEN)], ((1.0, 1.0, 0.5), (0.6, 0.0, 0.8, 0.0))),
        ([Reach("tip", (1, 1, 0.5))], ()),
    ],
)
def test_plain_targets_are_taken_as_they_are(snake, goals, targets):
    ik = supple.prepare(snake, goals)
    assert is_plain(ik, targets)
    assert ik(*targets) == ik.solve(*targets)


@pytest.mark.parametrize("writeable", [True, False])
def test_a_transform_is_taken_as_it_is(snake, writeable):
    ik = supple.prepare(snake, [Reach("tip", pose=OPEN)])
    target = frame(snake)
    target.flags.writeable = writeable
    assert is_plain(ik, (target,))
    assert ik(target) == ik.solve(target)


@pytest.mark.parametrize("target", [[1.0, 2.0, 0.5], [1, 2, 0], (1, 2, 0), (1, 2.0, np.float64(0))])
def test_lists_and_whole_numbers_are_taken_too(snake, target):
    ik = supple.prepare(snake, [Reach("tip")])
    assert is_plain(ik, (target,))
    assert ik(target) == ik(np.array(target, float)) == ik.solve(target)


@pytest.mark.parametrize(
    "target",
    [
        np.array([1, 2, 0]),
        np.array([1.0, 2.0, 0.5], np.float32),
        np.array([1.0, 2.0, 0.5], ">f8"),
        np.arange(6.0)[::2],
        np.ma.masked_array([1.0, 2.0, 0.5]),
        np.array([1.0, 2.0, 0.5, 9.0])[:3].reshape(1, 3)[0],
        range(3),
    ],
)
def test_unusual_targets_give_the_answer_of_plain_ones(snake, target):
    ik = supple.prepare(snake, [Reach("tip")])
    assert ik(target) == ik(np.array(target, float))


@pytest.mark.parametrize(
    "targets",
    [(), ((1, 2),), ("abc",), (np.ones(4),), ((1.0, 2.0, np.nan),), ((1e400, 0, 0),),
     ((10**400, 0, 0),), (None,), ((1.0, 2.0, "3"),),
     ((1.0, 2.0, 0.5), (1.0, 2.0, 0.5))],
)  # fmt: skip
def test_wrong_targets_are_refused_as_ever(snake, targets):
    ik = supple.prepare(snake, [Reach("tip")])
    assert not is_plain(ik, targets)
    with pytest.raises(SuppleError) as general:
        ik.solve(*targets)
    with pytest.raises(SuppleError) as quick:
        ik(*targets)
    assert str(quick.value) == str(general.value)


def test_an_orientation_that_is_nearly_unit_is_scaled(snake):
    ik = supple.prepare(snake, [Reach("tip", OPEN, orientation=OPEN)])
    point = np.array([1.0, 1.0, 0.5])
    rows = ik._targets.filled((point, TURN * 1.0005))
    plain = ik._targets.plain_rows((point, TURN * 1.0005))
    assert np.array_equal(plain.array[0], rows)  # to the last bit
    with pytest.raises(SuppleError, match="unit quaternion"):
        ik(point, TURN * 1.01)


def test_starts_of_every_make(snake):
    ik = supple.prepare(snake, [Reach("tip")])
    target = np.array([1.0, 2.0, 0.5])
    poses = Pose.stack([snake.rest, snake.pose({"j0": (0.1, 0.2, 0.3)})])
    for start in (None, snake.rest, poses[1], poses, poses[::-1]):
        assert ik(target, start=start) == ik.solve(target, start=start)


def test_a_workspace_keeps_nothing_from_call_to_call():
    """The same answers from one prepared problem, call after call, as from a new one each time."""
    limb = supple.chain([1.0, 0.8])
    arm = supple.chain([1.0] * 6, joint=supple.Hinge("z", limits=(-2, 2)))
    rng = np.random.default_rng(4)
    for skeleton, goals, lock in (
        (limb, [Reach("tip"), Pole("j1")], ()),
        (limb, [Reach("tip")], ()),
        (supple.chain([0.5, 0.5, 1.0, 0.8]), [Reach("tip", root="j2"), Pole("j3")], ()),
        (supple.chain([1.0] * 5), [Reach("tip")], ("j1",)),
        (supple.chain([1.0] * 5), [Reach("tip")], ()),
        (arm, [Reach("tip")], ("j2",)),
        (arm, [Reach("tip")], ()),
    ):
        kept = supple.prepare(skeleton, goals, lock=lock)
        for _ in range(30):
            size = 0.9 if rng.random() < 0.8 else 1.2
            reach = size * sum(np.linalg.norm(skeleton.offsets[1:], axis=-1)) + size
            targets = [rng.normal(size=3) for _ in goals]
            targets[0] *= reach * rng.random() / np.linalg.norm(targets[0])
            turned = rng.uniform(-1, 1, len(skeleton.freedoms))
            start = Pose.from_angles(skeleton, turned) if rng.random() < 0.6 else skeleton.rest
            fresh = supple.prepare(skeleton, goals, lock=lock)
            assert kept(*targets, start=start) == fresh(*targets, start=start)


def test_threads_use_workspaces_of_their_own():
    ik = supple.prepare(supple.chain([1.0] * 5), [Reach("tip")])
    rng = np.random.default_rng(5)
    targets = rng.uniform(-2, 2, (400, 3))
    expected = [ik(target) for target in targets]
    wrong = []

    def work():
        wrong.extend(i for i, target in enumerate(targets) if ik(target) != expected[i])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("goals", [[Reach("tip"), Pole("j1")], [Reach("tip")]])
def test_a_batch_is_one_call_after_another_to_the_last_bit(goals):
    """Targets in reach and out of it, and at the root: many lanes at a time, and one by one."""
    limb = supple.chain([1.0, 0.8])
    ik = supple.prepare(limb, goals)
    rng = np.random.default_rng(6)
    targets = [rng.uniform(-1.6, 1.6, (150, 3)) for _ in goals]
    targets[0][::40] = 0.0
    start = limb.pose({"j0": (0.1, 0.2, 0.3), "j1": (0.3, -0.1, 0.4)})
    many = ik.solve(*targets, start=start)
    assert 20 < np.count_nonzero(many.reached) < 140
    for i, found in enumerate(many):
        assert found == ik(*(one[i] for one in targets), start=start)
