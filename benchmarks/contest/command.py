"""`supple bench`: compare supple with other solvers on the same targets, with one verifier."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from contest import PROBLEMS, Problem, Result, problem, run
from contest.load import busy
from contest.measure import SUPPLE
from contest.peers import Peer, chosen, home, install
from contest.tables import close, data, show, show_summary
from supple.apps.cli.console import console, error_console, print_json, table
from supple.apps.cli.options import JsonOption
from supple.errors import SuppleError, one_of

NOT_ALL = 1  # exit code
CONTEST, PEERS = "Contest", "Peers"


def bench(
    problems: Annotated[
        str,
        typer.Option(
            "--problems",
            "-P",
            metavar="A,B,...",
            help=f"Which of {', '.join(PROBLEMS)}. Default: all.",
            rich_help_panel=CONTEST,
        ),
    ] = "",
    targets: Annotated[
        int,
        typer.Option(
            "--targets",
            "-n",
            metavar="N",
            min=1,
            help="How many targets a problem has.",
            rich_help_panel=CONTEST,
        ),
    ] = 1000,
    budget: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.01,
            help="Timed solving for each solver and problem; the targets left over are not tried.",
            rich_help_panel=CONTEST,
        ),
    ] = 3.0,
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="How often all of them run in turn; each one's best round counts.",
            rich_help_panel=CONTEST,
        ),
    ] = 1,
    under_load: Annotated[
        bool,
        typer.Option(
            "--under-load",
            help="While other processes, one a core, compute, and one writes to disk.",
            rich_help_panel=CONTEST,
        ),
    ] = False,
    peers: Annotated[
        str | None,
        typer.Option(
            "--peers",
            metavar="A,B,...",
            help='Which other solvers; "" for none. Default: those that are installed.',
            rich_help_panel=PEERS,
        ),
    ] = None,
    install_peers: Annotated[
        bool,
        typer.Option(
            "--install-peers",
            help="Set up the other solvers, or those of --peers, and do no more.",
            rich_help_panel=PEERS,
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Measure supple beside other solvers.

    supple bench --install-peers, then supple bench --problems chain-5,panda-pose

    Every answer is judged by forward kinematics in plain NumPy and the joints' limits, never by
    what a solver says of itself. Times are of single calls, compiled and warmed up; a batch is
    timed as a whole. Ratios are means, and medians, over those of supple's prepared call in the
    same run. Exit code 1 if supple left a target unsolved.
    """
    wanted = chosen(_names(peers)) if peers is None or _names(peers) else []
    if install_peers:
        _install(wanted, as_json=json)
        return
    names = _names(problems) or list(PROBLEMS)
    for name in names:
        one_of("problem", name, tuple(PROBLEMS))
    ready = [peer for peer in wanted if peer.version is not None]
    missing = [peer.name for peer in wanted if peer not in ready]
    if peers is not None and missing:
        raise SuppleError(
            f"peers: {', '.join(missing)} not installed; "
            f"supple bench --install-peers --peers {','.join(missing)} would"
        )
    bar = _bar()
    found: list[tuple[Problem, list[Result]]] = []
    with ExitStack() as stack:
        stack.enter_context(bar)
        if under_load:
            stack.enter_context(busy())
        task = bar.add_task("", total=len(names))
        for name in names:

            def say(label: str, name: str = name) -> None:
                bar.update(task, description=f"{name}: {label}")

            one = problem(name, targets=targets)
            rows = run(one, ready, budget=budget, rounds=rounds, progress=say)
            found.append((one, rows))
            bar.advance(task)
            if not json:
                show(one, rows)
    if json:
        print_json(data(found, ready, under_load=under_load))
    else:
        show_summary(found)
        close(ready, missing, under_load=under_load)
    ours = [row for _, rows in found for row in rows if row.solver.startswith(SUPPLE)]
    if any(row.failure is not None or row.solved < 1.0 for row in ours):
        raise typer.Exit(NOT_ALL)


def _bar() -> Progress:
    screen = error_console()
    columns = (TextColumn("{task.description:<40}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)


def _names(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _install(peers: Sequence[Peer], *, as_json: bool) -> None:
    bar = _bar()
    with bar:
        task = bar.add_task("", total=len(peers))

        def say(peer: Peer) -> None:
            bar.update(task, description=f"installing {peer.name}", completed=peers.index(peer))

        done = install(peers, progress=say)
    good = {name: one for name, one in done.items() if not isinstance(one, SuppleError)}
    bad = {name: str(one) for name, one in done.items() if isinstance(one, SuppleError)}
    if as_json:
        print_json({"folder": str(home()), "installed": good, "failed": bad})
    else:
        rows = [[name, version] for name, version in good.items()]
        say_to = console()
        say_to.print(table((("", "left"), ("installed", "left")), rows))
        for name, why in bad.items():
            say_to.print(
                Text(f"left out: {why.removeprefix(name + ': ')} ({name})", style="yellow")
            )
        say_to.print(Text(f"in {home()}", style="dim"), soft_wrap=True)
    if bad and not good:
        raise typer.Exit(NOT_ALL)
