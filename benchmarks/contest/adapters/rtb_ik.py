"""Robotics Toolbox for Python: Levenberg-Marquardt in C++, then its own random restarts."""

import os
import tempfile
import warnings
from typing import Any

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import roboticstoolbox as rtb  # noqa: E402
from drive import Skip, main  # noqa: E402


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """Its residual is half the squared error over position and angle together."""
    if problem["kind"] not in ("chain", "pose", "path"):
        raise Skip("one goal without a pole")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(problem["urdf"])
        chain = rtb.Robot.URDF(path).ets()
    turned = problem["goals"][0]["orientation"]
    near = min(problem["tolerance"], problem["turn_tolerance"]) if turned else problem["tolerance"]
    options: dict[str, Any] = {
        "tol": 0.5 * near**2,
        "mask": np.array([1.0, 1.0, 1.0] + [float(turned)] * 3),
        "joint_limits": problem["limited"],
        "method": "chan",
        "k": 0.1,
    }
    if not turned:
        long = len(problem["hinged_start"]) > 20  # a restart takes seconds there
        options.update(ilimit=300, slimit=3 if long else 100)
    return {
        "solve": lambda frame, start: chain.ik_LM(frame, q0=start, **options),
        "target": lambda k: problem["targets"][k, 0],
        "answer": lambda raw: raw[0],
    }


main(make)
