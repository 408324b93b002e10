"""An excavator that digs where it is told: four hinges, a machine's ranges, teeth on the ground.

The rules are in src/supple/apps/data/grammar/excavator.cga. The last one is out of reach: IK comes as near as it can,
and stretching the stick, which no real one can, would get there.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.data import rules
from supple.apps.grammar.output.picture import common_bounds, draw, look_from
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled

RULES = rules("excavator")
VIEW = look_from(yaw=38, pitch=22)
DIG_POINTS = [(6.4, -0.6, 2.2), (4.2, 0.2, -3.4), (5.6, 2.6, 0.0), (9.5, 0.0, 0.0)]


@styled
def draw_all(machines):
    fig = Figure(figsize=(10, 7.2))
    headline(fig, "Where to dig", "The turret and three hinges bring the teeth to the point")
    panels = fig.subplots(2, 2).ravel()
    fig.subplots_adjust(0.0, 0.0, 1.0, 0.87, 0.0, 0.06)
    bounds = common_bounds(machines, VIEW)
    for ax, grown in zip(panels, machines, strict=True):
        draw(ax, grown, view=VIEW, bounds=bounds, width=4.4)
        (touch,) = grown.touches
        told = "reached" if touch.reached else f"{touch.solution.error:.2g} m short"
        ax.set_title(told, color=style.STATUS[touch.reached])
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    machines = [supple.grow(RULES, attributes={"dig": point}) for point in DIG_POINTS]
    plot.save(draw_all(machines), folder / "13_excavator.png")
    for grown, point in zip(machines, DIG_POINTS, strict=True):
        assert grown.pose.violations().max() == 0.0, "no hinge beyond its range"
        bucket = grown.shapes.named("Bucket")[0]
        assert bucket.joint == "bucket"
        tip = grown.pose.position(grown.touches[0].effector)
        assert grown.reached == (np.linalg.norm(tip - point) <= 0.01)
    assert [grown.reached for grown in machines] == [True, True, True, False]
    rules = RULES.read_text(encoding="utf-8").replace(
        'solver = "LM"', 'solver = "LM", stretch = 1.5'
    )
    assert supple.grow(rules, attributes={"dig": DIG_POINTS[-1]}).reached, "with a longer arm"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
