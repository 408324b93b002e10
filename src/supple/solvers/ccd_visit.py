"""One CCD sweep: every joint of a chain in turn does the best it can for the effector.

The effector's point and turn are carried along: a joint that turns by R about its place p takes the
point e to p + R (e - p). So a visit costs the same whatever hangs below, a sweep is linear in the
joints, and the frames of the chain are computed once a sweep: before it when going from the tip to
the root (what is above a joint has not moved yet), on the way when going from the root to the tip.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXES,
    AXIS,
    AXIS_U,
    B_KIND,
    B_WEIGHT,
    BALL,
    CONE,
    DAMPING,
    E_P1,
    E_POS,
    E_TARGET,
    E_WROT,
    FREE,
    HINGE,
    LIMITS,
    M_FROZEN,
    M_KIND,
    M_NQ,
    M_ORDER,
    M_Q,
    M_STRETCH_Q,
    ORIENTATION,
    PLANAR,
    POSITION,
    S_P1,
    S_POS,
    S_W,
    S_WPRE,
    SLIDER,
    STRETCH_HI,
    STRETCH_LO,
    WEIGHT,
)
from supple.kernels.limits import clamped_cone
from supple.kernels.quaternion import (
    IDENTITY,
    about,
    add,
    axpy,
    between,
    conj,
    cross,
    dot,
    exp,
    letter_axis,
    load3,
    load4,
    log,
    mul,
    norm,
    normalized,
    perpendicular,
    put4,
    rotate,
    scale,
    sub,
    take4,
    turn_about_letter,
    unit,
    unrotate,
)
from supple.kernels.record import record_turn
from supple.kernels.tangent import project
from supple.kernels.tree import joint_turn, place
from supple.solvers.ccd_cones import cone_turn, creep
from supple.solvers.ccd_turns import HALVINGS, axis_turn, ball_turn, cost_at, part_of

ENOUGH = 0.99  # a cone that lowers the cost to this need not look all around
KICK = 0.05  # how far every joint is bent where no single one can help [rad]


@kernel
def _clamped(value, low, high):
    return min(max(value, low), high)


@kernel
def _turn_number(moving_f, k, q, at, i, here, axis, tip, turn, target, goal, near, facing, cap):
    """Turn coordinate at + i of joint k, about a world axis through here, to its best place."""
    low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
    old = q[at + i]
    angle = axis_turn(
        here, axis, tip, turn, target, goal, near, facing,
        max(low - old, -cap), min(high - old, cap), moving_f[k, WEIGHT],
    )  # fmt: skip
    if angle == 0.0:
        return tip, turn
    q[at + i] = _clamped(old + angle, low, high)
    way = about(axis, q[at + i] - old)
    return add(here, rotate(way, sub(tip, here))), mul(way, turn)


@kernel
def _slide_number(moving_f, k, q, at, i, axis, tip, target, cap):
    """Slide coordinate at + i of joint k along a world axis to its best place; returns by how much."""
    low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
    old = q[at + i]
    change = _clamped(moving_f[k, WEIGHT] * dot(axis, sub(target, tip)), -cap, cap)
    q[at + i] = _clamped(old + change, low, high)
    return q[at + i] - old


@kernel
def _turn_quaternion(
    kind, moving_f, k, q, at, pre, here, tip, turn, target, goal, near, facing, cap
):
    """Turn a ball, a cone or the turning part of a free joint; its quaternion stands at `at`."""
    arm = unrotate(pre, sub(tip, here))
    wish = unrotate(pre, sub(target, here))
    error = IDENTITY
    if facing > 0.0:
        error = mul(mul(conj(pre), mul(goal, conj(turn))), pre)
    old = take4(q, at)
    axis = load3(moving_f, k, AXIS)
    swing, low, high = moving_f[k, LIMITS + 1], moving_f[k, LIMITS + 2], moving_f[k, LIMITS + 3]
    before = cost_at(tip, turn, target, goal, near, facing)
    least, new_tip, new_turn = before, tip, turn
    for attempt in range(3):
        if attempt == 2:
            if facing == 0.0 or least < before:
                break
            free = True
            step = mul(
                creep(old, axis, swing, low, high, arm, wish, error, near, facing), conj(old)
            )
        elif kind == CONE:
            best, free = cone_turn(
                old, axis, swing, low, high, arm, wish, error, near, facing, attempt == 1
            )
            step = mul(best, conj(old))
        else:
            free = True
            step = ball_turn(arm, wish, error, near, facing)
        step = part_of(step, moving_f[k, WEIGHT], cap)
        for _ in range(HALVINGS):
            new = normalized(mul(step, old))
            if kind == CONE:
                new = clamped_cone(new, axis, swing, low, high)
                step = mul(new, conj(old))
            world = mul(mul(pre, step), conj(pre))
            moved = add(here, rotate(world, sub(tip, here)))
            turned = mul(world, turn)
            cost = cost_at(moved, turned, target, goal, near, facing)
            if cost < least:
                put4(q, at, new)
                least, new_tip, new_turn = cost, moved, turned
                break
            step = part_of(step, 0.5, math.inf)
        if free or least < ENOUGH * before:
            break
    return new_tip, new_turn


@kernel
def _move_free(
    moving_f, k, q, at, pre, here, tip, turn, target, goal, near, facing, cap, slide_cap
):
    """Turn and shift a free joint: straight to the goals, or one after the other if it is slowed."""
    weight = moving_f[k, WEIGHT]
    if facing > 0.0:
        error = mul(goal, conj(turn))
        moved = add(here, rotate(error, sub(tip, here)))
        shift = norm(sub(target, moved)) if near > 0.0 else 0.0
        if weight == 1.0 and norm(log(error)) <= cap and shift <= slide_cap:
            error = mul(mul(conj(pre), error), pre)
            put4(q, at + 3, normalized(mul(error, take4(q, at + 3))))
            tip, turn = moved, goal
        else:
            tip, turn = _turn_quaternion(
                FREE, moving_f, k, q, at + 3, pre, here, tip, turn, target, goal, near, facing, cap
            )
    if near > 0.0:
        way = scale(sub(target, tip), weight)
        size = norm(way)
        if size > slide_cap:
            way = scale(way, slide_cap / size)
        tip = add(tip, way)
        way = unrotate(pre, way)
        for i in range(3):
            q[at + i] += way[i]
    return tip, turn


@kernel
def visit(
    moving, moving_f, effectors, states, k, q,
    tip, turn, target, goal, near, facing, length, damping, upward,
):  # fmt: skip
    """Move joint k as best it can; returns the effector's new point and turn."""
    kind = moving[k, M_KIND]
    at = moving[k, M_Q]
    pre = load4(states, k, S_WPRE)
    here = load3(states, k, S_POS)
    cap = min(moving_f[k, DAMPING], damping)
    slide_cap = min(moving_f[k, DAMPING], damping * length)
    if kind == BALL and facing == 0.0:
        way = part_of(between(sub(tip, here), sub(target, here)), moving_f[k, WEIGHT], cap)
        put4(q, at, normalized(mul(conj(pre), mul(way, load4(states, k, S_W)))))
        tip = add(here, rotate(way, sub(tip, here)))
    elif kind == BALL or kind == CONE:
        tip, turn = _turn_quaternion(
            kind, moving_f, k, q, at, pre, here, tip, turn, target, goal, near, facing, cap
        )
    elif kind == HINGE:
        axis = rotate(pre, load3(moving_f, k, AXIS))
        tip, turn = _turn_number(
            moving_f, k, q, at, 0, here, axis, tip, turn, target, goal, near, facing, cap
        )
    elif kind == AXES:
        order = moving[k, M_ORDER]
        for n in range(3):
            i = 2 - n if upward else n
            code = (order >> (2 * i)) & 3
            if code == 3 or (moving[k, M_FROZEN] >> i) & 1 == 1:
                continue
            frame = pre
            for j in range(i):
                frame = mul(frame, turn_about_letter((order >> (2 * j)) & 3, q[at + j]))
            axis = rotate(frame, letter_axis(code))
            tip, turn = _turn_number(
                moving_f, k, q, at, i, here, axis, tip, turn, target, goal, near, facing, cap
            )
    elif kind == SLIDER:
        if near > 0.0:
            axis = rotate(pre, load3(moving_f, k, AXIS))
            tip = axpy(
                tip, _slide_number(moving_f, k, q, at, 0, axis, tip, target, slide_cap), axis
            )
    elif kind == PLANAR:
        normal = load3(moving_f, k, AXIS)
        if near > 0.0:
            side = load3(moving_f, k, AXIS_U)
            for i in range(2):
                axis = rotate(pre, side if i == 0 else cross(normal, side))
                change = _slide_number(moving_f, k, q, at, i, axis, tip, target, slide_cap)
                tip = axpy(tip, change, axis)
                here = axpy(here, change, axis)
        axis = rotate(pre, normal)
        tip, turn = _turn_number(
            moving_f, k, q, at, 2, here, axis, tip, turn, target, goal, near, facing, cap
        )
    elif kind == FREE:
        tip, turn = _move_free(
            moving_f, k, q, at, pre, here, tip, turn, target, goal, near, facing, cap, slide_cap
        )
    stretch = moving[k, M_STRETCH_Q]
    if stretch >= 0 and near > 0.0:
        below = load3(states, k + 1, S_P1) if k + 1 < moving.shape[0] else load3(effectors, 0, E_P1)
        world = mul(pre, joint_turn(kind, moving[k, M_ORDER], moving_f, k, q, at))
        below = rotate(world, below)
        size = dot(below, below)
        if size > 0.0:
            change = moving_f[k, WEIGHT] * dot(below, sub(target, tip)) / size
            old = q[stretch]
            value = old + _clamped(change, -cap, cap)
            q[stretch] = _clamped(value, moving_f[k, STRETCH_LO], moving_f[k, STRETCH_HI])
            tip = axpy(tip, q[stretch] - old, below)
    return tip, turn


@kernel
def sweep(
    moving, moving_f, blocks, blocks_f, effectors, states, q, before, length, radian,
    damping, upward, events, event, iteration,
):  # fmt: skip
    """Visit every joint once, from q = before, evaluated; returns the next event.

    The frames in `states` are used up.
    """
    near, facing = 0.0, 0.0
    tip, turn = load3(effectors, 0, E_POS), load4(effectors, 0, E_WROT)
    target, goal = tip, turn
    for g in range(blocks.shape[0]):
        weight = blocks_f[g, B_WEIGHT]
        if blocks[g, B_KIND] == POSITION:
            near = (weight / length) * (weight / length)
            target = load3(effectors, g, E_TARGET)
        elif blocks[g, B_KIND] == ORIENTATION:
            facing = (weight * radian) * (weight * radian)
            goal = load4(effectors, g, E_TARGET)
    count = moving.shape[0]
    for i in range(count):
        k = count - 1 - i if upward else i
        if not upward:
            place(moving, moving_f, q, states, k)
        tip, turn = visit(
            moving, moving_f, effectors, states, k, q,
            tip, turn, target, goal, near, facing, length, damping, upward,
        )  # fmt: skip
        if not upward:
            place(moving, moving_f, q, states, k)
        event = record_turn(events, event, iteration, moving, k, before, q)
    return event


@kernel
def _grown(change, gain, cap):
    """A change with `gain` times as much added, but no larger than the cap."""
    size = abs(change)
    return change * min(1.0 + gain, max(1.0, cap / size)) if size > 0.0 else change


@kernel
def go_on(moving, moving_f, old, new, gain, damping, length, out):
    """Go on as from old to new, `gain` times as far again, inside limits and caps."""
    for k in range(moving.shape[0]):
        kind = moving[k, M_KIND]
        at = moving[k, M_Q]
        cap = min(moving_f[k, DAMPING], damping)
        slide_cap = min(moving_f[k, DAMPING], damping * length)
        numbers = moving[k, M_NQ]
        if kind == BALL or kind == CONE or kind == FREE:
            numbers = 3 if kind == FREE else 0
            i = at + numbers
            step = log(mul(take4(new, i), conj(take4(old, i))))
            angle = norm(step)
            if angle > 0.0:
                step = scale(step, _grown(angle, gain, cap) / angle)
                put4(out, i, normalized(mul(exp(step), take4(old, i))))
        for i in range(numbers):
            slides = kind == SLIDER or kind == FREE or (kind == PLANAR and i < 2)
            change = _grown(new[at + i] - old[at + i], gain, slide_cap if slides else cap)
            out[at + i] = old[at + i] + change
        stretch = moving[k, M_STRETCH_Q]
        if stretch >= 0:
            out[stretch] = old[stretch] + _grown(new[stretch] - old[stretch], gain, cap)
    project(moving, moving_f, out)


@kernel
def kick(moving, moving_f, blocks, effectors, states, q, damping):
    """Bend every joint of q, evaluated, a little, all to one side, inside limits and caps."""
    side = perpendicular((1.0, 0.0, 0.0))
    if blocks[0, B_KIND] == POSITION:
        way = unit(sub(load3(effectors, 0, E_TARGET), load3(states, 0, S_POS)))
        if norm(way) > 0.5:
            side = perpendicular(way)
    for k in range(moving.shape[0]):
        kind = moving[k, M_KIND]
        at = moving[k, M_Q]
        size = min(KICK, moving_f[k, DAMPING], damping)
        if kind == BALL or kind == CONE:
            axis = unrotate(load4(states, k, S_WPRE), side)
            put4(q, at, normalized(mul(about(axis, size), take4(q, at))))
        elif kind == HINGE or kind == AXES or kind == PLANAR:
            for i in range(2 if kind == PLANAR else 0, moving[k, M_NQ]):
                if kind == AXES and (moving[k, M_FROZEN] >> i) & 1 == 1:
                    continue
                inside = q[at + i] + size <= moving_f[k, LIMITS + 2 * i + 1]
                q[at + i] += size if inside else -size
    project(moving, moving_f, q)
