"""The application as a whole."""

import re

import pytest

from supple.cli.app import COMMANDS


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
