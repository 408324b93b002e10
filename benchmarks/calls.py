"""Calls: what Python adds to a solve, from a prepared call to reading its answer.

The yardsticks are the kernel alone, which is a batch of one through the executor, and a call of a
Python function that does nothing. All times are thread times, which other processes do not add to,
and the least of several runs counts. First calls are those of new processes that find their kernels
compiled.

    python benchmarks/calls.py
    python benchmarks/calls.py --repeat 50 --only chain
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from measuring import parser, table_with
from rich.console import Console
from rich.table import Table

import supple

MOST_CALL = 3.0  # a prepared call, over its kernel [us]
MOST_NESTED = 5.0  # the same with a transform as nested lists: 16 numbers to look at [us]
MOST_APART = 2.0  # between the quickest and the slowest kind of target [us]
MOST_READ = 4.0  # positions, angles or pose of an answer [us]
MOST_SHOT = 12.0  # a one-shot solve, over the prepared call [us]
READ = ("pose", "positions", "angles", "status", "reason")
MOST_ROWS = {name: MOST_READ for name in READ[:3]}

FIRST = """
import time
begun = time.thread_time()
import supple
arm = {skeleton}
ik = supple.prepare(arm, [{goal}], solver={solver!r})
target = arm.rest.{part}
print(time.thread_time() - begun)
for action in (
    lambda: ik(target),
    lambda: ik(target).positions,
    lambda: ik(target).angles,
    lambda: supple.solve(arm, [{given}], solver={solver!r}),
):
    begun = time.thread_time()
    action()
    print(time.thread_time() - begun)
"""
FIRST_ROWS = (
    "import and prepare",
    "first call",
    "first .positions",
    "first .angles",
    "first one-shot",
)


class Case(NamedTuple):
    """A problem to call in every way."""

    name: str
    skeleton: str  # as it is written
    solver: str
    slot: str  # what the target is
    bend: float  # of every freedom, for the pose that the target is taken from [rad]

    @property
    def goal(self) -> str:
        """The goal, open, as it is written."""
        return f'supple.Reach("tip", {self.slot}=supple.OPEN)'

    @property
    def read(self) -> str:
        """What of a pose of the skeleton `arm` can be a target, as it is written."""
        if self.slot == "pose":
            return 'frames[arm.index("tip")]'
        return 'position("tip")' if self.slot == "target" else 'rotation("tip")'


HINGES = 'supple.chain([1] * 7, joint=[supple.Hinge(axis) for axis in "zyzyzyz"])'
CASES = (
    Case("chain of 5", "supple.chain([9, 9, 9, 9, 4])", "LM", slot="target", bend=0.3),
    Case("chain of 10", "supple.chain([1] * 10)", "LM", slot="target", bend=0.1),
    Case("two bones", "supple.chain([1, 1])", "TwoBone", slot="target", bend=0.5),
    Case("7 hinges", HINGES, "LM", slot="pose", bend=0.4),
    Case("7 hinges, turned", HINGES, "LM", slot="orientation", bend=0.4),
)


def in_turns(actions: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The least thread time of each action [us]: some of each, again and again.

    So that a while in which the machine is slow spoils a few runs of all, not all runs of a few.
    """
    counts, least = {}, dict.fromkeys(actions, math.inf)
    for name, action in actions.items():
        for _ in range(20):
            action()
        begun = time.thread_time()
        for _ in range(20):
            action()
        mean = (time.thread_time() - begun) / 20
        counts[name] = int(np.clip(5e-3 / mean, 1, 500))
    for _ in range(repeat):
        for name, action in actions.items():
            rounds = range(counts[name])
            begun = time.thread_time()
            for _ in rounds:
                action()
            least[name] = min(least[name], (time.thread_time() - begun) / counts[name])
    return {name: 1e6 * seconds for name, seconds in least.items()}


def nothing(target: object) -> object:
    """The function that does nothing."""
    return target


def kinds(target: np.ndarray) -> dict[str, Any]:
    """A target as every kind of thing that a call takes."""
    wide = np.zeros((*target.shape, 2))
    wide[..., 0] = target
    found: dict[str, Any] = {
        "array": target,
        "float32 array": target.astype(np.float32),
        "strided array": wide[..., 0],
    }
    if target.ndim > 1:
        return found | {"nested lists": target.tolist()}
    found |= {
        "tuple": tuple(target.tolist()),
        "list": target.tolist(),
        "tuple of float64": tuple(target),
        "tuple of float32": tuple(target.astype(np.float32)),
    }
    if len(target) > 3:
        return found
    rounded = np.round(target).astype(np.int64)
    return found | {"tuple of int": tuple(rounded.tolist()), "int array": rounded}


class Row(NamedTuple):
    """An action, the one that it is made of, and how much longer it may take [us]."""

    action: Callable[[], Any]
    base: str = ""
    most: float = math.inf
    changing: bool = False  # whether every call is another problem


def prepared_rows(ik: supple.Prepared, target: np.ndarray, bent: supple.Pose) -> dict[str, Row]:
    """Calls of a prepared problem with every kind of target, and what is read off an answer."""
    rows: dict[str, Row] = {}

    def kernel(value: Any, start: supple.Pose | None = None) -> Callable[[], Any]:
        problems, _, _ = ik.batch((value,), start)
        out = np.empty((1, ik.executor.width))
        return lambda: ik.executor.run(problems, out, 0, 1)

    kernels: dict[bytes, str] = {}
    for name, value in kinds(target).items():
        base = kernels.setdefault(np.asarray(value, np.float64).tobytes(), f"kernel, {name}")
        rows.setdefault(base, Row(kernel(value)))
        most = MOST_NESTED if name == "nested lists" else MOST_CALL
        rows[f"call, {name}"] = Row(lambda value=value: ik(value), base, most)
    near = bent.interpolate(ik.problem.skeleton.rest, 0.2)
    rows["kernel, from near"] = Row(kernel(target, near))
    rows["call, from near"] = Row(lambda: ik(target, start=near), "kernel, from near", MOST_CALL)
    rows["solve"] = Row(lambda: ik.solve(target), "call, array")
    for name in READ:
        most = MOST_ROWS.get(name, math.inf)
        rows[f".{name}"] = Row(lambda name=name: getattr(ik(target), name), "call, array", most)
    rows[".position(name)"] = Row(lambda: ik(target).position("tip"), "call, array")
    return rows


def one_shot_rows(case: Case, arm: supple.Skeleton, target: np.ndarray) -> dict[str, Row]:
    """Solves that are not prepared."""
    numbers = iter(range(10**9))

    def reach(number: int = 0) -> supple.Reach:
        return supple.Reach("tip", weight=1.0 + 0.5 * number, **{case.slot: target})

    def shot(skeleton: supple.Skeleton, goals: Any) -> supple.Solution:
        return supple.solve(skeleton, goals, solver=case.solver)

    goals = [reach()]
    equal = [eval(case.skeleton) for _ in range(8)]
    turns = np.linspace(0.0, 1.0, 100)
    rests = [supple.Pose.from_angles(arm, np.full(len(arm.freedoms), turn)) for turn in turns]
    others = [arm.with_rest(rest) for rest in rests]
    actions: dict[str, tuple[Callable[[], Any], float]] = {
        "the same goals": (lambda: shot(arm, goals), MOST_SHOT),
        "new goals": (lambda: shot(arm, [reach()]), MOST_SHOT),
        "8 kinds in turn": (lambda: shot(arm, [reach(next(numbers) % 8)]), MOST_SHOT),
        "other kinds every time": (lambda: shot(arm, [reach(next(numbers))]), math.inf),
        "8 equal skeletons": (lambda: shot(equal[next(numbers) % 8], goals), MOST_SHOT),
        "100 skeletons": (lambda: shot(others[next(numbers) % 100], goals), math.inf),
    }
    if case.slot == "target":
        actions = {"dictionary": (lambda: shot(arm, {"tip": target}), MOST_SHOT), **actions}
    return {
        f"one-shot, {name}": Row(action, "call, array", most, changing=most == math.inf)
        for name, (action, most) in actions.items()
    }


def calls(case: Case, repeat: int, yardstick: float) -> tuple[Table, int]:
    """A table of one problem, and how many of its rows are slower than they should be."""
    arm = eval(case.skeleton)
    ik = supple.prepare(arm, [eval(case.goal)], solver=case.solver)
    bent = supple.Pose.from_angles(arm, np.full(len(arm.freedoms), case.bend))
    target = np.array(eval(f"bent.{case.read}"))
    rows = prepared_rows(ik, target, bent) | one_shot_rows(case, arm, target)
    took: dict[str, float] = {}
    for changing in (False, True):  # apart, as they push the problems of the others from the cache
        some = {what: row.action for what, row in rows.items() if row.changing is changing}
        took |= in_turns(some, repeat)

    table = Table(title=f"{case.name}, {case.solver}: least of {repeat} runs, thread time")
    table.add_column("what")
    table.add_column("us", justify="right", no_wrap=True)
    table.add_column("over")
    for column in ("by us", "at most", "x nothing"):
        table.add_column(column, justify="right", no_wrap=True)
    missed, over = 0, []
    for what, row in rows.items():
        by = took[what] - took.get(row.base, 0.0)
        missed += by > row.most
        if what.startswith("call") and "near" not in what:
            over.append(by)
        table.add_row(
            what, f"{took[what]:.2f}", row.base.split(",")[0], f"{by:+.2f}" if row.base else "",
            f"{row.most:.0f}" if row.most < math.inf else "", f"{took[what] / yardstick:.0f}",
        )  # fmt: skip
    apart = max(over) - min(over)
    table.add_row("slowest call", "", "quickest", f"{apart:+.2f}", f"{MOST_APART:.0f}", "")
    return table, missed + (apart > MOST_APART)


def first_calls(case: Case, repeat: int) -> list[float]:
    """Milliseconds of the steps of a new process, each the least of several runs."""
    given = f'supple.Reach("tip", {case.slot}=target)'
    code = FIRST.format(
        skeleton=case.skeleton, goal=case.goal, solver=case.solver, part=case.read, given=given
    )
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    runs = []
    for _ in range(repeat + 1):  # the first of them may compile
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        runs.append([1e3 * float(line) for line in done.stdout.split()])
    return np.min(runs[1:], axis=0).tolist()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    words = parser(__doc__)
    words.add_argument("--repeat", type=int, default=40, help="runs, the least of which counts")
    words.add_argument("--processes", type=int, default=3, help="new processes for first calls")
    words.add_argument("--only", default="", help="part of the name of the problems to call")
    given = words.parse_args(arguments)
    cases = [case for case in CASES if given.only in case.name]
    console = Console()
    yardstick = in_turns({"nothing": lambda: nothing(1)}, given.repeat)["nothing"]
    console.print(f"a Python call that does nothing: {yardstick:.3f} us")
    missed = 0
    for case in cases:
        table, slower = calls(case, given.repeat, yardstick)
        console.print(table)
        missed += slower
    if given.processes > 0:
        table = table_with(
            f"First calls in new processes, least of {given.processes} in ms",
            ("what", *(case.name for case in cases)),
        )
        figures = [first_calls(case, given.processes) for case in cases]
        for what, *figures_of in zip(FIRST_ROWS, *figures, strict=True):
            table.add_row(what, *(f"{figure:.2f}" for figure in figures_of))
        console.print(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
