"""Fast paths: the same answers with less work, for common problems.

They are not needed to understand a solver. A fast path tells which problems it fits, and leaves those
that it does not reach to the solver.
"""
