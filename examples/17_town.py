"""A town of 1,000 tall houses on a grid of streets, grown in one call and written as one GLB.

The rules are in src/supple/apps/data/grammar/avenue.cga. `supple view 17_town.glb` opens the town in the playground.
"""

import sys
import time
from pathlib import Path

import numpy as np

import supple
from supple import plot
from supple.apps.data import rules
from supple.apps.grammar import Lot

RULES = rules("avenue")
HOUSES, WIDE, DEEP, YARD, CUT = 10, 150, 16, 8, 2.6  # of a row, and the sides of its corners [m]
AVENUE, STREET, WALK = 24, 16, 3.5  # roads between blocks, and their pavements [m]


def house(left, right, side):
    """A house from x = left to right, its front at z = DEEP, with a cut corner between two streets."""
    first = [(left + CUT, DEEP), (left, DEEP - CUT)] if side == "left" else [(left, DEEP)]
    last = [(right, DEEP - CUT), (right - CUT, DEEP)] if side == "right" else [(right, DEEP)]
    return np.array([*first, (left, 0), (right, 0), *last]) + (-WIDE / 2, YARD / 2)


def block(x, z, rng, square):
    """The lots about (x, z): a square, or a pavement and two rows of houses back to back."""
    wide, deep = WIDE + 2 * WALK, 2 * DEEP + YARD + 2 * WALK
    kind = {"use": "square" if square else "pavement"}
    lots = [Lot((wide, 0, deep), position=(x - wide / 2, 0, z - deep / 2), attributes=kind)]
    for turn in () if square else (0, 180):
        ends = np.cumsum([0, *rng.uniform(0.7, 1.3, HOUSES)])
        ends *= WIDE / ends[-1]
        for k, (left, right) in enumerate(zip(ends, ends[1:], strict=False)):
            side = {0: "left", HOUSES - 1: "right"}.get(k, "none")
            plan, at = house(left, right, side), (x, 0.25, z)
            lots.append(Lot(footprint=plan, position=at, turn=turn, attributes={"corner": side}))
    return lots


def town(blocks):
    """The lots of blocks, six side by side, with four more as squares, and the ground."""
    rng, squares, lots = np.random.default_rng(3), (8, 21, 34, 46), []
    count = blocks + sum(k < blocks for k in squares)
    for k in range(count):
        place = (k % 6) * (WIDE + AVENUE), -(k // 6) * (2 * DEEP + YARD + STREET)
        lots += block(*place, rng, k in squares)
    size = min(count, 6) * (WIDE + AVENUE), 0, -(-count // 6) * (2 * DEEP + YARD + STREET)
    corner = -(WIDE + AVENUE) / 2, 0, DEEP + (YARD + STREET) / 2 - size[2]
    return [*lots, Lot(size, position=corner, attributes={"use": "ground"})]


def main(folder, blocks=50):
    folder.mkdir(parents=True, exist_ok=True)
    lots = town(blocks)
    began = time.perf_counter()
    grown = supple.grow(RULES, start="Lot", lots=lots, seed=11)
    derived = time.perf_counter()
    grown.save(folder / "17_town.glb")
    print(f"{grown}: {derived - began:.1f} s, and {time.perf_counter() - derived:.1f} s to write")
    first = supple.grow(RULES, start="Lot", lots=lots[:21], seed=11)  # a block alone is the same
    drawn = first.picture(title=f"One of {blocks} blocks", width=9, pitch=30)
    plot.save(drawn, folder / "17_town.png")
    assert len(grown.shapes.named("House")) == 20 * blocks
    assert np.array_equal(first.store.scope_array, grown.store.scope_array[: len(first.store)])
    back = supple.load(folder / "17_town.glb")
    faces = [sum(len(mesh.faces) for mesh in one) for one in (back.meshes, grown.meshes())]
    assert faces[0] == faces[1] > 40_000 * blocks, "what is written once is there each time"
    assert (folder / "17_town.glb").stat().st_size < 60 * len(grown.leaves)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
