"""TRAC-IK through pytracik: two solvers race in two threads, at most 50 ms. Poses only."""

from typing import Any

import numpy as np
import pytracik
from drive import Skip, main


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """One epsilon counts for every component of the error."""
    if problem["kind"] not in ("pose", "path"):
        raise Skip("positions alone cannot be asked for")
    near = min(problem["tolerance"], problem["turn_tolerance"]) / 2
    solver = pytracik.TRAC_IK(
        "ground", problem["goals"][0]["tip"], problem["urdf"], 0.05, near, pytracik.SolveType.Speed
    )

    def solve(target: list[float], start: np.ndarray) -> Any:
        found = pytracik.ik(solver, start, *target)
        return found[1:] if found[0] >= 0 else None

    def target(k: int) -> list[float]:
        frame = problem["targets"][k, 0]
        return [float(x) for x in (*frame[:3, 3], *quaternion(frame[:3, :3]))]

    return {"solve": solve, "target": target, "answer": lambda raw: raw}


def quaternion(turn: np.ndarray) -> np.ndarray:
    """Quaternion xyzw of a rotation matrix, from the largest of four candidates."""
    diagonal = np.diag(turn)
    squares = np.array([*(1 + 2 * diagonal - diagonal.sum()), 1 + diagonal.sum()])
    largest = int(np.argmax(squares))
    q = np.empty(4)
    if largest == 3:
        q[:3] = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[j], q[k], q[3] = turn[j, i] + turn[i, j], turn[k, i] + turn[i, k], turn[k, j] - turn[j, k]
    q[largest] = squares[largest]
    return q / np.linalg.norm(q)


main(make)
