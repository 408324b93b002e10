"""A goal in reach beside one that is not, and how fast the Jacobian methods get there.

Follows Park 2004, "Inverse Kinematics": figure 1, where a goal out of reach leaves the pose of the
animation alone (unreachable="keep"), with coming as close as possible (the default) beside it; and
section 2.3, the pseudoinverse with its step subdivided, here with its siblings.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

NAMES = "hips", "chest", "shoulder", "elbow", "wrist"
STEPS = (0, 4, 0), (0, 1.6, 0), (0.8, 0.3, 0), (1.4, 0, 0), (1.3, 0, 0)
NODES = zip(NAMES, (None, *NAMES), STEPS, 5 * [supple.Axes("xyz")], strict=False)
ENDS = (0.4, 0, 0), (0, 1.3, 0), (-1.4, -1.6, 0), (-1, -4, 0), (1, -4, 0)
ON = "wrist", "chest", "chest", "hips", "hips"
TIPS = zip(("hand", "head", "left hand", "left foot", "right foot"), ON, ENDS, strict=True)
BODY = supple.Skeleton(NODES, TIPS)
FRAME = BODY.pose({"shoulder": (0, 0, -0.9), "elbow": (0, 0, 0.5)})  # of an animation
NEAR, FAR, LENGTH = np.array([2.7, 6.9, 0]), np.array([3.8, 7.6, 0]), 3.1
SOLVERS = [supple.Jacobian(method=m) for m in ("pinv", "transpose", "dls", "sdls")] + [supple.LM()]
COLOURS = style.BONE, style.GOAL, style.AXES[2], style.LIMIT, style.AXES[1]


def reach(goal, **options):
    arm = [supple.Reach("hand", goal, root="shoulder")]
    return supple.solve(BODY, arm, start=FRAME, **options)


@styled
def draw(answers, curves):
    fig = Figure(figsize=(11, 7))
    headline(fig, "A goal in reach, and one that is not")
    grid = fig.add_gridspec(2, 6, left=0.06, right=0.98, top=0.88, bottom=0.08, wspace=0.9)
    for k, (name, goal, one) in enumerate(answers):
        ax = fig.add_subplot(grid[0, 2 * k : 2 * k + 2])
        disc = [(FRAME.position("shoulder"), LENGTH)]
        scene = Scene([FRAME], marks_of({"hand": goal}, FRAME), discs=disc)
        scene.draw(ax, one.pose, detail=Detail(frames=False, names=False))
        scene.draw_around(ax, one)
        ax.set_title(name, fontweight="bold", color=style.STATUS[one.reached])
        ax.set_axis_off()
    for k, (name, ones) in enumerate(curves.items()):
        ax = fig.add_subplot(grid[1, 3 * k : 3 * k + 3])
        for one, colour in zip(ones, COLOURS, strict=True):
            ax.plot(one, color=colour, lw=1.6)
        ax.set(yscale="log", ylim=(1e-7, 5), xlim=(0, 40), xlabel="iteration", title=name)
        if k == 0:
            ax.legend(("pinv", "transpose", "dls", "sdls", "LM"), frameon=False, loc="right")
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    near, kept, close = reach(NEAR), reach(FAR, unreachable="keep"), reach(FAR)
    names = "In reach", "Out of reach: the animation's pose", "Out of reach: as close as can be"
    answers = zip(names, (NEAR, FAR, FAR), (near, kept, close), strict=True)
    least = np.linalg.norm(FAR - FRAME.position("shoulder")) - LENGTH
    curves = {}
    for goal, low, name in ((NEAR, 0, "distance"), (FAR, least, "distance, above the least")):
        many = [reach(goal, solver=one, tolerance=1e-8, trace=True) for one in SOLVERS]
        curves[name] = [one.trace.errors - low for one in many if one.trace]
        assert all(one.error - low < 1e-3 for one in many)
    plot.save(draw(answers, curves), folder / "04_reachable_or_not.png")
    assert near.reached and kept.status == close.status == supple.Status.TOO_FAR
    assert kept.pose == FRAME and np.isclose(close.error, least)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
