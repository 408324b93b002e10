"""`supple warmup`."""

import json
import subprocess

import pytest

from supple.apps.cli.commands import warmup
from supple.solvers import ALL, named


@pytest.fixture
def just_in_time(monkeypatch, tmp_path):
    """As if kernels were compiled just in time; what is said to be compiled is not."""
    monkeypatch.setattr(warmup, "compiling", lambda: True)
    monkeypatch.setattr(warmup, "_folder", lambda: tmp_path)
    return tmp_path


def test_there_is_nothing_to_do_where_kernels_come_compiled(run, run_json, monkeypatch):
    monkeypatch.setattr(warmup, "compiling", lambda: False)
    assert "nothing to do" in run("warmup").stdout
    code, data = run_json("warmup", "--solver", "lm")
    assert (code, data["parts"], data["compiled"]) == (0, [], 0)


def test_one_solver_can_be_warmed_up(run_json, just_in_time):
    code, data = run_json("warmup", "--solver", "lm")
    assert code == 0
    (part,) = data["parts"]
    assert part["what"] == "LM"
    assert part["seconds"] > 0
    assert data["seconds"] == part["seconds"]


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_there_is_a_tiny_problem_for_every_solver(solver):
    problem = warmup._problem_for(named(solver.name))
    assert [one.name for one in problem.solvers] == [solver.name]


@pytest.mark.skipif(not warmup.compiling(), reason="kernels come compiled: nothing to see")
def test_poses_use_every_kernel_that_is_not_a_solver_s():
    from supple.kernels.restart import spread_seeds
    from supple.model import forward, skeleton

    warmup.warm(warmup.POSES)
    for kernel in (
        forward.forward_batch,
        forward.local_batch,
        skeleton.project_batch,
        skeleton.excess_batch,
        spread_seeds,
    ):
        assert getattr(kernel, "signatures", [0])


def test_the_table_has_a_line_a_part_and_says_where(run, monkeypatch, just_in_time):
    monkeypatch.setattr(warmup, "warm", lambda part: warmup.Warmed(part, 1.5, 2))
    result = run("warmup")
    assert result.exit_code == 0
    for name in ("poses", *(solver.name for solver in ALL), "total"):
        assert name in result.stdout
    assert "kept in" in result.stdout


def test_cold_runs_a_process_with_a_cache_of_its_own(run, monkeypatch, just_in_time):
    seen = []

    def fake(command, *, env, **_options):
        seen.append(env["SUPPLE_CACHE_DIR"])
        told = json.dumps({"what": "LM", "seconds": 12.0, "compiled": 30})
        return subprocess.CompletedProcess(command, 0, told, "")

    monkeypatch.setattr("subprocess.run", fake)
    result = run("warmup", "--cold", "--solver", "LM")
    assert "12.00" in result.stdout
    assert len(seen) == 1
    monkeypatch.setattr(
        "subprocess.run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "x\nbad")
    )
    result = run("warmup", "--cold", "--solver", "LM")
    assert result.exit_code == 2
    assert "failed: bad" in result.stderr


def test_an_unknown_solver_is_refused(run):
    result = run("warmup", "--solver", "ML")
    assert result.exit_code == 2
    assert "unknown solver 'ML'" in result.stderr


def test_several_at_a_time_are_each_in_a_process_of_their_own(
    run, run_json, monkeypatch, just_in_time
):
    seen = []

    def fake(command, *, env, **_options):
        part = command[-1].split("'")[1]
        seen.append(part)
        told = json.dumps({"what": part, "seconds": 12.0, "compiled": 30})
        return subprocess.CompletedProcess(command, 0, told, "")

    monkeypatch.setattr("subprocess.run", fake)
    code, data = run_json("warmup", "--jobs", "2")
    assert code == 0
    assert sorted(seen) == sorted(["poses", *(solver.name for solver in ALL)])
    assert [part["what"] for part in data["parts"]][:1] == ["poses"]
    assert data["seconds"] < 12, "time that passed, not a sum"
    result = run("warmup", "--jobs", "2", "--cold")
    assert result.exit_code == 2 and "--jobs" in result.stderr
