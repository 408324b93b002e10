"""The CCD construction, joint visit by joint visit, and a chain drawn link by link.

Follows the slides "Inverse Kinematics": figure 5, where each joint R turns the effector E onto the
line to the desired point D; and "Drawing Kinematic Chains", outermost link first, which is the
order of a matrix stack and gives the same points as forward kinematics.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple.apps.plot import marks, save, style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.scene import Detail, Scene, marks_of

LINK_LENGTHS = 3.0, 2.5, 2.0, 1.5
CHAIN = supple.chain(LINK_LENGTHS, joint=supple.Hinge("z"))
START = CHAIN.pose({"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.3})
D = np.array([1.0, 5.6, 0.0])  # the desired point: the goal
FLAT = np.array([1, 1j, 0])  # points of the plane as complex numbers


@styled
def draw(visits, stages):
    fig = Figure(figsize=(11, 7.8))
    headline(fig, "CCD: each joint R turns E onto the line to D", "Below: drawn link by link")
    axes = fig.subplots(3, 4, gridspec_kw={"left": 0.02, "bottom": 0, "right": 0.99, "top": 0.86})
    scene = Scene([START, *(after for *_, after in visits)], marks_of({"tip": D}, START))
    for ax, (step, before, after) in zip(axes[:2].flat, visits, strict=False):
        scene.draw(ax, after, detail=Detail(frames=False, names=False, scale=0.8))
        marks.ghost(ax, scene.view, before, scale=0.8)
        R, E = before.position(step.joint), before.position("tip")
        ax.plot(*np.stack([E, R, D]).T[:2], color=style.GOAL, lw=1.2, ls="--")
        arc = R @ FLAT + (E - R) @ FLAT * np.exp(1j * np.linspace(0, step.change[0], 40))
        ax.plot(arc.real, arc.imag, color=style.PRESSED, lw=2)
        along = (E - R) / np.linalg.norm(E - R)
        back = np.cross(along, (0, 0, np.sign(step.change[0])))  # from where the turn comes
        letters = [("R", R, -13 * along), ("E", E, 13 * back), ("D", D, np.array([-20, 0, 0]))]
        for letter, at, away in letters[: 4 - step.iteration]:
            marks.write(ax, letter, at, away, colour=style.TEXT, size=10)
        ax.set_title(f"sweep {step.iteration}, {step.joint}: {np.degrees(step.change[0]):+.0f}°")
    for ax, (length, angle, moved, turned) in zip(axes[2], stages, strict=True):
        ax.plot(moved.real, moved.imag, "o-", color=style.GHOST, lw=2.5, mfc="white")
        ax.plot(turned.real, turned.imag, "o-", color=style.BONE, lw=4, ms=9, mfc=style.JOINT)
        ax.set(xlim=(-0.5, 8.5), ylim=(-0.5, 7), aspect="equal")
        ax.set_title(f"move by {length:g}, turn by {np.degrees(angle):.0f}°")
    for ax in axes.flat:
        ax.set_axis_off()
    return fig


def link_by_link(lengths, angles):
    """Each link from the outermost on: what is drawn so far, moved by its length, then turned."""
    points = np.zeros(1)
    for length, angle in zip(lengths[::-1], angles[::-1], strict=True):
        moved = np.concatenate([[0], length + points])
        points = moved * np.exp(1j * angle)
        yield length, angle, moved, points


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    plain = supple.CCD(accelerate=False, restarts=0)
    trace = supple.solve(CHAIN, {"tip": D}, start=START, solver=plain, trace=True).trace
    steps, poses = zip(*(trace.walk() if trace else ()), strict=True)
    visits = list(zip(steps, (START, *poses), poses, strict=False))
    stages = list(link_by_link(LINK_LENGTHS, START.angles))
    save(draw(visits, stages), folder / "03_ccd_step_by_step.png")
    for step, before, after in visits:
        R, E = before.position(step.joint), after.position("tip")
        assert abs(np.angle((E - R) @ FLAT / ((D - R) @ FLAT))) < 1e-9, "E is not on the line"
    assert np.allclose(stages[-1][-1], START.positions @ FLAT, atol=1e-12), "not what FK gives"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
