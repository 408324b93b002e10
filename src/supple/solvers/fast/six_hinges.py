"""Closed forms for arms of six hinges: a wrist whose axes meet, or three parallel axes.

Seen at its zero angles an arm is six axes h1 ... h6 with a point on each. A wanted frame of the
effector says how the last link must be turned, M, and where any point of it must be. Everything
then follows from one equation, solved over and over (Paden 1986 named such steps subproblems):

    a . R(k, x) b = d,   at two angles x, at none, or at all.

* *Three parallel axes* (2, 3 and 4, with 5 and 6 meeting, as in the arms of Universal Robots): seen
  along h2, turns about 2, 3 and 4 do nothing, so that the place where 5 and 6 meet gives joint 1 and
  the direction of h6 gives joint 5; joint 6 and the sum of 2, 3 and 4 follow, and 2 and 3 are a limb
  of two bones.
* *A wrist* (4, 5 and 6 meet in a point): the first three joints bring that point to its place. If 2
  and 3 are parallel, h2 tells joint 1 as above and 2 and 3 are a limb; if 1 and 2 meet, the distance
  from there tells joint 3. The last three then turn the hand.

Of at most eight answers the one nearest to the start that is inside the limits is taken. A joint
that a singular pose leaves open stays as it is.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel
from supple.kernels.joint import inside_turns
from supple.kernels.quaternion import sine_cosine

COUNT = 6
NO_FORM, PARALLEL, WRIST_LIMB, WRIST_MEETING = range(4)
H, P = 0, 3  # columns of a joint's row: its axis, a point on it
ROW = 6
LINE = 1e-9  # sines and distances, in sizes of the arm, below which axes are parallel or meet
SURE = 1e-12  # how far beyond +-1 a cosine may be by rounding
OPEN = 1e-10  # the sine below which an angle is left open


@kernel
def spin(k, x, v):
    """A vector turned about the unit axis k by the angle x."""
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
    """The turn about k that takes a into the half plane of k and b."""
    s, c = quat.dot(k, quat.cross(a, b)), quat.dot(a, b) - quat.dot(k, a) * quat.dot(k, b)
    if s * s + c * c <= OPEN * OPEN * quat.dot(a, a) * quat.dot(b, b):
        return otherwise
    return math.atan2(s, c)


@kernel
def two_angles(a, k, b, d, otherwise):
    """The two angles x with a . R(k, x) b = d; the first infinite if there is none."""
    s, c = quat.dot(a, quat.cross(k, b)), quat.dot(a, b) - quat.dot(a, k) * quat.dot(k, b)
    size = math.sqrt(s * s + c * c)
    rest = d - quat.dot(a, k) * quat.dot(k, b)
    whole = quat.norm(a) * quat.norm(b)
    if size <= OPEN * whole:
        return (otherwise, otherwise) if abs(rest) <= SURE * whole else (math.inf, math.inf)
    if abs(rest) > size + SURE * whole:
        return math.inf, math.inf
    middle = math.atan2(s, c)
    aside = math.acos(min(max(rest / size, -1.0), 1.0))
    return middle + aside, middle - aside


@kernel
def meeting(arm, i, j):
    """Where two axes meet, and by how far they miss each other; infinitely if they are parallel."""
    h, k = quat.load3(arm, i, H), quat.load3(arm, j, H)
    between = quat.sub(quat.load3(arm, j, P), quat.load3(arm, i, P))
    normal = quat.cross(h, k)
    square = quat.dot(normal, normal)
    if square < LINE:
        return quat.load3(arm, i, P), math.inf
    along = quat.dot(quat.cross(between, k), normal) / square
    return quat.axpy(quat.load3(arm, i, P), along, h), abs(quat.dot(between, normal)) / math.sqrt(
        square
    )


@kernel
def parallel(arm, i, j):
    """True if two axes point the same way or opposite ways."""
    return quat.norm(quat.cross(quat.load3(arm, i, H), quat.load3(arm, j, H))) <= LINE


@kernel
def stretch_out(problem, frames, arm):
    """Fill the rows of the six joints, at zero angles, in the world.

    Returns the last joint's turn and place there, and the length of all steps together.
    """
    joints = frames.joints
    turn, place = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    length = 0.0
    for k in range(COUNT):
        step = quat.load3(joints, k, layout.S_P0)
        length += quat.norm(step)
        place = quat.add(place, quat.rotate(turn, step))
        turn = quat.mul(turn, quat.load4(joints, k, layout.S_PRE))
        quat.store3(arm, k, H, quat.rotate(turn, quat.load3(problem.moving_f, k, layout.AXIS)))
        quat.store3(arm, k, P, place)
    return turn, place, length


@kernel
def form_of(arm, near):
    """Which closed form fits; of axes that meet, within `near`, the points are put where they do."""
    last, miss = meeting(arm, 4, 5)
    if miss > near:
        return NO_FORM
    if parallel(arm, 1, 2) and parallel(arm, 2, 3):
        quat.store3(arm, 4, P, last)
        return PARALLEL
    offset = quat.sub(last, quat.load3(arm, 3, P))
    if quat.norm(quat.cross(offset, quat.load3(arm, 3, H))) > near:
        return NO_FORM
    quat.store3(arm, 4, P, last)
    if parallel(arm, 1, 2):
        return WRIST_LIMB
    first, miss = meeting(arm, 0, 1)
    if miss > near:
        return NO_FORM
    quat.store3(arm, 0, P, first)
    quat.store3(arm, 1, P, first)
    return WRIST_MEETING


@kernel
def offer(problem, start, angles, low, q):
    """Put six angles into q if they are inside the limits and nearer to the start than `low`.

    Returns the squared distance of what q has.
    """
    moving, moving_f = problem.moving, problem.moving_f
    far = 0.0
    for k in range(COUNT):
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
    for k in range(COUNT):
        i = moving[k, layout.M_Q]
        q[i] = inside_turns(
            angles[k],
            moving_f[k, layout.LIMITS],
            moving_f[k, layout.LIMITS + 1],
            start[i],
        )
    return far


@kernel
def bent(arm, wanted, i, otherwise):
    """The two angles of joint i + 1, parallel to joint i, for which the limb is as long as the vector wanted.

    All is seen along the axes; the angles count about joint i's.
    """
    h = quat.load3(arm, i, H)
    upper = quat.sub(quat.load3(arm, i + 1, P), quat.load3(arm, i, P))
    lower = quat.sub(quat.load3(arm, i + 2, P), quat.load3(arm, i + 1, P))
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
    """The nearest answer of an arm whose axes 2, 3 and 4 are parallel; whether there is one."""
    moving = problem.moving
    h1, h, h5, h6 = (
        quat.load3(arm, 0, H),
        quat.load3(arm, 1, H),
        quat.load3(arm, 4, H),
        quat.load3(arm, 5, H),
    )
    same3, same4 = quat.dot(h, quat.load3(arm, 2, H)), quat.dot(h, quat.load3(arm, 3, H))
    base, shoulder, wrist = quat.load3(arm, 0, P), quat.load3(arm, 1, P), quat.load3(arm, 4, P)
    to_shoulder, last = quat.sub(shoulder, base), quat.sub(wrist, quat.load3(arm, 3, P))
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
        # The first joint turned back, h1 upright again: what is left for joints 2 to 6 to do.
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
            x3, other3, upper, lower = bent(arm, wanted, 1, same3 * start[moving[2, layout.M_Q]])
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
                low = offer(problem, start, angles, low, q)
    return low < math.inf


@kernel
def with_hand(problem, arm, M, x1, x2, x3, start, low, q):
    """Turn the last three joints of a wrist for given first three; the lowest distance so far."""
    moving = problem.moving
    h1, h2, h3 = quat.load3(arm, 0, H), quat.load3(arm, 1, H), quat.load3(arm, 2, H)
    h4, h5, h6 = quat.load3(arm, 3, H), quat.load3(arm, 4, H), quat.load3(arm, 5, H)
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
        low = offer(problem, start, (x1, x2, x3, x4, x5, x6), low, q)
    return low


@kernel
def by_limb(problem, arm, M, hand, start, q):
    """The nearest answer of an arm with a wrist whose axes 2 and 3 are parallel."""
    moving = problem.moving
    h1, h = quat.load3(arm, 0, H), quat.load3(arm, 1, H)
    same3 = quat.dot(h, quat.load3(arm, 2, H))
    base, wrist = quat.load3(arm, 0, P), quat.load3(arm, 4, P)
    to_shoulder, reach = quat.sub(quat.load3(arm, 1, P), base), quat.sub(hand, base)
    quat.store3(arm, 3, P, wrist)
    low = math.inf
    x1, other1 = two_angles(
        h, h1, reach, quat.dot(h, quat.sub(wrist, base)), -start[moving[0, layout.M_Q]]
    )
    for i in range(2):
        if x1 == math.inf:
            break
        x1 = x1 if i == 0 else other1
        wanted = quat.sub(spin(h1, x1, reach), to_shoulder)
        x3, other3, upper, lower = bent(arm, wanted, 1, same3 * start[moving[2, layout.M_Q]])
        for n in range(2):
            if x3 == math.inf:
                break
            x3 = x3 if n == 0 else other3
            x2 = angle_to(
                h, quat.add(upper, spin(h, x3, lower)), wanted, start[moving[1, layout.M_Q]]
            )
            low = with_hand(problem, arm, M, -x1, x2, same3 * x3, start, low, q)
    return low < math.inf


@kernel
def by_distance(problem, arm, M, hand, start, q):
    """The nearest answer of an arm with a wrist whose axes 1 and 2 meet."""
    moving = problem.moving
    h1, h2, h3 = quat.load3(arm, 0, H), quat.load3(arm, 1, H), quat.load3(arm, 2, H)
    base, elbow, wrist = quat.load3(arm, 0, P), quat.load3(arm, 2, P), quat.load3(arm, 4, P)
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
            low = with_hand(problem, arm, M, -x1, x2, x3, start, low, q)
    return low < math.inf


@kernel
def solve_exactly(problem, frames, start, arm, q):
    """Put the nearest answer inside the limits into q; False, with q as it was, if there is none.

    For an arm of six hinges, as `hinges.fits` says, and an effector with a position and an orientation.
    """
    effectors = frames.effectors
    at = 0 if problem.blocks[0, layout.B_KIND] == layout.POSITION else 1
    turn, place, length = stretch_out(problem, frames, arm)
    form = form_of(arm, LINE * (length + quat.norm(quat.load3(effectors, at, layout.E_P0))))
    if form == NO_FORM:
        return False
    # The effector at zero angles, and how its link is turned and where the wrist is when it is met.
    place = quat.add(place, quat.rotate(turn, quat.load3(effectors, at, layout.E_P0)))
    turn = quat.mul(turn, quat.load4(effectors, 1 - at, layout.E_ROT))
    M = quat.mul(quat.load4(effectors, 1 - at, layout.E_TARGET), quat.conj(turn))
    hand = quat.sub(
        quat.load3(effectors, at, layout.E_TARGET),
        quat.rotate(M, quat.sub(place, quat.load3(arm, 4, P))),
    )
    if form == PARALLEL:
        return by_parallel_axes(problem, arm, M, hand, start, q)
    if form == WRIST_LIMB:
        return by_limb(problem, arm, M, hand, start, q)
    return by_distance(problem, arm, M, hand, start, q)
