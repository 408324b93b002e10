"""A town house: plain CGA, without a single joint.

The rules are in src/supple/apps/data/grammar/facade.cga: extrude, component split, splits with repeats, stochastic
rules.
"""

import sys
from pathlib import Path

import supple
from supple import plot
from supple.apps.data import rules

RULES = rules("facade")


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    house = supple.grow(RULES, seed=4)
    drawn = house.picture(
        title="A town house",
        detail=f"{len(house.store):,} shapes, {len(house.leaves):,} of them leaves; no joints",
        width=7,
    )
    plot.save(drawn, folder / "15_facade.png")
    assert len(house.skeleton.joint_names) == 1 and not house.touches
    # 14 - 4 - 0.25 - 0.5 leaves 9.25 for floors of 3.2: three. On the front 16 m are one metre for
    # each end and tiles of 2.6: five; on a side of 10 m three.
    tiles = house.shapes.named("Tile")
    assert len(house.shapes.named("Floor")) == 4 * 3
    assert len(tiles) == 3 * (5 + 5 + 3 + 3)
    assert len(house.shapes.named("Opening")) == len(tiles)
    # 12.8 m beside the entrance and the ends are two repeats of shops of 3.2 m.
    assert len(house.shapes.named("Shop")) == 4
    assert len(house.shapes.named("Door")) == 1
    taller = supple.grow(RULES, seed=4, attributes={"height": 14 + 3.2})
    assert len(taller.shapes.named("Floor")) == 4 * 4


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
