"""One motion on three bodies: a film strip.

A clip of the humanoid is brought to a figure with short legs, to one with long arms in a T-pose, and to a
robot of hinges whose feet are boxes. Arms and legs keep their directions, whatever the bodies' sizes and rest
poses.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import Character, Free, Geom, Hinge, Node, Skeleton, plot
from supple.motion.retargeting.body import Body, unit
from supple.plot import style
from supple.plot.figures import headline, styled

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


@styled
def draw(films: dict[str, dict[str, np.ndarray]], frames: list[int]) -> Figure:
    """A row of poses for each body."""
    fig = Figure(figsize=(12, 8))
    headline(
        fig,
        "One motion, four bodies",
        "Left limbs orange, right limbs dark; the same frames in every row",
    )
    for ax, (name, at) in zip(fig.subplots(len(films), 1), films.items(), strict=True):
        size = np.ptp(at["left_hip"][0] - at["left_ankle"][0]) * 1.1
        for k, frame in enumerate(frames):
            middle = (at["left_hip"][frame] + at["right_hip"][frame]) / 2

            def flat(name: str, at=at, frame=frame, middle=middle, k=k, size=size) -> np.ndarray:
                way = at[name][frame] - middle
                return np.array(
                    (k * 1.6 + (way[0] - 0.45 * way[1]) / size, at[name][frame][2] / size)
                )

            for side, color in (("left", style.GOAL), ("right", style.BONE)):
                for chain in (("hip", "knee", "ankle", "toe"), ("shoulder", "elbow", "wrist")):
                    line = np.array(
                        [flat(f"{side}_{name}") for name in chain if f"{side}_{name}" in at]
                    )
                    ax.plot(*line.T, color=color, lw=2.2, marker="o", ms=3)
            trunk = [
                (flat("left_" + name) + flat("right_" + name)) / 2 for name in ("hip", "shoulder")
            ]
            ax.plot(
                *np.transpose(
                    [
                        flat("left_hip"),
                        flat("right_hip"),
                        trunk[0],
                        trunk[1],
                        flat("left_shoulder"),
                        flat("right_shoulder"),
                    ]
                ),
                color=style.QUIET,
                lw=2,
            )
        ax.axhline(0, color=style.QUIET, lw=0.8)
        ax.set(aspect="equal", xlim=(-1, 1.6 * len(frames) - 0.6), ylim=(-0.05, 2.1))
        ax.set_title(name, loc="left", color=style.QUIET)
        ax.axis("off")
    fig.subplots_adjust(0.02, 0.02, 0.98, 0.88, hspace=0.15)
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
            first = films["the humanoid's walk"] = limbs(walk, made.source_map, "y")
        films[name] = limbs(made.motion, made.target_map, "z" if name == "robot" else "y")
        apart = []
        for side in ("left", "right"):
            for a, b in map(str.split, BONES):
                x, y = (unit(at[f"{side}_{b}"] - at[f"{side}_{a}"]) for at in (first, films[name]))
                apart.append(np.degrees(np.arccos(np.clip((x * y).sum(-1), -1, 1))).mean())
        angles[name] = float(np.mean(apart))
        print(f"{name}: limbs {angles[name]:.1f} degrees off on average, scale {made.scale:.2f}")
    frames = list(range(0, len(walk), max(1, len(walk) // 7)))[:7]
    plot.save(draw(films, frames), folder / "retargeted.png")
    assert max(angles.values()) < 6.0, "limbs keep their directions"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
