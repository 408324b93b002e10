"""How fast a GLB with many skins loads, beside pygltflib in the same run.

pygltflib only reads the JSON into its classes and the buffer into bytes; `supple.load` also decodes
and checks every accessor, and builds the skeleton, skins, meshes and motions. pygltflib is no
dependency: give the interpreter of an environment that has it.

    python benchmarks/gltf.py
    python benchmarks/gltf.py --baseline /tmp/other/bin/python
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import supple
from supple.model.character import Character
from supple.model.mesh import Mesh, Skin
from supple.model.motion import Motion

WANTED = 5.0  # times faster than the baseline

BASELINE = """
import statistics, sys, time
from pygltflib import GLTF2
times = []
for _ in range(int(sys.argv[2])):
    begun = time.perf_counter()
    GLTF2().load(sys.argv[1])
    times.append(time.perf_counter() - begun)
print(statistics.median(times))
"""


def many_skins(skins: int, joints: int, vertices: int, frames: int) -> Character:
    """A crowd: each figure a chain of joints with a skin of its own, and one motion for all."""
    rng = np.random.default_rng(7)
    nodes, meshes = [], []
    for s in range(skins):
        names = [f"figure {s} joint {j}" for j in range(joints)]
        for j, name in enumerate(names):
            nodes.append((name, names[j - 1] if j else None, (float(j == 0) * s, 1.0, 0.0)))
        binds = np.tile(np.eye(4), (joints, 1, 1))
        binds[:, 1, 3] = -np.arange(1, joints + 1)
        binds[:, 0, 3] = -s
        indices = rng.integers(0, joints, (vertices, 4))
        skin = Skin.from_table(names, binds, indices, rng.random((vertices, 4)) + 0.1)
        positions = rng.random((vertices, 3)) * (1.0, joints, 1.0) + (s, 0.0, 0.0)
        faces = rng.integers(0, vertices, (2 * vertices, 3))
        normals = np.tile((0.0, 0.0, 1.0), (vertices, 1))
        uv = rng.random((vertices, 2))
        meshes.append(Mesh(f"figure {s}", positions, faces, normals, uv, skin=skin))
    skeleton = supple.Skeleton(nodes)
    angles = 0.3 * np.sin(
        np.linspace(0.0, 6.0, frames)[:, None] + np.arange(len(skeleton.freedoms))
    )
    motion = Motion("sway", supple.Pose.from_angles(skeleton, angles), fps=30)
    return Character(skeleton, tuple(meshes), {"sway": motion}, unit="m", up="y")


def ours(path: Path, runs: int) -> float:
    """Median seconds of a load, after one to warm up."""
    supple.load(path)
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        supple.load(path)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--skins", type=int, default=60)
    parser.add_argument("--joints", type=int, default=50)
    parser.add_argument("--vertices", type=int, default=500)
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--baseline", help="a Python with pygltflib", default=sys.executable)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "crowd.glb")
        supple.save(many_skins(args.skins, args.joints, args.vertices, args.frames), path)
        size = path.stat().st_size / 1e6
        seconds = ours(path, args.runs)
        print(f"{args.skins} skins of {args.joints} joints, {size:.1f} MB")
        print(f"supple.load   {seconds * 1e3:8.1f} ms  ({size / seconds:.0f} MB/s)")
        answer = subprocess.run(
            [args.baseline, "-c", BASELINE, str(path), str(args.runs)],
            capture_output=True, text=True,
        )  # fmt: skip
    if answer.returncode:
        print("pygltflib     not there: --baseline names a Python that has it")
        return 0
    other = float(answer.stdout)
    print(f"pygltflib     {other * 1e3:8.1f} ms")
    print(f"supple is {other / seconds:.1f} times as fast (wanted: {WANTED:g})")
    return 0 if other / seconds >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
