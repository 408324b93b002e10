"""Klampt: Newton's method in C++ inside the limits, with its own random restarts."""

import os
import tempfile
from typing import Any

import klampt
import numpy as np
from drive import Skip, main
from klampt.model import ik


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """The robot's first links are a base that does not move."""
    if problem["kind"] not in ("chain", "pose", "path"):
        raise Skip("one goal without a pole")
    world = klampt.WorldModel()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(problem["urdf"])
        robot = world.loadRobot(path)
    goal = problem["goals"][0]
    tip = robot.link(goal["tip"])
    lower, upper = (np.array(side) for side in robot.getJointLimits())
    first = robot.link("ground").index + 1
    moving = [k for k in range(first, robot.numLinks()) if upper[k] > lower[k]]
    if not problem["limited"]:
        lower[moving], upper[moving] = -1e9, 1e9
        robot.setJointLimits(lower.tolist(), upper.tolist())
    near = problem["tolerance"]
    if goal["orientation"]:
        near = min(near, problem["turn_tolerance"])
    config = np.zeros(robot.numLinks())

    def solve(target: Any, start: np.ndarray) -> np.ndarray:
        assert world is not None  # the robot goes with its world
        config[moving] = start
        robot.setConfig(config.tolist())
        if goal["orientation"]:
            wanted = ik.objective(tip, R=target[0], t=target[1])
        else:
            wanted = ik.objective(tip, local=[0, 0, 0], world=target)
        ik.solve_global(wanted, iters=100, tol=near / 2, activeDofs=moving, numRestarts=100)
        return np.array(robot.getConfig())[moving]

    def target(k: int) -> Any:
        frame = problem["targets"][k, 0]
        place = frame[:3, 3].tolist()
        return (frame[:3, :3].T.ravel().tolist(), place) if goal["orientation"] else place

    return {"solve": solve, "target": target, "answer": lambda raw: raw}


main(make)
