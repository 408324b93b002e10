"""Fast path of LM: `LookAt` goals that one joint each can serve, with closed forms.

In the joint's frame the effector is fixed at c and looks along the unit vector a; the target moves on
the sphere of radius r = |target| about the joint. The effector looks at it where the ray meets the
sphere,

    s = c + l a,  l = sqrt(r^2 - |c|^2 + (c.a)^2) - c.a,

so the joint has to rotate s onto the target. With a target nearer than the effector (r < |c|) the ray
may meet the sphere twice, or miss it: then the tangent point in the plane of c and a is the nearest.

* A ball makes the least rotation.
* A hinge moves the target on a circle, on which the cosine of the angle to it is N / sqrt(Q); N and Q
  are each a constant plus one sine wave of the hinge's angle. The slope is a sum of two waves, with at
  most four zeros: all peaks and both limits are compared.
* A cone looks exactly, if any spin about s is inside its limits (`best_turn.cone_pointing`), else it
  takes the best of four poses at its limits (`best_turn.cone_at_limit`). If the effector is away from
  the joint, s is then not the best vector to point: one with the same slope as the look is, and the
  two are computed alternately.
* Axes: two of them, with the third held, point s in closed form (`axes_pointing`). Where limits forbid
  it, the axes rotate one after the other like hinges, from the best of all edges of the box of limits,
  or, if an axis has no limits, from the best of a grid. This runs only after a descent has stalled, so
  that a reachable target gets the answer of LM.

LM settles looks that are not met, which takes an iteration or two. Of looks that are about as good, the
one nearest to the start is taken, so that a small move of the target gives a small move of the pose.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.best_turn import LIMIT_CANDIDATES, cone_at_limit, cone_of, cone_pointing, dot4
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import FULL_TURN, inside_turns
from supple.kernels.levenberg import DESCENT_RULES
from supple.kernels.problem import evaluate, has_secondary, within
from supple.kernels.quaternion import sine_cosine
from supple.kernels.report import Ended, record
from supple.kernels.workspace import copy


class Tuning(NamedTuple):
    """The tuned numbers of looks. Where no source is given, none is recorded.

    Attributes:
        hinge_samples: Samples of a hinge's range, between which peaks are searched.
        newton_steps: Steps of Newton's method for a peak, at most.
        cone_steps: Steps of the alternation for a cone that cannot look at its target, at most.
        zero_length: A vector shorter than this has no direction.
        as_good: A look is better than another only if its error is below this [of the other's error].
        pointing_chord: A squared chord that LM settles at once.
        exact_chord: A squared chord that is rounding.
        axis_sweeps: Sweeps over the axes of a joint, at most.
        grid_points: Points on each axis of the grid of starts.
    """

    hinge_samples: int = 24
    newton_steps: int = 20
    cone_steps: int = 12
    zero_length: float = 1e-12
    as_good: float = 0.999
    pointing_chord: float = 1e-14
    exact_chord: float = 1e-20
    axis_sweeps: int = 8
    grid_points: int = 4


TUNING = Tuning()


class Look(NamedTuple):
    """A look with one joint. The joint's frame rotates with it."""

    eye: Any  # xyz, the effector in the joint's frame
    axis: Any  # xyz, the direction it looks in, in the joint's frame
    target: Any  # xyz, in the frame just before the joint


class Arc(NamedTuple):
    """The cosine of a look about a hinge, (n0 + n1 cos x + n2 sin x) / sqrt(d0 + d1 cos x + d2 sin x)."""

    n0: float
    n1: float
    n2: float
    d0: float
    d1: float
    d2: float


@leaf
def fits(problem):
    """True if all goals are looks, each moved by one rotating joint that moves no other."""
    moving, blocks = problem.moving, problem.blocks
    count = moving.shape[0]
    if blocks.shape[0] != count:
        return False
    for g in range(count):
        # As many blocks as joints, and no joint twice: each joint has one block.
        k = blocks[g, layout.B_MOVE]
        if blocks[g, layout.B_KIND] != layout.LOOKAT or k < 0:
            return False
        for h in range(g):
            if blocks[h, layout.B_MOVE] == k:
                return False
        kind = moving[k, layout.M_KIND]
        if (
            kind != layout.BALL
            and kind != layout.HINGE
            and kind != layout.CONE
            and not has_letters(kind)
        ):
            return False
        if (
            moving[k, layout.M_PARENT] >= 0
            or moving[k, layout.M_MIMIC] >= 0
            or moving[k, layout.M_STRETCH_Q] >= 0
            or problem.moving_f[k, layout.DAMPING] < math.inf
            or problem.weight[moving[k, layout.M_DOF]] == 0.0
        ):
            return False
    return count > 0


@leaf
def has_letters(kind):
    """True if a joint rotates about letter axes (Axes) and has no slides."""
    return kind & layout.LETTERS != 0 and kind & layout.SLIDES == 0


@leaf
def has_axes(problem):
    """True if a joint is of the kind Axes, for which `solve` is to run after a descent."""
    for k in range(problem.moving.shape[0]):
        if has_letters(problem.moving[k, layout.M_KIND]):
            return True
    return False


@leaf
def solve(problem, options, frames, begin, trace, q, used):
    """Rotate from q, inside its limits, to the best looks; returns how that ended, and the cost.

    Q ends as the answer, never worse than it was. The end is STALLED if nothing is left to gain, BUDGET if
    there may be. `begin`, shape (Q,), is a buffer, `used` the iterations so far.
    """
    before = cost = evaluate(problem, frames, q)
    met_all = within(problem, frames)
    settled = False
    if not met_all and used < options.max_iterations:
        copy(q, begin)
        settled = turn(problem, frames, q)
        cost = evaluate(problem, frames, q)
        if not cost < before:
            copy(begin, q)
            cost = evaluate(problem, frames, q)
        met_all = within(problem, frames)
        used += 1
        record(trace, problem, q, frames.errors)
    stop = layout.STOP_BUDGET
    if met_all and not has_secondary(problem):
        stop = layout.STOP_REACHED
    elif settled and not met_all:
        stop = layout.STOP_STALLED
    return Ended(stop, used, 0), cost


@leaf
def turn(problem, frames, q):
    """Rotate every joint of the pose q, inside its limits, to its best look; True if these are settled.

    Frames are folded.
    """
    moving, moving_f, effectors = problem.moving, problem.moving_f, frames.effectors
    all_settled = True
    for g in range(problem.blocks.shape[0]):
        k = problem.blocks[g, layout.B_MOVE]
        kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
        away = quat.sub(
            quat.load3(effectors, g, layout.E_TARGET), quat.load3(frames.joints, k, layout.S_P0)
        )
        look = Look(
            quat.load3(effectors, g, layout.E_P0),
            quat.rotate(
                quat.load4(effectors, g, layout.E_ROT),
                quat.load3(problem.blocks_f, g, layout.B_AXIS),
            ),
            quat.unrotate(quat.load4(frames.joints, k, layout.S_PRE), away),
        )
        settled = True
        if kind == layout.HINGE:
            axis = quat.load3(moving_f, k, layout.AXIS)
            low, high = moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]
            angle = hinge_look(look, axis, q[at], low, high)
            if improves(look, quat.about(axis, q[at]), quat.about(axis, angle)):
                q[at] = angle
        elif has_letters(kind):
            settled = turn_axes(problem, look, k, q)
        else:
            own = quat.take4(q, at)
            if kind == layout.CONE:
                new, settled = cone_look(look, own, cone_of(problem, k))
            else:
                new = ball_look(look, own)
            if improves(look, own, new):
                quat.put4(q, at, new)
        all_settled = all_settled and settled
    return all_settled


@kernel
def improves(look, own, new):
    """True if the rotation `new` looks nearer to the target than `own` by more than rounding."""
    return squared_chord(look, new) < (1.0 - DESCENT_RULES.least_gain) * squared_chord(look, own)


@kernel
def squared_chord(look, own):
    """The square of 2 sin(x / 2), where x is the angle by which a look with the joint's rotation `own` misses."""
    way = quat.unit(quat.sub(quat.unrotate(own, look.target), look.eye))
    miss = quat.sub(way, look.axis)
    return quat.dot(miss, miss)


@kernel
def ray_hits(look):
    """The points where the ray meets the target's sphere, in the joint's frame: far and near, or twice the same."""
    eye, axis = look.eye, look.axis
    radius, size = quat.norm(look.target), quat.norm(eye)
    along = quat.dot(eye, axis)
    square = (radius - size) * (radius + size) + along * along
    root = math.sqrt(max(square, 0.0))
    if square >= 0.0 and root - along >= 0.0:
        far = quat.axpy(eye, root - along, axis)
        # A target at the eye itself is not a second point to look at.
        twice = root + along < -TUNING.zero_length * size
        return far, quat.axpy(eye, -root - along, axis) if twice else far
    back = quat.scale(eye, 1.0 / size)
    side = quat.axpy(axis, -quat.dot(axis, back), back)
    side = quat.unit(side) if quat.norm(side) > 1e-9 else quat.perpendicular(back)
    cosine = radius / size
    touch = quat.axpy(quat.scale(back, cosine), math.sqrt(max(1.0 - cosine * cosine, 0.0)), side)
    touch = quat.scale(touch, radius)
    return touch, touch


@kernel
def ball_look(look, own):
    """The rotation, nearest to a ball's `own`, that looks at the target best."""
    far, near = ray_hits(look)
    arm, other = quat.rotate(own, far), quat.rotate(own, near)
    if quat.dot(other, look.target) > quat.dot(arm, look.target):
        arm = other
    return quat.normalized(quat.mul(quat.between(arm, look.target), own))


@kernel
def cone_look(look, own, cone):
    """The best rotation of a cone inside its limits, near `own` if several are as good; True if settled."""
    far, near = ray_hits(look)
    best, low, likeness, settled = own, math.inf, -1.0, False
    for i in range(1 if near == far else 2):
        arm = quat.rotate(own, near if i == 1 else far)
        turned, exact = cone_pointing(own, cone, arm, look.target)
        if (
            exact
            and abs(dot4(turned, own)) > likeness
            and squared_chord(look, turned) <= TUNING.exact_chord
        ):
            best, likeness, settled = turned, abs(dot4(turned, own)), True
    corners = (
        LIMIT_CANDIDATES if cone.high - cone.low < FULL_TURN else 2
    )  # without limits to the twist
    for corner in range(0 if settled else corners):
        turned, cost, done = _cone_edge(look, own, cone, far, corner)
        alike = abs(dot4(turned, own))
        if cost < TUNING.as_good * low or (TUNING.as_good * cost <= low and alike > likeness):
            best, low, likeness, settled = turned, cost, alike, done
    return best, settled


@kernel
def _cone_edge(look, own, cone, arm, corner):
    """The best rotation at one of the limits of a cone, its cost, and True if it is settled."""
    turned, inside = cone_at_limit(own, cone, quat.rotate(own, arm), look.target, corner)
    if not inside:
        return own, math.inf, False
    cost = squared_chord(look, turned)
    for _ in range(TUNING.cone_steps):
        aimed = quat.rotate(own, _aimed(look, turned, arm))
        new, inside = cone_at_limit(own, cone, aimed, look.target, corner)
        fall = cost - squared_chord(look, new)
        if not inside or fall < -DESCENT_RULES.least_gain * cost:
            return turned, cost, False
        if fall > 0.0:
            turned, cost = new, cost - fall
        if abs(fall) <= DESCENT_RULES.least_gain * cost:
            return turned, cost, True
    return turned, cost, False


@kernel
def _aimed(look, own, arm):
    """The arm that a cone has to point at the target for a better look, at the same angle to it as `arm`.

    In the joint's frame a look improves as the target moves on its sphere along the slope of the cosine; an
    arm in this direction has the same slope as the look.
    """
    target = quat.unrotate(own, look.target)
    up = quat.unit(target)
    way = quat.unit(quat.sub(target, look.eye))
    slope = quat.axpy(look.axis, -quat.dot(look.axis, way), way)
    slope = quat.axpy(slope, -quat.dot(slope, up), up)
    size = quat.norm(slope)
    if size < TUNING.zero_length:
        return arm
    angle = math.atan2(quat.norm(quat.cross(up, arm)), quat.dot(up, arm))
    arm = quat.axpy(quat.scale(up, math.cos(angle)), math.sin(angle) / size, slope)
    return quat.scale(arm, quat.norm(target))


@kernel
def arc_of(look, axis):
    """The arc of a look about an axis."""
    eye, seen, target = look.eye, look.axis, look.target
    along = quat.scale(axis, quat.dot(target, axis))
    out = quat.sub(target, along)
    side = quat.cross(target, axis)
    return Arc(
        quat.dot(seen, quat.sub(along, eye)),
        quat.dot(seen, out),
        quat.dot(seen, side),
        quat.dot(target, target) + quat.dot(eye, eye) - 2.0 * quat.dot(eye, along),
        -2.0 * quat.dot(eye, out),
        -2.0 * quat.dot(eye, side),
    )


@kernel
def cosine_at(arc, x):
    """The cosine of the angle to the target."""
    s, c = sine_cosine(x)
    square = arc.d0 + arc.d1 * c + arc.d2 * s
    return (arc.n0 + arc.n1 * c + arc.n2 * s) / math.sqrt(max(square, 1e-300))


@kernel
def slope_at(arc, x):
    """A function with the sign of the slope of `cosine_at`, and its derivative."""
    s, c = sine_cosine(x)
    n, n1 = arc.n1 * c + arc.n2 * s, arc.n2 * c - arc.n1 * s
    d, d1 = arc.d1 * c + arc.d2 * s, arc.d2 * c - arc.d1 * s
    value = n1 * (arc.d0 + d) - 0.5 * (arc.n0 + n) * d1
    return value, -n * (arc.d0 + d) + 0.5 * n1 * d1 + 0.5 * (arc.n0 + n) * d


@kernel
def _peak(arc, low, high):
    """The zero of the slope between `low`, where it is positive, and `high`, where it is not."""
    x = 0.5 * (low + high)
    for _ in range(TUNING.newton_steps):
        value, rise = slope_at(arc, x)
        if value > 0.0:
            low = x
        else:
            high = x
        new = x - value / rise if rise < 0.0 else low
        new = new if low < new < high else 0.5 * (low + high)
        if abs(new - x) <= 1e-15 * max(1.0, abs(x)):
            break
        x = new
    return x


@kernel
def hinge_look(look, axis, here, low, high):
    """The angle of a hinge's best look in [low, high], near `here` if several are as good."""
    arc = arc_of(look, axis)
    open_range = high - low >= FULL_TURN
    first = here - 0.5 * FULL_TURN if open_range else low
    step = (FULL_TURN if open_range else high - low) / TUNING.hinge_samples
    best, miss = here, 1.0 - cosine_at(arc, here)
    before, _ = slope_at(arc, first)
    for i in range(TUNING.hinge_samples):
        left, right = first + i * step, first + (i + 1) * step
        after, _ = slope_at(arc, right)
        peak = math.inf
        if before > 0.0 and after <= 0.0:
            peak = _peak(arc, left, right)
        elif i == 0 and before <= 0.0 and not open_range:
            peak = low
        elif i == TUNING.hinge_samples - 1 and after > 0.0 and not open_range:
            peak = high
        before = after
        if peak < math.inf:
            off = 1.0 - cosine_at(arc, peak)
            nearer = best == here or abs(peak - here) < abs(best - here)
            if (
                off < TUNING.as_good * miss
                or (off < miss and best == here)
                or (TUNING.as_good * off <= miss and nearer)
            ):
                best, miss = peak, off
    return inside_turns(best, low, high, here) if open_range else best


@leaf
def turn_axes(problem, look, k, q):
    """Rotate joint k of q, an Axes joint, to the best look found; True if that is settled."""
    count, at = problem.moving[k, layout.M_NQ], problem.moving[k, layout.M_Q]
    own = (
        q[at],
        q[at + 1] if count > 1 else 0.0,
        q[at + 2] if count > 2 else 0.0,
    )
    best, settled = axes_pointing(problem, look, k, own)
    if not settled:
        best, settled = sweep(problem, look, k, best_on_edges(problem, look, k, own))
        if has_open(problem, k):
            there, done = sweep(problem, look, k, best_of_grid(problem, look, k, own))
            if squared_chord(look, axes_turn(problem, k, there)) < squared_chord(
                look, axes_turn(problem, k, best)
            ):
                best, settled = there, done
        if squared_chord(look, axes_turn(problem, k, own)) * TUNING.as_good <= squared_chord(
            look, axes_turn(problem, k, best)
        ):
            best, settled = sweep(problem, look, k, own)
    if improves(look, axes_turn(problem, k, own), axes_turn(problem, k, best)):
        for i in range(count):
            q[at + i] = best[i]
    return settled


@leaf
def axes_pointing(problem, look, k, own):
    """The angles of joint k, nearest to `own`, that look at the target; `own`, and False, if none do.

    Two axes have at most two solutions. Of three, one is held at its angle or at one of its limits: the
    solutions inside the limits are a curve, which ends there.
    """
    far, near = ray_hits(look)
    best, least = own, math.inf
    for n in range(36):
        held, place, sign = n // 12, (n // 4) % 3, 1.0 if n % 2 == 0 else -1.0
        arm = far if (n // 2) % 2 == 0 else near
        angles = own
        if place > 0:
            limit = problem.moving_f[k, layout.LIMITS + 2 * held + place - 1]
            if not code_of(problem, k, held)[1] or not math.isfinite(limit):
                continue
            angles = changed(own, held, limit)
        angles, found = point_two(problem, look.target, arm, k, held, angles, sign)
        if found and squared_chord(look, axes_turn(problem, k, angles)) <= TUNING.pointing_chord:
            change = quat.sub(angles, own)
            if quat.dot(change, change) < least:
                best, least = angles, quat.dot(change, change)
    return best, least < math.inf


@leaf
def point_two(problem, target, arm, k, held, angles, sign):
    """The angles of joint k, one of them held, that point an arm at the target; False if there are none.

    There are two solutions; `sign` chooses one.
    """
    first, last = 1 if held == 0 else 0, 1 if held == 2 else 2
    first_code, first_free = code_of(problem, k, first)
    last_code, last_free = code_of(problem, k, last)
    if not (first_free and last_free):
        return angles, False
    still = one_turn(problem, k, held, angles)
    middle = still if held == 1 else quat.IDENTITY
    target = quat.unrotate(still, target) if held == 0 else target
    arm = quat.rotate(still, arm) if held == 2 else arm
    axis, other = quat.letter_axis(first_code), quat.letter_axis(last_code)
    seen = quat.unrotate(middle, axis)
    # The last axis brings the arm as far along the first axis as the target is: a sine wave of its angle.
    along = quat.dot(seen, other) * quat.dot(arm, other)
    c, s = quat.dot(seen, arm) - along, quat.dot(seen, quat.cross(other, arm))
    size, rest = math.hypot(c, s), quat.dot(axis, target) - along
    if not abs(rest) <= size or size <= TUNING.zero_length * quat.norm(arm):
        return angles, False
    y = math.atan2(s, c) + sign * math.acos(rest / size)
    arm = quat.rotate(middle, quat.rotate(quat.about(other, y), arm))
    x = math.atan2(
        quat.dot(axis, quat.cross(arm, target)),
        quat.dot(arm, target) - quat.dot(axis, arm) * quat.dot(axis, target),
    )
    at = layout.LIMITS + 2 * first
    x = inside_turns(x, problem.moving_f[k, at], problem.moving_f[k, at + 1], angles[first])
    at = layout.LIMITS + 2 * last
    y = inside_turns(y, problem.moving_f[k, at], problem.moving_f[k, at + 1], angles[last])
    return changed(changed(angles, first, x), last, y), x < math.inf and y < math.inf


@leaf
def best_on_edges(problem, look, k, own):
    """The angles of joint k with the best look, all axes but one at a limit."""
    best, low = own, math.inf
    for n in range(12):
        free = n % 3
        angles = own
        for m in range(2):
            i = (free + 1 + m) % 3
            limit = problem.moving_f[k, layout.LIMITS + 2 * i + (n // 3 >> m) % 2]
            if code_of(problem, k, i)[1] and math.isfinite(limit):
                angles = changed(angles, i, limit)
        angles = turn_one(problem, look, k, angles, free)
        miss = squared_chord(look, axes_turn(problem, k, angles))
        if miss < low:
            best, low = angles, miss
    return best


@leaf
def code_of(problem, k, i):
    """The letter of axis i of joint k, and whether the axis exists and is not frozen."""
    code = (problem.moving[k, layout.M_ORDER] >> (2 * i)) & 3
    return code, code != 3 and (problem.moving[k, layout.M_FROZEN] >> i) & 1 == 0


@leaf
def has_open(problem, k):
    """True if an axis of joint k can make a whole turn."""
    for i in range(3):
        at = layout.LIMITS + 2 * i
        if (
            code_of(problem, k, i)[1]
            and problem.moving_f[k, at + 1] - problem.moving_f[k, at] >= FULL_TURN
        ):
            return True
    return False


@leaf
def one_turn(problem, k, i, angles):
    """The rotation about axis i of joint k."""
    code, _ = code_of(problem, k, i)
    return quat.turn_about_letter(code, angles[i]) if code != 3 else quat.IDENTITY


@leaf
def axes_turn(problem, k, angles):
    """The rotation of joint k, an Axes joint, at its angles."""
    turned = quat.mul(one_turn(problem, k, 0, angles), one_turn(problem, k, 1, angles))
    return quat.mul(turned, one_turn(problem, k, 2, angles))


@leaf
def changed(angles, i, x):
    """Three angles, with angle i set to x."""
    return (
        x if i == 0 else angles[0],
        x if i == 1 else angles[1],
        x if i == 2 else angles[2],
    )


@leaf
def turn_one(problem, look, k, angles, i):
    """The angles of joint k with axis i rotated to its best look."""
    code, free = code_of(problem, k, i)
    if not free:
        return angles
    above, below = quat.IDENTITY, quat.IDENTITY
    for n in range(i):
        above = quat.mul(above, one_turn(problem, k, n, angles))
    for n in range(i + 1, 3):
        below = quat.mul(below, one_turn(problem, k, n, angles))
    seen = Look(
        quat.rotate(below, look.eye),
        quat.rotate(below, look.axis),
        quat.unrotate(above, look.target),
    )
    at = layout.LIMITS + 2 * i
    axis = quat.letter_axis(code)
    angle = hinge_look(seen, axis, angles[i], problem.moving_f[k, at], problem.moving_f[k, at + 1])
    if improves(seen, quat.about(axis, angles[i]), quat.about(axis, angle)):
        return changed(angles, i, angle)
    return angles


@leaf
def sweep(problem, look, k, angles):
    """The angles after best looks of each axis of joint k in turn; True if the last sweep gained nothing."""
    for _ in range(TUNING.axis_sweeps):
        before = squared_chord(look, axes_turn(problem, k, angles))
        for i in range(3):
            angles = turn_one(problem, look, k, angles, i)
        after = squared_chord(look, axes_turn(problem, k, angles))
        if after <= TUNING.exact_chord or not after < (1.0 - DESCENT_RULES.least_gain) * before:
            return angles, True
    return angles, False


@leaf
def best_of_grid(problem, look, k, own):
    """The angles of joint k, on a grid inside its limits, with the best look; frozen axes keep theirs."""
    best, low = own, math.inf
    many = (
        TUNING.grid_points if code_of(problem, k, 0)[1] else 1,
        TUNING.grid_points if code_of(problem, k, 1)[1] else 1,
        TUNING.grid_points if code_of(problem, k, 2)[1] else 1,
    )
    for a in range(many[0]):
        x = grid_angle(problem, k, 0, own[0], a) if many[0] > 1 else own[0]
        first = one_turn(problem, k, 0, (x, 0.0, 0.0))
        for b in range(many[1]):
            y = grid_angle(problem, k, 1, own[1], b) if many[1] > 1 else own[1]
            second = quat.mul(first, one_turn(problem, k, 1, (0.0, y, 0.0)))
            for c in range(many[2]):
                z = grid_angle(problem, k, 2, own[2], c) if many[2] > 1 else own[2]
                miss = squared_chord(look, quat.mul(second, one_turn(problem, k, 2, (0.0, 0.0, z))))
                if miss < low:
                    best, low = (x, y, z), miss
    return best


@leaf
def grid_angle(problem, k, i, own, n):
    """Point n of the grid on axis i of joint k: inside its limits, or over a whole turn from its angle `own`."""
    low = problem.moving_f[k, layout.LIMITS + 2 * i]
    high = problem.moving_f[k, layout.LIMITS + 2 * i + 1]
    if high - low >= FULL_TURN:
        return inside_turns(own + n * FULL_TURN / TUNING.grid_points, low, high, own)
    return low + (high - low) * (n + 0.5) / TUNING.grid_points
