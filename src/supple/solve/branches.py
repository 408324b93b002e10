"""Following a path over all branches: the fewest reconfigurations, and where they are.

A target has several answers: for an arm of six hinges up to eight, each again with whole turns added where
limits allow it. From frame to frame answers continue each other in branches. A branch ends at a limit or a
singular pose: there the pose has to jump to another branch, which a robot does off its path. Dynamic
programming over the answers of all frames finds the path with the fewest jumps, and of these the one on
which the joints move least.

If there is a closed form (`solvers.fast.six_hinges`), all answers are found. The closed form gives the nearest
answer inside a box of limits; the boxes that remain around each answer are searched next, until none holds an
answer. Otherwise answers are sampled: solved from the answers of the frame before and from low-discrepancy
starts, and near duplicates are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from supple.kernels import layout as at
from supple.kernels.restart import spread_seeds
from supple.model.freedoms import Kind
from supple.problem.lowering import Problem
from supple.solve.evaluate import Evaluator
from supple.solve.execute import Batch, Executor
from supple.solvers import choose


@dataclass(frozen=True)
class BranchRules:
    """The tuned numbers of following a path over branches. No measurement is recorded for any of them.

    Attributes:
        seeds: Low-discrepancy starts in every frame, where answers are sampled.
        most_answers: Answers of a frame that are kept, where they are sampled.
        alike: Sampled answers that differ by less than this in every joint count as one [rad, characteristic lengths].
        same: The same for answers of a closed form [rad]; whole turns added to them may leave the limits by this many
            turns, and are then put on the limit.
        exact: How near answers of a closed form come to the target, so that what is farther than `same` from one is
            another answer, even at singular poses [chain lengths, rad].
        worse: Where no answer meets the goals, those count whose error is at most this many times the least.
        jump_cost: What a jump costs, in units of travel: more than any path travels.
    """

    seeds: int = 48
    most_answers: int = 96
    alike: float = 0.05
    same: float = 1e-4
    exact: float = 1e-9
    worse: float = 1.01
    jump_cost: float = 1e7


RULES = BranchRules()


class Followed(NamedTuple):
    """A path over the branches.

    Attributes:
        rows: The report of every frame, shape (F, width).
        jumps: The frames that the pose jumps to.
    """

    rows: np.ndarray
    jumps: list[int]


class Branches:
    """All answers of a problem, frame by frame, and the best path through them."""

    def __init__(self, problem: Problem) -> None:
        """Prepare to look for the answers of a problem."""
        self._problem = problem
        self._evaluator = Evaluator(problem)
        self._general = Executor(problem, choose("auto", problem))
        self._local = Executor(problem, choose("auto", problem, restarts=False))
        self._metric = _Metric(problem)

    def follow(
        self,
        batch: Batch,
        start: np.ndarray,
        jump: float,
        progress: Callable[[int, int], None] | None = None,
    ) -> Followed:
        """The path with the fewest jumps through the answers of all frames.

        Args:
            batch: Offsets (1, ...) and targets (F, T) as kernels take them; the starts are ignored.
            start: Coordinates before the first frame, shape (Q,). The step from there to the first frame is never a
                jump, but its travel counts between paths with equally many jumps.
            jump: How far any joint may move from frame to frame [rad, slides: characteristic lengths].
            progress: Called with (done, total).
        """
        offsets, _, targets = batch
        if not len(targets):
            return Followed(np.empty((0, self._problem.report_width)), [])
        closed = self._closed_form(batch, start)
        nodes, backs, keys = [start[None]], [], np.zeros(1)
        for k in range(len(targets)):
            frame = (offsets, start[None], targets[k : k + 1])
            found = self._answers(frame, nodes[-1], closed)
            largest, travel = self._metric(nodes[-1], found)
            cost = keys[:, None] + travel + (RULES.jump_cost * (largest > jump) if k else 0.0)
            backs.append(np.argmin(cost, axis=0))
            keys = cost[backs[-1], np.arange(len(found))]
            nodes.append(found)
            if progress is not None:
                progress(k + 1, len(targets))
        chosen = [int(np.argmin(keys))]
        for back in reversed(backs[1:]):
            chosen.append(int(back[chosen[-1]]))
        chosen.reverse()
        poses = [nodes[k + 1][n] for k, n in enumerate(chosen)]
        poses = self._metric.unwound(start, np.array(poses))
        jumps = [
            k for k in range(1, len(poses))
            if self._metric(poses[k - 1 : k], poses[k : k + 1])[0][0, 0] > jump
        ]  # fmt: skip
        return Followed(self._evaluator.of_poses((offsets, start[None], targets), poses), jumps)

    def _closed_form(self, batch: Batch, start: np.ndarray) -> _ClosedForm | None:
        """The closed form, if it meets the first target that can be met."""
        form = _ClosedForm.of(self._problem)
        if form is None:
            return None
        status = self._problem.coordinates + at.O_STATUS
        for k in range(len(batch[2])):
            frame = (batch[0], start[None], batch[2][k : k + 1])
            if form.meets(frame):
                return form
            if self._solved(self._general, frame, start[None])[0, status] == at.REACHED:
                return None
        return None

    def _answers(self, frame: Batch, before: np.ndarray, closed: _ClosedForm | None) -> np.ndarray:
        """Coordinates of the answers of a frame, shape (n, Q), at least one."""
        if closed is not None:
            found = closed.answers(frame)
            if len(found):
                return found
        count = self._problem.coordinates
        begin = before
        if closed is None:
            seeds = np.repeat(frame[1], RULES.seeds, axis=0)
            spread_seeds(*self._general.packed, frame[1][0], seeds)
            begin = np.concatenate([before, seeds])
        out = self._solved(self._local, frame, begin)
        if not np.any(out[:, count + at.O_STATUS] == at.REACHED):
            out = np.concatenate([out, self._solved(self._general, frame, before[:1])])
        reached = out[:, count + at.O_STATUS] == at.REACHED
        cost = out[:, count + at.O_COST]
        good = reached if np.any(reached) else cost <= RULES.worse * RULES.worse * cost.min()
        return self._metric.different(out[good, :count], RULES.alike)[: RULES.most_answers]

    def _solved(self, executor: Executor, frame: Batch, starts: np.ndarray) -> np.ndarray:
        out = np.empty((len(starts), executor.width))
        rows = np.repeat(frame[2], len(starts), axis=0)
        executor.run((frame[0], np.ascontiguousarray(starts), rows), out, 0, len(starts))
        return out


class _Metric:
    """Distances between poses, joint by joint."""

    def __init__(self, problem: Problem) -> None:
        table = problem.skeleton.freedom_table
        moving = problem.moving[table.joints.source[problem.moving] < 0]
        rows = table.additive.on(moving)
        copied = np.isin(rows.joint, table.joints.source)
        endless = (rows.kind == Kind.ANGLE) & (rows.low == -math.inf) & (rows.high == math.inf)
        sizes = np.where(rows.is_slide, problem.length, 1.0)
        # (coordinate, True if the joint turns without end, unit)
        self._additive: list[tuple[int, bool, float]] = list(
            zip(rows.coordinate.tolist(), (endless & ~copied).tolist(), sizes.tolist(), strict=True)
        )
        quaternion = table.joints.quaternion[moving]
        self._quaternions: list[int] = quaternion[quaternion >= 0].tolist()

    def __call__(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The largest move of any joint and the sum of all, shape (n, m), between poses (n, Q) and (m, Q)."""
        largest = np.zeros((len(a), len(b)))
        total = np.zeros_like(largest)
        for column, endless, size in self._additive:
            move = np.abs(a[:, column, None] - b[None, :, column]) / size
            if endless:
                move = np.abs(move - math.tau * np.round(move / math.tau))
            np.maximum(largest, move, out=largest)
            total += move
        for column in self._quaternions:
            dots = np.abs(a[:, column : column + 4] @ b[:, column : column + 4].T)
            move = 2.0 * np.arccos(np.minimum(dots, 1.0))
            np.maximum(largest, move, out=largest)
            total += move
        return largest, total

    def different(self, poses: np.ndarray, alike: float) -> np.ndarray:
        """The poses without those that are within `alike` of an earlier one."""
        kept: list[int] = []
        apart = self(poses, poses)[0] > alike
        for i in range(len(poses)):
            if apart[i, kept].all():
                kept.append(i)
        return poses[kept]

    def unwound(self, start: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """The poses of a path with unlimited angles nearest to the pose before, and quaternions of the same sign."""
        before = start
        for pose in poses:
            for column, endless, _ in self._additive:
                if endless:
                    pose[column] -= math.tau * round((pose[column] - before[column]) / math.tau)
            for column in self._quaternions:
                if pose[column : column + 4] @ before[column : column + 4] < 0.0:
                    pose[column : column + 4] *= -1.0
            before = pose
        return poses


class _ClosedForm:
    """All answers of an arm of six hinges that has a closed form."""

    def __init__(self, problem: Problem) -> None:
        from supple.solvers.lm import LM

        self._count = problem.coordinates
        solver = LM(max_iterations=3, restarts=0, closed_form=True)
        self._executor = Executor(problem, (solver,))
        self._executor.tighten(RULES.exact)
        hinges = problem.skeleton.freedom_table.scalars.on(problem.moving)
        self._at, self._low, self._high = hinges.coordinate, hinges.low, hinges.high
        self._limits_at = problem.limit_indices(hinges.joint, hinges.part)
        # A range of one turn of each joint holds all answers; whole turns are added afterwards.
        endless = np.isinf(self._low) | np.isinf(self._high)
        middle = np.where(endless, 0.0, 0.5 * (self._low + self._high))
        wide = endless | (self._high - self._low > math.tau)
        half = np.where(wide, math.pi, 0.5 * (self._high - self._low))
        middle = np.clip(middle, self._low + half * endless, self._high - half * endless)
        self._first = np.maximum(self._low, middle - half), np.minimum(self._high, middle + half)

    @classmethod
    def of(cls, problem: Problem) -> _ClosedForm | None:
        """The closed form of a problem, if it may have one: an arm of six hinges, a position and an orientation."""
        joints = problem.skeleton.freedom_table.joints.take(problem.moving)
        plain = len(joints) == 6 and np.all(joints.is_hinge & (joints.source < 0))
        if not plain or problem.rows != 6:
            return None
        if any(
            block.kind not in (at.POSITION, at.ORIENTATION) or block.held
            for block in problem.blocks
        ):
            return None
        return cls(problem)

    def meets(self, frame: Batch) -> bool:
        """True if the closed form meets the targets, from the middle of the ranges."""
        q, out = frame[1].copy(), np.empty((1, self._executor.width))
        q[0, self._at] = 0.5 * (self._first[0] + self._first[1])
        floats = self._executor.packed_each[0][1]
        floats[self._limits_at], floats[self._limits_at + 1] = self._first
        self._executor.run((frame[0], q, frame[2]), out, 0, 1)
        return out[0, self._count + at.O_STATUS] == at.REACHED

    def answers(self, frame: Batch) -> np.ndarray:
        """Coordinates of all answers inside the limits, shape (n, Q)."""
        offsets, start, targets = frame
        found: list[np.ndarray] = []
        boxes = [self._first]
        out = np.empty((1, self._executor.width))
        (_, floats), q = self._executor.packed_each[0], start.copy()
        while boxes:
            low, high = boxes.pop()
            floats[self._limits_at], floats[self._limits_at + 1] = low, high
            q[0, self._at] = 0.5 * (low + high)
            self._executor.run((offsets, q, targets), out, 0, 1)
            if out[0, self._count + at.O_STATUS] != at.REACHED:
                continue
            answer = out[0, self._at]
            found.append(answer)
            boxes += _around(answer, low, high)
        return self._with_whole_turns(start[0], _apart(found))

    def _with_whole_turns(self, start: np.ndarray, found: list[np.ndarray]) -> np.ndarray:
        """The answers with every whole turn added that the limits allow; unlimited angles as they are."""
        rows = []
        for answer in found:
            choices = []
            for x, low, high in zip(answer, self._low, self._high, strict=True):
                if math.isinf(low) or math.isinf(high):
                    choices.append([x])
                    continue
                least, most = (
                    math.ceil((low - x) / math.tau - RULES.same),
                    math.floor((high - x) / math.tau + RULES.same),
                )
                choices.append(
                    [min(max(x + math.tau * n, low), high) for n in range(least, most + 1)]
                )
            for one in product(*choices):
                row = start.copy()
                row[self._at] = one
                rows.append(row)
        return np.array(rows).reshape(-1, len(start))


def _around(
    answer: np.ndarray, low: np.ndarray, high: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Boxes that together cover a box without the neighbourhood of an answer."""
    boxes = []
    low, high = low.copy(), high.copy()
    for i, x in enumerate(answer):
        if x - RULES.same > low[i]:
            below = high.copy()
            below[i] = x - RULES.same
            boxes.append((low.copy(), below))
        if x + RULES.same < high[i]:
            above = low.copy()
            above[i] = x + RULES.same
            boxes.append((above, high.copy()))
        low[i], high[i] = max(low[i], x - RULES.same), min(high[i], x + RULES.same)
    return boxes


def _apart(found: list[np.ndarray]) -> list[np.ndarray]:
    """Answers without those that are whole turns away from an earlier one."""
    kept: list[np.ndarray] = []
    for answer in found:
        moves = [answer - other for other in kept]
        if all(
            np.abs(m - math.tau * np.round(m / math.tau)).max() > 2.0 * RULES.same for m in moves
        ):
            kept.append(answer)
    return kept
