"""A five-link snake with and without damping and limits.

Follows Lander 1998, "Making Kine More Flexible", figure 4, whose captions contradict the text: here
each picture is named by what it shows. Plain CCD favours the last joints and leaves kinks; damping
(the greatest turn of a joint in a sweep) and limits do away with both.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.cli.random_targets import random_targets
from supple.apps.plot import marks, style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

FREE = supple.chain([1] * 5, joint=supple.Hinge("z"))
BENDING = supple.Hinge("z", limits=(-np.radians(50), np.radians(50)))
LIMITED = FREE.with_joints({name: BENDING for name in FREE.joint_names[1:]})
PLAIN = supple.CCD(accelerate=False, restarts=0)
DAMPED = supple.CCD(accelerate=False, restarts=0, damping=0.2)
SNAKES = {
    "No restrictions": (FREE, PLAIN, style.PRESSED),
    "Damping, 0.2 rad a sweep": (FREE, DAMPED, style.AXES[2]),
    "Limits, 50° to both sides": (LIMITED, PLAIN, style.LIMIT),
    "Damping and limits": (LIMITED, DAMPED, style.BONE),
}
GOAL = {"tip": (-0.6, 2.4, 0)}


@styled
def draw(answers):
    fig = Figure(figsize=(11, 5))
    headline(fig, "A snake reaches with plain CCD, with and without damping and limits")
    scene = Scene([one.trace.poses for one in answers.values()], marks_of(GOAL, FREE.rest))
    grid = fig.add_gridspec(2, 4, left=0.06, right=0.98, top=0.86, bottom=0.1, hspace=0.1)
    below = fig.add_subplot(grid[1, :])
    for k, (name, one) in enumerate(answers.items()):
        ax, colour = fig.add_subplot(grid[0, k]), SNAKES[name][2]
        scene.draw(ax, one.pose, detail=Detail(frames=False, names=False, scale=0.75))
        for n, pose in enumerate(one.trace.poses):
            fade = 0.8 - 0.7 * n / len(one.trace)
            marks.ghost(ax, scene.view, pose, colour=style.WAY, fade=fade, scale=0.75)
        ax.set_title(name, loc="left", color=colour, fontweight="bold")
        ax.set_axis_off()
        below.plot(one.trace.errors, "o-", color=colour, ms=4)
    below.axhline(5e-4, color=style.QUIET, lw=0.9, ls="--")
    below.set(yscale="log", xlabel="sweep", ylabel="distance to the goal")
    return fig


def main(folder, count=500):
    folder.mkdir(parents=True, exist_ok=True)
    names = list(FREE.joint_names)
    targets = random_targets(FREE, "tip", names, count=count, seed=1, within="disc")
    answers, shares, bends = {}, [], []
    for name, (skeleton, solver, _) in SNAKES.items():
        answers[name] = supple.solve(skeleton, GOAL, solver=solver, trace=True)
        many = supple.solve(skeleton, {"tip": targets}, solver=solver)
        turns = many.pose[many.reached].turns(skeleton.rest)
        shares.append(np.mean(turns[:, -1] / turns.sum(axis=1)))
        bends.append(np.degrees(turns[:, 1:].max(axis=1).mean()))
        print(f"{name:28} last joint's share {shares[-1]:.0%}, largest bend {bends[-1]:.0f}°")
        assert answers[name].reached and many.pose.violations().max() == 0
    plot.save(draw(answers), folder / "02_snake.png")
    assert shares[0] > 1.2 * max(shares[1:]), "the last joint does too much of it"
    assert bends[0] > 2 * max(bends[1:]), "there are kinks"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
