"""Least squares over all frames of a clip: the goals of every frame, and joints that move smoothly.

The idea: Gauss-Newton on the poses of all frames at once. A frame's goals, loops and constraints are those of a
solve, linearised by the same kernels. Frames are tied by differences over time: `smooth` weighs the squared distance of
every freedom from a reference, its first differences and its second. These tie a frame to the two before it, freedom by
freedom, so that the normal equations are blocks in a band (`supple.kernels.banded`). Each frame is damped separately
(Levenberg-Marquardt); a step is kept if the cost of the whole clip falls.

Freedoms of a quaternion are rotations about the axes of the joint's frame at rest, so that a change means the same in
every frame. The difference of two quaternions is the rotation vector from one to the other; its derivatives are exact
in the gradient (Sola, Deray and Atchuthan 2018, "A micro Lie theory for state estimation in robotics", eq. 143 to 146)
and approximated by the identity in the matrix.

Limits are an active set: freedoms at a limit that are pulled outward are held, those that would leave their range are
set to the limit, and the others are solved for again. A swing or twist that would leave its limits goes to the nearest
one inside. Constraints that the step would violate are added to the system, as in `supple.kernels.levenberg`.

The right choice for animation and retargeting, where frames depend on each other. It is a local solve: each frame
stays on the branch (elbow up or down) that it starts on (`supple.solve.jumps` brings neighbours to the same one). Where
nothing ties the frames they are solved one by one, and none depends on the others. A window of frames can be solved
with those around it held, so that clips of any length fit into memory.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import banded, layout
from supple.kernels import quaternion as quat
from supple.kernels.blocked import Seen, write_blocked
from supple.kernels.constraints import (
    DEPTH,
    MOST_ROWS,
    ROWS,
    TOPPLE,
    broken,
    fault_of,
    fold_points,
    linearize_constraints,
    take_bodies,
    unpack_constraints,
    widest_open,
    write_faults,
)
from supple.kernels.decorators import entry, kernel, leaf
from supple.kernels.jacobian import NO_BOUND, jacobian, log_factor, step_along, tangent
from supple.kernels.joint import has_quaternion, number_count, project, slides
from supple.kernels.levenberg import AT_BOUND, DESCENT_RULES, eased, take_step
from supple.kernels.mending import restore
from supple.kernels.problem import (
    evaluate,
    fold,
    folds_once,
    forward,
    place_effectors,
    set_targets,
    take_dense_linear,
    take_frames,
    take_linear,
    unpack,
    with_blocks,
)
from supple.kernels.report import Ended, clear_trace, finish_judged, trace_into
from supple.kernels.workspace import clear, copy, matrix, part, row_at, vector

DEPARTURE, VELOCITY, ACCELERATION = range(3)  # columns of `smooth`
CLIP = "i1 f1 f3 f2 f2 f2 f2 f2 f1 f2 f1"
"""The first arguments of every entry here: ints, floats, offsets, rows, smooth, reference, poses, ended, settings,
out, work."""

# Columns of `settings`.
S_ITERATIONS, S_DAMPING, S_STALL, S_WINDOW, S_BANDS, S_PASSES, S_BLAME = range(7)
SETTING_COLUMNS = 7

# Columns of `ended`: iterations of a frame, why they stopped, its cost, and by how much its constraints are violated.
E_USED, E_STOP, E_COST, E_DEPTH = range(4)
ENDED_COLUMNS = 4


class Tuning(NamedTuple):
    """The tuned numbers of clips. Where no source is given, none is recorded.

    Attributes:
        least_damping: Damping of a frame, at least.
        greatest_repair: How far repairing constraints may move a freedom of a frame [rad, characteristic lengths].
        damped_share: After a step that gains less than expected, frames that fall short of the model by more than this
            are damped more [of the largest shortfall].
        negligible_gain: An expected fall of the cost by less than this a frame ends the solve [characteristic lengths
            squared].
    """

    least_damping: float = 1e-9
    greatest_repair: float = 0.1
    damped_share: float = 0.1
    negligible_gain: float = 1e-16


TUNING = Tuning()


class RowColumns(NamedTuple):
    """The first column of each field in the row of a frame; the targets come first."""

    targets: int  # how many target numbers there are
    weights: int  # (G,) factors of the blocks' weights, square roots as those are
    robust: int  # (G,) errors beyond which a block counts linearly, 0 for none [model units, rad]
    standing: int  # (S,) which soles support
    strength: int  # (3,) weights of distances and balance, and how near constraints are looked at
    held: int  # (G, 4) the targets taken from the start poses, if the row is that long


class Clip(NamedTuple):
    """The goals of a clip, and its poses."""

    offsets: Any  # (F, A + 2 G + P, 3), or one for all
    rows: Any  # (F, ...) see `RowColumns`
    smooth: Any  # (D, 3) weights of differences of the order 0, 1 and 2
    reference: Any  # (F, Q), or one for all, or none: poses whose differences are subtracted
    poses: Any  # (F, Q)
    weights: Any  # (G, BLOCK_FLOATS) of the problem's blocks
    columns: RowColumns
    once: bool  # whether one `fold` serves all frames


class Buffers(NamedTuple):
    """The workspace of a window."""

    frames: Any
    linear: Any
    constraints: Any
    bodies: Any
    trial: Any  # (Q,)
    own_frames: Any  # with every joint's frame equal to the world's: steps are taken in these
    own_linear: Any
    blocks_f: Any  # (G, BLOCK_FLOATS) of the current frame
    touched: Any  # (D,) freedoms that move a block
    part: Any  # (4, D) their columns, and a row of products
    bands: Any
    system: Any  # (W D, D) normal matrices, upper triangles, without differences over time
    gradient: Any  # (W, D) of the cost, differences included
    low: Any  # (W, D) how far each freedom may change
    high: Any  # (W, D)
    free: Any  # (W, D) 1 for a freedom that is solved for
    delta: Any  # (W, D) the step
    x: Any  # (W, D)
    columns: Any  # (W K, D) rows of constraints
    excess: Any  # (W, K)
    taken: Any  # (W, K)
    counts: Any  # (W,) how many there are
    ahead: Any  # (W,) by how much the model overestimates the fall, from rows that are not violated yet
    damping: Any  # (W,)
    cost: Any  # (W,)
    depth: Any  # (W,) how deep the deepest pair is in its margin, or how far the centre of mass is off balance
    before: Any  # (W,) the cost before a step
    gain: Any  # (W,) by how much the model expects it to fall
    kept: Any  # (W, Q) the poses before a step
    edges: Any  # (W + 3, D) changes from frame to frame less those of the reference, from two before the window on
    turns: Any  # (W + 3, D) the same without subtracting the reference
    pull: Any  # (W + 3, D) derivative of the cost by these changes


class Rules(NamedTuple):
    """How a window is solved."""

    iterations: float
    damping: float  # at the start
    stall: float  # the solve ends at a gain, expected or real, below this fraction of the cost
    bands: int
    passes: int  # solves of a step, at most, by the active set


@leaf
def read_columns(problem, constraints, ints):
    """The columns of the row of a frame."""
    targets, blocks = ints[layout.H_TARGETS], problem.blocks.shape[0]
    standing = targets + 2 * blocks
    strength = standing + constraints.soles.shape[0]
    return RowColumns(targets, targets, targets + blocks, standing, strength, strength + 3)


@leaf
def take_buffers(problem, constraints, window, bands, work):
    """Take the workspace of a window of `window` frames."""
    nq, nd, ng = problem.coordinates, problem.freedoms, problem.blocks.shape[0]
    rows = constraints.pairs.shape[0] + constraints.soles.shape[0] + constraints.tables.shape[0]
    rows = min(rows, MOST_ROWS)
    return Buffers(
        take_frames(problem, work),
        take_dense_linear(problem, work),
        constraints,
        take_bodies(problem, constraints, work),
        vector(work, nq),
        take_frames(problem, work),
        take_dense_linear(problem, work),
        matrix(work, ng, layout.BLOCK_FLOATS),
        vector(work, nd),
        matrix(work, 4, nd),
        banded.take_bands(window, nd, bands, work),
        matrix(work, window * nd, nd),
        matrix(work, window, nd),
        matrix(work, window, nd),
        matrix(work, window, nd),
        matrix(work, window, nd),
        matrix(work, window, nd),
        matrix(work, window, nd),
        matrix(work, window * rows, nd),
        matrix(work, window, rows),
        matrix(work, window, rows),
        vector(work, window),
        vector(work, window),
        vector(work, window),
        vector(work, window),
        vector(work, window),
        vector(work, window),
        vector(work, window),
        matrix(work, window, nq),
        matrix(work, window + 3, nd),
        matrix(work, window + 3, nd),
        matrix(work, window + 3, nd),
    )


# One frame ----------------------------------------------------------------------------------------


@kernel
def open_frame(problem, clip, buffers, f):
    """Set up frame f: its targets, weights and supporting soles."""
    rows, columns, bodies = clip.rows, clip.columns, buffers.bodies
    blocks, frames = problem.blocks, buffers.frames
    for g in range(blocks.shape[0]):
        factor = rows[f, columns.weights + g]
        buffers.blocks_f[g, layout.B_WEIGHT] = clip.weights[g, layout.B_WEIGHT] * factor
    set_targets(problem, frames, part(row_at(rows, f), 0, columns.targets))
    if rows.shape[1] > columns.held:
        for g in range(blocks.shape[0]):
            if blocks[g, layout.B_HELD] == 1:
                held = quat.load4(rows, f, columns.held + 4 * g)
                quat.store4(frames.effectors, g, layout.E_TARGET, held)
    for s in range(bodies.standing.shape[0]):
        bodies.standing[s] = rows[f, columns.standing + s]
    for i in range(3):
        bodies.strength[i] = rows[f, columns.strength + i]


@leaf
def fold_frame(problem, clip, buffers, f, q):
    """Merge the joints that do not move in frame f into rigid steps."""
    offsets = row_at(clip.offsets, f)
    fold(problem, buffers.frames, offsets, q)
    fold_points(problem, buffers.constraints, buffers.bodies, buffers.frames, offsets)


@kernel
def weigh_frame(problem, clip, buffers, f, q):
    """Evaluate frame f, set up; returns its cost without differences over time.

    The rows of a block whose error is larger than its `robust` are scaled down, so that it counts linearly from there
    on (Huber's loss, by reweighting).
    """
    frames, robust = buffers.frames, clip.columns.robust
    cost = evaluate(problem, frames, q)
    for g in range(problem.blocks.shape[0]):
        most, row = clip.rows[f, robust + g], problem.blocks[g, layout.B_ROW]
        if most > 0.0 and row >= 0 and frames.errors[g] > most:
            share = most / frames.errors[g]
            factor, square = math.sqrt(share), 0.0
            for r in range(row, row + 3):
                square += frames.residual[r] * frames.residual[r]
                frames.residual[r] *= factor
            cost += 0.5 * square * (share * (2.0 - share) - 1.0)
            buffers.blocks_f[g, layout.B_WEIGHT] *= factor
    if buffers.constraints.some:
        cost += broken(problem, buffers.constraints, buffers.bodies, frames, q)
    return cost


@kernel
def own_axes(problem, frames, linear):
    """Let the freedoms of quaternions rotate about the axes of their joints' frames at rest, without bounds."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if has_quaternion(kind) and moving[k, layout.M_MIMIC] < 0:
            d = moving[k, layout.M_DOF] + number_count(kind)
            pre = quat.load4(frames.joints, k, layout.S_WPRE)
            for i in range(3):
                quat.store3(linear.axes, d + i, 0, quat.rotate(pre, quat.letter_axis(i)))
                linear.bounds[d + i, 0], linear.bounds[d + i, 1] = -NO_BOUND, NO_BOUND


@kernel
def _add_blocks(problem, buffers, n):
    """Add the rows of all blocks to matrix and gradient of frame n of the window."""
    blocks, columns = problem.blocks, buffers.linear.columns
    residual, touched, parts = buffers.frames.residual, buffers.touched, buffers.part
    system, first = buffers.system, n * problem.freedoms
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if row < 0 or buffers.blocks_f[g, layout.B_WEIGHT] == 0.0:
            continue
        count = 0
        for d in range(problem.freedoms):
            x, y, z = columns[d, row], columns[d, row + 1], columns[d, row + 2]
            if x != 0.0 or y != 0.0 or z != 0.0:
                touched[count] = d
                parts[0, count], parts[1, count], parts[2, count] = x, y, z
                count += 1
        u, v, w = residual[row], residual[row + 1], residual[row + 2]
        for i in range(count):
            x, y, z = parts[0, i], parts[1, i], parts[2, i]
            d = int(touched[i])
            buffers.gradient[n, d] -= x * u + y * v + z * w
            left, out = count - i, row_at(system, first + d)
            a, b = part(row_at(parts, 0), i, left), part(row_at(parts, 1), i, left)
            c, product = part(row_at(parts, 2), i, left), row_at(parts, 3)
            for j in range(left):
                product[j] = x * a[j] + y * b[j] + z * c[j]
            for j in range(left):
                out[int(touched[i + j])] += product[j]


@leaf
def _take_row(buffers, n, k):
    """Add row k of the constraints of frame n to its matrix and gradient."""
    columns, system = buffers.columns, buffers.system
    size = columns.shape[1]
    row, excess = n * buffers.excess.shape[1] + k, buffers.excess[n, k]
    buffers.taken[n, k] = 1.0
    for i in range(size):
        x = columns[row, i]
        if x != 0.0:
            buffers.gradient[n, i] -= x * excess
            out, column = row_at(system, n * size + i), row_at(columns, row)
            out, column = part(out, i, size - i), part(column, i, size - i)
            for j in range(size - i):
                out[j] += x * column[j]


@kernel
def _add_constraints(problem, buffers, n):
    """Store the constraint rows of frame n, and add those that are violated to its matrix and gradient."""
    bodies = buffers.bodies
    linearize_constraints(problem, buffers.constraints, bodies, buffers.frames, buffers.linear)
    count = int(bodies.found[ROWS])
    buffers.counts[n] = count
    for k in range(count):
        row = n * buffers.excess.shape[1] + k
        for d in range(problem.freedoms):
            buffers.columns[row, d] = bodies.columns[k, d]
        buffers.excess[n, k] = bodies.excess[k]
        buffers.taken[n, k] = 0.0
        if bodies.excess[k] > 0.0:
            _take_row(buffers, n, k)


@kernel
def _add_departure(problem, clip, buffers, f, n):
    """Add the cost of distances from the reference to frame n of the window, frame f of the clip."""
    change, cost = row_at(buffers.x, n), 0.0
    q = row_at(clip.poses, f)
    if clip.reference.shape[0] > 0:
        differences(problem, row_at(clip.reference, f), q, change)
    else:
        differences(problem, problem.rest, q, change)
    for d in range(problem.freedoms):
        weight = clip.smooth[d, DEPARTURE]
        cost += 0.5 * weight * change[d] * change[d]
        buffers.gradient[n, d] += weight * change[d]
        buffers.system[n * problem.freedoms + d, d] += weight
    return cost


@kernel
def build_frame(problem, clip, buffers, f, n):
    """Fill matrix, gradient, bounds and cost of frame f of the clip, frame n of the window."""
    q, size = row_at(clip.poses, f), problem.freedoms
    if not clip.once:
        fold_frame(problem, clip, buffers, f, q)
    open_frame(problem, clip, buffers, f)
    cost = weigh_frame(problem, clip, buffers, f, q)
    found = buffers.bodies.found
    buffers.depth[n] = max(found[DEPTH], found[TOPPLE]) if buffers.constraints.some else 0.0
    tangent(problem, buffers.frames, buffers.linear, q)
    own_axes(problem, buffers.frames, buffers.linear)
    jacobian(problem, buffers.frames, buffers.linear)
    for d in range(size):
        buffers.gradient[n, d] = 0.0
        buffers.low[n, d] = buffers.linear.bounds[d, 0]
        buffers.high[n, d] = buffers.linear.bounds[d, 1]
        for j in range(size):
            buffers.system[n * size + d, j] = 0.0
    _add_blocks(problem, buffers, n)
    buffers.counts[n] = 0.0
    if buffers.constraints.some:
        _add_constraints(problem, buffers, n)
    buffers.cost[n] = cost + _add_departure(problem, clip, buffers, f, n)


# Differences over time ----------------------------------------------------------------------------


@kernel
def differences(problem, before, after, out):
    """The change of every freedom from pose `before` to pose `after`, shape (D,) [rad, characteristic lengths].

    For a quaternion it is the rotation vector in the joint's frame at rest.
    """
    moving = problem.moving
    for k in range(moving.shape[0]):
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            out[stretch] = after[at] - before[at]
        if moving[k, layout.M_MIMIC] >= 0:
            continue
        kind, at, d = moving[k, layout.M_KIND], moving[k, layout.M_Q], moving[k, layout.M_DOF]
        count = number_count(kind)
        for i in range(count):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                change = after[at + i] - before[at + i]
                out[d] = change / problem.length if slides(kind, i) else change
                d += 1
        if has_quaternion(kind):
            last, first = quat.take4(after, at + count), quat.take4(before, at + count)
            turn = quat.log(quat.mul(last, quat.conj(first)))
            out[d], out[d + 1], out[d + 2] = turn


@leaf
def _ties(frames, f):
    """How many second differences frame f is an end of, how many it is the middle of; how many first ones it is in."""
    ends = (1 if f >= 2 else 0) + (1 if f + 2 < frames else 0)
    middle = 1 if 1 <= f < frames - 1 else 0
    steps = (1 if f >= 1 else 0) + (1 if f + 1 < frames else 0)
    return ends, middle, steps


@leaf
def _own_tie(clip, f, d):
    """The term that differences over time add to the diagonal of freedom d in frame f."""
    ends, middle, steps = _ties(clip.poses.shape[0], f)
    smooth = clip.smooth
    return (ends + 4 * middle) * smooth[d, ACCELERATION] + steps * smooth[d, VELOCITY]


@leaf
def _first_tie(clip, f, d):
    """The matrix element between freedom d in frame f and in frame f - 1, which exists."""
    frames = clip.poses.shape[0]
    shared = (1 if f >= 2 else 0) + (1 if f + 1 < frames else 0)
    return -2.0 * shared * clip.smooth[d, ACCELERATION] - clip.smooth[d, VELOCITY]


@kernel
def add_differences(problem, clip, buffers, first, last):
    """Add the cost of differences over time, and its gradient, to frames first..last-1 of a clip.

    Differences that involve at least one of these frames count.
    """
    count, smooth, poses = clip.poses.shape[0], clip.smooth, clip.poses
    edges, turns, pull = buffers.edges, buffers.turns, buffers.pull
    size, begin = problem.freedoms, max(first - 2, 0)
    end = min(last + 1, count - 1)  # edges begin..end-1, edge e from frame e to e + 1
    for e in range(begin, end):
        change = row_at(turns, e - begin)
        differences(problem, row_at(poses, e), row_at(poses, e + 1), change)
        for d in range(size):
            edges[e - begin, d] = change[d]
            pull[e - begin, d] = 0.0
        if clip.reference.shape[0] > 1:
            change = row_at(buffers.x, 0)
            differences(problem, row_at(clip.reference, e), row_at(clip.reference, e + 1), change)
            for d in range(size):
                edges[e - begin, d] -= change[d]
    for e in range(begin, end):
        n = e - begin
        inside = e + 1 >= first and e < last
        cost = 0.0
        for d in range(size):
            if inside:
                weight = smooth[d, VELOCITY]
                cost += 0.5 * weight * edges[n, d] * edges[n, d]
                pull[n, d] += weight * edges[n, d]
            if e > begin:
                # The second difference whose middle is frame e.
                weight, bend = smooth[d, ACCELERATION], edges[n, d] - edges[n - 1, d]
                cost += 0.5 * weight * bend * bend
                pull[n, d] += weight * bend
                pull[n - 1, d] -= weight * bend
        buffers.cost[min(max(e - first, 0), last - 1 - first)] += cost
    for e in range(begin, end):
        _add_pull(problem, buffers, e - begin, e - first, e + 1 - first, last - first)


@kernel
def _add_pull(problem, buffers, edge, before, after, count):
    """Add the derivative by an edge to the gradients of those of its two frames that are in the window."""
    moving, gradient, pull, turns = problem.moving, buffers.gradient, buffers.pull, buffers.turns
    for d in range(problem.freedoms):
        if 0 <= before < count:
            gradient[before, d] -= pull[edge, d]
        if 0 <= after < count:
            gradient[after, d] += pull[edge, d]
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if not has_quaternion(kind) or moving[k, layout.M_MIMIC] >= 0:
            continue
        d = moving[k, layout.M_DOF] + number_count(kind)
        turn, force = quat.load3(turns, edge, d), quat.load3(pull, edge, d)
        # The inverse right Jacobian for the later frame, the left one for the earlier, both minus the identity.
        across = quat.cross(turn, force)
        bent = quat.scale(quat.cross(turn, across), log_factor(quat.norm(turn)))
        for i in range(3):
            if 0 <= before < count:
                gradient[before, d + i] -= bent[i] - 0.5 * across[i]
            if 0 <= after < count:
                gradient[after, d + i] += bent[i] + 0.5 * across[i]


# A step of the window -----------------------------------------------------------------------------


@kernel
def build(problem, clip, buffers, first, last, bands):
    """Build the normal equations of frames first..last-1; returns their cost."""
    for f in range(first, last):
        build_frame(problem, clip, buffers, f, f - first)
    if bands > banded.NO_BAND:
        add_differences(problem, clip, buffers, first, last)
    total = 0.0
    for n in range(last - first):
        total += buffers.cost[n]
    return total


@kernel
def apply_matrix(problem, clip, buffers, first, last, bands, n, x):
    """Fill row 3 of `part` with the rows of frame n of the normal matrix, undamped, times x, shape (W, D)."""
    size, system, out = problem.freedoms, buffers.system, buffers.part
    product, here = row_at(out, 3), row_at(x, n)
    for d in range(size):
        product[d] = 0.0
    for i in range(size):
        # Only the upper triangle is stored, zeros below it: use it as a row, and transposed as a column.
        y, row = here[i], row_at(system, n * size + i)
        product[i] += banded.row_product(row, here)
        left = size - i - 1
        below, across = part(product, i + 1, left), part(row, i + 1, left)
        if y != 0.0:
            for j in range(left):
                below[j] += across[j] * y
    if bands == banded.NO_BAND:
        return
    f = first + n
    for d in range(size):
        total = _own_tie(clip, f, d) * x[n, d]
        if n >= 1:
            total += _first_tie(clip, f, d) * x[n - 1, d]
        if f + 1 < last:
            total += _first_tie(clip, f + 1, d) * x[n + 1, d]
        if n >= 2:
            total += clip.smooth[d, ACCELERATION] * x[n - 2, d]
        if f + 2 < last:
            total += clip.smooth[d, ACCELERATION] * x[n + 2, d]
        out[3, d] += total


@kernel
def hold_at_limits(problem, buffers, count):
    """Fill `free`: 0 for a freedom that is at a limit and pulled outward, or is stiff; clear the step."""
    for n in range(count):
        buffers.ahead[n] = 0.0
        for d in range(problem.freedoms):
            pull = -buffers.gradient[n, d]
            held = (pull > 0.0 and buffers.high[n, d] <= AT_BOUND) or (
                pull < 0.0 and buffers.low[n, d] >= -AT_BOUND
            )
            buffers.free[n, d] = 0.0 if held or problem.weight[d] == 0.0 else 1.0
            buffers.delta[n, d] = 0.0


@kernel
def solve_free(problem, clip, buffers, first, last, bands, fixed):
    """Solve for the free freedoms, with the others fixed at their `delta`; False if the matrix cannot be factored.

    `fixed` is True if the `delta` of some of the others is not 0.
    """
    size, count, banding = problem.freedoms, last - first, buffers.bands
    free, delta, x, upper = buffers.free, buffers.delta, buffers.x, buffers.bands.upper
    for n in range(count):
        mean = 0.0
        for d in range(size):
            mean += buffers.system[n * size + d, d]
        amount = buffers.damping[n] * min(buffers.cost[n], 1.0) + DESCENT_RULES.least_damping
        amount *= mean / size
        if fixed:
            apply_matrix(problem, clip, buffers, first, last, bands, n, delta)
        for i in range(size):
            row = n * size + i
            out, given, some = row_at(upper, row), row_at(buffers.system, row), row_at(free, n)
            if free[n, i] == 0.0:
                for j in range(size):
                    out[j] = 0.0
                out[i] = 1.0
                x[n, i] = 0.0
                continue
            for j in range(size):
                out[j] = given[j] * some[j]
            out[i] += amount / problem.weight[i] + 1e-300
            x[n, i] = -buffers.gradient[n, i] - (buffers.part[3, i] if fixed else 0.0)
            if bands > banded.NO_BAND:
                out[i] += _own_tie(clip, first + n, i)
        if bands > banded.NO_BAND and n >= 1:
            for d in range(size):
                banding.first[n, d] = free[n, d] * free[n - 1, d] * _first_tie(clip, first + n, d)
        if bands > banded.ONE_BAND and n >= 2:
            for d in range(size):
                banding.second[n, d] = free[n, d] * free[n - 2, d] * clip.smooth[d, ACCELERATION]
    if not banded.factor_bands(banding, count, size, bands):
        return False
    banded.solve_bands(banding, count, size, bands, x)
    for n in range(count):
        for d in range(size):
            if free[n, d] != 0.0:
                delta[n, d] = x[n, d]
    return True


@kernel
def _hold_beyond(problem, clip, buffers, f, n):
    """Fix freedoms of frame n that the step takes beyond their limits at these limits; True if there are any."""
    free, delta, moving = buffers.free, buffers.delta, problem.moving
    changed = swings = False
    for d in range(problem.freedoms):
        value = delta[n, d]
        if free[n, d] != 0.0 and (value < buffers.low[n, d] or value > buffers.high[n, d]):
            delta[n, d] = min(max(value, buffers.low[n, d]), buffers.high[n, d])
            free[n, d] = 0.0
            changed = True
    for k in range(moving.shape[0]):
        swings = swings or moving[k, layout.M_KIND] & layout.SWING_TWIST != 0
    if not swings:
        return changed
    q, trial = row_at(clip.poses, f), buffers.trial
    copy(q, trial)
    step_along(problem, buffers.own_frames, buffers.own_linear, q, row_at(delta, n), trial)
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if kind & layout.SWING_TWIST == 0:
            continue
        d = moving[k, layout.M_DOF] + number_count(kind)
        if free[n, d] == 0.0:
            continue
        at = moving[k, layout.M_Q] + number_count(kind)
        turn = quat.log(quat.mul(quat.take4(trial, at), quat.conj(quat.take4(q, at))))
        asked = quat.load3(delta, n, d)
        if quat.norm(quat.sub(turn, asked)) > 1e-9 * (1.0 + quat.norm(asked)):
            changed = True
            for i in range(3):
                delta[n, d + i] = turn[i]
                free[n, d + i] = 0.0
    return changed


@kernel
def _look_ahead(problem, buffers, n):
    """Add the constraints of frame n that the step would violate to its system; True if there are any."""
    changed = False
    for k in range(int(buffers.counts[n])):
        if buffers.taken[n, k] != 0.0:
            continue
        row, moved = n * buffers.excess.shape[1] + k, 0.0
        for d in range(problem.freedoms):
            moved += buffers.columns[row, d] * buffers.delta[n, d]
        if buffers.excess[n, k] > moved:
            _take_row(buffers, n, k)
            buffers.ahead[n] += 0.5 * buffers.excess[n, k] ** 2
            changed = True
    return changed


@kernel
def find_step(problem, clip, buffers, first, last, rules):
    """Fill `delta` and `gain`; returns the expected fall of the cost, -1 if there is no step."""
    count, size = last - first, problem.freedoms
    hold_at_limits(problem, buffers, count)
    fixed = False
    for n_pass in range(rules.passes):
        if not solve_free(problem, clip, buffers, first, last, rules.bands, fixed):
            return -1.0
        changed = False
        for n in range(count):
            beyond = _hold_beyond(problem, clip, buffers, first + n, n)
            fixed = fixed or beyond
            ahead = n_pass + 1 < rules.passes and _look_ahead(problem, buffers, n)
            changed = changed or beyond or ahead
        if not changed:
            break
    total = 0.0
    for n in range(count):
        apply_matrix(problem, clip, buffers, first, last, rules.bands, n, buffers.delta)
        fall = -buffers.ahead[n]
        for d in range(size):
            fall -= buffers.delta[n, d] * (buffers.gradient[n, d] + 0.5 * buffers.part[3, d])
        buffers.gain[n] = fall
        total += fall
    return total


@kernel
def apply_step(problem, clip, buffers, first, last):
    """Apply the step, and store the poses and costs before it."""
    for f in range(first, last):
        n = f - first
        q, kept = row_at(clip.poses, f), row_at(buffers.kept, n)
        copy(q, kept)
        delta = row_at(buffers.delta, n)
        step_along(problem, buffers.own_frames, buffers.own_linear, kept, delta, q)
        buffers.before[n] = buffers.cost[n]


@kernel
def adapt_damping(buffers, count, fall, gain):
    """Adapt the damping of every frame to a step, from the fall of the cost and the expected one, `gain`.

    If the cost fell about as expected, the damping of all frames is eased. If not, the frames whose cost differs the
    most from what was expected are damped more. Returns the largest damping.
    """
    factor = eased(1.0, fall, gain) if fall > 0.0 else 4.0
    most, worst = 0.0, 0.0
    for n in range(count):
        most = max(most, buffers.gain[n] - buffers.before[n] + buffers.cost[n])
    for n in range(count):
        amiss = buffers.gain[n] - buffers.before[n] + buffers.cost[n]
        if factor <= 1.0 or amiss >= TUNING.damped_share * most:
            buffers.damping[n] = max(factor * buffers.damping[n], TUNING.least_damping)
        worst = max(worst, buffers.damping[n])
    return worst


@kernel
def relax_window(problem, clip, buffers, ended, rules, first, last):
    """Solve frames first..last-1 from their present poses, with the others held; returns their cost."""
    count = last - first
    for n in range(count):
        buffers.damping[n] = rules.damping
    total = build(problem, clip, buffers, first, last, rules.bands)
    used, stop = 0, layout.STOP_BUDGET
    while used < rules.iterations:
        gain = find_step(problem, clip, buffers, first, last, rules)
        if 0.0 <= gain <= rules.stall * total + count * TUNING.negligible_gain:
            stop = layout.STOP_STALLED
            break
        used += 1
        new = math.inf
        if gain > 0.0:
            apply_step(problem, clip, buffers, first, last)
            new = build(problem, clip, buffers, first, last, rules.bands)
        if new < total:
            adapt_damping(buffers, count, total - new, gain)
            settled = total - new <= rules.stall * total
            total = new
            if settled:
                stop = layout.STOP_STALLED
                break
            continue
        if gain > 0.0:
            worst = adapt_damping(buffers, count, -1.0, gain)
            for f in range(first, last):
                copy(row_at(buffers.kept, f - first), row_at(clip.poses, f))
        else:
            worst = 0.0
            for n in range(count):
                buffers.damping[n] = 10.0 * buffers.damping[n]
                worst = max(worst, buffers.damping[n])
        build(problem, clip, buffers, first, last, rules.bands)
        if worst > DESCENT_RULES.most_damping:
            stop = layout.STOP_STALLED
            break
    for f in range(first, last):
        ended[f, E_USED] += used
        ended[f, E_STOP] = stop
        ended[f, E_COST] = buffers.cost[f - first]
        ended[f, E_DEPTH] = buffers.depth[f - first]
    return total


# Entries ------------------------------------------------------------------------------------------


@leaf
def open_clip(problem, constraints, ints, offsets, rows, smooth, reference, poses):
    """The goals of a clip, and its poses."""
    columns = read_columns(problem, constraints, ints)
    once = folds_once(problem, poses, offsets)
    return Clip(offsets, rows, smooth, reference, poses, problem.blocks_f, columns, once)


@kernel
def set_up(given, clip, buffers):
    """Fill the buffers that all frames share."""
    for g in range(given.blocks.shape[0]):
        for i in range(layout.BLOCK_FLOATS):
            buffers.blocks_f[g, i] = given.blocks_f[g, i]
    joints, axes = buffers.own_frames.joints, buffers.own_linear.axes
    for k in range(joints.shape[0]):
        quat.store4(joints, k, layout.S_WPRE, (1.0, 0.0, 0.0, 0.0))
        kind = given.moving[k, layout.M_KIND]
        if has_quaternion(kind) and given.moving[k, layout.M_MIMIC] < 0:
            d = given.moving[k, layout.M_DOF] + number_count(kind)
            for i in range(3):
                quat.store3(axes, d + i, 0, quat.letter_axis(i))
    if clip.once:
        fold_frame(given, clip, buffers, 0, row_at(clip.poses, 0))


@entry(CLIP + " i i")
def begin(
    ints, floats, offsets, rows, smooth, reference, poses, ended, settings, out, work, first, last
):
    """Write the targets taken from poses first..last-1 into their rows, and clamp these poses to their limits."""
    clear(work)
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    clip = open_clip(problem, constraints, ints, offsets, rows, smooth, reference, poses)
    frames = take_frames(problem, work)
    for f in range(first, last):
        q, ended[f, E_USED], ended[f, E_STOP] = row_at(poses, f), 0.0, layout.STOP_STALLED
        if rows.shape[1] > clip.columns.held:
            fold(problem, frames, row_at(offsets, f), q)
            forward(problem, frames, q)
            place_effectors(problem, frames, q)
            for g in range(problem.blocks.shape[0]):
                turned = problem.blocks[g, layout.B_KIND] == layout.ORIENTATION
                at = clip.columns.held + 4 * g
                for i in range(4 if turned else 3):
                    column = layout.E_WROT + i if turned else layout.E_POS + i
                    rows[f, at + i] = frames.effectors[g, column]
        project(problem, q)


@entry(CLIP + " i i")
def relax(
    ints, floats, offsets, rows, smooth, reference, poses, ended, settings, out, work, first, last
):
    """Solve frames first..last-1 in place, with the others held; one by one if nothing ties them."""
    clear(work)
    given = unpack(ints, floats)
    constraints = unpack_constraints(given, ints, floats)
    clip = open_clip(given, constraints, ints, offsets, rows, smooth, reference, poses)
    bands = int(settings[S_BANDS])
    buffers = take_buffers(given, constraints, int(settings[S_WINDOW]), bands, work)
    if first >= last:
        return
    set_up(given, clip, buffers)
    problem = with_blocks(given, buffers.blocks_f)
    rules = Rules(
        settings[S_ITERATIONS],
        settings[S_DAMPING],
        settings[S_STALL],
        bands,
        int(settings[S_PASSES]),
    )
    if bands > banded.NO_BAND:
        relax_window(problem, clip, buffers, ended, rules, first, last)
    else:
        for f in range(first, last):
            relax_window(problem, clip, buffers, ended, rules, f, f + 1)


class Mending(NamedTuple):
    """What `restore` takes."""

    frames: Any
    linear: Any
    step: Any
    constraints: Any
    bodies: Any
    trial: Any  # (Q,)


@kernel
def mend(problem, mending, q, kept, change):
    """Close the loops of a pose and repair its constraints, if that moves no freedom farther than `greatest_repair`.

    A frame that moved farther would jump out of its clip: then only its loops are closed, and the violation is
    reported. The pose ends weighed. `kept`, shape (Q,), and `change`, shape (D,), are buffers.
    """
    copy(q, kept)
    restore(problem, mending, q, False)
    if mending.constraints.some:
        differences(problem, kept, q, change)
        farthest = 0.0
        for d in range(problem.freedoms):
            farthest = max(farthest, abs(change[d]))
        if farthest > TUNING.greatest_repair:
            copy(kept, q)
        if farthest > TUNING.greatest_repair or widest_open(problem, mending.frames) >= 0:
            restore(problem, mending, q, True)


@entry(CLIP + " i i")
def judge(
    ints, floats, offsets, rows, smooth, reference, poses, ended, settings, out, work, first, last
):
    """Repair the poses of frames first..last-1, in place, and write their rows of output."""
    clear(work)
    given = unpack(ints, floats)
    constraints = unpack_constraints(given, ints, floats)
    clip = open_clip(given, constraints, ints, offsets, rows, smooth, reference, poses)
    buffers = take_buffers(given, constraints, 1, banded.NO_BAND, work)
    mending = Mending(
        buffers.frames,
        take_linear(given, work),
        take_step(given, work, 0 if given.is_tree else given.freedoms),
        constraints,
        buffers.bodies,
        buffers.trial,
    )
    trace = trace_into(out, out, work)
    if first >= last:
        return
    set_up(given, clip, buffers)
    problem = with_blocks(given, buffers.blocks_f)
    hard = constraints.some or given.has_moving_targets
    clear_trace(trace)
    for f in range(first, last):
        q, row = row_at(poses, f), row_at(out, f)
        if not clip.once:
            fold_frame(problem, clip, buffers, f, q)
        open_frame(problem, clip, buffers, f)
        for g in range(problem.blocks.shape[0]):
            # A goal with no weight in this frame always counts as met.
            asked = rows[f, clip.columns.weights + g] > 0.0
            near = given.blocks_f[g, layout.B_TOLERANCE]
            buffers.blocks_f[g, layout.B_TOLERANCE] = near if asked else math.inf
        fault = layout.REACHED
        if hard:
            mend(problem, mending, q, row_at(buffers.kept, 0), row_at(buffers.delta, 0))
            fault = fault_of(problem, buffers.frames, buffers.bodies)
        stopped = Ended(int(ended[f, E_STOP]), int(ended[f, E_USED]), 0)
        finish_judged(problem, buffers.frames, mending.linear, trace, q, q, stopped, row, fault)
        if hard:
            write_faults(problem, buffers.frames, buffers.bodies, row)
            if settings[S_BLAME] > 0.0:
                seen = Seen(buffers.frames, mending.linear, mending.step, buffers.bodies)
                write_blocked(problem, constraints, seen, q, row)
