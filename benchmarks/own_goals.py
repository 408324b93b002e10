"""Custom goals beside built-in ones: the same problems asked for by Reach and by a function.

Every problem is solved twice in a batch, by LM with the same options: with `Reach`, and with a custom goal
that has the same residual. In front a second goal keeps the solver from the fast paths that single positions
have, which a function cannot take; the rows "alone" show these too. Thread times; the median of several runs.

    python benchmarks/own_goals.py
    python benchmarks/own_goals.py --rows 200 --repeat 9
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from measuring import median, parser, show
from rich.table import Table

import supple

MOST_OVER_BUILT_IN = 2.0  # times the built-in goal


def place(frames: Any, values: Any, out: Any) -> None:
    """The residual of a position."""
    for i in range(3):
        out[i] = frames[0, i, 3] - values[i]


def slopes(frames: Any, values: Any, out: Any) -> None:
    """Its Jacobian."""
    out[:] = 0.0
    for i in range(3):
        out[i, 0, i] = 1.0


OWN = {
    "by differences": supple.goal(rows=3, values=3)(place),
    "jacobian given": supple.goal(rows=3, values=3, jacobian=slopes)(place),
    "as a callback": supple.goal(rows=3, values=3, compiled=False)(place),
}


def problems() -> dict[str, tuple[supple.Skeleton, str, list[Any]]]:
    """Skeletons, the effector, and what else is asked."""
    body = supple.humanoid().skeleton
    place_of_other = body.rest.position("hand.L") + (0.0, 0.1, 0.2)
    arm = supple.chain([0.3, 0.3, 0.25, 0.25, 0.1, 0.1], joint=supple.Axes("zy"))
    return {
        "arm of six, turned": (arm, "tip", [supple.Reach("j2", orientation=(1, 0, 0, 0))]),
        "whole body, other hand": (body, "hand.R", [supple.Reach("hand.L", place_of_other)]),
        "chain of five balls, alone": (supple.chain([1.0] * 5), "tip", []),
        "arm of six, alone": (arm, "tip", []),
    }  # fmt: skip


def seconds(ik: supple.Prepared, targets: np.ndarray, repeat: int) -> tuple[float, supple.Solution]:
    """The median time of a batch on one thread [s], and its answer."""
    found = ik.solve(targets, threads=1)
    return median(lambda: ik.solve(targets, threads=1), repeat, time.thread_time), found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and tell if a compiled goal costs more than twice the built-in one."""
    words = parser(__doc__)
    words.add_argument("--rows", type=int, default=300, help="targets in a batch")
    words.add_argument("--repeat", type=int, default=7)
    options = words.parse_args(arguments)
    table = Table("problem", "Reach [us]", *OWN, "iterations", "reached")
    over = False
    for name, (skeleton, effector, others) in problems().items():
        rng = np.random.default_rng(4)
        # In reach: where random poses near the rest have the effector.
        near = rng.normal(0.0, 0.3, (options.rows, skeleton.rest.coordinates.shape[-1]))
        poses = supple.Pose._wrap(skeleton, skeleton.rest.coordinates + near).clamped()
        targets = poses.position(effector)
        solver = supple.LM(restarts=2)
        built_in, answer = seconds(
            supple.prepare(skeleton, [*others, supple.Reach(effector)], solver=solver),
            targets,
            options.repeat,
        )
        cells, used, reached = [], [answer.iterations.mean()], [answer.reached.mean()]
        for kind, goal in OWN.items():
            ik = supple.prepare(skeleton, [*others, goal(effector)], solver=solver)
            spent, answer = seconds(ik, targets, options.repeat)
            used.append(answer.iterations.mean())
            reached.append(answer.reached.mean())
            cells.append(f"{spent / built_in:.2f} x")
            over |= (
                kind != "as a callback"
                and "alone" not in name
                and spent > MOST_OVER_BUILT_IN * built_in
            )
        table.add_row(
            name,
            f"{1e6 * built_in / options.rows:.1f}",
            *cells,
            " / ".join(f"{x:.1f}" for x in used),
            " / ".join(f"{100 * x:.0f}%" for x in reached),
        )
    show(table, width=150)
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
