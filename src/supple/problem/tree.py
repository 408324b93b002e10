"""Which problems are solved on their tree, without a dense Jacobian: `supple.kernels.tree_factor`.

Factoring the dense normal matrix costs the cube of its side; the tree is linear in joints and goals. For a few goals
the dense solve is as fast, so the tree is used only for problems with both many residual rows and many freedoms.

Freedoms that move blocks which are not below them go to the border of the tree, and each costs one more solve:
those of joints that others copy, and all on the path to either end of a block with two ends. Problems with a
large border, with bodies that may not overlap or with custom goals stay dense.
"""

from __future__ import annotations

# A problem with at most this many rows or freedoms stays dense. The tree is faster from about 30 rows on 60 freedoms
# (branches of four joints, one Reach each; benchmarks/growth.py). The bounds are higher so that a humanoid with 20
# goals of position and orientation, 120 rows, keeps the bits of its answers. DENSE_FREEDOMS must not be below the
# `newton_freedoms` of `supple.solvers.lm`, up to which it uses second derivatives, which are dense.
DENSE_ROWS = 126
DENSE_FREEDOMS = 96
# What a freedom and a row cost on a tree, in multiplications and additions of the dense factors: an upper
# estimate of `factor_tree`, `solve_tree` and `changed_rows`, counted.
TREE_COST_OF_FREEDOM = 300
TREE_COST_OF_ROW = 100


def is_worth_a_tree(freedoms: int, rows: int, border: int) -> bool:
    """True if a step on the tree costs less than a dense one, and neither rows nor freedoms are few."""
    if rows <= DENSE_ROWS or freedoms <= DENSE_FREEDOMS:
        return False
    tree = TREE_COST_OF_FREEDOM * freedoms + TREE_COST_OF_ROW * rows
    by_rows = rows * rows * (freedoms + rows / 3.0) / 2.0
    by_freedoms = freedoms * freedoms * (rows + freedoms / 3.0) / 2.0
    return (1 + border) * tree + border * border * freedoms < min(by_rows, by_freedoms)
