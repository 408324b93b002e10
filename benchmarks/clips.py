"""Clips: what it costs to correct one, to plant the feet of some, and to hand many thousands to workers.

    python benchmarks/clips.py correct
    python benchmarks/clips.py plant [--clips N] [--jobs 1 2]
    python benchmarks/clips.py many [--clips 10000] [--jobs 2]

Each part has arguments of its own: `PART --help`.
"""

from __future__ import annotations

import cProfile
import logging
import multiprocessing
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from measuring import median, parser, run_part

import supple
from supple import Ball, Cone, Hinge, Motion, Node, Reach, Skeleton, Tip, Window
from supple.apps.clips import Plan, PlanOnClip, run
from supple.apps.clips.steps import Limit, Plant
from supple.model.skeleton import Pose
from supple.rotations import from_rotation_vector

# Correcting ----------------------------------------------------------------------------------------

CLIP_FRAMES, CLIP_FPS, TIMED_RUNS = 1000, 60, 15


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


def figure_clip(skeleton: Skeleton) -> Motion:
    """It walks and swings its arms inside its limits."""
    t = np.arange(CLIP_FRAMES) / CLIP_FPS
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
    places = np.tile(skeleton.offsets, (CLIP_FRAMES, 1, 1))
    places[:, 0, 2] = t
    return Motion("walk", supple.Pose(skeleton, poses.coordinates, places), fps=CLIP_FPS)


def warm_median(call: Callable[[], object]) -> float:
    """The median time of some calls after one that does not count [s]."""
    call()
    return median(call, TIMED_RUNS)


def correct(arguments: Sequence[str] | None = None) -> int:
    """What it costs to correct a clip, against reading and writing it as BVH, in the same run.

    A clip of 1,000 frames of a figure of 65 joints; one hand follows a moving target, joint limits on, the arm from
    the shoulder down may move.
    """
    parser(correct.__doc__, "correct").parse_args(arguments)
    logging.getLogger("supple").setLevel(logging.ERROR)
    skeleton = figure()
    motion = figure_clip(skeleton)
    t = motion.times
    around = np.stack([0.1 * np.sin(2 * t), 0.1 * np.cos(3 * t), 0.05 * np.sin(t)], axis=1)
    target = motion.poses.position("left arm") + (0.3, 0.05, 0.3) + around
    goals = [Reach("left hand", target, root="left clavicle")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        supple.save(motion, path)
        character = supple.load(path)
        read = warm_median(lambda: supple.load(path))
        write = warm_median(lambda: supple.save(character, Path(folder) / "again.bvh"))
        whole = warm_median(lambda: supple.correct(motion, goals))
        part = warm_median(lambda: supple.correct(motion, goals, window=Window(2, 14)))
        coherent = warm_median(
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
    return 0


# Planting ------------------------------------------------------------------------------------------

WALK_JOINTS = 65


def walking_clip() -> supple.Motion:
    """The walk that comes along, going on, with fingers up to 65 joints."""
    walk = supple.humanoid().motion("walk")
    old = walk.skeleton
    joints = {name: supple.Ball() for name in old.joint_names if old.parent(name) is not None}
    nodes = list(old.with_joints(joints).nodes)
    fingers = WALK_JOINTS - len(nodes)
    for k in range(fingers):
        side = "LR"[k % 2]
        below = f"hand.{side}" if k < 10 else f"finger {k - 10}"
        nodes.append(supple.Node(f"finger {k}", below, (0.0, -0.03, 0.005 * (k % 10))))
    skeleton = supple.Skeleton(nodes)
    whole = walk.on(skeleton)
    rows = np.arange(CLIP_FRAMES) % len(whole)
    rng = np.random.default_rng(0)
    places = np.array(whole.poses._full_translations())[rows]
    # The walk is in place: go on as fast as the lower foot goes back, and a little off, so that it slides.
    feet = np.stack([whole.poses.position(name) for name in ("foot.L", "foot.R")], axis=1)
    lower = np.argmin(feet[..., 1], axis=1)
    steps = np.diff(np.concatenate([feet, feet[:1]]), axis=0)[np.arange(len(feet)), lower]
    drift = np.cumsum(-steps[rows] * [1, 0, 1], axis=0)
    drift += np.cumsum(rng.normal(scale=1e-3, size=(CLIP_FRAMES, 3)), axis=0) * [1, 0, 1]
    places[:, skeleton.parents < 0] += drift[:, None]
    poses = Pose(skeleton, whole.poses.coordinates[rows], places)
    return supple.Motion("walk", poses, fps=30)


def plant(arguments: Sequence[str] | None = None) -> int:
    """Foot-planting with reading and writing, over many clips.

    A clip of 65 joints and 1,000 frames, made from the walk that comes along with fingers added, is planted N times
    over by `supple.clips`, with one worker and with two, and by the command line: frames a second.
    """
    words = parser(plant.__doc__, "plant")
    words.add_argument("--clips", type=int, default=40)
    words.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--profile", action="store_true")
    given = words.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    work = PlanOnClip(Plan(steps=(Plant(),), up="y"))
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        supple.save(walking_clip(), folder / "clip.bvh")
        content = (folder / "clip.bvh").read_bytes()
        (folder / "clips").mkdir()
        for k in range(given.clips):
            (folder / "clips" / f"{k:05}.bvh").write_bytes(content)
        print(f"{len(content) / 1e6:.2f} MB a clip, {CLIP_FRAMES} frames, {WALK_JOINTS} joints")
        work(folder / "clip.bvh", folder / "warm.bvh")
        begun, used = time.perf_counter(), time.process_time()
        for _ in range(5):
            done = work(folder / "clip.bvh", folder / "warm.bvh")
        took, used = time.perf_counter() - begun, time.process_time() - used
        frames = 5 * CLIP_FRAMES
        print(f"in this process: {frames / took:.0f} frames a second, {frames / used:.0f} a second of "
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
                rate = (len(times) - jobs) * CLIP_FRAMES / (times[-1] - times[jobs - 1])
                rounds[jobs].append(rate)
                own = time.process_time() - used if jobs > 1 else 0.0
                print(f"{jobs} workers: {rate:.0f} frames a second; {times[-1]:.1f} s with starting them; this "
                      f"process took {1e3 * own / len(pairs):.1f} ms of processor time a clip")  # fmt: skip
        if {1, 2} <= rounds.keys():
            print(
                f"two workers over one, medians: {np.median(rounds[2]) / np.median(rounds[1]):.2f}"
            )
        command = [sys.executable, "-m", "supple.apps.cli", "correct", str(folder / "clips" / "*.bvh"),
                   "--plant-feet", "--jobs", "1", "--out-dir", str(folder / "by-command")]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        frames = given.clips * CLIP_FRAMES
        print(f"supple correct, all of it: {frames / took:.0f} frames a second, {frames / used:.0f} a second of "
              "processor time")  # fmt: skip
    return 0


# Many clips ----------------------------------------------------------------------------------------

TINY_FRAMES = 4


def resident(pid: int | str) -> float:
    """Resident memory of a process [MB]; 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in text.splitlines() if line.startswith("VmRSS")), "VmRSS: 0")
    return int(line.split()[1]) / 1024


def write_clips(folder: Path, count: int) -> None:
    """Clips of a chain of three joints, each of its own."""
    skeleton = supple.chain([1.0, 1.0, 1.0])
    rng = np.random.default_rng(0)
    rows = np.tile(skeleton.rest.coordinates, (TINY_FRAMES, 1))
    supple.save(supple.Motion("clip", Pose(skeleton, rows), fps=30), folder / "clip.bvh")
    head, _, _ = (folder / "clip.bvh").read_text().partition("Frame Time")
    (folder / "clip.bvh").unlink()
    columns = head.count("rotation") + head.count("position")
    for k in range(count):
        lines = "\n".join(
            " ".join(f"{x:.3f}" for x in rng.normal(size=columns)) for _ in range(TINY_FRAMES)
        )
        (folder / f"{k:05}.bvh").write_text(f"{head}Frame Time: 0.033333\n{lines}\n")


def many(arguments: Sequence[str] | None = None) -> int:
    """Memory over many clips.

    Tiny clips go through a plan with a cheap step. Prints the resident memory of this process and of its workers as
    clips end, the processor time that this process takes for each clip, which is what workers have to wait for, and
    what a second run takes that finds all of them done.
    """
    words = parser(many.__doc__, "many")
    words.add_argument("--clips", type=int, default=10_000)
    words.add_argument("--jobs", type=int, default=2)
    given = words.parse_args(arguments)
    work = PlanOnClip(Plan(steps=(Limit(),), up="y"))
    with tempfile.TemporaryDirectory() as home:
        clips, out = Path(home) / "clips", Path(home) / "out"
        clips.mkdir()
        out.mkdir()
        write_clips(clips, given.clips)
        pairs = [(path, out / path.name) for path in sorted(clips.iterdir())]
        print("clips | this process [MB] | workers [MB]")
        begun, used = time.perf_counter(), time.process_time()
        state = run(work, pairs, out, jobs=given.jobs)
        for k, _ in enumerate(state, 1):
            if k % (given.clips // 10) == 0 or k == given.clips // 100:
                sizes = sorted(resident(one.pid or 0) for one in multiprocessing.active_children())
                print(f"{k} | {resident('self'):.0f} | {', '.join(f'{one:.0f}' for one in sizes)}")
        took, used = time.perf_counter() - begun, time.process_time() - used
        print(f"{given.clips / took:.0f} clips a second, {len(state.failed)} failed; this process "
              f"takes {1e3 * used / given.clips:.2f} ms of processor time a clip")  # fmt: skip
        begun, used = time.perf_counter(), time.process_time()
        again = run(work, pairs, out, jobs=given.jobs)
        for _ in again:
            pass
        took, used = time.perf_counter() - begun, time.process_time() - used
        print(
            f"again: {again.again} done before, {took:.1f} s, {1e3 * used / given.clips:.2f} ms a clip"
        )
    return 0


PARTS = {"correct": correct, "plant": plant, "many": many}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
