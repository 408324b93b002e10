"""How far a chain can reach, and proofs that a target is out of reach.

`span` bounds the distance of an effector from where its chain begins by the lengths of its bones alone.

`proven_out` looks at joint limits too: every joint's origin stays within an interval of distances from
the origin of the topmost joint of its chain. The interval grows from joint to joint by the triangle
inequality, by single bones and, across a hinge with its limits, by pairs of bones (|c + R(q) b|^2 =
C + D cos(q - p)); the tighter counts. A position out of its interval is out of reach. A position *and*
orientation of one effector fix the last joint's frame too, and if that is a hinge, its parent's origin
to an arc: both have intervals of their own. For an arm of seven hinges this proves nine of ten poses
that are out of reach. What is proven is so; what is not proven may be out of reach all the same.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import slide_count

FAR = 1e300
ON_AXIS = 1e-9  # an arm that leaves a hinge's axis by less than this part of its length is on it
ROUNDING = 1e-9  # of the distances compared
TURN = 2.0 * math.pi


@leaf
def _moves(problem, k, fixed, slack):
    """True if moving joint k can move a point that it carries at `fixed` plus stretched `slack`.

    Both are in its frame. A hinge does not move what is on its axis.
    """
    moving = problem.moving
    kind = moving[k, layout.M_KIND]
    if slide_count(kind) > 0:
        return True
    if moving[k, layout.M_STRETCH_DOF] >= 0 and quat.norm(slack) > 0.0:
        return True
    if kind == layout.FIXED:
        return False
    size = quat.norm(fixed)
    across = (
        quat.norm(quat.cross(quat.load3(problem.moving_f, k, layout.AXIS), fixed))
        if kind == layout.HINGE
        else size
    )
    return across > ON_AXIS * size


@leaf
def _farthest_slide(problem, k):
    """A bound of how far joint k slides away from its rest; none (FAR) along several axes."""
    count = slide_count(problem.moving[k, layout.M_KIND])
    if count != 1:
        return FAR if count > 1 else 0.0
    low, high = problem.moving_f[k, layout.LIMITS], problem.moving_f[k, layout.LIMITS + 1]
    return max(abs(low), abs(high))


@kernel
def chain_base(problem, frames, g):
    """Moving joint at which the chain of block g begins, and the joint to which its root is an axle.

    The chain begins at its root; but if the root cannot move the next joint's origin (an arm on a
    turntable whose axis passes through the shoulder), there, and the root is an axle: that joint is
    the second number, else -1. Joints at the same place count as one. The first is -1 if nothing
    moves the block.
    """
    moving = problem.moving
    joints = frames.joints
    k = base = problem.blocks[g, layout.B_MOVE]
    while k >= 0 and moving[k, layout.M_PARENT] >= 0:
        parent = moving[k, layout.M_PARENT]
        kind = moving[k, layout.M_KIND]
        fixed = quat.load3(joints, k, layout.S_P0)
        stays = slide_count(kind) == 0 and not _moves(
            problem, parent, fixed, quat.load3(joints, k, layout.S_P1)
        )
        same = stays and quat.norm(fixed) == 0.0
        if stays and not same and moving[parent, layout.M_PARENT] < 0:
            return base, k
        if not same:
            base = parent
        k = parent
    return base, -1


@kernel
def _pivot(problem, frames, g, base):
    """The last point of the chain of block g that its root, a hinge, leaves in place: in the root's frame.

    Joints that do not move in this solve and stand on the hinge's axis are left in place by it. The root's own
    origin, if there is none, or if the chain does not begin at its root.
    """
    origin = (0.0, 0.0, 0.0)
    moving, active = problem.moving, problem.active
    if moving[base, layout.M_PARENT] >= 0 or moving[base, layout.M_KIND] != layout.HINGE:
        return origin
    a, k = problem.blocks[g, layout.B_JOINT], problem.blocks[g, layout.B_MOVE]
    while k != base:
        a = active[moving[k, layout.M_ACTIVE], layout.A_PARENT]
        k = moving[k, layout.M_PARENT]
    point, found = origin, False
    while a != moving[base, layout.M_ACTIVE]:
        fixed = quat.load3(frames.folded, a, 4)
        if _moves(problem, base, fixed, quat.load3(frames.folded, a, 7)):
            point, found = origin, False
        elif not found:
            point, found = fixed, True
        a = active[a, layout.A_PARENT]
    return point


@kernel
def span(problem, frames, g):
    """How near and how far block g can ever be from where its chain begins.

    Limits of turns are not looked at, so that beyond these bounds a target is surely out of reach;
    within them it may be. A block that nothing moves has no span.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints, effectors = frames.joints, frames.effectors
    k = problem.blocks[g, layout.B_MOVE]
    base, carried = chain_base(problem, frames, g)
    pivot = (0.0, 0.0, 0.0)
    if k >= 0 and carried < 0:
        pivot = _pivot(problem, frames, g, base)
    fixed, slack = (
        quat.load3(effectors, g, layout.E_P0),
        quat.load3(effectors, g, layout.E_P1),
    )
    longest = 0.0
    widest = 0.0
    loose = False
    while k >= 0:
        if k == base:
            fixed = quat.sub(fixed, pivot)
        bone = quat.norm(fixed)
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            bone += quat.norm(slack) * moving_f[k, layout.STRETCH_HI]
            loose = True
        longest += bone
        widest = max(widest, bone)
        kind = moving[k, layout.M_KIND]
        if slide_count(kind) > 0:
            longest += _farthest_slide(problem, k)
            loose = True
        if k == base:
            break
        fixed, slack = (
            quat.load3(joints, k, layout.S_P0),
            quat.load3(joints, k, layout.S_P1),
        )
        k = moving[k, layout.M_PARENT]
    nearest = 0.0 if loose else max(0.0, 2.0 * widest - longest)
    return nearest, min(longest, FAR)


@kernel
def base_point(problem, frames, g):
    """World position at which the chain of block g, moved by something, begins.

    The same in every pose; a slider's before it slides. The states need not be placed.
    """
    moving = problem.moving
    joints = frames.joints
    base, carried = chain_base(problem, frames, g)
    first = base
    while moving[base, layout.M_PARENT] >= 0:
        base = moving[base, layout.M_PARENT]
    point = quat.load3(joints, base, layout.S_P0)
    # Along the root's axis: the same before and after its turn.
    if carried >= 0:
        along = quat.load3(joints, carried, layout.S_P0)
    else:
        along = _pivot(problem, frames, g, first)
    if along[0] != 0.0 or along[1] != 0.0 or along[2] != 0.0:
        point = quat.add(point, quat.rotate(quat.load4(joints, base, layout.S_PRE), along))
    return point


@kernel
def gap(problem, frames, g):
    """How far the target of block g is from where its chain begins."""
    effectors = frames.effectors
    base = quat.load3(effectors, g, layout.E_POS)
    if problem.blocks[g, layout.B_MOVE] >= 0:
        base = base_point(problem, frames, g)
    return quat.norm(quat.sub(quat.load3(effectors, g, layout.E_TARGET), base))


@kernel
def out_of_reach(problem, frames):
    """True if some position is surely out of reach."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            nearest, longest = span(problem, frames, g)
            distance = gap(problem, frames, g)
            if (
                max(distance - longest, nearest - distance)
                > problem.blocks_f[g, layout.B_TOLERANCE]
            ):
                return True
    return False


@kernel
def farthest(problem, frames):
    """The greatest distance of a target from where its chain begins."""
    blocks = problem.blocks
    effectors = frames.effectors
    most = 0.0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION or blocks[g, layout.B_KIND] == layout.LOOKAT:
            k = blocks[g, layout.B_MOVE]
            base = quat.load3(effectors, g, layout.E_POS)
            while k >= 0:
                base = quat.load3(
                    frames.joints, k, layout.S_P0
                )  # in the end that of a joint without a moving parent
                k = problem.moving[k, layout.M_PARENT]
            most = max(most, quat.norm(quat.sub(quat.load3(effectors, g, layout.E_TARGET), base)))
    return most


@leaf
def arc(axis, fixed, turning, low, high):
    """Least and greatest length of fixed + R(axis, q) turning for q in [low, high]."""
    along = quat.dot(fixed, axis) * quat.dot(turning, axis)
    c = quat.dot(fixed, turning) - along
    s = quat.dot(fixed, quat.cross(axis, turning))
    middle = quat.dot(fixed, fixed) + quat.dot(turning, turning) + 2.0 * along
    swing = 2.0 * math.hypot(c, s)
    least, most = -1.0, 1.0
    if high - low < TURN:
        p = math.atan2(s, c)
        first, last = low - p, high - p
        a, b = math.cos(first), math.cos(last)
        if math.floor(last / TURN) < math.ceil(first / TURN):
            most = max(a, b)
        if math.floor((last - math.pi) / TURN) < math.ceil((first - math.pi) / TURN):
            least = min(a, b)
    return (
        math.sqrt(max(0.0, middle + swing * least)),
        math.sqrt(max(0.0, middle + swing * most)),
    )


@leaf
def _turn_limits(problem, k):
    """The range of a hinge; a mimic joint's is left open."""
    moving_f = problem.moving_f
    if problem.moving[k, layout.M_MIMIC] >= 0:
        return -math.inf, math.inf
    return moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]


@leaf
def _rigid(problem, k):
    """True if what joint k carries is only turned by it."""
    moving = problem.moving
    return slide_count(moving[k, layout.M_KIND]) == 0 and moving[k, layout.M_STRETCH_DOF] < 0


@leaf
def _carried(problem, frames, ranges, k, fixed, slack):
    """The interval of distances of a point that joint k carries, of those of joint k and of its parent.

    The point is at `fixed` in k's frame, plus `slack` times k's stretch.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    bone = quat.norm(fixed)
    if _rigid(problem, k):
        near = max(0.0, ranges[k, 0] - bone, bone - ranges[k, 1])
        far = ranges[k, 1] + bone
    else:
        near = 0.0
        far = ranges[k, 1] + bone
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            far += quat.norm(slack) * moving_f[k, layout.STRETCH_HI]
        far += _farthest_slide(problem, k)
    up = moving[k, layout.M_PARENT]
    if (
        moving[k, layout.M_KIND] == layout.HINGE
        and _rigid(problem, k)
        and up >= 0
        and _rigid(problem, up)
    ):
        before = quat.unrotate(
            quat.load4(joints, k, layout.S_PRE), quat.load3(joints, k, layout.S_P0)
        )
        low, high = _turn_limits(problem, k)
        least, most = arc(quat.load3(moving_f, k, layout.AXIS), before, fixed, low, high)
        near = max(near, ranges[up, 0] - most, least - ranges[up, 1])
        far = min(far, ranges[up, 1] + most)
    return near, min(far, FAR)


@kernel
def fill_ranges(problem, frames, ranges):
    """For every moving joint the interval of distances of its origin from that of its chain's first, shape (M, 2)."""
    moving = problem.moving
    joints = frames.joints
    for k in range(moving.shape[0]):
        up = moving[k, layout.M_PARENT]
        if up < 0:
            ranges[k, 0], ranges[k, 1] = 0.0, 0.0
        else:
            fixed, slack = (
                quat.load3(joints, k, layout.S_P0),
                quat.load3(joints, k, layout.S_P1),
            )
            ranges[k, 0], ranges[k, 1] = _carried(problem, frames, ranges, up, fixed, slack)


@leaf
def _apart(near, far, least, most, slack):
    """True if two intervals of distances have nothing in common."""
    slack += ROUNDING * (min(far, most) + slack)
    return least > far + slack or most < near - slack


@kernel
def proven_out(problem, frames, ranges):
    """True if some target is surely out of reach; ranges is workspace, shape (M, 2)."""
    moving, blocks, blocks_f = problem.moving, problem.blocks, problem.blocks_f
    joints, effectors = frames.joints, frames.effectors
    fill_ranges(problem, frames, ranges)
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if blocks[g, layout.B_KIND] != layout.POSITION or k < 0:
            continue
        root = k
        while moving[root, layout.M_PARENT] >= 0:
            root = moving[root, layout.M_PARENT]
        target = quat.sub(
            quat.load3(effectors, g, layout.E_TARGET),
            quat.load3(joints, root, layout.S_P0),
        )
        slack = blocks_f[g, layout.B_TOLERANCE]
        arm = quat.load3(effectors, g, layout.E_P0)
        near, far = _carried(problem, frames, ranges, k, arm, quat.load3(effectors, g, layout.E_P1))
        away = quat.norm(target)
        if _apart(near, far, away, away, slack):
            return True
        if not _rigid(problem, k):
            continue
        for h in range(blocks.shape[0]):
            if (
                blocks[h, layout.B_KIND] != layout.ORIENTATION
                or blocks[h, layout.B_JOINT] != blocks[g, layout.B_JOINT]
            ):
                continue
            turn = quat.mul(
                quat.load4(effectors, h, layout.E_TARGET),
                quat.conj(quat.load4(effectors, h, layout.E_ROT)),
            )
            origin = quat.sub(target, quat.rotate(turn, arm))
            slack += blocks_f[h, layout.B_TOLERANCE] * quat.norm(arm)
            away = quat.norm(origin)
            if _apart(ranges[k, 0], ranges[k, 1], away, away, slack):
                return True
            up = moving[k, layout.M_PARENT]
            if moving[k, layout.M_KIND] == layout.HINGE and up >= 0 and _rigid(problem, up):
                before = quat.unrotate(
                    quat.load4(joints, k, layout.S_PRE),
                    quat.load3(joints, k, layout.S_P0),
                )
                slack += blocks_f[h, layout.B_TOLERANCE] * quat.norm(before)
                low, high = _turn_limits(problem, k)
                least, most = arc(
                    quat.load3(problem.moving_f, k, layout.AXIS),
                    quat.unrotate(turn, origin),
                    quat.scale(before, -1.0),
                    -high,
                    -low,
                )
                if _apart(ranges[up, 0], ranges[up, 1], least, most, slack):
                    return True
    return False
