"""Many clips: same bytes whatever the workers, nothing lost, nothing done twice."""

import errno
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.apps.clips.copying import Copy, pairs
from tests.patience import PATIENCE, until

import supple
from supple import files
from supple.apps.clips import Plan, PlanOnClip, RunInterruptedError, parse_shard, run
from supple.apps.clips.steps import Plant
from supple.errors import SuppleError

PLANT = PlanOnClip(Plan(steps=(Plant(),), up="y"))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


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


def test_what_a_killed_worker_was_writing_is_gone_at_the_end(clips, tmp_path):
    out = tmp_path / "out"
    half = out / f".c1.bvh.{files._name_digest(out / 'c1.bvh')}.4194304.part"
    for k, _ in enumerate(run(PLANT, pairs(clips, out), out, jobs=1)):
        if k == 1:
            half.write_text("HIERARCHY")
    assert not half.exists()
    assert len(contents(out)) == 5


def test_a_journal_cut_off_in_a_line_loses_that_line_only(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    list(run(Copy(counts), pairs(clips, out), out, jobs=1))
    journal = tmp_path / JOURNAL
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


def test_clips_of_one_name_in_two_folders_are_journalled_apart(clips, tmp_path):
    out, counts = tmp_path / "out", tmp_path / "counts"
    counts.mkdir()
    both = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (out / folder).mkdir(parents=True)
        shutil.copy(clips / "c0.bvh", tmp_path / folder)
        both.append((tmp_path / folder / "c0.bvh", out / folder / "c0.bvh"))
    work = Copy(counts)
    first = list(run(work, both, out, jobs=1, shard=(1, 2)))
    assert [end.name for end in first] == ["a/c0.bvh"]
    # A killed run has left a part of the other.
    files_left = [out / folder / f".c0.bvh.{digest}.99.part"
                  for folder in ("a", "b")
                  for digest in (hashlib.sha256(b"c0.bvh").hexdigest()[:8], "0" * 8)]  # fmt: skip
    for path in files_left:
        path.write_text("part")
    rest = list(run(work, both, out, jobs=1))
    assert [(end.name, end.again) for end in rest] == [("a/c0.bvh", True), ("b/c0.bvh", False)]
    assert [path.exists() for path in files_left] == [True, True, False, True]
    assert all(end.again for end in run(work, both, out, jobs=1))


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


def test_a_result_that_does_not_fit_fails_alone(clips, tmp_path, wave):
    """On a disk that takes files of 20 kB only: the journal and short clips go on."""
    supple.save(wave.with_(name="long"), clips / "long.bvh")
    out = tmp_path / "out"
    size = 20_000
    given = [
        sys.executable,
        "-m",
        "supple.apps.cli",
        "correct",
        *sorted(clips.glob("*.bvh")),
        "--plant-feet",
    ]
    done = subprocess.run(
        [*given, "--up", "y", "--out-dir", out], capture_output=True, text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # it would keep what is cut off at the limit
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )  # fmt: skip
    assert done.returncode == 2
    assert "long.bvh: cannot write the" in done.stderr and "File too large" in done.stderr
    assert "5 of 7 files done, 2 failed" in done.stdout
    assert sorted(path.name for path in out.iterdir()) == [f"c{k}.bvh" for k in range(5)]


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


@pytest.mark.parametrize("address", ["[", "tcp://[::1", "host", "tcp://host:port"])
def test_what_is_no_address_of_a_scheduler_is_refused(clips, tmp_path, monkeypatch, address):
    monkeypatch.setitem(sys.modules, "distributed", ModuleType("distributed"))
    out = tmp_path / "out"
    with pytest.raises(SuppleError, match="--scheduler: expected an address"):
        list(run(PLANT, pairs(clips, out), out, scheduler=address))


JOURNAL = ".out.supple-journal.jsonl"


def journalled(out):
    rows = (out.parent / f".{out.name}.supple-journal.jsonl").read_text().splitlines()
    return [json.loads(row)["name"] for row in rows if row.endswith("}")]


RUN = """
import sys
from pathlib import Path
from supple.apps.clips import run
from tests.apps.clips.copying import Copy, pairs

if __name__ == "__main__":
    clips, out, counts, held = map(Path, sys.argv[1:])
    list(run(Copy(counts, held=held), pairs(clips, out), out, jobs=2))
"""


def test_a_run_that_is_killed_takes_its_workers_along_and_is_resumed(clips, tmp_path):
    for k in range(20):
        (clips / f"{'d' if k < 12 else 'held'}{k}.bvh").write_text(f"clip {k}")
    out, counts, script = tmp_path / "out", tmp_path / "counts", tmp_path / "run.py"
    held = tmp_path / "held"
    counts.mkdir()
    held.touch()
    script.write_text(RUN)
    child = subprocess.Popen([sys.executable, script, clips, out, counts, held], env=environment())
    free = {path.name for path in clips.glob("*.bvh") if not path.name.startswith("held")}
    try:
        # Everything that is not held is done, and each worker is at a clip that is.
        until(lambda: (tmp_path / JOURNAL).exists() and set(journalled(out)) >= free)
        workers = until(lambda: workers_at(counts, 2))
    finally:
        child.kill()
        child.wait()
    until(lambda: not any(alive(pid) for pid in workers))
    assert set(journalled(out)) == free
    state = run(Copy(counts), pairs(clips, out), out, jobs=1)
    assert {end.out.name for end in state if end.again} == free
    assert contents(out) == contents(clips)  # nor is anything left that was half written
    tried = counted(counts)
    assert all(tried[name] == 1 for name in free)
    assert sum(tried.values()) == len(tried) + 2, "what the two workers were at was lost with them"


def workers_at(counts, count):
    """The processes that are at clips that are held, if there are so many."""
    told = [path.read_text() for path in counts.glob("held*")]
    found = {int(text) for text in told if text}
    return found if len(found) == count else None


def alive(pid):
    """Whether a process runs, and does not only wait to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two workers: its address, the processes of the workers, and its own."""
    address = tmp_path / "scheduler.json"
    common = {"env": environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    module = [sys.executable, "-m"]
    started = [subprocess.Popen(
        [*module, "distributed.cli.dask_scheduler", "--scheduler-file", address, "--port", "0",
         "--no-dashboard", "--host", "127.0.0.1"], **common)]  # fmt: skip
    try:
        started += [subprocess.Popen(
            [*module, "distributed.cli.dask_worker", "--scheduler-file", address, "--nthreads", "1",
             "--no-nanny", "--no-dashboard", "--local-directory", tmp_path / f"worker{k}"], **common)
            for k in range(2)]  # fmt: skip
        import distributed

        found = json.loads(until(lambda: address.exists() and address.read_text()))["address"]
        with distributed.Client(found, timeout=PATIENCE, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield found, started[1:], started[0]
    finally:
        for one in started:
            one.kill()
            one.wait()


def test_a_cluster_gives_the_same_bytes_loses_nothing_and_does_nothing_twice(
    clips, tmp_path, cluster
):
    address, workers, _ = cluster
    here, there, copied = (tmp_path / name for name in ("here", "there", "copied"))
    list(run(PLANT, pairs(clips, here), here, jobs=1))
    # A run that is ended, and goes on.
    counts = tmp_path / "counts"
    counts.mkdir()
    work = Copy(counts)
    first = iter(run(work, pairs(clips, copied), copied, scheduler=address))
    done = {next(first).out.name for _ in range(3)}
    first.close()
    rest = run(work, pairs(clips, copied), copied, scheduler=address)
    assert {end.out.name for end in rest if end.again} == done == set(journalled(copied)[:3])
    assert contents(copied) == contents(clips)
    assert all(counted(counts)[name] == 1 for name in done)
    # A worker that is killed in the middle.
    state = run(PLANT, pairs(clips, there), there, scheduler=address)
    for k, _ in enumerate(state):
        if k == 1:
            workers[0].kill()
    assert [path.name for path, _ in state.failed] == ["bad.bvh"]
    assert contents(here) == contents(there)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_scheduler_that_is_lost_is_said_with_the_clips_that_are_left(
    clips, tmp_path, cluster, how
):
    address, _, scheduler = cluster
    out, counts, held = tmp_path / "out", tmp_path / "counts", tmp_path / "held"
    counts.mkdir()
    held.touch()
    for k in range(12):
        shutil.copy(clips / "c0.bvh", clips / f"held{k}.bvh")
    state = run(Copy(counts, held=held), pairs(clips, out), out, scheduler=address)
    ends = iter(state)
    done = [next(ends).file for _ in range(6)]  # all but those that wait
    until(lambda: [name for name in counted(counts) if name.startswith("held")])
    scheduler.send_signal(how)
    with pytest.raises(RunInterruptedError) as said:
        next(ends)
    left = [file for file, _ in pairs(clips, out) if file not in done]
    assert state.unfinished == left and len(left) == 12
    assert "12 of 18 clips are unfinished" in str(said.value)
    assert f"{left[0]}, " in str(said.value) and str(left[11]) not in str(said.value)
    assert "run the same again: finished clips are not processed again" in str(said.value)
    held.unlink()
    rest = run(Copy(counts), pairs(clips, out), out, jobs=1)
    assert [end.file for end in rest if not end.again] == left


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nowhere://x", "expected an address such as tcp://host:8786"),
        ("tcp://127.0.0.1:one", "expected an address such as tcp://host:8786"),
        ("tcp://127.0.0.1:1", "cannot connect to tcp://127.0.0.1:1: Connection refused"),
    ],
)
def test_a_scheduler_that_is_not_there_is_said(clips, tmp_path, address, words):
    out = tmp_path / "out"
    with pytest.raises(SuppleError, match=words):
        list(run(PLANT, pairs(clips, out), out, scheduler=address))
