"""How fast a BVH is read, beside pybvh in the same run, and how much memory a large one takes.

pybvh is no dependency: where it cannot be imported only our own figures are shown. It keeps angles
as they are; `supple.load` also makes quaternions of them and checks everything.

    python benchmarks/bvh.py
    PYTHONPATH=/tmp/other python benchmarks/bvh.py --megabytes 100
    python benchmarks/bvh.py clip.bvh another.bvh
"""

from __future__ import annotations

import argparse
import importlib
import logging
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import supple

JOINTS, FPS = 60, 100


def clip(path: Path, megabytes: float) -> None:
    """A figure of sixty joints that moves at random, so many megabytes of it."""
    rng = np.random.default_rng(3)
    lines = ["HIERARCHY"]
    for j in range(JOINTS):
        kind = "JOINT" if j else "ROOT"
        places = "6 Xposition Yposition Zposition" if j == 0 else "3"
        lines += [f"{kind} joint{j}", "{", "OFFSET 0 5 0",
                  f"CHANNELS {places} Yrotation Xrotation Zrotation"]  # fmt: skip
    lines += ["End Site", "{", "OFFSET 0 5 0", "}", *["}"] * JOINTS]
    width = 3 * JOINTS + 3
    rows = [" ".join(f"{x:.6f}" for x in row) for row in rng.uniform(-180, 180, (500, width))]
    count = max(1, int(megabytes * 1e6 / len(rows[0])))
    lines += ["MOTION", f"Frames: {count}", f"Frame Time: {1 / FPS:.6f}"]
    with path.open("w") as file:
        file.write("\n".join(lines) + "\n")
        for k in range(count):
            file.write(rows[k % len(rows)] + "\n")


def median(call: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="BVH files; default: one made here")
    parser.add_argument("--megabytes", type=float, default=20.0)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    logging.getLogger("supple").setLevel(logging.ERROR)
    try:
        other = importlib.import_module("pybvh").read_bvh_file
    except ImportError:
        other = None
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            files = [Path(folder) / "made.bvh"]
            clip(files[0], options.megabytes)
            small = Path(folder) / "small.bvh"
            clip(small, 0.1)
            supple.load(small)  # kernels are compiled
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        total = [0.0, 0.0, 0.0]
        for path in files:
            motion = next(iter(supple.load(path).motions.values()))
            added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
            channels = len(motion) * (3 * JOINTS + 3) * 8 / 1e6
            del motion
            size = path.stat().st_size / 1e6
            ours = median(lambda path=path: supple.load(path), options.repeat)
            line = f"{path.name:<40} {size:8.2f} MB  supple {size / ours:7.1f} MB/s"
            theirs = None
            if other is not None:
                try:
                    theirs = median(lambda path=path: other(path), options.repeat)
                    line += f"  pybvh {size / theirs:7.1f} MB/s  x{theirs / ours:.2f}"
                except Exception as error:  # whatever it raises, it does not read the file
                    line += f"  pybvh refuses it ({type(error).__name__})"
            print(line)
            if theirs is not None:
                total = [total[0] + size, total[1] + ours, total[2] + theirs]
        if len(files) > 1 and total[2]:
            print(f"{'all that both read':<40} {total[0]:8.2f} MB  supple {total[0] / total[1]:7.1f} "
                  f"MB/s  pybvh {total[0] / total[2]:7.1f} MB/s  x{total[2] / total[1]:.2f}")  # fmt: skip
        if not options.files:
            print(
                f"memory: {added:.0f} MB for channels of {channels:.0f} MB, x{added / channels:.2f}"
            )


if __name__ == "__main__":
    main()
