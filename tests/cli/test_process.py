"""The command line as a process: what only a process can show."""

import json
import subprocess
import sys

import pytest

import supple


def supple_(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "supple.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_version():
    done = supple_("--version")
    assert (done.returncode, done.stdout) == (0, f"supple {supple.__version__}\n")


def test_help_of_everything(run):
    assert "Usage: supple" in supple_("--help").stdout
    for command in ("reach", "compare", "warmup"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert "--json" in result.stdout


def test_json_is_all_of_stdout():
    done = supple_("reach", "chain:2,1", "--to", "-1,2,0", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["reached"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["reach", "chain:2,1", "--to", "9,0,0"], 1, ""),
        (["reach", "chain:2,1", "--effector", "tup", "--to", "1,0,0"], 2, "did you mean 'tip'?"),
        (["reach", "broken.json", "--to", "1,0,0"], 2, "broken.json:1: not JSON"),
        (["reach", "chain:2,1", "--nonsense"], 2, "No such option"),
    ],
)
def test_exit_codes_without_tracebacks(arguments, code, said, tmp_path):
    (tmp_path / "broken.json").write_text("{")
    done = supple_(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_crash():
    command = [sys.executable, "-m", "supple.cli", "reach", "chain:1x40", "--to", "9,9,9", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(300) == 1
