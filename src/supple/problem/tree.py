"""Which problems are solved on their tree, without a dense Jacobian: `supple.kernels.tree_factor`.

The dense normal matrix costs the cube of its side, the tree is linear in joints and goals. For a few goals dense is as
fast, and its answers are what they always were to the last bit: the tree is for problems that have both many
residual rows and many freedoms.

Freedoms that move blocks which are not below them go to the border of the tree, at the cost of one more solve each:
those of joints that others copy, and all on the way to either end of a block with two ends. Problems that need a
large border, bodies that may not overlap, or goals of one's own stay dense.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from supple.goals import Block
from supple.kernels import layout as at
from supple.model.skeleton import Skeleton
from supple.problem.free_set import way_up

# Up to so many rows or freedoms a problem stays dense. The tree is faster from about 30 rows on 60 freedoms (branches
# of four joints, one Reach each; benchmarks/growth.py); the bounds are so far above that that a humanoid with 20 goals
# of position and orientation, 120 rows, keeps its bits. Not below NEWTON of `supple.solvers.lm`, whose second
# derivatives are dense.
DENSE_ROWS = 126
DENSE_FREEDOMS = 96
# What a freedom and a row cost on a tree, in multiplications and additions of the dense factors: an upper
# estimate of `factor_tree`, `solve_tree` and `changed_rows`, counted.
TREE_COST_OF_FREEDOM = 300
TREE_COST_OF_ROW = 100


class Paths:
    """Which freedoms move which blocks."""

    def __init__(self, skeleton: Skeleton, moving: np.ndarray) -> None:
        """Of a problem on a skeleton whose moving joints have these rows, shape (M, MOVING_INTS)."""
        self._skeleton, self._moving = skeleton, moving
        joints = moving[:, at.M_JOINT]
        self._move = {joint: m for m, joint in enumerate(joints.tolist())}
        own = np.where(moving[:, at.M_MIMIC] >= 0, 0, moving[:, at.M_NDOF])  # copies have none
        self._counts = own + (moving[:, at.M_STRETCH_DOF] >= 0)

    def of(self, ends: Iterable[int]) -> np.ndarray:
        """The freedoms on the ways from some joints upwards, and those that joints there copy, sorted."""
        found: set[int] = set()
        for end in ends:
            for joint in way_up(self._skeleton, end):
                m = self._move.get(joint)
                if m is None:
                    continue
                first = int(self._moving[m, at.M_DOF])
                found.update(range(first, first + int(self._counts[m])))
                source = int(self._moving[m, at.M_MIMIC])
                if source >= 0:
                    found.add(int(self._moving[source, at.M_DOF]))
        return np.array(sorted(found), np.int64)

    def touch(self, blocks: Sequence[Block]) -> np.ndarray:
        """A table of zeros with a 1 where a freedom moves a block, shape (D, G)."""
        touch = np.zeros((int(self._counts.sum()), len(blocks)), np.int64)
        for g, block in enumerate(blocks):
            touch[self.of(block.ends), g] = 1
        return touch

    def border(self, blocks: Sequence[Block]) -> np.ndarray:
        """The freedoms that would be in the border of the tree, sorted, shape (B,)."""
        sources = self._moving[self._moving[:, at.M_MIMIC] >= 0, at.M_MIMIC]
        ends = [end for b in blocks if b.counts and b.carrier is not None for end in b.ends]
        return np.union1d(self._moving[sources, at.M_DOF], self.of(ends))


def is_worth_a_tree(freedoms: int, rows: int, border: int) -> bool:
    """True if a step on the tree costs less than a dense one, and neither rows nor freedoms are few."""
    if rows <= DENSE_ROWS or freedoms <= DENSE_FREEDOMS:
        return False
    tree = TREE_COST_OF_FREEDOM * freedoms + TREE_COST_OF_ROW * rows
    by_rows = rows * rows * (freedoms + rows / 3.0) / 2.0
    by_freedoms = freedoms * freedoms * (rows + freedoms / 3.0) / 2.0
    return (1 + border) * tree + border * border * freedoms < min(by_rows, by_freedoms)
