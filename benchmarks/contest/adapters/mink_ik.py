"""mink: differential inverse kinematics on MuJoCo by quadratic programmes, iterated to tolerance."""

from typing import Any

import mink
import numpy as np
from drive import Skip, main, near

MOST_ITERATIONS = 100


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """A frame task for each goal, limits, a unit time step."""
    if problem["kind"] != "body":
        raise Skip("asked for the whole body only")
    from mujoco import MjModel

    model = MjModel.from_xml_string(problem["mjcf"])
    state = mink.Configuration(model)
    tasks = [
        mink.FrameTask(
            goal["tip"],
            "body",
            position_cost=float(goal["position"]),
            orientation_cost=float(goal["orientation"]),
            lm_damping=1e-3,
        )
        for goal in problem["goals"]
    ]
    limits = [mink.ConfigurationLimit(model, gain=1.0)]

    def solve(frames: list[Any], start: np.ndarray) -> np.ndarray:
        state.update(start)
        for task, frame in zip(tasks, frames, strict=True):
            task.set_target(frame)
        for _ in range(MOST_ITERATIONS):
            if near(problem, (task.compute_error(state) for task in tasks)):
                break
            try:
                move = mink.solve_ik(state, tasks, 1.0, solver="daqp", limits=limits)
            except mink.MinkError:
                break
            state.integrate_inplace(move, 1.0)
        return state.q.copy()

    def target(k: int) -> list[Any]:
        return [mink.SE3.from_matrix(frame) for frame in problem["targets"][k]]

    functions = {"solve": solve, "target": target, "answer": lambda raw: raw}
    return {**functions, "start": problem["start"]}


main(make)
