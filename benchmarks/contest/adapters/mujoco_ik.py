"""MuJoCo's kinematics and Jacobians in a loop of damped least squares, with random restarts."""

from typing import Any

import mujoco as mj
import numpy as np
from drive import Skip, main

MOST_ITERATIONS = 300
MOST_RESTARTS = 20


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """The damping shrinks with the squared error; a step that does not help raises it."""
    if problem["kind"] not in ("chain", "pose", "path"):
        raise Skip("one goal without a pole")
    model = mj.MjModel.from_xml_string(problem["mjcf"])
    data = mj.MjData(model)
    goal = problem["goals"][0]
    tip = model.body(goal["tip"]).id
    rows = 6 if goal["orientation"] else 3
    limited = problem["limited"]
    lower, upper = problem["hinged_limits"].T
    J, damped, quat = np.zeros((6, model.nv)), np.eye(rows), np.zeros(4)
    error = np.zeros(6)
    random = np.random.default_rng(0)

    def errors(q: np.ndarray, target: Any) -> np.ndarray:
        data.qpos[:] = q
        mj.mj_kinematics(model, data)
        error[:3] = target[0] - data.xpos[tip]
        if rows == 6:
            mj.mju_mat2Quat(quat, (target[1] @ data.xmat[tip].reshape(3, 3).T).ravel())
            mj.mju_quat2Vel(error[3:], quat, 1.0)
        return error[:rows].copy()

    def done(e: np.ndarray) -> bool:
        near = np.linalg.norm(e[:3]) < problem["tolerance"]
        return bool(near and (rows == 3 or np.linalg.norm(e[3:]) < problem["turn_tolerance"]))

    def attempt(target: Any, start: np.ndarray) -> tuple[np.ndarray, bool]:
        q, damping = start.copy(), 1e-2
        e = errors(q, target)
        size, square, fresh = e @ e, damped, True
        for _ in range(MOST_ITERATIONS):
            if done(e):
                break
            if fresh:
                mj.mj_comPos(model, data)
                mj.mj_jacBody(model, data, J[:3], J[3:] if rows == 6 else None, tip)
                square = J[:rows] @ J[:rows].T
            step = J[:rows].T @ np.linalg.solve(square + (damping * size + 1e-9) * damped, e)
            tried = q.copy()
            mj.mj_integratePos(model, tried, step, 1.0)
            if limited:
                tried = np.clip(tried, lower, upper)
            e_tried = errors(tried, target)
            fresh = e_tried @ e_tried < size
            if fresh:
                q, e, size, damping = tried, e_tried, e_tried @ e_tried, max(damping * 0.2, 1e-4)
            else:
                damping *= 5
                if damping > 1e4:
                    break
        return q, done(e)

    def solve(target: Any, start: np.ndarray) -> np.ndarray:
        q, reached = attempt(target, start)
        for _ in range(MOST_RESTARTS if limited else 0):
            if reached:
                break
            q, reached = attempt(target, random.uniform(lower, upper))
        return q

    def target(k: int) -> Any:
        frame = problem["targets"][k, 0]
        return frame[:3, 3].copy(), frame[:3, :3].copy()

    functions = {"solve": solve, "target": target, "answer": lambda raw: raw}
    return {**functions, "start": problem["start"]}


main(make)
