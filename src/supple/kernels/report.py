"""The end that all solvers share: judge the answer and write one row of output.

A row holds the coordinates, then the report of `layout`, then an error a block, then a flag a moving
joint that presses against a limit.
"""

from typing import NamedTuple

from supple.kernels import layout
from supple.kernels.cache import kernel, leaf
from supple.kernels.evaluate import evaluate
from supple.kernels.jacobian import linearize
from supple.kernels.reach import gap, span
from supple.kernels.residual import within
from supple.kernels.trace import EVENTS, POSES, largest_errors
from supple.kernels.views import copy, part

SMALL = 0.1  # a small change of a freedom [rad, characteristic lengths]
HELPFUL = 1e-3  # a freedom that gains less than this part of the squared miss cannot help
AT_LIMIT = 1e-9  # a freedom this near to a bound stands at it [rad, characteristic lengths]
# A freedom that moves the effectors by less than this part of the others moves nothing.
EFFECTLESS = 1e-9
COPIED = 2.0  # flag of a joint that is held by the limit of a mimic joint


class Ended(NamedTuple):
    """How a solver ended."""

    stop: int  # STOP_REACHED, STOP_STALLED or STOP_BUDGET
    iterations: int
    restarts: int


class OutOfReach(NamedTuple):
    """The position block whose target is out of its chain's reach."""

    block: int  # -1 if there is none
    reach: float  # the farthest or nearest its chain can reach
    distance: float  # of its target from where its chain begins


@leaf
def gain_of(pull, width, square, most):
    """What part of the squared miss a freedom takes away, by the linear model, at its best.

    Args:
        pull: The product of its column and the residual rows, not negative.
        width: Its column's squared length.
        square: The rows' squared length.
        most: How far it may change.
    """
    x = min(pull / width, most)
    return x * (2.0 * pull - x * width) / square


@kernel
def pressed(problem, frames, linear, q, flags):
    """Flag every moving joint that a limit keeps from bringing the effectors closer.

    A freedom counts that stands at a bound, is pulled outward, and past the bound would gain at
    least HELPFUL with a SMALL change. Where the bound is the limit of a mimic joint, that joint is
    flagged, not the one it copies.

    Returns the greatest gains with a small change (see `gain_of`): of the freedoms that a bound
    holds, if it did not, and of the others, inside their bounds.
    """
    moving, moving_f = problem.moving, problem.moving_f
    bounds, columns = linear.bounds, linear.columns
    rows = frames.residual
    square, widest = 0.0, 0.0
    for r in range(rows.shape[0]):
        square += rows[r] * rows[r]
    for d in range(columns.shape[0]):
        width = 0.0
        for r in range(rows.shape[0]):
            width += columns[d, r] * columns[d, r]
        widest = max(widest, width)
    held = 0.0
    free = 0.0
    for k in range(moving.shape[0]):
        flags[k] = 0.0
        turns = (
            0 if moving[k, layout.M_MIMIC] >= 0 else moving[k, layout.M_NDOF]
        )  # a copy has none of its own
        stretch = moving[k, layout.M_STRETCH_DOF]
        for i in range(turns + (1 if stretch >= 0 else 0)):
            d = moving[k, layout.M_DOF] + i if i < turns else stretch
            pull = 0.0
            width = 0.0
            for r in range(rows.shape[0]):
                pull += columns[d, r] * rows[r]
                width += columns[d, r] * columns[d, r]
            if width <= EFFECTLESS * EFFECTLESS * widest:
                continue  # what moves nothing has a direction made of rounding
            room = bounds[d, 1] if pull > 0.0 else -bounds[d, 0]
            if room <= AT_LIMIT:
                gain = gain_of(abs(pull), width, square, SMALL)
                held = max(held, gain)
                if gain >= HELPFUL:
                    flags[k] = 1.0
            else:
                free = max(free, gain_of(abs(pull), width, square, min(room, SMALL)))
    for k in range(moving.shape[0]):
        source = moving[k, layout.M_MIMIC]
        if source >= 0 and flags[source] > 0.0:
            value, low, high = (
                q[moving[k, layout.M_Q]],
                moving_f[k, layout.LIMITS],
                moving_f[k, layout.LIMITS + 1],
            )
            slack = AT_LIMIT * max(1.0, abs(value))
            if value - low <= slack or high - value <= slack:
                flags[k] = 1.0
                flags[source] = COPIED
    for k in range(moving.shape[0]):
        flags[k] = 1.0 if flags[k] == 1.0 else 0.0
    return held, free


@kernel
def why_missed(stop, held, free):
    """The status of a pose that misses its goals, within the bounds of its chains.

    LIMITED if the pose is a minimum of the cost inside the limits (no freedom that can move gains
    anything) but not without them (a freedom at a limit would); see `supple.Status`.

    Args:
        stop: Why the solver stopped.
        held: The greatest gain of a freedom that a limit holds, from `pressed`.
        free: The same of the other freedoms.
    """
    if free >= HELPFUL:
        return layout.BUDGET if stop == layout.STOP_BUDGET else layout.STALLED
    return layout.LIMITED if held >= HELPFUL else layout.STALLED


@kernel
def beyond_reach(problem, frames):
    """The first position that is surely out of reach, and the status that says so."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            tolerance = problem.blocks_f[g, layout.B_TOLERANCE]
            nearest, longest = span(problem, frames, g)
            away = gap(problem, frames, g)
            if away - longest > tolerance:
                return OutOfReach(g, longest, away), layout.TOO_FAR
            if nearest - away > tolerance:
                return OutOfReach(g, nearest, away), layout.TOO_NEAR
    return OutOfReach(-1, 0.0, 0.0), layout.REACHED


@kernel
def finish(problem, frames, linear, trace, start, q, ended, out):
    """Judge the pose q and write the row of output."""
    cost = evaluate(problem, frames, q)
    first = problem.coordinates + layout.REPORT + problem.blocks.shape[0]
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
                    flags[k] = 0.0  # limits press, but they are not what the solve ended at
        if problem.keep:
            copy(start, out)
            cost = evaluate(problem, frames, start)
    write_report(problem, frames, trace, ended, status, beyond, cost, out)


@leaf
def finish_reached(problem, frames, trace, q, ended, cost, out):
    """Write the row of output for a pose q that is known to meet its goals."""
    copy(q, out)
    for i in range(problem.coordinates + layout.REPORT + problem.blocks.shape[0], out.shape[0]):
        out[i] = 0.0
    write_report(problem, frames, trace, ended, layout.REACHED, OutOfReach(-1, 0.0, 0.0), cost, out)


@leaf
def write_report(problem, frames, trace, ended, status, beyond, cost, out):
    """Write everything of a row of output but the coordinates and the flags."""
    nq = problem.coordinates
    for g in range(problem.blocks.shape[0]):
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
