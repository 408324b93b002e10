"""What a process that only solves has to load."""

import json
import subprocess
import sys

SOLVE = """
import json, sys
import supple

chain = supple.chain([1.0, 1.0, 1.0])
answers = [
    supple.solve(chain, {"tip": (1.0, 1.0, 0.5)}, solver=solver)
    for solver in ("auto", "CCD", "FABRIK", "Jacobian", "TargetTriangle")
]
batch = supple.prepare(chain, {"tip": supple.OPEN}).solve([(1.0, 1.0, 0.5), (0.5, 1.0, 1.0)])
print(json.dumps([all(map(bool, [*answers, *batch])), sorted({"scipy.linalg"} & set(sys.modules))]))
"""


def test_kept_kernels_run_without_what_compiling_needs():
    for _ in range(2):  # the first may have to compile
        done = subprocess.run(
            [sys.executable, "-c", SOLVE], capture_output=True, text=True, check=True
        )
    reached, loaded = json.loads(done.stdout)
    assert reached
    assert loaded == [], "loading SciPy takes longer than all the rest"
