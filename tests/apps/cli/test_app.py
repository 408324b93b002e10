"""The application as a whole."""

import re

import pytest

import supple
from supple.apps.cli.app import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help_and_options_in_lower_case(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f" {command} " in result.stdout
    assert not re.search(r"--[A-Z]", result.stdout)


def test_an_unknown_command_names_those_like_it(run):
    result = run("raech")
    assert result.exit_code == 2
    assert "'reach'" in result.output


LONG = "a" * 300  # no file can be called so


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "w.bvh", "--against", LONG),
        ("check", "w.bvh", "--ground", f"{LONG}.obj"),
        ("correct", "w.bvh", "-e", "hand.L", "--to", LONG, "-o", "x.bvh"),
        ("correct", "w.bvh", "--plant-feet", "--out-dir", LONG),
        ("retarget", "w.bvh", "--onto", "w.bvh", "-o", f"{LONG}.bvh"),
        ("convert", "w.bvh", f"{LONG}.glb"),
        ("info", f"{LONG}.bvh"),
        ("view", LONG),
        ("page", LONG, "-o", "x.html"),
        ("reach", LONG, "--to", "1,2,3"),
        ("grow", LONG, "-o", "x.glb"),
    ],
)
def test_names_that_are_too_long_are_an_error_of_one_line(run, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    supple.save(supple.humanoid().motion("wave")[:8], "w.bvh")
    result = run(*arguments)
    assert result.exit_code == 2
    assert [line[:7] for line in result.stderr.splitlines()] == ["error: "]
