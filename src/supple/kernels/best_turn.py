"""The best rotation of one joint inside its limits while all others stand still: closed forms.

While one joint turns, the effector moves on an arc, and its cost (that of `problem.residuals`) has one of two
shapes:

* About one axis: a constant less c cos x + s sin x. This is the objective of Wang & Chen (1991) in
  Welman's form, k1 (1 - cos x) + k2 cos x + k3 sin x, with c = k2 - k1 and s = k3. The best angle inside the limits
  is the peak, whole turns added, or else the better limit.
* Over all rotations, as unit quaternions u: a constant less u.K.u. K weighs a plane, the rotations that point the
  effector at the target, and one direction, the rotation that meets the orientation. The best rotation lies
  between the two, at an angle that one arctangent gives.

Wang & Chen compare orientations by 1 - cos of the angle x between them, which flattens out at half
a turn; the cost counts x^2 / 2. Their term is used with the factor x / sin x: both then have the
same slope at the present pose, and the same curvature once the orientations meet. This is no upper bound, so a
rotation towards an orientation is tried, and halved if the cost rises.

A cone joint has u = (cos B (cos T, sin T), sin B (cos f, sin f)) along (1, axis, side, other side).
Half the swing B, half the twist T and the direction of the swing f have *independent* limits: optimising B, T and f
one after the other cannot get stuck at a limit, as rotations about fixed axes do. A rotation that only points
leaves the spin about the arm free: of the spins inside the cone the least is taken, and the joint points exactly.
Where the swing has four half-angles its limit depends on its direction: see `best_swing`.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.best_swing import add_forms, beyond, climb, dot4, form_of, nearest_spin, worth
from supple.kernels.decorators import cold, kernel
from supple.kernels.joint import FULL_TURN, clamped_cone, clamped_quadrants, unwrapped
from supple.kernels.quadrants import quadrants_of
from supple.kernels.quaternion import sine_cosine

LIMIT_CANDIDATES = 4  # poses at its limits that `cone_at_limit` knows for a cone


class TurnRules(NamedTuple):
    """How the best rotation of one joint is searched for where a closed form does not end it. Not tuned.

    Attributes:
        halvings: How often a rotation that raises the cost is halved, at most.
        steepest: The greatest x / sin x that an orientation's pull is multiplied by.
        faint: An arm below this part of the distances compared has no direction; rounding.
        wave_samples: Samples of half a turn (`top_of_two_waves`) or of a range (`best_of_two_waves`).
        wave_newtons: Newton steps from the best sample, at most.
        peak_steps: Newton steps between two samples, or halvings where one leaves them, at most; rounding.
        spin_starts: From how many spins about the arm the form is climbed.
        first_step: The first step that `coordinate_step` tries [rad].
        step_sizes: How many sizes it tries, each a quarter of the one before.
        slack: A rotation outside a cone by no more than this is put on its rim [rad]; rounding.
    """

    halvings: int = 6
    steepest: float = 8.0
    faint: float = 1e-14
    wave_samples: int = 8
    wave_newtons: int = 3
    peak_steps: int = 20
    spin_starts: int = 4
    first_step: float = 0.25
    step_sizes: int = 8
    slack: float = 1e-10


TURN_RULES = TurnRules()


class Tip(NamedTuple):
    """Pose of an effector."""

    point: Any  # xyz
    turn: Any  # wxyz


class Aim(NamedTuple):
    """What an effector is to reach, in the frame of the tip."""

    target: Any  # xyz, the target point
    goal: Any  # wxyz, the target orientation
    near: float  # weight of the squared distance
    facing: float  # weight of the squared angle; 0 if no orientation is asked for


class Cone(NamedTuple):
    """The limits of a cone joint [rad]."""

    axis: Any  # xyz, a unit vector in its rest frame
    swing: float  # at most
    low: float  # the twist, at least
    high: float  # the twist, at most
    by_quadrants: bool  # whether its swing has four half-angles
    quadrants: Any  # `Quadrants` of these; meaningless otherwise


class Pull(NamedTuple):
    """The form u.K.u of a cone joint: two rotations that point at the target, one that meets the goal.

    All are in the cone's basis (1, axis, side, other side).
    """

    first: Any  # wxyz
    second: Any  # wxyz
    third: Any  # wxyz
    near: float  # weight of the squares along the first two
    facing: float  # weight of the square along the third


@kernel
def cone_of(problem, k):
    """The limits of moving joint k, a cone."""
    moving_f = problem.moving_f
    return Cone(
        quat.load3(moving_f, k, layout.AXIS),
        moving_f[k, layout.LIMITS + 1],
        moving_f[k, layout.LIMITS + 2],
        moving_f[k, layout.LIMITS + 3],
        problem.moving[k, layout.M_KIND] & layout.QUADRANTS != 0,
        quadrants_of(moving_f, k),
    )


@kernel
def into_cone(turn, cone):
    """A rotation clamped to a cone's limits."""
    if cone.by_quadrants:
        return clamped_quadrants(turn, cone.quadrants)
    return clamped_cone(turn, cone.axis, cone.swing, cone.low, cone.high)


@kernel
def seen_from(place, frame, tip, aim):
    """The arm from a joint to the tip, and the aim, as `ball_turn` takes them.

    Both are relative to the joint's position, in its frame. The goal becomes the rotation that the tip still has
    to make.
    """
    error = quat.IDENTITY
    if aim.facing > 0.0:
        error = quat.mul(quat.mul(quat.conj(frame), quat.mul(aim.goal, quat.conj(tip.turn))), frame)
    arm = quat.unrotate(frame, quat.sub(tip.point, place))
    target = quat.unrotate(frame, quat.sub(aim.target, place))
    return arm, Aim(target, error, aim.near, aim.facing)


@kernel
def cost_at(tip, aim):
    """The cost of a tip for an aim."""
    miss = quat.sub(aim.target, tip.point)
    cost = 0.5 * aim.near * quat.dot(miss, miss)
    if aim.facing > 0.0:
        error = quat.log(quat.mul(aim.goal, quat.conj(tip.turn)))
        cost += 0.5 * aim.facing * quat.dot(error, error)
    return cost


@kernel
def best_angle(c, s, low, high):
    """The x in [low, high], a range that contains 0, where c cos x + s sin x is greatest.

    Of equal ones the one nearer to 0.
    """
    peak = math.atan2(s, c)
    if low <= peak <= high:
        return peak
    other = peak - FULL_TURN if peak > 0.0 else peak + FULL_TURN
    if low <= other <= high:
        return other
    at_low = c * math.cos(low) + s * math.sin(low)
    at_high = c * math.cos(high) + s * math.sin(high)
    if at_low == at_high:
        return low if -low < high else high
    return low if at_low > at_high else high


@kernel
def steepness(error):
    """The factor x / sin x for an error of angle x, up to `TURN_RULES.steepest`: see the module docstring."""
    w = abs(error[0])
    s = math.sqrt(error[1] * error[1] + error[2] * error[2] + error[3] * error[3])
    sine = 2.0 * s * w
    x = 2.0 * math.atan2(s, w)
    if x < 1e-4:
        return 1.0
    return x / sine if x < TURN_RULES.steepest * sine else TURN_RULES.steepest


@kernel
def axis_turn(place, axis, tip, aim, low, high, weight):
    """The best angle in [low, high] about an axis through a point, times a weight; 0 if none helps."""
    arm = quat.sub(tip.point, place)
    ahead = quat.sub(aim.target, place)
    arm = quat.axpy(arm, -quat.dot(arm, axis), axis)
    ahead = quat.axpy(ahead, -quat.dot(ahead, axis), axis)
    c, s = 0.0, 0.0
    size = TURN_RULES.faint * (quat.norm(arm) + quat.norm(ahead))
    if quat.norm(arm) > size and quat.norm(ahead) > size:
        c, s = aim.near * quat.dot(arm, ahead), aim.near * quat.dot(axis, quat.cross(arm, ahead))
    if aim.facing > 0.0:
        error = quat.mul(aim.goal, quat.conj(tip.turn))
        along = error[1] * axis[0] + error[2] * axis[1] + error[3] * axis[2]
        pull = aim.facing * steepness(error)
        c += pull * (error[0] * error[0] - along * along)
        s += pull * 2.0 * error[0] * along
    if c == 0.0 and s == 0.0:
        return 0.0
    angle = best_angle(c, s, low, high) * weight
    if aim.facing == 0.0 and abs(angle) <= math.pi:
        return angle
    before = cost_at(tip, aim)
    for _ in range(TURN_RULES.halvings):
        if cost_at(turned_about(place, quat.about(axis, angle), tip), aim) <= before:
            return angle
        angle *= 0.5
    return 0.0


@kernel
def turned_about(place, turn, tip):
    """The tip after a rotation, wxyz, about a point."""
    arm = quat.rotate(turn, quat.sub(tip.point, place))
    return Tip(quat.add(place, arm), quat.mul(turn, tip.turn))


@kernel
def ball_turn(arm, aim):
    """The best rotation without limits, a unit quaternion, for an arm and an aim as `seen_from` gives them.

    The arm should point at the target, and the effector still has to turn by the goal.
    """
    point = quat.between(arm, aim.target)
    if aim.facing == 0.0:
        return point
    error = aim.goal
    if error[0] < 0.0:
        error = (-error[0], -error[1], -error[2], -error[3])
    strength = aim.near * quat.norm(arm) * quat.norm(aim.target)
    if strength == 0.0:
        return error
    pull = aim.facing * steepness(error)
    # Rotations that point the arm at the target: point, and point after half a turn about the arm.
    spun = quat.unit(arm)
    spun = quat.mul(point, (0.0, spun[0], spun[1], spun[2]))
    x, y = dot4(error, point), dot4(error, spun)
    inside = mix(x, point, y, spun)
    outside = (
        error[0] - inside[0],
        error[1] - inside[1],
        error[2] - inside[2],
        error[3] - inside[3],
    )
    rho, sigma = math.hypot(x, y), math.sqrt(dot4(outside, outside))
    if rho < 1e-12:
        return point if strength > pull else error
    if sigma < 1e-12:
        return error
    between_them = 2.0 * math.atan2(sigma, rho)
    angle = 0.5 * math.atan2(
        pull * math.sin(between_them), strength + pull * math.cos(between_them)
    )
    return quat.normalized(mix(math.cos(angle) / rho, inside, math.sin(angle) / sigma, outside))


@kernel
def part_of(turn, weight, cap):
    """A rotation with its angle multiplied by a weight, and no larger than the cap."""
    if weight >= 1.0 and cap == math.inf:
        return turn
    vector = quat.log(turn)
    angle = quat.norm(vector)
    if weight >= 1.0 and angle <= cap:
        return turn
    size = min(angle * weight, cap)
    if angle == 0.0:
        return turn
    return quat.exp(quat.scale(vector, size / angle))


@kernel
def mix(c, first, s, second):
    """The sum c * first + s * second of two quaternions."""
    return (
        c * first[0] + s * second[0],
        c * first[1] + s * second[1],
        c * first[2] + s * second[2],
        c * first[3] + s * second[3],
    )


@kernel
def cone_turn(q, cone, arm, aim, far):
    """The best coordinates of a cone inside its limits that an ascent from q finds.

    Arm and aim are those of `ball_turn`, in the cone's rest frame. Also returns True if no limit is in the way. If
    one is, `far` ascends from several other rotations, too.
    """
    if cone.by_quadrants:
        return _quadrant_turn(q, cone, arm, aim, far)
    best = quat.normalized(quat.mul(ball_turn(arm, aim), q))
    if _inside(_parts(best, cone), cone):
        return into_cone(best, cone), True
    strength = aim.near * quat.norm(arm) * quat.norm(aim.target)
    if strength == 0.0 and aim.facing == 0.0:
        return into_cone(q, cone), True
    first = quat.mul(quat.between(arm, aim.target), q)
    spun = quat.unit(arm)
    spun = quat.mul(quat.between(arm, aim.target), quat.mul((0.0, spun[0], spun[1], spun[2]), q))
    one, two = _parts(first, cone), _parts(spun, cone)
    if aim.facing == 0.0:
        x = _nearest_pointing(one, two, cone)
        if x != math.pi:
            best = quat.normalized(mix(math.cos(x), first, math.sin(x), spun))
            return into_cone(best, cone), True
    turning = aim.facing * steepness(aim.goal) if aim.facing > 0.0 else 0.0
    three = _parts(quat.mul(aim.goal, q), cone)
    pull = Pull(one, two, three, 2.0 * strength, 2.0 * turning)
    u = _climb(pull, _parts(into_cone(q, cone), cone), cone)
    if far:
        top = _worth(pull, u)
        for i in range(TURN_RULES.spin_starts):
            # From the limit nearest to a rotation that points at the target, but is outside.
            c, s = (
                math.cos(math.pi * i / TURN_RULES.spin_starts),
                math.sin(math.pi * i / TURN_RULES.spin_starts),
            )
            held = _climb(pull, _parts(into_cone(mix(c, first, s, spun), cone), cone), cone)
            value = _worth(pull, held)
            if value > top:
                u, top = held, value
    return into_cone(quat.normalized(_whole(u, cone)), cone), False


@cold
def _quadrant_turn(q, cone, arm, aim, far):
    """The same as `cone_turn` for a swing by quadrants."""
    quadrants = cone.quadrants
    best = quat.normalized(quat.mul(ball_turn(arm, aim), q))
    if beyond(best, quadrants, True) <= TURN_RULES.slack:
        return into_cone(best, cone), True
    strength = aim.near * quat.norm(arm) * quat.norm(aim.target)
    if strength == 0.0 and aim.facing == 0.0:
        return into_cone(q, cone), True
    point, spun = quat.between(arm, aim.target), quat.unit(arm)
    first = quat.mul(point, q)
    spun = quat.mul(point, quat.mul((0.0, spun[0], spun[1], spun[2]), q))
    if aim.facing == 0.0:
        best, found = nearest_spin(first, spun, quadrants, True)
        if found:
            return into_cone(best, cone), True
    form = add_forms(form_of(first, 2.0 * strength), form_of(spun, 2.0 * strength))
    if aim.facing > 0.0:
        turning = aim.facing * steepness(aim.goal)
        form = add_forms(form, form_of(quat.mul(aim.goal, q), 2.0 * turning))
    u = climb(form, into_cone(q, cone), quadrants)
    if far:
        top = worth(form, u)
        for i in range(TURN_RULES.spin_starts):
            c, s = (
                math.cos(math.pi * i / TURN_RULES.spin_starts),
                math.sin(math.pi * i / TURN_RULES.spin_starts),
            )
            begin = into_cone(quat.normalized(mix(c, first, s, spun)), cone)
            held = climb(form, begin, quadrants)
            value = worth(form, held)
            if value > top:
                u, top = held, value
    return u, False


@kernel
def cone_pointing(q, cone, arm, target):
    """Coordinates of a cone inside its limits with which an arm, as in `cone_turn`, points at its target.

    Of these the ones with the least spin. Returns q and False if there are none.
    """
    turn = quat.between(arm, target)
    first = quat.mul(turn, q)
    spun = quat.unit(arm)
    spun = quat.mul(turn, quat.mul((0.0, spun[0], spun[1], spun[2]), q))
    x = _nearest_pointing(_parts(first, cone), _parts(spun, cone), cone)
    if x == math.pi:
        return q, False
    return into_cone(quat.normalized(mix(math.cos(x), first, math.sin(x), spun)), cone), True


@kernel
def cone_at_limit(q, cone, arm, target, corner):
    """A rotation at the limits of a cone where an arm, as in `cone_turn`, comes nearest to its target.

    For an arm that cannot point at its target. Then the swing is at its limit, and either the twist is, too, or
    arm, axis and target lie in the plane of the swing. `corner` numbers these candidates, LIMIT_CANDIDATES at most.
    Also returns False if this one is outside the limits, or not the best near its corner.
    """
    c, s = math.cos(0.5 * cone.swing), math.sin(0.5 * cone.swing)
    inside = True
    if corner < 2:
        t, f = _in_plane(q, cone, arm, target, corner == 1)
        if cone.high - cone.low < FULL_TURN:
            inside = cone.low <= unwrapped(2.0 * t, cone.low, cone.high) <= cone.high
    else:
        turn, spun = quat.between(arm, target), quat.unit(arm)
        spun = quat.mul(turn, quat.mul((0.0, spun[0], spun[1], spun[2]), q))
        first = _parts(quat.mul(turn, q), cone)
        pull = Pull(first, _parts(spun, cone), first, 1.0, 0.0)
        mine = _parts(q, cone)
        t = 0.5 * (cone.low if corner == 2 else cone.high)
        waves = _waves(pull, quat.scale(_along(pull, 0, t), c), 2, s)
        f = top_of_two_waves(waves, math.atan2(mine[3], mine[2]))
        slope, _ = _two_slopes(_waves(pull, quat.scale(_along(pull, 2, f), s), 0, c), t)
        inside = (
            cone.high - cone.low < FULL_TURN
            and (slope if corner == 2 else -slope) <= TURN_RULES.slack
        )
    u = (c * math.cos(t), c * math.sin(t), s * math.cos(f), s * math.sin(f))
    return into_cone(quat.normalized(_whole(u, cone)), cone), inside


@kernel
def _in_plane(q, cone, arm, target, under):
    """Half the twist, and the direction f of a swing to its limit, in the plane of axis and target.

    The twist turns the arm into that plane: to the side that the swing goes to or, if `under`, to the other.
    """
    side = quat.perpendicular(cone.axis)
    other = quat.cross(cone.axis, side)
    own = quat.unrotate(q, arm)
    lean = math.atan2(quat.norm(quat.cross(cone.axis, own)), quat.dot(cone.axis, own))
    spin = -math.atan2(quat.dot(own, other), quat.dot(own, side))
    if under:
        lean, spin = -lean, spin + math.pi
    way = math.atan2(quat.dot(target, other), quat.dot(target, side))
    if math.sin(cone.swing + lean) < 0.0:
        way += math.pi
    if not quat.norm(quat.cross(cone.axis, own)) > TURN_RULES.faint * quat.norm(own):
        # An arm along the axis is in every plane: keep the twist.
        _, _, t, _, _ = _box(_parts(q, cone), cone)
        return t, way + 0.5 * math.pi - t
    # Swing and twist are A(way) S A(-way) and A(way + spin), with A a rotation about the cone's axis and S
    # one about the axis a quarter turn from the direction it swings to.
    t = 0.5 * (way + spin)
    return t, way + 0.5 * math.pi - t


@kernel
def coordinate_step(q, cone, arm, aim):
    """A step that lowers the cost, in half the swing, its direction or half the twist; q if there is none.

    For poses where the closed forms, which compare orientations by their cosines, find no descent.
    """
    half, way, t, low, high = _box(_parts(q, cone), cone)
    before = cost_at(Tip(arm, quat.IDENTITY), aim)
    size = TURN_RULES.first_step
    for _ in range(TURN_RULES.step_sizes):
        for i in range(6):
            change = size if i % 2 == 0 else -size
            b = min(max(half + change, 0.0), 0.5 * cone.swing) if i < 2 else half
            f = way + change if i == 2 or i == 3 else way
            x = min(max(t + change, low), high) if i >= 4 else t
            c, s = math.cos(b), math.sin(b)
            u = (c * math.cos(x), c * math.sin(x), s * math.cos(f), s * math.sin(f))
            new = into_cone(quat.normalized(_whole(u, cone)), cone)
            step = quat.mul(new, quat.conj(q))
            if cost_at(Tip(quat.rotate(step, arm), step), aim) < before:
                return new
        size *= 0.25
    return q


@kernel
def _parts(q, cone):
    """A quaternion in the cone's basis (1, axis, side, other side)."""
    v = (q[1], q[2], q[3])
    side = quat.perpendicular(cone.axis)
    other = quat.cross(cone.axis, side)
    return (q[0], quat.dot(v, cone.axis), quat.dot(v, side), quat.dot(v, other))


@kernel
def _whole(u, cone):
    """The quaternion of coordinates in the cone's basis: the inverse of `_parts`."""
    side = quat.perpendicular(cone.axis)
    other = quat.cross(cone.axis, side)
    v = quat.axpy(quat.axpy(quat.scale(cone.axis, u[1]), u[2], side), u[3], other)
    return (u[0], v[0], v[1], v[2])


@kernel
def _inside(u, cone):
    """True if a quaternion in the cone's basis is within its limits, up to rounding."""
    if math.hypot(u[2], u[3]) > math.sin(0.5 * cone.swing) + TURN_RULES.slack:
        return False
    if cone.high - cone.low >= FULL_TURN:
        return True
    twist = unwrapped(2.0 * math.atan2(u[1], u[0]), cone.low, cone.high)
    return cone.low - TURN_RULES.slack <= twist <= cone.high + TURN_RULES.slack


@kernel
def _box(u, cone):
    """Half the swing, its direction, half the twist and the range of the latter, of u in the cone's basis."""
    half = math.atan2(math.hypot(u[2], u[3]), math.hypot(u[0], u[1]))
    way = math.atan2(u[3], u[2])
    twist = 2.0 * math.atan2(u[1], u[0])
    near = unwrapped(twist, cone.low, cone.high)
    if math.cos(0.5 * (near - twist)) < 0.0:
        way += math.pi  # a full turn of twist flips the quaternion's sign
    t = 0.5 * near
    if cone.high - cone.low >= FULL_TURN:
        return half, way, t, t - 0.5 * math.pi, t + 0.5 * math.pi
    return half, way, t, 0.5 * cone.low, 0.5 * cone.high


@kernel
def _nearest_pointing(first, second, cone):
    """The least x for which the rotation cos x first + sin x second is inside a cone; pi if there is none."""
    best = math.pi
    found = math.pi
    for i in range(5):
        x = 0.0
        if i == 1 or i == 2:
            # Where the swing is at its limit: a wave in 2x.
            a = first[2] * first[2] + first[3] * first[3]
            b = second[2] * second[2] + second[3] * second[3]
            c = first[2] * second[2] + first[3] * second[3]
            size = math.hypot(0.5 * (a - b), c)
            edge = math.sin(0.5 * cone.swing) * math.sin(0.5 * cone.swing) - 0.5 * (a + b)
            if edge >= size or edge < -size - TURN_RULES.slack:
                continue
            middle = math.atan2(c, 0.5 * (a - b))
            spread = math.acos(max(edge / size, -1.0))
            x = middle + (spread if i == 1 else -spread)
            x = 0.5 * (x - FULL_TURN * math.floor(x / FULL_TURN + 0.5))
        elif i >= 3:
            # Where the twist is at a limit.
            if cone.high - cone.low >= FULL_TURN:
                continue
            half = 0.5 * (cone.low if i == 3 else cone.high)
            c, s = math.cos(half), math.sin(half)
            x = math.atan2(first[1] * c - first[0] * s, second[0] * s - second[1] * c)
            x -= math.pi * math.floor(x / math.pi + 0.5)
        if abs(x) < best:
            c, s = math.cos(x), math.sin(x)
            if _inside(mix(c, first, s, second), cone):
                best = abs(x)
                found = x
    return found


@kernel
def _climb(pull, u, cone):
    """Optimise half the swing, its direction and half the twist, one after the other, from u."""
    _, way, t, low, high = _box(u, cone)
    # Half the swing; a negative one has the opposite direction.
    a1, a2, a3 = _along(pull, 0, t)
    b1, b2, b3 = _along(pull, 2, way)
    m1, m3 = pull.near, pull.facing
    x = 0.5 * (m1 * (a1 * a1 - b1 * b1 + a2 * a2 - b2 * b2) + m3 * (a3 * a3 - b3 * b3))
    y = m1 * (a1 * b1 + a2 * b2) + m3 * a3 * b3
    half = 0.5 * best_angle(x, y, -cone.swing, cone.swing)
    if half < 0.0:
        half, way = -half, way + math.pi
    c, s = math.cos(half), math.sin(half)
    if s > 0.0:
        waves = _waves(pull, quat.scale((a1, a2, a3), c), 2, s)
        way = best_of_two_waves(waves, way, way - math.pi, way + math.pi)
    if c > 0.0:
        waves = _waves(pull, quat.scale(_along(pull, 2, way), s), 0, c)
        t = best_of_two_waves(waves, t, low, high)
    return (c * math.cos(t), c * math.sin(t), s * math.cos(way), s * math.sin(way))


@kernel
def _along(pull, i, x):
    """The three quaternions of a pull along components i and i + 1 turned by x."""
    c, s = math.cos(x), math.sin(x)
    return (
        pull.first[i] * c + pull.first[i + 1] * s,
        pull.second[i] * c + pull.second[i + 1] * s,
        pull.third[i] * c + pull.third[i + 1] * s,
    )


@kernel
def _waves(pull, h, i, size):
    """The c1, s1, c2, s2 of the sum of m (h + size (v[i] cos x + v[i+1] sin x))^2 over the three v."""
    m1, m3 = pull.near, pull.facing
    x1, y1 = size * pull.first[i], size * pull.first[i + 1]
    x2, y2 = size * pull.second[i], size * pull.second[i + 1]
    x3, y3 = size * pull.third[i], size * pull.third[i + 1]
    return (
        2.0 * (m1 * (h[0] * x1 + h[1] * x2) + m3 * h[2] * x3),
        2.0 * (m1 * (h[0] * y1 + h[1] * y2) + m3 * h[2] * y3),
        0.5 * (m1 * (x1 * x1 - y1 * y1 + x2 * x2 - y2 * y2) + m3 * (x3 * x3 - y3 * y3)),
        m1 * (x1 * y1 + x2 * y2) + m3 * x3 * y3,
    )


@kernel
def _two_waves(waves, x):
    """The value of c1 cos x + s1 sin x + c2 cos 2x + s2 sin 2x."""
    c1, s1, c2, s2 = waves
    c, s = math.cos(x), math.sin(x)
    return c1 * c + s1 * s + c2 * (c * c - s * s) + 2.0 * s2 * s * c


@kernel
def best_of_two_waves(waves, here, low, high):
    """The x in [low, high] where c1 cos x + s1 sin x + c2 cos 2x + s2 sin 2x is greatest.

    Sampled, then refined by Newton's method; never worse than `here`.
    """
    c1, s1, c2, s2 = waves
    best, top = here, _two_waves(waves, here)
    for i in range(TURN_RULES.wave_samples + 1):
        x = low + (high - low) * i / TURN_RULES.wave_samples
        value = _two_waves(waves, x)
        if value > top:
            best, top = x, value
    for _ in range(TURN_RULES.wave_newtons):
        c, s = math.cos(best), math.sin(best)
        cc, ss = c * c - s * s, 2.0 * s * c
        slope = s1 * c - c1 * s + 2.0 * (s2 * cc - c2 * ss)
        bend = -c1 * c - s1 * s - 4.0 * (c2 * cc + s2 * ss)
        if bend >= 0.0:
            break
        x = min(max(best - slope / bend, low), high)
        value = _two_waves(waves, x)
        if not value > top:
            break
        best, top = x, value
    return best


@kernel
def top_of_two_waves(waves, here):
    """The x where c1 cos x + s1 sin x + c2 cos 2x + s2 sin 2x is greatest, to rounding.

    Every peak between two samples is found. Of equal ones the first from `here` on.
    """
    best, top = here, _two_waves(waves, here)
    step = 0.5 * FULL_TURN / TURN_RULES.wave_samples
    before, _ = _two_slopes(waves, here)
    for i in range(2 * TURN_RULES.wave_samples):
        low, high = here + i * step, here + (i + 1) * step
        after, _ = _two_slopes(waves, high)
        if before > 0.0 and after <= 0.0:
            x = 0.5 * (low + high)
            for _ in range(TURN_RULES.peak_steps):
                slope, bend = _two_slopes(waves, x)
                if slope > 0.0:
                    low = x
                else:
                    high = x
                new = x - slope / bend if bend < 0.0 else low
                new = new if low < new < high else 0.5 * (low + high)
                if abs(new - x) <= 1e-15 * max(1.0, abs(x)):
                    break
                x = new
            value = _two_waves(waves, x)
            if value > top:
                best, top = x, value
        before = after
    return best


@kernel
def _two_slopes(waves, x):
    """The first and second derivative of `_two_waves`."""
    c1, s1, c2, s2 = waves
    s, c = sine_cosine(x)
    cc, ss = c * c - s * s, 2.0 * s * c
    return s1 * c - c1 * s + 2.0 * (s2 * cc - c2 * ss), -c1 * c - s1 * s - 4.0 * (c2 * cc + s2 * ss)


@kernel
def _worth(pull, u):
    """The u.K.u of the module docstring."""
    a, b, c = dot4(u, pull.first), dot4(u, pull.second), dot4(u, pull.third)
    return pull.near * (a * a + b * b) + pull.facing * c * c
