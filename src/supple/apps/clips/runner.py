"""Run many clips over processes or a Dask cluster, with a journal; a bad clip does not stop the others.

Every clip is processed and written by one worker, on one thread. So the bytes of results do not depend on the number of
workers, and little data passes between processes: paths to the worker, a line of report back.
"""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from supple.apps.clips.clip_files import common_folder
from supple.apps.clips.done import BAD_INPUT, Done
from supple.apps.clips.journal import Journal, content_hash, key_of
from supple.errors import SuppleError
from supple.files import remove_parts
from supple.threads import cores, limited

MOST_NAMED_CLIPS = 10  # in a message about unfinished clips


@dataclass(frozen=True)
class _WorkerRules:
    """How clips are handed to workers. Not tuned.

    Attributes:
        queued_clips: Clips submitted for each worker, so that none is idle.
        tries: In processes, a clip whose worker ended this many times is run alone. In Dask, how many times a clip
            that failed is retried.
        recycled_after: A worker process is replaced after this many clips.
    """

    queued_clips: int = 2
    tries: int = 2
    recycled_after: int = 500


WORKERS = _WorkerRules()
BLAS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # read as NumPy is imported


class OnClip(Protocol):
    """Work on a clip; it can be pickled, and has a hash of everything that determines its result."""

    @property
    def digest(self) -> str:
        """A hash of the work, independent of the clip."""
        ...

    def reads(self, file: Path) -> Iterable[Path]:
        """The clip, and other files that are read for this clip only."""
        ...

    def __call__(self, file: Path, out: Path) -> Done:
        """Process a clip, and write the result."""
        ...


@dataclass(frozen=True)
class _Job:
    """The job of a worker, the same for all clips.

    Attributes:
        work: The work on each clip.
        digest: That of `work`, hashed once.
        written: Whether the result of each clip is a file.
        folder: The output folder, absolute; None for no journal.
        threads: The number of threads for a clip; None for one for each core.
    """

    work: OnClip
    digest: str
    written: bool
    folder: Path | None
    threads: int | None = 1

    def name(self, out: Path) -> str:
        """The name of a result in the journal: its path in the output folder."""
        if self.folder is None:
            return out.name
        return out.absolute().relative_to(self.folder).as_posix()

    def key(self, file: Path, out: Path) -> str:
        """A hash of everything that determines the result of a clip."""
        return key_of(self.digest, self.name(out), self.work.reads(file))


@dataclass(frozen=True)
class _Receipt:
    """The result of a clip from a worker, with the data for its row in the journal."""

    done: Done
    key: str = ""
    result: str | None = None


Clips = Sequence[tuple[Path, Path]]
Receipts = Iterator[tuple[tuple[Path, Path], _Receipt]]


@dataclass(frozen=True)
class Ended:
    """A clip that is done, or failed.

    Attributes:
        file: The clip.
        out: The path of its result.
        done: Its result.
        name: Its name in reports: its path below the common folder of all clips of the run.
        again: Whether an earlier run has processed it.
    """

    file: Path
    out: Path
    done: Done
    name: str
    again: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return self.done.code == BAD_INPUT


class RunInterruptedError(SuppleError):
    """A run cannot continue: its cluster is lost while clips are unfinished."""


def _none() -> Generator[Ended, None, None]:
    yield from ()


@dataclass
class Run:
    """An iterable over the clips of a run, in the order in which they end, with counts.

    Attributes:
        pairs: (clip, result) of all clips.
        ended: The number of clips that have ended.
        again: The number of them that an earlier run had processed.
        failed: Those that failed, with the reason.
        worst: The highest code of all.
        warning: An error of the journal; "" if there is none.
        resumable: Whether there is a journal.
    """

    pairs: Sequence[tuple[Path, Path]]
    ended: int = 0
    again: int = 0
    failed: list[tuple[Path, str]] = field(default_factory=list)
    worst: int = 0
    warning: str = ""
    resumable: bool = False
    _seen: set[Path] = field(default_factory=set)
    _ends: Generator[Ended, None, None] = field(default_factory=_none)
    _begun: float = field(default_factory=time.monotonic)

    def __iter__(self) -> Iterator[Ended]:
        try:
            for one in self._ends:
                self.ended += 1
                self._seen.add(one.out)
                self.again += one.again
                self.worst = max(self.worst, one.done.code)
                if one.failed:
                    self.failed.append((one.file, one.done.text))
                yield one
        except RunInterruptedError as error:
            raise RunInterruptedError(f"{error}; {self._words_of_rest()}") from error
        finally:
            self._ends.close()

    @property
    def unfinished(self) -> list[Path]:
        """The clips that have not ended, in order."""
        return [file for file, out in self.pairs if out not in self._seen]

    def _words_of_rest(self) -> str:
        rest = self.unfinished
        names = ", ".join(map(str, rest[:MOST_NAMED_CLIPS])) + (
            ", ..." if len(rest) > MOST_NAMED_CLIPS else ""
        )
        again = (
            "finished clips are not processed again"
            if self.resumable
            else "all clips are processed again"
        )
        return (
            f"{len(rest)} of {len(self.pairs)} clips are unfinished ({names}); "
            f"to continue, run the same again: {again}"
        )

    @property
    def rate(self) -> float:
        """Clips a second, without those of an earlier run."""
        took = time.monotonic() - self._begun
        return (self.ended - self.again) / took if took > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Estimated time for the remaining clips [s]; None while the rate is unknown."""
        return (len(self.pairs) - self.ended) / self.rate if self.rate > 0 else None


def parse_shard(text: str) -> tuple[int, int]:
    """Parse a shard "i/n": the i-th of n parts, counted from 1."""
    try:
        i, n = map(int, text.split("/"))
        if 1 <= i <= n:
            return i, n
    except ValueError:
        pass
    raise SuppleError(
        f"--shard: expected I/N, such as 2/8 for the second of eight parts, got {text!r}"
    )


def run(
    work: OnClip,
    pairs: Sequence[tuple[Path, Path]],
    folder: Path | None,
    *,
    jobs: int | None = None,
    shard: tuple[int, int] | None = None,
    scheduler: str | None = None,
    written: bool = True,
    threads: int | None = 1,
) -> Run:
    """Run work on many clips.

    Args:
        work: The work on each clip.
        pairs: (clip, result) of each; results must differ.
        folder: The output folder, for the journal; None for no journal.
        jobs: The number of processes; by default one for each core. 1: in this process.
        shard: (i, n): only every n-th clip, starting with the i-th.
        scheduler: Address of a Dask scheduler, whose workers see the same files; instead of processes.
        written: Whether the result of each clip is a file.
        threads: The number of threads for each clip; None for one for each core. Results do not depend on it.

    Returns:
        The clips as they end.

    Raises:
        SuppleError: The folder cannot be written to, or there is no such scheduler.
    """
    if jobs is not None and jobs < 1:
        raise SuppleError(f"--jobs: expected 1 or more, got {jobs}")
    root = common_folder([file.parent for file, _ in pairs]) if pairs else ""
    if shard is not None:
        pairs = pairs[shard[0] - 1 :: shard[1]]
    journal = None if folder is None else Journal(folder, shard)
    state = Run(pairs, resumable=journal is not None)
    job = _Job(work, work.digest, written, None if folder is None else folder.absolute(), threads)
    state._ends = _all(job, journal, jobs, scheduler, state, root)
    return state


def _all(
    job: _Job,
    journal: Journal | None,
    jobs: int | None,
    scheduler: str | None,
    state: Run,
    root: str,
) -> Generator[Ended, None, None]:
    def ended(file: Path, out: Path, done: Done, *, again: bool = False) -> Ended:
        return Ended(file, out, done, os.path.relpath(os.path.abspath(file), root), again)

    try:
        todo: list[tuple[Path, Path]] = []
        for file, out in state.pairs:
            old = None
            if journal is not None and journal.has(job.name(out)):
                result = out if job.written else None
                old = journal.done(job.name(out), job.key(file, out), result)
            if old is None:
                todo.append((file, out))
            else:
                yield ended(file, out, old, again=True)
        if journal is not None:
            remove_parts(out for _, out in todo)
        if scheduler is not None:
            receipts = _over_dask(job, todo, scheduler)
        else:
            count = min(jobs if jobs is not None else cores(), max(1, len(todo)))
            receipts = _here(job, todo) if count == 1 else _over_processes(job, todo, count)
        for (file, out), receipt in receipts:
            one = ended(file, out, receipt.done)
            if journal is not None and not one.failed:
                journal.add(job.name(out), receipt.key, receipt.result, receipt.done)
            yield one
        if journal is not None:
            remove_parts(out for _, out in todo)  # of workers that were killed while they wrote
    finally:
        if journal is not None:
            journal.close()
            state.warning = journal.broken


def _attempt(job: _Job, file: Path, out: Path) -> _Receipt:
    """Process one clip, on one thread unless more are allowed; an error becomes its result."""
    try:
        with limited(job.threads or cores()):
            key = job.key(file, out)
            done = job.work(file, out)
            return _Receipt(done, key, content_hash(out) if job.written else None)
    except SuppleError as error:
        return _failed(str(error))
    except MemoryError:
        return _failed("there is not enough memory for this clip")
    except Exception as error:  # one bad clip must not stop the others
        return _failed(f"{type(error).__name__}: {error}")


def _failed(text: str) -> _Receipt:
    return _Receipt(Done(BAD_INPUT, text, {}))


def _here(job: _Job, todo: Clips) -> Receipts:
    for pair in todo:
        yield pair, _attempt(job, *pair)


# Processes ----------------------------------------------------------------------------------------

_job: _Job | None = None  # of a worker process


def _begin(job: _Job) -> None:
    global _job
    _job = job
    # Ctrl-C in a terminal goes to all processes; the run ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when the run is killed; it would wait forever, or process clips that the next run repeats."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _one(file: Path, out: Path) -> _Receipt:
    assert _job is not None
    return _attempt(_job, file, out)


def _pool(job: _Job, count: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        count,
        mp_context=context,
        initializer=_begin,
        initargs=(job,),
        max_tasks_per_child=WORKERS.recycled_after,
    )


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Let processes started in the meantime use one thread for linear algebra, since there is one for each core."""
    given = {name: os.environ.get(name) for name in BLAS}
    os.environ.update(dict.fromkeys(BLAS, "1"))
    try:
        yield
    finally:
        for name, value in given.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _over_processes(job: _Job, todo: Clips, count: int) -> Receipts:
    """Run clips over worker processes. If a process is killed, others process its clips."""
    waiting = deque((pair, 0) for pair in todo)
    alone: deque[tuple[Path, Path]] = deque()
    with _one_blas_thread():
        while waiting:
            running: dict[Future[_Receipt], tuple[tuple[Path, Path], int]] = {}
            pool = _pool(job, count)
            try:
                while waiting or running:
                    while waiting and len(running) < WORKERS.queued_clips * count:
                        future = pool.submit(_one, *waiting[0][0])  # raises if the pool is broken
                        running[future] = waiting.popleft()
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        receipt = future.result()
                        pair, _ = running.pop(future)
                        yield pair, receipt
            except BrokenProcessPool:
                for future, (pair, tries) in running.items():
                    if future.done() and future.exception() is None:
                        yield pair, future.result()
                    elif tries + 1 < WORKERS.tries:
                        waiting.append((pair, tries + 1))
                    else:
                        alone.append(pair)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        # Clips that were running when workers ended twice are run one by one, to find the clip that ends them.
        for pair in alone:
            yield pair, _by_itself(job, pair)


def _by_itself(job: _Job, pair: tuple[Path, Path]) -> _Receipt:
    with _pool(job, 1) as pool:
        try:
            return pool.submit(_one, *pair).result()
        except BrokenProcessPool:
            return _failed("the process that worked on it was ended, by the system or by a crash")


# Dask ---------------------------------------------------------------------------------------------


def _check_address(address: str) -> None:
    """Raise at once if nothing listens at an address: a Dask client would keep trying for a long time."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        if parts.scheme in ("tcp", "tls", "ws", "wss") and parts.hostname and parts.port:
            socket.create_connection((parts.hostname, parts.port), timeout=10.0).close()
            return
    except OSError as error:
        why = error.strerror or error
        raise SuppleError(f"--scheduler: cannot connect to {address}: {why}") from None
    except ValueError:
        pass
    raise SuppleError(f"--scheduler: expected an address such as tcp://host:8786, got {address!r}")


def _over_dask(job: _Job, todo: Clips, address: str) -> Receipts:
    """Run clips over the workers of a Dask cluster; if a worker is lost, others process its clips.

    Raises:
        RunInterruptedError: The scheduler is gone.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise SuppleError(
            "--scheduler: needs dask.distributed, which is not installed: pip install supple[cluster]"
        ) from None
    _check_address(address)
    try:
        client: Any = distributed.Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise SuppleError(f"--scheduler: cannot connect to {address}: {error}") from None
    with _quiet_dask():
        yield from _over_client(job, todo, address, distributed, client)


def _over_client(job: _Job, todo: Clips, address: str, distributed: Any, client: Any) -> Receipts:
    running: dict[Any, tuple[Path, Path]] = {}
    try:
        shared = client.scatter(job, broadcast=True, hash=False)
        waiting = deque(todo)
        ends = distributed.as_completed(loop=client.loop)
        call: Callable[..., _Receipt] = _attempt

        def submit() -> None:
            file, out = waiting.popleft()
            future = client.submit(
                call, shared, file.absolute(), out.absolute(), pure=False, retries=WORKERS.tries
            )
            running[future] = (file, out)
            ends.add(future)

        while running or waiting:
            # The number of workers may change.
            workers = client.scheduler_info(n_workers=-1)["workers"].values()
            most = WORKERS.queued_clips * max(1, sum(one["nthreads"] for one in workers)) + 2
            while waiting and len(running) < most:
                submit()
            future = next(ends)
            pair = running.pop(future)
            error = future.exception() if future.status == "error" else None
            receipt = future.result() if error is None else _failed(f"the cluster: {error}")
            future.release()
            yield pair, receipt
    except (OSError, CancelledError, distributed.client.ClosedClientError) as error:
        # OSError is a connection that closed, or workers that did not come in time.
        lost = isinstance(error, CancelledError) or client.status != "running"
        why = "the connection to it is lost" if lost else str(error) or type(error).__name__
        running.clear()
        raise RunInterruptedError(f"--scheduler: {address}: {why}") from error
    finally:
        if running:
            client.cancel(list(running))  # the next run processes clips that have not begun
        client.close()


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Silence the logger of Dask's client: it prints a traceback when a connection is lost, which is reported here."""
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)
