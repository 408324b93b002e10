"""Pink: differential inverse kinematics on Pinocchio by quadratic programmes, to tolerance."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pink
import pinocchio as pin
from drive import Skip, main, near

MOST_ITERATIONS = 100
XYZW_FROM_WXYZ = [0, 1, 2, 4, 5, 6, 3]  # a free part's x, y, z and then xyzw, out of wxyz


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """A frame task for each goal, limits, a unit time step."""
    if problem["kind"] != "body":
        raise Skip("asked for the whole body only")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        path.write_text(problem["mjcf"], encoding="utf-8")
        model = pin.buildModelFromMJCF(str(path))
    order = _order(problem, model)
    state = pink.Configuration(model, model.createData(), problem["start"][order])
    tasks = [
        pink.tasks.FrameTask(
            goal["tip"],
            position_cost=float(goal["position"]),
            orientation_cost=float(goal["orientation"]),
            lm_damping=1e-3,
        )
        for goal in problem["goals"]
    ]
    limits = [pink.limits.ConfigurationLimit(model, config_limit_gain=1.0)]

    def solve(frames: list[Any], start: np.ndarray) -> np.ndarray:
        state.update(start[order])
        for task, frame in zip(tasks, frames, strict=True):
            task.set_target(frame)
        for _ in range(MOST_ITERATIONS):
            if near(problem, (task.compute_error(state) for task in tasks)):
                break
            try:
                options = {"solver": "daqp", "limits": limits, "safety_break": False}
                move = pink.solve_ik(state, tasks, 1.0, **options)
            except pink.exceptions.PinkError:
                break
            state.integrate_inplace(move, 1.0)
        return state.q

    def answer(q: np.ndarray) -> np.ndarray:
        ours = np.empty_like(q)
        ours[order] = q
        return ours

    def target(k: int) -> list[Any]:
        return [pin.SE3(frame) for frame in problem["targets"][k]]

    return {"solve": solve, "target": target, "answer": answer, "start": problem["start"]}


def _order(problem: dict[str, Any], model: Any) -> np.ndarray:
    """The index in our vector of each of its coordinates."""
    first, column = {}, 0
    for part in problem["model"]["parts"]:
        first[part["name"]] = column
        column += {"ball": 4, "free": 7}.get(part["motion"], len(part["motion"]))
    order = np.empty(model.nq, int)
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY and frame.name in first:
            joint = model.joints[frame.parentJoint]
            turn = XYZW_FROM_WXYZ if joint.nq == 7 else range(joint.nq)
            order[joint.idx_q : joint.idx_q + joint.nq] = [first[frame.name] + k for k in turn]
    return order


main(make)
