"""Loading robots: URDF beside yourdfpy (and pinocchio, if it is installed), MJCF beside MuJoCo.

Each side is measured as its users meet it: *cold* is a new process, from before the imports to the loaded robot;
*warm* is one more load in that process. MJCF is cold twice: with nothing kept, and with what an earlier
process kept. The sides take turns, so that a busy machine slows them alike, and the median counts. None
of them reads the meshes of a URDF.

    python benchmarks/robot_loading.py
    python benchmarks/robot_loading.py --repeat 3 panda.urdf g1.xml
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
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
WARM_LOADS = 5  # of which the median counts

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
print(json.dumps([cold, sorted(warm)[len(warm) // 2]]))
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
    medians = {name: np.median(np.array(some), axis=0) for name, some in runs.items()}
    for name, (cold, warm) in medians.items():
        first = medians["supple"]
        made.add_row(
            name, f"{1e3 * cold:.0f}", f"{1e3 * warm:.1f}",
            f"{cold / first[0]:.2f}", f"{warm / first[1]:.2f}",
        )  # fmt: skip
    return made


def main() -> None:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="URDF and MJCF files")
    parser.add_argument("--repeat", type=int, default=5, help="new processes of each side")
    asked = parser.parse_args()
    files = asked.files or [DATA / name for name in FILES if (DATA / name).is_file()]
    if not files:
        parser.error("expected files: the real robots are not at hand")
    for path in files:
        Console().print(table(path, asked.repeat))


if __name__ == "__main__":
    main()
