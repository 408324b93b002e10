"""Retargeting judged by an independent evaluator: clips onto robots and characters.

    python benchmarks/retarget.py PEERS [--out FOLDER] [--robots g1,t1] [--targets cmu143,imp,fair1] [--clips 02_01,...]

PEERS is a folder with `evaluate.py`, `maps/` and `data/` as its README describes: clips in `data/bvh/cmu`,
target skeletons in `data/bvh/targets`, robots in `data/robots`. Needs mujoco, on which the evaluator runs.
Robots are written as .npz at 30 frames a second, three times: as the clip is, without its first 15 frames,
and turned by 180 degrees; characters as .bvh at the clip's own rate. Frames a second are of process CPU time
from reading the clip to the written result. A robot is read once for all clips, as `supple retarget CLIPS...`
does; a line below its table says what that takes, MuJoCo's process included, and the rate over all clips with it.
"""

from __future__ import annotations

import argparse
import logging
import resource
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


def cpu_time() -> float:
    """CPU time of this process and of those that it ran [s]."""
    ran = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ran.ru_utime + ran.ru_stime


def onto_robot(clip: Path, machine: supple.Character, out: Path) -> tuple[supple.Retargeted, float]:
    """A clip onto a robot, from file to file; and its CPU time [s]."""
    began = cpu_time()
    made = supple.retarget(supple.load(clip), machine, fps=30)
    supple.save(machine.with_(motions={clip.stem: made.motion}), out, motion=clip.stem)
    return made, cpu_time() - began


def moved(made: supple.Retargeted, other: supple.Retargeted, first: int) -> float:
    """The largest difference of a joint after ten frames [rad]."""
    a, b = (
        supple.robot.qpos(one.motion.skeleton, one.motion.poses)[:, 7:] for one in (made, other)
    )
    count = min(len(a) - first, len(b))
    return float(np.abs(a[first : first + count] - b[:count])[10:].max())


def robot_row(
    peers: Path, judge: Any, clip: Path, name: str, machine: supple.Character, out: Path
) -> dict[str, float]:
    """The figures of one clip on one robot."""
    robot, file = peers / "data" / ROBOTS[name], out / f"{clip.stem}.{name}.npz"
    made, seconds = onto_robot(clip, machine, file)
    maps = {"robot_map": peers / f"maps/{name}.json", "source_map": peers / "maps/cmu.json"}
    row = judge.eval_robot(
        SimpleNamespace(mjcf=str(robot), source=str(clip), traj=str(file), **maps)
    )
    motion = next(iter(supple.load(clip).motions.values()))
    later = supple.retarget(motion[1 + 4 * 15 :], machine, fps=30, up="y")
    around = supple.retarget(turned(motion, np.pi), machine, fps=30, up="y")
    return {
        **row,
        "start 15": moved(made, later, 15),
        "turn 180": moved(made, around, 0),
        "fps": len(made.motion) / seconds,
        "frames": len(made.motion),
        "seconds": seconds,
    }


def robot_table(peers: Path, judge: Any, clips: list[Path], name: str, out: Path) -> None:
    """Print the figures of all clips on one robot."""
    file = peers / "data" / ROBOTS[name]
    onto_robot(
        clips[0], supple.load(file), out / "first.npz"
    )  # modules are imported, kernels loaded
    began = cpu_time()
    machine = supple.load(file)
    reading = cpu_time() - began
    rows = {clip.stem: robot_row(peers, judge, clip, name, machine, out) for clip in clips}
    table(name, rows)
    frames, seconds = (sum(row[key] for row in rows.values()) for key in ("frames", "seconds"))
    print(
        f"\nThe robot's file takes {reading:.2f} s; all clips {frames / seconds:.0f} frames a second, "
        f"with the file {frames / (seconds + reading):.0f}."
    )


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
    parser.add_argument("--out", type=Path, default=Path("build/retargeted"))
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
        robot_table(given.peers, evaluate, clips, name, given.out)
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
