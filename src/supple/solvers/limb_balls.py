"""The limb that everybody has: two free balls, with a pole or without.

What `limb_close` does, with everything that only depends on the bones and on the start worked out
before, as a *stance*: how long the bones are, in which plane the start bends, where it has the bones.
Many targets are then worked on together, in *lanes*, without a branch: four at a time where the
processor can. Everything is seen from the root joint's place, in the frame just before the root
turns, as in `limb`. What is unusual, a target at the root or behind it, is left to `limb_close`, and
so is everything that is not reached.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_MOVE,
    B_TARGET,
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
from supple.solvers.limb_bends import FAINT, half_turn, off_line, rotate_any, size_of

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

LANES = 32  # targets that are worked on together, a number of all of them after another
(
    WISH, POLE_AT,  # the target and the pole
    ROOT_TURN, BEND,  # the answer
    MISS,  # how far the effector is from its target
    POLE_SINE, POLE_COSINE,  # of the angle by which the middle joint misses the pole, times some size
    DONE,  # above zero if the closed form holds
) = 0, 3 * LANES, 6 * LANES, 10 * LANES, 14 * LANES, 15 * LANES, 16 * LANES, 17 * LANES  # fmt: skip
ALL_LANES = 18 * LANES  # numbers


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
def seen_from_root(stance, targets, t, at):
    """The point in columns at.. of row t of the targets."""
    point = sub((targets[t, at], targets[t, at + 1], targets[t, at + 2]), take3(stance, BASE))
    pre = take4(stance, PRE)
    return point if pre[1] == pre[2] == pre[3] == 0.0 else unrotate(pre, point)


@kernel
def fill_lanes(stance, blocks, targets, first, count, lanes):
    """Put targets and poles into lanes, those of problem `first` and on; one row may serve all."""
    for i in range(count):
        t = first + i if targets.shape[0] > 1 else 0
        wish = seen_from_root(stance, targets, t, blocks[0, B_TARGET])
        pole = wish
        if blocks.shape[0] > 1:
            pole = seen_from_root(stance, targets, t, blocks[1, B_TARGET])
        for k in range(3):
            lanes[WISH + k * LANES + i] = wish[k]
            lanes[POLE_AT + k * LANES + i] = pole[k]


@kernel
def read_lane(lanes, i, near, errors):
    """What came out in lane i: whether the target is reached, and the turns of root and middle.

    Fills the errors of the blocks.
    """
    errors[0] = lanes[MISS + i]
    if errors.shape[0] > 1:
        s, c = lanes[POLE_SINE + i], lanes[POLE_COSINE + i]
        # The arctangent of next to nothing, without the call.
        errors[1] = s / c if s < 1e-6 * c else math.atan2(s, c)
    reached = lanes[DONE + i] > 0.0 and errors[0] <= near
    return reached, take_lane(lanes, ROOT_TURN + i), take_lane(lanes, BEND + i)


@kernel
def take_lane(lanes, at):
    """The turn in a lane."""
    return (lanes[at], lanes[at + LANES], lanes[at + 2 * LANES], lanes[at + 3 * LANES])


@kernel
def put_lane(lanes, at, turn):
    """Put a turn into a lane."""
    lanes[at] = turn[0]
    lanes[at + LANES] = turn[1]
    lanes[at + 2 * LANES] = turn[2]
    lanes[at + 3 * LANES] = turn[3]


@kernel
def close_balls(stance, lanes, count, has_pole):
    """Bend and point the limb of a stance at the targets in the lanes, the middle joint to a pole.

    The same arithmetic for each, without a branch, so that the compiler does several at a time.
    Fills the lanes from ROOT_TURN on. What is not DONE is left to others: a target at the root or
    behind it.
    """
    a, b, share = stance[A], stance[B], stance[SHARE]
    longest, nearest = stance[LONGEST], stance[NEAREST]
    start_cosine, start_sine = stance[COSINE], stance[SINE]
    axis, raised = take3(stance, AXIS), take3(stance, RAISED)
    ahead, aside = take3(stance, AHEAD), take3(stance, ASIDE)
    upper, lower = take3(stance, UPPER), take3(stance, LOWER)
    root, middle = take4(stance, ROOT), take4(stance, MIDDLE)
    between_them = take4(stance, BETWEEN)
    for i in range(count):
        wish = (lanes[WISH + i], lanes[WISH + LANES + i], lanes[WISH + 2 * LANES + i])
        pole = (lanes[POLE_AT + i], lanes[POLE_AT + LANES + i], lanes[POLE_AT + 2 * LANES + i])
        distance = size_of(wish)
        # The bend, as in `limb_bends.ball_bend`.
        span = min(max(distance, nearest), longest)
        c = ((span - a) * (span + a) - b * b) * share
        s = share * math.sqrt(
            max(0.0, (longest - span) * (longest + span) * (span - a + b) * (span + a - b))
        )
        cosine, sine = c * start_cosine + s * start_sine, s * start_cosine - c * start_sine
        bend = normalized(mul(half_turn(axis, 1.0, cosine, sine), middle))
        # The least turn that points the bent limb at its target, then a turn about the line to it.
        arm = axpy(axpy(raised, b * c, ahead), b * s, aside)
        inner, across = dot(arm, wish), cross(arm, wish)
        sizes = span * distance
        turn = (sizes + inner, across[0], across[1], across[2])
        if has_pole:
            line = scale(wish, 1.0 / distance)
            point = rotate_any(turn, raised)
            reached, wanted = off_line(line, point), off_line(line, pole)
            c, s = dot(reached, wanted), dot(line, cross(reached, wanted))
            spin = half_turn(line, math.sqrt(c * c + s * s), c, s)
            # A point on the line itself asks for nothing.
            over = dot(reached, reached) - FAINT * FAINT * dot(point, point)
            off = min(over, dot(wanted, wanted) - FAINT * FAINT * dot(pole, pole)) > 0.0
            w = spin[0] if off else 1.0
            v = 1.0 if off else 0.0
            turn = mul((w, v * spin[1], v * spin[2], v * spin[3]), turn)
        turn = normalized(mul(turn, root))
        # How near that comes.
        elbow = rotate(turn, upper)
        tip = add(elbow, rotate(mul(mul(turn, between_them), bend), lower))
        square = dot(tip, tip)
        put_lane(lanes, ROOT_TURN + i, turn)
        put_lane(lanes, BEND + i, bend)
        lanes[MISS + i] = size_of(sub(wish, tip))
        lanes[POLE_SINE + i] = abs(math.sqrt(square) * dot(tip, cross(elbow, pole)))
        lanes[POLE_COSINE + i] = square * dot(elbow, pole) - dot(elbow, tip) * dot(pole, tip)
        lanes[DONE + i] = inner + 0.99 * sizes
