"""Closed forms for arms of six hinges: a wrist whose axes meet, or three parallel axes.

At its zero angles an arm is six axes h1 ... h6 with a point on each. A target frame of the effector
gives the rotation of the last link, M, and the position of each of its points. Everything then follows
from one equation, solved repeatedly (Paden 1986 named such steps subproblems):

    a . R(k, x) b = d,   which holds at two angles x, at none, or at all.

* *Three parallel axes* (2, 3 and 4, with 5 and 6 meeting, as in the arms of Universal Robots): seen
  along h2, rotations about 2, 3 and 4 have no effect, so that the point where 5 and 6 meet gives
  joint 1 and the direction of h6 gives joint 5; joint 6 and the sum of 2, 3 and 4 follow, and 2 and 3
  are a limb of two bones.
* *A wrist* (4, 5 and 6 meet in a point): the first three joints bring that point to its position. If 2
  and 3 are parallel, h2 gives joint 1 as above and 2 and 3 are a limb; if 1 and 2 meet, the distance
  from there gives joint 3. The last three then rotate the hand.

There are at most eight answers; of those inside the limits the one nearest to the start is taken. A
joint that a singular pose leaves open keeps its angle.
"""

import math
from typing import NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel
from supple.kernels.joint import inside_turns
from supple.kernels.quaternion import sine_cosine

HINGE_COUNT = 6
NO_FORM, PARALLEL, WRIST_LIMB, WRIST_MEETING = range(4)
AXIS, POINT = 0, 3  # columns of a joint's row: its axis, a point on it
ROW_FLOATS = 6


class Tuning(NamedTuple):
    """The tuned numbers of these closed forms. Where no source is given, none is recorded.

    Attributes:
        meeting_tolerance: Axes with a smaller sine (in `meeting`, a smaller squared sine) between them are parallel,
            and axes nearer to each other than this meet [of the arm's length].
        cosine_excess: By how much rounding may take a cosine beyond +-1.
        open_sine: An angle between two vectors about an axis is left open if the product of their sines to that axis
            is not above this.
    """

    meeting_tolerance: float = 1e-9
    cosine_excess: float = 1e-12
    open_sine: float = 1e-10


TUNING = Tuning()


@kernel
def spin(k, x, v):
    """A vector rotated about the unit axis k by the angle x."""
    s, c = sine_cosine(x)
    along = quat.dot(k, v) * (1.0 - c)
    side = quat.cross(k, v)
    return (
        c * v[0] + s * side[0] + along * k[0],
        c * v[1] + s * side[1] + along * k[1],
        c * v[2] + s * side[2] + along * k[2],
    )


@kernel
def angle_to(k, a, b, otherwise):
    """The angle about k that rotates a into the half plane of k and b; `otherwise` if it is left open."""
    s, c = quat.dot(k, quat.cross(a, b)), quat.dot(a, b) - quat.dot(k, a) * quat.dot(k, b)
    if s * s + c * c <= TUNING.open_sine * TUNING.open_sine * quat.dot(a, a) * quat.dot(b, b):
        return otherwise
    return math.atan2(s, c)


@kernel
def two_angles(a, k, b, d, otherwise):
    """The two angles x with a . R(k, x) b = d; infinite if there is none, `otherwise` if all hold."""
    s, c = quat.dot(a, quat.cross(k, b)), quat.dot(a, b) - quat.dot(a, k) * quat.dot(k, b)
    size = math.sqrt(s * s + c * c)
    rest = d - quat.dot(a, k) * quat.dot(k, b)
    whole = quat.norm(a) * quat.norm(b)
    if size <= TUNING.open_sine * whole:
        return (
            (otherwise, otherwise)
            if abs(rest) <= TUNING.cosine_excess * whole
            else (math.inf, math.inf)
        )
    if abs(rest) > size + TUNING.cosine_excess * whole:
        return math.inf, math.inf
    middle = math.atan2(s, c)
    aside = math.acos(min(max(rest / size, -1.0), 1.0))
    return middle + aside, middle - aside


@kernel
def meeting(arm, i, j):
    """The point where two axes meet, and the distance between them; infinite if they are parallel."""
    h, k = quat.load3(arm, i, AXIS), quat.load3(arm, j, AXIS)
    between = quat.sub(quat.load3(arm, j, POINT), quat.load3(arm, i, POINT))
    normal = quat.cross(h, k)
    square = quat.dot(normal, normal)
    if square < TUNING.meeting_tolerance:
        return quat.load3(arm, i, POINT), math.inf
    along = quat.dot(quat.cross(between, k), normal) / square
    return quat.axpy(quat.load3(arm, i, POINT), along, h), abs(
        quat.dot(between, normal)
    ) / math.sqrt(square)


@kernel
def parallel(arm, i, j):
    """True if two axes are parallel, in the same or in opposite directions."""
    return (
        quat.norm(quat.cross(quat.load3(arm, i, AXIS), quat.load3(arm, j, AXIS)))
        <= TUNING.meeting_tolerance
    )


@kernel
def place_axes(problem, frames, arm):
    """Fill the rows of the six joints, at zero angles, in the world.

    Returns the last joint's rotation and position there, and the summed length of all steps.
    """
    joints = frames.joints
    turn, place = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    length = 0.0
    for k in range(HINGE_COUNT):
        step = quat.load3(joints, k, layout.S_P0)
        length += quat.norm(step)
        place = quat.add(place, quat.rotate(turn, step))
        turn = quat.mul(turn, quat.load4(joints, k, layout.S_PRE))
        quat.store3(arm, k, AXIS, quat.rotate(turn, quat.load3(problem.moving_f, k, layout.AXIS)))
        quat.store3(arm, k, POINT, place)
    return turn, place, length


@kernel
def form_of(arm, near):
    """The closed form that fits; moves the points of axes that meet, within `near`, to where they meet."""
    last, miss = meeting(arm, 4, 5)
    if miss > near:
        return NO_FORM
    if parallel(arm, 1, 2) and parallel(arm, 2, 3):
        quat.store3(arm, 4, POINT, last)
        return PARALLEL
    offset = quat.sub(last, quat.load3(arm, 3, POINT))
    if quat.norm(quat.cross(offset, quat.load3(arm, 3, AXIS))) > near:
        return NO_FORM
    quat.store3(arm, 4, POINT, last)
    if parallel(arm, 1, 2):
        return WRIST_LIMB
    first, miss = meeting(arm, 0, 1)
    if miss > near:
        return NO_FORM
    quat.store3(arm, 0, POINT, first)
    quat.store3(arm, 1, POINT, first)
    return WRIST_MEETING


@kernel
def keep_nearest(problem, start, angles, low, q):
    """Write six angles into q if they are inside the limits and nearer to the start than `low`.

    Returns the squared distance of the angles in q.
    """
    moving, moving_f = problem.moving, problem.moving_f
    far = 0.0
    for k in range(HINGE_COUNT):
        here = start[moving[k, layout.M_Q]]
        x = inside_turns(
            angles[k],
            moving_f[k, layout.LIMITS],
            moving_f[k, layout.LIMITS + 1],
            here,
        )
        far += (x - here) * (x - here)
        if not far < low:
            return low
    for k in range(HINGE_COUNT):
        i = moving[k, layout.M_Q]
        q[i] = inside_turns(
            angles[k],
            moving_f[k, layout.LIMITS],
            moving_f[k, layout.LIMITS + 1],
            start[i],
        )
    return far


@kernel
def limb_angles(arm, wanted, i, otherwise):
    """The two angles of joint i + 1, parallel to joint i, at which the limb is as long as the vector `wanted`.

    All vectors are projected along the axes; the angles are about the axis of joint i. Returns the projected bones too.
    """
    h = quat.load3(arm, i, AXIS)
    upper = quat.sub(quat.load3(arm, i + 1, POINT), quat.load3(arm, i, POINT))
    lower = quat.sub(quat.load3(arm, i + 2, POINT), quat.load3(arm, i + 1, POINT))
    upper, lower = (
        quat.axpy(upper, -quat.dot(upper, h), h),
        quat.axpy(lower, -quat.dot(lower, h), h),
    )
    wanted = quat.axpy(wanted, -quat.dot(wanted, h), h)
    d = 0.5 * (quat.dot(wanted, wanted) - quat.dot(upper, upper) - quat.dot(lower, lower))
    first, second = two_angles(upper, h, lower, d, otherwise)
    return first, second, upper, lower


@kernel
def by_parallel_axes(problem, arm, M, hand, start, q):
    """Put the nearest answer of an arm whose axes 2, 3 and 4 are parallel into q; False if there is none."""
    moving = problem.moving
    h1, h, h5, h6 = (
        quat.load3(arm, 0, AXIS),
        quat.load3(arm, 1, AXIS),
        quat.load3(arm, 4, AXIS),
        quat.load3(arm, 5, AXIS),
    )
    same3, same4 = quat.dot(h, quat.load3(arm, 2, AXIS)), quat.dot(h, quat.load3(arm, 3, AXIS))
    base, shoulder, wrist = (
        quat.load3(arm, 0, POINT),
        quat.load3(arm, 1, POINT),
        quat.load3(arm, 4, POINT),
    )
    to_shoulder, last = quat.sub(shoulder, base), quat.sub(wrist, quat.load3(arm, 3, POINT))
    reach = quat.sub(hand, base)
    side = quat.perpendicular(h)
    low = math.inf
    x1, other1 = two_angles(
        h, h1, reach, quat.dot(h, quat.sub(wrist, base)), -start[moving[0, layout.M_Q]]
    )
    for i in range(2):
        if x1 == math.inf:
            break
        x1 = x1 if i == 0 else other1
        # With joint 1 rotated back: the hand and the direction of h6 that joints 2 to 6 have to produce.
        seen = spin(h1, x1, reach)
        tool = spin(h1, x1, quat.rotate(M, h6))
        x5, other5 = two_angles(h, h5, h6, quat.dot(h, tool), start[moving[4, layout.M_Q]])
        for j in range(2):
            if x5 == math.inf:
                break
            x5 = x5 if j == 0 else other5
            x6 = angle_to(
                h6,
                quat.unrotate(M, spin(h1, -x1, h)),
                spin(h5, -x5, h),
                start[moving[5, layout.M_Q]],
            )
            back = spin(h6, -x6, spin(h5, -x5, side))
            sum234 = angle_to(h, side, spin(h1, x1, quat.rotate(M, back)), 0.0)
            wanted = quat.sub(quat.sub(seen, to_shoulder), spin(h, sum234, last))
            x3, other3, upper, lower = limb_angles(
                arm, wanted, 1, same3 * start[moving[2, layout.M_Q]]
            )
            for n in range(2):
                if x3 == math.inf:
                    break
                x3 = x3 if n == 0 else other3
                x2 = angle_to(
                    h,
                    quat.add(upper, spin(h, x3, lower)),
                    wanted,
                    start[moving[1, layout.M_Q]],
                )
                angles = (-x1, x2, same3 * x3, same4 * (sum234 - x2 - x3), x5, x6)
                low = keep_nearest(problem, start, angles, low, q)
    return low < math.inf


@kernel
def by_wrist(problem, arm, M, x1, x2, x3, start, low, q):
    """Keep the nearest answer of a wrist's last three joints for the given first three; returns its distance."""
    moving = problem.moving
    h1, h2, h3 = quat.load3(arm, 0, AXIS), quat.load3(arm, 1, AXIS), quat.load3(arm, 2, AXIS)
    h4, h5, h6 = quat.load3(arm, 3, AXIS), quat.load3(arm, 4, AXIS), quat.load3(arm, 5, AXIS)
    tool = spin(h3, -x3, spin(h2, -x2, spin(h1, -x1, quat.rotate(M, h6))))
    side = quat.perpendicular(h6)
    turned = spin(h3, -x3, spin(h2, -x2, spin(h1, -x1, quat.rotate(M, side))))
    x5, other5 = two_angles(h4, h5, h6, quat.dot(h4, tool), start[moving[4, layout.M_Q]])
    for j in range(2):
        if x5 == math.inf:
            break
        x5 = x5 if j == 0 else other5
        x4 = angle_to(h4, spin(h5, x5, h6), tool, start[moving[3, layout.M_Q]])
        x6 = angle_to(h6, side, spin(h5, -x5, spin(h4, -x4, turned)), 0.0)
        low = keep_nearest(problem, start, (x1, x2, x3, x4, x5, x6), low, q)
    return low


@kernel
def by_limb(problem, arm, M, hand, start, q):
    """Put the nearest answer of an arm with a wrist whose axes 2 and 3 are parallel into q; False if there is none."""
    moving = problem.moving
    h1, h = quat.load3(arm, 0, AXIS), quat.load3(arm, 1, AXIS)
    same3 = quat.dot(h, quat.load3(arm, 2, AXIS))
    base, wrist = quat.load3(arm, 0, POINT), quat.load3(arm, 4, POINT)
    to_shoulder, reach = quat.sub(quat.load3(arm, 1, POINT), base), quat.sub(hand, base)
    quat.store3(arm, 3, POINT, wrist)
    low = math.inf
    x1, other1 = two_angles(
        h, h1, reach, quat.dot(h, quat.sub(wrist, base)), -start[moving[0, layout.M_Q]]
    )
    for i in range(2):
        if x1 == math.inf:
            break
        x1 = x1 if i == 0 else other1
        wanted = quat.sub(spin(h1, x1, reach), to_shoulder)
        x3, other3, upper, lower = limb_angles(arm, wanted, 1, same3 * start[moving[2, layout.M_Q]])
        for n in range(2):
            if x3 == math.inf:
                break
            x3 = x3 if n == 0 else other3
            x2 = angle_to(
                h, quat.add(upper, spin(h, x3, lower)), wanted, start[moving[1, layout.M_Q]]
            )
            low = by_wrist(problem, arm, M, -x1, x2, same3 * x3, start, low, q)
    return low < math.inf


@kernel
def by_distance(problem, arm, M, hand, start, q):
    """Put the nearest answer of an arm with a wrist whose axes 1 and 2 meet into q; False if there is none."""
    moving = problem.moving
    h1, h2, h3 = quat.load3(arm, 0, AXIS), quat.load3(arm, 1, AXIS), quat.load3(arm, 2, AXIS)
    base, elbow, wrist = (
        quat.load3(arm, 0, POINT),
        quat.load3(arm, 2, POINT),
        quat.load3(arm, 4, POINT),
    )
    upper, lower, reach = quat.sub(elbow, base), quat.sub(wrist, elbow), quat.sub(hand, base)
    d = 0.5 * (quat.dot(reach, reach) - quat.dot(upper, upper) - quat.dot(lower, lower))
    low = math.inf
    x3, other3 = two_angles(upper, h3, lower, d, start[moving[2, layout.M_Q]])
    for n in range(2):
        if x3 == math.inf:
            break
        x3 = x3 if n == 0 else other3
        arm_line = quat.add(upper, spin(h3, x3, lower))
        x1, other1 = two_angles(
            h2, h1, reach, quat.dot(h2, arm_line), -start[moving[0, layout.M_Q]]
        )
        for i in range(2):
            if x1 == math.inf:
                break
            x1 = x1 if i == 0 else other1
            x2 = angle_to(h2, arm_line, spin(h1, x1, reach), start[moving[1, layout.M_Q]])
            low = by_wrist(problem, arm, M, -x1, x2, x3, start, low, q)
    return low < math.inf


@kernel
def solve_exactly(problem, frames, start, arm, q):
    """Put the nearest answer inside the limits into q; False, with q unchanged, if there is none.

    For an arm of six hinges that `hinges.fits`, and an effector with a position and an orientation.
    """
    effectors = frames.effectors
    at = 0 if problem.blocks[0, layout.B_KIND] == layout.POSITION else 1
    turn, place, length = place_axes(problem, frames, arm)
    form = form_of(
        arm, TUNING.meeting_tolerance * (length + quat.norm(quat.load3(effectors, at, layout.E_P0)))
    )
    if form == NO_FORM:
        return False
    # The effector at zero angles; then the rotation of its link and the position of the wrist at the target.
    place = quat.add(place, quat.rotate(turn, quat.load3(effectors, at, layout.E_P0)))
    turn = quat.mul(turn, quat.load4(effectors, 1 - at, layout.E_ROT))
    M = quat.mul(quat.load4(effectors, 1 - at, layout.E_TARGET), quat.conj(turn))
    hand = quat.sub(
        quat.load3(effectors, at, layout.E_TARGET),
        quat.rotate(M, quat.sub(place, quat.load3(arm, 4, POINT))),
    )
    if form == PARALLEL:
        return by_parallel_axes(problem, arm, M, hand, start, q)
    if form == WRIST_LIMB:
        return by_limb(problem, arm, M, hand, start, q)
    return by_distance(problem, arm, M, hand, start, q)
