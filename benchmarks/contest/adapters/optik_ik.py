"""OptIK: SLSQP with random restarts, in Rust; one thread."""

import os
import tempfile
from typing import Any

from drive import Skip, main
from optik import Robot, SolverConfig


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """Its objective is the squared norm of the pose error."""
    if problem["kind"] not in ("chain", "pose", "path"):
        raise Skip("one goal without a pole")
    if hasattr(os, "sched_setaffinity"):
        # It hands every solve to a thread of its pool, which is much dearer across cores.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(problem["urdf"])
        robot = Robot.from_urdf_file(path, "ground", problem["goals"][0]["tip"])
    robot.set_parallelism(1)
    turned = problem["goals"][0]["orientation"]
    near = min(problem["tolerance"], problem["turn_tolerance"]) if turned else problem["tolerance"]
    config = SolverConfig(
        "speed",
        max_time=0.1 if len(problem["hinged_start"]) < 25 else 1.0,
        tol_f=0.5 * near**2,
        linear_weight=[1.0] * 3,
        angular_weight=[float(turned)] * 3,
    )
    return {
        "solve": lambda frame, start: robot.ik(config, frame, start.tolist()),
        "target": lambda k: problem["targets"][k, 0].tolist(),
        "answer": lambda raw: raw[0],
    }


main(make)
