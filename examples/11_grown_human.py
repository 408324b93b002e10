"""A human figure grown by rules: each hand reaches for a point of its own, and the head looks on.

The rules are in src/supple/apps/data/grammar/human.cga. Shoulders turn within cones, elbows and knees are hinges, the
spine bends a little; each arm's IK stops at its shoulder.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.data import rules
from supple.apps.grammar.output.picture import common_bounds, draw, look_from
from supple.apps.plot.figures import headline, styled

RULES = rules("human")
VIEW = look_from(yaw=28, pitch=12)
HAND_TARGETS = [  # right hand, left hand
    ((-0.45, 2.0, 0.25), (0.5, 1.05, 0.3)),
    ((-0.2, 1.3, 0.55), (0.25, 1.35, 0.55)),
    ((-0.75, 1.45, 0.1), (0.8, 1.5, 0.15)),
    ((-0.1, 1.6, 0.5), (0.45, 0.85, 0.0)),
]


@styled
def draw_all(figures):
    fig = Figure(figsize=(10, 5.2))
    headline(
        fig, "Four people of one rule file", "Hands at their targets, elbows bent one way only"
    )
    panels = fig.subplots(1, len(figures))
    fig.subplots_adjust(0.0, 0.0, 1.0, 0.86, 0.0)
    bounds = common_bounds(figures, VIEW)
    for ax, grown in zip(panels, figures, strict=True):
        draw(ax, grown, view=VIEW, bounds=bounds, width=2.4)
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    figures = [
        supple.grow(RULES, attributes={"right": right, "left": left, "height": height})
        for (right, left), height in zip(HAND_TARGETS, (1.8, 1.7, 1.9, 1.8), strict=True)
    ]
    plot.save(draw_all(figures), folder / "11_grown_human.png")
    for grown, goals in zip(figures, HAND_TARGETS, strict=True):
        hands = [touch for touch in grown.touches if touch.effector.startswith("Hand")]
        for touch, goal in zip(hands, goals, strict=True):
            assert np.allclose(touch.target, goal)
            assert np.linalg.norm(grown.pose.position(touch.effector) - goal) <= 0.01
        assert grown.pose.violations().max() < 1e-12, "limits hold"
        legs = [n for n in grown.skeleton.joint_names if "knee" in n or "hip" in n]
        turned = grown.pose.turns(grown.skeleton.rest)
        turns = dict(zip(grown.skeleton.joint_names, turned, strict=True))
        assert all(turns[name] == 0 for name in (*legs, "pelvis", "chest")), "arms only"
    hero = figures[0].character()
    assert hero.skeleton == figures[0].skeleton and hero.pose == figures[0].pose


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
