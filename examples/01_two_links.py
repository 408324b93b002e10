"""Two links in closed form, and where leaving out the arctangent breaks it.

Follows Lander 1998, "Making Kine More Flexible": equation 6, with L2 sin(theta2) for the printed
L1 and with atan2 (`supple.TwoBone`); tangents against radians (figure 2); the trick as a map.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import supple
from supple import plot
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.style import BONE, GHOST, GOAL, QUIET

L1, L2 = 2.0, 1.3
ARM = supple.chain([L1, L2], joint=supple.Hinge("z"))
TARGET = {"tip": (0.7, 2.3, 0)}
MARKED = {np.degrees(np.arctan(0.5)): 2.1, 30: 3.1, 45: 12.3}  # angle: error, degrees
SHADES = {2.1: "#fff3e0", 12.3: "#ffd9a8", 30: "#ffb35c", 90: GOAL, 1e9: GHOST}  # up to, degrees


def closed_form(x, y, elbow, length):
    """theta2, and r^2 sin(theta1), r^2 cos(theta1): numerator and denominator of equation 6."""
    theta2 = elbow * np.arccos(np.clip((x * x + y * y - L1**2 - L2**2) / (2 * L1 * L2), -1, 1))
    across, along = length * np.sin(theta2), L1 + L2 * np.cos(theta2)
    return theta2, along * y - across * x, along * x + across * y


@styled
def draw(x, y, error):
    fig = Figure(figsize=(10, 4.4))
    headline(fig, "What skipping the arctangent costs", "Good below 30 degrees; lost beyond 90.")
    left, right = fig.subplots(1, 2, gridspec_kw={"left": 0.06, "top": 0.8, "right": 0.94})
    degrees = np.linspace(0, 66, 200)
    left.plot(degrees, np.tan(np.radians(degrees)), color=GOAL, lw=2, label="tangent")
    left.plot(degrees, np.radians(degrees), color=BONE, lw=2, label="radians")
    for at, off in MARKED.items():
        left.vlines(at, np.radians(at), np.tan(np.radians(at)), color=QUIET)
        left.text(at, np.radians(at) + 0.12 - 0.26 * (at >= 30), f"{off}°", ha="center", fontsize=8)
    left.set(xlim=(0, 66), ylim=(0, 2.2), xlabel="angle [°]")
    left.legend(frameon=False)
    filled = right.contourf(x, y, error, [0, *SHADES], colors=[*SHADES.values()])
    filled.set_clip_path(Circle((0, 0), L1 + L2, transform=right.transData))
    right.add_patch(Circle((0, 0), L1 - L2, color="white"))
    right.set(aspect="equal", frame_on=False, xticks=[], yticks=[])
    right.set_title("error of theta1 by target [°]", color=QUIET)
    fig.colorbar(filled, ax=right, spacing="uniform", ticks=[*SHADES][:-1], shrink=0.8)
    return fig


def main(folder, size=400):
    folder.mkdir(parents=True, exist_ok=True)
    both = supple.solve(ARM, TARGET, solutions=2)
    plot.save(plot.solution(both, goals=TARGET, title="Two elbows"), folder / "01_two_elbows.png")
    x, y = np.meshgrid(*2 * [np.linspace(-L1 - L2, L1 + L2, size)])
    _, above, below = closed_form(x, y, 1, L2)
    error = np.degrees(np.abs(above / below - np.arctan2(above, below)))
    plot.save(draw(x, y, error), folder / "01_skip_atan.png")

    x, y = (v[np.abs(np.hypot(x, y) - L1) < L2] for v in (x, y))
    targets = np.stack([x, y, 0 * x], axis=-1)
    for elbow, name, length in ((1, "positive", L2), (-1, "negative", L2), (1, "positive", L1)):
        theta2, above, below = closed_form(x, y, elbow, length)
        theta1 = np.arctan2(above, below)
        pose = supple.Pose.from_angles(ARM, np.stack([theta1, theta2], axis=-1))
        misses = np.linalg.norm(pose.position("tip") - targets, axis=-1)
        assert misses.max() < 1e-12 if length == L2 else misses.mean() > 0.3  # as printed: L1
        assert 0.45 < np.mean(np.abs(np.arctan(above / below) - theta1) > 1e-6) < 0.55
        same = supple.solve(ARM, {"tip": targets}, solver=supple.TwoBone(elbow=name))
        assert np.allclose(same.position("tip"), targets, atol=1e-9)
    assert all(round(np.degrees(np.tan(np.radians(a))) - a, 1) == b for a, b in MARKED.items())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
