"""Many clips over processes or a Dask cluster, with a journal; a bad clip does not stop the rest.

Every clip is done by one worker, on one thread, and written by it. So results are the same bytes whatever the
number of workers, and little goes between processes: paths there, a line of report back.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from supple.batch.clips import BAD_INPUT, Done
from supple.batch.journal import Journal, key_of
from supple.errors import SuppleError
from supple.threads import cores

AHEAD = 2  # clips that wait for each worker, so that none is idle
TRIES = 2  # a clip that has ended its worker so often has failed
RECYCLED = 500  # clips after which a worker begins anew


class OnClip(Protocol):
    """What is done with a clip: to be pickled, and with a hash of all that decides its result."""

    @property
    def digest(self) -> str:
        """A hash of what is done, whatever the clip."""
        ...

    def __call__(self, file: Path, out: Path) -> Done:
        """Do it, and write the result."""
        ...


@dataclass(frozen=True)
class Ended:
    """A clip that is done, or failed.

    Attributes:
        file: The clip.
        out: Where its result is.
        done: What became of it.
        again: Whether it was done by an earlier run.
    """

    file: Path
    out: Path
    done: Done
    again: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return self.done.code == BAD_INPUT


@dataclass
class Run:
    """The clips of a run as they end, in the order in which they do.

    Iterate over it; afterwards it tells how it went.

    Attributes:
        pairs: (clip, result) of all clips.
        ended: How many have ended.
        again: How many of them an earlier run had done.
        failed: Those that failed, with the reason.
        worst: The highest code of all.
        warning: What went wrong with the journal; "" if nothing did.
    """

    pairs: Sequence[tuple[Path, Path]]
    _ends: Generator[Ended, None, None]
    ended: int = 0
    again: int = 0
    failed: list[tuple[Path, str]] = field(default_factory=list)
    worst: int = 0
    warning: str = ""
    _begun: float = field(default_factory=time.monotonic)

    def __iter__(self) -> Iterator[Ended]:
        try:
            for one in self._ends:
                self.ended += 1
                self.again += one.again
                self.worst = max(self.worst, one.done.code)
                if one.failed:
                    self.failed.append((one.file, one.done.text))
                yield one
        finally:
            self._ends.close()

    @property
    def rate(self) -> float:
        """Clips a second, of those that were done now."""
        took = time.monotonic() - self._begun
        return (self.ended - self.again) / took if took > 0 else 0.0

    @property
    def left(self) -> float | None:
        """How long the rest will take [s]; None before anything is known."""
        return (len(self.pairs) - self.ended) / self.rate if self.rate > 0 else None


def parse_shard(text: str) -> tuple[int, int]:
    """The shard of "i/n": the i-th of n parts, from 1 on."""
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
) -> Run:
    """Run something on many clips.

    Args:
        work: What to do with each.
        pairs: (clip, result) of each; results must differ.
        folder: Of the results, where the journal goes; None for no journal.
        jobs: How many processes; by default one for each core. 1: in this process.
        shard: (i, n): only every n-th clip from the i-th on. Clips keep their shard whatever the others do.
        scheduler: Address of a Dask scheduler, whose workers see the same files; instead of processes.
        written: Whether each clip has a result that is a file.

    Returns:
        The clips as they end.

    Raises:
        SuppleError: The folder cannot be written to, or there is no such scheduler.
    """
    if jobs is not None and jobs < 1:
        raise SuppleError(f"--jobs: expected 1 or more, got {jobs}")
    if shard is not None:
        pairs = pairs[shard[0] - 1 :: shard[1]]
    journal = None if folder is None else Journal(folder, shard)
    ended = Run(pairs, _none())
    ended._ends = _all(work, pairs, journal, jobs, scheduler, written, ended)
    return ended


def _none() -> Generator[Ended, None, None]:
    yield from ()


def _all(
    work: OnClip,
    pairs: Sequence[tuple[Path, Path]],
    journal: Journal | None,
    jobs: int | None,
    scheduler: str | None,
    written: bool,
    state: Run,
) -> Generator[Ended, None, None]:
    todo: list[tuple[Path, Path]] = []
    keys: dict[Path, str] = {}
    try:
        for file, out in pairs:
            result = out if written else None
            if journal is not None:
                keys[out] = key_of(work.digest, file, result)
                old = journal.done(keys[out], result)
                if old is not None:
                    yield Ended(file, out, old, again=True)
                    continue
            todo.append((file, out))
        if scheduler is not None:
            ends = _over_dask(work, todo, scheduler)
        else:
            count = min(jobs if jobs is not None else cores(), max(1, len(todo)))
            ends = _here(work, todo) if count == 1 else _over_processes(work, todo, count)
        for one in ends:
            if journal is not None and not one.failed:
                journal.add(keys[one.out], one.file, one.out if written else None, one.done)
            yield one
    finally:
        if journal is not None:
            journal.close()
            state.warning = journal.broken


def attempt(work: OnClip, file: Path, out: Path) -> Done:
    """Do one clip; whatever goes wrong with it is its result."""
    try:
        return work(file, out)
    except SuppleError as error:
        return Done(BAD_INPUT, str(error), {})
    except MemoryError:
        return Done(BAD_INPUT, "there is not enough memory for this clip", {})
    except Exception as error:  # one clip must not end thousands
        return Done(BAD_INPUT, f"{type(error).__name__}: {error}", {})


def _here(work: OnClip, todo: Iterable[tuple[Path, Path]]) -> Iterator[Ended]:
    for file, out in todo:
        yield Ended(file, out, attempt(work, file, out))


# Processes ----------------------------------------------------------------------------------------

_work: OnClip | None = None  # of a worker process


def _begin(work: OnClip) -> None:
    global _work
    os.environ["OMP_NUM_THREADS"] = "1"
    _work = work


def _one(file: Path, out: Path) -> Done:
    assert _work is not None
    return attempt(_work, file, out)


def _pool(work: OnClip, count: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        count,
        mp_context=context,
        initializer=_begin,
        initargs=(work,),
        max_tasks_per_child=RECYCLED,
    )


def _over_processes(work: OnClip, todo: Sequence[tuple[Path, Path]], count: int) -> Iterator[Ended]:
    """Clips over worker processes. Where one is ended from outside, its clips are done by others."""
    waiting = deque((pair, 0) for pair in todo)
    alone: deque[tuple[tuple[Path, Path], int]] = deque()
    while waiting or alone:
        # What has ended a worker twice is done alone, so that it is known which clip it is.
        if not waiting:
            pair, tries = alone.popleft()
            yield from _by_itself(work, pair)
            continue
        running: dict[Future[Done], tuple[tuple[Path, Path], int]] = {}
        pool = _pool(work, count)
        try:
            while waiting or running:
                while waiting and len(running) < AHEAD * count:
                    future = pool.submit(_one, *waiting[0][0])  # raises if the pool is broken
                    running[future] = waiting.popleft()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    pair, tries = running[future]
                    done = future.result()
                    del running[future]
                    yield Ended(*pair, done)
        except BrokenProcessPool:
            for future, (pair, tries) in running.items():
                if future.done() and future.exception() is None:
                    yield Ended(*pair, future.result())
                elif tries + 1 < TRIES:
                    waiting.append((pair, tries + 1))
                else:
                    alone.append((pair, tries + 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _by_itself(work: OnClip, pair: tuple[Path, Path]) -> Iterator[Ended]:
    with _pool(work, 1) as pool:
        try:
            done = pool.submit(_one, *pair).result()
        except BrokenProcessPool:
            text = "the process that worked on it was ended, by the system or by a crash"
            done = Done(BAD_INPUT, text, {})
    yield Ended(*pair, done)


# Dask ---------------------------------------------------------------------------------------------


def _over_dask(work: OnClip, todo: Sequence[tuple[Path, Path]], address: str) -> Iterator[Ended]:
    """Clips over the workers of a Dask cluster; those of a worker that is lost are done by others."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise SuppleError(
            "--scheduler: needs dask.distributed, which is not installed: pip install supple[cluster]"
        ) from None
    try:
        client: Any = distributed.Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise SuppleError(f"--scheduler: cannot connect to {address}: {error}") from None
    try:
        shared = client.scatter(work, broadcast=True, hash=False)
        waiting = deque(todo)
        running: dict[Any, tuple[Path, Path]] = {}
        ends = distributed.as_completed(loop=client.loop)
        call: Callable[..., Done] = attempt

        def submit() -> None:
            file, out = waiting.popleft()
            future = client.submit(
                call, shared, file.resolve(), out.resolve(), pure=False, retries=TRIES
            )
            running[future] = (file, out)
            ends.add(future)

        most = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"])) + 2
        while waiting and len(running) < most:
            submit()
        while running:
            future = next(ends)
            pair = running.pop(future)
            error = future.exception() if future.status == "error" else None
            done = (
                future.result() if error is None else Done(BAD_INPUT, f"the cluster: {error}", {})
            )
            future.release()
            if waiting:
                submit()
            yield Ended(*pair, done)
    finally:
        client.close()
