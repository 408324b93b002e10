"""Prepared problems shared by threads and processes, and pickled."""

import concurrent.futures
import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest
from tests.patience import PATIENCE

from supple import (
    LM,
    OPEN,
    Hold,
    Prepared,
    Reach,
    Rest,
    Solution,
    prepare,
    rotations,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))
FRAME = np.eye(4)
FRAME[:3, :3] = rotations.to_matrix(TURN)
FRAME[:3, 3] = (0.5, 1.2, 0.4)


def test_the_number_of_threads_does_not_show(snake, random_targets):
    ik = prepare(snake, [Reach("tip")])
    targets = random_targets(300, size=2.5)
    one = ik.solve(targets, threads=1)
    for threads in (None, 2, 5):
        assert ik.solve(targets, threads=threads) == one


def test_progress_is_told_in_the_calling_thread(snake, random_targets):
    ik = prepare(snake, [Reach("tip")])
    told = []

    def progress(done, total):
        assert threading.current_thread() is threading.main_thread()
        told.append((done, total))

    for threads in (1, 2):
        told.clear()
        ik.solve(random_targets(200), threads=threads, progress=progress)
        assert [total for _, total in told] == [200] * len(told)
        done = [done for done, _ in told]
        assert done == sorted(set(done))
        assert done[-1] == 200


def test_several_threads_may_call_one_prepared_problem(snake, random_targets):
    ik = prepare(snake, [Reach("tip")])
    targets = random_targets(200, size=2.5)
    expected = [ik(target) for target in targets]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ik, targets)) == expected
        batches = list(pool.map(lambda _: ik.solve(targets), range(6)))
    assert all(one == batches[0] for one in batches)
    assert list(batches[0]) == expected


def test_a_pickled_problem_is_the_same_problem(snake):
    goals = [
        Reach("tip", OPEN, orientation=TURN, depth=2, weight=3),
        Hold("j1", orientation=False),
        Rest(snake.pose({"j0": TURN})),
    ]
    ik = prepare(snake, goals, solver=LM(max_iterations=30), tolerance=0.01, lock=["j0"])
    twin = pickle.loads(pickle.dumps(ik))
    assert isinstance(twin, Prepared)
    assert repr(twin) == repr(ik)
    assert twin((0.5, 1, 0.3)) == ik((0.5, 1, 0.3))


def _solve_batch(ik, targets) -> Solution:
    return ik.solve(targets)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_solves_after_its_parent_has(snake, random_targets):
    ik = prepare(snake, [Reach("tip")])
    targets = random_targets(300)
    expected = ik.solve(targets, threads=2)
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(_solve_batch, ik, targets).result(timeout=PATIENCE) == expected
