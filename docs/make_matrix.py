"""Write docs/solvers.md: what each solver can and cannot take, read off the code."""

import sys
from pathlib import Path

from supple.solvers import ALL, GOAL_KINDS, JOINT_KINDS, Takes

PAGE = Path(__file__).with_name("solvers.md")

HEAD = """# What each solver can take

This page is made by `docs/make_matrix.py` from the solvers' own declarations; a test keeps it so.
Asking a solver for what it cannot do is an error that names the solvers that can. Limits hold
exactly in all of them. `"auto"` uses the closed form where it fits and Levenberg-Marquardt where it
does not, or where the closed form did not reach.

"""


def row(name: str, takes: Takes) -> str:
    """One line of the table."""
    marks = [kind in takes.joints for kind in JOINT_KINDS]
    marks += [takes.stretch, takes.mimic]
    marks += [kind in takes.goals for kind in GOAL_KINDS]
    marks += [takes.several]
    cells = ["yes" if mark else "" for mark in marks]
    return f"| {name} | " + " | ".join(cells) + f" | {takes.remark} |"


def page() -> str:
    """The whole page."""
    columns = [*JOINT_KINDS, "stretch", "mimic", *GOAL_KINDS, "several goals", "remark"]
    lines = ["| solver | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [row(solver.name, solver.takes) for solver in ALL]
    text = HEAD + "\n".join(lines) + "\n\n"
    for solver in ALL:
        module = sys.modules[solver.__module__].__doc__ or ""
        text += f"## {solver.name}\n\n{module.strip()}\n\n"
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
