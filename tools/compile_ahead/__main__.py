"""Build the kernels: ``python -m compile_ahead [--target NAME]… [--jobs N]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compile_ahead.build import BuildError, build
from compile_ahead.targets import TARGETS, of_this_machine

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build for the targets asked for; by default for this machine and the browser."""
    parser = argparse.ArgumentParser(prog="compile_ahead", description=main.__doc__)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), metavar="NAME",
                        help=f"what to build for, repeatable: {', '.join(sorted(TARGETS))}")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2, help="how many processes compile at a time")
    arguments = parser.parse_args()
    here = of_this_machine()
    names = arguments.target or [*([here.name] if here else []), "wasm"]
    try:
        for name in names:
            # What is for this machine goes into the package, where supple looks for it.
            is_here = name == "wasm" or (here is not None and name == here.name)
            out = ROOT / "src" / "supple" / "compiled" if is_here else None
            build(ROOT, [TARGETS[name]], out=out, jobs=arguments.jobs, say=_say)
    except BuildError as error:
        print(f"compile_ahead: {error}", file=sys.stderr)
        return 1
    return 0


def _say(line: str) -> None:
    print(f"kernels: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
