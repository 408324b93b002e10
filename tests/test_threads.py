"""Batches over threads: every row once, progress, failures, and forked children."""

import os
import threading
import time

import pytest
from tests.patience import PATIENCE

from supple import threads as pool


class Clock:
    """In place of the clock of the pool: time passes only where a test says so."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(pool, "time", self)

    def perf_counter(self):
        return self.now


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_every_row_is_done_once(count, threads):
    done = []
    pool.run_threaded(lambda first, last: done.extend(range(first, last)), count, threads=threads)
    assert sorted(done) == list(range(count))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pieces_grow_while_they_are_quick_and_leave_some_for_every_thread(threads, monkeypatch):
    Clock(monkeypatch)
    pieces = []
    pool.run_threaded(lambda *piece: pieces.append(piece), 100_000, threads=threads)
    sizes = [last - first for first, last in sorted(pieces)]
    assert sizes[0] == pool.FIRST_PIECE_ROWS
    assert max(sizes) >= 8 * pool.FIRST_PIECE_ROWS
    if threads > 1:
        assert max(sizes) <= 100_000 / (2 * threads)
        assert sizes[-1] <= pool.FIRST_PIECE_ROWS


def test_a_limit_holds_where_no_number_is_given():
    own = threading.get_ident()
    used = set()
    with pool.limited(1):
        pool.run_threaded(lambda *_: used.add(threading.get_ident()), 1000)
    assert used == {own}


def test_slow_pieces_stay_small(monkeypatch):
    clock = Clock(monkeypatch)
    sizes = []

    def part(first, last):
        sizes.append(last - first)
        clock.now += 2 * pool.LONGEST_PIECE

    pool.run_threaded(part, 10 * pool.FIRST_PIECE_ROWS, threads=1)
    assert set(sizes) == {pool.FIRST_PIECE_ROWS}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_no_more_threads_than_asked_for(threads):
    working, most, lock, together = 0, 0, threading.Lock(), threading.Event()

    def part(first, last):
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
            if working > 1:
                together.set()
        together.wait(PATIENCE if threads == 5 else 0.0)  # a busy machine starts threads late
        time.sleep(0.002)
        with lock:
            working -= 1

    pool.run_threaded(part, 1000, threads=threads)
    assert 1 <= most <= threads
    if threads == 5:
        assert most > 1


def test_small_batches_stay_in_the_calling_thread():
    names = []
    pool.run_threaded(lambda *_: names.append(threading.current_thread()), 64)
    assert names == [threading.current_thread()]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_progress_goes_up_to_the_end(threads):
    told = []
    pool.run_threaded(lambda *_: None, 1000, threads=threads, progress=lambda *x: told.append(x))
    assert told[-1] == (1000, 1000)
    assert told == sorted(set(told))
    assert len(told) > 3


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_failure_is_raised_in_the_calling_thread(threads):
    def part(first, last):
        if first <= 500 < last:
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        pool.run_threaded(part, 1000, threads=threads, progress=lambda *_: None)
    done = []
    pool.run_threaded(lambda *piece: done.extend(range(*piece)), 1000, threads=threads)
    assert sorted(done) == list(range(1000))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_in_progress_ends_the_batch(threads, monkeypatch):
    started, stopped = [], threading.Event()

    def part(first, last):
        started.append(first)
        if len(started) > threads:  # a thread that goes on is held until the batch is ended
            stopped.wait(PATIENCE)

    def ending(futures, wait=pool.wait):
        stopped.set()
        return wait(futures)

    monkeypatch.setattr(pool, "wait", ending)

    def progress(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.run_threaded(part, 64 * 200, threads=threads, progress=progress)
    after = len(started)
    assert after <= 2 * threads
    time.sleep(0.02)
    assert len(started) == after, "nothing goes on in the background"


def test_a_batch_within_the_progress_of_another():
    inner = []

    def progress(done, total):
        pool.run_threaded(lambda *piece: inner.extend(range(*piece)), 130, threads=2)

    told = []
    pool.run_threaded(
        lambda *_: None, 130, threads=2, progress=lambda *x: (told.append(x), progress(*x))
    )
    assert len(inner) == 130 * len(told) > 130


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_pool_of_its_own():
    pool.run_threaded(lambda *_: None, 1000, threads=2)
    with pool._lock:  # as if another thread were just making the pool
        child = os.fork()
        if child == 0:
            done = []
            pool.run_threaded(lambda *piece: done.extend(range(*piece)), 1000, threads=2)
            os._exit(0 if len(done) == 1000 else 1)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
