"""The limb that everybody has: two free balls, with a pole or without.

What `limb_close` does, with everything that only depends on the bones and on the start worked out
before, as a *stance*: how long the bones are, in which plane the start bends, where it has the bones.
A target then goes straight from its row into a row of output. Everything is seen from the root
joint's place, in the frame just before the root turns, as in `limb`. What is unusual, a target at the
root or behind it, is left to `limb_close`, and so is everything that is not reached.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_MOVE,
    BALL,
    E_P0,
    M_KIND,
    M_Q,
    POLE,
    S_P0,
    S_PRE,
)
from supple.kernels.quaternion import (
    add,
    axpy,
    cross,
    dot,
    load3,
    load4,
    mul,
    normalized,
    perpendicular,
    put4,
    rotate,
    scale,
    sub,
    take4,
    unrotate,
)
from supple.solvers.limb_bends import FAINT, angle_about, half_turn, rotate_any, size_of, spin_to

(
    LONGEST, NEAREST, A, B, SHARE,  # sum and difference of the bones, the bones, 1 / (2 a b)
    COSINE, SINE,  # of the start's bend
    AXIS,  # about which the middle joint bends, in its rest frame
    RAISED,  # where the start has the middle joint
    AHEAD, ASIDE,  # where the start has the unit vectors that the lower bone is made of
    BASE, UPPER, LOWER,  # the root joint's place, and the bones at rest
    ROOT, MIDDLE,  # the start's turns
    PRE, BETWEEN,  # the turns before the root joint and before the middle joint
) = 0, 1, 2, 3, 4, 5, 6, 7, 10, 13, 16, 19, 22, 25, 28, 32, 36, 40  # fmt: skip
STANCE = 44  # numbers


@kernel
def fits(moving, blocks, states, effectors):
    """Whether a limb is two balls with two bones, its pole's point the middle joint."""
    if moving[0, M_KIND] != BALL or moving[1, M_KIND] != BALL or blocks.shape[0] > 2:
        return False
    if size_of(load3(states, 1, S_P0)) == 0.0 or size_of(load3(effectors, 0, E_P0)) == 0.0:
        return False
    if blocks.shape[0] == 1:
        return True
    point = load3(effectors, 1, E_P0)
    middle = blocks[1, B_MOVE] == 1 and point[0] == point[1] == point[2] == 0.0
    return blocks[1, B_KIND] == POLE and middle


@kernel
def take3(flat, i):
    """The vector at i.. of a flat array."""
    return (flat[i], flat[i + 1], flat[i + 2])


@kernel
def put3(flat, i, v):
    """Put a vector at i.. of a flat array."""
    flat[i], flat[i + 1], flat[i + 2] = v


@kernel
def take_stance(moving, states, effectors, q, stance):
    """Work out a stance from a folded problem and a start q, its turns of length one."""
    upper, lower = load3(states, 1, S_P0), load3(effectors, 0, E_P0)
    between_them = load4(states, 1, S_PRE)
    root, middle = take4(q, moving[0, M_Q]), take4(q, moving[1, M_Q])
    a, b = size_of(upper), size_of(lower)
    stance[LONGEST], stance[NEAREST] = a + b, abs(a - b)
    stance[A], stance[B], stance[SHARE] = a, b, 0.5 / (a * b)
    ahead = scale(unrotate(between_them, upper), 1.0 / a)
    bone = scale(rotate(middle, lower), 1.0 / b)
    cosine = dot(bone, ahead)
    side = axpy(bone, -cosine, ahead)
    sine = size_of(side)
    side = scale(side, 1.0 / sine) if sine > FAINT else perpendicular(ahead)
    stance[COSINE], stance[SINE] = cosine, sine
    there = mul(root, between_them)
    put3(stance, AXIS, cross(ahead, side))
    put3(stance, RAISED, rotate(root, upper))
    put3(stance, AHEAD, rotate(there, ahead))
    put3(stance, ASIDE, rotate(there, side))
    put3(stance, BASE, load3(states, 0, S_P0))
    put3(stance, UPPER, upper)
    put3(stance, LOWER, lower)
    put4(stance, ROOT, root)
    put4(stance, MIDDLE, middle)
    put4(stance, PRE, load4(states, 0, S_PRE))
    put4(stance, BETWEEN, between_them)


@kernel
def is_none(turn):
    """Whether a turn is no turn at all."""
    return turn[1] == turn[2] == turn[3] == 0.0


@kernel
def close_balls(stance, target, pole, has_pole):
    """Bend and point the limb of a stance at a target, its middle joint towards a pole.

    Returns whether that could be done, the two turns, how far the effector is from the target, and
    by what angle the middle joint misses the pole's half plane.
    """
    base, pre = take3(stance, BASE), take4(stance, PRE)
    root, bend = take4(stance, ROOT), take4(stance, MIDDLE)
    wish = sub(target, base)
    pole = sub(pole, base)
    if not is_none(pre):
        wish, pole = unrotate(pre, wish), unrotate(pre, pole)
    distance = size_of(wish)
    # The bend, as in `limb_bends.ball_bend`.
    a, b, share = stance[A], stance[B], stance[SHARE]
    longest, nearest = stance[LONGEST], stance[NEAREST]
    span = min(max(distance, nearest), longest)
    c = ((span - a) * (span + a) - b * b) * share
    s = share * math.sqrt(
        max(0.0, (longest - span) * (longest + span) * (span - a + b) * (span + a - b))
    )
    axis = take3(stance, AXIS)
    cosine, sine = c * stance[COSINE] + s * stance[SINE], s * stance[COSINE] - c * stance[SINE]
    bend = normalized(mul(half_turn(axis, 1.0, cosine, sine), bend))
    # The least turn that points the bent limb at its target, then a turn about the line to it.
    raised = take3(stance, RAISED)
    arm = axpy(axpy(raised, b * c, take3(stance, AHEAD)), b * s, take3(stance, ASIDE))
    inner, across = dot(arm, wish), cross(arm, wish)
    sizes = span * distance
    if not inner > -0.99 * sizes:
        return False, root, bend, math.inf, 0.0
    turn = (sizes + inner, across[0], across[1], across[2])
    if has_pole:
        line = scale(wish, 1.0 / distance)
        turn = mul(spin_to(line, rotate_any(turn, raised), pole), turn)
    turn = normalized(mul(turn, root))
    # How near that comes.
    between_them = take4(stance, BETWEEN)
    middle = rotate(turn, take3(stance, UPPER))
    second = turn if is_none(between_them) else mul(turn, between_them)
    tip = add(middle, rotate(mul(second, bend), take3(stance, LOWER)))
    angle = angle_about(tip, middle, pole) if has_pole else 0.0
    return True, turn, bend, size_of(sub(wish, tip)), angle
