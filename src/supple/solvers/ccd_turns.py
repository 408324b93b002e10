"""The best turn of one joint while all others stand still: the closed forms that CCD is made of.

With one joint turning the effector runs on an arc, and its cost (that of `residual.residuals`) has
one of two shapes:

* About one axis: a constant less c cos x + s sin x. This is the objective of Wang & Chen (1991) in
  Welman's form, k1 (1 - cos x) + k2 cos x + k3 sin x, with c = k2 - k1 and s = k3. Its best place
  inside limits is the peak, if a whole number of turns brings it inside, else the better end.
* Over all turns, as unit quaternions u: a constant less u.K.u. K has a plane of equal eigenvectors,
  the turns that point the tip at the target, and one direction more, the turn that meets the
  orientation. The best turn lies between the two, at an angle that one arctangent gives.

Wang & Chen compare orientations by 1 - cos of the angle x between them, which flattens out at half
a turn; the cost counts x^2 / 2. Their term is used with the factor x / sin x: both then have the
same slope here, and the same curvature once they meet. As this is no upper bound, a turn that
serves an orientation is tried, and halved if it fails.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.limits import TURN
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
    rotate,
    scale,
    sub,
    unit,
)

HALVINGS = 6
STEEPEST = 8.0  # the greatest x / sin x
FAINT = 1e-14  # an arm this small against the distances at play has no direction


@kernel
def cost_at(tip, turn, target, goal, near, facing):
    """The cost of a tip at a point and with a turn.

    `near` and `facing` weigh the squares of the distance and of the angle.
    """
    miss = sub(target, tip)
    cost = 0.5 * near * dot(miss, miss)
    if facing > 0.0:
        error = log(mul(goal, conj(turn)))
        cost += 0.5 * facing * dot(error, error)
    return cost


@kernel
def best_angle(c, s, low, high):
    """Where c cos x + s sin x is greatest in [low, high], a range that holds 0.

    Of equal places the one nearer to 0.
    """
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
    """How much x / sin x is for an error of angle x, up to a bound: see the module's text."""
    w = abs(error[0])
    s = math.sqrt(error[1] * error[1] + error[2] * error[2] + error[3] * error[3])
    sine = 2.0 * s * w
    x = 2.0 * math.atan2(s, w)
    if x < 1e-4:
        return 1.0
    return x / sine if x < STEEPEST * sine else STEEPEST


@kernel
def axis_turn(place, axis, tip, turn, target, goal, near, facing, low, high, weight):
    """The best angle in [low, high] about an axis through a place, times a weight; 0 if none helps."""
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
    """The best turn of all, a unit quaternion, in the frame of arm, wish and error.

    The arm should point along the wish, and the effector still has to turn by the error.
    """
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
        outside[0] * outside[0]
        + outside[1] * outside[1]
        + outside[2] * outside[2]
        + outside[3] * outside[3]
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
