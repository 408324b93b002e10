"""The typer application: its commands, and how errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

import supple
from supple.apps.cli.console import complain
from supple.apps.cli.pipes import unbroken_pipes
from supple.errors import SuppleError

# In the order of the help. Each is a function in the file of its name in `supple.apps.cli.commands`, which is
# imported when the command is run: most take longer to import than to run.
COMMANDS = (
    "demo",
    "view",
    "page",
    "reach",
    "compare",
    "info",
    "lint",
    "check",
    "convert",
    "correct",
    "retarget",
    "grow",
    "warmup",
    "bench",
)
BAD_INPUT = 2  # exit code
UsageError: Any = typer.BadParameter.__mro__[1]  # of the click that typer uses or vendors


class Commands(TyperGroup):
    """The commands; a SuppleError or MemoryError becomes one line on stderr and exit code 2.

    A closed pipe, as with `| head`, changes neither what a command does nor its exit code.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"supple.apps.cli.commands.{cmd_name}")
        info = CommandInfo(
            name=cmd_name,
            callback=getattr(module, cmd_name),
            context_settings=getattr(module, "CONTEXT", None),
        )
        return get_command_from_info(
            info, pretty_exceptions_short=True, rich_markup_mode="markdown"
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that arguments begin with; the error for an unknown one names similar commands."""
        self.commands = dict.fromkeys(COMMANDS)  # typer looks for alike names among the keys
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command line."""
        with unbroken_pipes():
            return super().main(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except SuppleError as error:
            complain(error)
            raise typer.Exit(BAD_INPUT) from None
        except UsageError as error:
            if sys.stderr is None or sys.stderr.isatty():
                raise  # typer draws a box as wide as the terminal
            error.show()
            raise typer.Exit(error.exit_code) from None
        except MemoryError:
            complain(SuppleError("there is not enough memory for this"))
            raise typer.Exit(BAD_INPUT) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"supple {supple.__version__}")
        raise typer.Exit


@app.callback()
def supple_(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Inverse kinematics for everything with joints.

    Give a target for the hand; supple finds the pose, or says why there is none.
    Exit codes: 0 done, 1 not reached, 2 bad input.
    """
    del version
