"""The output of a solve: its trace while it runs, and the row of output at its end.

The trace has the pose after every iteration, and the steps inside as (joint, change) events. Without a trace both
buffers have no rows, and recording is one comparison.

All solvers share the end: judge the answer and write one row of output. It holds the
coordinates, then the report of `layout`, then an error for each block, then a flag for each moving joint that
presses against a limit.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, kernel, leaf
from supple.kernels.jacobian import linearize
from supple.kernels.joint import has_quaternion, number_count
from supple.kernels.problem import evaluate, within
from supple.kernels.reach import gap, span
from supple.kernels.tree_factor import (
    PULL,
    SPARE,
    column_squares,
    pulled,
    tree_of,
    uses_tree,
)
from supple.kernels.workspace import copy, part, row_at, vector

# The trace ----------------------------------------------------------------------------------------

POSES, EVENTS = range(2)


class Trace(NamedTuple):
    """Buffers for the trace of a solve."""

    poses: Any  # (P, Q + 2) a pose, its largest distance and its largest angle
    events: Any  # (E, EVENT)
    count: Any  # (2,) how many of each are written


@leaf
def trace_into(poses, events, work):
    """A trace in the given buffers."""
    return Trace(poses, events, vector(work, 2))


@leaf
def clear_trace(trace):
    """Empty the trace for the next problem."""
    trace.count[POSES] = 0.0
    trace.count[EVENTS] = 0.0


@leaf
def largest_errors(problem, errors):
    """The largest distance and the largest angle of the goals that count."""
    blocks = problem.blocks
    distance, angle = 0.0, 0.0
    for g in range(blocks.shape[0]):
        kind = blocks[g, layout.B_KIND]
        if problem.blocks_f[g, layout.B_WEIGHT] == 0.0:
            continue  # a clip does not ask for it in this frame
        if (
            kind == layout.POSITION
            or kind == layout.MEET
            or kind == layout.SPAN
            or kind == layout.OWN_LENGTH
        ):
            distance = max(distance, errors[g])
        elif blocks[g, layout.B_ROW] >= 0 and kind != layout.OWN_NUMBER:
            angle = max(angle, errors[g])
    return distance, angle


@leaf
def record(trace, problem, q, errors):
    """Write the pose q and its largest errors (length, radians), if there is room."""
    n = int(trace.count[POSES])
    if trace.poses.shape[0] == 0 or n >= trace.poses.shape[0]:
        return
    for i in range(q.shape[0]):
        trace.poses[n, i] = q[i]
    distance, angle = largest_errors(problem, errors)
    trace.poses[n, q.shape[0]] = distance
    trace.poses[n, q.shape[0] + 1] = angle
    trace.count[POSES] += 1.0


@leaf
def _next_event(trace, kind, iteration, joint):
    """The row of a new event, cleared; -1 if there is no room."""
    n = int(trace.count[EVENTS])
    if trace.events.shape[0] == 0 or n >= trace.events.shape[0]:
        return -1
    trace.count[EVENTS] += 1.0
    for i in range(layout.V_CHANGE, layout.EVENT):
        trace.events[n, i] = 0.0
    trace.events[n, layout.V_ITERATION] = iteration
    trace.events[n, layout.V_KIND] = kind
    trace.events[n, layout.V_JOINT] = joint
    return n


@kernel
def record_turn(trace, problem, iteration, k, before, after):
    """Write how moving joint k went from coordinates `before` to `after` (whole poses).

    The change is the difference of its scalar coordinates, then the rotation vector of its quaternion in its rest
    frame; the change of a stretch comes last.
    """
    moving = problem.moving
    n = _next_event(trace, layout.TURNED, iteration, moving[k, layout.M_JOINT])
    if n < 0:
        return
    kind = moving[k, layout.M_KIND]
    at = moving[k, layout.M_Q]
    count = number_count(kind)
    for i in range(count):
        trace.events[n, layout.V_CHANGE + i] = after[at + i] - before[at + i]
    if has_quaternion(kind):
        old, new = quat.take4(before, at + count), quat.take4(after, at + count)
        turn = quat.log(quat.mul(new, quat.conj(old)))
        for i in range(3):
            trace.events[n, layout.V_CHANGE + count + i] = turn[i]
    stretch = moving[k, layout.M_STRETCH_Q]
    if stretch >= 0:
        trace.events[n, layout.EVENT - 1] = after[stretch] - before[stretch]


@kernel
def record_change(trace, problem, iteration, before, after):
    """Write how every joint went from one pose to another."""
    if trace.events.shape[0] > 0:
        for k in range(problem.moving.shape[0]):
            record_turn(trace, problem, iteration, k, before, after)


@kernel
def record_turns(trace, problem, iteration, shown, q):
    """Write the changes of the joints that differ from the pose in `shown`, and copy q there."""
    moving = problem.moving
    if trace.events.shape[0] == 0:
        return
    for k in range(moving.shape[0]):
        at = moving[k, layout.M_Q]
        for i in range(moving[k, layout.M_NQ]):
            if q[at + i] != shown[at + i]:
                record_turn(trace, problem, iteration, k, shown, q)
                break
    for i in range(q.shape[0]):
        shown[i] = q[i]


@kernel
def record_place(trace, problem, iteration, k, point):
    """Write that moving joint k, or an effector (-1), was put at a world point."""
    joint = problem.moving[k, layout.M_JOINT] if k >= 0 else -1
    n = _next_event(trace, layout.PLACED, iteration, joint)
    if n >= 0:
        for i in range(3):
            trace.events[n, layout.V_CHANGE + i] = point[i]


# The end ------------------------------------------------------------------------------------------

HELD_BY_COPY = 2.0  # flag of a joint that is held by the limit of a mimic joint


class LimitRules(NamedTuple):
    """When a limit counts as what keeps a pose from its goals. Not tuned.

    Attributes:
        small_change: A freedom's gain is that of a change no larger than this [rad, characteristic lengths].
        helpful: A freedom that gains less than this part of the squared miss cannot help.
        at_limit: A freedom no farther than this from a bound stands at it [rad, characteristic lengths]; rounding.
        effectless: A freedom that moves the effectors by no more than this part of the one that moves them most
            moves nothing; rounding.
    """

    small_change: float = 0.1
    helpful: float = 1e-3
    at_limit: float = 1e-9
    effectless: float = 1e-9


LIMIT_RULES = LimitRules()


class Ended(NamedTuple):
    """How a solver ended."""

    stop: int  # STOP_REACHED, STOP_STALLED or STOP_BUDGET
    iterations: int
    restarts: int


class OutOfReach(NamedTuple):
    """The position block whose target is out of its chain's reach."""

    block: int  # -1 if there is none
    reach: float  # the farthest or nearest its chain can reach
    distance: float  # of its target from the base of its chain


@leaf
def gain_of(pull, width, square, most):
    """The largest part of the squared miss that one freedom can remove, in the linear model.

    Args:
        pull: The dot product of its column and the residual rows, not negative.
        width: The squared length of its column.
        square: The squared length of the rows.
        most: How far it may change.
    """
    x = min(pull / width, most)
    return x * (2.0 * pull - x * width) / square


@kernel
def _pull_and_width(problem, linear, rows, d):
    """The dot product of a freedom's column and the residual rows, and the column's squared length."""
    if uses_tree(linear):
        found = tree_of(problem, linear).by_freedom
        return found[PULL, d], found[SPARE, d]
    columns, pull, width = linear.columns, 0.0, 0.0
    for r in range(rows.shape[0]):
        pull += columns[d, r] * rows[r]
        width += columns[d, r] * columns[d, r]
    return pull, width


@cold
def _fill_on_tree(problem, linear, rows):
    """Fill what `_pull_and_width` reads, for all freedoms."""
    tree = tree_of(problem, linear)
    pulled(tree, rows, row_at(tree.by_freedom, PULL))
    column_squares(tree, row_at(tree.by_freedom, SPARE))


@kernel
def pressed(problem, frames, linear, q, flags):
    """Flag every moving joint that a limit keeps from bringing the effectors closer.

    A freedom counts that stands at a bound, is pulled outward, and past the bound would gain at
    least `LIMIT_RULES.helpful` with a small change. Where the bound is the limit of a mimic joint, that joint is
    flagged, not the one it copies.

    Returns the greatest gains with a small change (see `gain_of`): of the freedoms at a bound, as if
    it were not there, and of the others, inside their bounds.
    """
    moving, moving_f = problem.moving, problem.moving_f
    bounds = linear.bounds
    rows = frames.residual
    square, widest = 0.0, 0.0
    for r in range(rows.shape[0]):
        square += rows[r] * rows[r]
    if uses_tree(linear):
        _fill_on_tree(problem, linear, rows)
    for d in range(problem.freedoms):
        widest = max(widest, _pull_and_width(problem, linear, rows, d)[1])
    held = 0.0
    free = 0.0
    for k in range(moving.shape[0]):
        flags[k] = 0.0
        # A mimic joint has no freedom except its stretch.
        turns = 0 if moving[k, layout.M_MIMIC] >= 0 else moving[k, layout.M_NDOF]
        stretch = moving[k, layout.M_STRETCH_DOF]
        for i in range(turns + (1 if stretch >= 0 else 0)):
            d = moving[k, layout.M_DOF] + i if i < turns else stretch
            pull, width = _pull_and_width(problem, linear, rows, d)
            if width <= LIMIT_RULES.effectless * LIMIT_RULES.effectless * widest:
                continue  # a freedom without effect: the sign of its pull is rounding
            room = bounds[d, 1] if pull > 0.0 else -bounds[d, 0]
            if room <= LIMIT_RULES.at_limit:
                gain = gain_of(abs(pull), width, square, LIMIT_RULES.small_change)
                held = max(held, gain)
                if gain >= LIMIT_RULES.helpful:
                    flags[k] = 1.0
            else:
                free = max(
                    free, gain_of(abs(pull), width, square, min(room, LIMIT_RULES.small_change))
                )
    for k in range(moving.shape[0]):
        source = moving[k, layout.M_MIMIC]
        if source >= 0 and flags[source] > 0.0:
            value, low, high = (
                q[moving[k, layout.M_Q]],
                moving_f[k, layout.LIMITS],
                moving_f[k, layout.LIMITS + 1],
            )
            slack = LIMIT_RULES.at_limit * max(1.0, abs(value))
            if value - low <= slack or high - value <= slack:
                flags[k] = 1.0
                flags[source] = HELD_BY_COPY
    for k in range(moving.shape[0]):
        flags[k] = 1.0 if flags[k] == 1.0 else 0.0
    return held, free


@kernel
def why_missed(stop, held, free):
    """The status of a pose that misses its goals although they are within reach of its chains.

    LIMITED if the pose is a minimum of the cost inside the limits (no freedom that can move gains
    anything) but not without them (a freedom at a limit would); see `supple.Status`.

    Args:
        stop: Why the solver stopped.
        held: The greatest gain of a freedom that a limit holds, from `pressed`.
        free: The same of the other freedoms.
    """
    if free >= LIMIT_RULES.helpful:
        return layout.BUDGET if stop == layout.STOP_BUDGET else layout.STALLED
    return layout.LIMITED if held >= LIMIT_RULES.helpful else layout.STALLED


@kernel
def beyond_reach(problem, frames):
    """The first position that is surely out of reach, and the status that says so."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            tolerance = problem.blocks_f[g, layout.B_TOLERANCE]
            nearest, longest, base = span(problem, frames, g)
            away = gap(frames, g, base)
            if away - longest > tolerance:
                return OutOfReach(g, longest, away), layout.TOO_FAR
            if nearest - away > tolerance:
                return OutOfReach(g, nearest, away), layout.TOO_NEAR
    return OutOfReach(-1, 0.0, 0.0), layout.REACHED


@leaf
def finish(problem, frames, linear, trace, start, q, ended, out):
    """Judge the pose q and write the row of output."""
    finish_judged(problem, frames, linear, trace, start, q, ended, out, layout.REACHED)


@kernel
def finish_judged(problem, frames, linear, trace, start, q, ended, out, fault):
    """Judge the pose q and write the row of output.

    `fault` is the status of a loop or constraint that the pose breaks, REACHED if it breaks none.
    """
    cost = evaluate(problem, frames, q)
    first = problem.coordinates + layout.REPORT + problem.reported
    flags = part(out, first, problem.moving.shape[0])
    for k in range(flags.shape[0]):
        flags[k] = 0.0
    copy(q, out)
    status, beyond = layout.REACHED, OutOfReach(-1, 0.0, 0.0)
    if not within(problem, frames):
        linearize(problem, frames, linear, q)
        held, free = pressed(problem, frames, linear, q, flags)
        beyond, status = beyond_reach(problem, frames)
        if beyond.block < 0:
            status = why_missed(ended.stop, held, free)
            if status == layout.STALLED:
                for k in range(flags.shape[0]):
                    flags[k] = (
                        0.0  # joints press against limits, but that is not why the solve ended
                    )
    if fault != layout.REACHED:
        status, beyond = fault, OutOfReach(-1, 0.0, 0.0)
    if problem.keep and status != layout.REACHED:
        copy(start, out)
        cost = evaluate(problem, frames, start)
    write_report(problem, frames, trace, ended, status, beyond, cost, out)


@leaf
def finish_reached(problem, frames, trace, q, ended, cost, out):
    """Write the row of output for a pose q that is known to meet its goals."""
    copy(q, out)
    for i in range(problem.coordinates + layout.REPORT + problem.reported, out.shape[0]):
        out[i] = 0.0
    write_report(problem, frames, trace, ended, layout.REACHED, OutOfReach(-1, 0.0, 0.0), cost, out)


@leaf
def write_report(problem, frames, trace, ended, status, beyond, cost, out):
    """Write a row of output except its coordinates and flags."""
    nq = problem.coordinates
    for g in range(problem.reported):
        out[nq + layout.REPORT + g] = frames.errors[g]
    distance, angle = largest_errors(problem, frames.errors)
    out[nq + layout.O_STOP] = layout.STOP_REACHED if status == layout.REACHED else ended.stop
    out[nq + layout.O_STATUS] = status
    out[nq + layout.O_ITERATIONS] = ended.iterations
    out[nq + layout.O_ERROR] = distance
    out[nq + layout.O_TURN_ERROR] = angle
    out[nq + layout.O_RESTARTS] = ended.restarts
    out[nq + layout.O_TRACE] = trace.count[POSES]
    out[nq + layout.O_EVENTS] = trace.count[EVENTS]
    out[nq + layout.O_COST] = cost
    out[nq + layout.O_BLOCK] = beyond.block
    out[nq + layout.O_REACH] = beyond.reach
    out[nq + layout.O_GAP] = beyond.distance
    out[nq + layout.O_OPEN] = -1.0
    out[nq + layout.O_PAIR] = -1.0
    out[nq + layout.O_DEPTH] = 0.0
    out[nq + layout.O_TOPPLE] = 0.0
