"""The linear problem at a pose: a world axis, bounds and a step for every freedom, and the Jacobian.

A *freedom* turns about or slides along one axis, or stretches a joint. Quaternions turn about the world
axes. One with limits of swing and twist has three axes of its own: outward, along the rim of its cone, and its
pointing direction. So its limits are bounds on single freedoms, and it can slide along the rim when pressed against
it. With four half-angles the rim is the ellipse through the present tilt, and outward is perpendicular to it.
Lengths count in characteristic lengths, so a slide of one moves as far as a radian at the tip.

`columns[d, r]` is how fast residual row r *shrinks* as freedom d grows, so that columns^T delta =
rows is the linear problem to solve. Entries where a freedom cannot move a block stay zero.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout, own_goals, tree_factor
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, kernel, leaf
from supple.kernels.joint import (
    axis_of,
    follow,
    has_quaternion,
    number_count,
    project_joint,
    slides,
    swing_twist_angles,
    tilt_and_twist,
    unwrapped,
)
from supple.kernels.problem import look
from supple.kernels.quadrants import level, outward, quadrants_of, swing_of
from supple.kernels.workspace import zero_rows

# The tangent space --------------------------------------------------------------------------------

NO_BOUND = 1e300  # how far a freedom without limits may change


@leaf
def _bound(linear, d, low, high, cap):
    bounds = linear.bounds
    bounds[d, 0] = max(low, -cap)
    bounds[d, 1] = min(high, cap)


@kernel
def tangent(problem, frames, linear, q):
    """Fill the world axis of every freedom and the bounds of its change, shape (D, 2).

    Axes have shape (D + M, 3): a mimic joint k has no freedom, its axis is in row D + k. The
    axis of a stretch is not written: what a stretch moves depends on the branch.
    """
    moving, moving_f = problem.moving, problem.moving_f
    axes = linear.axes
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        pre = quat.load4(frames.joints, k, layout.S_WPRE)
        if moving[k, layout.M_MIMIC] >= 0:
            quat.store3(
                axes,
                linear.bounds.shape[0] + k,
                0,
                quat.rotate(pre, quat.load3(moving_f, k, layout.AXIS)),
            )
            kind = layout.FIXED  # its stretch is its only freedom
        d = moving[k, layout.M_DOF]
        at = moving[k, layout.M_Q]
        cap = moving_f[k, layout.DAMPING]
        turn = pre
        for i in range(number_count(kind)):
            axis = axis_of(moving_f, k, i)
            low = moving_f[k, layout.LIMITS + 2 * i] - q[at + i]
            high = moving_f[k, layout.LIMITS + 2 * i + 1] - q[at + i]
            if slides(kind, i):
                quat.store3(axes, d, 0, quat.rotate(pre, axis))
                unit = problem.length
                _bound(linear, d, low / unit, high / unit, cap / unit)
                d += 1
                continue
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                quat.store3(axes, d, 0, quat.rotate(turn, axis))
                _bound(linear, d, low, high, cap)
                d += 1
            if i + 1 < number_count(kind):
                turn = quat.mul(turn, quat.about(axis, q[at + i]))
        if kind & layout.QUADRANTS != 0:
            _quadrant_axes(problem, linear, q, k, at + number_count(kind), pre, d)
        elif kind & layout.SWING_TWIST != 0:
            _swing_twist_axes(problem, linear, q, k, at + number_count(kind), pre, d)
        elif has_quaternion(kind):
            _world_axes(linear, d)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            factor = q[moving[k, layout.M_STRETCH_Q]]
            _bound(
                linear,
                stretch,
                moving_f[k, layout.STRETCH_LO] - factor,
                moving_f[k, layout.STRETCH_HI] - factor,
                cap,
            )


@leaf
def _world_axes(linear, d):
    bounds = linear.bounds
    for i in range(3):
        quat.store3(linear.axes, d + i, 0, quat.letter_axis(i))
        bounds[d + i, 0] = -NO_BOUND
        bounds[d + i, 1] = NO_BOUND


@leaf
def _swing_twist_axes(problem, linear, q, k, at, pre, d):
    """Axes and bounds outward, along the rim, and about the pointing direction.

    Near rest, where there is no outward direction, a fixed perpendicular axis serves.
    """
    moving_f = problem.moving_f
    axes, bounds = linear.axes, linear.bounds
    axis = quat.load3(moving_f, k, layout.AXIS)
    turn = quat.take4(q, at)
    pointing = quat.rotate(turn, axis)
    outward = quat.cross(axis, pointing)
    sine = quat.norm(outward)
    swing, twist = swing_twist_angles(turn, axis)
    if sine < 1e-6:
        outward = quat.perpendicular(axis)
    else:
        outward = quat.scale(outward, 1.0 / sine)
    twist = unwrapped(twist, moving_f[k, layout.LIMITS + 2], moving_f[k, layout.LIMITS + 3])
    low, high = (
        moving_f[k, layout.LIMITS + 2] - twist,
        moving_f[k, layout.LIMITS + 3] - twist,
    )
    if moving_f[k, layout.LIMITS + 3] - moving_f[k, layout.LIMITS + 2] >= 2.0 * math.pi:
        low, high = -NO_BOUND, NO_BOUND
    along = quat.cross(pointing, outward)
    if low > -1e-9 or high < 1e-9:
        # Pressed against a twist limit: slide along the rim without twisting.
        skew = quat.axpy(axis, -1.0, pointing)
        if quat.norm(skew) > 1e-6:
            along = quat.unit(skew)
    quat.store3(axes, d, 0, quat.rotate(pre, outward))
    quat.store3(axes, d + 1, 0, quat.rotate(pre, along))
    quat.store3(axes, d + 2, 0, quat.rotate(pre, pointing))
    # No step is longer than the cone is wide: the rim of a narrow one curves away at once.
    limit = moving_f[k, layout.LIMITS + 1]
    bounds[d, 0] = -limit - swing
    bounds[d, 1] = limit - swing
    bounds[d + 1, 0] = -limit
    bounds[d + 1, 1] = limit
    if sine < 1e-6 and swing < 1.0:
        # At rest every direction is outward.
        for i in range(2):
            bounds[d + i, 0] = -moving_f[k, layout.LIMITS + 1]
            bounds[d + i, 1] = moving_f[k, layout.LIMITS + 1]
    bounds[d + 2, 0] = low
    bounds[d + 2, 1] = high


@cold
def _quadrant_axes(problem, linear, q, k, at, pre, d):
    """The axes and bounds of `_swing_twist_axes` for a swing with four half-angles.

    The rim is the ellipse through the present swing.
    """
    axes, bounds = linear.axes, linear.bounds
    quadrants = quadrants_of(problem.moving_f, k)
    turn = quat.take4(q, at)
    a, b, twist = tilt_and_twist(turn, quadrants)
    pointing = quat.rotate(turn, quadrants.axis)
    low, high = -NO_BOUND, NO_BOUND
    if quadrants.high - quadrants.low < 2.0 * math.pi:
        twist = unwrapped(twist, quadrants.low, quadrants.high)
        low, high = quadrants.low - twist, quadrants.high - twist
    x, y = outward(quadrants, a, b)
    size, here = math.hypot(x, y), level(quadrants, a, b)
    if here < 1e-6:
        # At rest every direction is outward.
        quat.store3(axes, d, 0, quat.rotate(pre, quadrants.rightward))
        quat.store3(axes, d + 1, 0, quat.rotate(pre, quat.scale(quadrants.upward, -1.0)))
        bounds[d, 0], bounds[d, 1] = -quadrants.down, quadrants.up
        bounds[d + 1, 0], bounds[d + 1, 1] = -quadrants.left, quadrants.right
    else:
        x, y = x / size, y / size
        swing = swing_of(quadrants, a, b)
        # Angular velocities with the twist kept, as the tilt grows along the gradient and along the ellipse.
        out = _turn_rate(swing, swing_of(quadrants, x, y))
        sliding = _turn_rate(swing, swing_of(quadrants, -y, x))
        along = quat.axpy(sliding, -quat.dot(sliding, pointing), pointing)
        width = quat.norm(along)
        along = quat.scale(along, 1.0 / width)
        across = quat.cross(along, pointing)
        rate = quat.dot(out, across)
        if rate < 0.0:
            across, rate = quat.scale(across, -1.0), -rate
        # No step is longer than the region is wide: the rim of a narrow one curves away at once.
        room = (1.0 - here) * here / size * rate
        limit = problem.moving_f[k, layout.LIMITS + 1]
        bounds[d, 0], bounds[d, 1] = -2.0 * limit, room
        bounds[d + 1, 0], bounds[d + 1, 1] = -limit, limit
        if low > -1e-9 or high < 1e-9:
            # Pressed against a twist limit: neither axis twists.
            twisting = quat.dot(sliding, pointing) / width
            more = (quat.dot(out, pointing) - quat.dot(out, along) * twisting) / rate
            across = quat.axpy(across, more, pointing)
            along = quat.unit(quat.axpy(along, twisting, pointing))
        quat.store3(axes, d, 0, quat.rotate(pre, across))
        quat.store3(axes, d + 1, 0, quat.rotate(pre, along))
    quat.store3(axes, d + 2, 0, quat.rotate(pre, pointing))
    bounds[d + 2, 0], bounds[d + 2, 1] = low, high


@kernel
def _turn_rate(v, change):
    """The angular velocity of exp(v) as v changes: the left Jacobian of SO(3) times the change."""
    a2 = quat.dot(v, v)
    if a2 < 1e-6:
        first, second = 0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0
    else:
        a = math.sqrt(a2)
        first = (1.0 - math.cos(a)) / a2
        second = (a - math.sin(a)) / (a2 * a)
    turned = quat.cross(v, change)
    return quat.axpy(quat.axpy(change, first, turned), second, quat.cross(v, turned))


@leaf
def _clamped(value, low, high):
    return min(max(value, low), high)


@leaf
def _capped_turn(linear, delta, d, cap):
    """The world rotation vector of three freedoms, no longer than the cap."""
    axes = linear.axes
    turn = quat.scale(quat.load3(axes, d, 0), delta[d])
    turn = quat.axpy(turn, delta[d + 1], quat.load3(axes, d + 1, 0))
    turn = quat.axpy(turn, delta[d + 2], quat.load3(axes, d + 2, 0))
    size = quat.norm(turn)
    if size > cap:
        turn = quat.scale(turn, cap / size)
    return turn


@kernel
def step_along(problem, frames, linear, q, delta, out):
    """Write into out the pose q moved by the tangent step delta, shape (D,), clamped exactly to the limits.

    Frames and axes belong to q. Only the coordinates of moving joints are written.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if moving[k, layout.M_MIMIC] >= 0:
            kind = layout.FIXED
        d = moving[k, layout.M_DOF]
        at = moving[k, layout.M_Q]
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                out[at + i] = q[at + i]
                continue
            low = moving_f[k, layout.LIMITS + 2 * i]
            high = moving_f[k, layout.LIMITS + 2 * i + 1]
            change = delta[d] * problem.length if slides(kind, i) else delta[d]
            out[at + i] = _clamped(q[at + i] + change, low, high)
            d += 1
        if has_quaternion(kind):
            i = at + number_count(kind)
            turn = _capped_turn(linear, delta, d, moving_f[k, layout.DAMPING])
            turn = quat.unrotate(quat.load4(joints, k, layout.S_WPRE), turn)
            quat.put4(out, i, quat.tidied(quat.mul(quat.exp(turn), quat.take4(q, i))))
            if kind & layout.SWING_TWIST != 0:
                project_joint(kind, moving_f, k, out, at)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            factor = q[at] + delta[stretch]
            out[at] = _clamped(
                factor,
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
    follow(problem, out)


# The Jacobian -------------------------------------------------------------------------------------

ZERO_VECTOR = (0.0, 0.0, 0.0)


@kernel
def linearize(problem, frames, linear, q):
    """Fill the linear problem at the pose q, evaluated."""
    tangent(problem, frames, linear, q)
    if tree_factor.uses_tree(linear):
        _fill_tree(problem, frames, linear)
    else:
        jacobian(problem, frames, linear)


@kernel
def log_factor(a):
    """The factor of [r]^2 in the inverse right Jacobian of SO(3), a = |r|.

    1/a^2 - cot(a/2)/(2a).
    """
    if a < 1e-3:
        return 1.0 / 12.0
    return 1.0 / (a * a) - 1.0 / (2.0 * a * math.tan(0.5 * a))


@leaf
def _add(linear, d, row, change, factor):
    columns = linear.columns
    columns[d, row] += factor * change[0]
    columns[d, row + 1] += factor * change[1]
    columns[d, row + 2] += factor * change[2]


class Derivative(NamedTuple):
    """The derivative of a block's residual by the motion of its effector."""

    row: int  # the first residual row
    weight: float  # of the rows, with the scale of their unit
    place: bool  # whether it is a position
    turn: bool  # whether it is an orientation
    miss: Any  # xyz, the residual without weight, in model units or radians
    factor: float  # see `log_factor`
    seen: Any  # xyz, of a look: the direction in which the effector looks
    wanted: Any  # xyz, of a look: the direction to the target
    distance: float  # of a look: how far away the target is


@leaf
def derivative_of(problem, frames, g):
    """The derivative of block g, which has rows and is not of a custom goal."""
    goal, row = problem.blocks[g, layout.B_KIND], problem.blocks[g, layout.B_ROW]
    place = goal == layout.POSITION or goal == layout.MEET or goal == layout.SPAN
    turn = goal == layout.ORIENTATION or goal == layout.ALIGN
    weight = problem.blocks_f[g, layout.B_WEIGHT] * (
        1.0 / problem.length if place else problem.radian
    )
    miss = (
        frames.residual[row] / weight,
        frames.residual[row + 1] / weight,
        frames.residual[row + 2] / weight,
    )
    factor = log_factor(quat.norm(miss)) if turn else 0.0
    seen, wanted, distance = ZERO_VECTOR, ZERO_VECTOR, 0.0
    if goal == layout.LOOKAT or goal == layout.WATCH:
        seen, wanted, distance = look(problem, frames, g)
    return Derivative(row, weight, place, turn, miss, factor, seen, wanted, distance)


@leaf
def shrinking(by, slide, spin, half, own):
    """How fast the rows of a block shrink, unweighted, for a linear velocity and an angular one of an effector.

    `own` is True and `half` is 0.5 for the block's effector, False and -0.5 for the one that is its target.
    """
    if by.place:
        return slide
    if by.turn:
        turned = quat.cross(by.miss, spin)
        return quat.axpy(quat.axpy(spin, half, turned), by.factor, quat.cross(by.miss, turned))
    # Only the eye's own rotation changes what it sees; both ends change where it should look.
    change = quat.cross(spin, by.seen) if own else ZERO_VECTOR
    if by.distance > 0.0:
        across = quat.axpy(slide, -quat.dot(slide, by.wanted), by.wanted)
        change = quat.axpy(change, 1.0 / by.distance, across)
    return change


@kernel
def jacobian(problem, frames, linear):
    """Fill `columns`, shape (D, R), from the world axes of `tangent` and the rows of `residuals`.

    Each effector's chain is walked up once, so the work is proportional to the entries that are not zero.
    """
    moving, blocks = problem.moving, problem.blocks
    joints, effectors = frames.joints, frames.effectors
    zero_rows(linear.columns)
    for g in range(blocks.shape[0]):
        goal = blocks[g, layout.B_KIND]
        if blocks[g, layout.B_ROW] < 0 or goal >= layout.OWN:
            continue
        if problem.blocks_f[g, layout.B_WEIGHT] == 0.0:
            continue  # a clip does not ask for it in this frame
        by = derivative_of(problem, frames, g)
        # The chain of a moving target is walked up, too; its motion counts with the opposite sign.
        end, half, weight = g, 0.5, by.weight
        for _ in range(2 if goal >= layout.MEET else 1):
            point = quat.load3(effectors, end, layout.E_POS)
            # What the stretch of the joint above moves, in that joint's frame.
            below = quat.load3(effectors, end, layout.E_P1)
            k = blocks[end, layout.B_MOVE]
            while k >= 0:
                for i in range(freedoms_of(problem, k)):
                    d, gain, slide, spin = motion_by(problem, frames, linear, k, i, point, below)
                    change = shrinking(by, slide, spin, half, end == g)
                    _add(linear, d, by.row, change, weight * gain)
                below = quat.load3(joints, k, layout.S_P1)
                k = moving[k, layout.M_PARENT]
            end, half, weight = blocks[g, layout.B_CARRIER], -0.5, -weight
    if problem.has_own:
        _own_columns(problem, frames, linear)


@cold
def _fill_tree(problem, frames, linear):
    """Fill the tree of the linear problem: the rows by the twists of joints, and the offsets between joints."""
    blocks, tree = problem.blocks, tree_factor.tree_of(problem, linear)
    for k in range(problem.moving.shape[0]):
        _fill_joint(problem, frames, linear, tree, k)
    zero_rows(tree.rows)
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_ROW] < 0:
            continue
        if problem.blocks_f[g, layout.B_WEIGHT] == 0.0:
            continue  # a clip does not ask for it in this frame
        by = derivative_of(problem, frames, g)
        end, half, row, weight = g, 0.5, by.row, by.weight
        for _ in range(2 if blocks[g, layout.B_CARRIER] >= 0 else 1):
            if blocks[end, layout.B_MOVE] >= 0:
                for i in range(tree_factor.ROW):
                    slide, spin = _base_motion(problem, frames, end, i)
                    change = shrinking(by, slide, spin, half, end == g)
                    for r in range(3):
                        tree.rows[row + r, i] = weight * change[r]
            end, half, weight = blocks[g, layout.B_CARRIER], -0.5, -weight
            row += problem.rows
    tree_factor.fill_border(tree)


@leaf
def _fill_joint(problem, frames, linear, tree, k):
    """Fill joint k of the tree: its arm, how its parent's stretch moves it, and its motions."""
    moving, joints, motions = problem.moving, frames.joints, tree.motions
    parent, source = moving[k, layout.M_PARENT], moving[k, layout.M_MIMIC]
    arm, way = ZERO_VECTOR, ZERO_VECTOR
    if parent >= 0:
        origin = quat.load3(joints, parent, layout.S_POS)
        arm = quat.sub(quat.load3(joints, k, layout.S_POS), origin)
        if moving[parent, layout.M_STRETCH_DOF] >= 0:
            turn = quat.load4(joints, parent, layout.S_W)
            way = quat.rotate(turn, quat.load3(joints, k, layout.S_P1))
    quat.store3(tree.joints, k, tree_factor.ARM, arm)
    quat.store3(tree.joints, k, tree_factor.PER_STRETCH, way)
    for i in range(moving[k, layout.M_NDOF]):
        n = moving[k, layout.M_DOF] + i if source < 0 else problem.freedoms + k
        slid = slides(moving[k, layout.M_KIND], i)
        size = problem.length if slid else 1.0
        if source >= 0:
            size *= mimic_gain(problem, k, i)
        quat.store3(motions, n, 0, quat.scale(quat.load3(linear.axes, n, 0), size))
        motions[n, tree_factor.SLIDES_OR_TURNS] = 0.0 if slid else 3.0


@leaf
def _base_motion(problem, frames, end, i):
    """Linear and angular velocity of an effector for component i of the twist of its joint, or for the stretch."""
    k = problem.blocks[end, layout.B_MOVE]
    if i == tree_factor.BY_STRETCH:
        if problem.moving[k, layout.M_STRETCH_DOF] < 0:
            return ZERO_VECTOR, ZERO_VECTOR
        below = quat.load3(frames.effectors, end, layout.E_P1)
        return quat.rotate(quat.load4(frames.joints, k, layout.S_W), below), ZERO_VECTOR
    if i < 3:
        return quat.letter_axis(i), ZERO_VECTOR
    point = quat.load3(frames.effectors, end, layout.E_POS)
    arm = quat.sub(point, quat.load3(frames.joints, k, layout.S_POS))
    spin = quat.letter_axis(i - 3)
    return quat.cross(spin, arm), spin


@leaf
def freedoms_of(problem, k):
    """How many freedoms joint k has, its stretch included."""
    count = problem.moving[k, layout.M_NDOF]
    return count + 1 if problem.moving[k, layout.M_STRETCH_DOF] >= 0 else count


@leaf
def motion_by(problem, frames, linear, k, i, point, below):
    """How freedom i of joint k, the stretch being the last, moves a frame at a world point that k carries.

    `below` is what the stretch moves, in k's frame. Returns the index of the freedom (of the copied joint if k is a
    mimic joint), how fast k follows it, and the frame's linear and angular velocity.
    """
    moving, joints = problem.moving, frames.joints
    source = moving[k, layout.M_MIMIC]
    if i == moving[k, layout.M_NDOF]:
        slide = quat.rotate(quat.load4(joints, k, layout.S_W), below)
        return moving[k, layout.M_STRETCH_DOF], 1.0, slide, ZERO_VECTOR
    d = (moving[k, layout.M_DOF] if source < 0 else problem.freedoms + k) + i
    axis = quat.load3(linear.axes, d, 0)
    gain, spin = 1.0, ZERO_VECTOR
    if slides(moving[k, layout.M_KIND], i):
        slide = quat.scale(axis, problem.length)
    else:
        slide = quat.cross(axis, quat.sub(point, quat.load3(joints, k, layout.S_POS)))
        spin = axis
    if source >= 0:
        d = moving[source, layout.M_DOF]
        gain = mimic_gain(problem, k, i)
    return d, gain, slide, spin


@cold
def _own_columns(problem, frames, linear):
    """Fill the columns of custom goals: their derivatives by frames times how freedoms move the frames."""
    moving, blocks = problem.moving, problem.blocks
    given = 0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_FUNCTION] == 0:
            continue
        slopes = own_goals.derivatives(problem, frames, g, given)
        given += blocks[g, layout.B_VALUES]
        unit, row = own_goals.unit_of(problem, g), blocks[g, layout.B_ROW]
        count = blocks[g, layout.B_FRAMES]
        for f in range(count):
            end = blocks[g, layout.B_FRAME] + f
            point = quat.load3(frames.effectors, end, layout.E_POS)
            below = quat.load3(frames.effectors, end, layout.E_P1)
            k = blocks[end, layout.B_MOVE]
            while k >= 0:
                for i in range(freedoms_of(problem, k)):
                    d, gain, slide, spin = motion_by(problem, frames, linear, k, i, point, below)
                    for r in range(blocks[g, layout.B_ROWS]):
                        c = own_goals.FRAME_FREEDOMS * (r * count + f)
                        rate = quat.dot(quat.take3(slopes, c), slide)
                        rate += quat.dot(quat.take3(slopes, c + 3), spin)
                        linear.columns[d, row + r] -= unit * gain * rate
                below = quat.load3(frames.joints, k, layout.S_P1)
                k = moving[k, layout.M_PARENT]


@leaf
def mimic_gain(problem, k, i):
    """How fast coordinate i of mimic joint k follows the freedom it copies; one may slide and the other turn."""
    moving = problem.moving
    kind, source = moving[k, layout.M_KIND], moving[moving[k, layout.M_MIMIC], layout.M_KIND]
    gain = problem.moving_f[k, layout.MIMIC_MUL]
    if slides(kind, i) and not slides(source, 0):
        return gain / problem.length
    if slides(source, 0) and not slides(kind, i):
        return gain * problem.length
    return gain


@kernel
def pushed_along(problem, frames, linear, k, point, push, row):
    """Add to `row`, shape (D,), how fast each freedom of joint k and of all above moves a point along `push`.

    Args:
        problem: The problem.
        frames: The frames of the pose.
        linear: Its axes are read.
        k: The moving joint that carries the point; -1: nothing moves it.
        point: In world, xyz.
        push: xyz; each freedom adds the dot product of the point's velocity with this.
        row: What is added to.
    """
    moving = problem.moving
    below = ZERO_VECTOR
    while k >= 0:
        below = pushed_by_joint(problem, frames, linear, k, point, push, below, row)
        k = moving[k, layout.M_PARENT]


@leaf
def pushed_by_joint(problem, frames, linear, k, point, push, below, row):
    """`pushed_along` for the freedoms of joint k alone.

    `below` is what its stretch moves, in its frame; returns that of its parent.
    """
    moving, joints = problem.moving, frames.joints
    source = moving[k, layout.M_MIMIC]
    arm = quat.sub(point, quat.load3(joints, k, layout.S_POS))
    first = moving[k, layout.M_DOF] if source < 0 else problem.freedoms + k
    for i in range(moving[k, layout.M_NDOF]):
        axis = quat.load3(linear.axes, first + i, 0)
        if slides(moving[k, layout.M_KIND], i):
            rate = problem.length * quat.dot(axis, push)
        else:
            rate = quat.dot(quat.cross(axis, arm), push)
        if source >= 0:
            row[moving[source, layout.M_DOF]] += mimic_gain(problem, k, i) * rate
        else:
            row[first + i] += rate
    if moving[k, layout.M_STRETCH_DOF] >= 0:
        way = quat.rotate(quat.load4(joints, k, layout.S_W), below)
        row[moving[k, layout.M_STRETCH_DOF]] += quat.dot(way, push)
    return quat.load3(joints, k, layout.S_P1)
