"""Many clips: same bytes whatever the workers, nothing lost, nothing done twice."""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from supple import files
from supple.batch import Done, Plan, PlanOnClip, parse_shard, run
from supple.batch.steps import Plant
from supple.errors import SuppleError


def pairs(clips, out):
    out.mkdir(exist_ok=True)
    return [(path, out / path.name) for path in sorted(clips.glob("*.bvh"))]


PLANT = PlanOnClip(Plan(steps=(Plant(),), up="y"))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@dataclass(frozen=True)
class Copy:
    """Copies a clip and counts; ends its own process at clips of some name."""

    counts: Path
    kills: str = ""
    always: bool = False
    digest: str = "copy"

    def reads(self, file):
        return (file,)

    def __call__(self, file, out):
        mark = self.counts / f"{file.name}.{time.monotonic_ns()}"
        mark.write_text("")
        tried = len(list(self.counts.glob(f"{file.name}.*")))
        if self.kills and self.kills in file.name and (self.always or tried == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        files.write(out, file.read_bytes(), "clip")
        return Done(0, "copied", {})


def counted(folder):
    found: dict[str, int] = {}
    for path in folder.iterdir():
        name = path.name.rpartition(".")[0]
        found[name] = found.get(name, 0) + 1
    return found


def test_results_are_the_same_bytes_whatever_the_number_of_workers(clips, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    alone = run(PLANT, pairs(clips, one), one, jobs=1)
    names = [end.file.name for end in alone]
    assert len(names) == 6
    assert [path.name for path, _ in alone.failed] == ["bad.bvh"]
    both = run(PLANT, pairs(clips, two), two, jobs=2)
    assert sorted(end.file.name for end in both) == sorted(names)
    assert contents(one) == contents(two)
    assert len(contents(one)) == 5


def test_a_run_goes_on_where_it_was_ended(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    work = Copy(counts)
    first = iter(run(work, pairs(clips, out), out, jobs=1))
    for _ in range(3):
        next(first)
    first.close()  # ended in the middle
    rest = run(work, pairs(clips, out), out, jobs=1)
    again = [end.again for end in rest]
    assert again == [True] * 3 + [False] * 3
    assert (rest.ended, rest.again) == (6, 3)
    assert set(counted(counts).values()) == {1}
    # What was changed since, the clip or its result, is done anew.
    (out / "c1.bvh").write_text("spoilt")
    (clips / "c2.bvh").write_text("another")
    anew = [end.file.name for end in run(work, pairs(clips, out), out, jobs=1) if not end.again]
    assert anew == ["c1.bvh", "c2.bvh"]
    assert (out / "c2.bvh").read_text() == "another"


def test_a_journal_cut_off_in_a_line_loses_that_line_only(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    list(run(Copy(counts), pairs(clips, out), out, jobs=1))
    journal = tmp_path / ".out.supple-journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    again = [end.again for end in run(Copy(counts), pairs(clips, out), out, jobs=1)]
    assert again == [True] * 5 + [False]
    assert all(end.again for end in run(Copy(counts), pairs(clips, out), out, jobs=1))


def test_a_worker_that_is_killed_loses_nothing(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    state = run(Copy(counts, "c2"), pairs(clips, out), out, jobs=2)
    assert len(list(state)) == 6
    assert not state.failed
    assert contents(out) == contents(clips)


def test_a_clip_that_ends_every_worker_is_named_and_the_rest_is_done(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    state = run(Copy(counts, "c2", True), pairs(clips, out), out, jobs=2)
    assert len(list(state)) == 6
    assert [(path.name, "was ended" in text) for path, text in state.failed] == [("c2.bvh", True)]
    assert sorted(contents(out)) == sorted(set(contents(clips)) - {"c2.bvh"})


def test_shards_are_parts_of_the_whole(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    for k in (1, 2, 3):
        list(run(Copy(counts), pairs(clips, out), out, jobs=1, shard=(k, 3)))
    assert contents(out) == contents(clips)
    assert set(counted(counts).values()) == {1}
    # The whole knows what its parts have done.
    assert all(end.again for end in run(Copy(counts), pairs(clips, out), out, jobs=1))


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_bad_shards_are_said(text):
    with pytest.raises(SuppleError, match="expected I/N"):
        parse_shard(text)


def test_a_full_disk_is_said_and_leaves_what_was_there(clips, tmp_path, monkeypatch):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    list(run(Copy(counts), pairs(clips, out)[:3], out, jobs=1))
    before = contents(out)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def nothing_fits(self, data):
        raise full

    monkeypatch.setattr(Path, "write_bytes", nothing_fits)
    state = run(Copy(counts), pairs(clips, out), out, jobs=1)
    ends = list(state)
    assert [end.again for end in ends] == [True] * 3 + [False] * 3
    assert len(state.failed) == 3
    assert all("No space left" in text for _, text in state.failed)
    monkeypatch.undo()
    assert contents(out) == before  # nothing half written
    assert all(not end.failed for end in run(Copy(counts), pairs(clips, out), out, jobs=1))


def test_a_folder_that_cannot_be_written_to_is_said_before_anything_runs(
    clips, tmp_path, monkeypatch
):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    some = pairs(clips, out)

    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(SuppleError, match="cannot write to this folder: Permission denied"):
        run(Copy(counts), some, out, jobs=1)
    assert not list(counts.iterdir())


def test_dask_is_asked_for_where_it_is_not_installed(clips, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    out = tmp_path / "out"
    with pytest.raises(SuppleError, match=r"pip install supple\[cluster\]"):
        list(run(PLANT, pairs(clips, out), out, scheduler="tcp://127.0.0.1:1"))


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two workers: its address, and the processes of the workers."""
    pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    common = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    module = [sys.executable, "-m", "distributed.cli"]
    started = [subprocess.Popen(
        [*module[:-1], "distributed.cli.dask_scheduler", "--scheduler-file", address, "--port", "0",
         "--no-dashboard", "--host", "127.0.0.1"], **common)]  # fmt: skip
    try:
        started += [subprocess.Popen(
            [*module[:-1], "distributed.cli.dask_worker", "--scheduler-file", address, "--nthreads", "1",
             "--no-nanny", "--no-dashboard", "--local-directory", tmp_path / f"worker{k}"], **common)
            for k in range(2)]  # fmt: skip
        import json

        until = time.monotonic() + 60
        while not address.exists() and time.monotonic() < until:
            time.sleep(0.1)
        yield json.loads(address.read_text())["address"], started[1:]
    finally:
        for one in started:
            one.kill()
            one.wait()


def test_a_cluster_gives_the_same_bytes_also_if_a_worker_is_killed(clips, tmp_path, cluster):
    address, workers = cluster
    here, there = tmp_path / "here", tmp_path / "there"
    list(run(PLANT, pairs(clips, here), here, jobs=1))
    state = run(PLANT, pairs(clips, there), there, scheduler=address)
    for k, _ in enumerate(state):
        if k == 1:
            workers[0].kill()
    assert [path.name for path, _ in state.failed] == ["bad.bvh"]
    assert contents(here) == contents(there)
    again = run(PLANT, pairs(clips, there), there, scheduler=address)
    assert sum(end.again for end in again) == 5
