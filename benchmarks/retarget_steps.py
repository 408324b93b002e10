"""Retargeting many clips onto many robots: sudden joint steps, ground, limb directions, and whether they are said.

    python benchmarks/retarget_steps.py --clips CLIP.bvh FOLDER ... --robots ROBOT.xml ... [--fps 30] [--each]

Every clip goes onto every robot. Counted for each robot:

- `pops`: frames with a joint step over 1 rad while no joint of the source turns by that much, and the clips that have
  them; `named`: how many of those clips say so in `Retargeted.notes`.
- `below`: the deepest point of a solid shape below the ground (height 0) [cm], median over clips and worst.
- `dir`: mean angle between the limbs (upper arms, forearms, thighs, shins) of source and robot [deg], median and worst.
- `skate`: mean horizontal speed of soles that stand, by `Retargeted.contacts` [m/s], median over clips.
- frames a second of process CPU time, retargeting alone.

A clip or robot that is refused is listed with the reason. `--each` prints a line a clip.
"""

from __future__ import annotations

import argparse
import logging
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import supple
from supple.apps.motion.retargeting.body import Body, unit
from supple.bodies.convex import surface_points
from supple.rotations import angle_between, rotate

LARGEST_STEP_RAD = 1.0
LIMBS = (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))


@dataclass(frozen=True)
class Row:
    """The figures of one clip on one robot."""

    frames: int
    pops: int
    named: bool
    largest_step: float
    below: float
    direction: float
    skate: float
    seconds: float


def source_steps(motion: supple.Motion, rows: np.ndarray) -> np.ndarray:
    """The largest turn of a joint between frames of the source, (F - 1,) [rad]."""
    turns = motion.poses[rows].local_rotations[:, : len(motion.skeleton.joint_names)]
    return angle_between(turns[1:], turns[:-1]).max(axis=1)


def lowest(poses: supple.Pose, up: np.ndarray) -> np.ndarray:
    """The height of the lowest point of all solid shapes in each frame, (F,)."""
    skeleton, out = poses.skeleton, np.full(len(poses.coordinates), np.inf)
    for geom in skeleton.geoms:
        if geom.kind == "plane" or not (geom.contype or geom.conaffinity):
            continue
        if not skeleton.path(None, geom.joint):
            continue
        j, local = skeleton.index(geom.joint), surface_points(geom)
        axes = rotate(supple.rotations.conjugate(poses.rotations[:, j]), up)
        out = np.minimum(out, (axes @ local.T).min(axis=1) + poses.positions[:, j] @ up)
    return out


def judged(source: supple.Character, made: supple.Retargeted, seconds: float) -> Row:
    """The figures of a result."""
    motion = next(iter(source.motions.values()))
    rows = made.source_frames
    if (rows < 0).any():
        motion = motion.resampled(made.motion.fps)
        rows = np.arange(min(len(motion), len(made.motion)))
    poses, target = made.motion.poses[: len(rows)], made.motion.skeleton
    steps = np.abs(np.diff(supple.robot.qpos(target, poses)[:, 7:], axis=0)).max(
        axis=1, initial=0.0
    )
    pops = (steps > LARGEST_STEP_RAD) & (source_steps(motion, rows) <= LARGEST_STEP_RAD)
    bodies = (
        Body(motion.skeleton, made.source_map, source.up or "y", motion.poses),
        Body(target, made.target_map, "z"),
    )
    places = [
        body.places(body.frames(p))
        for body, p in zip(bodies, (motion.poses[rows], poses), strict=True)
    ]
    angles = []
    for side in ("left", "right"):
        for a, b in LIMBS:
            if all(f"{side}_{n}" in at for n in (a, b) for at in places):
                one, two = (unit(at[f"{side}_{b}"] - at[f"{side}_{a}"]) for at in places)
                angles.append(np.degrees(np.arccos(np.clip((one * two).sum(-1), -1.0, 1.0))))
    slides = []
    for side, sole in bodies[1].soles.items():
        ankle = made.source_map[f"{side}_foot"][-1]
        if ankle not in made.contacts.joints:
            continue
        flags = made.contacts.flags(ankle)
        first = made.source_frames.min() if (made.source_frames >= 0).all() else 0
        stands = flags[np.clip(rows - first, 0, len(flags) - 1)]
        j = bodies[1].carrier(f"{side}_foot")
        rear = poses.positions[:, j] + rotate(poses.rotations[:, j], sole.rear)
        speed = np.linalg.norm(np.diff(rear[:, :2], axis=0), axis=1) * made.motion.fps
        slides.append(speed[stands[1:] & stands[:-1]])
    slid = np.concatenate(slides) if slides else np.zeros(0)
    said = any(
        "rad in one frame" in str(note.text if hasattr(note, "text") else note)
        for note in made.notes
    )
    return Row(
        len(rows), int(pops.sum()), said, float(steps.max(initial=0.0)),
        max(0.0, -100.0 * float(lowest(poses, np.array((0.0, 0.0, 1.0))).min())),
        float(np.mean(angles)) if angles else float("nan"),
        float(slid.mean()) if len(slid) else float("nan"), seconds,
    )  # fmt: skip


def files(given: list[Path], pattern: str) -> list[Path]:
    """Files, and those in folders, each content once."""
    found = [f for one in given for f in (sorted(one.rglob(pattern)) if one.is_dir() else [one])]
    seen: dict[bytes, Path] = {}
    for file in found:
        seen.setdefault(file.read_bytes(), file)
    return list(seen.values())


HEADS = (
    "robot", "clips", "frames", "clips with pops", "named", "frames with pops", "step", "below", "worst", "dir",
    "worst", "skate", "fps",
)  # fmt: skip


def read(given: list[Path]) -> dict[str, supple.Character]:
    """Clips whose bodies are recognized, by name."""
    clips = {}
    for file in files(given, "*.bvh"):
        try:
            loaded = supple.load(file)
            motion = next(iter(loaded.motions.values()))
            supple.BodyMap.recognize(motion.skeleton, up=loaded.up or "y", poses=motion.poses)
            clips[file.stem] = loaded
        except (supple.SuppleError, StopIteration) as error:
            print(f"clip {file.stem} left out: {str(error)[:90]}")
    return clips


def onto(robot: Path, clips: dict[str, supple.Character], fps: float, *, each: bool) -> list[Row]:
    """The figures of all clips on a robot; none if it is refused."""
    machine, rows = supple.load(robot), []
    for name, loaded in clips.items():
        try:
            began = time.process_time()
            made = supple.retarget(loaded, machine, fps=fps)
            seconds = time.process_time() - began
        except supple.SuppleError as error:
            print(f"{robot.stem} {name} refused: {str(error)[:160]}")
            if not rows:
                return []
            continue
        row = judged(loaded, made, seconds)
        rows.append(row)
        if each:
            print(
                f"  {robot.stem} {name}: {row.frames} frames, {row.pops} pops, step {row.largest_step:.2f}, "
                f"below {row.below:.1f}, dir {row.direction:.1f}, skate {row.skate:.3f}, "
                f"{row.frames / row.seconds:.0f} fps"
            )
    return rows


def line(robot: Path, rows: list[Row]) -> str:
    """One line of the table."""
    popping = [row for row in rows if row.pops]
    below, direction, skate = (
        np.array([getattr(row, key) for row in rows]) for key in ("below", "direction", "skate")
    )
    frames = sum(row.frames for row in rows)
    cells = [
        robot.stem, len(rows), frames, len(popping), sum(row.named for row in popping), sum(row.pops for row in rows),
        f"{max(row.largest_step for row in rows):.2f}", f"{np.median(below):.2f}", f"{below.max():.1f}",
        f"{np.median(direction):.2f}", f"{direction.max():.1f}", f"{np.nanmedian(skate):.4f}",
        f"{frames / sum(row.seconds for row in rows):.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Retarget, judge, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=Path, nargs="+", required=True)
    parser.add_argument("--robots", type=Path, nargs="+", required=True)
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--each", action="store_true")
    given = parser.parse_args()
    logging.getLogger("supple").setLevel(logging.ERROR)
    clips = read(given.clips)
    print(f"{len(clips)} clips\n\n| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    for robot in given.robots:
        rows = onto(robot, clips, given.fps, each=given.each)
        if rows:
            print(line(robot, rows), flush=True)


if __name__ == "__main__":
    main()
