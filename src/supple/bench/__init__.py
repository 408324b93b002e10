"""The benchmark: supple beside other solvers, on the same targets, judged by one verifier.

`problems` says what is asked, `model` holds the forward kinematics that `verify` judges every
answer by, `ours` is supple's side, `peers` installs and names the others, `contest` runs them all,
each in a process of its own, and `load` keeps the machine busy meanwhile.
"""

from supple.bench.contest import Result, run
from supple.bench.problems import PROBLEMS, Problem, problem
from supple.bench.verify import Verdict, verify

__all__ = ["PROBLEMS", "Problem", "Result", "Verdict", "problem", "run", "verify"]
