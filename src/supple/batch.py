"""Many solves over all cores: fixed chunks on a pool of our own threads.

Kernels run without the interpreter lock, each on its own rows, so the answers are the same bits
whatever the number of threads. The pool is made on first use and again in a forked child.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue

CHUNK = 64  # problems a task
SERIAL = 32  # below this many problems a batch runs in the calling thread

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_owner = 0


def cores() -> int:
    """How many threads a batch uses by default."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared_pool() -> ThreadPoolExecutor:
    global _pool, _owner
    with _lock:
        if _pool is None or _owner != os.getpid():
            # A forked child inherits the object but none of its threads.
            _pool = ThreadPoolExecutor(cores(), thread_name_prefix="supple")
            _owner = os.getpid()
        return _pool


def run(
    part: Callable[[int, int], None],
    count: int,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Call part(first, last) over 0..count in fixed chunks.

    Args:
        part: Does rows first..last-1; called from several threads at once.
        count: How many rows there are.
        threads: At most how many at a time; all cores by default.
        progress: Called with (done, count) from the calling thread.
    """
    threads = cores() if threads is None else max(1, threads)
    ranges = [(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    if threads == 1 or count < SERIAL or len(ranges) == 1:
        for first, last in ranges:
            part(first, last)
            if progress is not None:
                progress(last, count)
        return
    finished: SimpleQueue[int] = SimpleQueue()
    waiting = iter(ranges)
    taking = threading.Lock()

    def worker() -> None:
        while True:
            with taking:
                piece = next(waiting, None)
            if piece is None:
                return
            part(*piece)
            finished.put(piece[1] - piece[0])

    workers = min(threads, len(ranges))
    if threads <= cores():
        futures = [_shared_pool().submit(worker) for _ in range(workers)]
        _follow(futures, finished, count, progress)
    else:
        with ThreadPoolExecutor(workers) as pool:
            _follow([pool.submit(worker) for _ in range(workers)], finished, count, progress)


def _follow(
    futures: list[Future[None]],
    finished: SimpleQueue[int],
    count: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Wait for the workers, telling of their progress; the first failure is raised here."""
    done = 0
    while progress is not None and done < count:
        if wait(futures, timeout=0.0).not_done:
            with contextlib.suppress(Empty):
                done += finished.get(timeout=0.1)
                progress(done, count)
        else:
            break
    for future in futures:
        future.result()
    if progress is not None and done < count:
        progress(count, count)
