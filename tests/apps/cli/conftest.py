import json

import pytest
from typer.testing import CliRunner, Result

from supple.apps.cli import app


@pytest.fixture
def run():
    """Run a command line in this process; its exit code must not be a crash."""

    def invoke(*arguments: object) -> Result:
        result = CliRunner().invoke(app, [str(one) for one in arguments])
        crashed = result.exception is not None and not isinstance(result.exception, SystemExit)
        assert not crashed, repr(result.exception)
        return result

    return invoke


@pytest.fixture
def run_json(run):
    """Run a command line with --json: its exit code and what it says."""

    def invoke(*arguments: object) -> tuple[int, dict]:
        result = run(*arguments, "--json")
        return result.exit_code, json.loads(result.stdout)

    return invoke
