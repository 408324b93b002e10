"""supple's side of the benchmark: skeletons from the tables, prepared and one-shot solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from contest.adapters.drive import Skip
from contest.model import BALL, FREE, Model, Part
from contest.problems import PATH, Problem
from supple import rotations
from supple.goals import OPEN, Goal, Pole, Reach
from supple.model.joints import Axes, Ball, Fixed, Free, Hinge, Joint
from supple.model.skeleton import Node, Pose, Skeleton, Tip
from supple.solve.prepare import prepare
from supple.solve.solution import Solution
from supple.solve.solve import solve

TOLERANCE_FACTOR = 1 - 1e-6  # so that rounding in another forward kinematics does not decide
PREPARED, ONE_SHOT = "prepared", "one-shot"


def skeleton(model: Model) -> Skeleton:
    """The skeleton of a mechanism; its pose's coordinates are the model's vector."""
    nodes = [
        Node(part.name, part.parent or None, part.offset, _joint(part), _turn(part))
        for part in model.parts
    ]
    return Skeleton(
        nodes, [Tip(tip.name, tip.parent, tip.offset, _turn(tip)) for tip in model.tips]
    )


def _turn(part: Part) -> np.ndarray:
    return rotations.from_euler("zyx", part.rpy[::-1])


def _joint(part: Part) -> Joint:
    if part.motion in (BALL, FREE):
        return Ball() if part.motion == BALL else Free()
    if len(part.motion) == 1:
        return Hinge(part.motion, limits=part.limits[0] if part.limits else None)
    return Axes(part.motion, part.limits or None) if part.motion else Fixed()


def goals(problem: Problem, k: int | None = None) -> list[Goal]:
    """The goals with their k-th targets, or with open ones."""
    listed: list[Goal] = []
    for g, asked in enumerate(problem.goals):
        frame = None if k is None else problem.targets[k, g]
        if asked.position and asked.orientation:
            listed.append(Reach(asked.tip, pose=OPEN if frame is None else frame))
        elif asked.position:
            listed.append(Reach(asked.tip, OPEN if frame is None else frame[:3, 3]))
        else:
            turn = OPEN if frame is None else rotations.from_matrix(frame[:3, :3])
            listed.append(Reach(asked.tip, orientation=turn))
    if problem.poles is not None:
        listed.append(Pole(problem.model.parts[1].name, OPEN if k is None else problem.poles[k]))
    return listed


def make(data: dict[str, Any], variant: str) -> dict[str, Any]:
    """What `adapters.drive` times."""
    problem = Problem.from_json(data)
    one = skeleton(problem.model)
    start = Pose(one, problem.start)
    options: dict[str, Any] = {"tolerance": problem.tolerance * TOLERANCE_FACTOR}
    options["orientation_tolerance"] = problem.turn_tolerance * TOLERANCE_FACTOR
    options["free_root"] = True  # as the other libraries move it
    functions: dict[str, Any] = {
        "answer": lambda answer: answer.pose.coordinates,
        "start": problem.start,
    }
    if variant == ONE_SHOT:
        if problem.kind == PATH:
            raise Skip("a path is followed with a prepared problem")

        def once(wanted: list[Goal], _start: np.ndarray) -> Solution:
            return solve(one, wanted, start=start, **options)

        return {**functions, "solve": once, "target": lambda k: goals(problem, k)}

    prepared = prepare(one, goals(problem), **options)
    arguments = _arguments(problem)

    def target(k: int) -> tuple[np.ndarray, ...]:
        return tuple(rows[k] for rows in arguments)

    if problem.kind == PATH:
        steady = prepared.with_solver("auto", restarts=False)
        last = start

        def follow(wanted: tuple[np.ndarray, ...], here: np.ndarray) -> Solution:
            nonlocal last
            begins = here is functions["start"]
            answer = (prepared if begins else steady)(*wanted, start=start if begins else last)
            last = answer.pose
            return answer

        return {**functions, "solve": follow, "target": target}

    def call(wanted: tuple[np.ndarray, ...], _start: np.ndarray) -> Solution:
        return prepared(*wanted, start=start)

    def batch() -> Solution:
        return prepared.solve(*arguments, start=start)

    return {**functions, "solve": call, "target": target, "batch": batch}


def _arguments(problem: Problem) -> list[np.ndarray]:
    """What a prepared call takes, with all N targets along the first axis."""
    listed = []
    for g, asked in enumerate(problem.goals):
        frames = np.ascontiguousarray(problem.targets[:, g])
        if asked.position and asked.orientation:
            listed.append(frames)
        elif asked.position:
            listed.append(np.ascontiguousarray(frames[:, :3, 3]))
        else:
            listed.append(rotations.from_matrix(frames[:, :3, :3]))
    if problem.poles is not None:
        listed.append(problem.poles)
    return listed
