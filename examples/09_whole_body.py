"""A whole body: both hands reach, the feet stay, the head looks, the hips are free.

Beyond the documents: several goals at once on a branching skeleton with limits. The hands move the
hips, and a `Hold` below them lets its leg bend; `Rest` keeps the posture as near to the start as the
other goals let it.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import Cone, Free, Hinge, Hold, LookAt, Reach, Rest, costs, plot
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

NODES: list = [
    ("hips", None, (0, 0.95, 0), Free()),
    ("spine", "hips", (0, 0.15, 0), Cone(0.5, (-0.5, 0.5))),
    ("chest", "spine", (0, 0.2, 0), Cone(0.4, (-0.4, 0.4), axis="y")),
    ("neck", "chest", (0, 0.22, 0), Cone(0.8, (-1.2, 1.2))),
]
TIPS: list = [("head", "neck", (0, 0.2, 0))]
for s, x in (("L", 1), ("R", -1)):
    NODES += [
        (f"{s} shoulder", "chest", (0.19 * x, 0.16, 0), Cone(1.9, (-1, 1))),
        (f"{s} elbow", f"{s} shoulder", (0.28 * x, 0, 0), Hinge((0, -x, 0), limits=(0, 2.5))),
        (f"{s} wrist", f"{s} elbow", (0.26 * x, 0, 0), Cone(0.8, (-0.8, 0.8))),
        (f"{s} hip", "hips", (0.1 * x, -0.03, 0), Cone(1.9, (-0.7, 0.7))),
        (f"{s} knee", f"{s} hip", (0, -0.44, 0), Hinge("x", limits=(0, 2.5))),
        (f"{s} ankle", f"{s} knee", (0, -0.42, 0), Cone(0.9, (-0.4, 0.4), axis="y")),
    ]
    TIPS += [(f"{s} hand", f"{s} wrist", (0.12 * x, 0, 0))]
    TIPS += [(f"{s} toes", f"{s} ankle", (0, -0.06, 0.18))]
BODY = supple.Skeleton(NODES, TIPS)
STANCE = {"L shoulder": (0, 0, -1.2), "R shoulder": (0, 0, 1.2), "L elbow": 0.4, "R elbow": 0.4}
for s in "LR":
    STANCE |= {f"{s} hip": (-0.3, 0, 0), f"{s} knee": 0.6, f"{s} ankle": (-0.3, 0, 0)}
START = BODY.pose(STANCE)
BALL_POSITION, SHELF_POSITION = (0.65, 0.4, 0.4), (-0.5, 1.4, 0.35)
ASKED = [
    Reach("L hand", BALL_POSITION),
    Reach("R hand", SHELF_POSITION),
    LookAt("neck", BALL_POSITION, axis="z"),
]
FEET = [Hold(f"{s} ankle") for s in "LR"]


@styled
def draw(answer):
    fig = Figure(figsize=(10, 5.4))
    headline(fig, "Both hands reach, the head looks, the feet stay, the hips are free")
    poses = [START, answer.pose]
    scene = Scene(poses, marks_of([*ASKED, *FEET], START))
    for k, pose in enumerate(poses):
        ax = fig.add_axes((0.01 + 0.5 * k, 0.01, 0.48, 0.84))
        scene.draw(ax, pose, detail=Detail(frames=False, limits=False, names=False))
        ax.set_axis_off()
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    answer = supple.solve(BODY, [*ASKED, *FEET, Rest(START)], start=START)
    plot.save(draw(answer), folder / "09_whole_body.png")
    assert answer.reached and answer.pose.violations().max() < 1e-12
    for name, at in (("L hand", BALL_POSITION), ("R hand", SHELF_POSITION)):
        assert np.allclose(answer.position(name), at, atol=1e-3)
    for name in ("L toes", "R toes"):
        assert np.allclose(answer.position(name), START.position(name), atol=1e-3), "a foot slipped"
    without = supple.solve(BODY, [*ASKED, *FEET], start=START)
    assert costs.distance(START, answer.pose) < costs.distance(START, without.pose), "Rest helps"
    assert np.linalg.norm(answer.position("hips") - START.position("hips")) > 0.1, "the hips moved"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
