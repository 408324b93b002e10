"""The best turn of one joint while all others stand still: the closed forms that CCD is made of.

With one joint moving, the effector runs on an arc, and the cost of `residual.residuals` is one of very few shapes:

* about one axis, constant - (c cos x + s sin x): Wang & Chen (1991), eq. 10 to 12, with their k2 = c, k3 = s. Its best
  place inside limits is the peak, if a whole number of turns brings it inside, else one of the two ends.
* over all turns u (a unit quaternion) -u.K.u, where K has a plane of equal eigenvectors (the turns that point the tip at
  the target) and one direction more (the turn that meets the orientation): the best turn lies between the two, at an angle
  that one arctangent gives.
* for a cone the same form, but with u = (cos B (cos T, sin T), sin B (cos f, sin f)) along (1, axis, side, side): half the
  swing B, half the twist T and the direction of the swing f are bounded *independently* of each other, so that best turns
  of B, T and f, one after the other, cannot jam against a limit as turns about fixed axes do.

Wang & Chen compare orientations by the cosine of the angle between them, 1 - cos x, which flattens out at half a turn;
the cost counts x^2 / 2. Their term is used with the factor x / sin x: then both have the same slope here, and the same
curvature when they meet. As this is no upper bound, a turn that serves an orientation is tried, and halved if it fails.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.limits import TURN, clamped_cone, unwrapped
from supple.kernels.quaternion import (
    about,
    add,
    axpy,
    between,
    conj,
    cross,
    dot,
    exp,
    log,
    mul,
    norm,
    normalized,
    perpendicular,
    rotate,
    scale,
    sub,
    unit,
)

HALVINGS = 6
STEEPEST = 8.0  # the greatest x / sin x
SAMPLES = 8
SLACK = 1e-10  # what is this little outside a cone is rounding, and is put on its rim [rad]
FAINT = 1e-14  # an arm this small against the distances at play has no direction


@kernel
def cost_at(tip, turn, target, goal, near, facing):
    """The cost of a tip at a point and with a turn; `near` and `facing` weigh the squares of distance and angle."""
    miss = sub(target, tip)
    cost = 0.5 * near * dot(miss, miss)
    if facing > 0.0:
        error = log(mul(goal, conj(turn)))
        cost += 0.5 * facing * dot(error, error)
    return cost


@kernel
def best_angle(c, s, low, high):
    """Where c cos x + s sin x is greatest in [low, high], a range that holds 0; of equal places the nearer to 0."""
    peak = math.atan2(s, c)
    if low <= peak <= high:
        return peak
    other = peak - TURN if peak > 0.0 else peak + TURN
    if low <= other <= high:
        return other
    at_low = c * math.cos(low) + s * math.sin(low)
    at_high = c * math.cos(high) + s * math.sin(high)
    if at_low == at_high:
        return low if -low < high else high
    return low if at_low > at_high else high


@kernel
def steepness(error):
    """x / sin x for the error quaternion of angle x, up to a bound: see the module's text."""
    w = abs(error[0])
    s = math.sqrt(error[1] * error[1] + error[2] * error[2] + error[3] * error[3])
    sine = 2.0 * s * w
    x = 2.0 * math.atan2(s, w)
    if x < 1e-4:
        return 1.0
    return x / sine if x < STEEPEST * sine else STEEPEST


@kernel
def axis_turn(place, axis, tip, turn, target, goal, near, facing, low, high, weight):
    """The best angle in [low, high] about a world axis through a place, times a weight; 0 if nothing is better."""
    arm = sub(tip, place)
    wish = sub(target, place)
    arm = axpy(arm, -dot(arm, axis), axis)
    wish = axpy(wish, -dot(wish, axis), axis)
    c, s = 0.0, 0.0
    size = FAINT * (norm(arm) + norm(wish))
    if norm(arm) > size and norm(wish) > size:
        c, s = near * dot(arm, wish), near * dot(axis, cross(arm, wish))
    if facing > 0.0:
        error = mul(goal, conj(turn))
        along = error[1] * axis[0] + error[2] * axis[1] + error[3] * axis[2]
        pull = facing * steepness(error)
        c += pull * (error[0] * error[0] - along * along)
        s += pull * 2.0 * error[0] * along
    if c == 0.0 and s == 0.0:
        return 0.0
    angle = best_angle(c, s, low, high) * weight
    if facing == 0.0 and abs(angle) <= math.pi:
        return angle
    before = cost_at(tip, turn, target, goal, near, facing)
    for _ in range(HALVINGS):
        way = about(axis, angle)
        moved = add(place, rotate(way, sub(tip, place)))
        if cost_at(moved, mul(way, turn), target, goal, near, facing) <= before:
            return angle
        angle *= 0.5
    return 0.0


@kernel
def ball_turn(arm, wish, error, near, facing):
    """The best turn of all: as a unit quaternion that is applied in the frame of arm, wish and error."""
    point = between(arm, wish)
    if facing == 0.0:
        return point
    if error[0] < 0.0:
        error = (-error[0], -error[1], -error[2], -error[3])
    strength = near * norm(arm) * norm(wish)
    if strength == 0.0:
        return error
    pull = facing * steepness(error)
    # The turns that point the arm at the wish: point, and point after half a turn about the arm.
    spun = unit(arm)
    spun = mul(point, (0.0, spun[0], spun[1], spun[2]))
    x = error[0] * point[0] + error[1] * point[1] + error[2] * point[2] + error[3] * point[3]
    y = error[0] * spun[0] + error[1] * spun[1] + error[2] * spun[2] + error[3] * spun[3]
    inside = (
        x * point[0] + y * spun[0],
        x * point[1] + y * spun[1],
        x * point[2] + y * spun[2],
        x * point[3] + y * spun[3],
    )
    outside = (
        error[0] - inside[0], error[1] - inside[1], error[2] - inside[2], error[3] - inside[3],
    )  # fmt: skip
    rho = math.hypot(x, y)
    sigma = math.sqrt(
        outside[0] * outside[0] + outside[1] * outside[1] + outside[2] * outside[2] + outside[3] * outside[3]
    )
    if rho < 1e-12:
        return point if strength > pull else error
    if sigma < 1e-12:
        return error
    between_them = 2.0 * math.atan2(sigma, rho)
    angle = 0.5 * math.atan2(
        pull * math.sin(between_them), strength + pull * math.cos(between_them)
    )
    u, v = math.cos(angle) / rho, math.sin(angle) / sigma
    return normalized(
        (
            u * inside[0] + v * outside[0],
            u * inside[1] + v * outside[1],
            u * inside[2] + v * outside[2],
            u * inside[3] + v * outside[3],
        )
    )


@kernel
def _parts(q, axis, side, other):
    """A quaternion along (1, axis, side, other)."""
    v = (q[1], q[2], q[3])
    return (q[0], dot(v, axis), dot(v, side), dot(v, other))


@kernel
def _two_waves(c1, s1, c2, s2, x):
    c, s = math.cos(x), math.sin(x)
    return c1 * c + s1 * s + c2 * (c * c - s * s) + 2.0 * s2 * s * c


@kernel
def best_of_two_waves(c1, s1, c2, s2, here, low, high):
    """Where c1 cos x + s1 sin x + c2 cos 2x + s2 sin 2x is greatest in [low, high], or as good as that."""
    best, top = here, _two_waves(c1, s1, c2, s2, here)
    for i in range(SAMPLES + 1):
        x = low + (high - low) * i / SAMPLES
        value = _two_waves(c1, s1, c2, s2, x)
        if value > top:
            best, top = x, value
    for _ in range(3):
        c, s = math.cos(best), math.sin(best)
        cc, ss = c * c - s * s, 2.0 * s * c
        slope = s1 * c - c1 * s + 2.0 * (s2 * cc - c2 * ss)
        bend = -c1 * c - s1 * s - 4.0 * (c2 * cc + s2 * ss)
        if bend >= 0.0:
            break
        x = min(max(best - slope / bend, low), high)
        value = _two_waves(c1, s1, c2, s2, x)
        if not value > top:
            break
        best, top = x, value
    return best


@kernel
def _climb(first, second, third, m1, m3, u, swing, low, high):
    """Best turns of half the swing, its direction and half the twist, one after the other, from u along the cone's parts."""
    half = math.atan2(math.hypot(u[2], u[3]), math.hypot(u[0], u[1]))
    way = math.atan2(u[3], u[2])
    twist = 2.0 * math.atan2(u[1], u[0])
    near = unwrapped(twist, low, high)
    if math.cos(0.5 * (near - twist)) < 0.0:
        way += math.pi  # one turn of twist is the other sign of the quaternion
    t = 0.5 * near
    low, high = 0.5 * low, 0.5 * high
    if high - low >= math.pi:
        low, high = t - 0.5 * math.pi, t + 0.5 * math.pi
    # Half the swing; a negative one points the other way.
    c, s = math.cos(t), math.sin(t)
    a1, a2, a3 = first[0] * c + first[1] * s, second[0] * c + second[1] * s, third[0] * c + third[1] * s
    c, s = math.cos(way), math.sin(way)
    b1, b2, b3 = first[2] * c + first[3] * s, second[2] * c + second[3] * s, third[2] * c + third[3] * s
    x = 0.5 * (m1 * (a1 * a1 - b1 * b1 + a2 * a2 - b2 * b2) + m3 * (a3 * a3 - b3 * b3))
    y = m1 * (a1 * b1 + a2 * b2) + m3 * a3 * b3
    half = 0.5 * best_angle(x, y, -swing, swing)
    if half < 0.0:
        half, way = -half, way + math.pi
    # The direction of the swing.
    c, s = math.cos(half), math.sin(half)
    if s > 0.0:
        h1, h2, h3 = m1 * c * a1, m1 * c * a2, m3 * c * a3
        c1 = 2.0 * s * (h1 * first[2] + h2 * second[2] + h3 * third[2])
        s1 = 2.0 * s * (h1 * first[3] + h2 * second[3] + h3 * third[3])
        c2 = m1 * (first[2] * first[2] - first[3] * first[3] + second[2] * second[2] - second[3] * second[3])
        c2 = 0.5 * s * s * (c2 + m3 * (third[2] * third[2] - third[3] * third[3]))
        s2 = s * s * (m1 * (first[2] * first[3] + second[2] * second[3]) + m3 * third[2] * third[3])
        way = best_of_two_waves(c1, s1, c2, s2, way, way - math.pi, way + math.pi)
    # Half the twist.
    if c > 0.0:
        x, y = math.cos(way), math.sin(way)
        h1 = m1 * s * (first[2] * x + first[3] * y)
        h2 = m1 * s * (second[2] * x + second[3] * y)
        h3 = m3 * s * (third[2] * x + third[3] * y)
        c1 = 2.0 * c * (h1 * first[0] + h2 * second[0] + h3 * third[0])
        s1 = 2.0 * c * (h1 * first[1] + h2 * second[1] + h3 * third[1])
        c2 = m1 * (first[0] * first[0] - first[1] * first[1] + second[0] * second[0] - second[1] * second[1])
        c2 = 0.5 * c * c * (c2 + m3 * (third[0] * third[0] - third[1] * third[1]))
        s2 = c * c * (m1 * (first[0] * first[1] + second[0] * second[1]) + m3 * third[0] * third[1])
        t = best_of_two_waves(c1, s1, c2, s2, t, low, high)
    c, s = math.cos(half), math.sin(half)
    return (c * math.cos(t), c * math.sin(t), s * math.cos(way), s * math.sin(way))


@kernel
def _inside(u, swing, low, high):
    """Whether a quaternion along the cone's parts is within its limits; what is outside by rounding will be clamped."""
    if math.hypot(u[2], u[3]) > math.sin(0.5 * swing) + SLACK:
        return False
    if high - low >= TURN:
        return True
    twist = unwrapped(2.0 * math.atan2(u[1], u[0]), low, high)
    return low - SLACK <= twist <= high + SLACK


@kernel
def _nearest_pointing(first, second, swing, low, high):
    """Of the turns cos x * first + sin x * second the one inside a cone with the least x; all x if there is none."""
    best = math.pi
    found = math.pi
    for i in range(5):
        x = 0.0
        if i == 1 or i == 2:
            # Where the swing is just as large as it may be: a wave in 2x.
            a = first[2] * first[2] + first[3] * first[3]
            b = second[2] * second[2] + second[3] * second[3]
            c = first[2] * second[2] + first[3] * second[3]
            size = math.hypot(0.5 * (a - b), c)
            edge = math.sin(0.5 * swing) * math.sin(0.5 * swing) - 0.5 * (a + b)
            if edge >= size or edge < -size - SLACK:
                continue
            middle = math.atan2(c, 0.5 * (a - b))
            spread = math.acos(max(edge / size, -1.0))
            x = middle + (spread if i == 1 else -spread)
            x = 0.5 * (x - TURN * math.floor(x / TURN + 0.5))
        elif i >= 3:
            # Where the twist is at a limit.
            if high - low >= TURN:
                continue
            half = 0.5 * (low if i == 3 else high)
            c, s = math.cos(half), math.sin(half)
            x = math.atan2(first[1] * c - first[0] * s, second[0] * s - second[1] * c)
            x -= math.pi * math.floor(x / math.pi + 0.5)
        if abs(x) < best:
            c, s = math.cos(x), math.sin(x)
            u = (
                c * first[0] + s * second[0],
                c * first[1] + s * second[1],
                c * first[2] + s * second[2],
                c * first[3] + s * second[3],
            )
            if _inside(u, swing, low, high):
                best = abs(x)
                if best == 0.0:
                    return x
                found = x
    return found


@kernel
def cone_turn(q, axis, swing, low, high, arm, wish, error, near, facing):
    """The best coordinates of a cone inside its limits; arm, wish and error are in its rest frame, seen with q as it is."""
    best = normalized(mul(ball_turn(arm, wish, error, near, facing), q))
    side = perpendicular(axis)
    other = cross(axis, side)
    u = _parts(best, axis, side, other)
    if _inside(u, swing, low, high):
        return clamped_cone(best, axis, swing, low, high)
    strength = near * norm(arm) * norm(wish)
    first = mul(between(arm, wish), q)
    spun = unit(arm)
    spun = mul(between(arm, wish), mul((0.0, spun[0], spun[1], spun[2]), q))
    one = _parts(first, axis, side, other)
    two = _parts(spun, axis, side, other)
    if facing == 0.0:
        x = _nearest_pointing(one, two, swing, low, high)
        if x != math.pi:
            c, s = math.cos(x), math.sin(x)
            best = (
                c * first[0] + s * spun[0],
                c * first[1] + s * spun[1],
                c * first[2] + s * spun[2],
                c * first[3] + s * spun[3],
            )
            return clamped_cone(normalized(best), axis, swing, low, high)
    three = _parts(mul(error, q), axis, side, other)
    pull = facing * steepness(error) if facing > 0.0 else 0.0
    # No turn inside points at the target. Climb from the best of here and the nearest to several that do.
    chosen = _parts(clamped_cone(q, axis, swing, low, high), axis, side, other)
    top = _worth(one, two, three, strength, pull, chosen)
    for i in range(4):
        c, s = math.cos(0.25 * math.pi * i), math.sin(0.25 * math.pi * i)
        best = (
            c * first[0] + s * spun[0],
            c * first[1] + s * spun[1],
            c * first[2] + s * spun[2],
            c * first[3] + s * spun[3],
        )
        held = _parts(clamped_cone(best, axis, swing, low, high), axis, side, other)
        value = _worth(one, two, three, strength, pull, held)
        if value > top:
            chosen, top = held, value
    u = _climb(one, two, three, 2.0 * strength, 2.0 * pull, chosen, swing, low, high)
    v = axpy(axpy(scale(axis, u[1]), u[2], side), u[3], other)
    return clamped_cone(normalized((u[0], v[0], v[1], v[2])), axis, swing, low, high)


@kernel
def _worth(one, two, three, strength, pull, u):
    """u.K.u of the module's text."""
    a = u[0] * one[0] + u[1] * one[1] + u[2] * one[2] + u[3] * one[3]
    b = u[0] * two[0] + u[1] * two[1] + u[2] * two[2] + u[3] * two[3]
    c = u[0] * three[0] + u[1] * three[1] + u[2] * three[2] + u[3] * three[3]
    return 2.0 * strength * (a * a + b * b) + 2.0 * pull * c * c


@kernel
def part_of(turn, weight, cap):
    """A turn made smaller: its angle times a weight, and no larger than the cap."""
    if weight >= 1.0 and cap == math.inf:
        return turn
    vector = log(turn)
    angle = norm(vector)
    if weight >= 1.0 and angle <= cap:
        return turn
    size = min(angle * weight, cap)
    if angle == 0.0:
        return turn
    return exp(scale(vector, size / angle))
