"""Retargeting judged by an independent evaluator: clips onto robots and characters.

    python benchmarks/retarget.py PEERS [--out FOLDER] [--robots g1,t1] [--targets cmu143,imp,fair1] [--clips 02_01,...]

PEERS is a folder with `evaluate.py`, `maps/` and `data/` as its README describes: clips in `data/bvh/cmu`,
target skeletons in `data/bvh/targets`, robots in `data/robots`. Needs mujoco, on which the evaluator runs.
Robots are written as .npz at 30 frames a second, three times: as the clip is, without its first 15 frames,
and turned by 180 degrees; characters as .bvh at the clip's own rate. Frames a second are of process CPU time
from reading the robot's file and the clip to the written result.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import supple
from supple.rotations import from_axis_angle, multiply, rotate

ROBOTS = {"g1": "robots/unitree_g1/g1.xml", "t1": "robots/booster_t1/t1.xml"}
TARGETS = {"cmu143": "cmu_target", "imp": "cmu_target", "fair1": "fair1"}
COLUMNS = (
    ("skate", "skate_mean_m_s", 3),
    ("source's", "source_skate_mean_m_s", 3),
    ("in ground", "penetration_share_over_1cm_grounded", 2),
    ("float", "float_mean_m", 4),
    ("dir deg", "direction_mean_deg", 1),
    ("keypoint", "keypoint_mean_m", 3),
    ("p95", "keypoint_p95_m", 3),
    ("wrist", "wrist_mean_m", 3),
    ("hands", "hands_apart_err_mean_m", 3),
    ("limits", "limit_violations", 0),
    ("jerk p95", "jerk_rms_p95_rad_s3", 0),
    ("step", "step_max_rad", 2),
    ("self-coll", "self_collision_share_over_1cm", 2),
)


def turned(motion: supple.Motion, angle: float) -> supple.Motion:
    """A motion with y up, turned about the vertical [rad]."""
    turn, poses = from_axis_angle("y", angle), motion.poses
    q, places = np.array(poses.coordinates), np.array(poses.translations)
    q[:, :4] = multiply(turn, q[:, :4])
    places[:, 0] = rotate(turn, places[:, 0])
    return motion.with_(poses=supple.Pose(motion.skeleton, q, places))


def onto_robot(clip: Path, robot: Path, out: Path) -> tuple[supple.Retargeted, float]:
    """A clip onto a robot, from file to file; and how many frames a second of CPU time."""
    began = time.process_time()
    machine, source = supple.load(robot), supple.load(clip)
    made = supple.retarget(source, machine, fps=30)
    supple.save(machine.with_(motions={clip.stem: made.motion}), out, motion=clip.stem)
    return made, len(made.motion) / (time.process_time() - began)


def moved(made: supple.Retargeted, other: supple.Retargeted, first: int) -> float:
    """The largest difference of a joint after ten frames [rad]."""
    a, b = (
        supple.robot.qpos(one.motion.skeleton, one.motion.poses)[:, 7:] for one in (made, other)
    )
    count = min(len(a) - first, len(b))
    return float(np.abs(a[first : first + count] - b[:count])[10:].max())


def robot_row(peers: Path, judge: Any, clip: Path, name: str, out: Path) -> dict[str, float]:
    """The figures of one clip on one robot."""
    robot, file = peers / "data" / ROBOTS[name], out / f"{clip.stem}.{name}.npz"
    made, rate = onto_robot(clip, robot, file)
    maps = {"robot_map": peers / f"maps/{name}.json", "source_map": peers / "maps/cmu.json"}
    row = judge.eval_robot(
        SimpleNamespace(mjcf=str(robot), source=str(clip), traj=str(file), **maps)
    )
    machine, motion = supple.load(robot), next(iter(supple.load(clip).motions.values()))
    later = supple.retarget(motion[1 + 4 * 15 :], machine, fps=30, up="y")
    around = supple.retarget(turned(motion, np.pi), machine, fps=30, up="y")
    return {
        **row,
        "start 15": moved(made, later, 15),
        "turn 180": moved(made, around, 0),
        "fps": rate,
    }


def character_row(peers: Path, judge: Any, clip: Path, name: str, out: Path) -> dict[str, float]:
    """The figures of one clip on one character."""
    file = out / f"{clip.stem}.{name}.bvh"
    began = time.process_time()
    target = supple.load(peers / f"data/bvh/targets/{name}.bvh")
    made = supple.retarget(supple.load(clip), target)
    supple.save(target.with_(motions={clip.stem: made.motion}), file, motion=clip.stem)
    rate = len(made.motion) / (time.process_time() - began)
    maps = {
        "source_map": peers / "maps/cmu.json",
        "target_map": peers / f"maps/{TARGETS[name]}.json",
    }
    row = judge.eval_character(SimpleNamespace(source=str(clip), result=str(file), **maps))
    return {
        **row,
        "penetration_share_over_1cm_grounded": row["penetration_share_over_1cm"],
        "fps": rate,
    }


def table(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print the figures of all clips on one target, and their medians."""
    columns = [
        *COLUMNS,
        ("start 15", "start 15", 3),
        ("turn 180", "turn 180", 3),
        ("fps", "fps", 0),
    ]
    columns = [one for one in columns if any(one[1] in row for row in rows.values())]
    print(f"\n### {title}\n\n| clip | " + " | ".join(head for head, _, _ in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    values = {
        clip: [float(row.get(key, np.nan)) for _, key, _ in columns] for clip, row in rows.items()
    }
    values["**median**"] = np.nanmedian(list(values.values()), axis=0).tolist()
    for clip, row in values.items():
        cells = [
            "-" if np.isnan(v) else f"{v:.{digits}f}"
            for v, (_, _, digits) in zip(row, columns, strict=True)
        ]
        print(f"| {clip} | " + " | ".join(cells) + " |")


def main() -> None:
    """Retarget, judge, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("peers", type=Path)
    parser.add_argument("--out", type=Path, default=Path("retargeted"))
    parser.add_argument("--robots", default="g1,t1")
    parser.add_argument("--targets", default="cmu143,imp,fair1")
    parser.add_argument("--clips", default="")
    given = parser.parse_args()
    logging.getLogger("supple").setLevel(logging.ERROR)
    sys.path.insert(0, str(given.peers))
    import evaluate

    given.out.mkdir(parents=True, exist_ok=True)
    clips = sorted((given.peers / "data/bvh/cmu").glob("*.bvh"))
    clips = [clip for clip in clips if not given.clips or clip.stem in given.clips.split(",")]
    np.seterr(all="ignore")
    for name in filter(None, given.robots.split(",")):
        table(
            name,
            {clip.stem: robot_row(given.peers, evaluate, clip, name, given.out) for clip in clips},
        )
    for name in filter(None, given.targets.split(",")):
        table(
            name,
            {
                clip.stem: character_row(given.peers, evaluate, clip, name, given.out)
                for clip in clips
            },
        )


if __name__ == "__main__":
    main()
