"""Restarts after a stall: the seeds, the choice among them, and when an answer from one replaces the best so far.

Seed n sets freedom j to the fraction (n * 2^((j+1)/(D+1))) mod 1 of its range: a Kronecker
sequence with Niederreiter's generators, the same on every machine. Joints without limits range over a
full turn, or over as many as the joints that copy them need to make one.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, entry, kernel, leaf
from supple.kernels.joint import follow, has_quaternion, number_count, project, slides, tilted
from supple.kernels.problem import evaluate, unpack
from supple.kernels.quadrants import quadrants_of, rim
from supple.kernels.workspace import copy

# Seeds --------------------------------------------------------------------------------------------

# Half-width of the window of a slide without limits [characteristic lengths]; not tuned.
SLIDE_WINDOW = 1.0


class Window(NamedTuple):
    """Where ranges without limits are searched.

    Around the best pose so far, whose slides are near the targets even if the start was far away; or,
    for slides, around 0.
    """

    centre: Any  # (Q,)
    wide: float  # slides are searched this far to both sides of 0; 0: around the centre instead


@leaf
def fraction(n, j, freedoms):
    """Coordinate j of the n-th point of the sequence, in [0, 1)."""
    x = n * math.pow(2.0, (j + 1.0) / (freedoms + 1.0))
    return x - math.floor(x)


@leaf
def at_fraction(low, high, u, here, slack):
    """The fraction u of a range; without limits, of a window of half-width `slack` around `here`.

    A negative slack extends the window to the one around 0: if the copies of an angle turn at rates without
    a common period, every turn has different poses, and those near rest are wanted.
    """
    if math.isfinite(low) and math.isfinite(high):
        return low + u * (high - low)
    first, last = here - abs(slack), here + abs(slack)
    if slack < 0.0:
        first, last = min(first, slack), max(last, -slack)
    if math.isfinite(low) and first < low:
        first, last = low, low + (last - first)
    if math.isfinite(high) and last > high:
        first, last = high - (last - first), high
    return first + u * (last - first)


@leaf
def open_slide(problem, low, high, u, here, wide):
    """The fraction u of a slide's range; without limits, of a window around `here`, or a wide one around 0."""
    if wide > 0.0:
        return at_fraction(low, high, u, 0.0, wide)
    return at_fraction(low, high, u, here, SLIDE_WINDOW * problem.length)


@leaf
def _seed_in_cone(problem, k, u, v, w, spread):
    """The point (u, v, w) of a joint's limits of swing and twist, scaled by `spread` about their middle."""
    moving_f = problem.moving_f
    low, high = moving_f[k, layout.LIMITS + 2], moving_f[k, layout.LIMITS + 3]
    middle = 0.5 * (low + high)
    twist = middle + spread * (at_fraction(low, high, w, 0.0, math.pi) - middle)
    around = 2.0 * math.pi * v
    if problem.moving[k, layout.M_KIND] & layout.QUADRANTS != 0:
        return _seed_in_quadrants(moving_f, k, math.sqrt(u) * spread, around, twist)
    axis = quat.load3(moving_f, k, layout.AXIS)
    side = quat.perpendicular(axis)
    side = quat.axpy(quat.scale(side, math.cos(around)), math.sin(around), quat.cross(axis, side))
    swing = math.sqrt(u) * spread * moving_f[k, layout.LIMITS + 1]
    return quat.mul(quat.about(side, swing), quat.about(axis, twist))


@cold
def _seed_in_quadrants(floats, i, level, around, twist):
    """The rotation at a level of the four-half-angle limits in float row i, at an angle of their ellipse."""
    quadrants = quadrants_of(floats, i)
    a, b = rim(quadrants, around)
    return tilted(quadrants, level * a, level * b, twist)


@leaf
def _seed_turn(u, v, w, spread):
    """The point (u, v, w) of all rotations: by up to spread * pi, about axes distributed evenly."""
    z = 2.0 * u - 1.0
    ring = math.sqrt(max(0.0, 1.0 - z * z))
    size = spread * math.pi * math.pow(w, 1.0 / 3.0)
    around = 2.0 * math.pi * v
    axis = (ring * math.cos(around), ring * math.sin(around), z)
    return quat.exp(quat.scale(axis, size))


@kernel
def seed(problem, n, spread, start, window, out):
    """Write seed n into out: every joint at the fraction `spread` (0..1) from the start to a point of the sequence."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        # A mimic joint follows the joint it copies; only its stretch is free.
        kind = layout.FIXED if moving[k, layout.M_MIMIC] >= 0 else moving[k, layout.M_KIND]
        at = moving[k, layout.M_Q]
        d = moving[k, layout.M_DOF]
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            low, high = (
                moving_f[k, layout.LIMITS + 2 * i],
                moving_f[k, layout.LIMITS + 2 * i + 1],
            )
            u, here = fraction(n, d, problem.freedoms), window.centre[at + i]
            if slides(kind, i):
                goal = open_slide(problem, low, high, u, here, window.wide)
            else:
                goal = at_fraction(low, high, u, here, moving_f[k, layout.WINDOW])
            out[at + i] = start[at + i] + spread * (goal - start[at + i])
            d += 1
        if has_quaternion(kind):
            at += number_count(kind)
            u = fraction(n, d, problem.freedoms)
            v = fraction(n, d + 1, problem.freedoms)
            w = fraction(n, d + 2, problem.freedoms)
            if kind & layout.SWING_TWIST != 0:
                turn = _seed_in_cone(problem, k, u, v, w, spread)
            else:
                turn = quat.mul(_seed_turn(u, v, w, spread), quat.take4(start, at))
            quat.put4(out, at, quat.normalized(turn))
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            low, high = (
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
            goal = at_fraction(
                low,
                high,
                fraction(n, moving[k, layout.M_STRETCH_DOF], problem.freedoms),
                1.0,
                0.5,
            )
            out[at] = start[at] + spread * (goal - start[at])
    follow(problem, out)


@entry("i1 f1 f1 f2")
def spread_seeds(ints, floats, start, poses):
    """Overwrite the rows of poses, shape (B, Q), copies of the start, with seeds over the whole ranges."""
    problem = unpack(ints, floats)
    for b in range(poses.shape[0]):
        seed(problem, b + 1, 1.0, start, Window(start, 0.0), poses[b])


# The choice of a seed, and when its answer counts -------------------------------------------------

# A pose from another seed replaces one that misses its goals only below this fraction of its cost: 0.9 of its
# distance. Not tuned.
CLEAR_COST_RATIO = 0.81
# Where the target is surely out of reach, it must come nearer by this much [characteristic lengths]: the least
# possible cost may be large there, and a fraction of it would be a large distance. Not tuned.
WORTH_JUMPING = 0.01
# A descent that lowers the distance to the targets by more than this did not begin at an answer to about the same
# targets [characteristic lengths]. If targets move by 0.01, the next answer lowers it by less than 0.02.
COLD_START_GAIN = 0.05


class Seeds(NamedTuple):
    """The seeds to look at."""

    first: int  # index of the first
    size: int  # how many
    spread: float  # how far they lie from the start, 0 to 1


@kernel
def clearly_better(cost, best, elsewhere):
    """True if a cost is below the best so far; clearly below if its descent began at a seed."""
    return cost < best * (CLEAR_COST_RATIO if elsewhere else 1.0)


@leaf
def _distance(cost):
    """Root of the sum of squares of the residual rows, in characteristic lengths."""
    return math.sqrt(2.0 * cost)


@kernel
def clearly_nearer(cost, best):
    """`clearly_better` of an answer from a seed, for a target that is surely out of reach."""
    return _distance(cost) < _distance(best) - WORTH_JUMPING


@kernel
def began_cold(first, cost):
    """True if a descent from the cost `first` to `cost` did not begin at an answer to about the same targets."""
    return _distance(cost) < _distance(first) - COLD_START_GAIN


@kernel
def best_seed(problem, frames, seeds, start, window, trial, q):
    """Write into q the seed that is nearest to the goals; `trial` is a buffer for a pose."""
    low = math.inf
    copy(start, trial)
    for n in range(seeds.first, seeds.first + seeds.size):
        seed(problem, n, seeds.spread, start, window, trial)
        project(problem, trial)
        cost = evaluate(problem, frames, trial)
        if cost < low:
            low = cost
            copy(trial, q)
