"""Cyclic coordinate descent: move one joint after the other to its best value.

The idea (Wang & Chen 1991, "A combined optimization method for solving the inverse kinematics
problem of mechanical manipulators"; Welman 1993; Lander 1998, "Making Kine More Flexible";
Kuehtreiber, "IK for Shape Grammars"): while all other joints are held, the best rotation of a joint
has a closed form. So visit the joints from the tip to the root, again and again. Limits, damping and
stiffness are part of each closed form (`kernels.best_turn`), and each visit updates the effector: a
sweep is linear in the joints, and no visit increases the cost.

The right choice for one chain with one effector whose motion to the target is to be shown. It fails,
like every coordinate descent, where no single joint can lower the cost; it bends the joints that it
visits first more than the others (`damping` evens that out); and it converges slowly where the chain
is nearly straight. So the plain sweeps have three additions:

* `accelerate`: after each sweep go on in the same direction, as far again, then twice as far, and so
  on while that brings the effector closer: the acceleration step of the cyclic coordinate method
  (Hooke & Jeeves 1961; Bazaraa, Sherali & Shetty, "Nonlinear Programming"), at the price of one more
  forward pass. On the chain 9-9-9-9-4 from straight, undamped, with 100 sweeps and a tolerance of
  1e-4 of its length, plain sweeps reach 83% of the targets in the ball, accelerated ones all.
* `restarts`: after a stall, from low-discrepancy seeds. A sweep that changes nothing is a stall, and
  so are three in a row at whose rate the budget would run out first. The last fifth of the budget
  is kept for the best pose found.
* Where no joint can help though the target is in reach (a straight chain, a target on its line), one
  small bend, always the same, leaves that pose.

`CCD(accelerate=False, restarts=0)` is the plain algorithm.

Where this differs from the sources, and why:

* Lander's listing rotates by a stale cross product where the angle is small (the rotation belongs
  inside that test) and skips angles below 0.256 degrees (0.99999): at 1e-4 of the length it reaches
  6% of the targets. Here the angle is atan2(|cross|, dot), which needs no dead zone. A vector of zero
  length gives no rotation; opposite vectors give half a turn about a fixed axis perpendicular to them.
* Its loop counts joint visits (101 of them), tests the tip before the rotation and always returns TRUE.
  Here an iteration is a sweep, the test comes after it, and the status says what happened. Its
  threshold is a squared distance, ours a distance.
* It rotates first and clamps afterwards, in each direction against one limit only. A clamped rotation
  is not the best one inside limits: that is the peak, whole turns away if need be, or the better of
  two ends.
* Kuehtreiber adds up vectors that are sums already and measures the distance of unit vectors, which
  is zero after the first rotation: 0.2% are reached. Here the arm is the effector minus the joint.
* His counter for the depth stops after one shape at depth 0; here 0 means to the skeleton's root.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from supple.errors import one_of
from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.best_turn import (
    TURN_RULES,
    Aim,
    Tip,
    axis_turn,
    ball_turn,
    cone_of,
    cone_turn,
    coordinate_step,
    cost_at,
    into_cone,
    part_of,
    seen_from,
)
from supple.kernels.decorators import SOLVE, entry, kernel, leaf
from supple.kernels.joint import (
    axis_of,
    frame_of_angle,
    has_quaternion,
    number_count,
    own_turn,
    project,
    slide_count,
    slides,
)
from supple.kernels.problem import begin, evaluate, place, take_frames, take_linear, unpack, within
from supple.kernels.reach import least_cost
from supple.kernels.report import (
    Ended,
    clear_trace,
    finish,
    record,
    record_change,
    record_turn,
    trace_into,
)
from supple.kernels.restart import CLEAR_COST_RATIO, Seeds, Window, best_seed, clearly_better
from supple.kernels.workspace import clear, copy, part, row_at, vector
from supple.problem.lowering import Problem
from supple.solvers.base import JOINT_KINDS, Solver, Takes

ORDERS = ("root-to-tip", "tip-to-root")  # by the value of the option


class Tuning(NamedTuple):
    """The tuned numbers of CCD. Where no source is given, none is recorded.

    Attributes:
        seed_candidates: Seeds evaluated for each restart; the one nearest to the goals is used.
        flat_fall: A sweep that lowers the cost by less than this changes nothing [of the cost].
        stall_sweeps: So many sweeps in a row that change nothing, or are too slow for the budget, are a stall.
        polish_share: What is kept for the best pose found [of the budget].
        greatest_gain: How far an accelerated sweep goes on, at most [in sweeps].
        good_cone_cost: A step of a cone that lowers the cost below this is not searched for a better one [of the cost].
        bend: How far every joint is bent where no single one can help [rad].
    """

    seed_candidates: int = 16
    flat_fall: float = 1e-6
    stall_sweeps: int = 3
    polish_share: float = 0.2
    greatest_gain: float = 1000.0
    good_cone_cost: float = 0.99
    bend: float = 0.05


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `CCD`, in their order."""

    max_iterations: float
    damping: float  # infinite for none
    upward: bool  # from the tip to the root
    restarts: float
    accelerate: bool


class Buffers(NamedTuple):
    """The workspace of one solve."""

    q: Any  # (Q,) the pose
    old: Any  # (Q,) the pose before a sweep
    trial: Any  # (Q,)
    best: Any  # (Q,) the best pose so far
    frames: Any
    linear: Any  # used to judge the answer


class Joint(NamedTuple):
    """The joint that is visited, while all other joints are held."""

    k: int  # its row among the moving joints
    at: int  # its first coordinate
    here: Any  # xyz, its world position
    pre: Any  # wxyz, the world rotation just before it
    cap: float  # the greatest rotation [rad]
    slide_cap: float  # the greatest slide [model units]


class Descent(NamedTuple):
    """How a descent ended."""

    stop: int
    stuck: bool  # sweeps changed nothing
    cost: float
    used: int  # iterations so far


@kernel
def read_options(problem):
    """The options in a packed problem."""
    o = problem.options
    return Options(o[0], o[1], o[2] != 0.0, o[3], o[4] != 0.0)


@kernel
def take_buffers(problem, work):
    """Take the workspace of one solve."""
    nq = problem.coordinates
    return Buffers(
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        take_frames(problem, work),
        take_linear(problem, work),
    )


# One visit: a joint moves to its best value ------------------------------------------------------


@kernel
def _clamped(value, low, high):
    return min(max(value, low), high)


@kernel
def _turn_number(problem, joint, i, axis, q, tip, aim):
    """Rotate coordinate i of a joint, about a world axis through its position, to its best value."""
    moving_f = problem.moving_f
    k, at = joint.k, joint.at + i
    low, high = (
        moving_f[k, layout.LIMITS + 2 * i],
        moving_f[k, layout.LIMITS + 2 * i + 1],
    )
    old = q[at]
    angle = axis_turn(
        joint.here,
        axis,
        tip,
        aim,
        max(low - old, -joint.cap),
        min(high - old, joint.cap),
        moving_f[k, layout.WEIGHT],
    )
    if angle == 0.0:
        return tip
    q[at] = _clamped(old + angle, low, high)
    return turned_tip(joint.here, quat.about(axis, q[at] - old), tip)


@kernel
def turned_tip(here, turn, tip):
    """A tip after a world rotation about the point `here`."""
    arm = quat.rotate(turn, quat.sub(tip.point, here))
    return Tip(quat.add(here, arm), quat.mul(turn, tip.turn))


@kernel
def _slide_number(problem, joint, i, axis, q, tip, aim):
    """Slide coordinate i of a joint along a world axis to its best value; returns by how much."""
    moving_f = problem.moving_f
    k, at = joint.k, joint.at + i
    low, high = (
        moving_f[k, layout.LIMITS + 2 * i],
        moving_f[k, layout.LIMITS + 2 * i + 1],
    )
    old = q[at]
    wanted = moving_f[k, layout.WEIGHT] * quat.dot(axis, quat.sub(aim.target, tip.point))
    q[at] = _clamped(old + _clamped(wanted, -joint.slide_cap, joint.slide_cap), low, high)
    return q[at] - old


@kernel
def _turn_quaternion(problem, joint, at, q, tip, aim):
    """Rotate a joint that has a quaternion, which begins at coordinate `at`."""
    limited = problem.moving[joint.k, layout.M_KIND] & layout.SWING_TWIST != 0
    arm, seen = seen_from(joint.here, joint.pre, tip, aim)
    old = quat.take4(q, at)
    cone = cone_of(problem, joint.k)
    before = cost_at(tip, aim)
    least, best = before, tip
    for attempt in range(3):
        if attempt == 2:
            if aim.facing == 0.0 or least < before:
                break
            free = True
            step = quat.mul(coordinate_step(old, cone, arm, seen), quat.conj(old))
        elif limited:
            new, free = cone_turn(old, cone, arm, seen, attempt == 1)
            step = quat.mul(new, quat.conj(old))
        else:
            free = True
            step = ball_turn(arm, seen)
        step = part_of(step, problem.moving_f[joint.k, layout.WEIGHT], joint.cap)
        for _ in range(TURN_RULES.halvings):
            new = quat.normalized(quat.mul(step, old))
            if limited:
                new = into_cone(new, cone)
                step = quat.mul(new, quat.conj(old))
            world = quat.mul(quat.mul(joint.pre, step), quat.conj(joint.pre))
            moved = turned_tip(joint.here, world, tip)
            cost = cost_at(moved, aim)
            if cost < least:
                quat.put4(q, at, new)
                least, best = cost, moved
                break
            step = part_of(step, 0.5, math.inf)
        if free or least < TUNING.good_cone_cost * before:
            break
    return best


@kernel
def _move_free(problem, joint, q, tip, aim):
    """Rotate and shift a free joint: straight to both goals, or to one after the other if it is damped or stiff."""
    at, pre, weight = joint.at, joint.pre, problem.moving_f[joint.k, layout.WEIGHT]
    if aim.facing > 0.0:
        error = quat.mul(aim.goal, quat.conj(tip.turn))
        moved = quat.add(joint.here, quat.rotate(error, quat.sub(tip.point, joint.here)))
        shift = quat.norm(quat.sub(aim.target, moved)) if aim.near > 0.0 else 0.0
        if weight == 1.0 and quat.norm(quat.log(error)) <= joint.cap and shift <= joint.slide_cap:
            error = quat.mul(quat.mul(quat.conj(pre), error), pre)
            quat.put4(q, at + 3, quat.normalized(quat.mul(error, quat.take4(q, at + 3))))
            tip = Tip(moved, aim.goal)
        else:
            tip = _turn_quaternion(problem, joint, at + 3, q, tip, aim)
    if aim.near > 0.0:
        shift = quat.scale(quat.sub(aim.target, tip.point), weight)
        size = quat.norm(shift)
        if size > joint.slide_cap:
            shift = quat.scale(shift, joint.slide_cap / size)
        tip = Tip(quat.add(tip.point, shift), tip.turn)
        shift = quat.unrotate(pre, shift)
        for i in range(3):
            q[at + i] += shift[i]
    return tip


@kernel
def _stretch(problem, frames, joint, q, tip, aim):
    """Stretch a joint to its best factor."""
    moving, moving_f = problem.moving, problem.moving_f
    k, at = joint.k, moving[joint.k, layout.M_STRETCH_Q]
    last = k + 1 == moving.shape[0]
    below = (
        quat.load3(frames.effectors, 0, layout.E_P1)
        if last
        else quat.load3(frames.joints, k + 1, layout.S_P1)
    )
    world = quat.mul(joint.pre, own_turn(problem, q, k))
    below = quat.rotate(world, below)
    size = quat.dot(below, below)
    if size == 0.0:
        return tip
    wanted = quat.dot(below, quat.sub(aim.target, tip.point))
    change = moving_f[k, layout.WEIGHT] * wanted / size
    old = q[at]
    q[at] = _clamped(
        old + _clamped(change, -joint.cap, joint.cap),
        moving_f[k, layout.STRETCH_LO],
        moving_f[k, layout.STRETCH_HI],
    )
    return Tip(quat.axpy(tip.point, q[at] - old, below), tip.turn)


@kernel
def visit(problem, frames, options, k, q, tip, aim):
    """Move joint k to its best value; returns where that takes the effector."""
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    pre, here = (
        quat.load4(joints, k, layout.S_WPRE),
        quat.load3(joints, k, layout.S_POS),
    )
    own = moving_f[k, layout.DAMPING]
    cap, slide_cap = min(own, options.damping), min(own, options.damping * problem.length)
    joint = Joint(k, at, here, pre, cap, slide_cap)
    if kind == layout.BALL and aim.facing == 0.0:
        turn = part_of(
            quat.between(quat.sub(tip.point, here), quat.sub(aim.target, here)),
            moving_f[k, layout.WEIGHT],
            cap,
        )
        world = quat.mul(turn, quat.load4(joints, k, layout.S_W))
        quat.put4(q, at, quat.normalized(quat.mul(quat.conj(pre), world)))
        point = quat.add(here, quat.rotate(turn, quat.sub(tip.point, here)))
        tip = Tip(point, tip.turn)
    elif has_quaternion(kind) and slide_count(kind) == 3:
        tip = _move_free(problem, joint, q, tip, aim)
    else:
        if aim.near > 0.0:
            for i in range(slide_count(kind)):
                axis = quat.rotate(pre, axis_of(moving_f, k, i))
                change = _slide_number(problem, joint, i, axis, q, tip, aim)
                tip = Tip(quat.axpy(tip.point, change, axis), tip.turn)
                here = quat.axpy(here, change, axis)
            joint = Joint(k, at, here, pre, cap, slide_cap)
        first, count = slide_count(kind), number_count(kind)
        for n in range(first, count):
            i = first + count - 1 - n if options.upward else n
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                frame = frame_of_angle(kind, moving_f, k, i, q, at, pre)
                axis = quat.rotate(frame, axis_of(moving_f, k, i))
                tip = _turn_number(problem, joint, i, axis, q, tip, aim)
        if has_quaternion(kind):
            tip = _turn_quaternion(problem, joint, at + count, q, tip, aim)
    if moving[k, layout.M_STRETCH_Q] >= 0 and aim.near > 0.0:
        tip = _stretch(problem, frames, joint, q, tip, aim)
    return tip


# Sweeps ------------------------------------------------------------------------------------------


@kernel
def aim_of(problem, frames):
    """The target position and orientation of the effector, and the weight of each."""
    blocks = problem.blocks
    effectors = frames.effectors
    near, facing = 0.0, 0.0
    target = quat.load3(effectors, 0, layout.E_POS)
    goal = quat.load4(effectors, 0, layout.E_WROT)
    for g in range(blocks.shape[0]):
        weight = problem.blocks_f[g, layout.B_WEIGHT]
        if blocks[g, layout.B_KIND] == layout.POSITION:
            near = (weight / problem.length) * (weight / problem.length)
            target = quat.load3(effectors, g, layout.E_TARGET)
        elif blocks[g, layout.B_KIND] == layout.ORIENTATION:
            facing = (weight * problem.radian) * (weight * problem.radian)
            goal = quat.load4(effectors, g, layout.E_TARGET)
    return Aim(target, goal, near, facing)


@kernel
def sweep(problem, options, ccd, trace, iteration):
    """Visit every joint once, from q = old, evaluated. The frames are not those of q afterwards.

    Each visit updates the effector's position and rotation: a joint at p that rotates by R takes the
    point e to p + R (e - p). So a visit costs the same however long the chain below is, and the frames
    of the chain are computed once a sweep: before it when going from the tip to the root (what is above
    a joint has not moved yet), during it when going from the root to the tip.
    """
    frames, q = ccd.frames, ccd.q
    aim = aim_of(problem, frames)
    tip = Tip(
        quat.load3(frames.effectors, 0, layout.E_POS),
        quat.load4(frames.effectors, 0, layout.E_WROT),
    )
    count = problem.moving.shape[0]
    for i in range(count):
        k = count - 1 - i if options.upward else i
        if not options.upward:
            place(problem, frames, q, k)
        tip = visit(problem, frames, options, k, q, tip, aim)
        if not options.upward:
            place(problem, frames, q, k)
        record_turn(trace, problem, iteration, k, ccd.old, q)


@leaf
def _grown(change, gain, cap):
    """A change, made longer by `gain` times itself, but not beyond the cap."""
    size = abs(change)
    return change * min(1.0 + gain, max(1.0, cap / size)) if size > 0.0 else change


@kernel
def extrapolate(problem, options, old, new, gain, out):
    """Fill `out` with new + gain * (new - old), inside limits and caps."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        at = moving[k, layout.M_Q]
        cap = min(moving_f[k, layout.DAMPING], options.damping)
        slide_cap = min(moving_f[k, layout.DAMPING], options.damping * problem.length)
        numbers = number_count(kind)
        if has_quaternion(kind):
            i = at + numbers
            step = quat.log(quat.mul(quat.take4(new, i), quat.conj(quat.take4(old, i))))
            angle = quat.norm(step)
            if angle > 0.0:
                step = quat.scale(step, _grown(angle, gain, cap) / angle)
                quat.put4(out, i, quat.normalized(quat.mul(quat.exp(step), quat.take4(old, i))))
        for i in range(numbers):
            most = slide_cap if slides(kind, i) else cap
            change = _grown(new[at + i] - old[at + i], gain, most)
            out[at + i] = old[at + i] + change
        stretch = moving[k, layout.M_STRETCH_Q]
        if stretch >= 0:
            out[stretch] = old[stretch] + _grown(new[stretch] - old[stretch], gain, cap)
    project(problem, out)


@kernel
def bend_all(problem, options, frames, q):
    """Bend every joint of q, evaluated, a little to the same side, inside limits and caps."""
    joints = frames.joints
    moving, moving_f = problem.moving, problem.moving_f
    side = quat.perpendicular((1.0, 0.0, 0.0))
    if problem.blocks[0, layout.B_KIND] == layout.POSITION:
        base = quat.load3(joints, 0, layout.S_POS)
        line = quat.unit(quat.sub(quat.load3(frames.effectors, 0, layout.E_TARGET), base))
        if quat.norm(line) > 0.5:
            side = quat.perpendicular(line)
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        at = moving[k, layout.M_Q]
        size = min(TUNING.bend, moving_f[k, layout.DAMPING], options.damping)
        if has_quaternion(kind) and slide_count(kind) == 0:
            axis = quat.unrotate(quat.load4(joints, k, layout.S_WPRE), side)
            quat.put4(q, at, quat.normalized(quat.mul(quat.about(axis, size), quat.take4(q, at))))
        for i in range(slide_count(kind), number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                inside = q[at + i] + size <= moving_f[k, layout.LIMITS + 2 * i + 1]
                q[at + i] += size if inside else -size
    project(problem, q)


# The search --------------------------------------------------------------------------------------


@kernel
def costs_at_stake(problem, frames):
    """The cost at which all goals are met, and a cost that no pose can go below."""
    blocks, blocks_f = problem.blocks, problem.blocks_f
    enough = 0.0
    for g in range(blocks.shape[0]):
        weight = blocks_f[g, layout.B_WEIGHT]
        tolerance = blocks_f[g, layout.B_TOLERANCE]
        if blocks[g, layout.B_KIND] == layout.POSITION:
            tolerance /= problem.length
        else:
            tolerance *= problem.radian
        enough += 0.5 * (weight * tolerance) * (weight * tolerance)
    return enough, least_cost(problem, frames)


@kernel
def is_damped(problem, options):
    """True if anything caps the change of a joint: the rate of past sweeps then predicts nothing."""
    if options.damping < math.inf:
        return True
    for k in range(problem.moving.shape[0]):
        if problem.moving_f[k, layout.DAMPING] < math.inf:
            return True
    return False


@kernel
def accelerate(problem, options, ccd, trace, cost, gain, iteration):
    """Go on from q, the end of a sweep, in its direction if that helps; returns the cost and the next gain."""
    copy(ccd.q, ccd.trial)
    extrapolate(problem, options, ccd.old, ccd.q, gain, ccd.trial)
    farther = evaluate(problem, ccd.frames, ccd.trial)
    if farther < cost:
        record_change(trace, problem, iteration, ccd.q, ccd.trial)
        copy(ccd.trial, ccd.q)
        return farther, min(2.0 * gain, TUNING.greatest_gain)
    evaluate(problem, ccd.frames, ccd.q)
    return cost, max(0.5 * gain, 0.25)


@kernel
def descend(problem, options, ccd, trace, cost, used, until, aim):
    """Sweep from q, evaluated, until reached, stalled or at iteration `until`.

    If `aim` is not negative, sweeps at whose rate the cost would not get down to it within the budget
    are a stall too. Q ends as the best pose seen.
    """
    frames, q, old = ccd.frames, ccd.q, ccd.old
    gain = 1.0
    slow, flat = 0, 0
    while True:
        if within(problem, frames):
            return Descent(layout.STOP_REACHED, False, cost, used)
        if used >= until:
            return Descent(layout.STOP_BUDGET, False, cost, used)
        used += 1
        copy(q, old)
        sweep(problem, options, ccd, trace, used)
        new = evaluate(problem, frames, q)
        if options.accelerate and not within(problem, frames):
            new, gain = accelerate(problem, options, ccd, trace, new, gain, used)
        if not new <= cost:
            # No visit increases the cost, except by rounding.
            record_change(trace, problem, used, q, old)
            copy(old, q)
            new = evaluate(problem, frames, q)
        record(trace, problem, q, frames.errors)
        rate = new / cost
        flat = flat + 1 if 1.0 - rate < TUNING.flat_fall else 0
        slow = slow + 1 if new * rate ** (options.max_iterations - used) > aim else 0
        cost = new
        if flat >= TUNING.stall_sweeps or rate == 1.0:
            return Descent(layout.STOP_STALLED, True, cost, used)
        if slow >= TUNING.stall_sweeps and aim >= 0.0:
            return Descent(layout.STOP_STALLED, False, cost, used)


@kernel
def search(problem, options, ccd, trace, start, cost):
    """Descend from q; after a stall bend, then restart, then polish the best pose, which ends in `best`."""
    enough, least = costs_at_stake(problem, ccd.frames)
    impatient = options.restarts > 0.0 and not is_damped(problem, options)
    aim = max(enough, least / CLEAR_COST_RATIO) if impatient else -1.0
    budget = options.max_iterations
    best_cost, best_stuck = math.inf, False
    restarts, used, until = 0, 0, budget
    elsewhere = False
    stop = layout.STOP_STALLED
    while True:
        descent = descend(problem, options, ccd, trace, cost, used, until, aim)
        stop, cost, used = descent.stop, descent.cost, descent.used
        if stop == layout.STOP_REACHED or clearly_better(cost, best_cost, elsewhere):
            copy(ccd.q, ccd.best)
            best_cost, best_stuck = cost, descent.stuck
        # A target out of reach: the best pose is already about as near as the chain can come.
        if stop != layout.STOP_STALLED or used >= budget or CLEAR_COST_RATIO * best_cost <= least:
            break
        copy(ccd.q, ccd.old)
        if descent.stuck and not elsewhere:
            bend_all(problem, options, ccd.frames, ccd.q)
        elif restarts < options.restarts:
            spread = min(1.0, 0.5 + 0.5 * restarts)
            seeds = Seeds(1 + restarts * TUNING.seed_candidates, TUNING.seed_candidates, spread)
            best_seed(problem, ccd.frames, seeds, start, Window(start, 0.0), ccd.trial, ccd.q)
            restarts += 1
            until = budget - TUNING.polish_share * budget
        else:
            break
        elsewhere = True
        record_change(trace, problem, used + 1, ccd.old, ccd.q)
        cost = evaluate(problem, ccd.frames, ccd.q)
    if stop == layout.STOP_REACHED:
        return Ended(stop, used, restarts)
    stop = layout.STOP_STALLED if best_stuck else layout.STOP_BUDGET
    if used < budget and not best_stuck:
        record_change(trace, problem, used + 1, ccd.q, ccd.best)
        copy(ccd.best, ccd.q)
        cost = evaluate(problem, ccd.frames, ccd.q)
        polished = descend(problem, options, ccd, trace, cost, used, budget, -1.0)
        copy(ccd.q, ccd.best)
        return Ended(polished.stop, polished.used, restarts)
    if restarts > 0:
        record_change(trace, problem, used, ccd.q, ccd.best)
    return Ended(stop, used, restarts)


@entry(SOLVE)
def solve_range(
    ints, floats, offsets, starts, targets, out, work, trace_poses, trace_events, first, last
):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    clear(work)
    problem = unpack(ints, floats)
    options = read_options(problem)
    ccd = take_buffers(problem, work)
    trace = trace_into(trace_poses, trace_events, work)
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        clear_trace(trace)
        cost = begin(problem, ccd.frames, row_at(offsets, b), start, row_at(targets, b), ccd.q)
        record(trace, problem, ccd.q, ccd.frames.errors)
        ended = search(problem, options, ccd, trace, start, cost)
        finish(problem, ccd.frames, ccd.linear, trace, start, ccd.best, ended, row_at(out, b))


@dataclass(frozen=True, kw_only=True)
class CCD(Solver):
    """Cyclic coordinate descent; see the module's text.

    Args:
        max_iterations: Sweeps over the chain in all, restarts included.
        damping: The greatest change of any joint in one sweep [rad], for slides in chain lengths;
            None for no cap.
        order: "tip-to-root" or "root-to-tip".
        restarts: How many restarts follow after a stall.
        accelerate: Whether each sweep is followed by a step on in the same direction, if that helps.
    """

    name: ClassVar[str] = "CCD"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset(JOINT_KINDS),
        goals=frozenset({"position", "orientation"}),
        stretch=True,
        remark="one effector",
    )
    kernel = staticmethod(solve_range)

    max_iterations: int = 100
    damping: float | None = None
    order: str = "tip-to-root"
    restarts: int = 8
    accelerate: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        Solver.__post_init__(self)
        one_of("CCD order", self.order, sorted(ORDERS))
        self._whole("restarts")
        self._flag("accelerate")
        if self.damping is not None:
            self._positive("damping")

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them."""
        cap = math.inf if self.damping is None else float(self.damping)
        order = float(ORDERS.index(self.order))
        return (
            float(self.max_iterations),
            cap,
            order,
            float(self.restarts),
            float(self.accelerate),
        )

    def events_per_iteration(self, problem: Problem) -> int:
        """Each joint moves in a restart, in the sweep, and in the step that follows it."""
        return 3 * len(problem.moving)
