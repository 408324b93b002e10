"""Many solves over all cores: fixed chunks on a pool of our own threads.

Kernels run without the interpreter lock, each on its own rows, so the answers are the same bits
whatever the number of threads. The pool is made on first use, and again in a forked child.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue

CHUNK = 64  # problems a task; a batch of one task runs in the calling thread

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None


def cores() -> int:
    """How many threads a batch uses by default."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared_pool() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(cores(), thread_name_prefix="supple")
        return _pool


def _forget() -> None:
    # A forked child inherits the pool but none of its threads, and the lock as it happened to be.
    global _lock, _pool
    _lock = threading.Lock()
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def run(
    part: Callable[[int, int], None],
    count: int,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Call part(first, last) over 0..count in fixed chunks.

    A failure of a part, or of `progress`, or an interrupt ends the batch after the chunks that are
    under way, and is raised here.

    Args:
        part: Does rows first..last-1; called from several threads at once.
        count: How many rows there are.
        threads: At most how many at a time; all cores by default.
        progress: Called with (done, count) from the calling thread.
    """
    threads = cores() if threads is None else threads
    ranges = [(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    if threads == 1 or len(ranges) <= 1:
        for first, last in ranges:
            part(first, last)
            if progress is not None:
                progress(last, count)
    elif threads <= cores():
        _spread(_shared_pool(), part, ranges, threads, progress)
    else:
        with ThreadPoolExecutor(threads) as pool:
            _spread(pool, part, ranges, threads, progress)


def _spread(
    pool: ThreadPoolExecutor,
    part: Callable[[int, int], None],
    ranges: list[tuple[int, int]],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Do the ranges in several threads; the calling one only follows."""
    finished: SimpleQueue[int] = SimpleQueue()  # rows done by a chunk; 0 from a worker that ends
    waiting = iter(ranges)
    taking = threading.Lock()
    stop = False

    def worker() -> None:
        try:
            while not stop:
                with taking:
                    piece = next(waiting, None)
                if piece is None:
                    return
                part(*piece)
                finished.put(piece[1] - piece[0])
        finally:
            finished.put(0)

    futures = [pool.submit(worker) for _ in range(min(threads, len(ranges)))]
    done, working = 0, len(futures)
    try:
        while working:
            rows = finished.get()
            done += rows
            working -= rows == 0
            if rows and progress is not None:
                progress(done, ranges[-1][1])
    finally:
        stop = True
        wait(futures)
    for future in futures:
        future.result()
