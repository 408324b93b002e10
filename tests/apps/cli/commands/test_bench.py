"""`supple bench`."""

import pytest
from contest import Result, command

from supple.apps.cli.commands import bench


@pytest.fixture
def contest(monkeypatch, tmp_path):
    """A contest that takes no time; gives what it was asked."""
    asked = []

    def run(problem, others, **options):
        asked.append((problem.name, len(problem.targets), [peer.name for peer in others], options))
        done = {"tried": 3, "median": 1e-5, "p99": 2e-5, "worst": 3e-5, "mean": 1.2e-5}
        return [
            Result(problem.name, "supple, prepared", solved=1.0, ratio=1.0, **done),
            Result(problem.name, "klampt", solved=0.999, ratio=7.0, **done),
            Result(problem.name, "optik", failure="exit code 1: cannot"),
        ]

    monkeypatch.setattr(command, "run", run)
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    return asked


def test_the_table_has_every_solver_and_its_ratio(run, contest):
    result = run("bench", "--problems", "chain-5", "--targets", 3)
    assert result.exit_code == 0
    for text in ("chain-5", "supple, prepared", "100%", "99.90%", "×7", "12 µs", "30 µs"):
        assert text in result.stdout
    assert "optik: exit code 1: cannot" in result.stdout
    assert "not installed" in result.stdout
    assert contest[0][:3] == ("chain-5", 3, [])


def test_a_last_table_holds_supple_against_the_fastest_other(run, run_json, monkeypatch, contest):
    def rows(problem, others, **options):
        found = {"supple, prepared": 2e-5, "supple, batch": 1e-6, "fast": 5e-6, "faster": 4e-6}
        return [
            Result(problem.name, name, solved=0.5 if name == "faster" else 1.0, mean=mean)
            for name, mean in found.items()
        ]

    monkeypatch.setattr(command, "run", rows)
    _, data = run_json("bench", "--problems", "chain-5")
    (line,) = data["summary"]
    assert line["best"] == "fast"
    assert [line["prepared_ratio"], line["batch_ratio"]] == pytest.approx([4.0, 0.2])
    printed = run("bench", "--problems", "chain-5").stdout
    assert "×4.0" in printed and "1/5.0" in printed


def test_json_holds_the_same(run_json, contest):
    code, data = run_json("bench", "--problems", "chain-5,panda-pose", "--peers", "")
    assert code == 0
    assert [one["name"] for one in data["problems"]] == ["chain-5", "panda-pose"]
    assert data["problems"][0]["results"][1]["ratio"] == 7.0
    assert data["under_load"] is False
    assert data["machine"]["cores"] > 0


def test_a_target_that_supple_misses_is_exit_code_1(run, monkeypatch, contest):
    missed = Result("chain-5", "supple, prepared", tried=1000, solved=0.9999, mean=1e-5)
    monkeypatch.setattr(command, "run", lambda problem, others, **options: [missed])
    result = run("bench", "--problems", "chain-5")
    assert result.exit_code == 1
    assert "99.99%" in result.stdout


def test_unknown_names_are_refused(run, contest):
    for option, name, near in (("--problems", "chain5", "chain-5"), ("--peers", "klamp", "klampt")):
        result = run("bench", option, name)
        assert result.exit_code == 2
        assert near in result.stderr
    assert not contest


def test_a_peer_that_is_asked_for_must_be_installed(run, contest):
    result = run("bench", "--peers", "optik")
    assert result.exit_code == 2
    assert "--install-peers --peers optik" in result.stderr


def test_installing_says_what_was_left_out(run, run_json, monkeypatch, contest):
    from supple.errors import SuppleError

    found = {"optik": "0.5.0", "klampt": SuppleError("klampt: No matching distribution")}
    monkeypatch.setattr(command, "install", lambda listed, progress: found)
    result = run("bench", "--install-peers")
    assert result.exit_code == 0
    assert "optik" in result.stdout and "0.5.0" in result.stdout
    assert "left out: No matching distribution (klampt)" in result.stdout
    code, data = run_json("bench", "--install-peers", "--peers", "optik,klampt")
    assert code == 0
    assert data["installed"] == {"optik": "0.5.0"}
    assert "klampt" in data["failed"]


def test_under_load_the_machine_is_busy_while_it_measures(run_json, monkeypatch, contest):
    from contextlib import contextmanager

    seen = []

    @contextmanager
    def busy():
        seen.append("busy")
        yield [1]
        seen.append(len(contest))

    monkeypatch.setattr(command, "busy", busy)
    _, data = run_json("bench", "--under-load", "--problems", "chain-5")
    assert data["under_load"] is True
    assert seen == ["busy", 1]


@pytest.mark.parametrize(
    "arguments", [(), ("--problems", "chain-5", "--json"), ("--install-peers",)]
)
def test_without_a_checkout_it_says_where_it_is(run, monkeypatch, tmp_path, arguments):
    monkeypatch.setattr(bench, "bench", bench.command_of(tmp_path))
    monkeypatch.setattr(bench, "CONTEXT", bench.ANY_ARGUMENTS)
    result = run("bench", *arguments)
    assert result.exit_code == 2
    assert "part of the source checkout" in result.stderr and "git clone" in result.stderr
    assert "Traceback" not in result.stderr and not result.stdout


def test_without_a_checkout_help_says_the_same(run, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "bench", bench.command_of(tmp_path))
    result = run("bench", "--help")
    assert result.exit_code == 0 and "source checkout" in " ".join(result.stdout.split())


def test_a_package_that_is_called_contest_is_not_taken_for_it(tmp_path):
    (tmp_path / "benchmarks" / "contest").mkdir(parents=True)
    (tmp_path / "benchmarks" / "contest" / "__init__.py").write_text("raise SystemExit")
    assert not bench.has_contest(tmp_path)
