"""The command line. `commands` has one file for each command; the modules here are shared by them.

Exit codes: 0 done, 1 not reached, 2 bad input.
"""

from supple.apps.cli.app import app


def main() -> None:
    """Run the command line on the arguments of this process."""
    app(prog_name="supple")


__all__ = ["app", "main"]
