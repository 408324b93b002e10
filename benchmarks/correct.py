"""What it costs to correct a clip, against reading and writing it as BVH, in the same run.

A clip of 1,000 frames of a figure of 65 joints; one hand follows a moving target, joint limits on,
the arm from the shoulder down may move.

    python benchmarks/correct.py
"""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import supple
from supple import Ball, Cone, Hinge, Motion, Node, Reach, Skeleton, Tip, Window
from supple.rotations import from_rotation_vector

FRAMES, FPS, REPEAT = 1000, 60, 15


def figure() -> Skeleton:
    """A body with two arms, two legs and hands of five fingers: 65 joints."""
    nodes = [Node("hips", None, (0, 1, 0)), Node("spine", "hips", (0, 0.2, 0)),
             Node("chest", "spine", (0, 0.2, 0)), Node("neck", "chest", (0, 0.2, 0)),
             Node("head", "neck", (0, 0.1, 0))]  # fmt: skip
    tips = [Tip("top", "head", (0, 0.2, 0))]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        nodes += [
            Node(f"{side} clavicle", "chest", (0.05 * sign, 0.15, 0), Cone(0.6)),
            Node(f"{side} arm", f"{side} clavicle", (0.15 * sign, 0, 0), Cone(2.2, (-1.5, 1.5))),
            Node(f"{side} elbow", f"{side} arm", (0.3 * sign, 0, 0),
                 Hinge((0, -sign, 0), limits=(0, 2.6))),
            Node(f"{side} hand", f"{side} elbow", (0.28 * sign, 0, 0), Cone(1.2, axis=(sign, 0, 0))),
            Node(f"{side} thigh", "hips", (0.1 * sign, 0, 0), Ball()),
            Node(f"{side} knee", f"{side} thigh", (0, -0.45, 0), Hinge("x", limits=(0, 2.6))),
            Node(f"{side} foot", f"{side} knee", (0, -0.45, 0), Ball()),
            Node(f"{side} toe", f"{side} foot", (0, -0.05, 0.15), Ball()),
        ]  # fmt: skip
        for finger in range(5):
            above = f"{side} hand"
            for part in range(4):
                name = f"{side} finger {finger}.{part}"
                place = (0.08 * sign if part == 0 else 0.03 * sign, 0, 0.02 * (finger - 2))
                nodes.append(Node(name, above, place if part == 0 else (0.03 * sign, 0, 0)))
                above = name
            tips.append(Tip(f"{side} fingertip {finger}", above, (0.02 * sign, 0, 0)))
    nodes += [
        Node(f"tail {k}", "hips" if k == 0 else f"tail {k - 1}", (0, 0, -0.1)) for k in range(4)
    ]
    return Skeleton(nodes, tips)


def clip(skeleton: Skeleton) -> Motion:
    """It walks and swings its arms inside its limits."""
    t = np.arange(FRAMES) / FPS
    rng = np.random.default_rng(5)
    values: dict[str, np.ndarray] = {}
    for name, joint in zip(skeleton.joint_names, skeleton.joints, strict=True):
        wave = np.sin(2 * np.pi * (rng.uniform(0.2, 1.0) * t + rng.uniform()))
        if isinstance(joint, Hinge):
            values[name] = 0.8 + 0.4 * wave
        else:
            axis = rng.normal(size=3)
            values[name] = from_rotation_vector(0.25 * wave[:, None] * axis / np.linalg.norm(axis))
    poses = skeleton.rest.with_(values)
    places = np.tile(skeleton.offsets, (FRAMES, 1, 1))
    places[:, 0, 2] = t
    return Motion("walk", supple.Pose(skeleton, poses.coordinates, places), fps=FPS)


def median(call: Callable[[], object]) -> float:
    call()
    times = []
    for _ in range(REPEAT):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main() -> None:
    logging.getLogger("supple").setLevel(logging.ERROR)
    skeleton = figure()
    motion = clip(skeleton)
    t = motion.times
    around = np.stack([0.1 * np.sin(2 * t), 0.1 * np.cos(3 * t), 0.05 * np.sin(t)], axis=1)
    target = motion.poses.position("left arm") + (0.3, 0.05, 0.3) + around
    goals = [Reach("left hand", target, root="left clavicle")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        supple.save(motion, path)
        character = supple.load(path)
        read = median(lambda: supple.load(path))
        write = median(lambda: supple.save(character, Path(folder) / "again.bvh"))
        whole = median(lambda: supple.correct(motion, goals))
        part = median(lambda: supple.correct(motion, goals, window=Window(2, 14)))
        coherent = median(
            lambda: supple.correct(motion, goals, window=Window(2, 14), coherent=True)
        )
    found = supple.correct(motion, goals, window=Window(2, 14))
    print(f"{len(skeleton)} joints, {len(motion)} frames; {found.reason}")
    print(f"largest error {np.nanmax(found.error):.2e}; {len(found.seams)} seams, "
          f"{sum(seam.spread for seam in found.seams)} spread, "
          f"at most {found.speed:.2f} rad/s added")  # fmt: skip
    print(f"reading {1e3 * read:.1f} ms, writing {1e3 * write:.1f} ms")
    for what, seconds in (("all frames", whole), ("a window", part), ("coherent", coherent)):
        print(f"correcting, {what}: {1e3 * seconds:.1f} ms, "
              f"x{seconds / (read + write):.2f} of reading and writing")  # fmt: skip


if __name__ == "__main__":
    main()
