"""Fast paths: the same answers with less work, for chains that everybody has.

Nobody has to read these to understand a solver. A fast path says which problems it fits, and hands
back what it cannot reach.
"""
