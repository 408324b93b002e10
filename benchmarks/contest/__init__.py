"""The benchmark: supple beside other solvers, on the same targets, judged by one verifier.

`problems` says what is asked, `model` holds the forward kinematics that `verify` judges every
answer by, `adapters.ours` is supple's side, `peers` installs and names the others, `measure` runs them all,
each in a process of its own, `load` keeps the machine busy meanwhile, and `command` is `supple bench`.
"""

from contest.measure import Result, run
from contest.problems import PROBLEMS, Problem, problem
from contest.verify import Verdict, verify

__all__ = ["PROBLEMS", "Problem", "Result", "Verdict", "problem", "run", "verify"]
