"""A town of 1,000 tall houses on a grid of streets, grown in one call and written as one GLB.

The rules are in src/supple/data/grammar/avenue.cga; each lot has its own seed, size and sides that face a street.
`supple view 17_town.glb` opens the town in the playground.
"""

import sys
import time
from pathlib import Path

import numpy as np

import supple
from supple import plot
from supple.data import rules
from supple.grammar import Lot

RULES = rules("avenue")
HOUSES, DEEP, YARD, CUT = 10, 16.0, 8.0, 2.6  # houses in a row, their depth, between rows, cut corners
WIDE, AVENUE, STREET, WALK = 150.0, 24.0, 16.0, 3.5  # width of a block, the roads, pavements, in metres
ACROSS = 6  # blocks side by side


def house(left, right, side):
    """The lot of a house from x = left to right with its front at z = DEEP, cut at a corner of streets."""
    z, c = DEEP, CUT
    front = [(left + c, z), (left, z - c)] if side == "left" else [(left, z)]
    front += [(left, 0), (right, 0)]
    front += [(right, z - c), (right - c, z)] if side == "right" else [(right, z)]
    return np.array(front) - (WIDE / 2, -YARD / 2)


def block(x, z, count, rng):
    """The lots of a block about (x, z): a pavement, and two rows of houses back to back."""
    tall = 2 * DEEP + YARD
    ring = (WIDE + 2 * WALK, 0, tall + 2 * WALK)
    use = {"use": "pavement" if count else "square"}
    lots = [Lot(ring, position=(x - ring[0] / 2, 0.02, z - ring[2] / 2), attributes=use)]
    for turn in (0, 180)[: -(-count // HOUSES)]:
        cuts = np.cumsum([0, *rng.uniform(0.7, 1.3, HOUSES)])
        cuts *= WIDE / cuts[-1]
        for k in range(HOUSES):
            side = {0: "left", HOUSES - 1: "right"}.get(k, "none")
            footprint = house(cuts[k], cuts[k + 1], side)
            facing = {"corner": side}
            lots.append(Lot(footprint=footprint, position=(x, 0.15, z), turn=turn, attributes=facing))
    return lots


def town(houses):
    """The lots of a town: the ground, and blocks of 20 houses with a square in place of every 13th."""
    rng = np.random.default_rng(3)
    lots, k, left = [], 0, houses
    while left > 0:
        place = (k % ACROSS) * (WIDE + AVENUE), -(k // ACROSS) * (2 * DEEP + YARD + STREET)
        count = 0 if k % 13 == 8 else min(2 * HOUSES, left)
        lots += block(*place, count, rng)
        left, k = left - count, k + 1
    ends = np.array([one.position for one in lots if one.size is not None])
    low, high = ends.min(axis=0) - 20, ends.max(axis=0) + (WIDE + 27, 0, 67)
    size = (high[0] - low[0], 0, high[2] - low[2])
    return [Lot(size, position=(low[0], 0, low[2]), attributes={"use": "ground"}), *lots]


def main(folder, houses=1000):
    folder.mkdir(parents=True, exist_ok=True)
    lots = town(houses)
    began = time.perf_counter()
    grown = supple.grow(RULES, start="Lot", lots=lots, seed=11)
    derived = time.perf_counter()
    grown.save(folder / "17_town.glb")
    written = time.perf_counter()
    print(f"{grown}: {derived - began:.1f} s to derive, {written - derived:.1f} s to write")
    near = supple.grow(RULES, start="Lot", lots=lots[1:22], seed=12)  # the first block alone
    plot.save(near.picture(title="A block", width=9, pitch=30), folder / "17_town.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
