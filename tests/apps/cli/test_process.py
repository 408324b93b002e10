"""The command line as a process: what only a process can show."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import supple


def supple_(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "supple.apps.cli", *arguments]
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


def closed_early(*arguments: str) -> tuple[int, bytes]:
    """Run a command whose reader goes before anything is read: its code, and what stderr has."""
    command = [sys.executable, "-m", "supple.apps.cli", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        return process.wait(300), said


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["reach", "chain:1x40", "--to", "9,9,9", "--json"], 0),
        (["reach", "chain:1x40", "--to", "9,9,9"], 0),
        (["reach", "chain:2,1", "--to", "9,0,0"], 1),
        (["compare", "chain:1x3", "--to", "1,1,1", "--solvers", "ccd"], 0),
        (["warmup", "--help"], 0),
        (["--help"], 0),
        (["--version"], 0),
    ],
)
def test_a_closed_pipe_changes_nothing_but_that_nobody_reads(arguments, code):
    assert closed_early(*arguments) == (code, b"")


def test_files_are_written_though_nobody_reads_the_report(tmp_path):
    supple.save(supple.humanoid().motions["walk"], tmp_path / "walk.bvh")
    out = tmp_path / "out.bvh"
    options = ["-e", "hand.R", "--root", "upperarm.R", "--by", "0,0.02,0", "-o", str(out)]
    code, said = closed_early("correct", str(tmp_path / "walk.bvh"), *options)
    notes = [line for line in said.splitlines() if line.startswith(b"note: ")]
    assert (code, said.splitlines()) == (0, notes)
    assert len(next(iter(supple.load(out).motions.values()))) == 32


@pytest.mark.skipif(not shutil.which("head"), reason="there is no head")
def test_the_first_line_of_a_long_report():
    """As a shell runs it; what is written is more than a pipe holds."""
    command = [
        sys.executable,
        "-m",
        "supple.apps.cli",
        "reach",
        "chain:1x3000",
        "--to",
        "9,9,9",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        head = subprocess.run(
            ["head", "-1"], stdin=process.stdout, capture_output=True, timeout=300, check=True
        )
        process.stdout.close()
        assert head.stdout == b"{\n"
        assert process.stderr.read() == b""
        assert process.wait(300) == 0


def test_what_is_piped_is_not_wrapped(tmp_path):
    """Whatever width the environment tells: a line of a report is a line of a file."""
    name = "joint_" + "x" * 300
    skeleton = supple.Skeleton(
        [supple.Node("root"), supple.Node(name, "root", (1, 0, 0))],
        [supple.Tip("end", name, (1, 0, 0))],
    )
    poses = [skeleton.rest] * 3
    path = tmp_path / ("clip" + "y" * 150 + ".bvh")
    supple.save(supple.Motion("clip", poses, fps=30), path)
    narrow = {**os.environ, "COLUMNS": "40"}
    tip = f"{name} end"
    for arguments, whole in (
        (["info", str(path)], name),
        (["reach", str(path), "-e", tip, "--to", "9,9,9"], f"the target of {tip} is 15.6 from where"),
        (["reach", str(path), "-e", tip, "--to", "0.5,0.5,0.5"], f"reached: {tip} is "),
        (["lint", str(path)], str(path)),
        (["correct", str(path), "-e", tip, "--to", "9,9,9", "-o", str(tmp_path / "out.bvh")],
         "not reached: 0 of 3 reached, 3 too far"),
    ):  # fmt: skip
        done = supple_(*arguments, env=narrow)
        assert whole in done.stdout, arguments
        assert done.returncode in (0, 1)
    table = supple_("reach", str(path), "-e", tip, "--to", "0.5,0.5,0.5", env=narrow).stdout
    (row,) = (line for line in table.splitlines() if line.startswith(f"{name}  "))
    assert "ball" in row
    bad = supple_("reach", str(path), "--" + "z" * 200, env=narrow)
    assert bad.returncode == 2
    assert "--" + "z" * 200 in bad.stderr
