"""The typer application: its commands, and how errors become exit codes."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import supple
from supple.cli.commands.bench import bench
from supple.cli.commands.compare import compare
from supple.cli.commands.convert import convert
from supple.cli.commands.correct import correct
from supple.cli.commands.demo import demo
from supple.cli.commands.grow import grow
from supple.cli.commands.info import info
from supple.cli.commands.lint import lint
from supple.cli.commands.reach import reach
from supple.cli.commands.view import view
from supple.cli.commands.warmup import warmup
from supple.cli.console import complain
from supple.cli.pipes import unbroken_pipes
from supple.errors import SuppleError

BAD_INPUT = 2  # exit code
UsageError: Any = typer.BadParameter.__mro__[1]  # of the click that typer uses or vendors


class Commands(TyperGroup):
    """The commands; a SuppleError or MemoryError is one line on stderr and exit code 2.

    A closed pipe, as with `| head`, changes neither what a command does nor its exit code.
    """

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

    Say where the hand must be; supple finds the pose, and says why when it cannot.
    Exit codes: 0 done, 1 not reached, 2 bad input.
    """
    del version


app.command()(demo)
app.command()(view)
app.command()(reach)
app.command()(compare)
app.command()(info)
app.command()(lint)
app.command()(convert)
app.command()(correct)
app.command()(grow)
app.command()(warmup)
app.command()(bench)
