"""Build the kernels: ``python -m compile_ahead [--target NAME]… [--jobs N] [--draft]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compile_ahead.build import BuildError, build
from compile_ahead.targets import IN_BROWSERS, TARGETS, of_this_machine

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build for the targets asked for; by default for this machine and the browser."""
    parser = argparse.ArgumentParser(prog="compile_ahead", description=main.__doc__)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), metavar="NAME",
                        help=f"what to build for, repeatable: {', '.join(sorted(TARGETS))}")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2, help="how many processes compile at a time")
    parser.add_argument("--draft", action="store_true",
                        help="for this machine alone: there sooner, but slower, until built in full")  # fmt: skip
    arguments = parser.parse_args()
    here = of_this_machine()
    own = [here.name] if here else []
    names = arguments.target or (
        own if arguments.draft else [*own, *(target.name for target in IN_BROWSERS)]
    )
    # What is for this machine goes into the package, where supple looks for it.
    inside = [name for name in names if TARGETS[name].in_browser or (here and name == here.name)]
    outside = [name for name in names if name not in inside]
    try:
        for some, out in ((inside, ROOT / "src" / "supple" / "compiled"), (outside, None)):
            targets = [TARGETS[name] for name in some]
            build(ROOT, targets, out=out, jobs=arguments.jobs, draft=arguments.draft, say=_say)
    except BuildError as error:
        print(f"compile_ahead: {error}", file=sys.stderr)
        return 1
    return 0


def _say(line: str) -> None:
    print(f"kernels: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
