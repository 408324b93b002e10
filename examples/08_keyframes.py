"""Solved poses as the keyframes of a smooth motion.

Follows Lander 1998, "Making Kine More Flexible": the iterations of the solver jump, but "only the
final solution angles are used as keyframes for a quaternion interpolation. That way, the animation
would be quite smooth."
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.plot import marks, style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene
from supple.goals.mark import PlaceMark

SNAKE = supple.chain([3, 3, 2.5, 2, 1.5])
TARGETS = np.array([(7, 6, 1), (1, 8, 4), (-6, 5, 3), (-5, 1, 6), (-8, 6, -1)], float)
FRAMES_A_KEY = 24  # from key to key


@styled
def draw(motion, jumps, steps):
    fig = Figure(figsize=(11, 4.8))
    headline(fig, "Solved poses as keyframes", "Every third frame of the motion, and the tip's way")
    left, right = fig.subplots(1, 2, width_ratios=(1.6, 1))
    fig.subplots_adjust(0.01, 0.12, 0.98, 0.82, 0.12)
    scene = Scene([motion], [PlaceMark("disc", "tip", target) for target in TARGETS])
    scene.draw(left, motion[len(motion) - 1], detail=Detail(frames=False, names=False, scale=0.7))
    for n in range(0, len(motion), 3):
        fade = 0.8 - 0.6 * n / len(motion)
        marks.ghost(left, scene.view, motion[n], colour=style.WAY, fade=fade, scale=0.6)
    way = scene.view(motion.position("tip"))
    left.plot(*way.T, color=style.GOAL, lw=1.5, zorder=marks.GHOSTS + 0.95)
    left.set_axis_off()
    right.plot(np.linspace(0, len(steps), len(jumps)), jumps, color=style.GOAL, lw=1.2)
    right.plot(steps, color=style.BONE, lw=2)
    right.set_title(
        "greatest turn of a joint from frame to frame [°]", loc="left", color=style.QUIET
    )
    right.legend(("the solver's iterations", "keyframes, interpolated"), frameon=False)
    right.set(xlabel="frame", xlim=(0, len(steps)), ylim=(0, None))
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    keys, iterations = [SNAKE.rest], [SNAKE.rest]
    for target in TARGETS:
        one = supple.solve(SNAKE, {"tip": target}, start=keys[-1], solver="CCD", trace=True)
        keys.append(one.pose)
        iterations += one.trace.poses[1:] if one.trace else []
        assert one.reached
    t = np.linspace(0, 1, FRAMES_A_KEY + 1)[1:]
    ease = t * t * (3 - 2 * t)  # starts and stops gently
    frames = [pose for a, b in pairwise(keys) for pose in a.interpolate(b, ease)]
    motion, iterations = supple.Pose.stack([keys[0], *frames]), supple.Pose.stack(iterations)
    jumps, steps = (np.degrees(p[1:].turns(p[:-1]).max(axis=-1)) for p in (iterations, motion))
    plot.save(draw(motion, jumps, steps), folder / "08_keyframes.png")

    print(
        f"greatest turn from frame to frame: {jumps.max():.0f}° solving, {steps.max():.0f}° interpolated"
    )
    met = motion[FRAMES_A_KEY::FRAMES_A_KEY].position("tip")
    assert np.linalg.norm(met - TARGETS, axis=-1).max() < 2e-3, "the keys are met"
    assert jumps.max() > 60 and steps.max() < 12, "no jumps"
    assert np.abs(np.diff(steps)).max() < 2, "nor jerks"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
