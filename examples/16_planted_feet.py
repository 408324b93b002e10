"""Feet that slide, and the same walk with feet that stand.

A walk on the spot is carried forward too slowly and with a limp, as a careless retarget does: the
feet slip on the ground. `plant_feet` finds when heels and toes stand and keeps them where they are.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled

WALK_CYCLES = 4
FEET = ("foot.L", "foot.R")


def carried(walk: supple.Motion) -> supple.Motion:
    """The walk, several cycles of it, along z; no faster than eight tenths of what its feet do."""
    poses = supple.Pose.stack(list(walk) * WALK_CYCLES)
    time = np.arange(len(poses)) / walk.fps
    offsets = np.tile(walk.skeleton.offsets, (len(poses), 1, 1))
    own = walk.poses.translations
    if own is not None:
        offsets[:] = np.tile(own, (WALK_CYCLES, 1, 1))
    speed = 0.5 / (0.6 * len(walk) / walk.fps)  # of the ground under its feet [m/s]
    offsets[:, walk.skeleton.index("root"), 2] += 0.8 * speed * time + 0.02 * np.sin(7 * time)
    return supple.Motion(
        "slides", supple.Pose(walk.skeleton, poses.coordinates, offsets), fps=walk.fps
    )


def speeds(motion: supple.Motion, name: str) -> np.ndarray:
    """How fast a joint goes from frame to frame [m/s]."""
    return np.linalg.norm(np.diff(motion.poses.position(name), axis=0), axis=1) * motion.fps


@styled
def draw(motion: supple.Motion, found: supple.Planted) -> Figure:
    fig = Figure(figsize=(11, 5.2))
    headline(
        fig, "Feet that stand", "Speed of each ankle [m/s]; where a heel or toe stands is shaded"
    )
    rows = fig.subplots(2, 1, sharex=True, sharey=True)
    fig.subplots_adjust(0.06, 0.1, 0.98, 0.82, hspace=0.25)
    for ax, name, slide in zip(rows, FEET, found.slides, strict=True):
        ax.fill_between(np.arange(len(motion)), 0, 3, where=slide.heel | slide.toe, color=style.WAY,
                        alpha=0.25, lw=0)  # fmt: skip
        ax.plot(speeds(motion, name), color=style.GOAL, lw=1.2, label="before")
        ax.plot(speeds(found.motion, name), color=style.BONE, lw=1.8, label="planted")
        ax.set_title(name, loc="left", color=style.QUIET)
        ax.set(xlim=(0, len(motion) - 1), ylim=(0, 3))
    rows[0].legend(frameon=False, loc="upper right", ncols=2)
    rows[1].set_xlabel("frame")
    return fig


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    motion = carried(supple.humanoid().motion("walk"))
    found = supple.plant_feet(motion, feet=FEET)
    plot.save(draw(motion, found), folder / "16_planted_feet.png")

    for slide in found.slides:
        stands = np.mean(slide.heel | slide.toe)
        print(f"{slide.foot} stands {stands:.0%} of the time; slid {slide.before:.3f} m/s, "
              f"now {slide.after:.1e}")  # fmt: skip
        assert slide.before > 0.1 and slide.after < 1e-5, "feet that stand no longer slide"
    turned, was = (one.poses[1:].turns(one.poses[:-1]).max() for one in (found.motion, motion))
    assert turned < 1.6 * was, "and no joint jumps for it"
    assert found.lowered < 0.08, "nor do the hips sink"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
