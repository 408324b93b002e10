"""IK depth 1, 2, 3 and 0: how many shapes, counted from the effector's, may turn.

Follows Kuehtreiber, "Inverse Kinematics for Shape Grammars", figure 4: CCD with a threshold of 0.01
and 50 iterations. The effector is the far corner of the last shape, (1, 1, 1) in relative
coordinates; depth 0 is all the way to the skeleton's root.
"""

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

import supple
from supple import plot, rotations
from supple.apps.plot import marks, style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

SHAPES = {"foot": 2.2, "leg": 2.0, "body": 1.7, "arm": 1.4, "hand": 1.0}
SIZES = np.array([(length, 0.5, 0.5) for length in SHAPES.values()])
FIGURE = supple.chain(SIZES[:, 0], names=[*SHAPES])
BENDS = zip(SHAPES, (1.4, -0.5, 0.6, -0.7, -0.5), strict=True)
START = FIGURE.pose({name: (0, 0, angle) for name, angle in BENDS})
GOAL = np.array([4.8, 3.4, 1.6])
CORNERS = np.array([*product((0, 1), repeat=3)])
BOX_FACES = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]


@styled
def draw(answers):
    fig = Figure(figsize=(11, 3.6))
    headline(
        fig, "IK depth: how many shapes may turn", "The far corner of the last one is to reach"
    )
    panels = fig.subplots(1, 4)
    fig.subplots_adjust(0, 0, 1, 0.77, 0)
    poses = [one.pose for one in answers.values()]
    scene = Scene([START, *poses], marks_of({"hand": GOAL}, START))
    for ax, (depth, one) in zip(panels, answers.items(), strict=True):
        scene.draw(ax, one.pose, detail=Detail(frames=False, names=False, scale=0.5))
        for text in [*ax.texts]:
            text.remove()
        turned = rotations.rotate(one.pose.rotations[:5, None], CORNERS * SIZES[:, None])
        boxes = (turned + one.pose.positions[:5, None])[:, BOX_FACES].reshape(-1, 4, 3)
        nearest_last = boxes[np.argsort(scene.view.depth(boxes.mean(axis=1)))]
        look = {"fc": style.JOINT, "ec": style.BONE, "lw": 0.6, "alpha": 0.5}
        ax.add_collection(PolyCollection([*scene.view(nearest_last)], zorder=marks.BONES, **look))
        marks.goal(ax, scene.view, GOAL, scale=0.6)
        told = f"Depth {depth}: " + ("reached" if one.reached else f"{one.error:.2g} away")
        ax.set_title(told, fontweight="bold", color=style.STATUS[one.reached])
        ax.set_axis_off()
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    ccd, answers = supple.CCD(max_iterations=50), {}
    for depth in (1, 2, 3, 0):
        corner = supple.Reach("hand", GOAL, point=SIZES[-1], depth=depth)
        answers[depth] = supple.solve(FIGURE, [corner], start=START, solver=ccd, tolerance=0.01)
        turned = answers[depth].pose.turns(START) > 0
        assert turned.sum() == (depth or 5) and turned[-1], "counted from the effector"
        assert np.all(np.diff(turned.astype(int)) >= 0), "and without a gap"
    plot.save(draw(answers), folder / "06_ik_depth.png")
    for one, other in combinations(answers.values(), 2):
        assert one.pose.turns(other.pose).max() > 0.1, "four different poses"
    assert answers[0].reached and not answers[1].reached


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
