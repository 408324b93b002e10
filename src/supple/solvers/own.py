"""Custom solvers in plain Python: the problem they are given, and how they are run.

Derive from `Solver`, declare what the solver takes, and write `solve`, which gets a `Search`: the start
pose, its residual and Jacobian, and `accept` to end an iteration. Everything else works as in every
solver: limits hold, batches and traces work, the report says how near the best pose came and why the
solver stopped. `docs/own-solvers.md` has a whole example.

For compiled speed give the solver a `kernel` instead: a `solve_range`, as every file in this folder has.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from supple.errors import array
from supple.kernels import layout
from supple.kernels.blocked import Seen, write_blocked
from supple.kernels.constraints import (
    DEPTH,
    TOPPLE,
    broken,
    fault_of,
    fold_points,
    take_bodies,
    unpack_constraints,
    write_faults,
)
from supple.kernels.decorators import entry, kernel
from supple.kernels.jacobian import linearize, step_along
from supple.kernels.joint import project
from supple.kernels.levenberg import take_step
from supple.kernels.problem import (
    begin,
    evaluate,
    set_up,
    take_dense_linear,
    take_frames,
    unpack,
    within,
)
from supple.kernels.report import Ended, clear_trace, finish_judged, record, trace_into
from supple.kernels.workspace import clear, copy, copy_rows, part, row_at, vector
from supple.model.jacobian import tangent
from supple.model.skeleton import Pose
from supple.problem.lowering import Problem


class Buffers(NamedTuple):
    """The workspace of one solve. Every kernel here takes the same buffers from it, in this order."""

    q: Any  # (Q,) the pose evaluated last
    frames: Any
    linear: Any
    trace: Any
    bodies: Any
    step: Any


@kernel
def take_buffers(problem, constraints, work, poses):
    """Take the workspace of one solve."""
    clear(work)
    return Buffers(
        vector(work, problem.coordinates),
        take_frames(problem, work),
        take_dense_linear(problem, work),
        trace_into(poses, poses, work),  # there are no events to record
        take_bodies(problem, constraints, work),
        take_step(problem, work, problem.freedoms if constraints.some else 0),
    )


@entry("i1 f1 f1 f2")
def measure(ints, floats, work, poses):
    """Leave in work[0] how many floats of workspace a solve needs."""
    problem = unpack(ints, floats)
    take_buffers(problem, unpack_constraints(problem, ints, floats), work, poses)


@entry("i1 f1 f1 f2 f3 f2 f2 i f1 -> f b")
def open_problem(ints, floats, work, poses, offsets, starts, targets, b, q):
    """Set up problem b of a batch; q gets its start, clamped to the limits.

    Returns the cost of q, and if it meets the goals.
    """
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    start = part(row_at(starts, b), 0, problem.coordinates)
    cost = begin(problem, state.frames, row_at(offsets, b), start, row_at(targets, b), state.q)
    fold_points(problem, constraints, state.bodies, state.frames, row_at(offsets, b))
    copy(state.q, q)
    clear_trace(state.trace)
    record(state.trace, problem, state.q, state.frames.errors)
    return cost, within(problem, state.frames)


@entry("i1 f1 f1 f2 f1 f1 -> f b f")
def evaluate_pose(ints, floats, work, poses, q, residual):
    """Clamp the pose q to its limits, in place, and evaluate it.

    Returns its cost, if it meets the goals, and by how much it violates `Avoid` or `Balance` [model units].
    """
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    project(problem, q)
    copy(q, state.q)
    cost = evaluate(problem, state.frames, q)
    copy(state.frames.residual, residual)
    broken(problem, constraints, state.bodies, state.frames, q)
    excess = max(state.bodies.found[DEPTH], state.bodies.found[TOPPLE])
    return cost, within(problem, state.frames), excess


@entry("i1 f1 f1 f2 f2 f2")
def linearize_pose(ints, floats, work, poses, columns, bounds):
    """Fill the Jacobian (D, R) and the bounds (D, 2) of the pose evaluated last."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    linearize(problem, state.frames, state.linear, state.q)
    copy_rows(state.linear.columns, columns)
    copy_rows(state.linear.bounds, bounds)


@entry("i1 f1 f1 f2 f1 f1")
def step_pose(ints, floats, work, poses, delta, q):
    """Fill q with the pose evaluated and linearized last, moved along a tangent step (D,)."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    copy(state.q, q)
    step_along(problem, state.frames, state.linear, state.q, delta, q)


@entry("i1 f1 f1 f2")
def note_pose(ints, floats, work, poses):
    """Record the pose evaluated last as the end of an iteration."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    record(state.trace, problem, state.q, state.frames.errors)


@kernel
def close_row(problem, constraints, state, start, q, ended, row):
    """Judge the pose q of a problem that is set up and write its row of output."""
    evaluate(problem, state.frames, q)
    broken(problem, constraints, state.bodies, state.frames, q)
    fault = fault_of(problem, state.frames, state.bodies)
    finish_judged(problem, state.frames, state.linear, state.trace, start, q, ended, row, fault)
    if constraints.some or problem.has_moving_targets:
        write_faults(problem, state.frames, state.bodies, row)


@entry("i1 f1 f1 f2 f2 i f1 i i f2")
def close_problem(ints, floats, work, poses, starts, b, q, stop, used, out):
    """Judge the pose q and write row b of output."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    start = part(row_at(starts, b), 0, problem.coordinates)
    close_row(problem, constraints, state, start, q, Ended(stop, used, 0), row_at(out, b))


@entry("i1 f1 f1 f2 f3 f2 f2 f2 f2")
def report_poses(ints, floats, work, poses, offsets, starts, targets, found, out):
    """Judge the poses in the rows `found`, row b for problem b, and write the rows of output.

    The reason why the solver stopped, its iterations and its restarts are copied.
    """
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    count = problem.coordinates
    for b in range(found.shape[0]):
        given, row = found[b], out[b]
        start = part(row_at(starts, b), 0, count)
        set_up(problem, state.frames, row_at(offsets, b), start, row_at(targets, b), state.q)
        fold_points(problem, constraints, state.bodies, state.frames, row_at(offsets, b))
        clear_trace(state.trace)
        copy(part(given, 0, count), state.q)
        stop = int(given[count + layout.O_STOP])
        if stop > layout.STOP_BUDGET:
            stop = layout.STOP_STALLED
        restarts = int(given[count + layout.O_RESTARTS])
        ended = Ended(stop, int(given[count + layout.O_ITERATIONS]), restarts)
        close_row(problem, constraints, state, start, state.q, ended, row)


@entry("i1 f1 f1 f2 i f1 f2")
def write_what_blocks(ints, floats, work, poses, b, q, out):
    """Write into row b of output if `Avoid` or `Balance` keeps the pose q from its goals; after `close_problem`."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    state = take_buffers(problem, constraints, work, poses)
    seen = Seen(state.frames, state.linear, state.step, state.bodies)
    write_blocked(problem, constraints, seen, q, row_at(out, b))


Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Integers and floats of the problem, workspace, trace of poses."""


class Given(NamedTuple):
    """What a problem is beside its packed arrays, and the row of the batch that is solved."""

    problem: Problem
    offsets: np.ndarray  # (A + 2 G + P, 3), see `Problem.offsets`
    targets: np.ndarray  # (T,)


class Search:
    """The state of one solve, for a solver in plain Python.

    Lengths are divided by the characteristic length (that of the longest chain), so that the residual has
    no unit; `cost` is half its sum of squares, weights included.

    Attributes:
        q: Coordinates of the current pose, shape (Q,), inside the limits.
        cost: Its cost.
        residual: Its residual, shape (R,), three rows for each goal block.
        excess: By how much it violates the hard goals `Avoid` and `Balance` [model units]; 0 if it does not.
        reached: True if all goals are met, the hard ones too.
        iterations: How many have been used; `accept` counts them.
        budget: How many may be used.
        length: The characteristic length [model units].
        skeleton: The skeleton that is solved.
        joints: The joints that may move, but for copies of others, as indices in `skeleton.names`, shape (M,);
            parents come before children.
        targets: World position of the target of each `Reach`, shape (3,), by the effector's name. A target
            that is held or moves has none.
    """

    def __init__(self, arrays: Arrays, given: Given, q: np.ndarray):
        """See `run`."""
        self._arrays = arrays  # ints, floats, workspace, trace of poses
        problem = given.problem
        self.length, self.skeleton = problem.length, problem.skeleton
        self._translations = self.skeleton.offsets.copy()
        self._translations[problem.active] = given.offsets[: len(problem.active)]
        rows = self.skeleton.freedom_table.free.on(problem.moving)
        self.joints = np.unique(rows.joint)
        self.targets = {
            problem.goals[block.goal].effector_name: given.targets[
                block.offset : block.offset + 3
            ].copy()
            for block in problem.blocks
            if block.kind == layout.POSITION and block.carrier is None and not block.held
        }
        ints = arrays[0]
        self._freedoms, rows = int(ints[layout.H_DOFS]), int(ints[layout.H_ROWS])
        self.q, self.cost, self.reached, self.excess = q, math.inf, False, math.inf
        self.residual = np.empty(rows)
        self.iterations = 0
        self.budget = 0
        self._best, self._best_rank = q, (-math.inf, False, -math.inf)
        self.evaluate(q)

    def evaluate(self, q: np.ndarray) -> float:
        """Evaluate coordinates, shape (Q,), clamped to the limits; returns the cost.

        Raises:
            SuppleError: `q` has another shape or is not finite.
        """
        q = array("coordinates to evaluate", q, (len(self.q),)).copy()
        cost, met, excess = evaluate_pose(*self._arrays, q, self.residual)
        self.q, self.cost, self.excess = q, float(cost), float(excess)
        self.reached = bool(met) and self.excess <= 0.0
        rank = (-self.excess, self.reached, -self.cost)  # hard goals come before all others
        if rank > self._best_rank:
            self._best, self._best_rank = q, rank
        return self.cost

    def jacobian(self) -> np.ndarray:
        """The Jacobian at the current pose, shape (R, D): how fast the residual shrinks with each freedom.

        A Gauss-Newton step solves jacobian @ delta = residual by least squares.
        """
        return self._linear()[0].T

    def bounds(self) -> np.ndarray:
        """How far each freedom may change from the current pose, shape (D, 2) [rad, characteristic lengths]."""
        return self._linear()[1]

    def pose(self) -> Pose:
        """The current pose, on `skeleton`, as the solver sees it.

        It has the start's translations on the joints that matter to the goals, elsewhere the skeleton's; a start's
        scales are multiplied into them, and the tips keep the skeleton's offsets.
        """
        return Pose._wrap(self.skeleton, self.q.copy(), self._translations)

    def positions(self) -> np.ndarray:
        """World positions of joints and tips in the current pose, shape (N + T, 3) [model units].

        In the order of `skeleton.names`; see `pose`.
        """
        return self.pose().positions

    def axes(self, joint: int) -> np.ndarray:
        """World axes that a joint turns about in the current pose, unit vectors, shape (K, 3).

        One for a hinge; of a ball or a cone the three of its rest frame; none for a slider. A small angle about one
        of them moves a point p below the joint by angle * axis x (p - position of the joint).

        Args:
            joint: One of `joints`.
        """
        return self._turning(joint)[1]

    def turned(self, joint: int, rotation: np.ndarray) -> np.ndarray:
        """Coordinates, shape (Q,), of the current pose with one joint turned, not yet put into the limits.

        A hinge takes the part along its axis, a ball all of it. Several angles share it by least squares, which is
        exact for small rotations only.

        Args:
            joint: One of `joints`.
            rotation: World rotation vector, shape (3,) [rad].

        Raises:
            SuppleError: `rotation` has another shape or is not finite.
        """
        rotation = array("rotation to turn a joint by", rotation, (3,))
        freedoms, axes = self._turning(joint)
        table = self.skeleton.freedom_table
        step = np.zeros(len(table))
        step[freedoms] = np.linalg.lstsq(axes.T, rotation, rcond=None)[0]
        return table.stepped(self.q, step)

    def _turning(self, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """The freedoms of a joint that turn it, shape (K,), and their world axes, shape (K, 3)."""
        now = tangent(
            self.skeleton,
            self.q[None],
            translations=self._translations,
            joints=np.array([joint]),
        )
        turning = now.rows.turns & ~now.rows.is_copy
        return now.rows.freedom[turning], now.axes[0].T[turning]

    def _linear(self) -> tuple[np.ndarray, np.ndarray]:
        columns = np.empty((self._freedoms, len(self.residual)))
        bounds = np.empty((self._freedoms, 2))
        linearize_pose(*self._arrays, columns, bounds)
        return columns, bounds

    def moved(self, delta: np.ndarray) -> np.ndarray:
        """Coordinates of the current pose, moved along a tangent step (D,), inside the limits.

        Call `jacobian` or `bounds` at this pose first.

        Raises:
            SuppleError: `delta` has another shape or is not finite.
        """
        q = np.empty(len(self.q))
        step_pose(*self._arrays, array("step to move by", delta, (self._freedoms,)), q)
        return q

    def accept(self, q: np.ndarray | None = None) -> bool:
        """End an iteration, at the current pose or at given coordinates; False if it was the last."""
        if q is not None:
            self.evaluate(q)
        self.iterations += 1
        note_pose(*self._arrays)
        return not self.reached and self.iterations < self.budget


def run(
    solver: Any,
    ints: np.ndarray,
    floats: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
    work: np.ndarray,
    trace_poses: np.ndarray,
    trace_events: np.ndarray,
    first: int,
    last: int,
    *,
    problem: Problem,
) -> None:
    """The `solve_range` of a solver in plain Python."""
    del trace_events
    arrays = (ints, floats, work, trace_poses)
    measure(*arrays)
    for b in range(first, last):
        q = np.empty(ints[layout.H_COORDS])
        open_problem(*arrays, offsets, starts, targets, b, q)
        given = Given(problem, _row(offsets, b), _row(targets, b))
        search = Search(arrays, given, q)
        search.budget = solver.max_iterations
        if not search.reached and search.budget > 0:
            solver.solve(search)
        stop = layout.STOP_STALLED if search.iterations < search.budget else layout.STOP_BUDGET
        close_problem(*arrays, starts, b, search._best, stop, search.iterations, out)
        write_what_blocks(*arrays, b, search._best, out)


def _row(rows: np.ndarray, b: int) -> np.ndarray:
    """Row b of a batch, or the one row that serves all."""
    return rows[b if len(rows) > 1 else 0]
