"""Two links in closed form, and where leaving out the arctangent breaks it.

Follows Lander 1998, "Making Kine More Flexible": equation 6, with L2 sin(theta2) where L1 is
printed and with atan2; figure 2, tangents against radians; and the trick of skipping the
arctangent, as a map over the plane. `supple.TwoBone` is this closed form in the library.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import supple
from supple import plot
from supple.plot.figures import headline, styled
from supple.plot.marks import bones, ghost, goal
from supple.plot.style import BONE, GHOST, GOAL, JOINT, QUIET
from supple.plot.view import choose

L1, L2 = 2.0, 1.3
ARM = supple.chain([L1, L2], joint=supple.Hinge("z"))
LEVELS = {2.1: "#fff3e0", 12.3: "#ffd9a8", 30: "#ffb35c", 90: GOAL}  # degrees
MARKED = ((np.degrees(np.arctan(0.5)), 2.1), (30, 3.1), (45, 12.3))  # angle and error, degrees


def closed_form(x, y, elbow=1, printed=False):
    """theta2, and r^2 sin(theta1), r^2 cos(theta1): numerator and denominator of equation 6."""
    cosine = (x * x + y * y - L1 * L1 - L2 * L2) / (2 * L1 * L2)
    theta2 = elbow * np.arccos(np.clip(cosine, -1.0, 1.0))
    across, along = (L1 if printed else L2) * np.sin(theta2), L1 + L2 * np.cos(theta2)
    return theta2, along * y - across * x, along * x + across * y


def tip(theta1, theta2):
    return supple.Pose.from_angles(ARM, np.stack([theta1, theta2], axis=-1)).position("tip")


@styled
def draw(x, y, error, arms, at):
    fig = Figure(figsize=(11, 4))
    headline(fig, "Two links in closed form, and what skipping the arctangent costs")
    left, middle, right, bar = (
        fig.add_axes((x, 0.12, w, 0.66))
        for x, w in ((0.02, 0.24), (0.32, 0.24), (0.61, 0.27), (0.9, 0.012))
    )
    view = choose(ARM.rest.positions)
    bones(left, view, arms[0])
    ghost(left, view, arms[1])
    goal(left, view, at)
    left.set(xlim=(-1.4, 2.2), ylim=(-0.4, 2.9), aspect="equal")
    left.set_axis_off()
    angle = np.radians(np.linspace(0, 66, 200))
    middle.plot(np.degrees(angle), np.tan(angle), color=GOAL, lw=2)
    middle.plot(np.degrees(angle), angle, color=BONE, lw=2)
    for degrees, off in MARKED:
        ends = np.radians(degrees), np.tan(np.radians(degrees))
        middle.plot([degrees, degrees], ends, color=QUIET, lw=1)
        middle.text(degrees + 1, ends[0] - 0.02, f"{off}°", va="top", fontsize=8)
    middle.text(57, 1.75, "tangent", color=GOAL, ha="right")
    middle.text(55, 0.82, "radians")
    middle.set(xlim=(0, 66), ylim=(0, 2.2), xlabel="angle [°]")
    inside = Circle((0, 0), L1 + L2, transform=right.transData)
    filled = right.contourf(x, y, error, [0, *LEVELS, 1e9], colors=[*LEVELS.values(), GHOST])
    filled.set_clip_path(inside)
    right.add_patch(Circle((0, 0), L1 - L2, color="white"))
    right.set_aspect("equal")
    right.set_axis_off()
    fig.colorbar(filled, cax=bar, spacing="uniform", ticks=[*LEVELS])
    for ax, title in (
        (left, "One target, two elbows"),
        (middle, "Tangents against radians"),
        (right, "Error of theta1 without atan, by target [°]"),
    ):
        ax.set_title(title, loc="left", color=QUIET)
    return fig


def main(folder, size=401):
    x, y = np.meshgrid(*2 * [np.linspace(-L1 - L2, L1 + L2, size)])
    _, above, below = closed_form(x, y)
    error = np.degrees(np.abs(above / below - np.arctan2(above, below)))
    at = np.array([0.7, 2.3, 0.0])
    arms = [
        supple.solve(ARM, {"tip": at}, solver=supple.TwoBone(elbow=e)).pose
        for e in ("positive", "negative")
    ]
    plot.save(draw(x, y, error, arms, at), Path(folder) / "01_two_links.png")

    inside = np.abs(np.hypot(x, y) - L1) < L2
    targets = np.stack([x, y, 0 * x], axis=-1)[inside]
    x, y, _ = targets.T
    for elbow, name in ((1, "positive"), (-1, "negative")):
        theta2, above, below = closed_form(x, y, elbow)
        theta1 = np.arctan2(above, below)
        assert np.allclose(tip(theta1, theta2), targets, atol=1e-12)
        wrong = np.abs(np.arctan(above / below) - theta1) > 1e-6
        assert 0.45 < wrong.mean() < 0.55, "the arctangent of one argument"
        answer = supple.solve(ARM, {"tip": targets}, solver=supple.TwoBone(elbow=name))
        assert np.allclose(tip(*answer.angles.T), targets, atol=1e-9)
    theta2, above, below = closed_form(x, y, printed=True)
    misses = np.linalg.norm(tip(np.arctan2(above, below), theta2) - targets, axis=-1)
    print(misses.mean())
    for degrees, off in MARKED:
        assert round(np.degrees(np.tan(np.radians(degrees))) - degrees, 1) == off


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "out")
