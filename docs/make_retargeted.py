"""One motion on three bodies: a film strip.

A clip of the humanoid is brought to a figure with short legs, to one with long arms in a T-pose, and to a
robot of hinges whose feet are boxes. Arms and legs keep their directions, whatever the bodies' sizes and rest
poses.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import supple
from supple import Character, Free, Geom, Hinge, Node, Skeleton, plot
from supple.apps.motion.retargeting.body import Body, unit
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled
from supple.rotations import rotate

BONES = ["hip knee", "knee ankle", "shoulder elbow", "elbow wrist"]


def figure(leg: float, arm: float) -> Skeleton:
    """A figure in a T-pose, y up, facing z."""
    nodes = [
        Node("Hips", None, (0, 2 * leg + 0.08, 0)),
        Node("Spine", "Hips", (0, 0.25, 0)),
        Node("Head", "Spine", (0, 0.38, 0)),
    ]
    for side, s in (("Left", 1), ("Right", -1)):
        limb = [
            ("Shoulder", "Spine", (0.04 * s, 0.2, 0)),
            ("Arm", "Shoulder", (0.14 * s, 0, 0)),
            ("ForeArm", "Arm", (arm * s, 0, 0)),
            ("Hand", "ForeArm", (arm * s, 0, 0)),
            ("UpLeg", "Hips", (0.1 * s, 0, 0)),
            ("Leg", "UpLeg", (0, -leg, 0.005)),
            ("Foot", "Leg", (0, -leg, -0.005)),
            ("Toe", "Foot", (0, -0.06, 0.13)),
        ]
        nodes += [
            Node(side + name, above if above in ("Spine", "Hips") else side + above, offset)
            for name, above, offset in limb
        ]
    return Skeleton(nodes)


def robot() -> Character:
    """A humanoid of hinges, z up, facing x."""
    hinge = {axis: Hinge(axis, limits=(-2.6, 2.6)) for axis in "xyz"}
    nodes = [Node("base", None, joint=Free()), Node("waist", "base", (0, 0, 0.1), joint=hinge["z"])]
    geoms = []
    for side, s in (("left", 1), ("right", -1)):
        legs = [
            ("hip_pitch", "y", (0, 0.09 * s, 0)),
            ("hip_roll", "x", (0, 0, 0)),
            ("hip_yaw", "z", (0, 0, 0)),
            ("knee", "y", (0, 0, -0.34)),
            ("ankle_pitch", "y", (0, 0, -0.34)),
            ("ankle_roll", "x", (0, 0, 0)),
        ]
        arms = [
            ("shoulder_pitch", "y", (0, 0.2 * s, 0.36)),
            ("shoulder_roll", "x", (0, 0, 0)),
            ("shoulder_yaw", "z", (0, 0, 0)),
            ("elbow", "y", (0, 0, -0.24)),
            ("wrist", "z", (0, 0, -0.22)),
        ]
        for parent, limb in (("base", legs), ("waist", arms)):
            for name, axis, offset in limb:
                nodes.append(Node(f"{side}_{name}", parent, offset, joint=hinge[axis]))
                parent = nodes[-1].name
        geoms.append(
            Geom("box", f"{side}_ankle_roll", size=(0.1, 0.04, 0.01), position=(0.03, 0, -0.05))
        )
    return Character(Skeleton(nodes).with_physics(geoms=geoms), up="z", unit="m")


def limbs(motion: supple.Motion, found: supple.BodyMap, up: str) -> dict[str, np.ndarray]:
    """World places of the joints of a body, z up."""
    body = Body(motion.skeleton, found, up)
    return body.places(body.frames(motion.poses))


def head_of(at: dict[str, np.ndarray]) -> np.ndarray:
    """Where a head would be, over the middle of the shoulders."""
    hips, shoulders = (
        (at[f"left_{name}"] + at[f"right_{name}"]) / 2 for name in ("hip", "shoulder")
    )
    return shoulders + 0.3 * (shoulders - hips)


def feet_of(made: supple.Retargeted, up: str) -> dict[str, np.ndarray]:
    """The ends of a robot's soles, by side, as a film draws toes and heels."""
    body = Body(made.motion.skeleton, made.target_map, up)
    positions, rotations = body.frames(made.motion.poses)
    out = {}
    for side, sole in body.soles.items():
        joint = body.carrier(f"{side}_foot")
        for name, point in (("heel", sole.rear), ("toe", sole.front)):
            out[f"{side}_{name}"] = positions[:, joint] + rotate(rotations[:, joint], point)
    return out


@styled
def draw(films: dict[str, dict[str, np.ndarray]], frames: list[int], fps: float) -> Figure:
    """A row of poses for each body."""
    fig = Figure(figsize=(12, 9.4))
    headline(
        fig,
        "One walk, four bodies",
        "Left limbs orange, right limbs dark; the same moments in every row, all drawn equally tall",
    )
    axes = fig.subplots(len(films), 1)
    wide = 1.15
    for row, (ax, (name, at)) in enumerate(zip(axes, films.items(), strict=True)):
        head = head_of(at)
        size = float(head[:, 2].max()) / 1.75
        for k, frame in enumerate(frames):
            middle = (at["left_hip"][frame] + at["right_hip"][frame]) / 2

            def flat(place: np.ndarray, middle=middle, k=k, size=size) -> np.ndarray:
                way = place - middle  # seen from the front and a little from the side
                return np.array((k * wide + (way[0] - 0.45 * way[1]) / size, place[2] / size))

            def points(*names: str, at=at, frame=frame, flat=flat) -> np.ndarray:
                return np.array([flat(at[one][frame]) for one in names if one in at]).T

            thick = {"lw": 5, "solid_capstyle": "round", "solid_joinstyle": "round"}
            trunk = points("left_hip", "left_shoulder", "right_shoulder", "right_hip")
            for side, color, front in (("right", style.BONE, 1), ("left", style.GOAL, 3)):
                leg = points(*(f"{side}_{n}" for n in ("hip", "knee", "ankle", "heel", "toe")))
                arm = points(*(f"{side}_{n}" for n in ("shoulder", "elbow", "wrist")))
                for line in (leg, arm):
                    ax.plot(*line, color=color, zorder=front, **thick)
            ax.fill(*trunk, color="#dfe4ea", ec=style.QUIET, lw=1.5, zorder=2, joinstyle="round")
            ax.add_patch(
                Circle(flat(head[frame]), 0.11, fc="#dfe4ea", ec=style.QUIET, lw=1.5, zorder=2)
            )
            if row == 0:
                ax.text(k * wide, 1.98, f"{frame / fps:.1f} s", color=style.QUIET, ha="center")
        ax.axhline(0, color=style.QUIET, lw=0.8, zorder=0)
        ax.text(-1.75, 0.9, name, color=style.BONE, fontsize=13, weight="bold", va="center")
        ax.set(aspect="equal", xlim=(-1.8, wide * len(frames) - 0.35), ylim=(-0.06, 2.02))
        ax.axis("off")
    fig.subplots_adjust(0.02, 0.01, 0.99, 0.9, hspace=0.04)
    return fig


def main(folder: Path) -> None:
    """Retarget, draw, and check that limbs keep their directions."""
    folder.mkdir(parents=True, exist_ok=True)
    hero = supple.humanoid()
    walk = hero.motions["walk"]
    films, angles = {}, {}
    first = None
    for name, target in {
        "short legs": figure(0.25, 0.28),
        "long arms": figure(0.42, 0.45),
        "robot": robot(),
    }.items():
        made = supple.retarget(walk, target, up="y", onto_up="z" if name == "robot" else "y")
        if first is None:
            first = films["the humanoid"] = limbs(walk, made.source_map, "y")
        films[name] = limbs(made.motion, made.target_map, "z" if name == "robot" else "y")
        if name == "robot":
            films[name] |= feet_of(made, "z")
        apart = []
        for side in ("left", "right"):
            for a, b in map(str.split, BONES):
                x, y = (unit(at[f"{side}_{b}"] - at[f"{side}_{a}"]) for at in (first, films[name]))
                apart.append(np.degrees(np.arccos(np.clip((x * y).sum(-1), -1, 1))).mean())
        angles[name] = float(np.mean(apart))
        print(f"{name}: limbs {angles[name]:.1f} degrees off on average, scale {made.scale:.2f}")
    frames = list(range(0, len(walk), max(1, len(walk) // 7)))[:7]
    plot.save(draw(films, frames, walk.fps), folder / "retargeted.png")
    assert max(angles.values()) < 6.0, "limbs keep their directions"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
