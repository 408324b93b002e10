"""Which problems are solved on their tree, without a dense Jacobian: `supple.kernels.tree_factor`.

The dense normal matrix costs the cube of its side, the tree is linear in joints and goals. For a few goals dense is as
fast, and its answers are what they always were to the last bit: the tree is for problems that have both many
residual rows and many freedoms.

Freedoms that move blocks which are not below them go to the border of the tree, at the cost of one more solve each:
those of joints that others copy, and all on the way to either end of a block with two ends. Problems that need a
large border, bodies that may not overlap, or goals of one's own stay dense.
"""

from __future__ import annotations

# Up to so many rows or freedoms a problem stays dense. The tree is faster from about 30 rows on 60 freedoms (branches
# of four joints, one Reach each; benchmarks/growth.py); the bounds are so far above that that a humanoid with 20 goals
# of position and orientation, 120 rows, keeps its bits. Not below `newton_freedoms` of `supple.solvers.lm`,
# whose second derivatives are dense.
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
