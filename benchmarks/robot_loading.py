"""Loading robots: URDF beside yourdfpy (and pinocchio, if it is installed), MJCF beside MuJoCo.

Each side is measured as its users meet it: *cold* is a new process, from before the imports to the loaded robot;
*warm* is one more load in that process. MJCF is cold twice: with nothing kept, and with what an earlier
process kept. The sides take turns, so that a busy machine slows them alike, and the least counts. None
of them reads the meshes of a URDF; mesh files that an MJCF model lacks are replaced by tetrahedra, for both.

    python benchmarks/robot_loading.py
    python benchmarks/robot_loading.py --repeat 3 panda.urdf g1.xml
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

DATA = Path(__file__).resolve().parents[2] / "shared/data"
FILES = (
    "urdf/example-robot-data/panda_description/urdf/panda.urdf",
    "urdf/example-robot-data/ur_description/urdf/ur5_robot.urdf",
    "urdf/example-robot-data/romeo_description/urdf/romeo_small.urdf",
    "mjcf/franka_emika_panda/panda.xml",
    "mjcf/unitree_g1/g1.xml",
)
WARM_LOADS = 9  # of which the least counts
CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
OBJ = "".join(
    [f"v {x} {y} {z}\n" for x, y, z in CORNERS]
    + [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES]
).encode()
STL = struct.pack("<80xI", len(FACES)) + b"".join(
    struct.pack("<12f2x", 0, 0, 0, *(x for k in face for x in CORNERS[k])) for face in FACES
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


def table(path: Path, repeat: int) -> Table:
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
    made = Table(title=path.name)
    for column in ("", "cold [ms]", "warm [ms]", "cold, of the first", "warm, of the first"):
        made.add_column(column, justify="left" if not column else "right")
    least = {name: np.min(np.array(some), axis=0) for name, some in runs.items()}
    for name, (cold, warm) in least.items():
        first = least["supple"]
        made.add_row(
            name, f"{1e3 * cold:.0f}", f"{1e3 * warm:.1f}",
            f"{cold / first[0]:.2f}", f"{warm / first[1]:.2f}",
        )  # fmt: skip
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="URDF and MJCF files")
    parser.add_argument("--repeat", type=int, default=5, help="new processes of each side")
    asked = parser.parse_args(arguments)
    files = asked.files or [DATA / name for name in FILES if (DATA / name).is_file()]
    if not files:
        print("skipped: the real robots are not at hand")
    for path in files:
        with tempfile.TemporaryDirectory(prefix="supple-robot-") as folder:
            one = with_meshes(path, Path(folder)) if path.suffix == ".xml" else path
            Console().print(table(one, asked.repeat))
    return 0


if __name__ == "__main__":
    sys.exit(main())
