"""Same input, same bits: again, in a batch or alone, on any number of threads, in a forked child."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random

import numpy as np
import pytest
from drawing import SOLVERS, families, solver_of
from problems import draw_case

import supple
from supple import threads

ROWS = 3 * threads.SMALL  # enough for several pieces

every_solver = pytest.mark.parametrize("name", SOLVERS)


@cache
def drawn(name):
    """A few batches of problems that the solver takes, easy and hard, and its answers to them."""
    found = []
    choice = families(name)
    most = 1 if name == "Optimize" else 5  # which takes milliseconds, not microseconds
    for family in choice[:: max(1, len(choice) // most)][:most]:
        case = draw_case(Random(f"bits {family.name}"), family, ROWS)
        try:
            prepared = case.prepared(solver_of(name)) if case else None
        except supple.SuppleError:
            prepared = None
        if prepared is not None:
            found.append((case, prepared, solve(case, prepared)))
    return found


def solve(case, prepared, **more):
    return prepared.solve(*case.targets, start=case.start, **more)._rows.tobytes()


@every_solver
def test_again(name):
    for case, prepared, bits in drawn(name):
        assert solve(case, prepared) == bits
        assert solve(case, case.prepared(solver_of(name))) == bits


@every_solver
def test_alone_as_in_a_batch(name):
    for case, prepared, bits in drawn(name):
        width = len(bits) // ROWS
        for b in range(0, ROWS, 17):
            targets, start = case.row(b)
            alone = prepared(*targets, start=start)._rows.tobytes()
            assert alone == bits[width * b : width * (b + 1)], b


@every_solver
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_on_any_number_of_threads(name, threads):
    for case, prepared, bits in drawn(name):
        assert solve(case, prepared, threads=threads) == bits


@every_solver
def test_from_several_threads_at_once(name):
    """One prepared problem called from many threads, each with its own row."""
    case, prepared, bits = drawn(name)[-1]
    width = len(bits) // ROWS

    def alone(b):
        targets, start = case.row(b)
        return prepared(*targets, start=start)._rows.tobytes()

    rows = list(range(0, ROWS, 3))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(alone, rows))
    assert answers == [bits[width * b : width * (b + 1)] for b in rows]


def _in_child(names, results):
    for name in names:
        for k, (case, prepared, _) in enumerate(drawn(name)):
            results.put((name, k, solve(case, prepared, threads=2)))
    results.put(None)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this platform"
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_in_a_forked_child():
    """The child inherits the thread pool's object but none of its threads."""
    expected = {(n, k): bits for n in SOLVERS for k, (*_, bits) in enumerate(drawn(n))}
    threads.run_threaded(lambda first, last: None, 10 * threads.SMALL)  # so that there is a pool
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(SOLVERS, results))
    child.start()
    try:
        found = {}
        while (item := results.get()) is not None:
            found[item[:2]] = item[2]
    finally:
        child.join(10)
    assert found == expected
    assert child.exitcode == 0


def test_a_batch_of_one_is_a_single_solve():
    snake = supple.chain([9, 9, 9, 9, 4])
    single = supple.solve(snake, {"tip": (3.0, 20.0, 5.0)})
    several = supple.solve(snake, {"tip": np.array([[3.0, 20.0, 5.0]])})
    assert several.batch_shape == (1,)
    assert several[0] == single
