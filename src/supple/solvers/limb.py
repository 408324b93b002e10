"""The geometry of a limb: a root joint, a middle joint, an effector, and the triangle between them.

Everything is seen from the root joint's place, in the frame just before the root turns: `wish` is the target there, `upper`
the middle joint in the root joint's frame, `lower` the effector in the middle joint's frame, `between_them` the turn from
the root joint's frame to the one just before the middle joint. See `two_bone` for the formulas.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXIS,
    B_KIND,
    B_MOVE,
    B_WEIGHT,
    BALL,
    CONE,
    E_P0,
    E_TARGET,
    HINGE,
    LIMITS,
    M_KIND,
    M_ORDER,
    M_Q,
    O_BLOCK,
    O_COST,
    O_ERROR,
    O_EVENTS,
    O_GAP,
    O_ITERATIONS,
    O_REACH,
    O_RESTARTS,
    O_STATUS,
    O_STOP,
    O_TRACE,
    O_TURN_ERROR,
    POLE,
    REACHED,
    REPORT,
    S_P0,
    S_PRE,
    STOP_REACHED,
)
from supple.kernels.limits import TURN, clamped_cone
from supple.kernels.quaternion import (
    IDENTITY,
    about,
    add,
    axpy,
    between,
    conj,
    cross,
    dot,
    load3,
    load4,
    mul,
    norm,
    normalized,
    perpendicular,
    put4,
    rotate,
    scale,
    sub,
    take4,
    unit,
    unrotate,
)
from supple.kernels.tree import joint_turn
from supple.solvers.ccd_turns import axis_turn, best_angle, cone_turn

ROUNDS = 20  # how often root and middle take turns where limits keep them from the target
SLACK = 1e-9  # an angle this little outside its limits is rounding, and is put on the limit [rad]
FAINT = 1e-12  # relative: what is this small has no direction


@kernel
def softened(distance, reach, soften):
    """The distance to go for: the distance itself up to soften * reach, then ever slower towards the reach."""
    easy = soften * reach
    if soften >= 1.0 or distance <= easy or reach <= 0.0:
        return distance
    rest = reach - easy
    return reach - rest * math.exp((easy - distance) / rest)


@kernel
def inside_turns(x, low, high, here):
    """The angle x, whole turns added, inside [low, high] and nearest to here; infinity if there is none."""
    near = x + TURN * math.floor((here - x) / TURN + 0.5)
    if near > high:
        near = min(near, x + TURN * math.floor((high + SLACK - x) / TURN))
    elif near < low:
        near = max(near, x + TURN * math.ceil((low - SLACK - x) / TURN))
    if near < low - SLACK or near > high + SLACK:
        return math.inf
    return min(max(near, low), high)


@kernel
def hinge_angles(a, k2, k3, d):
    """The two solutions of d^2 = a + 2 (k2 cos x + k3 sin x), or the one place that comes nearest, twice."""
    size = 2.0 * math.hypot(k2, k3)
    middle = math.atan2(k3, k2)
    u = 2.0 * math.atan2(
        math.sqrt(max(0.0, a + size - d * d)), math.sqrt(max(0.0, d * d - (a - size)))
    )
    return middle + u, middle - u


@kernel
def hinge_bend(a, k2, k3, d, low, high, here, elbow):
    """The best such angle inside limits: the wanted elbow, nearest to here; else the limit whose distance is nearest."""
    if k2 == 0.0 and k3 == 0.0:
        return here
    plus, minus = hinge_angles(a, k2, k3, d)
    plus = inside_turns(plus, low, high, here)
    minus = inside_turns(minus, low, high, here)
    if plus < math.inf or minus < math.inf:
        if elbow > 0.0 and plus < math.inf:
            return plus
        if elbow < 0.0 and minus < math.inf:
            return minus
        return plus if abs(plus - here) <= abs(minus - here) else minus
    at_low = a + 2.0 * (k2 * math.cos(low) + k3 * math.sin(low))
    at_high = a + 2.0 * (k2 * math.cos(high) + k3 * math.sin(high))
    miss_low = abs(math.sqrt(max(0.0, at_low)) - d)
    miss_high = abs(math.sqrt(max(0.0, at_high)) - d)
    if miss_low == miss_high:
        return low if abs(low - here) <= abs(high - here) else high
    return low if miss_low < miss_high else high


@kernel
def hinge_waves(upper, lower, axis):
    """a, k2, k3 of |upper + R(x) lower|^2 = a + 2 (k2 cos x + k3 sin x) for a turn about a unit axis."""
    along = dot(upper, axis) * dot(lower, axis)
    a = dot(upper, upper) + dot(lower, lower) + 2.0 * along
    return a, dot(upper, lower) - along, dot(upper, cross(axis, lower))


@kernel
def hinge_reach(a, k2, k3, low, high):
    """The greatest distance inside limits."""
    peak = inside_turns(math.atan2(k3, k2), low, high, 0.0)
    if peak < math.inf:
        return math.sqrt(a + 2.0 * math.hypot(k2, k3))
    at_low = a + 2.0 * (k2 * math.cos(low) + k3 * math.sin(low))
    at_high = a + 2.0 * (k2 * math.cos(high) + k3 * math.sin(high))
    return math.sqrt(max(0.0, at_low, at_high))


@kernel
def size_of(a):
    """The length of a vector, the quick way: for lengths whose squares neither vanish nor overflow."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def unit_quaternion(q):
    """The quaternion scaled to length one, with one division."""
    f = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * f, q[1] * f, q[2] * f, q[3] * f)


@kernel
def ball_bend(upper, lower, turn, d):
    """The turn nearest to `turn` in its own bend plane for which |upper + turn lower| is d, or nearest to it.

    Returns the turn, the lower bone turned by it, and the distance.
    """
    a, b = size_of(upper), size_of(lower)
    if a == 0.0 or b == 0.0:
        return turn, rotate(turn, lower), a + b
    d = min(max(d, abs(a - b)), a + b)
    share = 0.5 / (a * b)
    c = ((d - a) * (d + a) - b * b) * share
    s = math.sqrt(max(0.0, (a + b - d) * (a + b + d) * (d - a + b) * (d + a - b))) * share
    ahead = scale(upper, 1.0 / a)
    bone = scale(rotate(turn, lower), 1.0 / b)
    c_now = dot(bone, ahead)
    side = axpy(bone, -c_now, ahead)
    s_now = size_of(side)
    side = scale(side, 1.0 / s_now) if s_now > FAINT else perpendicular(ahead)
    # Turn by the difference of the two angles in the plane: its half from its cosine and sine.
    way = half_turn(cross(ahead, side), c * c_now + s * s_now, s * c_now - c * s_now)
    return unit_quaternion(mul(way, turn)), axpy(scale(ahead, b * c), b * s, side), d


@kernel
def half_turn(axis, c, s):
    """A quaternion, not of length one, that turns about a unit axis by the angle whose cosine and sine are as c to s."""
    size = math.sqrt(c * c + s * s)
    if c >= 0.0:
        return (size + c, axis[0] * s, axis[1] * s, axis[2] * s)
    # The other of two equal forms, so that nothing cancels near half a turn.
    w = abs(s)
    f = size - c if s >= 0.0 else c - size
    return (w, axis[0] * f, axis[1] * f, axis[2] * f)


@kernel
def pointing(arm, wish, sizes):
    """A quaternion, not of length one, for the least turn from the direction of an arm to that of a wish; sizes = |arm||wish|."""
    inner = dot(arm, wish)
    if inner < -0.99 * sizes or sizes == 0.0:
        return between(arm, wish)
    c = cross(arm, wish)
    return (sizes + inner, c[0], c[1], c[2])


@kernel
def rotate_any(q, v):
    """The vector v turned by a quaternion that need not be of length one, times the square of its length."""
    u = (q[1], q[2], q[3])
    out = axpy(scale(v, q[0] * q[0] - dot(u, u)), 2.0 * dot(u, v), u)
    return axpy(out, 2.0 * q[0], cross(u, v))


@kernel
def cone_bend(upper, turn, axis, swing, low, high):
    """A turn with the right bend put into a cone: spun about the upper bone as little as brings its axis inside, then clamped."""
    if norm(upper) == 0.0:
        return clamped_cone(turn, axis, swing, low, high)
    ahead = unit(upper)
    pointing = rotate(turn, axis)
    # axis . spin(x) pointing = still + c cos x + s sin x, and it must be at least cos(swing).
    still = dot(axis, ahead) * dot(pointing, ahead)
    c = dot(axis, pointing) - still
    s = dot(axis, cross(ahead, pointing))
    edge = math.cos(swing) - still
    if c < edge:
        peak = math.atan2(s, c)
        size = math.hypot(s, c)
        x = peak
        if size > edge:
            spread = math.acos(edge / size)
            x = peak - spread if peak > 0.0 else peak + spread
        turn = normalized(mul(about(ahead, x), turn))
    return clamped_cone(turn, axis, swing, low, high)


@kernel
def spin_to(line, middle, wanted):
    """A quaternion, not of length one, that turns about a unit line until the middle is in the half plane of the wanted point.

    No turn if either is on the line.
    """
    arm = axpy(middle, -dot(middle, line), line)
    wish = axpy(wanted, -dot(wanted, line), line)
    least = FAINT * FAINT
    if dot(arm, arm) <= least * dot(middle, middle) or dot(wish, wish) <= least * dot(wanted, wanted):
        return IDENTITY
    return half_turn(line, dot(arm, wish), dot(line, cross(arm, wish)))


@kernel
def limb_parts(states, effectors):
    """base, pre, upper, between_them, lower: see the module's text."""
    return (
        load3(states, 0, S_P0),
        load4(states, 0, S_PRE),
        load3(states, 1, S_P0),
        load4(states, 1, S_PRE),
        load3(effectors, 0, E_P0),
    )


@kernel
def after(a, b):
    """The product a b, for which b is often no turn at all."""
    return a if b[0] == 1.0 else mul(a, b)


@kernel
def turn_of(moving, moving_f, q, k):
    """The turn of moving joint k, wxyz."""
    return joint_turn(moving[k, M_KIND], moving[k, M_ORDER], moving_f, k, q, moving[k, M_Q])


@kernel
def pole_point(blocks, states, effectors, g, turn):
    """The point that a pole block moves, in the root joint's frame; `turn` is that of the middle joint."""
    point = load3(effectors, g, E_P0)
    if blocks[g, B_MOVE] == 0:
        return point
    middle = load3(states, 1, S_P0)
    if point[0] == 0.0 and point[1] == 0.0 and point[2] == 0.0:
        return middle
    return add(middle, rotate(mul(load4(states, 1, S_PRE), turn), point))


@kernel
def close_limb(moving, moving_f, blocks, states, effectors, q, soften, elbow):
    """Put the limb's coordinates into q, folded and inside its limits; returns the point it went for, world."""
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    wish = unrotate(pre, sub(load3(effectors, 0, E_TARGET), base))
    hand = unrotate(between_them, upper)  # the upper bone as the middle joint sees it
    root, middle = moving[0, M_KIND], moving[1, M_KIND]
    if root == HINGE and middle == HINGE:
        wish = _close_planar(moving, moving_f, blocks, states, effectors, q, wish, hand, soften, elbow)
        return add(base, rotate(pre, wish))
    if root == HINGE:
        wish = _close_circle(moving, moving_f, blocks, states, effectors, q, wish, soften, elbow)
        return add(base, rotate(pre, wish))
    distance = size_of(wish)
    at = moving[1, M_Q]
    if middle == HINGE:
        axis = load3(moving_f, 1, AXIS)
        low, high = moving_f[1, LIMITS], moving_f[1, LIMITS + 1]
        a, k2, k3 = hinge_waves(hand, lower, axis)
        if soften < 1.0:
            d = softened(distance, hinge_reach(a, k2, k3, low, high), soften)
            wish, distance = scale(wish, d / distance if distance > 0.0 else 1.0), d
        q[at] = hinge_bend(a, k2, k3, distance, low, high, q[at], elbow)
        bend = about(axis, q[at])
        bone = rotate(bend, lower)
        span = size_of(add(hand, bone))
    else:
        if soften < 1.0:
            d = softened(distance, norm(upper) + norm(lower), soften)
            wish, distance = scale(wish, d / distance if distance > 0.0 else 1.0), d
        bend, bone, span = ball_bend(hand, lower, take4(q, at), distance)
        if middle == CONE:
            bend = cone_bend(
                hand, bend, load3(moving_f, 1, AXIS),
                moving_f[1, LIMITS + 1], moving_f[1, LIMITS + 2], moving_f[1, LIMITS + 3],
            )  # fmt: skip
            bone = rotate(bend, lower)
            span = size_of(add(hand, bone))
        put4(q, at, bend)
    at = moving[0, M_Q]
    old = take4(q, at)
    reached = add(upper, bone if between_them[0] == 1.0 else rotate(between_them, bone))
    new = mul(pointing(rotate(old, reached), wish, span * distance), old)
    if distance > 0.0 and blocks.shape[0] > 1:
        for g in range(1, blocks.shape[0]):
            if blocks[g, B_KIND] == POLE:
                wanted = unrotate(pre, sub(load3(effectors, g, E_TARGET), base))
                point = rotate_any(new, pole_point(blocks, states, effectors, g, bend))
                new = mul(spin_to(scale(wish, 1.0 / distance), point, wanted), new)
    new = unit_quaternion(new)
    put4(q, at, new)
    if root == CONE and middle == HINGE:
        _point(moving, moving_f, 0, q, rotate(new, reached), wish)
    elif root == CONE:
        # Spun about the reach line into the cone and clamped; what that twists, the middle joint makes good.
        new = cone_bend(
            wish, new, load3(moving_f, 0, AXIS),
            moving_f[0, LIMITS + 1], moving_f[0, LIMITS + 2], moving_f[0, LIMITS + 3],
        )  # fmt: skip
        put4(q, at, new)
        rest = unrotate(between_them, sub(unrotate(new, wish), upper))
        _point(moving, moving_f, 1, q, bone, rest)
    return add(base, rotate(pre, wish))


@kernel
def _close_planar(moving, moving_f, blocks, states, effectors, q, wish, hand, soften, elbow):
    """Two hinges with parallel axes: the triangle in their plane, both elbows, limits on both; returns the softened wish."""
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    axis, other = load3(moving_f, 0, AXIS), load3(moving_f, 1, AXIS)
    low, high = moving_f[0, LIMITS], moving_f[0, LIMITS + 1]
    y_here, x_here = q[moving[0, M_Q]], q[moving[1, M_Q]]
    across = dot(wish, axis)
    flat = axpy(wish, -across, axis)
    d = norm(flat)
    hand = axpy(hand, -dot(hand, other), other)
    a, k2, k3 = hinge_waves(hand, axpy(lower, -dot(lower, other), other), other)
    x_low, x_high = moving_f[1, LIMITS], moving_f[1, LIMITS + 1]
    if soften < 1.0 and d > 0.0:
        flat = scale(flat, softened(d, hinge_reach(a, k2, k3, x_low, x_high), soften) / d)
        d = norm(flat)
    best_x, best_y, best_miss, best_liking = x_here, y_here, math.inf, 0.0
    plus, minus = hinge_angles(a, k2, k3, d)
    for i in range(3):
        if i < 2:
            x = inside_turns(plus if i == 0 else minus, x_low, x_high, x_here)
            if x == math.inf:
                continue
        elif best_miss <= 1e-9 * d:
            break
        else:
            x = hinge_bend(a, k2, k3, d, x_low, x_high, x_here, elbow)
        bend = about(other, x)
        arm = add(upper, rotate(mul(between_them, bend), lower))
        c = dot(arm, flat)
        s = dot(axis, cross(arm, flat))
        y = y_here
        if math.hypot(c, s) > FAINT * (dot(arm, arm) + d * d):
            y = inside_turns(math.atan2(s, c), low, high, y_here)
            if y == math.inf:
                here = (c * math.cos(y_here) + s * math.sin(y_here), s * math.cos(y_here) - c * math.sin(y_here))
                y = y_here + best_angle(here[0], here[1], low - y_here, high - y_here)
        turn = about(axis, y)
        miss = sub(rotate(turn, arm), flat)
        miss = axpy(miss, -dot(miss, axis), axis)
        far = norm(miss)
        # Of two that arrive, the wanted elbow, or else the one on the pole's side, or else the one nearest to the start.
        liking = -abs(x - x_here) - abs(y - y_here)
        for g in range(1, blocks.shape[0]):
            if blocks[g, B_KIND] == POLE:
                wanted = unrotate(pre, sub(load3(effectors, g, E_TARGET), base))
                middle = rotate(turn, pole_point(blocks, states, effectors, g, bend))
                line = unit(flat)
                side = axpy(wanted, -dot(wanted, line), line)
                liking = dot(side, middle)
        if elbow != 0.0:
            liking = elbow if i == 0 else -elbow
        slack = 1e-9 * (norm(arm) + d)
        if far < best_miss - slack or (far <= best_miss + slack and liking > best_liking):
            best_x, best_y, best_miss, best_liking = x, y, far, liking
    q[moving[1, M_Q]] = min(max(best_x, x_low), x_high)
    q[moving[0, M_Q]] = min(max(best_y, low), high)
    return axpy(flat, across, axis)


@kernel
def _close_circle(moving, moving_f, blocks, states, effectors, q, wish, soften, elbow):
    """A hinge above a ball or cone: the hinge brings the middle joint to the right distance from the target, which the other
    points at; returns the softened wish."""
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    axis = load3(moving_f, 0, AXIS)
    low, high = moving_f[0, LIMITS], moving_f[0, LIMITS + 1]
    at = moving[0, M_Q]
    d = norm(wish)
    if soften < 1.0 and d > 0.0:
        wish = scale(wish, softened(d, norm(upper) + norm(lower), soften) / d)
    a, k2, k3 = hinge_waves(wish, scale(upper, -1.0), axis)
    for g in range(1, blocks.shape[0]):
        if blocks[g, B_KIND] == POLE and elbow == 0.0:
            wanted = unrotate(pre, sub(load3(effectors, g, E_TARGET), base))
            line = unit(wish)
            side = axpy(wanted, -dot(wanted, line), line)
            plus, minus = hinge_angles(a, k2, k3, norm(lower))
            gain = dot(side, rotate(about(axis, plus), upper)) - dot(side, rotate(about(axis, minus), upper))
            elbow = 1.0 if gain > 0.0 else -1.0
    q[at] = hinge_bend(a, k2, k3, norm(lower), low, high, q[at], elbow)
    want = unrotate(between_them, sub(unrotate(about(axis, q[at]), wish), upper))
    _point(moving, moving_f, 1, q, rotate(take4(q, moving[1, M_Q]), lower), want)
    return wish


@kernel
def _point(moving, moving_f, k, q, arm, wish):
    """Turn ball or cone k so that an arm points at a wish, both in its rest frame, or as nearly as it may."""
    at = moving[k, M_Q]
    old = take4(q, at)
    if moving[k, M_KIND] == BALL:
        new = normalized(mul(between(arm, wish), old))
    else:
        new = cone_turn(
            old, load3(moving_f, k, AXIS),
            moving_f[k, LIMITS + 1], moving_f[k, LIMITS + 2], moving_f[k, LIMITS + 3],
            arm, wish, IDENTITY, 1.0, 0.0,
        )  # fmt: skip
    put4(q, at, new)


@kernel
def limb_tip(moving, moving_f, states, effectors, q):
    """World place of the effector, and the middle joint's and the root joint's world turns."""
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    first = mul(pre, turn_of(moving, moving_f, q, 0))
    second = mul(after(first, between_them), turn_of(moving, moving_f, q, 1))
    return add(add(base, rotate(first, upper)), rotate(second, lower)), first, second


@kernel
def settle_limb(moving, moving_f, states, effectors, q, target):
    """Let middle and root take turns in bringing the effector as near to a world point as their limits allow."""
    base, pre, upper, between_them, _ = limb_parts(states, effectors)
    last = math.inf
    for _ in range(ROUNDS):
        for k in (1, 0):
            tip, first, _ = limb_tip(moving, moving_f, states, effectors, q)
            here = add(base, rotate(first, upper)) if k == 1 else base
            frame = mul(first, between_them) if k == 1 else pre
            arm, wish = unrotate(frame, sub(tip, here)), unrotate(frame, sub(target, here))
            if moving[k, M_KIND] == HINGE:
                at = moving[k, M_Q]
                low, high = moving_f[k, LIMITS], moving_f[k, LIMITS + 1]
                change = axis_turn(
                    (0.0, 0.0, 0.0), load3(moving_f, k, AXIS), arm, IDENTITY, wish, IDENTITY,
                    1.0, 0.0, low - q[at], high - q[at], 1.0,
                )  # fmt: skip
                q[at] = min(max(q[at] + change, low), high)
            else:
                _point(moving, moving_f, k, q, arm, wish)
        tip, _, _ = limb_tip(moving, moving_f, states, effectors, q)
        miss = norm(sub(target, tip))
        if not miss < last * (1.0 - 1e-9):
            break
        last = miss


@kernel
def limb_errors(moving, moving_f, blocks, states, effectors, q, errors):
    """The error of every block, as `residual.residuals` has it: the distance, and the pole's angle."""
    tip, first, _ = limb_tip(moving, moving_f, states, effectors, q)
    errors[0] = size_of(sub(load3(effectors, 0, E_TARGET), tip))
    for g in range(1, blocks.shape[0]):
        base = load3(states, 0, S_P0)
        line = sub(tip, base)
        bend = turn_of(moving, moving_f, q, 1) if blocks[g, B_MOVE] == 1 else IDENTITY
        middle = rotate(first, pole_point(blocks, states, effectors, g, bend))
        wanted = sub(load3(effectors, g, E_TARGET), base)
        square = dot(line, line)
        s = abs(math.sqrt(square) * dot(line, cross(middle, wanted)))
        c = square * dot(middle, wanted) - dot(middle, line) * dot(wanted, line)
        # The arctangent of next to nothing, without the call.
        errors[g] = s / c if s < 1e-6 * c else math.atan2(s, c)


@kernel
def write_reached(blocks_f, length, errors, q, out, b):
    """Row b of output for a pose that reached its target: what `report.finish` would write."""
    nq = q.shape[0]
    for i in range(nq):
        out[b, i] = q[i]
    for i in range(nq, out.shape[1]):
        out[b, i] = 0.0
    out[b, nq + O_STOP] = STOP_REACHED
    out[b, nq + O_STATUS] = REACHED
    out[b, nq + O_ITERATIONS] = 1.0
    out[b, nq + O_ERROR] = errors[0]
    miss = blocks_f[0, B_WEIGHT] * errors[0] / length
    out[b, nq + O_COST] = 0.5 * miss * miss
    out[b, nq + O_BLOCK] = -1.0
    for g in range(errors.shape[0]):
        out[b, nq + REPORT + g] = errors[g]
