"""Many solves over all cores, in pieces, on a thread pool.

Kernels run without the interpreter lock, each on its own rows, so the answers have the same bits for
any number of threads and any size of pieces. The pool is made on first use, and again in a forked
child.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from queue import SimpleQueue

FIRST_PIECE_ROWS = 64  # a batch of no more rows runs in the calling thread
# Pieces grow after one that took less time than the first, and shrink after one that took more than the second [s].
SHORTEST_PIECE, LONGEST_PIECE = 1e-3, 1e-2

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_most: ContextVar[int | None] = ContextVar("threads.most", default=None)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def limited(count: int) -> Iterator[None]:
    """A context in which batches use at most `count` threads by default."""
    token = _most.set(count)
    try:
        yield
    finally:
        _most.reset(token)


def _shared_pool() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(cores(), thread_name_prefix="supple")
        return _pool


def _forget() -> None:
    # A forked child inherits the pool without its threads, and the lock in any state.
    global _lock, _pool
    _lock = threading.Lock()
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def run_threaded(
    part: Callable[[int, int], None],
    count: int,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Call part(first, last) over 0..count, piece by piece.

    An exception in a part or in `progress`, or an interrupt, ends the batch after the pieces that are
    running, and is raised here.

    Args:
        part: Processes rows first..last-1; called from several threads at once.
        count: Number of rows.
        threads: Maximum number of threads; by default one for each core, or as `limited` allows.
        progress: Called with (done, count) from the calling thread.
    """
    if threads is None:
        threads = min(cores(), _most.get() or cores())
    pieces = _Pieces(count, threads)
    if threads == 1 or count <= FIRST_PIECE_ROWS:
        while piece := pieces.take():
            pieces.do(part, piece)
            if progress is not None:
                progress(piece[1], count)
    elif threads <= cores():
        _spread(_shared_pool(), part, pieces, progress)
    else:
        with ThreadPoolExecutor(threads) as pool:
            _spread(pool, part, pieces, progress)


class _Pieces:
    """The rows 0..count, handed out from the front.

    Pieces grow until the cost of handing them out is negligible; the last are smaller again, so that the
    threads end together.
    """

    def __init__(self, count: int, threads: int) -> None:
        self.count = count
        self.threads = threads
        self._next = 0
        self._size = FIRST_PIECE_ROWS
        self._taking = threading.Lock()

    def take(self) -> tuple[int, int] | None:
        """The next piece, (first, last + 1); None if all are taken."""
        with self._taking:
            first = self._next
            if first >= self.count:
                return None
            share = (self.count - first) // (2 * self.threads) if self.threads > 1 else self.count
            self._next = min(first + max(FIRST_PIECE_ROWS, min(self._size, share)), self.count)
            return first, self._next

    def do(self, part: Callable[[int, int], None], piece: tuple[int, int]) -> None:
        """Process a piece, and adapt the size of the next ones to its time."""
        begun = time.perf_counter()
        part(*piece)
        took = time.perf_counter() - begun
        rows = piece[1] - piece[0]
        if took < SHORTEST_PIECE:
            self._size = max(self._size, 2 * rows)
        elif took > LONGEST_PIECE:
            self._size = max(FIRST_PIECE_ROWS, rows // 2)


def _spread(
    pool: ThreadPoolExecutor,
    part: Callable[[int, int], None],
    pieces: _Pieces,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Process the pieces in several threads; the calling thread only reports progress."""
    finished: SimpleQueue[int] = SimpleQueue()  # rows done by a piece; 0 from a worker that ends
    stop = False

    def worker() -> None:
        try:
            while not stop and (piece := pieces.take()):
                pieces.do(part, piece)
                finished.put(piece[1] - piece[0])
        finally:
            finished.put(0)

    most = -(-pieces.count // FIRST_PIECE_ROWS)
    futures = [pool.submit(worker) for _ in range(min(pieces.threads, most))]
    done, working = 0, len(futures)
    try:
        while working:
            rows = finished.get()
            done += rows
            working -= rows == 0
            if rows and progress is not None:
                progress(done, pieces.count)
    finally:
        stop = True
        wait(futures)
    for future in futures:
        future.result()
