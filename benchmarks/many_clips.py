"""Memory over many clips: python benchmarks/many_clips.py [--clips 10000] [--jobs 2].

Tiny clips go through a plan with a cheap step. Prints the resident memory of this process and of its workers as clips
end, the processor time that this process takes for each clip, which is what workers have to wait for, and what a
second run takes that finds all of them done.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np

import supple
from supple.clips import Plan, PlanOnClip, run
from supple.clips.steps import Limit
from supple.model.skeleton import Pose

FRAMES = 4


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
    rows = np.tile(skeleton.rest.coordinates, (FRAMES, 1))
    supple.save(supple.Motion("clip", Pose(skeleton, rows), fps=30), folder / "clip.bvh")
    head, _, _ = (folder / "clip.bvh").read_text().partition("Frame Time")
    (folder / "clip.bvh").unlink()
    columns = head.count("rotation") + head.count("position")
    for k in range(count):
        lines = "\n".join(
            " ".join(f"{x:.3f}" for x in rng.normal(size=columns)) for _ in range(FRAMES)
        )
        (folder / f"{k:05}.bvh").write_text(f"{head}Frame Time: 0.033333\n{lines}\n")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--clips", type=int, default=10_000)
    words.add_argument("--jobs", type=int, default=2)
    given = words.parse_args()
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


if __name__ == "__main__":
    main()
