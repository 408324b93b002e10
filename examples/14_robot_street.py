"""A street of robots: a stochastic rule says who lives on each plot, and each reaches for its lamp.

The rules are in src/supple/apps/data/grammar/street.cga. IK names its target, `shapePoint("lamp", ...)`: the
nearest lamp in the tree of shapes, which is the one of the same plot.
"""

import sys
from pathlib import Path

import numpy as np

import supple
from supple import plot
from supple.apps.data import rules

RULES = rules("street")


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    street = supple.grow(RULES, seed=5)
    robots = street.shapes.named("Robot")
    drawn = street.picture(
        title="Everybody reaches for a lamp",
        detail=f"{len(robots)} robots of one stochastic rule, {len(street.leaves)} shapes",
        targets=False,
        width=10,
        pitch=26,
    )
    plot.save(drawn, folder / "14_robot_street.png")
    plots = street.shapes.named("Plot")
    assert len(plots) == 7 * 4 and 0.3 < len(robots) / len(plots) < 0.9, "60% of the plots"
    assert len(street.touches) == len(robots) and street.reached
    for touch in street.touches:
        own = street.shapes[touch.shape]
        while own.name != "Plot":
            own = own.parent
        corner = own.point(0, 0, 0)
        inside = touch.target - corner
        assert np.all(inside[[0, 2]] > 0) and np.all(inside[[0, 2]] < 4), "of the same plot"
        tip = street.pose.position(touch.effector)
        assert np.linalg.norm(tip - touch.target) <= 0.2, "it touches the lamp, which is as large"
    again = supple.grow(RULES, seed=5)
    assert np.array_equal(again.pose.coordinates, street.pose.coordinates), "the same street again"
    other = supple.grow(RULES, seed=6)
    assert len(other.store) != len(street.store), "and another one"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
