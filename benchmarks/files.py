"""Reading files: how fast, beside what else reads them.

    python benchmarks/files.py bvh
    PYTHONPATH=/tmp/other python benchmarks/files.py bvh --megabytes 100
    python benchmarks/files.py bvh clip.bvh another.bvh
    python benchmarks/files.py gltf --baseline /tmp/other/bin/python
    python benchmarks/files.py robots --repeat 3 panda.urdf g1.xml

Each part has arguments of its own: `PART --help`.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measuring import median, parser, run_part, show, table_with
from rich.table import Table

import supple
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.model.mesh import Mesh, Skin

# BVH -----------------------------------------------------------------------------------------------

BVH_JOINTS, BVH_FPS = 60, 100


def write_bvh(path: Path, megabytes: float) -> None:
    """A figure of sixty joints that moves at random, so many megabytes of it."""
    rng = np.random.default_rng(3)
    lines = ["HIERARCHY"]
    for j in range(BVH_JOINTS):
        kind = "JOINT" if j else "ROOT"
        places = "6 Xposition Yposition Zposition" if j == 0 else "3"
        lines += [f"{kind} joint{j}", "{", "OFFSET 0 5 0",
                  f"CHANNELS {places} Yrotation Xrotation Zrotation"]  # fmt: skip
    lines += ["End Site", "{", "OFFSET 0 5 0", "}", *["}"] * BVH_JOINTS]
    width = 3 * BVH_JOINTS + 3
    rows = [" ".join(f"{x:.6f}" for x in row) for row in rng.uniform(-180, 180, (500, width))]
    count = max(1, int(megabytes * 1e6 / len(rows[0])))
    lines += ["MOTION", f"Frames: {count}", f"Frame Time: {1 / BVH_FPS:.6f}"]
    with path.open("w") as file:
        file.write("\n".join(lines) + "\n")
        for k in range(count):
            file.write(rows[k % len(rows)] + "\n")


def bvh(arguments: Sequence[str] | None = None) -> int:
    """How fast a BVH is read, beside pybvh in the same run, and how much memory a large one takes.

    pybvh is no dependency: where it cannot be imported only our own figures are shown. It keeps angles as they are;
    `supple.load` also makes quaternions of them and checks everything.
    """
    words = parser(bvh.__doc__, "bvh")
    words.add_argument("files", nargs="*", type=Path, help="BVH files; default: one made here")
    words.add_argument("--megabytes", type=float, default=20.0)
    words.add_argument("--repeat", type=int, default=5)
    options = words.parse_args(arguments)
    logging.getLogger("supple").setLevel(logging.ERROR)
    try:
        other = importlib.import_module("pybvh").read_bvh_file
    except ImportError:
        other = None
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            files = [Path(folder) / "made.bvh"]
            write_bvh(files[0], options.megabytes)
            small = Path(folder) / "small.bvh"
            write_bvh(small, 0.1)
            supple.load(small)  # kernels are compiled
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        total = [0.0, 0.0, 0.0]
        for path in files:
            motion = next(iter(supple.load(path).motions.values()))
            added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
            channels = len(motion) * (3 * BVH_JOINTS + 3) * 8 / 1e6
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
    return 0


# glTF ----------------------------------------------------------------------------------------------

WANTED_RATIO = 5.0  # times faster than the baseline

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


def gltf(arguments: Sequence[str] | None = None) -> int:
    """How fast a GLB with many skins loads, beside pygltflib in the same run.

    pygltflib only reads the JSON into its classes and the buffer into bytes; `supple.load` also decodes and checks
    every accessor, and builds the skeleton, skins, meshes and motions. pygltflib is no dependency: give the
    interpreter of an environment that has it (`--baseline`).
    """
    words = parser(gltf.__doc__, "gltf")
    words.add_argument("--skins", type=int, default=60)
    words.add_argument("--joints", type=int, default=50)
    words.add_argument("--vertices", type=int, default=500)
    words.add_argument("--frames", type=int, default=30)
    words.add_argument("--runs", type=int, default=5)
    words.add_argument("--baseline", help="a Python with pygltflib", default=sys.executable)
    args = words.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "crowd.glb")
        supple.save(many_skins(args.skins, args.joints, args.vertices, args.frames), path)
        size = path.stat().st_size / 1e6
        supple.load(path)  # warm
        seconds = median(lambda: supple.load(path), args.runs)
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
    print(f"supple is {other / seconds:.1f} times as fast (wanted: {WANTED_RATIO:g})")
    return 0 if other / seconds >= WANTED_RATIO else 1


# Robots --------------------------------------------------------------------------------------------

DATA = Path(__file__).resolve().parents[2] / "shared/data"
FILES = (
    "urdf/example-robot-data/panda_description/urdf/panda.urdf",
    "urdf/example-robot-data/ur_description/urdf/ur5_robot.urdf",
    "urdf/example-robot-data/romeo_description/urdf/romeo_small.urdf",
    "mjcf/franka_emika_panda/panda.xml",
    "mjcf/unitree_g1/g1.xml",
)
WARM_LOADS = 9  # of which the least counts
TETRAHEDRON_CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
TETRAHEDRON_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
OBJ = "".join(
    [f"v {x} {y} {z}\n" for x, y, z in TETRAHEDRON_CORNERS]
    + [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in TETRAHEDRON_FACES]
).encode()
STL = struct.pack("<80xI", len(TETRAHEDRON_FACES)) + b"".join(
    struct.pack("<12f2x", 0, 0, 0, *(x for k in face for x in TETRAHEDRON_CORNERS[k]))
    for face in TETRAHEDRON_FACES
)

TIMED = """
import json, logging, sys, time
begun = time.perf_counter()
logging.disable(logging.CRITICAL)
path = sys.argv[1]
{load}
load()
cold = time.perf_counter() - begun
warm = []
for _ in range({count}):
    begun = time.perf_counter()
    load()
    warm.append(time.perf_counter() - begun)
print(json.dumps([cold, min(warm)]))
"""
SUPPLE = "import supple\ndef load(): return supple.load(path)"
OTHERS = {
    ".urdf": {
        "yourdfpy": "import yourdfpy\n"
        "def load(): return yourdfpy.URDF.load(path, load_meshes=False)",
        "pinocchio": "import pinocchio\ndef load(): return pinocchio.buildModelFromUrdf(path)",
    },
    ".xml": {"mujoco": "import mujoco\ndef load(): return mujoco.MjModel.from_xml_path(path)"},
}


def measured(load: str, path: Path, cache: str) -> tuple[float, float] | None:
    """Seconds of a cold and of a warm load in a new process; None if it cannot load the file."""
    code = TIMED.format(load=load, count=WARM_LOADS)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SUPPLE_CACHE_DIR": cache},
    )
    if done.returncode:
        return None
    cold, warm = json.loads(done.stdout.splitlines()[-1])
    return cold, warm


def sides(path: Path) -> dict[str, str]:
    """What loads a file, by name: supple, and the others that are installed."""
    others = OTHERS.get(path.suffix, {})
    return {"supple": SUPPLE} | {
        name: load for name, load in others.items() if importlib.util.find_spec(name) is not None
    }


def with_meshes(path: Path, folder: Path) -> Path:
    """A copy of a file with what lies beside it, and a tetrahedron for each mesh file that is missing."""
    made = folder / path.parent.name
    shutil.copytree(path.parent, made)
    for one in made.rglob("*"):
        one.chmod(0o700 if one.is_dir() else 0o600)
    text = path.read_text(encoding="utf-8")
    below = re.search(r'meshdir="([^"]*)"', text)
    for name in re.findall(r'<mesh [^>]*file="([^"]*)"', text):
        place = made / (below[1] if below else "") / name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(OBJ if place.suffix.lower() == ".obj" else STL)
    return made / path.name


def loading_table(path: Path, repeat: int) -> Table:
    """Times of all sides on one file."""
    runs: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="supple-loading-") as cache:
            for name, load in sides(path).items():
                again = ("supple, kept",) if name == "supple" and path.suffix == ".xml" else ()
                for called in (name, *again):
                    found = measured(load, path, cache)
                    if found is not None:
                        runs.setdefault(called, []).append(found)
    heads = ("", "cold [ms]", "warm [ms]", "cold, of the first", "warm, of the first")
    made = table_with(path.name, heads)
    least = {name: np.min(np.array(some), axis=0) for name, some in runs.items()}
    for name, (cold, warm) in least.items():
        first = least["supple"]
        made.add_row(
            name, f"{1e3 * cold:.0f}", f"{1e3 * warm:.1f}",
            f"{cold / first[0]:.2f}", f"{warm / first[1]:.2f}",
        )  # fmt: skip
    return made


def robots(arguments: Sequence[str] | None = None) -> int:
    """Loading robots: URDF beside yourdfpy (and pinocchio, if it is installed), MJCF beside MuJoCo.

    Each side is measured as its users meet it: *cold* is a new process, from before the imports to the loaded robot;
    *warm* is one more load in that process. MJCF is cold twice: with nothing kept, and with what an earlier process
    kept. The sides take turns, so that a busy machine slows them alike, and the least counts. None of them reads the
    meshes of a URDF; mesh files that an MJCF model lacks are replaced by tetrahedra, for both.
    """
    words = parser(robots.__doc__, "robots")
    words.add_argument("files", nargs="*", type=Path, help="URDF and MJCF files")
    words.add_argument("--repeat", type=int, default=5, help="new processes of each side")
    asked = words.parse_args(arguments)
    files = asked.files or [DATA / name for name in FILES if (DATA / name).is_file()]
    if not files:
        print("skipped: the real robots are not at hand")
    for path in files:
        with tempfile.TemporaryDirectory(prefix="supple-robot-") as folder:
            one = with_meshes(path, Path(folder)) if path.suffix == ".xml" else path
            show(loading_table(one, asked.repeat))
    return 0


PARTS = {"bvh": bvh, "gltf": gltf, "robots": robots}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
