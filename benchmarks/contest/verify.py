"""The verifier: forward kinematics in plain NumPy judges what a solver returned, not what it reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from contest.model import BALL, Model, forward
from contest.problems import PATH, Problem

LIMIT_SLACK = 1e-6  # rad by which a joint may be beyond its limit
BONE_SLACK = 1e-4  # by which a bone may be longer or shorter, for solvers that answer in points
POLE_SLACK = 1e-2  # rad by which the middle joint may be off the pole's half-plane


@dataclass(frozen=True, eq=False)
class Verdict:
    """The judgement of N answers.

    Attributes:
        reached: Whether every goal is met within the tolerances.
        lawful: Whether the limits hold and, of answers in points, the lengths of bones.
        step: The largest move of a joint from one answer to the next [rad]; None unless the
            problem is a path.
    """

    reached: np.ndarray
    lawful: np.ndarray
    step: float | None = None

    @property
    def solved(self) -> np.ndarray:
        """Reached and lawful."""
        return self.reached & self.lawful


def verify(problem: Problem, answers: Sequence[Any]) -> Verdict:
    """Judge the answers to a problem's first targets.

    Args:
        problem: What was asked.
        answers: For each target a vector of the model or of its hinged form, or, for chains, the
            points of its joints and tip (P, 3); None where the solver gave up. An answer of any other
            shape counts as given up.
    """
    count = len(answers)
    reached, lawful = np.zeros(count, bool), np.zeros(count, bool)
    arrays = [None if one is None else np.asarray(one, float) for one in answers]
    forms: list[Model | None] = [problem.model, problem.model.hinged()]
    if all(part.motion in (BALL, "z") for part in problem.model.parts):
        forms.append(None)  # points
    for form in forms:
        shape = (len(problem.model.names), 3) if form is None else (form.width,)
        which = [
            k
            for k, one in enumerate(arrays)
            if one is not None and one.shape == shape and np.isfinite(one).all()
        ]
        if not which or (form is not None and form is not problem.model and form == problem.model):
            continue
        given = np.array([arrays[k] for k in which])
        if form is None:
            frames = np.tile(np.eye(4), (*given.shape[:2], 1, 1))
            frames[..., :3, 3] = given
            lawful[which] = _sound(problem.model, given)
        else:
            frames = forward(form, given)
            lawful[which] = _inside(form, given)
        reached[which] = _reached(problem, frames, np.array(which))
    step = None
    if problem.kind == PATH:
        rows = [one for one in arrays if one is not None and one.shape == (problem.model.width,)]
        moves = np.diff(np.array(rows), axis=0) if len(rows) > 1 else np.zeros((1, 1))
        step = float(np.abs(_wrapped(moves)).max())
    return Verdict(reached, lawful, step)


def _reached(problem: Problem, frames: np.ndarray, which: np.ndarray) -> np.ndarray:
    good = np.ones(len(which), bool)
    for k, goal in enumerate(problem.goals):
        here = frames[:, problem.model.names.index(goal.tip)]
        there = problem.targets[which, k]
        with np.errstate(invalid="ignore"):
            if goal.position:
                off = np.linalg.norm(here[:, :3, 3] - there[:, :3, 3], axis=1)
                good &= off <= problem.tolerance
            if goal.orientation:
                good &= angle(here[:, :3, :3], there[:, :3, :3]) <= problem.turn_tolerance
    if problem.poles is not None:
        good &= _on_side(
            frames[:, :, :3, 3], problem.targets[which, 0, :3, 3], problem.poles[which]
        )
    return good


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The angle [rad] between rotations (B, 3, 3), exact near 0 and near pi."""
    c = np.swapaxes(a, -1, -2) @ b
    twice = [c[:, 2, 1] - c[:, 1, 2], c[:, 0, 2] - c[:, 2, 0], c[:, 1, 0] - c[:, 0, 1]]
    size = np.sqrt(sum(one * one for one in twice))
    return np.arctan2(size, np.trace(c, axis1=1, axis2=2) - 1.0)


def _on_side(place: np.ndarray, target: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """Whether the middle joint lies in the half-plane of the pole."""
    root = place[:, 0]
    line = target - root
    line = line / np.linalg.norm(line, axis=1, keepdims=True)
    sides = []
    for point in (place[:, 1], pole):
        aside = point - root
        aside = aside - line * np.sum(aside * line, axis=1, keepdims=True)
        sides.append(aside)
    sine = np.linalg.norm(np.cross(*sides), axis=1)
    return np.arctan2(sine, np.sum(sides[0] * sides[1], axis=1)) <= POLE_SLACK


def _inside(model: Model, q: np.ndarray) -> np.ndarray:
    """Whether every hinge is inside its limits; a whole turn more or less is the same angle."""
    limited = model.angles & np.isfinite(model.limits).all(axis=1)
    lo, hi = model.limits[limited].T
    middle = (lo + hi) / 2
    value = middle + _wrapped(q[:, limited] - middle)
    return np.all((value >= lo - LIMIT_SLACK) & (value <= hi + LIMIT_SLACK), axis=1)


def _sound(model: Model, place: np.ndarray) -> np.ndarray:
    """Whether points may be the joints of a chain: its root, its bones, its plane, its limits."""
    lengths = np.array([part.offset[0] for part in (*model.parts, *model.tips)][1:])
    bones = np.diff(place, axis=1)
    good = np.linalg.norm(place[:, 0], axis=1) <= BONE_SLACK
    sizes = np.linalg.norm(bones, axis=2)
    good &= np.all(np.abs(sizes / lengths - 1.0) <= BONE_SLACK, axis=1)
    if model.parts[0].motion == BALL:
        return good
    good &= np.all(np.abs(place[:, :, 2]) <= BONE_SLACK, axis=1)
    heading = np.arctan2(bones[:, :, 1], bones[:, :, 0])
    return good & _inside(model, np.diff(heading, axis=1, prepend=0.0))


def _wrapped(turn: np.ndarray) -> np.ndarray:
    """Angles to [-pi, pi]."""
    return turn - 2 * math.pi * np.round(turn / (2 * math.pi))
