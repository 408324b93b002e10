"""supple as one of the solvers of a harness that drives each by a script over a `_lib` of its own.

A script calls `bench(make)`; `make(problem, variant)` gives `solve`, `prep`, `extract` and `batch`. The variants are
"prepared", which also offers the batch, and "one-shot". Every skeleton is built from the problem's own numbers.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
from _lib import Skip, bench  # pyright: ignore[reportMissingImports]

import supple
from supple import rotations

TOLERANCE_FACTOR = (
    1 - 1e-6
)  # supple stops at a tolerance: rounding in another forward kinematics must not decide


def of_chain(problem: dict[str, Any]) -> supple.Skeleton:
    """Bones along +X: balls in space, hinges about Z in the plane."""
    if problem["dim"] == 3:
        return supple.chain(problem["lengths"])
    limit = problem["limit"]
    limits = (-limit, limit) if limit else None
    return supple.chain(problem["lengths"], joint=supple.Hinge("z", limits=limits))


def of_arm(problem: dict[str, Any]) -> supple.Skeleton:
    """A serial robot from its list of joints: (name, type, xyz, rpy, axis, lower, upper)."""
    nodes, parent = [], None
    turn, place = (
        np.array([1.0, 0.0, 0.0, 0.0]),
        np.zeros(3),
    )  # of fixed joints since the last that moves
    for name, kind, xyz, (roll, pitch, yaw), axis, lower, upper in problem["chain"]:
        place = place + rotations.rotate(turn, xyz)
        turn = rotations.multiply(turn, rotations.from_euler("zyx", (yaw, pitch, roll)))
        if kind == "fixed":
            continue
        joint = supple.Hinge(tuple(axis), limits=(lower, upper))
        nodes.append(supple.Node(name, parent, tuple(place), joint, tuple(turn)))
        parent, turn, place = name, np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    assert parent is not None
    return supple.Skeleton(nodes, [supple.Tip("tip", parent, tuple(place), tuple(turn))])


def start_of(problem: dict[str, Any], skeleton: supple.Skeleton) -> supple.Pose:
    """The pose of the problem's seed; two angles, about Z and then Y, for each ball."""
    seed = problem["seed"]
    if problem["kind"] in ("chain", "twobone") and problem["dim"] == 3:
        return supple.Pose(skeleton, rotations.from_euler("zy", seed.reshape(-1, 2)).ravel())
    return supple.Pose.from_angles(skeleton, seed)


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """The functions that the harness times."""
    kind = problem["kind"]
    points = kind in ("chain", "twobone")
    skeleton = of_chain(problem) if points else of_arm(problem)
    start = start_of(problem, skeleton)
    if points:
        options: dict[str, Any] = {"tolerance": problem["tol"] * TOLERANCE_FACTOR}
        goals: list[Any] = [supple.Reach("tip")]
    else:
        options = {"tolerance": problem["tol_pos"] * TOLERANCE_FACTOR}
        options["orientation_tolerance"] = problem["tol_rot"] * TOLERANCE_FACTOR
        goals = [supple.Reach("tip", pose=supple.OPEN)]
    if kind == "twobone":
        goals.append(supple.Pole("j1"))
    prepared = supple.prepare(skeleton, goals, **options)
    # As docs/robots.md advises for loops: else the collector walks over all of Numba now and then.
    gc.collect()
    gc.freeze()
    steady = prepared.with_solver("auto", restarts=False)
    functions: dict[str, Any] = {
        # The coordinates of an arm of hinges are its angles.
        "extract": lambda answer: answer.positions if points else answer.pose.coordinates
    }

    if kind == "twobone":
        pole_of = {
            target.tobytes(): pole
            for target, pole in zip(problem["targets"], problem["poles"], strict=True)
        }
        functions["prep"] = lambda target: (target, pole_of[target.tobytes()])

    seed, last = problem["seed"], start

    def follow(target: Any, q0: np.ndarray) -> supple.Solution:
        nonlocal last
        first = q0 is seed
        answer = (prepared if first else steady)(target, start=start if first else last)
        last = answer.pose
        return answer

    def one_shot(target: Any, _q0: np.ndarray) -> supple.Solution:
        if kind == "twobone":
            wanted: Any = [supple.Reach("tip", target[0]), supple.Pole("j1", target[1])]
        else:
            wanted = [supple.Reach("tip", target) if points else supple.Reach("tip", pose=target)]
        return supple.solve(skeleton, wanted, start=start, **options)

    if variant == "one-shot":
        if kind == "track":
            raise Skip("a path is followed with a prepared problem")
        return {**functions, "solve": one_shot}
    if kind == "track":
        functions["solve"] = follow
    elif kind == "twobone":
        if start == skeleton.rest:  # where a call starts from if nothing is said
            functions["solve"] = lambda target, _q0: prepared(*target)
        else:
            functions["solve"] = lambda target, _q0: prepared(*target, start=start)
        functions["batch"] = lambda targets, _q0: prepared.solve(
            targets, problem["poles"], start=start
        )
    else:
        functions["solve"] = lambda target, _q0: prepared(target, start=start)
        functions["batch"] = lambda targets, _q0: prepared.solve(targets, start=start)
    return functions


bench(make, kinds=("chain", "pose", "track", "twobone"))
