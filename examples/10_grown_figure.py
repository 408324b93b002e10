"""A figure that grows by rules and touches a point: its iterations, and IK depth 1, 2, 3 and 0.

Follows Kuehtreiber, "Inverse Kinematics for Shape Grammars", figures 1 and 4. The rules are in
src/supple/apps/data/grammar/figure.cga: every shape has a joint, and the last one an IK rule. The effector is its far
corner, (1, 1, 1) in relative coordinates; CCD, a threshold of 0.01 and 50 iterations.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.data import rules
from supple.apps.grammar.output.picture import common_bounds, draw, look_from
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled

RULES = rules("figure")
VIEW = look_from(yaw=-20, pitch=14)


@styled
def draw_rows(one, depths):
    fig = Figure(figsize=(10, 6.6))
    headline(
        fig,
        "Shapes that pose themselves",
        "Above: three joints approach the point. Below: how many of five shapes may turn",
    )
    panels = fig.subplots(2, 4)
    fig.subplots_adjust(0.01, 0.01, 0.99, 0.87, 0.02, 0.08)
    steps = [0, 1, 3, len(one.steps) - 1]
    poses = [one.steps[k] for k in steps]
    bounds = common_bounds([one], VIEW, poses)
    for ax, k, pose in zip(panels[0], steps, poses, strict=True):
        draw(ax, one, view=VIEW, pose=pose, bounds=bounds, width=2.4)
        ax.set_title("start" if k == 0 else f"iteration {k}", color=style.QUIET)
    bounds = common_bounds(list(depths.values()), VIEW)
    for ax, (depth, grown) in zip(panels[1], depths.items(), strict=True):
        draw(ax, grown, view=VIEW, bounds=bounds, width=2.4)
        told = "reached" if grown.reached else f"{grown.touches[0].solution.error:.2g} away"
        ax.set_title(f"depth {depth}: {told}", color=style.STATUS[grown.reached])
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    one = supple.grow(RULES, attributes={"count": 3, "target": (3.2, 2.2, 1.0)})
    assert one.reached and len(one.steps) > 3, "it takes a few iterations"
    target = (2.3, 2.6, 1.4)
    depths = {
        depth: supple.grow(RULES, attributes={"count": 5, "target": target, "depth": depth})
        for depth in (1, 2, 3, 0)
    }
    plot.save(draw_rows(one, depths), folder / "10_grown_figure.png")
    for depth, grown in depths.items():
        turned = grown.pose.turns(grown.skeleton.rest) > 0
        assert turned.sum() == (depth or 5), "counted from the last shape"
        again = supple.solve(
            grown.skeleton,
            grown.goals,
            solver=supple.CCD(max_iterations=50),
            tolerance=0.01,
        )
        assert np.array_equal(again.pose.coordinates, grown.pose.coordinates)
    for a, b in combinations(depths.values(), 2):
        assert np.abs(a.pose.coordinates - b.pose.coordinates).max() > 0.05, "four poses"
    assert depths[0].reached and not depths[1].reached


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
