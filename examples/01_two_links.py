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
def draw(x, y, error, arms):
    fig = Figure(figsize=(11, 4.1))
    headline(fig, "Two links in closed form, and what skipping the arctangent costs")
    left, middle, right = (fig.add_axes((x, 0.12, 0.25, 0.67)) for x in (0.01, 0.33, 0.65))
    for arm, mark in zip(arms, (bones, ghost), strict=True):
        mark(left, choose(x), arm)
    return fig
