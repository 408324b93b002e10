"""The contest: every solver on every problem, each in a process of its own, one at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from contest.peers import ADAPTERS, Peer, environment
from contest.problems import Problem
from contest.verify import verify

SUPPLE = "supple"
VARIANTS = ("prepared", "one-shot")
OURS = f"{SUPPLE}, {VARIANTS[0]}"
BATCH = f"{SUPPLE}, batch"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Result:
    """How one solver did on one problem. Times in seconds, of one solve.

    Attributes:
        problem: The problem's name.
        solver: The solver's, with the variant.
        tried: How many targets were tried in the time there was.
        solved: The share of them that the verifier found solved, 0 to 1.
        median: The median of the calls; of a batch, as in all below, its time divided by its size.
        p99: The 99th percentile of the calls.
        worst: The longest call.
        mean: The mean of the calls.
        step: The largest move of a joint between answers [rad], for paths.
        ratio: Its mean over that of supple's prepared call in the same run.
        median_ratio: The same of the medians, which other programs disturb less.
        failure: Why there are no figures; None if there are.
    """

    problem: str
    solver: str
    tried: int = 0
    solved: float = 0.0
    median: float | None = None
    p99: float | None = None
    worst: float | None = None
    mean: float | None = None
    step: float | None = None
    ratio: float | None = None
    median_ratio: float | None = None
    failure: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def run(
    problem: Problem,
    peers: Sequence[Peer] = (),
    *,
    budget: float = 3.0,
    rounds: int = 1,
    progress: Callable[[str], None] = lambda label: None,
) -> list[Result]:
    """Run supple and the peers that are asked this kind of problem, on the same targets.

    Args:
        problem: What is asked.
        peers: The other solvers.
        budget: Seconds of timed solving for each; targets that are left over are not tried.
        rounds: How often all of them run in turn; the round with the least mean counts, for each.
        progress: Called with a label before each process.
    """
    best: dict[str, Result] = {}
    with tempfile.TemporaryDirectory(prefix="supple-bench-") as folder:
        asked = Path(folder, "problem.json")
        asked.write_text(json.dumps(problem.to_json()), encoding="utf-8")
        for _ in range(rounds):
            for label, command, variant, own in _contestants(problem, peers):
                progress(label)
                raw = _output(command, asked, variant, budget, own=own)
                for result in judged(problem, label, raw):
                    known = best.get(result.solver)
                    if known is None or _mean(result) < _mean(known):
                        best[result.solver] = result
    rated = [_rated(one, best[OURS]) for one in best.values()]
    return sorted(
        rated, key=lambda one: (one.failure is not None, -round(one.solved, 3), _mean(one))
    )


def _rated(one: Result, ours: Result) -> Result:
    if not (one.mean and one.median and ours.mean and ours.median):
        return one
    return replace(one, ratio=one.mean / ours.mean, median_ratio=one.median / ours.median)


def _mean(result: Result) -> float:
    return float("inf") if result.mean is None else result.mean


def _contestants(problem: Problem, peers: Sequence[Peer]) -> list[tuple[str, list[str], str, bool]]:
    """(label, command, variant, whether it is ours)."""
    mine = [sys.executable, "-B", str(ADAPTERS / "supple_ik.py")]
    listed = [(f"{SUPPLE}, {variant}", mine, variant, True) for variant in VARIANTS]
    for peer in peers:
        if problem.kind in peer.kinds:
            listed.append((peer.name, peer.command(), "-", False))
    return listed


def _output(
    command: Sequence[str], asked: Path, variant: str, budget: float, *, own: bool
) -> dict[str, Any]:
    """What an adapter wrote, or {"fail": why}."""
    answer = asked.with_name("result.json")
    answer.unlink(missing_ok=True)
    around = dict(os.environ) if own else environment()
    around |= dict.fromkeys(ONE_THREAD, "1")
    most = 10 * budget + 120
    try:
        done = subprocess.run(
            [*command, str(asked), str(answer), variant, str(budget)],
            capture_output=True, text=True, env=around, timeout=most, cwd=asked.parent,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"fail": f"no end after {most:.0f} s"}
    except OSError as error:
        return {"fail": str(error)}
    if done.returncode or not answer.exists():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"fail": f"exit code {done.returncode}: {last}"}
    return json.loads(answer.read_text(encoding="utf-8"))


def judged(problem: Problem, label: str, raw: dict[str, Any]) -> list[Result]:
    """Rows of the table from what an adapter wrote: its calls, and its batch if it has one."""
    if "skip" in raw:
        return []
    if "fail" in raw:
        return [Result(problem.name, label, failure=raw["fail"])]
    seconds = np.array(raw["seconds"])
    verdict = verify(problem, raw["answers"])
    rows = [
        Result(
            problem.name,
            label,
            tried=len(seconds),
            solved=float(verdict.solved.mean()),
            median=float(np.median(seconds)),
            p99=float(np.percentile(seconds, 99)),
            worst=float(seconds.max()),
            mean=float(seconds.mean()),
            step=verdict.step,
        )
    ]
    if "batch_seconds" in raw:
        count = len(raw["batch_answers"])
        each = raw["batch_seconds"] / count
        solved = float(verify(problem, raw["batch_answers"]).solved.mean())
        rows.append(Result(problem.name, BATCH, tried=count, solved=solved, median=each, mean=each))
    return rows
