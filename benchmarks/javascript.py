"""supple.wasm in Node beside JavaScript libraries, on the problems and by the verifier of a harness.

    python benchmarks/javascript.py HARNESS ROOT [--rounds N] [--wasm FILE]

HARNESS is the folder of the harness (`adapters/`, `common.py`), ROOT where it has installed its peers
(`node/fullik`, `node/babylon`) and written its problems (`problems/chain-5.json`, ...). Every round runs all
solvers of a problem one after the other; given is the round with the least mean, which other work on the
machine has disturbed least.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from measuring import parser

import supple
from supple import OPEN, Pole, Reach, rotations
from supple.apps.viewer.standalone import BUILT, kernels_wasm

HERE = Path(__file__).resolve().parent
TOLERANCE_FACTOR = 1 - 1e-6  # rounding in another forward kinematics must not decide
# Problem, the peer beside, and at most what part of its mean supple.wasm is to take.
WANTED = (
    ("chain-5", "fullik", 1 / 4),
    ("chain-30", "fullik", 1 / 15),
    ("two-bone", "babylon", 1 / 2),
)


def lowered(problem: dict[str, Any]) -> bytes:
    """A problem of the harness as supple's kernels take it."""
    skeleton = supple.chain(problem["lengths"])
    if problem["kind"] == "twobone":
        goals = [Reach("tip", OPEN), Pole("j1", OPEN)]
        start = skeleton.rest
    else:
        goals = [Reach("tip", OPEN)]
        seed = np.reshape(problem["seed"], (-1, 2))
        start = supple.Pose(skeleton, rotations.from_euler("zy", seed).ravel())
    prepared = supple.prepare(skeleton, goals, tolerance=TOLERANCE_FACTOR * problem["tol"])
    return prepared.to_bytes(start=start)


def run(script: Path, problem: Path, variant: str, budget: float) -> dict[str, Any]:
    """One pass of an adapter over a problem."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        command = ["node", str(script), str(problem), str(out), variant, str(budget)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def main() -> None:
    """Run and print a table."""
    words = parser(__doc__)
    words.add_argument("harness", type=Path)
    words.add_argument("root", type=Path)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--budget", type=float, default=3.0, help="seconds a pass")
    words.add_argument("--wasm", type=Path, help="another supple.wasm than the package's")
    asked = words.parse_args()
    sys.path.insert(0, str(asked.harness))
    verify = importlib.import_module("common").verify
    own = Path(tempfile.mkdtemp(prefix="supple-javascript-"))
    shutil.copy(BUILT / "kernels.js", own / "kernels.js")
    (own / "package.json").write_text('{"type": "module"}')
    (own / "supple.wasm").write_bytes(asked.wasm.read_bytes() if asked.wasm else kernels_wasm())
    for name in ("_lib.mjs",):
        shutil.copy(asked.harness / "adapters" / name, own / name)
    shutil.copy(HERE / "peers" / "supple_wasm.mjs", own / "supple_wasm.mjs")
    print("| problem | solver | solved % | median us | mean us | of the peer's mean | wanted |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, peer, most in WANTED:
        place = asked.root / "problems" / f"{name}.json"
        problem = json.loads(place.read_text())
        (own / f"{name}.bin").write_bytes(lowered(problem))
        home = asked.root / "node" / peer
        for part in ("_lib.mjs", f"{peer}.mjs"):
            shutil.copy(asked.harness / "adapters" / part, home / part)
        scripts = {
            peer: (home / f"{peer}.mjs", ""),
            "supple.wasm": (own / "supple_wasm.mjs", str(own)),
        }
        times: dict[str, list[np.ndarray]] = {label: [] for label in scripts}
        solved: dict[str, float] = {}
        for _ in range(asked.rounds):
            for label, (script, variant) in scripts.items():
                done = run(script, place, variant, asked.budget)
                times[label].append(np.array(done["times_us"]))
                solved[label] = 100 * verify(problem, done["solutions"])["ok"].mean()
        rows = {}
        for label, passes in times.items():
            best = min(passes, key=np.mean)
            rows[label] = (solved[label], np.median(best), best.mean())
        for label, (good, median, mean) in rows.items():
            ratio = mean / rows[peer][2]
            ending = f"{ratio:.3f} | {most:.3f}" if label != peer else " | "
            print(f"| {name} | {label} | {good:.1f} | {median:.2f} | {mean:.2f} | {ending} |")
    shutil.rmtree(own)


if __name__ == "__main__":
    main()
