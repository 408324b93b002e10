"""Closing a limb: bend the middle joint, point the root, see to the pole.

One function for each way in which the two joints share the work: a root that turns every way takes
the bend from the distance and then points; two hinges do the same in their plane; a hinge above a
joint that turns every way brings the middle joint near, and that one points. The words are those of
`limb`, the closed forms are in `limb_bends`, the idea is in `two_bone`.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXIS,
    B_KIND,
    CONE,
    E_TARGET,
    HINGE,
    LIMITS,
    M_KIND,
    POLE,
)
from supple.kernels.quaternion import (
    about,
    add,
    axpy,
    cross,
    dot,
    load3,
    mul,
    norm,
    normalized,
    put4,
    rotate,
    scale,
    sub,
    take4,
    unit,
    unrotate,
)
from supple.solvers.ccd_turns import best_angle
from supple.solvers.limb import limb_parts, point_joint, pole_point, turn_of
from supple.solvers.limb_bends import (
    FAINT,
    ball_bend,
    hinge_angles,
    hinge_bend,
    hinge_reach,
    hinge_waves,
    inside_turns,
    pointing,
    rotate_any,
    size_of,
    softened,
    spin_to,
    spun_into_cone,
)


@kernel
def close_limb(moving, moving_f, blocks, states, effectors, limb, soften, elbow):
    """Bend the limb and point it at its target.

    Returns the point it went for, in the world: the target, or short of it if it is soft.
    """
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    wish = unrotate(pre, sub(load3(effectors, 0, E_TARGET), base))
    hand = unrotate(between_them, upper)  # the upper bone as the middle joint sees it
    root, middle = moving[0, M_KIND], moving[1, M_KIND]
    if root == HINGE and middle == HINGE:
        wish = _close_planar(
            moving, moving_f, blocks, states, effectors, limb, wish, hand, soften, elbow
        )
        return add(base, rotate(pre, wish))
    if root == HINGE:
        wish = _close_circle(moving, moving_f, blocks, states, effectors, limb, wish, soften, elbow)
        return add(base, rotate(pre, wish))
    distance = size_of(wish)
    if middle == HINGE:
        axis = load3(moving_f, 1, AXIS)
        low, high = moving_f[1, LIMITS], moving_f[1, LIMITS + 1]
        a, k2, k3 = hinge_waves(hand, lower, axis)
        if soften < 1.0:
            d = softened(distance, hinge_reach(a, k2, k3, low, high), soften)
            wish, distance = scale(wish, d / distance if distance > 0.0 else 1.0), d
        limb[4] = hinge_bend(a, k2, k3, distance, low, high, limb[4], elbow)
        bend = about(axis, limb[4])
        bone = rotate(bend, lower)
        span = size_of(add(hand, bone))
    else:
        if soften < 1.0:
            d = softened(distance, norm(upper) + norm(lower), soften)
            wish, distance = scale(wish, d / distance if distance > 0.0 else 1.0), d
        bend, bone, span = ball_bend(hand, lower, turn_of(moving, moving_f, limb, 1), distance)
        if middle == CONE:
            bend = spun_into_cone(
                hand, bend, load3(moving_f, 1, AXIS),
                moving_f[1, LIMITS + 1], moving_f[1, LIMITS + 2], moving_f[1, LIMITS + 3],
            )  # fmt: skip
            bone = rotate(bend, lower)
            span = size_of(add(hand, bone))
        put4(limb, 4, bend)
    old = turn_of(moving, moving_f, limb, 0)
    reached = add(upper, rotate(between_them, bone))
    new = mul(pointing(rotate(old, reached), wish, span * distance), old)
    if distance > 0.0 and blocks.shape[0] > 1:
        for g in range(1, blocks.shape[0]):
            if blocks[g, B_KIND] == POLE:
                wanted = unrotate(pre, sub(load3(effectors, g, E_TARGET), base))
                point = rotate_any(new, pole_point(blocks, states, effectors, g, bend))
                new = mul(spin_to(scale(wish, 1.0 / distance), point, wanted), new)
    new = normalized(new)
    put4(limb, 0, new)
    if root == CONE and middle == HINGE:
        point_joint(moving, moving_f, 0, limb, rotate(new, reached), wish)
    elif root == CONE:
        point_joint(moving, moving_f, 0, limb, rotate(new, reached), wish)
        arm = rotate(take4(limb, 0), reached)
        if size_of(cross(arm, wish)) <= 1e-9 * span * distance and dot(arm, wish) >= 0.0:
            return add(base, rotate(pre, wish))
        # Spun about the reach line into the cone and clamped; what that twists, the middle joint makes good.
        new = spun_into_cone(
            wish, new, load3(moving_f, 0, AXIS),
            moving_f[0, LIMITS + 1], moving_f[0, LIMITS + 2], moving_f[0, LIMITS + 3],
        )  # fmt: skip
        put4(limb, 0, new)
        rest = unrotate(between_them, sub(unrotate(new, wish), upper))
        point_joint(moving, moving_f, 1, limb, bone, rest)
    return add(base, rotate(pre, wish))


@kernel
def _close_planar(moving, moving_f, blocks, states, effectors, limb, wish, hand, soften, elbow):
    """Two hinges with parallel axes: the triangle in their plane, both elbows, limits on both.

    Returns the softened wish.
    """
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    axis, other = load3(moving_f, 0, AXIS), load3(moving_f, 1, AXIS)
    low, high = moving_f[0, LIMITS], moving_f[0, LIMITS + 1]
    y_here, x_here = limb[0], limb[4]
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
                here = (
                    c * math.cos(y_here) + s * math.sin(y_here),
                    s * math.cos(y_here) - c * math.sin(y_here),
                )
                y = y_here + best_angle(here[0], here[1], low - y_here, high - y_here)
        turn = about(axis, y)
        miss = sub(rotate(turn, arm), flat)
        miss = axpy(miss, -dot(miss, axis), axis)
        far = norm(miss)
        # Of two that arrive: the wanted elbow, or the one on the pole's side, or the nearest.
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
    limb[4] = min(max(best_x, x_low), x_high)
    limb[0] = min(max(best_y, low), high)
    return axpy(flat, across, axis)


@kernel
def _close_circle(moving, moving_f, blocks, states, effectors, limb, wish, soften, elbow):
    """A hinge above a joint that points: it brings the middle to the right distance from the target.

    Returns the softened wish.
    """
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    axis = load3(moving_f, 0, AXIS)
    low, high = moving_f[0, LIMITS], moving_f[0, LIMITS + 1]
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
            gain = dot(side, rotate(about(axis, plus), upper)) - dot(
                side, rotate(about(axis, minus), upper)
            )
            elbow = 1.0 if gain > 0.0 else -1.0
    limb[0] = hinge_bend(a, k2, k3, norm(lower), low, high, limb[0], elbow)
    want = unrotate(between_them, sub(unrotate(about(axis, limb[0]), wish), upper))
    point_joint(moving, moving_f, 1, limb, rotate(turn_of(moving, moving_f, limb, 1), lower), want)
    return wish
