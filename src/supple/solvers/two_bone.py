"""The closed form for two bones: a limb that bends in the middle and points at its target.

The triangle of upper bone, lower bone and reach line has three known sides, so the middle joint's
bend follows from the distance alone, and the root joint only has to point (Lander 1998, "Making Kine
More Flexible"; the slides' analytic construction). The right choice for arms and legs: one pass,
exact, well below a microsecond. It takes exactly two rotating joints and one position.

Lander's "corrected" equation 6 still prints L1 sin(theta2) where the figure gives L2 sin(theta2),
and its one-argument arctangent is wrong for half of all poses. Numerator and denominator are
r^2 sin(theta1) and r^2 cos(theta1): atan2 of the two is right in every quadrant, and the second
elbow is -theta2. In three dimensions, and without angles where none are needed:

* Middle ball or cone: with sides a, b and distance d, 2ab cos = d^2 - a^2 - b^2 and
  2ab sin = sqrt(((a+b)^2 - d^2) (d^2 - (a-b)^2)): nothing cancels when straight or folded. The bend
  stays in the plane of the start or, from straight, in a fixed plane.
* Middle hinge, its axis in any direction: d^2 = a + 2 (k2 cos x + k3 sin x), so x = x0 +- u with
  tan(x0) = k3 / k2 and tan^2(u/2) = (dmax^2 - d^2) / (d^2 - dmin^2). Of the two elbows, and whole
  turns of them, the one inside the limits and nearest to the start; if none is inside, the limit
  whose distance is nearest.
* Root ball or cone: the least rotation from the start that points at the target. A pole then spins the
  limb about the reach line until the middle joint lies in the pole's half plane; a pole on the line
  itself has no effect.
* Two hinges with parallel axes: the same in their plane.
* Root hinge with a ball or cone: intersect the circle of the middle joint with the sphere about the
  target, the same equation in the root's angle; then the middle joint points.
* An Axes joint of three free axes is a ball with other coordinates.

Where limits keep the limb from the target, middle and root alternate, each moving to its best value,
on either side of the elbow. That finds every reachable target except with cones whose axis is not
along their bone and with two cones. Stiffness has no effect: two joints have nothing to share.

`soften` slows the limb down before it is straight: beyond soften * reach the distance d becomes
reach - s exp(-(d - soften * reach) / s), s = (1 - soften) * reach. Distance and slope are continuous
and the distance stays below the reach, so the limb does not snap straight. A soft limb deliberately
stops short of targets near its reach and reports the error: it may end farther from its target than it
began.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from supple import rotations
from supple.errors import number, one_of
from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.best_swing import nearest_spin
from supple.kernels.best_turn import (
    Aim,
    Tip,
    axis_turn,
    best_angle,
    cone_of,
    cone_turn,
    into_cone,
    seen_from,
)
from supple.kernels.decorators import SOLVE, cold, entry, kernel, leaf
from supple.kernels.joint import inside_turns, own_turn, project
from supple.kernels.problem import (
    evaluate,
    fold,
    folds_once,
    set_targets,
    take_frames,
    take_linear,
    unpack,
)
from supple.kernels.quaternion import put_axes
from supple.kernels.report import (
    Ended,
    clear_trace,
    finish,
    finish_reached,
    record,
    record_turn,
    trace_into,
)
from supple.kernels.spin import (
    NEGLIGIBLE_LENGTH,
    angle_of,
    half_turn,
    opening,
    pointing,
    rotate_any,
    spin_to,
)
from supple.kernels.workspace import clear, copy, part, row_at, vector
from supple.problem.lowering import Problem
from supple.solvers.base import Solver, Takes
from supple.solvers.fast import two_balls

LIMIT_COLUMNS = slice(layout.LIMITS, layout.LIMITS + 6)
ELBOWS = ("negative", "nearest", "positive")  # by the value of `Options.elbow` + 1


class Tuning(NamedTuple):
    """The tuned numbers of TwoBone. Where no source is given, none is recorded.

    Attributes:
        straight_square: Squares of distances that differ by less are equal [relative]; rounding.
        limit_rounds: How often middle and root alternate, at most, where limits keep them from the target.
        other_elbow_distance: The other elbow replaces a pose that does not reach only if its distance from the target
            is below this [of that pose's distance].
    """

    straight_square: float = 4e-15
    limit_rounds: int = 20
    other_elbow_distance: float = 0.9


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `TwoBone`, in their order."""

    max_iterations: float
    soften: float
    elbow: float  # 1 or -1; 0 for the nearest


class Buffers(NamedTuple):
    """The workspace of one solve."""

    begun: Any  # (Q,) the start, inside its limits
    q: Any  # (Q,) the pose
    frames: Any
    linear: Any
    lanes: Any  # of `two_balls`


class Limb(NamedTuple):
    """Two bones, their target and pole.

    Target and pole are relative to the root joint's position, in the frame just before the root joint.
    """

    base: Any  # world position of the root joint
    pre: Any  # wxyz, the world rotation just before the root joint
    upper: Any  # the middle joint, in the root joint's frame
    between: Any  # wxyz, from the root joint's frame to the one just before the middle joint
    lower: Any  # the effector, in the middle joint's frame
    target: Any
    pole: Any
    elbow: Any  # the point that should be on the pole's side, in the frame of its joint
    elbow_turns: bool  # True if that is the middle joint, else the root joint


class Joint(NamedTuple):
    """The coordinates of one joint."""

    angle: float  # of a hinge
    turn: Any  # wxyz, the rotation of any joint


class Joints(NamedTuple):
    """The coordinates of a limb."""

    root: Any
    middle: Any


class Closed(NamedTuple):
    """A limb that is bent and pointed at its target."""

    joints: Any
    target: Any  # the target used: the limb's, or nearer if the limb is soft


class Wave(NamedTuple):
    """A squared distance as a function of a hinge's angle: d^2 = a + 2 (k2 cos x + k3 sin x)."""

    a: float
    k2: float
    k3: float


class Bend(NamedTuple):
    """A bent middle joint, in the frame just before it."""

    turn: Any  # wxyz, its rotation
    bone: Any  # the lower bone
    span: float  # from the root to the effector


class Range(NamedTuple):
    """The limits of a hinge [rad]."""

    low: float
    high: float


@kernel
def read_options(problem):
    """The options in a packed problem."""
    o = problem.options
    return Options(o[0], o[1], o[2])


@kernel
def take_buffers(problem, work):
    """Take the workspace of one solve."""
    return Buffers(
        vector(work, problem.coordinates),
        vector(work, problem.coordinates),
        take_frames(problem, work),
        take_linear(problem, work),
        vector(work, two_balls.LANES_FLOATS),
    )


# The triangle of two bones and a distance ---------------------------------------------------------


@kernel
def softened(distance, reach, soften):
    """The softened distance: unchanged up to soften * reach, then approaching the reach exponentially."""
    easy = soften * reach
    if soften >= 1.0 or distance <= easy or reach <= 0.0:
        return distance
    rest = reach - easy
    return reach - rest * math.exp((easy - distance) / rest)


@kernel
def soft_target(target, reach, soften):
    """A target relative to the root, moved towards it to its softened distance, and that distance."""
    distance = quat.norm(target)
    if distance == 0.0:
        return target, distance
    d = softened(distance, reach, soften)
    return quat.scale(target, d / distance), d


@kernel
def hinge_wave(upper, lower, axis):
    """The wave of |upper + R(x) lower|^2, R about a unit axis."""
    along = quat.dot(upper, axis) * quat.dot(lower, axis)
    a = quat.dot(upper, upper) + quat.dot(lower, lower) + 2.0 * along
    return Wave(a, quat.dot(upper, lower) - along, quat.dot(upper, quat.cross(axis, lower)))


@kernel
def square_at(wave, x):
    """The squared distance at an angle."""
    return wave.a + 2.0 * (wave.k2 * math.cos(x) + wave.k3 * math.sin(x))


@kernel
def hinge_angles(wave, d):
    """The two angles with the distance d, or the one with the nearest distance, twice."""
    size = 2.0 * math.hypot(wave.k2, wave.k3)
    middle = math.atan2(wave.k3, wave.k2)
    over, under = wave.a + size - d * d, d * d - (wave.a - size)
    # Half of the digits are lost when straight or folded: do not compute a bend from rounding errors.
    least = TUNING.straight_square * (wave.a + size)
    over, under = over if over > least else 0.0, under if under > least else 0.0
    u = 2.0 * math.atan2(math.sqrt(over), math.sqrt(under))
    return middle + u, middle - u


@leaf
def hinge_bend(wave, d, limits, here, elbow):
    """The best such angle inside limits: of the wanted elbow (1, -1; 0: either), nearest to `here`.

    If neither is inside, the limit whose distance is nearest.
    """
    if wave.k2 == 0.0 and wave.k3 == 0.0:
        return here
    low, high = limits.low, limits.high
    plus, minus = hinge_angles(wave, d)
    plus = inside_turns(plus, low, high, here)
    minus = inside_turns(minus, low, high, here)
    if plus < math.inf or minus < math.inf:
        if elbow > 0.0 and plus < math.inf:
            return plus
        if elbow < 0.0 and minus < math.inf:
            return minus
        return plus if abs(plus - here) <= abs(minus - here) else minus
    miss_low = abs(math.sqrt(max(0.0, square_at(wave, low))) - d)
    miss_high = abs(math.sqrt(max(0.0, square_at(wave, high))) - d)
    if miss_low == miss_high:
        return low if abs(low - here) <= abs(high - here) else high
    return low if miss_low < miss_high else high


@kernel
def hinge_reach(wave, limits):
    """The greatest distance inside limits."""
    peak = inside_turns(math.atan2(wave.k3, wave.k2), limits.low, limits.high, 0.0)
    if peak < math.inf:
        return math.sqrt(wave.a + 2.0 * math.hypot(wave.k2, wave.k3))
    return math.sqrt(max(0.0, square_at(wave, limits.low), square_at(wave, limits.high)))


@kernel
def bend_of(upper, lower, turn):
    """The bend that a rotation of the middle joint gives."""
    bone = quat.rotate(turn, lower)
    return Bend(turn, bone, quat.norm(quat.add(upper, bone)))


@kernel
def ball_bend(upper, lower, turn, d):
    """The bend nearest to `turn`, in its own plane, with |upper + turn lower| = d if it can be."""
    a, b = quat.norm(upper), quat.norm(lower)
    if a == 0.0 or b == 0.0:
        return Bend(turn, quat.rotate(turn, lower), a + b)
    d = min(max(d, abs(a - b)), a + b)
    share = 0.5 / (a * b)
    c = ((d - a) * (d + a) - b * b) * share
    s = math.sqrt(max(0.0, (a + b - d) * (a + b + d) * (d - a + b) * (d + a - b))) * share
    ahead = quat.scale(upper, 1.0 / a)
    bone = quat.scale(quat.rotate(turn, lower), 1.0 / b)
    c_now = quat.dot(bone, ahead)
    side = quat.axpy(bone, -c_now, ahead)
    s_now = quat.norm(side)
    side = quat.scale(side, 1.0 / s_now) if s_now > NEGLIGIBLE_LENGTH else quat.perpendicular(ahead)
    # Rotate by the difference of the two angles in the plane: half of it from its cosine and sine.
    way = half_turn(quat.cross(ahead, side), 1.0, c * c_now + s * s_now, s * c_now - c * s_now)
    bone = quat.axpy(quat.scale(ahead, b * c), b * s, side)
    return Bend(quat.normalized(quat.mul(way, turn)), bone, d)


# Coordinates of a limb ----------------------------------------------------------------------------


@leaf
def limb_of(problem, frames):
    """The limb of a folded problem with its targets."""
    joints, effectors = frames.joints, frames.effectors
    base = quat.load3(joints, 0, layout.S_P0)
    pre = quat.load4(joints, 0, layout.S_PRE)
    target = quat.unrotate(pre, quat.sub(quat.load3(effectors, 0, layout.E_TARGET), base))
    pole, elbow, turns = target, target, False
    if problem.has_poles:
        pole = quat.unrotate(pre, quat.sub(quat.load3(effectors, 1, layout.E_TARGET), base))
        elbow = quat.load3(effectors, 1, layout.E_P0)
        turns = problem.blocks[1, layout.B_MOVE] != 0
    return Limb(
        base,
        pre,
        quat.load3(joints, 1, layout.S_P0),
        quat.load4(joints, 1, layout.S_PRE),
        quat.load3(effectors, 0, layout.E_P0),
        target,
        pole,
        elbow,
        turns,
    )


@leaf
def load_joint(problem, k, q):
    """Joint k of a pose."""
    moving = problem.moving
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    turn = own_turn(problem, q, k)
    return Joint(q[at] if kind == layout.HINGE else 0.0, turn)


@leaf
def store_joint(problem, k, joint, q):
    """Put joint k into a pose."""
    moving = problem.moving
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    if kind == layout.HINGE:
        q[at] = joint.angle
    elif kind & layout.LETTERS != 0:
        put_axes(moving[k, layout.M_ORDER], joint.turn, q, at)
    else:
        quat.put4(q, at, joint.turn)


@leaf
def axis_of(problem, k):
    """The axis of hinge k, in its rest frame."""
    return quat.load3(problem.moving_f, k, layout.AXIS)


@leaf
def range_of(problem, k):
    """The limits of hinge k."""
    moving_f = problem.moving_f
    return Range(moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1])


@leaf
def hinge_at(problem, k, angle):
    """Hinge k at an angle clamped to its limits."""
    limits = range_of(problem, k)
    angle = min(max(angle, limits.low), limits.high)
    return Joint(angle, quat.about(axis_of(problem, k), angle))


@leaf
def place_limb(limb, joints):
    """World position of the effector, and world rotation of the root joint."""
    root = quat.mul(limb.pre, joints.root.turn)
    middle = quat.mul(quat.mul(root, limb.between), joints.middle.turn)
    elbow = quat.add(limb.base, quat.rotate(root, limb.upper))
    return quat.add(elbow, quat.rotate(middle, limb.lower)), root


@leaf
def elbow_of(limb, turn):
    """The point that should be on the pole's side, in the root joint's frame.

    `turn` is the rotation of the middle joint.
    """
    if not limb.elbow_turns:
        return limb.elbow
    return quat.add(limb.upper, quat.rotate(quat.mul(limb.between, turn), limb.elbow))


@leaf
def fill_errors(problem, frames, limb, joints):
    """Fill the error of every block, as `problem.residuals` does: the distance, and the pole's angle."""
    effectors = frames.effectors
    tip, root = place_limb(limb, joints)
    frames.errors[0] = quat.norm(quat.sub(quat.load3(effectors, 0, layout.E_TARGET), tip))
    if problem.has_poles:
        elbow = quat.rotate(root, elbow_of(limb, joints.middle.turn))
        wanted = quat.sub(quat.load3(effectors, 1, layout.E_TARGET), limb.base)
        s, c = opening(quat.sub(tip, limb.base), elbow, wanted)
        frames.errors[1] = angle_of(s, c)


@kernel
def pointed(problem, k, old, arm, target):
    """Joint k, not a hinge, rotated from `old` so that an arm points at a target, inside limits.

    Arm and target are relative to the joint, in its rest frame.
    """
    if problem.moving[k, layout.M_KIND] & layout.SWING_TWIST == 0:
        return Joint(0.0, quat.normalized(quat.mul(quat.between(arm, target), old)))
    only_position = Aim(target, quat.IDENTITY, 1.0, 0.0)
    new, _ = cone_turn(old, cone_of(problem, k), arm, only_position, True)
    return Joint(0.0, new)


@kernel
def spun_into_cone(line, turn, cone):
    """A rotation brought into a cone: spun about a line by the least angle that puts its axis inside, then clamped."""
    if quat.norm(line) == 0.0:
        return into_cone(turn, cone)
    ahead = quat.unit(line)
    if cone.by_quadrants:
        spun = quat.mul((0.0, ahead[0], ahead[1], ahead[2]), turn)
        turn, _ = nearest_spin(turn, spun, cone.quadrants, False)
        return into_cone(turn, cone)
    axis = quat.rotate(turn, cone.axis)
    # cone.axis . spin(x) axis = still + c cos x + s sin x, and it must be at least cos(swing).
    still = quat.dot(cone.axis, ahead) * quat.dot(axis, ahead)
    c = quat.dot(cone.axis, axis) - still
    s = quat.dot(cone.axis, quat.cross(ahead, axis))
    edge = math.cos(cone.swing) - still
    if c < edge:
        peak = math.atan2(s, c)
        size = math.hypot(s, c)
        x = peak
        if size > edge:
            spread = math.acos(edge / size)
            x = peak - spread if peak > 0.0 else peak + spread
        turn = quat.normalized(quat.mul(quat.about(ahead, x), turn))
    return into_cone(turn, cone)


# Closing a limb: bend the middle joint, point the root, spin to the pole ---------------------------


@kernel
def close_limb(problem, limb, joints, options):
    """Bend the limb and point it at its target, from the given coordinates."""
    moving = problem.moving
    if moving[0, layout.M_KIND] != layout.HINGE:
        return close_pointing(problem, limb, joints, options)
    if moving[1, layout.M_KIND] != layout.HINGE:
        return close_circle(problem, limb, joints, options)
    return close_planar(problem, limb, joints, options)


@cold
def close_pointing(problem, limb, joints, options):
    """A root ball or cone: the middle joint takes its bend from the distance, the root points."""
    moving = problem.moving
    target, distance, lower = limb.target, quat.norm(limb.target), limb.lower
    upper = quat.unrotate(limb.between, limb.upper)  # as the middle joint sees it
    if moving[1, layout.M_KIND] == layout.HINGE:
        limits = range_of(problem, 1)
        wave = hinge_wave(upper, lower, axis_of(problem, 1))
        if options.soften < 1.0:
            target, distance = soft_target(target, hinge_reach(wave, limits), options.soften)
        x = hinge_bend(wave, distance, limits, joints.middle.angle, options.elbow)
        middle = hinge_at(problem, 1, x)
        bend = bend_of(upper, lower, middle.turn)
    else:
        if options.soften < 1.0:
            reach = quat.norm(limb.upper) + quat.norm(lower)
            target, distance = soft_target(target, reach, options.soften)
        bend = ball_bend(upper, lower, joints.middle.turn, distance)
        if moving[1, layout.M_KIND] & layout.SWING_TWIST != 0:
            bend = bend_of(upper, lower, spun_into_cone(upper, bend.turn, cone_of(problem, 1)))
        middle = Joint(0.0, bend.turn)
    # The effector in the root joint's frame; the least rotation points it at its target.
    tip = quat.add(limb.upper, quat.rotate(limb.between, bend.bone))
    old = joints.root.turn
    turn = quat.mul(pointing(quat.rotate(old, tip), target, bend.span * distance), old)
    if problem.has_poles and distance > 1e-300:  # below, 1 / distance overflows
        line = quat.scale(target, 1.0 / distance)
        elbow = rotate_any(turn, elbow_of(limb, middle.turn))
        turn = quat.mul(spin_to(line, elbow, limb.pole), turn)
    turn = quat.normalized(turn)
    if moving[0, layout.M_KIND] & layout.SWING_TWIST == 0:
        return Closed(Joints(Joint(0.0, turn), middle), target)
    root = pointed(problem, 0, turn, quat.rotate(turn, tip), target)
    if moving[1, layout.M_KIND] == layout.HINGE:
        return Closed(Joints(root, middle), target)
    arm = quat.rotate(root.turn, tip)
    off = quat.norm(quat.cross(arm, target))
    if off <= 1e-9 * bend.span * distance and quat.dot(arm, target) >= 0.0:
        return Closed(Joints(root, middle), target)
    # Spun about the reach line into the cone and clamped; the middle joint corrects the twist.
    turn = spun_into_cone(target, turn, cone_of(problem, 0))
    rest = quat.unrotate(limb.between, quat.sub(quat.unrotate(turn, target), limb.upper))
    middle = pointed(problem, 1, middle.turn, bend.bone, rest)
    return Closed(Joints(Joint(0.0, turn), middle), target)


@cold
def close_circle(problem, limb, joints, options):
    """A root hinge and a middle joint that points: the root brings it to its bone's length from the target."""
    target, elbow = limb.target, options.elbow
    if options.soften < 1.0:
        reach = quat.norm(limb.upper) + quat.norm(limb.lower)
        target, _ = soft_target(target, reach, options.soften)
    axis = axis_of(problem, 0)
    wave = hinge_wave(target, quat.scale(limb.upper, -1.0), axis)
    length = quat.norm(limb.lower)
    if problem.has_poles and elbow == 0.0:
        line = quat.unit(target)
        side = quat.axpy(limb.pole, -quat.dot(limb.pole, line), line)
        plus, minus = hinge_angles(wave, length)
        gain = quat.dot(side, quat.rotate(quat.about(axis, plus), limb.upper)) - quat.dot(
            side, quat.rotate(quat.about(axis, minus), limb.upper)
        )
        elbow = 1.0 if gain > 0.0 else -1.0
    x = hinge_bend(wave, length, range_of(problem, 0), joints.root.angle, elbow)
    root = hinge_at(problem, 0, x)
    rest = quat.unrotate(limb.between, quat.sub(quat.unrotate(root.turn, target), limb.upper))
    old = joints.middle.turn
    return Closed(
        Joints(root, pointed(problem, 1, old, quat.rotate(old, limb.lower), rest)), target
    )


@leaf
def close_planar(problem, limb, joints, options):
    """Two hinges with parallel axes: the triangle in their plane, both elbows, limits on both."""
    axis, other = axis_of(problem, 0), axis_of(problem, 1)
    limits = range_of(problem, 1)
    y_here, x_here = joints.root.angle, joints.middle.angle
    across = quat.dot(limb.target, axis)
    flat = quat.axpy(limb.target, -across, axis)
    upper = quat.unrotate(limb.between, limb.upper)
    upper = quat.axpy(upper, -quat.dot(upper, other), other)
    wave = hinge_wave(upper, quat.axpy(limb.lower, -quat.dot(limb.lower, other), other), other)
    if options.soften < 1.0:
        flat, _ = soft_target(flat, hinge_reach(wave, limits), options.soften)
    d = quat.norm(flat)
    best_x, best_y, best_miss, best_liking = x_here, y_here, math.inf, 0.0
    plus, minus = hinge_angles(wave, d)
    for i in range(3):
        if i < 2:
            x = inside_turns(plus if i == 0 else minus, limits.low, limits.high, x_here)
            if x == math.inf:
                continue
        elif best_miss <= 1e-9 * d:
            break
        else:
            x = hinge_bend(wave, d, limits, x_here, options.elbow)
        bend = quat.about(other, x)
        arm = quat.add(limb.upper, quat.rotate(quat.mul(limb.between, bend), limb.lower))
        y = planar_angle(axis, arm, flat, range_of(problem, 0), y_here)
        turn = quat.about(axis, y)
        miss = quat.sub(quat.rotate(turn, arm), flat)
        far = quat.norm(quat.axpy(miss, -quat.dot(miss, axis), axis))
        # If both elbows reach: the wanted one, or the one on the pole's side, or the nearest.
        liking = -abs(x - x_here) - abs(y - y_here)
        if options.elbow != 0.0:
            liking = options.elbow if i == 0 else -options.elbow
        elif problem.has_poles:
            line = quat.unit(flat)
            side = quat.axpy(limb.pole, -quat.dot(limb.pole, line), line)
            liking = quat.dot(side, quat.rotate(turn, elbow_of(limb, bend)))
        slack = 1e-9 * (quat.norm(arm) + d)
        if far < best_miss - slack or (far <= best_miss + slack and liking > best_liking):
            best_x, best_y, best_miss, best_liking = x, y, far, liking
    best = Joints(hinge_at(problem, 0, best_y), hinge_at(problem, 1, best_x))
    return Closed(best, quat.axpy(flat, across, axis))


@kernel
def planar_angle(axis, arm, target, limits, here):
    """The angle of a hinge, inside its limits, that points an arm at a target in its plane."""
    c = quat.dot(arm, target)
    s = quat.dot(axis, quat.cross(arm, target))
    if not math.hypot(c, s) > NEGLIGIBLE_LENGTH * (quat.dot(arm, arm) + quat.dot(target, target)):
        return here
    y = inside_turns(math.atan2(s, c), limits.low, limits.high, here)
    if y < math.inf:
        return y
    from_here = c * math.cos(here) + s * math.sin(here), s * math.cos(here) - c * math.sin(here)
    return here + best_angle(from_here[0], from_here[1], limits.low - here, limits.high - here)


# Limits that block the target ---------------------------------------------------------------------


@kernel
def nearest_joint(problem, k, old, arm, aim):
    """Joint k rotated so that the end of an arm comes as near to a target as limits allow.

    Arm and aim are as `best_turn.seen_from` gives them.
    """
    if problem.moving[k, layout.M_KIND] != layout.HINGE:
        return pointed(problem, k, old.turn, arm, aim.target)
    limits, here = range_of(problem, k), old.angle
    tip = Tip(arm, quat.IDENTITY)
    low, high = limits.low - here, limits.high - here
    change = axis_turn((0.0, 0.0, 0.0), axis_of(problem, k), tip, aim, low, high, 1.0)
    return hinge_at(problem, k, here + change)


@cold
def settle(problem, limb, joints, target):
    """Move middle and root alternately to bring the effector near to a world point."""
    only_position = Aim(target, quat.IDENTITY, 1.0, 0.0)
    last = math.inf
    for _ in range(TUNING.limit_rounds):
        tip, root = place_limb(limb, joints)
        place, frame = (
            quat.add(limb.base, quat.rotate(root, limb.upper)),
            quat.mul(root, limb.between),
        )
        arm, aim = seen_from(place, frame, Tip(tip, quat.IDENTITY), only_position)
        joints = Joints(joints.root, nearest_joint(problem, 1, joints.middle, arm, aim))
        tip, _ = place_limb(limb, joints)
        arm, aim = seen_from(limb.base, limb.pre, Tip(tip, quat.IDENTITY), only_position)
        joints = Joints(nearest_joint(problem, 0, joints.root, arm, aim), joints.middle)
        miss = distance_to(limb, joints, target)
        if not miss < last * (1.0 - 1e-9):
            break
        last = miss
    return joints


@kernel
def distance_to(limb, joints, point):
    """How far the effector is from a world point."""
    tip, _ = place_limb(limb, joints)
    return quat.norm(quat.sub(point, tip))


@cold
def approach(problem, limb, begun, closed, options):
    """Come as near as limits allow where they keep the closed form from its target, with either elbow."""
    target = quat.add(limb.base, quat.rotate(limb.pre, closed.target))
    if distance_to(limb, closed.joints, target) <= problem.blocks_f[0, layout.B_TOLERANCE]:
        return closed.joints  # not limits, only `soften` keeps it away
    best = settle(problem, limb, closed.joints, target)
    least = distance_to(limb, best, target)
    for elbow in (1.0, -1.0):
        other = Options(options.max_iterations, options.soften, elbow)
        joints = settle(problem, limb, close_limb(problem, limb, begun, other).joints, target)
        miss = distance_to(limb, joints, target)
        if miss < TUNING.other_elbow_distance * least:
            best, least = joints, miss
    if distance_to(limb, begun, target) < least:
        return begun
    return best


@leaf
def solve_limb(problem, options, two):
    """Close the limb from its start, or come as near as its limits allow; fills q and the errors."""
    moving = problem.moving
    limb = limb_of(problem, two.frames)
    begun = Joints(load_joint(problem, 0, two.begun), load_joint(problem, 1, two.begun))
    closed = close_limb(problem, limb, begun, options)
    joints = closed.joints
    fill_errors(problem, two.frames, limb, joints)
    limited = moving[0, layout.M_KIND] != layout.BALL or moving[1, layout.M_KIND] != layout.BALL
    if limited and not reached(problem, two.frames):
        joints = approach(problem, limb, begun, closed, options)
        fill_errors(problem, two.frames, limb, joints)
    copy(two.begun, two.q)
    store_joint(problem, 0, joints.root, two.q)
    store_joint(problem, 1, joints.middle, two.q)


@leaf
def reached(problem, frames):
    """True if the effector's error is within its tolerance."""
    return frames.errors[0] <= problem.blocks_f[0, layout.B_TOLERANCE]


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
    two = take_buffers(problem, work)
    frames = two.frames
    trace = trace_into(trace_poses, trace_events, work)
    traced = trace_poses.shape[0] > 0
    once, folded, fast = folds_once(problem, starts, offsets), False, False
    alike = starts.shape[0] == 1 and offsets.shape[0] == 1  # then all begin with the same limb
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        if b == first or not alike:
            copy(start, two.begun)
            if not folded:
                fold(problem, frames, row_at(offsets, b), two.begun)
                fast = options.soften >= 1.0 and two_balls.fits(problem, frames)
                folded = once
            project(problem, two.begun)
            copy(two.begun, two.q)
        clear_trace(trace)
        if traced:
            set_targets(problem, frames, row_at(targets, b))
            evaluate(problem, frames, two.begun)
            record(trace, problem, two.begun, frames.errors)
        if options.max_iterations < 1.0:
            set_targets(problem, frames, row_at(targets, b))
            ended = Ended(layout.STOP_BUDGET, 0, 0)
            finish(problem, frames, two.linear, trace, start, two.begun, ended, row_at(out, b))
            continue
        done = False
        if fast:
            lane = (b - first) % two_balls.LANE_COUNT if alike else 0
            if lane == 0:
                count = min(two_balls.LANE_COUNT, last - b) if alike else 1
                two_balls.solve(problem, frames, two.begun, targets, b, count, two.lanes)
            done = two_balls.read_lane(problem, frames, two.lanes, lane, two.q)
        if not done:
            set_targets(problem, frames, row_at(targets, b))
            solve_limb(problem, options, two)
        if traced:
            record(trace, problem, two.q, frames.errors)
            record_turn(trace, problem, 1, 1, two.begun, two.q)
            record_turn(trace, problem, 1, 0, two.begun, two.q)
        ended = Ended(layout.STOP_STALLED, 1, 0)
        if reached(problem, frames):
            miss = problem.blocks_f[0, layout.B_WEIGHT] * frames.errors[0] / problem.length
            cost = 0.5 * miss * miss
            finish_reached(problem, frames, trace, two.q, ended, cost, row_at(out, b))
        else:
            finish(problem, frames, two.linear, trace, start, two.q, ended, row_at(out, b))


@dataclass(frozen=True, kw_only=True)
class TwoBone(Solver):
    """The closed form for two bones; see the module's text.

    Args:
        max_iterations: 1; with 0 the answer is the start, clamped to its limits.
        soften: The distance from which the limb straightens ever more slowly [of its reach], in (0, 1];
            1 for never.
        elbow: Which of the two elbows of a hinge: the "nearest" to the start, or the "positive" or
            "negative" one (its angle is larger, or smaller, than that of the stretched limb). If limits
            forbid it, the other is taken.
    """

    name: ClassVar[str] = "TwoBone"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset({"Ball", "Cone", "Hinge", "Axes"}),
        goals=frozenset({"position", "pole"}),
        remark="two moving joints",
    )
    kernel = staticmethod(solve_range)

    max_iterations: int = 1
    soften: float = 1.0
    elbow: str = "nearest"

    def __post_init__(self) -> None:
        """Check the options."""
        Solver.__post_init__(self)
        one_of("TwoBone elbow", self.elbow, ELBOWS)
        expected = "a part of the reach in (0, 1]"
        soften = number("TwoBone: soften", self.soften, expected, lambda x: 0.0 < x <= 1.0)
        object.__setattr__(self, "soften", soften)

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them."""
        return (float(self.max_iterations), float(self.soften), ELBOWS.index(self.elbow) - 1.0)

    def refusal(self, problem: Problem) -> str | None:
        """Why the closed form does not fit a problem that the matrix allows."""
        names = [problem.skeleton.joint_names[j] for j in problem.moving]
        if len(names) != 2:
            shown = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
            return f"{len(names)} moving joints ({shown}): it needs exactly two (see root, depth, lock)"
        floats = problem.skeleton.packed_floats[problem.moving]
        damped = [n for n, row in zip(names, floats) if np.isfinite(row[layout.DAMPING])]
        if damped:
            return f"damping ({damped[0]!r}): its one step goes all the way"
        ints = problem.skeleton.packed_ints[problem.moving]
        for name, row, numbers in zip(names, ints, floats):
            partial = (
                row[layout.NQ] < 3
                or row[layout.FROZEN]
                or np.isfinite(numbers[LIMIT_COLUMNS]).any()
            )
            if row[layout.KIND] & layout.LETTERS and partial:
                return f"an Axes joint that does not turn every way ({name!r}: limits, frozen or missing axes)"
        if sum(block.kind == layout.POLE for block in problem.blocks) > 1:
            return "several poles"
        if np.all(ints[:, layout.KIND] == layout.HINGE):
            rest = problem.skeleton.rest
            axes = [
                rotations.rotate(rest.rotation(n), row[layout.AXIS : layout.AXIS + 3])
                for n, row in zip(names, floats)
            ]
            if np.linalg.norm(np.cross(axes[0], axes[1])) > 1e-9:
                return f"two hinges whose axes are not parallel ({names[0]!r}, {names[1]!r})"
        return None

    def events_per_iteration(self, problem: Problem) -> int:
        """The middle joint, then the root."""
        del problem
        return 2


def fits(problem: Problem) -> bool:
    """True if the closed form can take a problem."""
    row = TwoBone.takes
    kinds = {type(problem.skeleton.joints[k]).__name__ for k in problem.moving}
    ints = problem.skeleton.packed_ints[problem.moving]
    asked = [block for block in problem.blocks if block.counts]
    wanted = {kind for goal in problem.goals for kind in goal.kinds}
    return (
        len(asked) == 1
        and asked[0].kind in (layout.POSITION, layout.MEET)
        and wanted <= {"position", "moving target", "pole"}
        and kinds <= row.joints
        and bool(np.all(ints[:, layout.MIMIC] < 0) and np.all(ints[:, layout.STRETCH_Q] < 0))
        and TwoBone().refusal(problem) is None
    )
