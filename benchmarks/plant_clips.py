"""Foot-planting with reading and writing: python benchmarks/plant_clips.py [--clips N] [--jobs 1 2].

A clip of 65 joints and 1,000 frames, made from the walk that comes along with fingers added, is planted N times over
by `supple.clips`, with one worker and with two, and by the command line: frames a second.
"""

from __future__ import annotations

import argparse
import cProfile
import logging
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import supple
from supple.clips import Plan, PlanOnClip, run
from supple.clips.steps import Plant
from supple.model.skeleton import Pose

FRAMES, JOINTS = 1000, 65


def clip() -> supple.Motion:
    """The walk that comes along, going on, with fingers up to 65 joints."""
    walk = supple.humanoid().motion("walk")
    old = walk.skeleton
    joints = {name: supple.Ball() for name in old.joint_names if old.parent(name) is not None}
    nodes = list(old.with_joints(joints).nodes)
    fingers = JOINTS - len(nodes)
    for k in range(fingers):
        side = "LR"[k % 2]
        below = f"hand.{side}" if k < 10 else f"finger {k - 10}"
        nodes.append(supple.Node(f"finger {k}", below, (0.0, -0.03, 0.005 * (k % 10))))
    skeleton = supple.Skeleton(nodes)
    whole = walk.on(skeleton)
    rows = np.arange(FRAMES) % len(whole)
    rng = np.random.default_rng(0)
    places = np.array(whole.poses._full_translations())[rows]
    # The walk is in place: go on as fast as the lower foot goes back, and a little off, so that it slides.
    feet = np.stack([whole.poses.position(name) for name in ("foot.L", "foot.R")], axis=1)
    lower = np.argmin(feet[..., 1], axis=1)
    steps = np.diff(np.concatenate([feet, feet[:1]]), axis=0)[np.arange(len(feet)), lower]
    drift = np.cumsum(-steps[rows] * [1, 0, 1], axis=0)
    drift += np.cumsum(rng.normal(scale=1e-3, size=(FRAMES, 3)), axis=0) * [1, 0, 1]
    places[:, skeleton.parents < 0] += drift[:, None]
    poses = Pose(skeleton, whole.poses.coordinates[rows], places)
    return supple.Motion("walk", poses, fps=30)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--clips", type=int, default=40)
    words.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--profile", action="store_true")
    given = words.parse_args()
    logging.disable(logging.CRITICAL)
    work = PlanOnClip(Plan(steps=(Plant(),), up="y"))
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        supple.save(clip(), folder / "clip.bvh")
        content = (folder / "clip.bvh").read_bytes()
        (folder / "clips").mkdir()
        for k in range(given.clips):
            (folder / "clips" / f"{k:05}.bvh").write_bytes(content)
        print(f"{len(content) / 1e6:.2f} MB a clip, {FRAMES} frames, {JOINTS} joints")
        work(folder / "clip.bvh", folder / "warm.bvh")
        begun, used = time.perf_counter(), time.process_time()
        for _ in range(5):
            done = work(folder / "clip.bvh", folder / "warm.bvh")
        took, used = time.perf_counter() - begun, time.process_time() - used
        print(f"in this process: {5 * FRAMES / took:.0f} frames a second, {5 * FRAMES / used:.0f} a second of "
              f"processor time; {done.text}")  # fmt: skip
        if given.profile:
            profile = cProfile.Profile()
            profile.runcall(work, folder / "clip.bvh", folder / "warm.bvh")
            pstats.Stats(profile).sort_stats("tottime").print_stats(18)
        rounds: dict[int, list[float]] = {jobs: [] for jobs in given.jobs}
        # In turns, so that what else the machine does befalls all of them.
        for turn in range(given.rounds):
            for jobs in given.jobs:
                out = folder / f"out-{jobs}-{turn}"
                out.mkdir()
                pairs = [(path, out / path.name) for path in sorted((folder / "clips").iterdir())]
                begun, used = time.perf_counter(), time.process_time()
                times = [time.perf_counter() - begun for _ in run(work, pairs, out, jobs=jobs)]
                # From the first results on: starting processes is not what is measured.
                rate = (len(times) - jobs) * FRAMES / (times[-1] - times[jobs - 1])
                rounds[jobs].append(rate)
                own = time.process_time() - used if jobs > 1 else 0.0
                print(f"{jobs} workers: {rate:.0f} frames a second; {times[-1]:.1f} s with starting them; this "
                      f"process took {1e3 * own / len(pairs):.1f} ms of processor time a clip")  # fmt: skip
        if {1, 2} <= rounds.keys():
            print(
                f"two workers over one, medians: {np.median(rounds[2]) / np.median(rounds[1]):.2f}"
            )
        command = [sys.executable, "-m", "supple.cli", "correct", str(folder / "clips" / "*.bvh"),
                   "--plant-feet", "--jobs", "1", "--out-dir", str(folder / "by-command")]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        frames = given.clips * FRAMES
        print(f"supple correct, all of it: {frames / took:.0f} frames a second, {frames / used:.0f} a second of "
              "processor time")  # fmt: skip


if __name__ == "__main__":
    main()
