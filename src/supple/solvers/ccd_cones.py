"""The best turn of a cone joint inside its limits, all others standing still.

The cost is a constant less u.K.u, as for a ball (`ccd_turns`), with
u = (cos B (cos T, sin T), sin B (cos f, sin f)) along (1, axis, side, other side). Half the swing B,
half the twist T and the direction of the swing f are bounded *independently* of each other: best
turns of B, T and f, one after the other, cannot jam against a limit, as turns about fixed axes do.

A turn that only points has a freedom to spare, the spin about the arm; if any spin of it is inside
the cone, the one nearest to no spin is taken, and the joint points exactly.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.limits import TURN, clamped_cone, unwrapped
from supple.kernels.quaternion import (
    IDENTITY,
    axpy,
    between,
    conj,
    cross,
    dot,
    mul,
    norm,
    normalized,
    perpendicular,
    rotate,
    scale,
    unit,
)
from supple.solvers.ccd_turns import ball_turn, best_angle, cost_at, steepness

SAMPLES = 8
NEWTONS = 3
SPINS = 4  # how many of the turns that point are climbed from
CREEP, CREEPS = 0.25, 8  # the first and largest step of a creep [rad], and how many sizes
SLACK = 1e-10  # what is this little outside a cone is rounding, and is put on its rim [rad]


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
def _parts(q, axis, side, other):
    """A quaternion along (1, axis, side, other)."""
    v = (q[1], q[2], q[3])
    return (q[0], dot(v, axis), dot(v, side), dot(v, other))


@kernel
def _along(v, i, x):
    return v[i] * math.cos(x) + v[i + 1] * math.sin(x)


@kernel
def _waves(first, second, third, m1, m3, h1, h2, h3, i, size):
    """The c1, s1, c2, s2 of the sum of m (h + size (v[i] cos x + v[i+1] sin x))^2 over three v."""
    x1, y1 = size * first[i], size * first[i + 1]
    x2, y2 = size * second[i], size * second[i + 1]
    x3, y3 = size * third[i], size * third[i + 1]
    return (
        2.0 * (m1 * (h1 * x1 + h2 * x2) + m3 * h3 * x3),
        2.0 * (m1 * (h1 * y1 + h2 * y2) + m3 * h3 * y3),
        0.5 * (m1 * (x1 * x1 - y1 * y1 + x2 * x2 - y2 * y2) + m3 * (x3 * x3 - y3 * y3)),
        m1 * (x1 * y1 + x2 * y2) + m3 * x3 * y3,
    )


@kernel
def _two_waves(c1, s1, c2, s2, x):
    c, s = math.cos(x), math.sin(x)
    return c1 * c + s1 * s + c2 * (c * c - s * s) + 2.0 * s2 * s * c


@kernel
def best_of_two_waves(c1, s1, c2, s2, here, low, high):
    """Where c1 cos x + s1 sin x + c2 cos 2x + s2 sin 2x is greatest in [low, high].

    Sampled, then refined by Newton's method; never lower than here.
    """
    best, top = here, _two_waves(c1, s1, c2, s2, here)
    for i in range(SAMPLES + 1):
        x = low + (high - low) * i / SAMPLES
        value = _two_waves(c1, s1, c2, s2, x)
        if value > top:
            best, top = x, value
    for _ in range(NEWTONS):
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
def _box(u, low, high):
    """Half the swing, its direction, half the twist and the range of that, of u along the parts."""
    half = math.atan2(math.hypot(u[2], u[3]), math.hypot(u[0], u[1]))
    way = math.atan2(u[3], u[2])
    twist = 2.0 * math.atan2(u[1], u[0])
    near = unwrapped(twist, low, high)
    if math.cos(0.5 * (near - twist)) < 0.0:
        way += math.pi  # one turn of twist is the other sign of the quaternion
    t = 0.5 * near
    if high - low >= TURN:
        return half, way, t, t - 0.5 * math.pi, t + 0.5 * math.pi
    return half, way, t, 0.5 * low, 0.5 * high


@kernel
def _climb(first, second, third, m1, m3, u, swing, low, high):
    """Best turns of half the swing, its direction and half the twist, one after the other, from u.

    All quaternions are along the cone's parts; m1 weighs the first two, m3 the third.
    """
    _, way, t, low, high = _box(u, low, high)
    # Half the swing; a negative one points the other way.
    a1, a2, a3 = _along(first, 0, t), _along(second, 0, t), _along(third, 0, t)
    b1, b2, b3 = _along(first, 2, way), _along(second, 2, way), _along(third, 2, way)
    x = 0.5 * (m1 * (a1 * a1 - b1 * b1 + a2 * a2 - b2 * b2) + m3 * (a3 * a3 - b3 * b3))
    y = m1 * (a1 * b1 + a2 * b2) + m3 * a3 * b3
    half = 0.5 * best_angle(x, y, -swing, swing)
    if half < 0.0:
        half, way = -half, way + math.pi
    c, s = math.cos(half), math.sin(half)
    if s > 0.0:
        c1, s1, c2, s2 = _waves(first, second, third, m1, m3, c * a1, c * a2, c * a3, 2, s)
        way = best_of_two_waves(c1, s1, c2, s2, way, way - math.pi, way + math.pi)
    if c > 0.0:
        b1, b2, b3 = _along(first, 2, way), _along(second, 2, way), _along(third, 2, way)
        c1, s1, c2, s2 = _waves(first, second, third, m1, m3, s * b1, s * b2, s * b3, 0, c)
        t = best_of_two_waves(c1, s1, c2, s2, t, low, high)
    return (c * math.cos(t), c * math.sin(t), s * math.cos(way), s * math.sin(way))


@kernel
def creep(q, axis, swing, low, high, arm, wish, error, near, facing):
    """A step down in one of half the swing, its direction or half the twist; q if there is none.

    For where the closed forms, which know orientations by their cosines, see no way down.
    """
    side = perpendicular(axis)
    other = cross(axis, side)
    half, way, t, low_t, high_t = _box(_parts(q, axis, side, other), low, high)
    before = cost_at(arm, IDENTITY, wish, error, near, facing)
    size = CREEP
    for _ in range(CREEPS):
        for i in range(6):
            change = size if i % 2 == 0 else -size
            b = min(max(half + change, 0.0), 0.5 * swing) if i < 2 else half
            f = way + change if i == 2 or i == 3 else way
            x = min(max(t + change, low_t), high_t) if i >= 4 else t
            c, s = math.cos(b), math.sin(b)
            v = scale(axis, c * math.sin(x))
            v = axpy(axpy(v, s * math.cos(f), side), s * math.sin(f), other)
            new = normalized((c * math.cos(x), v[0], v[1], v[2]))
            new = clamped_cone(new, axis, swing, low, high)
            step = mul(new, conj(q))
            if cost_at(rotate(step, arm), step, wish, error, near, facing) < before:
                return new
        size *= 0.25
    return q


@kernel
def _inside(u, swing, low, high):
    """Whether a quaternion along the cone's parts is within its limits, but for rounding."""
    if math.hypot(u[2], u[3]) > math.sin(0.5 * swing) + SLACK:
        return False
    if high - low >= TURN:
        return True
    twist = unwrapped(2.0 * math.atan2(u[1], u[0]), low, high)
    return low - SLACK <= twist <= high + SLACK


@kernel
def _nearest_pointing(first, second, swing, low, high):
    """Of the turns cos x first + sin x second the least x that is inside a cone; pi if there is none."""
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
            if _inside(mix(c, first, s, second), swing, low, high):
                best = abs(x)
                found = x
    return found


@kernel
def cone_turn(q, axis, swing, low, high, arm, wish, error, near, facing, far):
    """The best coordinates of a cone inside its limits that can be climbed to from q.

    Arm, wish and error are those of `ball_turn`, in the cone's rest frame. Also returns whether the
    limits are not in the way. If they are, `far` looks all around for a better place to climb from.
    """
    best = normalized(mul(ball_turn(arm, wish, error, near, facing), q))
    side = perpendicular(axis)
    other = cross(axis, side)
    if _inside(_parts(best, axis, side, other), swing, low, high):
        return clamped_cone(best, axis, swing, low, high), True
    strength = near * norm(arm) * norm(wish)
    if strength == 0.0 and facing == 0.0:
        return clamped_cone(q, axis, swing, low, high), True
    first = mul(between(arm, wish), q)
    spun = unit(arm)
    spun = mul(between(arm, wish), mul((0.0, spun[0], spun[1], spun[2]), q))
    one = _parts(first, axis, side, other)
    two = _parts(spun, axis, side, other)
    if facing == 0.0:
        x = _nearest_pointing(one, two, swing, low, high)
        if x != math.pi:
            best = normalized(mix(math.cos(x), first, math.sin(x), spun))
            return clamped_cone(best, axis, swing, low, high), True
    three = _parts(mul(error, q), axis, side, other)
    pull = facing * steepness(error) if facing > 0.0 else 0.0
    here = _parts(clamped_cone(q, axis, swing, low, high), axis, side, other)
    u = _climb(one, two, three, 2.0 * strength, 2.0 * pull, here, swing, low, high)
    if far:
        top = _worth(one, two, three, strength, pull, u)
        for i in range(SPINS):
            # From next to a turn that points at the target, but is outside.
            c, s = math.cos(math.pi * i / SPINS), math.sin(math.pi * i / SPINS)
            held = clamped_cone(mix(c, first, s, spun), axis, swing, low, high)
            held = _parts(held, axis, side, other)
            held = _climb(one, two, three, 2.0 * strength, 2.0 * pull, held, swing, low, high)
            value = _worth(one, two, three, strength, pull, held)
            if value > top:
                u, top = held, value
    v = axpy(axpy(scale(axis, u[1]), u[2], side), u[3], other)
    best = normalized((u[0], v[0], v[1], v[2]))
    return clamped_cone(best, axis, swing, low, high), False


@kernel
def _worth(one, two, three, strength, pull, u):
    """The u.K.u of the module's text."""
    a = u[0] * one[0] + u[1] * one[1] + u[2] * one[2] + u[3] * one[3]
    b = u[0] * two[0] + u[1] * two[1] + u[2] * two[2] + u[3] * two[3]
    c = u[0] * three[0] + u[1] * three[1] + u[2] * three[2] + u[3] * three[3]
    return 2.0 * strength * (a * a + b * b) + 2.0 * pull * c * c
