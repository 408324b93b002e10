"""ur-analytic-ik: the closed form of the UR5 in C++; of its answers the one nearest to the start."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from drive import Skip, main
from ur_analytic_ik import ur5

sys.path.append(str(Path(__file__).parents[1]))
from model import Model, forward  # noqa: E402

HALF_TURN = np.diag([-1.0, -1.0, 1.0, 1.0])  # its base faces the other way


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """Its flange stands in the tip's frame as it does in one pose, whatever the pose."""
    if problem["name"] != "ur5-pose":
        raise Skip("this arm only")
    model = Model.from_json(problem["model"])

    def flange(q: np.ndarray) -> np.ndarray:
        there = forward(model, q[None])[0, -1]
        return np.linalg.inv(HALF_TURN @ ur5.forward_kinematics(*q)) @ there

    to_tip = flange(np.linspace(-1, 1, 6))
    if not np.allclose(to_tip, flange(np.linspace(2, -2, 6)), atol=1e-6):
        raise Skip("its arm has other measures")
    back = np.linalg.inv(to_tip)

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        found = ur5.inverse_kinematics_closest(target, *start)
        return found[0] if len(found) else None

    def target(k: int) -> np.ndarray:
        return np.ascontiguousarray(HALF_TURN @ problem["targets"][k, 0] @ back)

    return {"solve": solve, "target": target, "answer": lambda raw: raw}


main(make)
