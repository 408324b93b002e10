"""Several answers to one problem, chosen by what they cost; and stretching to a goal out of reach.

Follows Song & Hu 2011, who ask for the answer with the least sum of joint angles or the least path,
and Kuehtreiber, "Inverse Kinematics for Shape Grammars", who asks for other angles of the shapes
that still touch the target, for shapes kept fixed, and for size as a degree of freedom.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import costs, plot
from supple.apps.plot import marks, style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

HINGE_LIMITS = (-3.1, 3.1)
ARM = supple.chain([3, 2.5, 2], joint=supple.Hinge("z", limits=HINGE_LIMITS))
RUBBER = ARM.with_joints({"j1": supple.Hinge("z", limits=HINGE_LIMITS, stretch=(1, 1.8))})
BENDS = {"j0": -0.8, "j1": 1.2, "j2": -0.8}
START = ARM.pose(BENDS)
GOAL, FAR = {"tip": (-1.7, -1.7, 0)}, {"tip": (7.0, 4.5, 0)}


@styled
def draw(answers):
    fig = Figure(figsize=(11, 3.9))
    headline(fig, "Several answers to one problem")
    panels = fig.subplots(1, 4)
    fig.subplots_adjust(0.02, 0.01, 0.99, 0.8, 0.05)
    every = [one.start.interpolate(one.pose, np.linspace(0, 1, 65)) for one, _ in answers.values()]
    for ax, way, (name, (one, goal)) in zip(panels, every, answers.items(), strict=True):
        scene = Scene(every, marks_of(goal, START))
        scene.draw(ax, one.pose, detail=Detail(frames=False, limits=False, names=False, scale=0.8))
        scene.draw_around(ax, one, scale=0.8)
        ax.plot(*scene.view(way.position("tip")).T, color=style.GOAL, lw=1.2, zorder=marks.GHOSTS)
        turns = np.degrees(costs.sum_of_turns(one.start, one.pose))
        path = costs.tip_path(one.start, one.pose, "tip")
        ax.set_title(f"{name}\n{turns:.0f}° in all, tip path {path:.1f}", loc="left")
        ax.set_axis_off()
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    turns = supple.solve(ARM, GOAL, start=START, prefer="turns")
    path = supple.solve(ARM, GOAL, start=START, prefer="path")
    fixed = supple.solve(ARM, GOAL, start=START, lock=["j0"], solutions=2)
    stretched = supple.solve(RUBBER, FAR, start=RUBBER.pose(BENDS))
    answers = {
        'prefer="turns"': (turns, GOAL),
        'prefer="path"': (path, GOAL),
        'lock=["j0"], both elbows': (fixed, GOAL),
        "stretch=(1, 1.8), out of reach": (stretched, FAR),
    }
    plot.save(draw(answers), folder / "07_several_answers.png")
    assert all(one.reached for one, _ in answers.values())
    assert costs.sum_of_turns(START, turns.pose) < 0.8 * costs.sum_of_turns(START, path.pose)
    assert costs.tip_path(START, path.pose, "tip") < 0.8 * costs.tip_path(START, turns.pose, "tip")
    (other,) = fixed.alternatives
    assert fixed.angles[0] == other.angles[0] == START.angles[0] and other.reached
    assert fixed.angles[2] * other.angles[2] < 0, "two elbows"
    assert supple.solve(ARM, FAR, start=START).status == supple.Status.TOO_FAR
    assert 1 < stretched.angles[RUBBER.freedoms.index("j1.stretch")] <= 1.8


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
